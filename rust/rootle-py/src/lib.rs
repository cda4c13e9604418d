/*!
The Python module `rootle._core`: conversion only.

A native function takes keyword-only arguments without defaults, makes one plain request of them, calls one core function
with the GIL released, and turns the outcome into frozen records. Policy, defaults and documentation live in Python.
*/

mod call;
mod convert;
mod edit;
mod errors;
mod glob;
mod grep;
mod list;
mod read;
mod records;
mod refusal;
mod root;
mod rules;
mod walk;

use pyo3::pymodule;

/// The native half of rootle.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::call::{CancelToken, provoke_panic};
    #[pymodule_export]
    use crate::edit::{EditOutcome, EditWarning, EditedBytes, LocatedText, edit_bytes, locate_bytes};
    #[pymodule_export]
    use crate::glob::{GlobEntry, GlobResult, glob};
    #[pymodule_export]
    use crate::grep::{ContextLine, GrepFile, GrepMatch, GrepResult, file_types, grep};
    #[pymodule_export]
    use crate::list::{ListEntry, ListResult, list_dir};
    #[pymodule_export]
    use crate::read::{HiddenCharacter, ReadLine, ReadResult, read};
    #[pymodule_export]
    use crate::records::{Coverage, PathWarning};
    #[pymodule_export]
    use crate::root::{Metadata, Root};
    #[pymodule_export]
    use crate::walk::{WalkEntry, WalkResult, walk};
}
