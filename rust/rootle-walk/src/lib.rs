/*!
Walks a tree in parallel over directory descriptors, honouring ignore files, and finds files by glob.

[`walk`] is the foundation: it hands every file that passes the rules ([`WalkOptions`]) and the [`Filter`] to a
[`Visit`]or, one for each thread. [`list_files`], [`glob`] and [`list_dir`] are built on the same parts.

```
use rootle_base::{Context, Root};
use rootle_walk::{Filter, FilterSpec, Request, WalkOptions, list_files};

# fn main() -> rootle_base::Result<()> {
let root = Root::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")))?;
let filter = Filter::new(&FilterSpec { include: vec!["*.rs".to_owned()], ..FilterSpec::default() })?;
let (options, starts) = (WalkOptions::default(), [".".into()]);
let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
let (files, summary) = list_files(&req, &Context::unlimited(), false)?;

assert!(files.paths().any(|path| path == b"src/lib.rs"));
assert!(summary.complete());
# Ok(())
# }
```

# Which ignore rules count

The same files pass as with `rg --files --no-require-git --no-ignore-global`, except that `.rootleignore` takes the place
of `.rgignore`: `.rootleignore` is stronger than `.ignore`, that than `.gitignore`, that than `.git/info/exclude`; within
a kind, the deeper directory is stronger. They count with or without a `.git`, and a `.git` further down does not end
the rules from above. A `!` rule un-hides as well. Ignore files in directories above the start count as far up as the
root; above the root nothing is read. Ignore files that are no regular files, that are links out of the root, or that
are very large are skipped with a warning.

# System calls

A directory takes `openat`, `fstat`, `getdents` twice and `close`. A file takes none; a visitor that opens, reads and
closes it makes three. Names and paths live in buffers that each thread uses again.
*/

mod bytes;
mod cursor;
mod directory;
mod files;
mod filter;
mod glob;
mod globs;
mod judge;
mod list;
mod options;
mod order;
mod patient;
mod queue;
mod reading;
mod rules;
mod scan;
mod shared;
mod slot;
mod starts;
mod team;
mod top;
mod types;
mod visit;
mod walk;
mod worker;

pub use files::{FileTable, list_files};
pub use filter::{Filter, FilterSpec};
pub use glob::{GlobEntry, GlobRequest, GlobResult, Kinds, SortBy, glob};
pub use list::{DirCounts, ListEntry, ListRequest, Listing, list_dir};
pub use options::{MAX_IGNORE_FILE_BYTES, MAX_WARNINGS, Request, Summary, WalkOptions, Warning};
pub use order::path_order;
pub use types::file_types;
pub use visit::{FileEntry, Visit};
pub use walk::walk;
