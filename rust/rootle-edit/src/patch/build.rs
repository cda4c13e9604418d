//! Puts a hunk together line by line.

use super::error::{PatchError, PatchReason, Result};
use super::model::{Claim, Hunk, LineKind};
use crate::{Anchor, Edit};

/// A hunk that grows.
#[derive(Default)]
pub(super) struct HunkBuilder {
    pub(super) header: String,
    pub(super) line: usize,
    pub(super) claim: Option<Claim>,
    pub(super) scope: Vec<String>,
    pub(super) near_line: Option<u64>,
    pub(super) at_end: bool,
    kinds: Vec<LineKind>,
    old: String,
    new: String,
    old_open: bool,
    new_open: bool,
}

/// A length of a hunk to come back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    kinds: usize,
    old: usize,
    new: usize,
}

impl HunkBuilder {
    pub(super) fn new(header: &str, line: usize) -> Self {
        Self { header: header.trim_end().to_owned(), line, ..Self::default() }
    }

    /// Adds a line, the patch's `at`th.
    pub(super) fn push(&mut self, kind: LineKind, text: &str, at: usize) -> Result<()> {
        let in_old = kind != LineKind::Added;
        let in_new = kind != LineKind::Removed;
        if in_old && self.old_open || in_new && self.new_open {
            return Err(PatchError::new(
                PatchReason::UnexpectedLine,
                at,
                "a line follows one that is marked as the file's last (`\\ No newline at end of file`)",
            ));
        }
        if in_old {
            self.old.push_str(text);
            self.old.push('\n');
        }
        if in_new {
            self.new.push_str(text);
            self.new.push('\n');
        }
        self.kinds.push(kind);
        Ok(())
    }

    /// Marks the last line as one without a line end.
    pub(super) fn open_end(&mut self) {
        let Some(last) = self.kinds.last() else { return };
        if *last != LineKind::Added && !self.old_open {
            self.old.pop();
            self.old_open = true;
        }
        if *last != LineKind::Removed && !self.new_open {
            self.new.pop();
            self.new_open = true;
        }
    }

    /// A line of one side is marked as the file's last, so that no context can follow.
    pub(super) fn has_end(&self) -> bool {
        self.old_open || self.new_open
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub(super) fn changes(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != LineKind::Context)
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { kinds: self.kinds.len(), old: self.old.len(), new: self.new.len() }
    }

    /// Drops what came after `mark`. Only context may be dropped, and no marked line end.
    pub(super) fn cut(&mut self, mark: Mark) {
        if self.old_open || self.new_open {
            return;
        }
        self.kinds.truncate(mark.kinds);
        self.old.truncate(mark.old);
        self.new.truncate(mark.new);
    }

    pub(super) fn finish(self) -> Hunk {
        let mut edit = Edit::new(self.old, self.new);
        edit.near_line = self.near_line;
        edit.scope = self.scope;
        edit.anchor =
            if self.at_end || self.old_open || (self.new_open && self.kinds.last() != Some(&LineKind::Removed)) {
                Anchor::End
            } else {
                Anchor::Anywhere
            };
        Hunk {
            edit,
            kinds: self.kinds,
            header: self.header,
            claim: self.claim,
            line: self.line,
            old_open_end: self.old_open,
            new_open_end: self.new_open,
        }
    }
}
