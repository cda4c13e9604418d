//! The lines of a hunk in a unified diff, also where its header counts wrongly and its lines lost their prefixes.

use super::at_line::is_at_line;
use super::build::{HunkBuilder, Mark};
use super::error::{PatchError, PatchReason, Result, quoted};
use super::model::LineKind;
use super::names;
use super::text::Fence;

/// Whether the lines at `at` name a file: `--- old`, `+++ new`.
pub(super) fn is_file_header(lines: &[&str], at: usize) -> bool {
    lines[at].starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ "))
}

/// Lines in the first column which no hunk can hold.
fn ends_any_hunk(line: &str) -> bool {
    is_at_line(line)
        || line.starts_with("diff -")
        || ["*** Begin Patch", "*** End Patch"].contains(&line.trim_end())
        || ["*** Update File:", "*** Add File:", "*** Delete File:"].iter().any(|marker| line.starts_with(marker))
}

/// `-- ` and a version: how `git format-patch` ends a message.
fn is_signature(lines: &[&str], at: usize) -> bool {
    let version = |line: &str| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line.as_bytes().get(digits) == Some(&b'.')
    };
    lines[at].trim_end() == "--"
        && lines.get(at + 1).is_some_and(|next| version(next))
        && lines.get(at + 2).is_none_or(|after| after.trim().is_empty() || after.starts_with("From "))
}

/// What is left of a header's counts.
#[derive(Clone, Copy)]
struct Left {
    old: u64,
    new: u64,
}

impl Left {
    fn take(&mut self, kind: LineKind) {
        if kind != LineKind::Added {
            self.old = self.old.saturating_sub(1);
        }
        if kind != LineKind::Removed {
            self.new = self.new.saturating_sub(1);
        }
    }
}

/// Reads one hunk's lines.
pub(super) struct BodyReader<'a, 'b> {
    lines: &'b [&'a str],
    fence: Option<Fence>,
    left: Option<Left>,
    /// The body as it was before lines that look like text after the hunk.
    before_tail: Option<Mark>,
    /// The first line with something on it from some line on: kept, so that a run of blank lines is looked over once.
    solid: usize,
}

impl<'a, 'b> BodyReader<'a, 'b> {
    pub(super) fn new(lines: &'b [&'a str], fence: Option<Fence>) -> Self {
        Self { lines, fence, left: None, before_tail: None, solid: 0 }
    }

    /// Reads into `hunk` from line `at` on, and gives the line after the hunk.
    pub(super) fn read(mut self, hunk: &mut HunkBuilder, mut at: usize) -> Result<usize> {
        self.left = hunk.claim.map(|claim| Left { old: claim.old_count, new: claim.new_count });
        while at < self.lines.len() {
            let line = self.lines[at];
            if self.ends(at) {
                break;
            }
            self.refuse_doubtful_names(at)?;
            let kind = match line.as_bytes().first() {
                Some(b' ') => LineKind::Context,
                Some(b'-') => LineKind::Removed,
                Some(b'+') => LineKind::Added,
                Some(b'\\') if line.starts_with("\\ ") && !hunk.is_empty() => {
                    hunk.open_end();
                    at += 1;
                    continue;
                }
                _ => {
                    if self.take_bare(hunk, at)? {
                        at += 1;
                        continue;
                    }
                    break;
                }
            };
            if kind != LineKind::Context {
                self.before_tail = None;
            }
            hunk.push(kind, &line[1..], at + 1)?;
            self.take(kind);
            at += 1;
        }
        if let Some(mark) = self.before_tail {
            hunk.cut(mark);
        }
        Ok(at)
    }

    fn satisfied(&self) -> bool {
        self.left.is_some_and(|left| left.old == 0 && left.new == 0)
    }

    fn counting(&self) -> bool {
        self.left.is_some() && !self.satisfied()
    }

    fn take(&mut self, kind: LineKind) {
        if let Some(left) = &mut self.left {
            left.take(kind);
        }
    }

    /// Whether the hunk ends before line `at`.
    fn ends(&self, at: usize) -> bool {
        let line = self.lines[at];
        if ends_any_hunk(line) || is_signature(self.lines, at) || self.fence.is_some_and(|fence| fence.closed_by(line))
        {
            return true;
        }
        is_file_header(self.lines, at)
            && self.lines.get(at + 2).is_none_or(|next| is_at_line(next))
            && !self.counts_ask_for_two()
    }

    /// `--- x`, `+++ y` may also be a removed `-- x` and an added `++ y`: so it is if the counts ask for just these two.
    fn counts_ask_for_two(&self) -> bool {
        self.left.is_some_and(|left| left.old == 1 && left.new == 1)
    }

    /// Refuses two lines that name a file and are not followed by a hunk's header: they may be content as well.
    fn refuse_doubtful_names(&self, at: usize) -> Result<()> {
        let name = |line: &str| names::header_name(&line[4..]).path().map(str::to_owned);
        if !is_file_header(self.lines, at) || self.counting() {
            return Ok(());
        }
        let (old, new) = (name(self.lines[at]), name(self.lines[at + 1]));
        let real = |path: &Option<String>| path.as_ref().is_some_and(|path| path.contains(['/', '.']));
        let alike = match (&old, &new) {
            (Some(old), Some(new)) => names::agree(old, new).is_some(),
            _ => true,
        };
        if alike && (real(&old) || real(&new)) {
            return Err(PatchError::new(
                PatchReason::AmbiguousMarker,
                at + 1,
                "these two lines can name a file or change one; put an `@@` line below them, or right counts into the hunk's header",
            ));
        }
        Ok(())
    }

    /// Takes a line without prefix as context, unless it stands after the hunk.
    fn take_bare(&mut self, hunk: &mut HunkBuilder, at: usize) -> Result<bool> {
        let line = self.lines[at];
        let blank = line.trim_end_matches('\r').is_empty();
        if hunk.has_end() || self.satisfied() && blank && !self.goes_on(at) {
            return Ok(false);
        }
        if !self.counting() && self.before_tail.is_none() {
            self.before_tail = Some(hunk.mark());
        }
        if self.counting() && blank && !self.goes_on(at) && self.before_tail.is_none() {
            // Blank lines at the end of a hunk whose count is not yet full: context, if the count is right after all.
            let blanks = (self.solid - at) as u64;
            if self.left.is_some_and(|left| left.old != left.new || left.old > blanks) {
                self.before_tail = Some(hunk.mark());
            }
        }
        if line.starts_with("***") && !blank && hunk.is_empty() {
            return Err(PatchError::new(
                PatchReason::UnexpectedLine,
                at + 1,
                format!("{} cannot stand in a hunk; its lines start with a space, `-` or `+`", quoted(line)),
            ));
        }
        hunk.push(LineKind::Context, line, at + 1)?;
        self.take(LineKind::Context);
        Ok(true)
    }

    /// Whether lines of the hunk come after the blank ones at `at`.
    fn goes_on(&mut self, at: usize) -> bool {
        if self.solid <= at {
            let blanks = self.lines[at..].iter().take_while(|line| line.trim_end_matches('\r').is_empty()).count();
            self.solid = at + blanks;
        }
        self.solid < self.lines.len() && !self.ends(self.solid) && self.lines[self.solid].starts_with([' ', '+', '-'])
    }
}
