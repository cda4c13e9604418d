//! One file's part of a unified diff, and what it means when it is complete.

use super::build::HunkBuilder;
use super::error::{PatchError, PatchReason, Result};
use super::model::{Dialect, FilePatch, Hunk, LineKind, Op, PatchOptions};
use super::names::{self, Name};

/// What the headers and hunks of one file say.
#[derive(Default)]
pub(super) struct Section {
    pub(super) line: usize,
    pub(super) is_git: bool,
    pub(super) git: Option<(String, String)>,
    pub(super) index_name: Option<String>,
    pub(super) old: Option<Name>,
    pub(super) new: Option<Name>,
    pub(super) binary: bool,
    /// The line after the names, as long as no hunk has come.
    pub(super) body_from: Option<usize>,
    rename: (Option<String>, Option<String>),
    copy: (Option<String>, Option<String>),
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    is_new: bool,
    is_deleted: bool,
    /// The abbreviated hash of the old content.
    old_hash: Option<String>,
    hunks: Vec<Hunk>,
    /// Hunks without a change were left out.
    idle_hunks: bool,
}

/// What git calls the empty file.
const EMPTY_BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

impl Section {
    pub(super) fn new(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    /// A hunk or binary content has come.
    pub(super) fn has_body(&self) -> bool {
        !self.hunks.is_empty() || self.idle_hunks || self.binary
    }

    pub(super) fn add(&mut self, hunk: HunkBuilder) {
        if hunk.changes() { self.hunks.push(hunk.finish()) } else { self.idle_hunks = true }
    }

    /// Takes one of git's extended header lines.
    pub(super) fn extended(&mut self, line: &str) -> bool {
        let mode = |text: &str| u32::from_str_radix(text.trim(), 8).ok();
        let path = |text: &str| Some(names::bare_path(text));
        let after = |word: &str| line.strip_prefix(word);
        if let Some(rest) = after("old mode ") {
            self.old_mode = mode(rest);
        } else if let Some(rest) = after("new mode ") {
            self.new_mode = mode(rest);
        } else if let Some(rest) = after("new file mode ") {
            (self.is_new, self.new_mode) = (true, mode(rest));
        } else if let Some(rest) = after("deleted file mode ") {
            (self.is_deleted, self.old_mode) = (true, mode(rest));
        } else if let Some(rest) = after("rename from ") {
            self.rename.0 = path(rest);
        } else if let Some(rest) = after("rename to ") {
            self.rename.1 = path(rest);
        } else if let Some(rest) = after("copy from ") {
            self.copy.0 = path(rest);
        } else if let Some(rest) = after("copy to ") {
            self.copy.1 = path(rest);
        } else if let Some(rest) = after("index ") {
            self.old_hash = rest.split_once("..").map(|(old, _)| old.to_owned());
        } else if after("GIT binary patch").is_some() {
            self.binary = true;
        } else {
            return after("similarity index ").is_some() || after("dissimilarity index ").is_some();
        }
        true
    }

    /// All sections of a patch as what is asked of each file.
    pub(super) fn into_files(sections: Vec<Self>, options: &PatchOptions) -> Result<Vec<FilePatch>> {
        let alone = sections.iter().filter(|section| section.names_or_body()).count() == 1;
        sections.into_iter().filter(Self::names_or_body).map(|section| section.into_file(options, alone)).collect()
    }

    /// An `Index:` line or so alone is no section.
    fn names_or_body(&self) -> bool {
        self.is_git || self.old.is_some() || self.new.is_some() || self.has_body()
    }

    fn into_file(self, options: &PatchOptions, alone: bool) -> Result<FilePatch> {
        let op = self.op();
        let mut file = FilePatch {
            op,
            path: String::new(),
            new_path: None,
            other_paths: Vec::new(),
            hunks: Vec::new(),
            old_mode: self.old_mode,
            new_mode: self.new_mode,
            binary: self.binary,
            was_empty: self.old_hash.as_deref().is_some_and(|hash| hash.len() >= 4 && EMPTY_BLOB.starts_with(hash)),
            dialect: Dialect::Unified,
            compat_codex: options.compat_codex,
            line: self.line,
        };
        self.name(&mut file)?;
        if alone && !matches!(op, Op::Rename | Op::Copy) {
            self.reconcile(&mut file, options)?;
        } else if file.path.is_empty() {
            return Err(self.nameless());
        }
        self.check_body(&file)?;
        file.hunks = self.hunks;
        Ok(file)
    }

    fn op(&self) -> Op {
        let nothing = |name: &Option<Name>| *name == Some(Name::Nothing);
        match self {
            Self { rename: (Some(_), Some(_)), .. } => Op::Rename,
            Self { copy: (Some(_), Some(_)), .. } => Op::Copy,
            _ if self.is_new || nothing(&self.old) && !nothing(&self.new) => Op::Add,
            _ if self.is_deleted || nothing(&self.new) => Op::Delete,
            _ => Op::Update,
        }
    }

    fn name(&self, file: &mut FilePatch) -> Result<()> {
        if let (Op::Rename, (Some(from), Some(to)), _) | (Op::Copy, _, (Some(from), Some(to))) =
            (file.op, &self.rename, &self.copy)
        {
            (file.path, file.new_path) = (from.clone(), Some(to.clone()));
            return Ok(());
        }
        let git = self.git.as_ref();
        let path = |name: &Option<Name>| name.as_ref().and_then(|name| name.path().map(str::to_owned));
        let old = path(&self.old).or_else(|| git.map(|(old, _)| old.clone()).filter(|_| self.old.is_none()));
        let new = path(&self.new).or_else(|| git.map(|(_, new)| new.clone()).filter(|_| self.new.is_none()));
        let named = match (file.op, old, new) {
            (Op::Add, _, Some(name)) | (Op::Delete, Some(name), _) => Some(names::alone(&name)),
            (_, Some(old), Some(new)) => match names::agree(&old, &new) {
                Some(named) => Some(named),
                None if names::is_placeholder(&old) || names::is_placeholder(&new) => {
                    Some(names::alone(if names::is_placeholder(&new) { &old } else { &new }))
                }
                None => {
                    return Err(PatchError::new(
                        PatchReason::NameConflict,
                        self.line,
                        format!(
                            "the names {old:?} and {new:?} are of different files; to move a file, say `rename from` and `rename to`"
                        ),
                    ));
                }
            },
            (_, Some(name), None) | (_, None, Some(name)) => Some(names::alone(&name)),
            (_, None, None) => self.index_name.clone().map(|name| (name, Vec::new())),
        };
        if let Some((path, others)) = named {
            (file.path, file.other_paths) = (path, others);
        }
        Ok(())
    }

    /// Brings the only section's name and the caller's path together.
    fn reconcile(&self, file: &mut FilePatch, options: &PatchOptions) -> Result<()> {
        let Some(given) = &options.path else {
            return if file.path.is_empty() { Err(self.nameless()) } else { Ok(()) };
        };
        let fits = |name: &str| names::same_tail(name, given);
        if file.path.is_empty()
            || names::is_placeholder(&file.path)
            || fits(&file.path)
            || file.other_paths.iter().any(|other| fits(other))
        {
            file.path.clone_from(given);
            file.other_paths.clear();
            return Ok(());
        }
        Err(PatchError::new(
            PatchReason::NameConflict,
            self.line,
            format!(
                "the diff is of {:?} and path says {given:?}; leave out path, or send the diff of that file",
                file.path
            ),
        ))
    }

    fn nameless(&self) -> PatchError {
        PatchError::new(
            PatchReason::MissingName,
            self.line,
            "nothing says which file this hunk is of; put `--- a/path` and `+++ b/path` before it, or give path",
        )
    }

    fn check_body(&self, file: &FilePatch) -> Result<()> {
        let wrong = |hunk: &Hunk, message: &str| {
            Err(PatchError::new(PatchReason::UnexpectedLine, hunk.line, format!("{}: {message}", file.path)))
        };
        let all = |hunk: &Hunk, kind| hunk.kinds.iter().all(|k| *k == kind);
        match file.op {
            Op::Add if self.hunks.len() > 1 => return wrong(&self.hunks[1], "a new file has one hunk"),
            Op::Delete if self.hunks.len() > 1 => return wrong(&self.hunks[1], "a deleted file has one hunk"),
            Op::Add if self.hunks.iter().any(|hunk| !all(hunk, LineKind::Added)) => {
                return wrong(&self.hunks[0], "all lines of a new file start with `+`");
            }
            Op::Delete if self.hunks.iter().any(|hunk| !all(hunk, LineKind::Removed)) => {
                return wrong(&self.hunks[0], "all lines of a deleted file start with `-`");
            }
            Op::Delete if self.hunks.is_empty() && !self.binary && self.old_hash.is_some() && !file.was_empty => {
                let message = format!(
                    "{}: the deleted content is not in the diff, so nothing shows what may be deleted",
                    file.path
                );
                return Err(PatchError::new(PatchReason::NoChange, self.line, message));
            }
            Op::Update if self.hunks.is_empty() && !self.binary && file.new_mode.is_none() => {
                let message = format!("{}: the section has no line that starts with `+` or `-`", file.path);
                return Err(PatchError::new(PatchReason::NoChange, self.line, message));
            }
            _ => {}
        }
        Ok(())
    }
}
