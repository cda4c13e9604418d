//! A patch as data.

use crate::Edit;

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Unified diffs, with or without git's extended headers.
    Unified,
    /// `*** Begin Patch`, as codex and the V4A prompts have it.
    V4a,
    /// SEARCH/REPLACE blocks: Aider, Cline, Roo.
    SearchReplace,
}

impl Dialect {
    /// The word for it: `unified`, `v4a` or `search_replace`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::V4a => "v4a",
            Self::SearchReplace => "search_replace",
        }
    }
}

/// What is to become of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Its content or its mode changes.
    Update,
    /// It is made.
    Add,
    /// It goes.
    Delete,
    /// It moves to `new_path`, with or without changes.
    Rename,
    /// A copy is made at `new_path`, with or without changes.
    Copy,
}

impl Op {
    /// The word for it: `update`, `add`, `delete`, `rename` or `copy`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Add => "add",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Copy => "copy",
        }
    }
}

/// What the reader of a patch is told beforehand.
#[derive(Clone, Debug, Default)]
pub struct PatchOptions {
    /// The file meant by a patch that names none. A patch of one file may name it too, under any placeholder; a patch
    /// that clearly names another file is refused.
    pub path: Option<String>,
    /// Behave as codex's `apply_patch` where rootle's own way differs; see the module's text.
    pub compat_codex: bool,
}

/// A patch: what it asks of each file, in its order.
#[derive(Clone, Debug)]
pub struct Patch {
    /// How it is written.
    pub dialect: Dialect,
    /// One entry a file.
    pub files: Vec<FilePatch>,
}

/// What a patch asks of one file.
///
/// Paths are text here: `..`, absolute paths and links are the writer's matter and come out as they were written. A
/// byte of a quoted name that is not UTF-8 stands as `\udcNN`.
#[derive(Clone, Debug)]
pub struct FilePatch {
    /// What is to become of it.
    pub op: Op,
    /// The file as it is now.
    pub path: String,
    /// Where a rename or copy leads.
    pub new_path: Option<String>,
    /// Other readings of `path` (a prefix `a/` cut or kept), for when there is no file at `path`.
    pub other_paths: Vec<String>,
    /// Changes of its text. Deleting or adding a file has one hunk with the whole content, or none.
    pub hunks: Vec<Hunk>,
    /// The mode before, as git writes it (0o100644), where the patch says so.
    pub old_mode: Option<u32>,
    /// The mode after.
    pub new_mode: Option<u32>,
    /// Its content is binary in the patch; it is never applied.
    pub binary: bool,
    /// The whole content is known to be empty before (a deleted empty file).
    pub was_empty: bool,
    /// How the patch is written.
    pub dialect: Dialect,
    /// As in [`PatchOptions`].
    pub compat_codex: bool,
    /// The line of the patch where the section starts, from 1.
    pub line: usize,
}

impl FilePatch {
    /// For a rename or copy whose source is gone: the same changes asked of the file at `new_path`, so that
    /// [`apply_file`](crate::apply_file) tells whether they have been made there already. None if nothing moves, or if
    /// there are no changes by which the file could be known.
    #[must_use]
    pub fn at_target(&self) -> Option<Self> {
        let path = self.new_path.clone().filter(|_| !self.hunks.is_empty())?;
        Some(Self { op: Op::Update, path, new_path: None, ..self.clone() })
    }
}

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// In the old and the new text.
    Context,
    /// In the old text only.
    Removed,
    /// In the new text only.
    Added,
}

/// The numbers of an `@@ -a,b +c,d @@` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// First old line, from 1; 0 with a count of 0 stands for the file's start.
    pub old_start: u64,
    /// Old lines.
    pub old_count: u64,
    /// First new line.
    pub new_start: u64,
    /// New lines.
    pub new_count: u64,
}

/// One change of a file's text.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// The change as an edit: old and new lines, the header's line as hint, its text as scope. The lines end in a line
    /// feed each but for a last one that is marked as having none.
    pub edit: Edit,
    /// The hunk's lines in order; the texts of the old ones stand in `edit.old`, of the new ones in `edit.new`.
    pub kinds: Vec<LineKind>,
    /// The header line as the patch has it; empty if there is none.
    pub header: String,
    /// Its numbers, if it has some. The counts may be wrong.
    pub claim: Option<Claim>,
    /// The line of the patch where the hunk starts, from 1.
    pub line: usize,
    /// The last old line is marked as the file's last, without a line end.
    pub old_open_end: bool,
    /// The last new line is.
    pub new_open_end: bool,
}

impl Hunk {
    /// The lines with their kinds, each with its line end.
    pub fn lines(&self) -> impl Iterator<Item = (LineKind, &str)> {
        let mut old = self.edit.old.split_inclusive('\n');
        let mut new = self.edit.new.split_inclusive('\n');
        self.kinds.iter().map(move |kind| {
            let text = match kind {
                LineKind::Context => {
                    new.next();
                    old.next()
                }
                LineKind::Removed => old.next(),
                LineKind::Added => new.next(),
            };
            (*kind, text.unwrap_or(""))
        })
    }

    /// The hunk adds lines and says nothing of what stands around them.
    #[must_use]
    pub fn is_bare_insertion(&self) -> bool {
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| *kind == LineKind::Added)
    }
}
