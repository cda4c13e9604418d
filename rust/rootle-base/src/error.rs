//! The one error type of every core crate.
//!
//! Each variant is one condition that a caller can tell apart; the binding crate maps each of them to one Python class
//! in a `match` without a wildcard, so a new variant does not compile until it has a class.

use std::io;

/// The result of a core operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong in the core. Paths are given as the caller wrote them or relative to the root, never as a path
/// above the root.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path, or a link on the way, leads outside the root. Nothing about the target is disclosed.
    #[error("{path:?} is outside the root")]
    PathEscapesRoot {
        /// The path as given.
        path: String,
    },
    /// Nothing exists at the path.
    #[error("{path:?} does not exist")]
    PathNotFound {
        /// The path as given.
        path: String,
        /// Up to three existing paths, relative to the root, that may have been meant; best first.
        suggestions: Vec<String>,
    },
    /// A directory was needed, or a path goes on below something that is not one.
    #[error("{path:?} is not a directory")]
    NotADirectory {
        /// The path as given.
        path: String,
    },
    /// A file was needed and the path is a directory.
    #[error("{path:?} is a directory")]
    IsADirectory {
        /// The path as given.
        path: String,
    },
    /// The path is a FIFO, socket, device or a file of a kernel file system such as procfs.
    #[error("{path:?} is not a regular file but a {kind}")]
    NotARegularFile {
        /// The path as given.
        path: String,
        /// What it is: `fifo`, `socket`, `character device`, `block device`, `kernel file`, `unknown`.
        kind: &'static str,
    },
    /// More than forty links on the way.
    #[error("{path:?} passes through too many symbolic links")]
    SymlinkLoop {
        /// The path as given.
        path: String,
    },
    /// The operating system refused access.
    #[error("permission denied: {operation} {path:?}")]
    PermissionDenied {
        /// The path as given.
        path: String,
        /// What was tried: `open`, `list`, `stat`, `read`, `write`.
        operation: &'static str,
    },
    /// The path is inside a `.git` directory, or is one; programs that git runs are found there.
    #[error("{path:?} belongs to git")]
    ProtectedPath {
        /// The path as given.
        path: String,
    },
    /// A file that must not exist yet does.
    #[error("{path:?} already exists")]
    AlreadyExists {
        /// The path as given.
        path: String,
    },
    /// The file's content is not what the caller knows: someone else has changed it.
    #[error("{path:?} has changed since it was read")]
    StaleFile {
        /// The path as given.
        path: String,
        /// BLAKE3 of the content that the caller knows; `None` if it was known not to exist.
        expected: Option<[u8; 32]>,
        /// BLAKE3 of the content that is there; `None` if the file is gone, or changes while it is read.
        current: Option<[u8; 32]>,
    },
    /// The file, or the content for it, is larger than allowed.
    #[error("{path:?} has {size} bytes; at most {limit} are allowed")]
    FileTooLarge {
        /// The path as given.
        path: String,
        /// Bytes there are.
        size: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The file itself may be written, but not in a way that loses nothing.
    #[error("{path:?} cannot be written safely: {reason}")]
    Unwritable {
        /// The path as given.
        path: String,
        /// Why.
        reason: String,
    },
    /// Writing several files failed in the middle, and some could not be put back.
    #[error("{path:?} could not be written ({reason}), and these files could not be put back: {}", written.join(", "))]
    CommitIncomplete {
        /// The file that failed.
        path: String,
        /// Its failure.
        reason: String,
        /// The files that hold the new content, relative to the root.
        written: Vec<String>,
    },
    /// The file system stopped answering when the change was already under way.
    #[error("{path:?} {}, but its file system does not answer", if *written { "is written" } else { "may be written or not" })]
    WriteUnsettled {
        /// The file, or the first of several, as given.
        path: String,
        /// Whether the change is known to be made: then only what makes it outlast a power cut may be missing.
        written: bool,
    },
    /// The text cannot be a path: empty, a NUL byte, or too long for the system.
    #[error("{path:?} is not a valid path: {reason}")]
    InvalidPath {
        /// The path as given, shortened.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// The root directory was removed or is no directory any more.
    #[error("the root {path:?} no longer exists")]
    RootGone {
        /// The root's own path.
        path: String,
    },
    /// The regular expression does not parse.
    #[error("invalid pattern: {reason}")]
    InvalidPattern {
        /// The pattern, shortened.
        pattern: String,
        /// The parser's own words.
        reason: String,
    },
    /// The regular expression or glob needs more memory or nesting than allowed.
    #[error("pattern too large: {reason}")]
    PatternTooLarge {
        /// The pattern, shortened.
        pattern: String,
        /// Which bound was met.
        reason: String,
    },
    /// The glob does not parse.
    #[error("invalid glob {glob:?}: {reason}")]
    InvalidGlob {
        /// The glob, shortened.
        glob: String,
        /// The parser's own words.
        reason: String,
    },
    /// No file type of that name is known.
    #[error("unknown file type {name:?}")]
    UnknownFileType {
        /// The name as given.
        name: String,
        /// Near names, best first.
        suggestions: Vec<String>,
    },
    /// The cursor was not made by this kind of call, or is damaged.
    #[error("invalid cursor: {reason}")]
    InvalidCursor {
        /// Why.
        reason: &'static str,
    },
    /// An argument is out of its range, or two arguments exclude one another.
    #[error("invalid {name}: {reason}")]
    InvalidArgument {
        /// The parameter.
        name: &'static str,
        /// Why.
        reason: String,
    },
    /// The time limit passed and nothing partial can exist.
    #[error("time limit of {limit_s} s reached")]
    DeadlineExceeded {
        /// The limit in seconds.
        limit_s: f64,
    },
    /// The caller's cancel token was set.
    #[error("cancelled")]
    Cancelled,
    /// The caller's thread has an interrupt to handle (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
    /// Any other failure of the operating system on one path.
    #[error("{operation} {path:?}: {source}")]
    Io {
        /// The path as given.
        path: String,
        /// What was tried: `open`, `list`, `stat`, `read`, `write`.
        operation: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// Commands cannot be run: the helper executable is missing, or the system refuses what it needs.
    #[error("commands cannot be run: {reason}")]
    SandboxUnavailable {
        /// What failed.
        reason: String,
    },
    /// A broken invariant or a caught panic: a fault of rootle's own.
    #[error("internal error: {message}")]
    Internal {
        /// What was found.
        message: String,
    },
}
