//! SEARCH/REPLACE blocks, in the dialects of Aider, Cline and Roo.
//!
//! A block is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`; Cline's newer form has
//! `------- SEARCH` and `+++++++ REPLACE`. Roo puts `:start_line:12` and `-------` before the old lines, and a backslash
//! before lines of content that look like markers. Aider names the file on the line above, inside or outside of a
//! fence; the others name it outside of the text ([`PatchOptions::path`]).

use super::block_file::file_above;
use super::build::HunkBuilder;
use super::error::{PatchError, PatchReason, Result, quoted};
use super::line_kinds::push_difference;
use super::model::{Dialect, FilePatch, Hunk, Op, PatchOptions};

/// The marks of a block's first line: their character and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    byte: u8,
    length: usize,
}

/// A run of `byte` at the start of `line`, at least `least` long, with `word` after it.
fn marks(line: &str, byte: u8, least: usize, word: &str) -> Option<usize> {
    let length = line.bytes().take_while(|b| *b == byte).count();
    let rest = line[length..].trim_end();
    let rest = rest.strip_suffix(['<', '>']).unwrap_or(rest).trim();
    (length >= least && rest == word).then_some(length)
}

/// The first line of a block.
pub(super) fn search_marker(line: &str) -> Option<Mark> {
    let length =
        |byte| marks(line, byte, if byte == b'<' { 5 } else { 3 }, "SEARCH").map(|length| Mark { byte, length });
    length(b'<').or_else(|| length(b'-'))
}

fn is_replace_marker(line: &str, open: Mark) -> bool {
    let byte = if open.byte == b'<' { b'>' } else { b'+' };
    // Models mix the two forms' last lines.
    marks(line, byte, 3, "REPLACE").is_some() || marks(line, b'>', 5, "REPLACE").is_some()
}

fn divider(line: &str) -> Option<usize> {
    marks(line, b'=', 3, "")
}

/// Reads `lines`, in which a first block starts at `start`.
pub(super) fn parse(lines: &[&str], start: usize, options: &PatchOptions) -> Result<Vec<FilePatch>> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = start;
    let mut above = 0;
    while let Some(open) = (at..lines.len()).find(|at| search_marker(lines[*at]).is_some()) {
        stray_markers(&lines[at..open], at)?;
        // A word above the block is a file's name only if nothing else says which file it is.
        let named = file_above(&lines[above..open]).filter(|path| options.path.is_none() || path.contains(['.', '/']));
        let path = match (named, &options.path, files.last()) {
            (Some(path), Some(given), _) if !super::names::same_tail(&path, given) => {
                return Err(PatchError::new(
                    PatchReason::NameConflict,
                    open + 1,
                    format!(
                        "the block is for {path:?} and path says {given:?}; leave out path, or send blocks for that file"
                    ),
                ));
            }
            (_, Some(given), _) => given.clone(),
            (Some(path), None, _) => path,
            (None, None, Some(last)) => last.path.clone(),
            (None, None, None) => {
                return Err(PatchError::new(
                    PatchReason::MissingName,
                    open + 1,
                    "nothing says which file this block is for; put the file's path on the line above it, or give path",
                ));
            }
        };
        let (hunk, end) = block(lines, open)?;
        add(&mut files, path, hunk, open + 1, options)?;
        at = end + 1;
        above = at;
    }
    stray_markers(&lines[at..], at)?;
    Ok(files)
}

/// A marker between two blocks is the rest of one whose content holds a marker.
fn stray_markers(lines: &[&str], from: usize) -> Result<()> {
    let stray = |line: &&str| {
        marks(line, b'>', 5, "REPLACE").is_some()
            || marks(line, b'+', 3, "REPLACE").is_some()
            || marks(line, b'=', 7, "") == Some(7)
    };
    match lines.iter().position(stray) {
        Some(at) => Err(ambiguous(
            lines[at],
            from + at + 1,
            "a block ended before it; put a backslash before a line of content that looks like a marker",
        )),
        None => Ok(()),
    }
}

fn ambiguous(line: &str, number: usize, message: &str) -> PatchError {
    PatchError::new(
        PatchReason::AmbiguousMarker,
        number,
        format!("{} can be a marker or content; {message}", quoted(line)),
    )
}

/// The block that starts at `open`, and its last line.
fn block(lines: &[&str], open: usize) -> Result<(Hunk, usize)> {
    let mark = search_marker(lines[open]).unwrap_or(Mark { byte: b'<', length: 7 });
    let close = (open + 1..lines.len()).find(|at| is_replace_marker(lines[*at], mark)).ok_or_else(|| {
        PatchError::new(
            PatchReason::Truncated,
            open + 1,
            "the block has no `>>>>>>> REPLACE` line, so it may have been cut off; send it whole",
        )
    })?;
    if let Some(inner) = (open + 1..close).find(|at| search_marker(lines[*at]).is_some()) {
        return Err(ambiguous(
            lines[inner],
            inner + 1,
            "the block above it has not ended; end it with `>>>>>>> REPLACE`, or put a backslash before the line",
        ));
    }
    let mut hunk = HunkBuilder::new(lines[open], open + 1);
    let first = head(lines, open + 1, close, &mut hunk)?;
    let middle = find_divider(lines, first, close, mark)?;
    let old: Vec<&str> = lines[first..middle].iter().map(|line| unescaped(line)).collect();
    let new: Vec<&str> = lines[middle + 1..close].iter().map(|line| unescaped(line)).collect();
    push_difference(&mut hunk, &old, &new, first + 1)?;
    Ok((hunk.finish(), close))
}

/// Roo's `:start_line:12`, `:end_line:14` and `-------`; gives the first line of content.
fn head(lines: &[&str], from: usize, close: usize, hunk: &mut HunkBuilder) -> Result<usize> {
    let mut at = from;
    while at < close {
        let number = |word: &str| lines[at].trim().strip_prefix(word).and_then(|rest| rest.trim().parse::<u64>().ok());
        if let Some(line) = number(":start_line:") {
            hunk.near_line = Some(line.max(1));
        } else if number(":end_line:").is_none() {
            break;
        }
        at += 1;
    }
    let dashes = at < close && marks(lines[at], b'-', 7, "") == Some(7);
    match (dashes, at > from) {
        (true, true) => Ok(at + 1),
        (true, false) => Err(ambiguous(
            lines[at],
            at + 1,
            "if it is content, put a backslash before it; if it is not, give `:start_line:` above it or leave it out",
        )),
        (false, _) => Ok(at),
    }
}

/// The line between old and new: as long as the block's marks, if the content has lines of `=` too.
fn find_divider(lines: &[&str], from: usize, close: usize, mark: Mark) -> Result<usize> {
    let all: Vec<usize> = (from..close).filter(|at| divider(lines[*at]).is_some()).collect();
    let fitting: Vec<usize> = all.iter().copied().filter(|at| divider(lines[*at]) == Some(mark.length)).collect();
    match (fitting.as_slice(), all.as_slice()) {
        ([one], _) | ([], [one]) => Ok(*one),
        ([], []) => Err(PatchError::new(
            PatchReason::UnexpectedLine,
            close + 1,
            "the block has no `=======` line between its old and new lines",
        )),
        (several, all) => {
            let second = several.get(1).or_else(|| all.get(1)).copied().unwrap_or(from);
            Err(ambiguous(
                lines[second],
                second + 1,
                "the block has a divider already; put a backslash before the one that is content",
            ))
        }
    }
}

/// A line of content without the backslash that says it is no marker.
fn unescaped(line: &str) -> &str {
    let Some(rest) = line.strip_prefix('\\') else { return line };
    let is_marker = search_marker(rest).is_some()
        || divider(rest).is_some()
        || ['<', '>', '-', '+'].iter().any(|mark| {
            let run = rest.chars().take_while(|c| c == mark).count();
            let after = rest[run..].trim();
            run >= 7 && (after.is_empty() || ["SEARCH", "REPLACE", "SEARCH>", "REPLACE>"].contains(&after))
        })
        || marks(rest, b'+', 3, "REPLACE").is_some()
        || marks(rest, b'>', 5, "REPLACE").is_some()
        || rest.starts_with(":start_line:")
        || rest.starts_with(":end_line:");
    if is_marker { rest } else { line }
}

fn add(files: &mut Vec<FilePatch>, path: String, hunk: Hunk, line: usize, options: &PatchOptions) -> Result<()> {
    let fills = hunk.edit.old.is_empty() && hunk.edit.near_line.is_none();
    let op = if fills { Op::Add } else { Op::Update };
    if hunk.edit.old == hunk.edit.new {
        return Err(PatchError::new(
            PatchReason::NoChange,
            line,
            "the old and the new lines of the block are the same",
        ));
    }
    if let Some(last) = files.last_mut().filter(|last| last.path == path && last.op == Op::Update && op == Op::Update) {
        last.hunks.push(hunk);
        return Ok(());
    }
    files.push(FilePatch {
        op,
        path,
        new_path: None,
        other_paths: Vec::new(),
        hunks: vec![hunk],
        old_mode: None,
        new_mode: None,
        binary: false,
        was_empty: false,
        dialect: Dialect::SearchReplace,
        compat_codex: options.compat_codex,
        line,
    });
    Ok(())
}
