/*!
The Python module `rootle._core`: conversion only.

A native function takes keyword-only arguments without defaults, makes one plain request of them, calls one core function
with the GIL released, and turns the outcome into frozen records. Policy, defaults and documentation live in Python.
*/

#![allow(clippy::result_large_err, reason = "refusals of edits are large and end the call")]

mod call;
mod convert;
mod edit;
mod edit_file;
mod errors;
mod exec;
mod file_edit;
mod found;
mod glob;
mod grep;
mod grep_match;
mod list;
mod patch;
mod patch_plan;
mod read;
mod records;
mod refusal;
mod root;
mod rules;
mod walk;
mod write;

use pyo3::pymodule;

/// The native half of rootle.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::call::{CancelToken, provoke_panic};
    #[pymodule_export]
    use crate::edit::{EditOutcome, EditWarning, EditedBytes, LocatedText, edit_bytes, locate_bytes, unified_diff};
    #[pymodule_export]
    use crate::edit_file::{edit_file, write_content};
    #[pymodule_export]
    use crate::exec::{ExecOutcome, ExecStream, exec_command};
    #[pymodule_export]
    use crate::file_edit::FileEdit;
    #[pymodule_export]
    use crate::found::{GrepFile, GrepResult};
    #[pymodule_export]
    use crate::glob::{GlobEntry, GlobResult, glob};
    #[pymodule_export]
    use crate::grep::{file_types, grep, outside_patterns};
    #[pymodule_export]
    use crate::grep_match::{ContextLine, GrepMatch};
    #[pymodule_export]
    use crate::list::{ListEntry, ListResult, list_dir};
    #[pymodule_export]
    use crate::patch::{
        FilePatch, NearText, PatchConflict, PatchHunk, PatchPlan, patch_bytes, patch_paths, plan_patch,
    };
    #[pymodule_export]
    use crate::read::{HiddenCharacter, ReadLine, ReadResult, read};
    #[pymodule_export]
    use crate::records::{Coverage, PathWarning};
    #[pymodule_export]
    use crate::root::{Metadata, Root};
    #[pymodule_export]
    use crate::walk::{WalkEntry, WalkResult, walk};
    #[pymodule_export]
    use crate::write::{
        FileChange, RecoveredFile, WholeFile, WriteNotice, Written, commit, read_whole, recover, remove_empty_dirs,
        write_file,
    };
}
