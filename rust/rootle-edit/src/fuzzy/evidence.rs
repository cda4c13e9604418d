//! Whether an alignment is the place that is meant, or another one much like it.
//!
//! The place that is meant may be gone from the file while its like is still there. What tells them apart is how many lines
//! are the same, how rare these are, and what the other lines are. The numbers come from real changes of real files.

use super::align::Alignment;
use super::definition::is_definition;
use super::likeness::{COMMENT, Likeness, is_equal};
use super::safety::Doubt;
use crate::merge::Hunk;
use crate::text::is_word;

/// Lines with fewer word characters are no evidence.
const ANCHOR_CHARS: usize = 4;
/// Lines that must occur once in the file, if the file has other lines between those of the old text.
const RARE_FOR_GAPS: usize = 2;
/// Lines that must be the same, if one of the old text's lines is not there.
const ANCHORS_FOR_MISSING: usize = 5;
/// The same if the missing line is the first or the last.
const ANCHORS_FOR_MISSING_EDGE: usize = 4;
/// The same if the missing line is a comment.
const ANCHORS_FOR_MISSING_COMMENT: usize = 2;
/// Lines that must occur once, if the missing line gives no name and another is in its place, or if it is at the edge and
/// no other place is at all like this.
const RARE_FOR_REPLACED: usize = 2;
const RARE_FOR_MISSING_EDGE: usize = 3;
/// Lines that must occur once, if one of the old text's lines means something else in the file and gives a name.
const RARE_FOR_OTHER_NAME: usize = 3;
/// How much alike another place may be, if a line means something else.
const MAX_RIVAL: f64 = 0.3;
/// The same for a line that gives no name, if more of the same lines occur once.
const MAX_RIVAL_FOR_MORE: f64 = 0.8;
/// The same if only one of the same lines occurs once.
const MAX_RIVAL_FOR_ONE: f64 = 0.5;

/// What speaks for a place and against it.
#[derive(Debug, Default)]
struct Evidence {
    /// Lines of the old text that are not blank.
    solid: usize,
    /// Lines that are the same and say something.
    anchors: usize,
    /// Those of them that occur once in the file.
    rare: usize,
    /// Unchanged lines that mean something else in the file.
    other: Vec<usize>,
    /// Unchanged lines that are not in the file.
    missing: Vec<usize>,
    /// Lines between the others that only the file has.
    extra: usize,
}

impl Evidence {
    fn of(likeness: &Likeness<'_>, hunks: &[Hunk], alignment: &Alignment) -> Self {
        let mut found = Self::default();
        let table = likeness.table;
        for (number, (line, there)) in likeness.old.iter().zip(&alignment.lines).enumerate() {
            if line.is_blank() {
                continue;
            }
            found.solid += 1;
            let changed = hunks.iter().any(|hunk| hunk.old.contains(&number));
            match *there {
                Some((there, alike)) if is_equal(alike) => {
                    if line.text.chars().filter(|&c| is_word(c)).count() >= ANCHOR_CHARS {
                        found.anchors += 1;
                        found.rare += usize::from(table.is_unique(there));
                    }
                }
                // What holds for lines that the edit changes is checked with the changes.
                _ if changed => {}
                None => found.missing.push(number),
                Some((there, alike)) => {
                    let comment = (alike - COMMENT).abs() < f64::EPSILON;
                    if !comment && likeness.is_material(number, there) {
                        found.other.push(number);
                    }
                }
            }
        }
        if let Some((first, last)) = alignment.extent() {
            let taken: Vec<usize> = alignment.lines.iter().flatten().map(|line| line.0).collect();
            let extra = |line: &usize| !table.is_blank(*line) && taken.binary_search(line).is_err();
            found.extra = (first..=last).filter(extra).count();
        }
        found
    }
}

/// Weighs the evidence. `rival` is how much alike the next best place is.
pub(super) fn evidence(
    likeness: &Likeness<'_>,
    hunks: &[Hunk],
    alignment: &Alignment,
    rival: f64,
) -> Result<(), Doubt> {
    let found = Evidence::of(likeness, hunks, alignment);
    let elsewhere = |line: usize| likeness.table.has(&likeness.old[line].key);
    let enough = match (&found.other[..], &found.missing[..]) {
        ([], []) if found.solid == 1 => true,
        ([], []) => found.anchors > 0,
        ([other], []) if is_definition(likeness.old[*other].text) => {
            found.rare >= RARE_FOR_OTHER_NAME && rival < MAX_RIVAL && found.extra <= 1
        }
        ([other], []) => match found.rare {
            0 => false,
            1 => rival < MAX_RIVAL_FOR_ONE && !elsewhere(*other) && found.extra == 0,
            _ => rival < MAX_RIVAL_FOR_MORE && found.extra <= 1,
        },
        ([], [missing]) => without(likeness, alignment, &found, *missing, rival),
        _ => false,
    };
    let gaps = match found.extra {
        0 => true,
        1 => found.rare >= RARE_FOR_GAPS || (found.rare > 0 && found.anchors >= RARE_FOR_GAPS),
        _ => found.rare >= RARE_FOR_GAPS,
    };
    if enough && gaps { Ok(()) } else { Err(Doubt::TooFewAnchors) }
}

/// The same for an old text of which one line is not there.
fn without(likeness: &Likeness<'_>, alignment: &Alignment, found: &Evidence, missing: usize, rival: f64) -> bool {
    let solid = |line: &usize| !likeness.old[*line].is_blank();
    let there = |line: usize| alignment.lines[line].map(|line| line.0);
    let above = (0..missing).rfind(solid);
    let below = (missing + 1..likeness.old.len()).find(solid);
    let line = likeness.old[missing].text;
    // A line that is elsewhere in the file, or one that gives a name, tells that another place is meant.
    let elsewhere = likeness.table.has(&likeness.old[missing].key);
    let tells = elsewhere || is_definition(line);
    if is_comment(line) && !elsewhere {
        return found.anchors >= ANCHORS_FOR_MISSING_COMMENT;
    }
    match (above, below) {
        (Some(above), Some(below)) => {
            // Another line in its place, and only one, is what has become of it.
            let replaced = there(above).zip(there(below)).is_some_and(|(above, below)| {
                (above + 1..below).filter(|&line| !likeness.table.is_blank(line)).count() == 1
            });
            found.anchors >= ANCHORS_FOR_MISSING || (replaced && !tells && found.rare >= RARE_FOR_REPLACED)
        }
        _ => {
            found.anchors >= ANCHORS_FOR_MISSING_EDGE || (!tells && found.rare >= RARE_FOR_MISSING_EDGE && rival < 0.0)
        }
    }
}

/// Whether a line is a comment of its own.
fn is_comment(line: &str) -> bool {
    let body = line.trim_start();
    ["# ", "//", "-- ", "<!--", "; "].into_iter().any(|mark| body.starts_with(mark))
}
