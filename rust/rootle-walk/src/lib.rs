/*!
Walks a tree in parallel over directory descriptors, honouring ignore files, and finds files by glob.
*/

mod bytes;
mod cursor;
mod files;
mod filter;
mod glob;
mod globs;
mod judge;
mod list;
mod options;
mod order;
mod queue;
mod reading;
mod rules;
mod scan;
mod shared;
mod starts;
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
