//! What a caller asks of a writing, and what it gets back.

use std::path::{Path, PathBuf};

use crate::Metadata;

/// What must be true of the file for it to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Nothing: the file may exist or not.
    #[default]
    Anything,
    /// The file must not exist; of several callers that create it exactly one succeeds.
    Absent,
    /// The file must exist and its content have this BLAKE3 hash.
    Hash([u8; 32]),
}

/// How a file is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// What must be true of the file; [`crate::commit`] takes it from each change instead.
    pub expect: Expect,
    /// Whether missing directories on the way are made. They go again if the writing fails.
    pub make_parents: bool,
    /// Whether paths inside `.git` may be written.
    pub allow_git_internals: bool,
    /// The largest content, old or new, in bytes.
    pub max_bytes: u64,
    /// Where journals are kept: a directory that belongs to the user alone and is made if missing. `None` stands for
    /// `$XDG_STATE_HOME/rootle/journal` (`~/.local/state` without that variable), or else one below the system's
    /// directory for temporary files.
    pub journal_dir: Option<PathBuf>,
    /// Permission bits of a new file, from which the umask takes its share; `None` means 0666. An existing file keeps
    /// its own.
    pub mode: Option<u32>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            expect: Expect::Anything,
            make_parents: false,
            allow_git_internals: false,
            max_bytes: u64::MAX,
            journal_dir: None,
            mode: None,
        }
    }
}

/// One change of a [`crate::commit`].
#[derive(Clone, Debug)]
pub enum Change {
    /// Writes a file, new or old.
    Write {
        /// The file.
        path: PathBuf,
        /// All of its content.
        content: Vec<u8>,
        /// What must be true of it.
        expect: Expect,
        /// Permission bits: those of a new file; `Some` also sets those of an existing one.
        mode: Option<u32>,
    },
    /// Removes a regular file; a link in its place is refused.
    Remove {
        /// The file.
        path: PathBuf,
        /// What must be true of it.
        expect: Expect,
    },
    /// Moves a regular file, with its attributes, to a path where nothing is.
    Rename {
        /// The file; a link in its place is refused.
        from: PathBuf,
        /// Its new path.
        to: PathBuf,
        /// Its new content; `None` to keep the old.
        content: Option<Vec<u8>>,
        /// What must be true of `from`.
        expect: Expect,
    },
}

impl Change {
    /// The file that the change is of, as given; of a rename, its old path.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } | Self::Rename { from: path, .. } => path,
        }
    }
}

/// Something about a writing that its caller may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// For programs: `hard_link_broken`, `written_in_place`, `unchanged`, `owner_changed`, `attributes_lost`,
    /// `not_synced`, `not_locked`, `recovered`.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl Notice {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its real path, relative to the root, every link resolved.
    pub path: PathBuf,
    /// Where it was before a rename.
    pub from: Option<PathBuf>,
    /// BLAKE3 of its content; `None` if it was removed.
    pub hash: Option<[u8; 32]>,
    /// Whether it did not exist before.
    pub created: bool,
    /// Its content before, of a renamed file that under the old name; `None` if it did not exist.
    pub before: Option<Vec<u8>>,
    /// Its permission bits before; `None` if it did not exist.
    pub before_mode: Option<u32>,
    /// Whether its bytes were overwritten in place because its directory allows no replacing.
    pub in_place: bool,
    /// Whether it had other names, which keep the old content.
    pub hard_link_broken: bool,
    /// The directories that were made for it, outermost first.
    pub made_dirs: Vec<PathBuf>,
    /// What else is worth telling.
    pub notices: Vec<Notice>,
    /// What the system says of it now; of a removed file, what it said last.
    pub meta: Metadata,
}
