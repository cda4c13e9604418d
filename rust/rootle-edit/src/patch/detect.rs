//! Which dialect a text is written in, and where it starts.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::at_line::is_at_line;
use super::blocks;
use super::error::{PatchError, PatchReason, Result};
use super::hunk_body::is_file_header;
use super::model::{Dialect, FilePatch, Op, Patch, PatchOptions};
use super::text::{cut_heredoc, lines_of};
use super::v4a_marker::{Marker, marker};
use super::{unified, v4a};

/// Reads a patch in any of the dialects. The first line that can only be a marker or header of one decides.
///
/// # Errors
/// A [`PatchError`] that names the line, if the text is none of them, is cut off, or can be read in two ways.
pub fn parse_patch(text: &str, options: &PatchOptions) -> Result<Patch> {
    let lines = lines_of(text);
    let Some((start, dialect)) = first_sign(&lines).or_else(|| headerless(&lines, options)) else {
        return Err(unrecognised(&lines, text));
    };
    let files = match dialect {
        Dialect::SearchReplace => blocks::parse(&lines, start, options)?,
        Dialect::Unified => unified::parse(cut_heredoc(&lines, start), start, options)?,
        Dialect::V4a => v4a::parse(cut_heredoc(&lines, start), start, options)?,
    };
    let files = unite(files)?;
    if files.is_empty() {
        return Err(PatchError::new(PatchReason::NoChange, start + 1, "the patch asks for no change"));
    }
    Ok(Patch { dialect, files })
}

fn first_sign(lines: &[&str]) -> Option<(usize, Dialect)> {
    (0..lines.len()).find_map(|at| sign(lines, at).map(|dialect| (at, dialect)))
}

fn sign(lines: &[&str], at: usize) -> Option<Dialect> {
    let line = lines[at];
    let next = lines.get(at + 1);
    match line.trim_start().as_bytes().first()? {
        b'*' => {
            if line.starts_with("*** ") && next.is_some_and(|next| next.starts_with("--- ")) {
                return Some(Dialect::Unified);
            }
            let found = marker(line)?;
            let names = matches!(found, Marker::Begin | Marker::Add(_) | Marker::Update(_) | Marker::Delete(_));
            names.then_some(Dialect::V4a)
        }
        b'd' | b'-' | b'+' | b'@' | b'B' | b'<' => {
            if blocks::search_marker(line).is_some() {
                return Some(Dialect::SearchReplace);
            }
            let diff =
                ["diff --git ", "diff --cc ", "diff --combined ", "@@@ "].iter().any(|word| line.starts_with(word));
            let names = is_file_header(lines, at)
                || (line.starts_with("--- ") || line.starts_with("+++ ")) && next.is_some_and(|next| is_at_line(next));
            let binary = line.starts_with("Binary files ") && line.trim_end().ends_with(" differ");
            (diff || names || binary || is_at_line(line)).then_some(Dialect::Unified)
        }
        _ => None,
    }
}

/// A hunk without any header, for a file that the caller names.
fn headerless(lines: &[&str], options: &PatchOptions) -> Option<(usize, Dialect)> {
    options.path.as_ref()?;
    let changes = |line: &&str| line.starts_with(['+', '-']);
    let fits = lines.iter().all(|line| line.is_empty() || line.starts_with([' ', '+', '-']));
    (fits && lines.iter().any(changes)).then_some((0, Dialect::Unified))
}

fn unrecognised(lines: &[&str], text: &str) -> PatchError {
    let reason = PatchReason::NotAPatch;
    if text.trim().is_empty() {
        return PatchError::new(reason, 1, "the patch is empty");
    }
    if lines.len() == 1 && text.contains("\\n") {
        return PatchError::new(
            reason,
            1,
            "the patch is one line in which `\\n` is written out; send real line breaks",
        );
    }
    PatchError::new(
        reason,
        1,
        "no patch is in the text: neither a unified diff (`--- a/x`, `+++ b/x`, `@@`), nor `*** Begin Patch`, nor SEARCH/REPLACE blocks",
    )
}

/// Takes sections of one file together, which may only be when all of them are updates.
fn unite(files: Vec<FilePatch>) -> Result<Vec<FilePatch>> {
    let mut united: Vec<FilePatch> = Vec::with_capacity(files.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for file in files {
        // A copy leaves its source alone, so that the source may have a section of its own.
        let key = if file.op == Op::Copy { file.new_path.clone() } else { Some(file.path.clone()) };
        match seen.entry(key.unwrap_or_default()) {
            Entry::Vacant(entry) => {
                entry.insert(united.len());
                united.push(file);
            }
            Entry::Occupied(entry) => {
                let earlier = &mut united[*entry.get()];
                let moved_away = |a: Op, b: Op| a == Op::Rename && b == Op::Add;
                if earlier.op == Op::Update && file.op == Op::Update && earlier.binary == file.binary {
                    earlier.hunks.extend(file.hunks);
                    earlier.new_mode = file.new_mode.or(earlier.new_mode);
                } else if moved_away(earlier.op, file.op) || moved_away(file.op, earlier.op) {
                    united.push(file);
                } else {
                    return Err(PatchError::new(
                        PatchReason::DuplicateFile,
                        file.line,
                        format!(
                            "{} has a section already (line {}) that this one does not go with",
                            file.path, earlier.line
                        ),
                    ));
                }
            }
        }
    }
    Ok(united)
}
