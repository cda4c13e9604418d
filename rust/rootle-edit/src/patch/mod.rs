/*!
Patches: read in every dialect that models write, and applied by the rules of single edits: right, or refused.

[`parse_patch`] takes

* unified diffs and git's (renames, copies, modes, new and deleted files, quoted names, `\ No newline at end of file`),
  also with wrong counts, without numbers or names, with context lines that lost their prefix, with hunks in any order;
* `*** Begin Patch`, the format of codex's `apply_patch` (V4A), with nested `@@` scopes and `*** End of File`;
* SEARCH/REPLACE blocks as Aider, Cline and Roo have them;

each of them in a fence, in prose or in a here-document. A text that can be read in two ways is refused with the line in
question, as is a patch that seems cut off.

[`apply_file`] locates each hunk in the file as it is: at the line that its header says, moved by as much as the hunks
around it have moved, or at its only place. Where its old lines stand several times and none of these, nor the `@@` text,
the end of the file or the order of the hunks single out a place, the hunk is refused; the nearest place is never taken
because it is the nearest. Hunks that are not in the file exactly go the way of single edits, with the same guards.

```
use rootle_edit::{FileStatus, Options, PatchOptions, apply_file, parse_patch};

let patch = parse_patch("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n", &PatchOptions::default())?;
let outcome = apply_file(Some(b"import os\n\ndef f():\n    return 1\n"), &patch.files[0], &Options::default(), false);
assert_eq!(outcome.status, FileStatus::Applied);
assert_eq!(outcome.bytes.as_deref(), Some(&b"import os\n\ndef f():\n    return 2\n"[..]));
assert_eq!(outcome.applied[0].offset, Some(2));
# Ok::<(), rootle_edit::PatchError>(())
```

# Lines that are only added

A hunk without old lines goes below the line of its header (`@@ -5,0 +6,2 @@`), above that of `:start_line:`, below the one
line that its `@@` text names, or to the end at `*** End of File`. A header which counts old lines that are not there, and a
hunk of which nothing says where it goes, are refused.

# Where rootle differs from codex

With [`PatchOptions::compat_codex`] a file that is added replaces one that is there, a file that is deleted has to be there,
lines that nothing places go to the end of the file, a rewritten end of a file gets a line end, and lines without prefix are
refused. Without it an existing file is a conflict unless it has that very content, an absent one counts as deleted, such
lines are refused, a missing final line end stays missing unless the patch marks a change of it, and lines without prefix are
taken as the format's authors would have meant them. In either case, and deliberately:

* of several places none is taken for being the first (codex takes the first one after the hunk before);
* a file's hunks are applied together or not at all, and nothing is said here of other files (codex leaves what it had
  written before a failure);
* a file's final line end is touched only by a hunk that writes the end of the file (codex adds one to any file it writes).
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
mod prefix;
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
mod v4a_marker;

pub use apply::apply_file;
pub use detect::parse_patch;
pub use error::{PatchError, PatchReason};
pub use model::{Claim, Dialect, FilePatch, Hunk, LineKind, Op, Patch, PatchOptions};
pub use result::{Conflict, ConflictReason, FileOutcome, FileStatus, HunkOutcome};
