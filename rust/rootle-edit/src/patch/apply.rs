//! A file's section of a patch, applied to the file's content.

use super::hunks::apply_hunks;
use super::model::{Dialect, FilePatch, Op};
use super::result::{Conflict, ConflictReason, FileOutcome, FileStatus, HunkOutcome};
use super::target::bare;
use crate::text::Document;
use crate::{LineRange, Options, Reason, Refusal, Tier, placeholder};

/// Git's bits for what kind of file a mode is of.
const KIND: u32 = 0o170_000;
/// A regular file.
const REGULAR: u32 = 0o100_000;

/// Applies a section to the content of the file at its `path`; `None` stands for a file that is absent.
///
/// Every hunk is located in the given bytes, whatever the order they come in, and all are spliced at once. If one cannot
/// be applied, none is, unless `allow_partial`. What stands in the way is in [`FileOutcome::conflicts`].
#[must_use]
pub fn apply_file(bytes: Option<&[u8]>, file: &FilePatch, options: &Options, allow_partial: bool) -> FileOutcome {
    let special = |mode: Option<u32>| mode.is_some_and(|mode| mode & KIND != 0 && mode & KIND != REGULAR);
    if special(file.old_mode) || special(file.new_mode) {
        let message = "it is a symbolic link or a submodule in the patch; only regular files are patched";
        return conflict(bytes, file, ConflictReason::SpecialFile, message);
    }
    if file.binary {
        let message = "the patch of this file is binary and cannot be applied; write the file instead";
        return conflict(bytes, file, ConflictReason::BinaryPatch, message);
    }
    match (file.op, bytes) {
        (Op::Add, None) => add(file, options, None),
        (Op::Add, Some(bytes)) => add_to_existing(bytes, file, options),
        (Op::Delete, None) if file.compat_codex => absent(file),
        (Op::Delete, None) => done(FileStatus::AlreadyApplied, None, Vec::new()),
        (Op::Delete, Some(bytes)) => delete(bytes, file, options),
        (Op::Update | Op::Rename | Op::Copy, None) => absent(file),
        (Op::Update | Op::Rename | Op::Copy, Some(bytes)) => {
            let mut outcome = apply_hunks(bytes, file, options, allow_partial);
            // To move a file or to change its mode is something to do whatever its content.
            let moves = file.op != Op::Update || file.new_mode.is_some() && file.hunks.is_empty();
            if moves && outcome.status == FileStatus::AlreadyApplied {
                outcome.status = FileStatus::Applied;
            }
            outcome
        }
    }
}

fn done(status: FileStatus, bytes: Option<Vec<u8>>, applied: Vec<HunkOutcome>) -> FileOutcome {
    FileOutcome { status, bytes, applied, already_applied: Vec::new(), conflicts: Vec::new(), encoding: None }
}

fn conflict(bytes: Option<&[u8]>, file: &FilePatch, reason: ConflictReason, message: &str) -> FileOutcome {
    let mut outcome = done(FileStatus::Conflict, bytes.map(<[u8]>::to_vec), Vec::new());
    outcome.conflicts.push(Conflict {
        hunk: None,
        header: String::new(),
        patch_line: file.line,
        reason,
        message: format!("{}: {message}", file.path),
        refusal: None,
        suggested_hunk: None,
    });
    outcome
}

fn absent(file: &FilePatch) -> FileOutcome {
    let message = match file.op {
        Op::Delete => "the file that is to be deleted is not there",
        _ => "the file is not there; to make it, send it as a new file",
    };
    conflict(None, file, ConflictReason::Absent, message)
}

/// The content of a new file.
fn content(file: &FilePatch) -> &str {
    file.hunks.first().map_or("", |hunk| hunk.edit.new.as_str())
}

/// The only hunk of a file that is added or deleted.
fn whole_file(file: &FilePatch, before: &str, after: &str) -> Vec<HunkOutcome> {
    let lines = |text: &str| LineRange { first: 1, last: text.lines().count() as u64 };
    let outcome = |hunk: &super::model::Hunk| HunkOutcome {
        hunk: 0,
        header: hunk.header.clone(),
        tier: Tier::Exact,
        score: 1.0,
        before: lines(before),
        after: lines(after),
        offset: None,
        warnings: Vec::new(),
    };
    file.hunks.iter().map(outcome).collect()
}

fn add(file: &FilePatch, options: &Options, existing: Option<&[u8]>) -> FileOutcome {
    let new = content(file);
    if !options.allow_placeholders
        && let Some(line) = new.lines().find(|line| placeholder::is_placeholder(line))
    {
        let message = format!(
            "the new file holds a placeholder for code that was left out ({:?}); give the whole text",
            line.trim()
        );
        return conflict(existing, file, ConflictReason::Edit(Reason::Placeholder), &message);
    }
    done(FileStatus::Applied, Some(new.as_bytes().to_vec()), whole_file(file, "", new))
}

fn add_to_existing(bytes: &[u8], file: &FilePatch, options: &Options) -> FileOutcome {
    let new = content(file);
    let is_there =
        bytes == new.as_bytes() || Document::new(bytes, options).is_ok_and(|document| same_lines(&document.text, new));
    if is_there {
        let mut outcome = done(FileStatus::AlreadyApplied, Some(bytes.to_vec()), Vec::new());
        outcome.already_applied = whole_file(file, new, new);
        return outcome;
    }
    if bytes.is_empty() || file.compat_codex && file.dialect == Dialect::V4a {
        return add(file, options, Some(bytes));
    }
    let message = match file.dialect {
        Dialect::SearchReplace => {
            "the block has no old lines, which makes a new file, and the file is there; give the lines to replace"
        }
        _ => "the file that is to be added is there already, with other content; send changes of it instead",
    };
    conflict(Some(bytes), file, ConflictReason::Exists, message)
}

/// Whether two texts are the same but for the kind of their line ends.
fn same_lines(a: &str, b: &str) -> bool {
    a.ends_with('\n') == b.ends_with('\n') && a.split_inclusive('\n').map(bare).eq(b.split_inclusive('\n').map(bare))
}

fn delete(bytes: &[u8], file: &FilePatch, options: &Options) -> FileOutcome {
    let drifted = |message: &str| conflict(Some(bytes), file, ConflictReason::Drifted, message);
    if file.was_empty && !bytes.is_empty() {
        return drifted("the file is empty in the patch and has content now; read it before it is deleted");
    }
    let Some(hunk) = file.hunks.first() else { return done(FileStatus::Applied, None, Vec::new()) };
    let document = match Document::new(bytes, options) {
        Ok(document) => document,
        Err(Refusal { reason, message, .. }) => {
            return conflict(Some(bytes), file, ConflictReason::Edit(reason), &message);
        }
    };
    let (mut theirs, mut ours) =
        (hunk.edit.old.split_inclusive('\n').map(bare), document.text.split_inclusive('\n').map(bare));
    let mut line = 1;
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return done(FileStatus::Applied, None, whole_file(file, &hunk.edit.old, "")),
            (a, b) if a == b || line == 1 && a.map(|a| a.trim_start_matches('\u{feff}')) == b => line += 1,
            _ => {
                return drifted(&format!(
                    "the file is not what the patch deletes: they differ at line {line}; read the file before it is deleted"
                ));
            }
        }
    }
}
