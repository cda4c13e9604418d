/*!
Patches: reading them in every dialect that models write, and applying them through the same engine as single edits.
*/

mod apply;
mod at_line;
mod block_file;
mod blocks;
mod build;
mod detect;
mod engine;
mod error;
mod hunk_body;
mod hunks;
mod line_kinds;
mod model;
mod names;
mod place;
mod present;
mod result;
mod scope;
mod section;
mod splices;
mod suggest;
mod target;
mod text;
mod unified;
mod v4a;

pub use apply::apply_file;
pub use detect::parse_patch;
pub use error::{PatchError, PatchReason};
pub use model::{Claim, Dialect, FilePatch, Hunk, LineKind, Op, Patch, PatchOptions};
pub use result::{Conflict, ConflictReason, FileOutcome, FileStatus, HunkOutcome};
