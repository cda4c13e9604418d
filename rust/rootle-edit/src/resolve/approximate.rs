//! Approximate matches.

use std::ops::Range;

use super::lines::{Ending, applied, begins, blanks_are_certain, blocks, ending, placed};
use super::pick::pick;
use super::{Resolved, Scene, already};
use crate::budget::{Budget, Spent};
use crate::fuzzy::{Alignment, Choice, Doubt, Likeness, check, choose, is_equal, rank};
use crate::merge::{Hunk, delta};
use crate::repair::Pair;
use crate::text::{Block, is_blank};
use crate::{Edit, Reason, Refusal, Warning, report};

/// Whether all lines are there, but for slips.
fn is_clean(scene: &Scene<'_>, pair: &Pair, found: &Alignment) -> bool {
    let old = Block::new(&pair.old);
    let likeness = Likeness::new(scene.table(), &old);
    old.lines.iter().zip(&found.lines).enumerate().all(|(number, (line, there))| match there {
        None => is_blank(line),
        Some((there, alike)) => is_equal(*alike) || !likeness.is_material(number, *there),
    })
}

/// How much alike another place must be to be taken into account.
const MIN_ELSEWHERE: f64 = 0.5;
/// The same for an old text of one line.
const MIN_LINE_ELSEWHERE: f64 = 0.73;

/// The same for a place that is not the one most alike.
const MIN_STANDING: f64 = 0.7;

/// One reading of the texts with its alignments, the best first.
struct Ranked<'a> {
    pair: &'a Pair,
    old: Block<'a>,
    ranked: Vec<Alignment>,
}

pub(super) fn resolve(
    scene: &Scene<'_>,
    edit: &Edit,
    pairs: &[Pair],
    budget: &mut Budget,
) -> Result<Result<Resolved, Refusal>, Spent> {
    let table = scene.table();
    let mut best: Option<Ranked<'_>> = None;
    for pair in pairs.iter().filter(|pair| pair.old != pair.new) {
        let old = Block::new(&pair.old);
        let ranked = rank(&mut Likeness::new(table, &old), budget)?;
        let score = |ranked: &[Alignment]| ranked.first().map_or(0.0, |alignment| alignment.score);
        if best.as_ref().is_none_or(|best| score(&ranked) > score(&best.ranked)) {
            best = Some(Ranked { pair, old, ranked });
        }
    }
    let found = best.as_ref().and_then(|best| best.ranked.first()).filter(|found| {
        let one_line = best.as_ref().is_some_and(|best| best.old.solid() == 1);
        found.score >= if one_line { MIN_LINE_ELSEWHERE } else { MIN_ELSEWHERE }
    });
    for pair in pairs {
        let (old, new) = blocks(pair);
        let hunks = delta(&old.lines, &new.lines);
        let Some(there) = already::present(table, pair, &hunks, budget)? else { continue };
        let place = there.place.placement(table);
        let others =
            best.iter().flat_map(|best| best.ranked.iter().skip(1)).filter(|other| other.score >= MIN_STANDING);
        // The new text stands at one place and something like the old one at another. Only an old text that is all there
        // is still to be replaced.
        match found.into_iter().chain(others).find(|other| !overlaps(other, &there.place.map)) {
            Some(other) if is_clean(scene, pair, other) => {}
            Some(_) => return Ok(Err(report::undecided(scene, &place.range()))),
            None if there.sure => return Ok(Ok(Resolved::already(pair, place))),
            None => {}
        }
    }
    let Some(best) = best else { return Ok(Err(report::absent(scene))) };
    let likeness = &mut Likeness::new(table, &best.old);
    let many = edit.replace_all || edit.expected_count.is_some_and(|count| count > 1);
    let chosen = match choose(likeness, &best.ranked) {
        Choice::One(alignment) if !many => alignment,
        Choice::Several(all) if !many => {
            let ranges: Vec<_> = all.iter().map(|alignment| range(scene, alignment)).collect();
            match pick(scene, edit, &ranges, |place| begins(&map(&all[place]))) {
                Ok(picked) => all[picked[0]].clone(),
                Err(reason) => return Ok(Err(report::alignments(scene, reason, likeness, &all))),
            }
        }
        _ => return Ok(Err(report::alignments(scene, Reason::NotFound, likeness, &best.ranked))),
    };
    Ok(edited(scene, &best, &chosen, likeness))
}

fn edited(
    scene: &Scene<'_>,
    best: &Ranked<'_>,
    chosen: &Alignment,
    likeness: &Likeness<'_>,
) -> Result<Resolved, Refusal> {
    let table = scene.table();
    let (mut old, new) = (best.old.clone(), blocks(best.pair).1);
    let mut hunks = delta(&old.lines, &new.lines);
    let mut map = map(chosen);
    let with_blank;
    let (mut likeness, mut chosen) = (likeness, chosen.clone());
    match ending(table, best.pair, &hunks, old.len(), &[&map]) {
        Ending::Line => {}
        Ending::Blank => {
            let next = map.last().copied().flatten().map(|last| last + 1);
            map.push(next);
            chosen.lines.push(next.map(|next| (next, 1.0)));
            old.lines.push("");
            hunks = delta(&old.lines, &new.lines);
            with_blank = Likeness::new(table, &old);
            likeness = &with_blank;
        }
        Ending::Joined => return Err(report::joined(scene, &range(scene, &chosen))),
    }
    let (old, chosen) = (&old, &chosen);
    let rival = best.ranked.get(1).map_or(0.0, |rival| rival.score);
    let checked = if blanks_are_certain(table, old, &new, &hunks, &map) {
        check(likeness, &new, &hunks, chosen, rival)
    } else {
        Err(Doubt::Blank)
    };
    if let Err(doubt) = checked {
        return Err(report::doubtful(scene, likeness, chosen, doubt));
    }
    let mut resolved = applied(scene, best.pair, old, &new, &hunks, vec![placed(table, &map, chosen.score)]);
    resolved.warnings.extend(context_warnings(old, &hunks, chosen));
    Ok(resolved)
}

fn context_warnings(old: &Block<'_>, hunks: &[Hunk], chosen: &Alignment) -> impl Iterator<Item = Warning> {
    let context =
        (0..old.len()).filter(|line| !is_blank(old.lines[*line]) && !hunks.iter().any(|hunk| hunk.old.contains(line)));
    let (mut differs, mut dropped) = (0, 0);
    for line in context {
        match chosen.lines[line] {
            None => dropped += 1,
            Some((_, alike)) => differs += usize::from(!is_equal(alike)),
        }
    }
    let differs = (differs > 0).then_some(Warning::ContextDiffers(differs));
    differs.into_iter().chain((dropped > 0).then_some(Warning::ContextDropped(dropped)))
}

fn map(alignment: &Alignment) -> Vec<Option<usize>> {
    alignment.lines.iter().map(|line| line.map(|line| line.0)).collect()
}

fn range(scene: &Scene<'_>, alignment: &Alignment) -> Range<usize> {
    let table = scene.table();
    alignment.extent().map_or(0..0, |(first, last)| table.lines[first].start..table.lines[last].end)
}

fn overlaps(alignment: &Alignment, map: &[Option<usize>]) -> bool {
    let (first, last) = (map.iter().flatten().min(), map.iter().flatten().max());
    let (Some((from, to)), Some(&first), Some(&last)) = (alignment.extent(), first, last) else { return false };
    from <= last && first <= to
}

/// Places other than a match at another depth, or with other spaces, where more lines of the old text stand at their own
/// depth and with their own spaces, though not all. They are at least so much alike.
pub(super) fn rivals_at_own_depth(
    likeness: &mut Likeness<'_>,
    taken: &[Option<usize>],
    least: f64,
    budget: &mut Budget,
) -> Result<Vec<Range<usize>>, Spent> {
    let ranked = rank(likeness, budget)?;
    let mut taken_own = 0;
    for (line, there) in taken.iter().enumerate() {
        if let (Some(there), false) = (there, likeness.old[line].is_blank()) {
            taken_own += usize::from(likeness.get(line, *there, budget)? > OWN_DEPTH);
        }
    }
    let rival = |alignment: &&Alignment| {
        let own = |line: &&(usize, f64)| line.1 > OWN_DEPTH;
        let solid = likeness.old.iter().filter(|line| !line.is_blank()).count();
        let elsewhere = !alignment.lines.iter().zip(taken).any(|(a, b)| a.is_some() && a.map(|a| a.0) == *b);
        let at_own_depth = alignment.lines.iter().zip(&likeness.old).filter(|(_, line)| !line.is_blank());
        let count = at_own_depth.filter(|(there, _)| there.as_ref().is_some_and(|there| own(&there))).count();
        alignment.score >= least && elsewhere && count * 2 >= solid && count > taken_own
    };
    let lines = &likeness.table.lines;
    let found = ranked.iter().filter(rival).filter_map(Alignment::extent);
    Ok(found.map(|(first, last)| lines[first].start..lines[last].end).collect())
}

/// Lines at another depth are at most so much alike.
const OWN_DEPTH: f64 = 0.98;

/// The refusal of an old text that is not in the file as it is.
pub(super) fn not_found(scene: &Scene<'_>, pair: &Pair, budget: &mut Budget) -> Result<Refusal, Spent> {
    let old = Block::new(&pair.old);
    let mut likeness = Likeness::new(scene.table(), &old);
    let ranked = rank(&mut likeness, budget)?;
    Ok(report::alignments(scene, Reason::NotFound, &likeness, &ranked))
}
