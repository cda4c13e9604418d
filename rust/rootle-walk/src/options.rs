//! What a walk is asked for and what it reports beside the files.

use std::ffi::OsString;
use std::path::PathBuf;

use rootle_base::{Root, Stop};

use crate::Filter;

/// An ignore file larger than this is skipped with a warning, unless the caller says otherwise.
pub const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;

/// Which entries a walk passes over and how it runs.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Give hidden files and directories (name starts with a dot) as well.
    pub hidden: bool,
    /// Read no ignore file. `extra_ignore` and `skip_dirs` still count.
    pub no_ignore: bool,
    /// Names of directories nobody wants. They have the lowest precedence: an ignore file's `!name` (not a mere
    /// pattern such as `!*/`), and being a start path, win over them.
    pub skip_dirs: Vec<OsString>,
    /// Lines in gitignore syntax, relative to the root, that win over every ignore file.
    pub extra_ignore: Vec<String>,
    /// Follow symbolic links that stay inside the root. Each real directory is walked once.
    pub follow_links: bool,
    /// How deep to go below a start: 1 gives its direct entries only.
    pub max_depth: Option<usize>,
    /// Larger ignore files are skipped with a warning.
    pub max_ignore_file_bytes: u64,
    /// Name up to this many entries that ignore rules, hidden names and `skip_dirs` dropped, in [`Summary::dropped`].
    pub note_dropped: usize,
    /// Number of threads, the caller's included; 0 takes what the machine offers, at most 12.
    pub threads: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            hidden: false,
            no_ignore: false,
            skip_dirs: Vec::new(),
            extra_ignore: Vec::new(),
            follow_links: false,
            max_depth: None,
            max_ignore_file_bytes: MAX_IGNORE_FILE_BYTES,
            note_dropped: 0,
            threads: 0,
        }
    }
}

/// One walk.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The tree.
    pub root: &'a Root,
    /// Where to begin: files or directories, relative to the root. A start itself is never ignored or hidden. An entry
    /// that lies below two starts is given once.
    pub starts: &'a [PathBuf],
    /// What to pass over.
    pub options: &'a WalkOptions,
    /// Which files are wanted.
    pub filter: &'a Filter,
    /// Only entries after this path, in path order.
    pub after: Option<Vec<u8>>,
}

/// Something that was skipped and that the caller may want to know of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// A stable word: `permission_denied`, `unreadable_dir`, `ignore_file_skipped`, `ignore_file_truncated`,
    /// `kernel_fs`, `link_escapes_root`, `no_answer`.
    pub code: &'static str,
    /// The same for people.
    pub message: String,
}

/// At most this many warnings are kept.
pub const MAX_WARNINGS: usize = 100;

/// What a walk did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files given to visitors.
    pub files: u64,
    /// Directories listed, starts included.
    pub dirs: u64,
    /// Entries dropped by an ignore rule; a dropped directory counts once.
    pub ignored: u64,
    /// Entries dropped because they are hidden; a dropped directory counts once.
    pub hidden: u64,
    /// Directories dropped because of `skip_dirs`.
    pub skipped_dirs: u64,
    /// Some of the entries that `ignored`, `hidden` and `skipped_dirs` count; all of them if there are as many.
    pub dropped: Vec<Vec<u8>>,
    /// Files that include globs, exclude globs or types dropped, and directories that exclude globs dropped.
    pub filtered: u64,
    /// FIFOs, sockets and devices; never given to visitors.
    pub special: u64,
    /// Symbolic links that were not followed.
    pub links: u64,
    /// What went wrong on the way, in path order.
    pub warnings: Vec<Warning>,
    /// Warnings beyond the first [`MAX_WARNINGS`].
    pub warnings_dropped: u64,
    /// Why the walk ended before its end, if it did.
    pub stop: Option<Stop>,
    /// If the walk ended early: every file before this path was given, in path order, and from it on perhaps not.
    pub resume: Option<Vec<u8>>,
    /// A visitor said it needed no more and work was dropped.
    pub cut: bool,
}

impl Summary {
    /// Whether everything asked for was walked.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.stop.is_none() && !self.cut
    }

    pub(crate) fn warn(&mut self, path: &[u8], code: &'static str, message: impl Into<String>) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(Warning { path: path.to_vec(), code, message: message.into() });
        } else {
            self.warnings_dropped += 1;
        }
    }

    /// What there is to say when the call had to end while the system was asked about `path`, and before anything was
    /// found.
    pub(crate) fn unanswered(path: &[u8], stop: Stop) -> Self {
        let mut summary = Self { stop: Some(stop), ..Self::default() };
        summary.no_answer(path);
        summary.left(path);
        summary
    }

    pub(crate) fn no_answer(&mut self, path: &[u8]) {
        self.warn(path, "no_answer", "the file system did not answer in time");
    }

    /// Takes note that what is at `path` was not given.
    pub(crate) fn left(&mut self, path: &[u8]) {
        if self.resume.as_ref().is_none_or(|known| crate::path_order(path, known).is_lt()) {
            self.resume = Some(path.to_vec());
        }
    }

    /// Adds what another worker did.
    pub(crate) fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.dirs += other.dirs;
        self.ignored += other.ignored;
        self.hidden += other.hidden;
        self.skipped_dirs += other.skipped_dirs;
        self.dropped.extend(other.dropped);
        self.filtered += other.filtered;
        self.special += other.special;
        self.links += other.links;
        self.warnings.extend(other.warnings);
        self.warnings_dropped += other.warnings_dropped;
        self.stop = self.stop.or(other.stop);
        if let Some(path) = other.resume {
            self.left(&path);
        }
        self.cut |= other.cut;
    }

    /// Puts the warnings of all workers in order and keeps the first of them.
    pub(crate) fn finish(&mut self) {
        self.warnings.sort_by(|a, b| crate::path_order(&a.path, &b.path).then_with(|| a.cmp(b)));
        let kept = self.warnings.len().min(MAX_WARNINGS);
        self.warnings_dropped += (self.warnings.len() - kept) as u64;
        self.warnings.truncate(kept);
    }
}
