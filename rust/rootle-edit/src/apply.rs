//! The entry points.

use std::ops::Range;

use memchr::memchr_iter;

use crate::find::line_end_len;
use crate::resolve::{Resolved, Scene, resolve};
use crate::text::{Document, Splice};
use crate::{Applied, Changes, Edit, LineRange, Located, Options, Outcome, Reason, Refusal, Status};

/// Finds the place of an edit. The new text takes part: a place that could not be edited safely is not found.
///
/// # Errors
/// A [`Refusal`] if there is no place, or not exactly one.
pub fn locate(bytes: &[u8], edit: &Edit, options: &Options) -> Result<Located, Refusal> {
    let document = Document::new(bytes, options)?;
    let resolved = resolve(&Scene::new(&document, options), edit)?;
    let ranges: Vec<Range<usize>> = resolved
        .places
        .iter()
        .filter_map(|place| {
            let range = place.placement.range();
            Some(document.byte_at(range.start)?..document.byte_at(range.end)?)
        })
        .collect();
    let Some((first, place)) = ranges.first().zip(resolved.places.first()) else {
        return Err(Refusal::new(Reason::Unencodable, "the place does not lie between whole characters"));
    };
    let mut counter = LineCounter::new(&document.text);
    let lines = counter.lines(&place.placement.range());
    Ok(Located {
        range: first.clone(),
        lines,
        tier: resolved.tier,
        score: resolved.score,
        line_map: place.placement.spans.iter().map(|span| span.map(|span| counter.line(span.start))).collect(),
        repairs: resolved.repairs,
        all: ranges,
    })
}

/// Makes one edit.
///
/// # Errors
/// A [`Refusal`] if it cannot be made with certainty.
pub fn apply_edit(bytes: &[u8], edit: &Edit, options: &Options) -> Result<Applied, Refusal> {
    apply_edits(bytes, std::slice::from_ref(edit), options)
}

/// Makes several edits at once. All are located in the given bytes, not in what other edits make of them, and no two may
/// change the same text.
///
/// # Errors
/// The [`Refusal`] of the first edit that cannot be made; then none is made.
pub fn apply_edits(bytes: &[u8], edits: &[Edit], options: &Options) -> Result<Applied, Refusal> {
    plan_edits(bytes, edits, options).map(|changes| changes.apply(bytes))
}

/// As [`apply_edits`], but gives what changes instead of the new content.
///
/// # Errors
/// Those of [`apply_edits`].
pub fn plan_edits(bytes: &[u8], edits: &[Edit], options: &Options) -> Result<Changes, Refusal> {
    let document = Document::new(bytes, options)?;
    let scene = Scene::new(&document, options);
    let mut resolved = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate() {
        let found = resolve(&scene, edit).map_err(|refusal| Refusal { edit: number, ..refusal })?;
        let text = &document.text;
        let nothing = |change: &Splice| text[change.range.clone()] == *change.text;
        if found.status == Status::Applied && found.places.iter().flat_map(|place| &place.changes).all(nothing) {
            let message = "what new changes is in the file already, or is not in the file at all: nothing would change";
            return Err(Refusal { edit: number, ..Refusal::new(Reason::NoChange, message) });
        }
        resolved.push(found);
    }
    let changes = ordered(&document, &resolved)?;
    let splices: Vec<Splice> = changes.iter().map(|change| change.splice.clone()).collect();
    let replaced = document
        .replaced(&splices)
        .map_err(|refusal| Refusal { edit: unencodable(&document, &changes).unwrap_or(0), ..refusal })?;
    let shifts = Shifts::new(&document, &splices);
    let outcomes = resolved.into_iter().map(|resolved| outcome(&document, resolved, &shifts)).collect();
    Ok(Changes { replaced, outcomes, encoding: document.encoding })
}

/// A change with the edit that makes it and the text that the edit matched.
struct Change {
    edit: usize,
    claim: Range<usize>,
    splice: Splice,
}

/// The changes of all edits in the order of the file.
fn ordered(document: &Document<'_>, resolved: &[Resolved]) -> Result<Vec<Change>, Refusal> {
    let mut changes = Vec::new();
    for (edit, resolved) in resolved.iter().enumerate() {
        for place in &resolved.places {
            let claim = place.placement.range();
            for splice in &place.changes {
                if !is_within(document, &claim, &splice.range) {
                    let message = "the change would reach beyond the text that old matches";
                    return Err(Refusal { edit, ..Refusal::new(Reason::UnsafeDifference, message) });
                }
                changes.push(Change { edit, claim: claim.clone(), splice: splice.clone() });
            }
        }
    }
    // What is put in before a text comes before what takes the text's place.
    changes.sort_by_key(|change| (change.splice.range.start, change.splice.range.end, change.claim.start, change.edit));
    for pair in changes.windows(2) {
        let [first, second] = pair else { continue };
        let (a, b) = (&first.splice.range, &second.splice.range);
        let same_point = a.is_empty() && b.is_empty() && a.start == b.start;
        // Two edits may put lines in at one point if one goes on from what is above and the other leads to what is below.
        let apart = first.claim.end <= second.claim.start;
        if a.end > b.start || (same_point && !apart) {
            let lines = lines(&document.text, b);
            let message = format!(
                "edits {} and {} change the same text at {lines}: make one edit of them",
                first.edit.min(second.edit) + 1,
                first.edit.max(second.edit) + 1
            );
            return Err(Refusal { edit: first.edit.max(second.edit), ..Refusal::new(Reason::Overlap, message) });
        }
    }
    Ok(changes)
}

/// An edit changes nothing but what it matched and the line ends around it.
fn is_within(document: &Document<'_>, claim: &Range<usize>, range: &Range<usize>) -> bool {
    let blank = |range: Range<usize>| document.text[range].trim().is_empty();
    let before = range.start >= claim.start || blank(range.start..claim.start.min(range.end));
    let end = claim.end + line_end_len(&document.text, claim.end);
    before && (range.end <= end || blank(end.max(range.start)..range.end))
}

fn unencodable(document: &Document<'_>, changes: &[Change]) -> Option<usize> {
    changes
        .iter()
        .find(|change| document.replaced(std::slice::from_ref(&change.splice)).is_err())
        .map(|change| change.edit)
}

fn outcome(document: &Document<'_>, resolved: Resolved, shifts: &Shifts) -> Outcome {
    let changed = resolved.status == Status::Applied;
    let mut counter = LineCounter::new(&document.text);
    let mut before = Vec::with_capacity(resolved.places.len());
    let mut after = Vec::with_capacity(resolved.places.len());
    for place in &resolved.places {
        let range = place.placement.range();
        let lines = counter.lines(&range);
        let above = shifts.before(range.start);
        let behind = place.changes.iter().filter(|splice| splice.range.start >= range.end);
        let upto = shifts.before(range.end) + behind.map(|splice| added(document, splice)).sum::<i64>();
        before.push(lines);
        after.push(LineRange {
            first: lines.first.saturating_add_signed(above),
            last: lines.last.saturating_add_signed(upto),
        });
    }
    Outcome {
        status: resolved.status,
        tier: resolved.tier,
        score: resolved.score,
        replacements: if changed { resolved.places.len() } else { 0 },
        after,
        before,
        warnings: resolved.warnings,
        repairs: resolved.repairs,
    }
}

/// How many lines a splice adds.
fn added(document: &Document<'_>, splice: &Splice) -> i64 {
    let feeds = |text: &str| i64::try_from(memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(i64::MAX);
    feeds(&splice.text) - feeds(&document.text[splice.range.clone()])
}

/// How many lines are added before a place: for each splice, in the order of the file, where it begins and what all up to
/// it add.
struct Shifts(Vec<(usize, i64)>);

impl Shifts {
    fn new(document: &Document<'_>, splices: &[Splice]) -> Self {
        let mut sum = 0;
        let summed = splices.iter().map(|splice| {
            sum += added(document, splice);
            (splice.range.start, sum)
        });
        Self(summed.collect())
    }

    fn before(&self, at: usize) -> i64 {
        let count = self.0.partition_point(|(start, _)| *start < at);
        count.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

/// Numbers of lines for places that mostly come in the order of the file: each is counted on from the one before.
struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: u64,
}

impl<'t> LineCounter<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line, from 1, in which a place lies.
    fn line(&mut self, at: usize) -> u64 {
        if at < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += memchr_iter(b'\n', &self.text.as_bytes()[self.at..at]).count() as u64;
        self.at = at;
        self.line
    }

    fn lines(&mut self, range: &Range<usize>) -> LineRange {
        let first = self.line(range.start);
        let within = &self.text.as_bytes()[range.clone()];
        let feeds = memchr_iter(b'\n', within).count() as u64;
        LineRange { first, last: first + feeds - u64::from(within.ends_with(b"\n") && feeds > 0) }
    }
}

fn lines(text: &str, range: &Range<usize>) -> LineRange {
    LineCounter::new(text).lines(range)
}
