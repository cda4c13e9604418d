/*!
Edits of texts: where an old text stands in a file, and the file with a new text in its place.

Pure functions on bytes: nothing is opened, nothing is written. [`locate`] finds the place, [`apply_edit`] and
[`apply_edits`] give the new content. What they cannot do with certainty they refuse, and a [`Refusal`] says how to set
the edit right.

```
use rootle_edit::{Edit, Options, apply_edit};

let file = b"def f():\n    return 1\n";
let applied = apply_edit(file, &Edit::new("return 1", "return 2"), &Options::default()).unwrap();
assert_eq!(applied.bytes, b"def f():\n    return 2\n");

let refusal = apply_edit(file, &Edit::new("return 3", "return 4"), &Options::default()).unwrap_err();
assert_eq!(refusal.reason.code(), "not_found");
```
*/

#![allow(clippy::result_large_err, reason = "a refusal ends the call, and carries all that helps the next one")]

mod advice;
mod apply;
mod budget;
mod changes;
mod diff;
mod distance;
mod edit;
mod explain;
mod find;
mod fuzzy;
mod merge;
mod outcome;
mod patch;
mod placeholder;
mod refusal;
mod repair;
mod report;
mod resolve;
mod rewrite;
mod text;

pub use apply::{apply_edit, apply_edits, locate, plan_edits};
pub(crate) use changes::assemble;
pub use changes::{Changes, Replaced};
pub use diff::{DiffStat, MAX_DIFF_LINE, diff_stat, unified_diff};
pub use edit::{Anchor, DEFAULT_BUDGET, DEFAULT_MAX_BYTES, Edit, Options};
pub use explain::{enclosing_symbol, show_whitespace, unique_context};
pub use outcome::{Applied, LineRange, Located, Outcome, Repair, Status, Tier, Warning};
pub use patch::{
    Claim, Conflict, ConflictReason, Dialect, FileOutcome, FilePatch, FileStatus, Hunk, HunkOutcome, LineKind, Op,
    Patch, PatchError, PatchOptions, PatchReason, apply_file, parse_patch,
};
pub use refusal::{Candidate, Difference, Reason, Refusal};
pub use rewrite::{Rewritten, rewrite};
