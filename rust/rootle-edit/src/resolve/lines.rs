//! Matches of whole lines under a key, of parts with lines left out between, and of parts of a line.

use super::approximate::rivals_at_own_depth;
use super::given::{Depths, as_in_file, depths};
use super::pick::pick;
use super::{Place, Resolved, Scene, Step, already, depth};
use crate::budget::{Budget, Spent};
use crate::find::{Placement, Span, across_elisions, fragments, place, whole_lines};
use crate::fuzzy::{Likeness, MIN_SCORE};
use crate::merge::{Hunk, delta, merge_line, merge_lines};
use crate::repair::Pair;
use crate::text::{Block, Splice, Table, fold, is_blank, line_tier, loose, quotes_alike};
use crate::{Edit, Reason, Status, Tier, Warning, report};

/// With fewer characters, only white space at line ends may differ.
const MIN_CHARS: usize = 4;

/// How much alike another place must be whose lines have the old text's own spaces, where the match has others.
const MIN_RESPACED_RIVAL: f64 = 0.7;

pub(super) fn resolve(scene: &Scene<'_>, edit: &Edit, pair: &Pair, budget: &mut Budget) -> Result<Step, Spent> {
    let table = scene.table();
    let (mut old, new) = blocks(pair);
    let mut hunks = delta(&old.lines, &new.lines);
    let mut hits = whole_lines(table, &old, budget)?;
    let tier = hits.iter().map(|hit| hit.tier).min();
    hits.retain(|hit| Some(hit.tier) == tier);
    let chars = pair.old.chars().filter(|c| !c.is_whitespace()).count();
    if tier.is_some_and(|tier| tier >= Tier::Indentation) && chars < MIN_CHARS {
        hits.clear();
    }
    if hits.is_empty() {
        if let Some(found) =
            across_elisions(table, &old, &touched(old.len(), &hunks), &removed(old.len(), &hunks), budget)?
        {
            let mut found = found;
            match ending(table, pair, &hunks, old.len(), &[&found.map]) {
                Ending::Line => {}
                Ending::Blank => {
                    found.map.push(found.map.last().copied().flatten().map(|last| last + 1));
                    old.lines.push("");
                    hunks = delta(&old.lines, &new.lines);
                }
                Ending::Joined => return Ok(Err(report::joined(scene, &found.placement(table).range()))),
            }
            if !quotes_stay(table, &old, &hunks, &found.map) {
                let range = found.placement(table).range();
                return Ok(Err(report::places(scene, edit, Reason::UnsafeDifference, &[range])));
            }
            return Ok(Ok(Some(applied(scene, pair, &old, &new, &hunks, vec![found.placement(table)]))));
        }
        return Ok(fragment(scene, edit, pair));
    }
    match ending(table, pair, &hunks, old.len(), &hits.iter().map(|hit| &hit.map[..]).collect::<Vec<_>>()) {
        Ending::Line => {}
        Ending::Blank => {
            for hit in &mut hits {
                let last = hit.map.last().copied().flatten();
                hit.map.push(last.map(|last| last + 1));
            }
            old.lines.push("");
            hunks = delta(&old.lines, &new.lines);
        }
        Ending::Joined => {
            let range = hits[0].placement(table).range();
            return Ok(Err(report::joined(scene, &range)));
        }
    }
    let places: Vec<Placement> = hits.iter().map(|hit| hit.placement(table)).collect();
    let ranges: Vec<_> = places.iter().map(Placement::range).collect();
    let picked = match pick(scene, edit, &ranges, |hit| begins(&hits[hit].map)) {
        Ok(picked) => picked,
        Err(reason) => return Ok(Err(report::places(scene, edit, reason, &ranges))),
    };
    for &hit in &picked {
        let map = &hits[hit].map;
        let certain = tier != Some(Tier::BlankLines) || blanks_are_certain(table, &old, &new, &hunks, map);
        if !certain || !quotes_stay(table, &old, &hunks, map) {
            return Ok(Err(report::places(scene, edit, Reason::UnsafeDifference, &[ranges[hit].clone()])));
        }
    }
    if let [hit] = picked[..] {
        if hunks.iter().all(|hunk| hunk.old.is_empty())
            && let Some(there) = already::present(table, pair, &hunks, budget)?
            && there.sure
            && there.place.map.iter().flatten().any(|line| hits[hit].map.contains(&Some(*line)))
        {
            return Ok(Ok(Some(Resolved::already(pair, places[hit].clone()))));
        }
        if tier >= Some(Tier::Indentation) && already::stands_over(table, pair, &hits[hit].map, budget)? {
            // White space is all that changes, and the call may have its own wrong: done, or still to do?
            if loose(&pair.old) == loose(&pair.new) {
                return Ok(Err(report::undecided(scene, &ranges[hit])));
            }
            return Ok(Ok(Some(Resolved::already(pair, places[hit].clone()))));
        }
        if !depth::is_plausible(table, &old, &new, &hits[hit].map) {
            return Ok(Err(report::places(scene, edit, Reason::UnsafeDifference, &[ranges[hit].clone()])));
        }
        if tier >= Some(Tier::InnerSpace) && ends_better(table, &old, &hits[hit].map) {
            return Ok(Err(report::places(scene, edit, Reason::Ambiguous, &[ranges[hit].clone()])));
        }
        let respaced = tier == Some(Tier::InnerSpace);
        if respaced || is_shifted(table, &old, &hits[hit].map) {
            let mut likeness = Likeness::new(table, &old);
            let least = if respaced { MIN_RESPACED_RIVAL } else { MIN_SCORE };
            let rivals = rivals_at_own_depth(&mut likeness, &hits[hit].map, least, budget)?;
            if !rivals.is_empty() {
                let ranges: Vec<_> = [ranges[hit].clone()].into_iter().chain(rivals).collect();
                return Ok(Err(report::places(scene, edit, Reason::Ambiguous, &ranges)));
            }
        }
        let there = as_in_file(table, &old, &hits[hit].map);
        match depths(&old, &there, &new) {
            Depths::Carried => {}
            Depths::AsInFile => {
                let hunks = delta(&there.lines, &new.lines);
                return Ok(Ok(Some(applied(scene, pair, &there, &new, &hunks, vec![places[hit].clone()]))));
            }
            Depths::Unsure => {
                return Ok(Err(report::places(scene, edit, Reason::UnsafeDifference, &[ranges[hit].clone()])));
            }
        }
    }
    let places = picked.iter().map(|&hit| places[hit].clone()).collect();
    Ok(Ok(Some(applied(scene, pair, &old, &new, &hunks, places))))
}

/// Whether the lines that the edit changes are the same between quotes, where white space counts.
fn quotes_stay(table: &Table<'_>, old: &Block<'_>, hunks: &[Hunk], map: &[Option<usize>]) -> bool {
    let mut changed = hunks.iter().flat_map(|hunk| hunk.old.clone()).filter_map(|line| Some((line, map[line]?)));
    changed.all(|(line, there)| quotes_alike(old.lines[line], table.line(there)))
}

/// Both texts by lines. A line feed that only the new text ends with is a blank line that it adds.
pub(super) fn blocks(pair: &Pair) -> (Block<'_>, Block<'_>) {
    let (old, mut new) = (Block::new(&pair.old), Block::new(&pair.new));
    if pair.new.ends_with('\n') && !pair.old.ends_with('\n') {
        new.lines.push("");
    }
    (old, new)
}

/// What the line feed at the end of an old text is, if the new one does not end with one.
pub(super) enum Ending {
    /// The end of its last line.
    Line,
    /// A blank line of the file after it, that the edit removes.
    Blank,
    /// New lines follow on the last line, and it is not certain that the file's next line does not belong between.
    Joined,
}

/// Tells the ending of the old text from what follows it at its places.
pub(super) fn ending(
    table: &Table<'_>,
    pair: &Pair,
    hunks: &[Hunk],
    lines: usize,
    maps: &[&[Option<usize>]],
) -> Ending {
    if !pair.old.ends_with('\n') || pair.new.ends_with('\n') || pair.new.is_empty() {
        return Ending::Line;
    }
    let blank_after = |map: &&[Option<usize>]| {
        map.last().copied().flatten().is_some_and(|last| last + 1 < table.len() && table.is_blank(last + 1))
    };
    let grows = hunks.last().is_some_and(|hunk| hunk.old.start == lines);
    match (maps.iter().all(blank_after), grows) {
        (true, _) => Ending::Blank,
        (false, true) => Ending::Joined,
        (false, false) => Ending::Line,
    }
}

/// The line at which the old text begins, from 0, if its first lines are not in the file.
pub(super) fn begins(map: &[Option<usize>]) -> u64 {
    let first = map.iter().enumerate().find_map(|(number, line)| line.map(|line| line.saturating_sub(number)));
    first.unwrap_or(0) as u64
}

/// The lines that the hunks change or stand next to.
fn touched(lines: usize, hunks: &[Hunk]) -> Vec<bool> {
    let mut touched = vec![false; lines];
    for hunk in hunks {
        let from = hunk.old.start.saturating_sub(1);
        touched[from..(hunk.old.end + 1).min(lines)].fill(true);
    }
    touched
}

fn removed(lines: usize, hunks: &[Hunk]) -> Vec<bool> {
    let mut removed = vec![false; lines];
    for hunk in hunks {
        removed[hunk.old.clone()].fill(true);
    }
    removed
}

/// Whether the file's next line beyond the first or the last of the old text is more like it than the one it was found at.
fn ends_better(table: &Table<'_>, old: &Block<'_>, map: &[Option<usize>]) -> bool {
    let solid = |line: &usize| !is_blank(old.lines[*line]) && map[*line].is_some();
    let better = |line: Option<usize>, beyond: Option<usize>| {
        let (Some(line), Some(beyond)) = (line, beyond.filter(|&beyond| beyond < table.len())) else { return false };
        let tier = |there: Option<usize>| there.and_then(|there| line_tier(old.lines[line], table.line(there)));
        tier(map[line]) == Some(Tier::InnerSpace) && tier(Some(beyond)).is_some_and(|beyond| beyond < Tier::InnerSpace)
    };
    let (first, last) = ((0..old.len()).find(solid), (0..old.len()).rfind(solid));
    let above = first.and_then(|line| map[line]).and_then(|there| there.checked_sub(1));
    let below = last.and_then(|line| map[line]).map(|there| there + 1);
    better(first, above) || better(last, below)
}

fn is_shifted(table: &Table<'_>, old: &Block<'_>, map: &[Option<usize>]) -> bool {
    let solid = old.lines.iter().zip(map).filter(|(line, _)| !is_blank(line));
    let mut pairs = solid.filter_map(|(line, there)| Some((fold(line), fold(table.line((*there)?)))));
    pairs.any(|(line, there)| crate::text::leading(&line) != crate::text::leading(&there))
}

/// Whether changes of blank lines are where the file has the same blank lines as the old text: between the nearest other
/// lines on both sides.
pub(super) fn blanks_are_certain(
    table: &Table<'_>,
    old: &Block<'_>,
    new: &Block<'_>,
    hunks: &[Hunk],
    map: &[Option<usize>],
) -> bool {
    hunks.iter().all(|hunk| {
        let blank = |lines: &[&str]| lines.iter().all(|line| is_blank(line));
        // Lines put in next to a blank line that the file does not have: on which side of what the file has there?
        let lacks = |line: Option<usize>| {
            line.is_some_and(|line| line < old.len() && is_blank(old.lines[line]) && map[line].is_none())
        };
        if hunk.old.is_empty()
            && (lacks(hunk.old.start.checked_sub(1)) || lacks(Some(hunk.old.end)))
            && !is_padding(table, old, map)
        {
            return false;
        }
        if !blank(&old.lines[hunk.old.clone()]) || !blank(&new.lines[hunk.new.clone()]) {
            return true;
        }
        let solid = |line: &usize| !is_blank(old.lines[*line]);
        let (above, below) = ((0..hunk.old.start).rev().find(solid), (hunk.old.end..old.len()).find(solid));
        let (Some(above), Some(below)) = (above, below) else { return false };
        let (Some(top), Some(bottom)) = (map[above], map[below]) else { return false };
        bottom - top == below - above && (top + 1..bottom).all(|line| table.is_blank(line))
    })
}

/// Whether blank lines at the ends of the old text, which the file does not have there, were only put around it: if not, one
/// line would be missing between them and the rest.
fn is_padding(table: &Table<'_>, old: &Block<'_>, map: &[Option<usize>]) -> bool {
    let solid = |line: &usize| !is_blank(old.lines[*line]);
    let (Some(first), Some(last)) = ((0..old.len()).find(solid), (0..old.len()).rfind(solid)) else { return false };
    let (Some(top), Some(bottom)) = (map[first], map[last]) else { return false };
    let lacks = |lines: &[Option<usize>]| lines.iter().any(Option::is_none);
    let inner =
        old.lines[first..=last].iter().zip(&map[first..=last]).any(|(line, there)| is_blank(line) && there.is_none());
    let blank = |line: Option<usize>| line.is_some_and(|line| line < table.len() && table.is_blank(line));
    let above = !lacks(&map[..first]) || !blank(top.checked_sub(2));
    let below = !lacks(&map[last + 1..]) || !blank(Some(bottom + 2));
    !inner && above && below
}

/// The edit made at places of whole lines.
pub(super) fn applied(
    scene: &Scene<'_>,
    pair: &Pair,
    old: &Block<'_>,
    new: &Block<'_>,
    hunks: &[Hunk],
    placements: Vec<Placement>,
) -> Resolved {
    let (mut indented, mut kept_unicode, mut blanks) = (false, false, false);
    let places = placements.into_iter().map(|placement| {
        let merged = merge_lines(scene.text(), scene.line_end(), old, new, hunks, &placement);
        indented |= merged.indented;
        kept_unicode |= merged.kept_unicode;
        blanks |= placement.tier == Tier::BlankLines;
        Place { changes: merged.changes, placement }
    });
    let places: Vec<Place> = places.collect();
    let mut resolved = Resolved::new(Status::Applied, pair, places);
    let warnings = [
        (indented, Warning::IndentationAdapted),
        (kept_unicode, Warning::UnicodeKept),
        (blanks, Warning::BlankLinesDiffer),
    ];
    resolved.warnings.extend(warnings.into_iter().filter(|(is, _)| *is).map(|(_, warning)| warning));
    resolved
}

/// An old text that is a part of one line.
fn fragment(scene: &Scene<'_>, edit: &Edit, pair: &Pair) -> Step {
    // A text that ends with a line feed means whole lines.
    if pair.old.contains('\n') || pair.new.contains('\n') {
        return Ok(None);
    }
    let (old, new) = (pair.old.trim(), pair.new.trim());
    let table = scene.table();
    let spans = fragments(table, old);
    if spans.is_empty() {
        return Ok(None);
    }
    let ranges: Vec<_> = spans.iter().map(|span| span.start..span.end).collect();
    let picked = pick(scene, edit, &ranges, |hit| table.line_at(spans[hit].start) as u64)
        .map_err(|reason| report::places(scene, edit, reason, &ranges))?;
    if let Some(&other) = picked.iter().find(|&&hit| !quotes_alike(old, &scene.text()[ranges[hit].clone()])) {
        return Err(report::places(scene, edit, Reason::UnsafeDifference, &[ranges[other].clone()]));
    }
    let places = picked.into_iter().map(|hit| {
        let Span { start, end } = spans[hit];
        let text = merge_line(old, new, &scene.text()[start..end]);
        let same = fold(&scene.text()[start..end]) == fold(old);
        let tier = if same { Tier::Unicode } else { Tier::InnerSpace };
        let placement = Placement { spans: vec![Some(spans[hit])], whole: false, tier, score: 1.0 };
        Place { placement, changes: vec![Splice { range: start..end, text }] }
    });
    Ok(Some(Resolved::new(Status::Applied, pair, places.collect())))
}

/// Lines of the file as a placement.
pub(super) fn placed(table: &Table<'_>, map: &[Option<usize>], score: f64) -> Placement {
    place(table, map, Tier::Fuzzy, score)
}
