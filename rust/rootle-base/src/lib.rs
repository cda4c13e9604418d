/*!
What every crate of rootle shares. It knows nothing of Python, of patterns and of walking.

* [`Root`] is a directory opened once; every path is resolved beneath its descriptor, or refused.
* [`read_slice`] gives lines of a file. Under it lies the text layer, one for all tools: [`sniff`] tells the encoding,
  [`decode`] and [`encode`] go between bytes and text, [`LineCounts`] says how lines end.
* [`write_file`], [`modify_file`] and [`commit`] replace files as a whole or not at all; [`recover`] finishes what a dead
  process left half done.
* [`Context`] holds the limits of a call: deadline, cancel token, interrupt.
* [`Error`] is the one error type.

```
use std::path::Path;
use rootle_base::{Error, Root};

let dir = tempfile::tempdir().unwrap();
std::fs::write(dir.path().join("notes.txt"), "hello").unwrap();

let root = Root::open(dir.path())?;
assert_eq!(root.stat(Path::new("notes.txt"))?.size, 5);
assert!(matches!(root.open_file(Path::new("../etc/passwd")), Err(Error::PathEscapesRoot { .. })));
match root.open_file(Path::new("note.txt")) {
    Err(Error::PathNotFound { suggestions, .. }) => assert_eq!(suggestions, ["notes.txt"]),
    _ => unreachable!(),
}
# Ok::<(), Error>(())
```
*/

mod beneath;
mod collect;
mod commit_point;
mod components;
mod context;
mod distant;
mod encoding;
mod error;
mod failure;
mod hidden;
mod kernel_fs;
mod likeness;
mod line;
mod lines;
mod metadata;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod mounts;
mod pool;
mod process;
mod read;
mod relative;
mod root;
mod source;
mod stream;
mod suggest;
mod text;
mod write;

pub use beneath::Resolver;
pub use context::{CancelToken, Context, Stop};
pub use encoding::{Encoding, label};
pub use error::{Error, Result};
pub use kernel_fs::is_kernel_fs;
pub use lines::{LineCounts, LineEnds};
pub use metadata::{FileKind, Metadata};
pub use pool::{Errand, GRACE, Job, NAP, apart, hand_off};
pub use read::{Line, ReadRequest, ReadSlice, Truncation, read_slice};
pub use root::{OpenFile, Root};
pub use stream::Stream;
pub use text::{Decoded, SNIFF_BYTES, Sniff, bom, decode, encode, sniff};
pub use write::{
    Change, Expect, Modified, Notice, Recovered, WholeFile, WriteOptions, Written, check_writable_path, commit,
    modify_file, read_whole, recover, remove_empty_dirs, write_file,
};
