//! `*** Begin Patch`: the format of codex's `apply_patch`, as its grammar has it and as models loosen it.
//!
//! Markers stand in the first column: every line of content starts with a space, `-` or `+`, so content that looks like
//! a marker is told apart by its prefix. Only around the whole patch, and before a file's section, may a marker be
//! indented.

use super::at_line::{self, is_at_line};
use super::build::{HunkBuilder, Mark};
use super::error::{PatchError, PatchReason, Result, quoted};
use super::model::{Dialect, FilePatch, Hunk, LineKind, Op, PatchOptions};
use super::text::Fence;
use super::v4a_marker::{Marker, marker};

/// Reads the patches in `lines`; the first marker stands at `start`.
pub(super) fn parse(lines: &[&str], start: usize, options: &PatchOptions) -> Result<Vec<FilePatch>> {
    let mut files = Vec::new();
    let mut at = start;
    while at < lines.len() {
        let begins = marker(lines[at]) == Some(Marker::Begin);
        let from = if begins { at + 1 } else { at };
        let (end, closed) = end_of(lines, from, begins)?;
        Reader { lines: &lines[..end], at: from, options }.files(&mut files)?;
        if !closed {
            break;
        }
        // A second patch may follow; anything else after the end is not part of the patch.
        match (end + 1..lines.len()).find(|next| marker(lines[*next]) == Some(Marker::Begin)) {
            Some(next) => at = next,
            None => break,
        }
    }
    if files.is_empty() {
        return Err(PatchError::new(PatchReason::NoChange, start + 1, "the patch names no file"));
    }
    Ok(files)
}

/// The line of `*** End Patch` and whether there is one.
fn end_of(lines: &[&str], from: usize, begins: bool) -> Result<(usize, bool)> {
    let is_end = |line: &str| marker(line) == Some(Marker::End);
    if let Some(end) = (from..lines.len()).find(|at| lines[*at].starts_with("***") && is_end(lines[*at])) {
        return Ok((end, true));
    }
    // An indented end marker counts where nothing but wrapping follows.
    let closes = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || line.len() >= 3 && line.bytes().all(|byte| byte == b'`')
            || ["EOF", "\"", "'", "EOF\"", "PATCH"].contains(&line)
    };
    let last = (from..lines.len()).rev().find(|at| !closes(lines[*at]));
    match last {
        Some(end) if is_end(lines[end]) => Ok((end, true)),
        _ if begins => Err(PatchError::new(
            PatchReason::Truncated,
            lines.len(),
            "there is no `*** End Patch`, so the patch may have been cut off; send it whole",
        )),
        Some(last) => Ok((last + 1, false)),
        None => Ok((lines.len(), false)),
    }
}

struct Reader<'a, 'b, 'c> {
    lines: &'b [&'a str],
    at: usize,
    options: &'c PatchOptions,
}

impl<'a> Reader<'a, '_, '_> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn files(mut self, files: &mut Vec<FilePatch>) -> Result<()> {
        while let Some(line) = self.peek() {
            let number = self.at + 1;
            self.at += 1;
            match marker(line) {
                _ if line.trim().is_empty() || Fence::opened_by(line).is_some() => {}
                Some(Marker::Add(path)) => {
                    let hunks = self.added(path)?;
                    files.push(self.file(Op::Add, path, None, hunks, number));
                }
                Some(Marker::Delete(path)) => {
                    let hunks = self.deleted(path)?;
                    files.push(self.file(Op::Delete, path, None, hunks, number));
                }
                Some(Marker::Update(path)) => files.push(self.updated(path, number)?),
                // A patch inside of a patch's fence.
                Some(Marker::Begin) => {}
                _ => {
                    return Err(self.unexpected(
                        line,
                        number,
                        "here stands `*** Add File: `, `*** Update File: ` or `*** Delete File: ` and a path",
                    ));
                }
            }
        }
        Ok(())
    }

    fn file(&self, op: Op, path: &str, new_path: Option<String>, hunks: Vec<Hunk>, line: usize) -> FilePatch {
        FilePatch {
            op,
            path: path.to_owned(),
            new_path,
            other_paths: Vec::new(),
            hunks,
            old_mode: None,
            new_mode: None,
            binary: false,
            was_empty: false,
            dialect: Dialect::V4a,
            compat_codex: self.options.compat_codex,
            line,
        }
    }

    fn unexpected(&self, line: &str, number: usize, expected: &str) -> PatchError {
        PatchError::new(PatchReason::UnexpectedLine, number, format!("{} is not expected; {expected}", quoted(line)))
    }

    /// Whether the section ends before `line`.
    fn ends(line: &str) -> bool {
        line.starts_with("***") && marker(line).is_some_and(|marker| marker != Marker::EndOfFile)
    }

    /// The content below `*** Add File`.
    fn added(&mut self, path: &str) -> Result<Vec<Hunk>> {
        let from = self.at;
        let end = (from..self.lines.len()).find(|at| Self::ends(self.lines[*at])).unwrap_or(self.lines.len());
        self.at = end;
        let mut body = from..end;
        if !body.is_empty() && is_at_line(self.lines[from]) {
            body.start += 1;
        }
        while !body.is_empty() && self.lines[body.end - 1].trim().is_empty() {
            body.end -= 1;
        }
        let mut hunk = HunkBuilder::new("", from);
        let marked = body.clone().any(|at| self.lines[at].starts_with('+'));
        for at in body.clone() {
            let line = self.lines[at];
            match line.strip_prefix('+') {
                Some(text) => hunk.push(LineKind::Added, text, at + 1)?,
                None if line.starts_with("\\ ") && !hunk.is_empty() => hunk.open_end(),
                None if line.starts_with("***") => {
                    if marker(line) != Some(Marker::EndOfFile) {
                        return Err(self.unexpected(
                            line,
                            at + 1,
                            "a marker with a path, or content that starts with `+`, stands here",
                        ));
                    }
                }
                // An empty line lost its `+`.
                None if marked && line.trim_end().is_empty() => hunk.push(LineKind::Added, "", at + 1)?,
                // None has one: the author does not know the rule, and all lines are content.
                None if !marked && !self.options.compat_codex => hunk.push(LineKind::Added, line, at + 1)?,
                None => {
                    return Err(self.unexpected(
                        line,
                        at + 1,
                        &format!("every line of the new file {path} starts with `+`"),
                    ));
                }
            }
        }
        Ok(if hunk.is_empty() { Vec::new() } else { vec![hunk.finish()] })
    }

    /// What stands below `*** Delete File`: nothing, or the content that goes.
    fn deleted(&mut self, path: &str) -> Result<Vec<Hunk>> {
        let mut hunk = HunkBuilder::new("", self.at + 1);
        while let Some(line) = self.peek().filter(|line| !Self::ends(line)) {
            let number = self.at + 1;
            match line.strip_prefix('-') {
                Some(text) => hunk.push(LineKind::Removed, text, number)?,
                None if line.trim().is_empty() || is_at_line(line) || marker(line) == Some(Marker::EndOfFile) => {}
                None => {
                    return Err(self.unexpected(
                        line,
                        number,
                        &format!("nothing stands below `*** Delete File: {path}`"),
                    ));
                }
            }
            self.at += 1;
        }
        Ok(if hunk.is_empty() { Vec::new() } else { vec![hunk.finish()] })
    }

    fn updated(&mut self, path: &str, number: usize) -> Result<FilePatch> {
        let mut new_path = None;
        while let Some(line) = self.peek() {
            match marker(line).filter(|_| line.starts_with("***")) {
                Some(Marker::MoveTo(to)) if new_path.is_none() => new_path = Some(to.to_owned()),
                _ if line.trim().is_empty() && new_path.is_none() => {}
                _ => break,
            }
            self.at += 1;
        }
        let hunks = self.hunks()?;
        if hunks.is_empty() && (new_path.is_none() || self.options.compat_codex) {
            return Err(PatchError::new(
                PatchReason::NoChange,
                number,
                format!("the section of {path} has no line that starts with `+` or `-`"),
            ));
        }
        let op = if new_path.as_deref().is_some_and(|to| to != path) { Op::Rename } else { Op::Update };
        let new_path = new_path.filter(|_| op == Op::Rename);
        Ok(self.file(op, path, new_path, hunks, number))
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>> {
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|line| !Self::ends(line)) {
            let hunk = self.hunk()?;
            if hunk.changes() {
                hunks.push(hunk.finish());
            }
        }
        Ok(hunks)
    }

    /// One hunk: its `@@` lines (a class, then a function in it), its lines, `*** End of File`.
    fn hunk(&mut self) -> Result<HunkBuilder> {
        let mut hunk = HunkBuilder::new("", self.at + 1);
        let mut tail: Option<Mark> = None;
        while let Some(line) = self.peek() {
            let number = self.at + 1;
            if is_at_line(line) {
                if !hunk.is_empty() {
                    break;
                }
                self.scope(&mut hunk, line);
                self.at += 1;
                continue;
            }
            if line.starts_with("***") {
                match marker(line) {
                    Some(Marker::EndOfFile) => {
                        hunk.at_end = true;
                        self.at += 1;
                        break;
                    }
                    Some(_) => break,
                    None => {
                        return Err(self.unexpected(
                            line,
                            number,
                            "this is no known marker, and content starts with a space, `-` or `+`",
                        ));
                    }
                }
            }
            let (kind, text) = match line.as_bytes().first() {
                Some(b' ') => (LineKind::Context, &line[1..]),
                Some(b'-') => (LineKind::Removed, &line[1..]),
                Some(b'+') => (LineKind::Added, &line[1..]),
                Some(b'\\') if line.starts_with("\\ ") && !hunk.is_empty() => {
                    hunk.open_end();
                    self.at += 1;
                    continue;
                }
                // A blank line of context lost its space, or separates two hunks.
                None if hunk.is_empty() => {
                    self.at += 1;
                    continue;
                }
                None => (LineKind::Context, line),
                Some(_) => {
                    if self.options.compat_codex {
                        return Err(self.unexpected(
                            line,
                            number,
                            "every line of a hunk starts with a space, `-` or `+`",
                        ));
                    }
                    (LineKind::Context, line)
                }
            };
            match (kind, line.is_empty()) {
                (LineKind::Context, true) => tail = tail.or_else(|| Some(hunk.mark())),
                _ => tail = None,
            }
            hunk.push(kind, text, number)?;
            self.at += 1;
        }
        if let Some(mark) = tail {
            hunk.cut(mark);
        }
        Ok(hunk)
    }

    fn scope(&self, hunk: &mut HunkBuilder, line: &str) {
        let header = at_line::read(line);
        if hunk.header.is_empty() || header.text.is_some() {
            if !hunk.header.is_empty() {
                hunk.header.push('\n');
            }
            hunk.header.push_str(line.trim_end());
        }
        hunk.claim = header.claim.or(hunk.claim);
        hunk.near_line = header.near_line.or(hunk.near_line);
        hunk.scope.extend(header.text);
    }
}
