/*!
Writing beneath a root. A file is replaced as a whole or not at all, whatever fails or dies on the way.

* A path is resolved to the directory that holds the file, opened beneath the root; everything after that happens
  relative to that descriptor, so no name can lead elsewhere any more. Links are followed inside the root and stay links.
* The file is locked (`flock` on its own descriptor, so that threads, tasks and processes exclude one another), read,
  compared with what the caller expects, written to a temporary file beside it with mode, owner, extended attributes and
  ACL of the old one, synced and renamed onto it.
* Where the directory refuses that, the file is overwritten in place, with a journal of both contents in a directory of
  the user's own, so that the next call finishes what a crash left half done.
* [`commit`] does the same for several files: all are checked and staged before the first is renamed, and those that
  were renamed are put back if one fails.
*/

mod acquire;
mod apply;
mod attributes;
mod call;
mod commit;
mod forward;
mod in_place;
mod journal;
mod lock;
mod options;
mod place;
mod plan;
mod prepare;
mod protect;
mod record;
mod recover;
mod replace;
mod single;
mod stage;
mod sweep;
mod temp;
mod undo;
mod whole;

pub use commit::commit;
pub use options::{Change, Expect, Notice, WriteOptions, Written};
pub use place::{check_writable_path, remove_empty_dirs};
pub use recover::{Recovered, recover};
pub use single::{Modified, modify_file, write_file};
pub use whole::{WholeFile, read_whole};
