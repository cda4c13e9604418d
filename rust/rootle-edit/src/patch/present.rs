//! Whether a hunk's change is in the file already.

use super::model::{Hunk, LineKind};
use super::place::offset;
use super::target::{Found, OldLines, Target, bare};
use crate::Anchor;
use crate::text::{is_word, loose_hash};

/// Characters that the new lines must have, white space aside, to be known again.
const ENOUGH: usize = 16;
/// The same for lines that the hunk adds beside context which stays; one must be a letter or a digit.
const MIN_ADDED: usize = 3;

fn is_enough<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).nth(ENOUGH - 1).is_some()
}

/// For a hunk whose old lines stand nowhere exactly: the line (from 0) where its new lines stand. The old lines must not
/// stand anywhere in another form either. With `loosely`, context lines may have lost the space before them.
pub(super) fn new_lines_at(target: &mut Target<'_>, hunk: &Hunk, loosely: bool) -> Option<usize> {
    let new = OldLines::new_side(hunk);
    let short = !is_enough(new.lines.iter().copied());
    if (short && !is_enclosed(hunk)) || !shows_its_removals(hunk) {
        return None;
    }
    // What is taken out without anything in its place leaves no trace of its own: its lines must be gone.
    if (short || only_removes_somewhere(hunk)) && !removed_are_gone(target, hunk) {
        return None;
    }
    let places = match target.find(&new, false) {
        Found::At(places) => places,
        Found::Nowhere if loosely => match target.find(&new, true) {
            Found::At(places) => places,
            _ => return None,
        },
        _ => return None,
    };
    let expected = |at: &usize| {
        let claim = hunk.claim?;
        Some(offset(claim.new_start, *at) == 0)
    };
    let place = match places.as_slice() {
        [one] => *one,
        several => several.iter().copied().find(|at| expected(at) == Some(true))?,
    };
    // At the file's end, the old lines stand above the ones that were added.
    let grown = hunk.edit.anchor == Anchor::End
        && hunk.kinds.first() == Some(&LineKind::Context)
        && adds_again(target, hunk, place);
    (grown || !stands_loosely(target, hunk)).then_some(place)
}

/// Whether the new lines alone tell that the removed ones are gone: what was taken out without anything in its place
/// must have context on both sides.
fn shows_its_removals(hunk: &Hunk) -> bool {
    let runs: Vec<&[LineKind]> =
        hunk.kinds.chunk_by(|a, b| (*a == LineKind::Context) == (*b == LineKind::Context)).collect();
    runs.iter()
        .enumerate()
        .all(|(at, run)| run[0] == LineKind::Context || run.contains(&LineKind::Added) || at > 0 && at + 1 < runs.len())
}

/// Whether some change of the hunk adds nothing.
fn only_removes_somewhere(hunk: &Hunk) -> bool {
    let mut runs = hunk.kinds.chunk_by(|a, b| (*a == LineKind::Context) == (*b == LineKind::Context));
    runs.any(|run| run[0] != LineKind::Context && !run.contains(&LineKind::Added))
}

/// Whether few new lines are enough, since context on both sides, or on one and the file's end, shows the place, and each
/// change puts lines there, not all of them brackets or blank.
fn is_enclosed(hunk: &Hunk) -> bool {
    let context = |kind: Option<&LineKind>| kind == Some(&LineKind::Context);
    let solid = |line: &str| !line.trim().is_empty();
    let lines: Vec<(LineKind, &str)> = hunk.lines().collect();
    let above = lines.iter().take_while(|line| line.0 == LineKind::Context).any(|line| solid(line.1));
    let below = lines.iter().rev().take_while(|line| line.0 == LineKind::Context).any(|line| solid(line.1));
    let at_end = hunk.edit.anchor == Anchor::End && !context(hunk.kinds.last());
    let mut changes = lines.chunk_by(|a, b| (a.0 == LineKind::Context) == (b.0 == LineKind::Context));
    above
        && (below || at_end)
        && changes.all(|run| {
            let says = |line: &(LineKind, &str)| line.0 == LineKind::Added && line.1.contains(is_word);
            run[0].0 == LineKind::Context || run.iter().any(says)
        })
}

/// Whether none of the removed lines that say something stands in the file, white space aside, unless the hunk also keeps
/// or adds such a line.
fn removed_are_gone(target: &mut Target<'_>, hunk: &Hunk) -> bool {
    let keys = |kept: bool| {
        let lines = hunk.lines().filter(move |line| (line.0 != LineKind::Removed) == kept);
        lines.filter(|line| line.1.contains(is_word)).map(|line| loose_hash(bare(line.1)))
    };
    let kept: Vec<u64> = keys(true).collect();
    keys(false).all(|key| kept.contains(&key) || target.loose_places(key).is_empty())
}

/// Whether the old lines stand somewhere, white space and blank lines aside.
fn stands_loosely(target: &mut Target<'_>, hunk: &Hunk) -> bool {
    let old: Vec<u64> = hunk.edit.old.lines().map(|line| loose_hash(bare(line))).filter(|key| *key != 0).collect();
    // The rarest line leads to the places.
    let Some(rarest) = (0..old.len()).min_by_key(|at| target.loose_places(old[*at]).len()) else { return true };
    let places = target.loose_places(old[rarest]).to_vec();
    places.into_iter().any(|place| {
        let (table, place) = (&target.table, place as usize);
        let solid = |line: &usize| !table.is_blank(*line);
        let same_key = |(line, key): &(usize, &u64)| table.hash(*line) == **key;
        let same = (place..table.len()).filter(solid).zip(&old[rarest..]).take_while(same_key).count();
        let same_above = (0..place).rev().filter(solid).zip(old[..rarest].iter().rev()).take_while(same_key).count();
        !target.spend(same + same_above + 1) || same + same_above == old.len()
    })
}

/// For a hunk that applies at line `at`, lacks context after lines that it adds or before them, and does nothing else:
/// whether these lines stand there already, so that it would add them twice.
pub(super) fn adds_again(target: &Target<'_>, hunk: &Hunk, at: usize) -> bool {
    let lines: Vec<(LineKind, &str)> = hunk.lines().map(|(kind, text)| (kind, bare(text))).collect();
    let added = |(kind, _): &&(LineKind, &str)| *kind == LineKind::Added;
    let first = lines.iter().take_while(added).count();
    let last = lines[first..].iter().rev().take_while(added).count();
    let context = lines.len() - first - last;
    if lines[first..first + context].iter().any(|(kind, _)| *kind != LineKind::Context) {
        return false;
    }
    let stands = |texts: &[(LineKind, &str)], from: usize| {
        from + texts.len() <= target.len() && texts.iter().zip(from..).all(|(line, at)| target.table.line(at) == line.1)
    };
    if context == 0 {
        // Nothing but a line's number shows the place.
        return is_enough(lines.iter().map(|line| line.1)) && stands(&lines, at);
    }
    let (above, below) = (&lines[..first], &lines[first + context..]);
    let says = [above, below].into_iter().all(|texts| texts.is_empty() || is_known_again(texts));
    says && at >= first && stands(above, at - first) && stands(below, at + context)
}

/// Whether lines beside context are more than the brackets and blank lines that come twice for good reasons.
fn is_known_again(texts: &[(LineKind, &str)]) -> bool {
    let solid = texts.iter().flat_map(|line| line.1.chars()).filter(|c| !c.is_whitespace()).count();
    solid >= MIN_ADDED && texts.iter().any(|line| line.1.contains(is_word))
}
