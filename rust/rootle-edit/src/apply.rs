//! The entry points.

use memchr::memmem;
use rootle_base::Encoding;

use crate::{Applied, Edit, LineRange, Located, Options, Outcome, Reason, Refusal, Status, Tier};

/// Finds the place of an edit.
///
/// # Errors
/// A [`Refusal`] if there is no place, or not exactly one.
pub fn locate(bytes: &[u8], edit: &Edit, _options: &Options) -> Result<Located, Refusal> {
    let old = edit.old.as_bytes();
    if old.is_empty() {
        return Err(Refusal::new(Reason::EmptyOld, "old is empty"));
    }
    let mut hits = memmem::find_iter(bytes, old);
    let Some(at) = hits.next() else {
        return Err(Refusal::new(Reason::NotFound, "old is not in the file"));
    };
    if hits.next().is_some() {
        return Err(Refusal::new(Reason::Ambiguous, "old is in the file more than once"));
    }
    let range = at..at + old.len();
    let line = |at: usize| memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64 + 1;
    let lines = LineRange { first: line(range.start), last: line(range.end.max(1) - 1) };
    Ok(Located {
        range: range.clone(),
        lines,
        tier: Tier::Exact,
        score: 1.0,
        line_map: (lines.first..=lines.last).map(Some).collect(),
        repairs: Vec::new(),
        all: vec![range],
    })
}

/// Makes one edit.
///
/// # Errors
/// A [`Refusal`] if it cannot be made with certainty.
pub fn apply_edit(bytes: &[u8], edit: &Edit, options: &Options) -> Result<Applied, Refusal> {
    let located = locate(bytes, edit, options)?;
    let mut result = bytes[..located.range.start].to_vec();
    result.extend_from_slice(edit.new.as_bytes());
    result.extend_from_slice(&bytes[located.range.end..]);
    let outcome = Outcome {
        status: Status::Applied,
        tier: located.tier,
        score: located.score,
        replacements: 1,
        before: vec![located.lines],
        after: vec![located.lines],
        warnings: Vec::new(),
        repairs: Vec::new(),
    };
    Ok(Applied { bytes: result, outcomes: vec![outcome], encoding: Encoding::Utf8 })
}

/// Makes several edits at once: all are located in the given bytes.
///
/// # Errors
/// The [`Refusal`] of the first edit that cannot be made.
pub fn apply_edits(bytes: &[u8], edits: &[Edit], options: &Options) -> Result<Applied, Refusal> {
    let mut applied = Applied { bytes: bytes.to_vec(), outcomes: Vec::new(), encoding: Encoding::Utf8 };
    for (number, edit) in edits.iter().enumerate() {
        let next = apply_edit(&applied.bytes, edit, options).map_err(|refusal| Refusal { edit: number, ..refusal })?;
        applied.bytes = next.bytes;
        applied.outcomes.extend(next.outcomes);
    }
    Ok(applied)
}
