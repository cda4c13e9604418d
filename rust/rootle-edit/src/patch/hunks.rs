//! All hunks of a file: each one at its place, then all of them spliced at once.

use std::ops::Range;

use super::engine::{Engine, budget, part_of};
use super::model::{Dialect, FilePatch, Hunk, LineKind};
use super::place::{Place, Placer, may_lack_prefix, offset};
use super::prefix::shifts_one_column;
use super::present::{adds_again, new_lines_at};
use super::result::{Conflict, ConflictReason, FileOutcome, FileStatus, HunkOutcome};
use super::splices::{closes_end, splices};
use super::suggest::suggested;
use super::target::{OldLines, Target};
use crate::resolve::Scene;
use crate::text::{Document, Splice};
use crate::{LineRange, Options, Reason, Refusal, Status, Tier, Warning, placeholder};

/// Conflicts that come with a suggested hunk.
const SUGGESTIONS: usize = 20;

/// A hunk that can be applied.
struct Ready {
    hunk: usize,
    /// The lines it covers, from 0.
    lines: Range<usize>,
    splices: Vec<Splice>,
    tier: Tier,
    score: f64,
    warnings: Vec<Warning>,
}

/// What was found out about each hunk.
struct Sorted {
    ready: Vec<Ready>,
    already: Vec<HunkOutcome>,
    conflicts: Vec<Conflict>,
    /// Whether the patch has carriage returns at its lines' ends.
    returns: bool,
}

/// Applies a file's hunks to its bytes.
pub(super) fn apply_hunks(bytes: &[u8], file: &FilePatch, options: &Options, allow_partial: bool) -> FileOutcome {
    let document = match Document::new(bytes, options) {
        Ok(document) => document,
        Err(refusal) => return unreadable(bytes, file, refusal),
    };
    let options = Options { encoding: Some(document.encoding), ..*options };
    let part = part_of(&options);
    let mut target = Target::new(&document);
    let mut engine = Engine::new(Scene::new(&document, &options), Scene::new(&document, &part));
    let returns = file.hunks.iter().any(|hunk| hunk.edit.old.contains("\r\n") || hunk.edit.new.contains("\r\n"));
    let mut sorted = Sorted { ready: Vec::new(), already: Vec::new(), conflicts: Vec::new(), returns };
    let places = Placer::new(&mut target, file).run();
    for (number, place) in places.into_iter().enumerate() {
        sorted.take(file, number, &place, &mut target, &mut engine);
    }
    sorted.refuse_overlaps(file, &document);
    let spliced = sorted.splice(file, &document);
    sorted.outcome(file, bytes, spliced, &document, allow_partial)
}

fn unreadable(bytes: &[u8], file: &FilePatch, refusal: Refusal) -> FileOutcome {
    FileOutcome {
        status: FileStatus::Conflict,
        bytes: Some(bytes.to_vec()),
        applied: Vec::new(),
        already_applied: Vec::new(),
        conflicts: vec![Conflict {
            hunk: None,
            header: String::new(),
            patch_line: file.line,
            reason: ConflictReason::Edit(refusal.reason),
            message: format!("{}: {}", file.path, refusal.message),
            refusal: Some(refusal),
            suggested_hunk: None,
        }],
        encoding: None,
    }
}

fn line_range(lines: &Range<usize>) -> LineRange {
    LineRange { first: lines.start as u64 + 1, last: lines.end as u64 }
}

/// How far from its header's line a hunk was found.
fn moved(hunk: &Hunk, line: usize) -> Option<i64> {
    hunk.edit.near_line.map(|near| offset(near, line))
}

impl Sorted {
    fn take(
        &mut self,
        file: &FilePatch,
        number: usize,
        place: &Place,
        target: &mut Target<'_>,
        engine: &mut Engine<'_>,
    ) {
        let hunk = &file.hunks[number];
        let added = hunk.kinds.contains(&LineKind::Added);
        if added && !engine.scene().options.allow_placeholders && !matches!(place, Place::Nowhere { .. }) {
            let edit = &hunk.edit;
            if let Some(line) = placeholder::find(&edit.old, &edit.new, engine.scene().text()) {
                let message =
                    format!("it adds a placeholder for code that was left out ({line:?}); give the whole text");
                return self.conflict(file, number, Refusal::new(Reason::Placeholder, message), None);
            }
        }
        match *place {
            Place::Lines { at, loosely } => {
                let lines = at..at + OldLines::of(hunk).lines.len();
                self.exact(file, number, lines, loosely, target);
            }
            Place::Insert { at } => self.exact(file, number, at..at, false, target),
            Place::Several(_) => match engine.edit(&hunk.edit, None) {
                // The engine may know a reason against some of the places, but the rules for hunks are these here.
                Ok(resolved) if resolved.status == Status::AlreadyApplied => {
                    self.engine(file, number, resolved, target);
                }
                Ok(_) => {
                    let message = "its old lines stand at several places; give more unchanged lines around the change";
                    self.conflict(file, number, Refusal::new(Reason::Ambiguous, message), None);
                }
                Err(refusal) => self.conflict(file, number, refusal, None),
            },
            Place::Nowhere { expected } => match new_lines_at(target, hunk, may_lack_prefix(file, hunk)) {
                Some(at) => self.already(hunk, number, at..at + OldLines::new_side(hunk).lines.len(), Tier::Exact),
                None => match engine.edit(&hunk.edit, expected) {
                    Ok(resolved) => self.engine(file, number, resolved, target),
                    Err(refusal) => {
                        let few = self.conflicts.len() < SUGGESTIONS;
                        let hint = if few { suggested(hunk, &refusal, engine.scene()) } else { None };
                        self.conflict(file, number, refusal, hint);
                    }
                },
            },
            Place::Unknown(why) => self.conflict(file, number, Refusal::new(Reason::EmptyOld, why), None),
            Place::TooMuchWork => self.conflict(file, number, budget(), None),
        }
    }

    /// A hunk whose old lines are the file's `lines`.
    fn exact(&mut self, file: &FilePatch, number: usize, lines: Range<usize>, loosely: bool, target: &Target<'_>) {
        let hunk = &file.hunks[number];
        if adds_again(target, hunk, lines.start) {
            return self.already(hunk, number, lines, Tier::Exact);
        }
        // Without old lines, carriage returns in the patch show that it has the file's own line ends.
        let verbatim = if lines.is_empty() { self.returns } else { target.same_line_ends(hunk, lines.start) };
        let close_end = closes_end(file.dialect, file.compat_codex);
        let splices = splices(target, hunk, lines.start, verbatim, close_end);
        if splices.iter().all(|splice| target.document.text[splice.range.clone()] == splice.text) {
            return self.already(hunk, number, lines, Tier::Exact);
        }
        let tier = if loosely { Tier::Indentation } else { Tier::Exact };
        self.ready.push(Ready { hunk: number, lines, splices, tier, score: 1.0, warnings: Vec::new() });
    }

    fn already(&mut self, hunk: &Hunk, number: usize, lines: Range<usize>, tier: Tier) {
        let range = line_range(&lines);
        self.already.push(HunkOutcome {
            hunk: number,
            header: hunk.header.clone(),
            tier,
            score: 1.0,
            before: range,
            after: range,
            offset: moved(hunk, lines.start),
            warnings: Vec::new(),
        });
    }

    /// A hunk that the engine made an edit of.
    fn engine(&mut self, file: &FilePatch, number: usize, resolved: crate::resolve::Resolved, target: &Target<'_>) {
        let Some(place) = resolved.places.into_iter().next() else { return };
        let range = place.placement.range();
        let first = target.table.line_at(range.start);
        let last = target.table.line_at(range.end.max(range.start + 1) - 1);
        let lines = first..(last + 1).min(target.len()).max(first);
        let unchanged = place.changes.iter().all(|change| target.document.text[change.range.clone()] == *change.text);
        if resolved.status == Status::AlreadyApplied || unchanged {
            return self.already(&file.hunks[number], number, lines, resolved.tier);
        }
        if file.dialect != Dialect::SearchReplace
            && shifts_one_column(&file.hunks[number], target, lines.clone(), &place.changes)
        {
            let message = "its unchanged lines are one column off, so the indentation of the lines it adds is not sure; \
                start every unchanged line with one space before the file's own text";
            return self.conflict(file, number, Refusal::new(Reason::NotFound, message), None);
        }
        self.ready.push(Ready {
            hunk: number,
            lines,
            splices: place.changes,
            tier: resolved.tier,
            score: resolved.score,
            warnings: resolved.warnings,
        });
    }

    fn conflict(&mut self, file: &FilePatch, number: usize, refusal: Refusal, suggested_hunk: Option<String>) {
        let hunk = &file.hunks[number];
        let name =
            if hunk.header.is_empty() { String::new() } else { format!(" ({})", hunk.header.replace('\n', " ")) };
        self.conflicts.push(Conflict {
            hunk: Some(number),
            header: hunk.header.clone(),
            patch_line: hunk.line,
            reason: ConflictReason::Edit(refusal.reason),
            message: format!(
                "{}: hunk {}{name}, line {} of the patch: {}",
                file.path,
                number + 1,
                hunk.line,
                refusal.message
            ),
            refusal: Some(Refusal { edit: number, ..refusal }),
            suggested_hunk,
        });
    }

    /// Refuses hunks that change what an earlier one changes. All are in the order of the file afterwards.
    fn refuse_overlaps(&mut self, file: &FilePatch, document: &Document<'_>) {
        let key = |ready: &Ready| ready.splices.first().map_or((0, 0), |splice| (splice.range.start, splice.range.end));
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_by_key(|ready| (key(ready), ready.lines.start, ready.hunk));
        let mut kept: Vec<Ready> = Vec::with_capacity(ready.len());
        for ready in ready {
            let clashes = kept.last().is_some_and(|last| clash(last, &ready));
            if clashes {
                let lines = line_range(&ready.lines);
                let other = kept.last().map_or(0, |last| last.hunk);
                let message =
                    format!("it changes the same text as hunk {} at {lines}; make one hunk of the two", other + 1);
                self.conflict(file, ready.hunk, Refusal::new(Reason::Overlap, message), None);
            } else {
                kept.push(ready);
            }
        }
        debug_assert!(
            kept.iter().flat_map(|ready| &ready.splices).all(|splice| splice.range.end <= document.text.len())
        );
        self.ready = kept;
    }

    /// The bytes with all that is ready. Hunks with characters that the file's encoding lacks are refused.
    fn splice(&mut self, file: &FilePatch, document: &Document<'_>) -> Option<Vec<u8>> {
        loop {
            let all: Vec<Splice> = self.ready.iter().flat_map(|ready| ready.splices.iter().cloned()).collect();
            if let Ok(bytes) = document.splice(&all) {
                return Some(bytes);
            }
            let bad = self.ready.iter().position(|ready| document.replaced(&ready.splices).is_err())?;
            let ready = self.ready.remove(bad);
            if let Err(refusal) = document.replaced(&ready.splices) {
                self.conflict(file, ready.hunk, refusal, None);
            }
        }
    }

    fn outcome(
        mut self,
        file: &FilePatch,
        bytes: &[u8],
        spliced: Option<Vec<u8>>,
        document: &Document<'_>,
        allow_partial: bool,
    ) -> FileOutcome {
        let mut shift = 0_i64;
        let mut applied: Vec<HunkOutcome> = Vec::with_capacity(self.ready.len());
        for ready in self.ready {
            let feeds = |text: &str| i64::try_from(memchr::memchr_iter(b'\n', text.as_bytes()).count()).unwrap_or(0);
            let grown: i64 = ready
                .splices
                .iter()
                .map(|splice| feeds(&splice.text) - feeds(&document.text[splice.range.clone()]))
                .sum();
            let before = line_range(&ready.lines);
            let first = before.first.saturating_add_signed(shift);
            shift += grown;
            applied.push(HunkOutcome {
                hunk: ready.hunk,
                header: file.hunks[ready.hunk].header.clone(),
                tier: ready.tier,
                score: ready.score,
                before,
                after: LineRange { first, last: before.last.saturating_add_signed(shift) },
                offset: moved(&file.hunks[ready.hunk], ready.lines.start),
                warnings: ready.warnings,
            });
        }
        applied.sort_by_key(|outcome| outcome.hunk);
        self.already.sort_by_key(|outcome| outcome.hunk);
        self.conflicts.sort_by_key(|conflict| conflict.hunk);
        let status = match (self.conflicts.is_empty(), applied.is_empty()) {
            (false, _) => FileStatus::Conflict,
            (true, false) => FileStatus::Applied,
            (true, true) => FileStatus::AlreadyApplied,
        };
        let take = status == FileStatus::Applied || status == FileStatus::Conflict && allow_partial;
        let bytes = spliced.filter(|_| take).unwrap_or_else(|| bytes.to_vec());
        FileOutcome {
            status,
            bytes: Some(bytes),
            applied,
            already_applied: self.already,
            conflicts: self.conflicts,
            encoding: Some(document.encoding),
        }
    }
}

/// Whether two hunks, in the order of the file, change the same text.
fn clash(first: &Ready, second: &Ready) -> bool {
    let (Some(last), Some(next)) = (first.splices.last(), second.splices.first()) else { return false };
    // Both may put lines in at one point if one goes on from what is above and the other leads to what is below.
    let same_point = last.range.is_empty() && next.range.is_empty() && last.range.start == next.range.start;
    last.range.end > next.range.start || same_point && first.lines.end > second.lines.start
}
