//! Refusals that say how to set the edit right.

use std::ops::Range;

use crate::explain::{enclosing_symbol, show_whitespace, unique_context};
use crate::fuzzy::{Alignment, Doubt, Likeness, is_equal};
use crate::resolve::Scene;
use crate::text::Table;
use crate::{Candidate, Difference, Edit, LineRange, Reason, Refusal};

/// Alignments less alike than that are not worth showing.
const MIN_SHOWN: f64 = 0.35;
/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 120;
/// How many approximate places are shown.
const MAX_SHOWN: usize = 3;

/// The refusal of an edit whose text stands at these places.
pub(crate) fn places(scene: &Scene<'_>, edit: &Edit, reason: Reason, ranges: &[Range<usize>]) -> Refusal {
    let table = scene.table();
    let lines: Vec<LineRange> = ranges.iter().map(|range| line_range(table, range)).collect();
    let message = match reason {
        Reason::Ambiguous => format!(
            "old stands at {} places ({}): add lines around it that only the right place has, or give near_line",
            ranges.len(),
            list(&lines)
        ),
        Reason::CountMismatch => format!(
            "old stands at {} places ({}), not {}",
            ranges.len(),
            list(&lines),
            edit.expected_count.unwrap_or(1)
        ),
        Reason::NotFound => format!("old is not where it must be: it stands at {}", list(&lines)),
        _ => format!(
            "old is only a part of the text at {}, or its blank lines differ: give the whole lines as the file has them",
            list(&lines)
        ),
    };
    let mut refusal = Refusal::new(reason, message);
    refusal.count = Some(ranges.len());
    let shown = ranges.iter().zip(&lines).take(Refusal::MAX_CANDIDATES);
    refusal.candidates = shown.map(|(range, &lines)| candidate(table, lines, whole(table, range), 1.0)).collect();
    if let Some(first) = ranges.first() {
        refusal.exact_old = Some(table.text[whole(table, first)].to_owned());
        if ranges.len() > 1 {
            refusal.unique_old = unique_context(table.text, first.clone());
        }
    }
    refusal
}

/// The refusal of an edit whose text comes near the file's at these places, the best first.
pub(crate) fn alignments(scene: &Scene<'_>, reason: Reason, likeness: &Likeness<'_>, ranked: &[Alignment]) -> Refusal {
    let table = scene.table();
    let shown = ranked.iter().filter(|alignment| alignment.score >= MIN_SHOWN).take(match reason {
        Reason::Ambiguous | Reason::CountMismatch => Refusal::MAX_CANDIDATES,
        _ => MAX_SHOWN,
    });
    let candidates: Vec<Candidate> = shown
        .filter_map(|alignment| {
            let (first, last) = alignment.extent()?;
            let lines = LineRange { first: first as u64 + 1, last: last as u64 + 1 };
            let range = table.lines[first].start..table.lines[last].end;
            let differences = differences(likeness, alignment);
            Some(Candidate { differences, ..candidate(table, lines, range, alignment.score) })
        })
        .collect();
    let Some(best) = candidates.first() else { return absent(scene) };
    let message = match reason {
        Reason::Ambiguous | Reason::CountMismatch => {
            let lines: Vec<LineRange> = candidates.iter().map(|candidate| candidate.lines).collect();
            format!("old is not in the file as it is, and {} places come near: {}", candidates.len(), list(&lines))
        }
        Reason::UnsafeDifference => format!("old comes near {}, but {}", best.lines, first_difference(best)),
        _ => format!("old is not in the file; {} come nearest: {}", best.lines, first_difference(best)),
    };
    let mut refusal = Refusal::new(reason, message);
    refusal.count = matches!(reason, Reason::Ambiguous | Reason::CountMismatch).then_some(candidates.len());
    refusal.exact_old = ranked
        .first()
        .and_then(Alignment::extent)
        .map(|(first, last)| table.text[table.lines[first].start..table.lines[last].end].to_owned());
    refusal.candidates = candidates;
    refusal
}

/// The refusal of an edit of a place that comes near, but not near enough for what it changes.
pub(crate) fn doubtful(scene: &Scene<'_>, likeness: &Likeness<'_>, chosen: &Alignment, doubt: Doubt) -> Refusal {
    let mut refusal = alignments(scene, Reason::UnsafeDifference, likeness, std::slice::from_ref(chosen));
    let line = |line: usize| {
        let text = likeness.old.get(line).map_or("", |line| line.text);
        format!("line {} of old, {:?},", line + 1, show_whitespace(&clipped(text)))
    };
    let why = match doubt {
        Doubt::Changed(number) => format!("{} is to be changed and is not there as it is", line(number)),
        Doubt::Named(number) => format!("{} names what is to be changed, and it is not there", line(number)),
        Doubt::Interrupted(number) => {
            format!("the file has other lines around {} which is to be changed", line(number))
        }
        Doubt::Insertion(_) => "between which lines the new ones belong is not certain".to_owned(),
        Doubt::Blank => "blank lines are not where old has them".to_owned(),
        Doubt::TooFewAnchors => "too little of it is the same".to_owned(),
    };
    let place = refusal.candidates.first().map_or_else(String::new, |best| {
        format!("old comes near {}, but {why}; {}", best.lines, first_difference(best))
    });
    if !place.is_empty() {
        refusal.message = place;
    }
    refusal
}

fn clipped(text: &str) -> String {
    text.chars().take(MAX_QUOTED).collect()
}

/// The refusal of an edit that would join its last line with the next one of the file.
pub(crate) fn joined(scene: &Scene<'_>, range: &Range<usize>) -> Refusal {
    let lines = line_range(scene.table(), range);
    let message = format!(
        "old ends with a line end ({lines}) and new does not, so its last line would be joined with the file's next one: end both alike"
    );
    Refusal { message, ..places(scene, &Edit::new("", ""), Reason::UnsafeDifference, std::slice::from_ref(range)) }
}

/// The refusal of an edit whose new text stands in the file already, while something like the old one stands elsewhere.
pub(crate) fn undecided(scene: &Scene<'_>, range: &Range<usize>) -> Refusal {
    let lines = line_range(scene.table(), range);
    let message = format!(
        "new stands at {lines} already, and old is not in the file as it is: read the file again, nothing may be left to do"
    );
    Refusal { message, count: None, ..places(scene, &Edit::new("", ""), Reason::NotFound, std::slice::from_ref(range)) }
}

/// The refusal of an edit whose text is nowhere.
pub(crate) fn absent(scene: &Scene<'_>) -> Refusal {
    let empty = if scene.text().trim().is_empty() { ": the file is empty" } else { "; read the file again" };
    Refusal::new(Reason::NotFound, format!("old is not in the file, nor anything like it{empty}"))
}

/// The refusal of an edit that costs too much to look for.
pub(crate) fn out_of_budget(edit: &Edit) -> Refusal {
    let lines = edit.old.lines().count();
    Refusal::new(
        Reason::Budget,
        format!(
            "old ({lines} lines) is not in the file as it is, and looking for something like it takes too long: give fewer lines, as the file has them"
        ),
    )
}

fn candidate(table: &Table<'_>, lines: LineRange, range: Range<usize>, score: f64) -> Candidate {
    let text = &table.text[range.clone()];
    let mut end = text.len().min(Candidate::MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Candidate {
        lines,
        score,
        text: text[..end].to_owned(),
        symbol: symbol(table, range.start),
        differences: Vec::new(),
    }
}

/// Lines above a place among which its definition is looked for.
const SYMBOL_LINES: usize = 2000;

fn symbol(table: &Table<'_>, at: usize) -> Option<String> {
    if table.len() == 0 {
        return None;
    }
    let line = table.line_at(at);
    let from = line.saturating_sub(SYMBOL_LINES);
    let until = (line + 20).min(table.len());
    let lines: Vec<&str> = (from..until).map(|line| table.line(line)).collect();
    enclosing_symbol(&lines, line - from)
}

fn differences(likeness: &Likeness<'_>, alignment: &Alignment) -> Vec<Difference> {
    let table = likeness.table;
    let mut found = Vec::new();
    let mut last: Option<usize> = None;
    for (number, (line, there)) in likeness.old.iter().zip(&alignment.lines).enumerate() {
        let old_line = Some(number as u64 + 1);
        let Some((there, alike)) = *there else {
            let old_text = line.text.to_owned();
            found.push(Difference { old_line, file_line: None, old_text, file_text: String::new() });
            continue;
        };
        for only in last.map_or(there, |last| last + 1)..there {
            let file_line = Some(only as u64 + 1);
            let file_text = table.line(only).to_owned();
            found.push(Difference { old_line: None, file_line, old_text: String::new(), file_text });
        }
        last = Some(there);
        if !is_equal(alike) || line.text != table.line(there) {
            let (old_text, file_text) = (line.text.to_owned(), table.line(there).to_owned());
            found.push(Difference { old_line, file_line: Some(there as u64 + 1), old_text, file_text });
        }
    }
    found.truncate(Candidate::MAX_DIFFERENCES);
    found
}

fn first_difference(candidate: &Candidate) -> String {
    let Some(first) = candidate.differences.first() else {
        return "not certainly enough for the change".to_owned();
    };
    let shown = |text: &str| show_whitespace(&clipped(text));
    match (first.old_line, first.file_line) {
        (Some(_), Some(line)) => {
            format!("line {line} is {:?} where old has {:?}", shown(&first.file_text), shown(&first.old_text))
        }
        (None, Some(line)) => format!("line {line}, {:?}, is not in old", shown(&first.file_text)),
        _ => format!("old's line {:?} is not there", shown(&first.old_text)),
    }
}

/// The range extended to whole lines, without the last line end.
fn whole(table: &Table<'_>, range: &Range<usize>) -> Range<usize> {
    if table.len() == 0 {
        return range.clone();
    }
    let last = table.line_at(range.end.saturating_sub(1).max(range.start));
    table.lines[table.line_at(range.start)].start..table.lines[last].end
}

pub(crate) fn line_range(table: &Table<'_>, range: &Range<usize>) -> LineRange {
    let last = table.line_at(range.end.saturating_sub(1).max(range.start));
    LineRange { first: table.line_at(range.start) as u64 + 1, last: last as u64 + 1 }
}

fn list(lines: &[LineRange]) -> String {
    const MAX: usize = 12;
    let mut shown: Vec<String> = lines.iter().take(MAX).map(ToString::to_string).collect();
    if lines.len() > MAX {
        shown.push(format!("{} more", lines.len() - MAX));
    }
    shown.join(", ")
}
