//! Which of several places that are equally good.

use std::ops::Range;

use super::Scene;
use crate::text::{leading, loose};
use crate::{Anchor, Edit, Reason};

/// A nearest place is taken if the next one is so many times as far from the line that was named.
const NEARER: u64 = 3;

/// The numbers of the places to edit, or why there are none. `begins` tells the line, from 0, at which the old text would
/// begin at a place.
pub(super) fn pick(
    scene: &Scene<'_>,
    edit: &Edit,
    places: &[Range<usize>],
    begins: impl Fn(usize) -> u64,
) -> Result<Vec<usize>, Reason> {
    let mut left: Vec<usize> =
        (0..places.len()).filter(|&place| anchored(scene, edit.anchor, &places[place])).collect();
    if left.is_empty() {
        return Err(Reason::NotFound);
    }
    if edit.replace_all {
        let fits = edit.expected_count.is_none_or(|count| count == left.len());
        return if fits { Ok(left) } else { Err(Reason::CountMismatch) };
    }
    if let Some(count) = edit.expected_count.filter(|&count| count != 1) {
        return if count == left.len() { Ok(left) } else { Err(Reason::CountMismatch) };
    }
    if left.len() > 1 && !edit.scope.is_empty() {
        left = in_scope(scene, &edit.scope, places, left);
    }
    if let (2.., Some(line)) = (left.len(), edit.near_line) {
        let mut by_distance: Vec<(u64, usize)> =
            left.iter().map(|&place| ((begins(place) + 1).abs_diff(line), place)).collect();
        by_distance.sort_unstable();
        let (nearest, next) = (by_distance[0], by_distance[1]);
        if nearest.0 < next.0 && nearest.0.saturating_mul(NEARER) <= next.0 {
            left = vec![nearest.1];
        }
    }
    match (left.len(), edit.expected_count) {
        (1, _) => Ok(left),
        (_, Some(_)) => Err(Reason::CountMismatch),
        (_, None) => Err(Reason::Ambiguous),
    }
}

fn anchored(scene: &Scene<'_>, anchor: Anchor, place: &Range<usize>) -> bool {
    match anchor {
        Anchor::Anywhere => true,
        Anchor::Start => scene.text()[..place.start].trim().is_empty(),
        Anchor::End => scene.text()[place.end..].trim().is_empty(),
    }
}

/// The places below the scope's lines, and of these the ones that the last of these lines encloses, if there are any.
fn in_scope(scene: &Scene<'_>, scope: &[String], places: &[Range<usize>], left: Vec<usize>) -> Vec<usize> {
    let table = scene.table();
    let mut from = 0;
    let mut last = None;
    for text in scope {
        let wanted = loose(text);
        let is = |line: &usize| !wanted.is_empty() && loose(table.line(*line)).starts_with(&wanted);
        let Some(found) = (from..table.len()).find(is) else { return left };
        (from, last) = (found + 1, Some(found));
    }
    let Some(head) = last else { return left };
    let below: Vec<usize> =
        left.iter().copied().filter(|&place| places[place].start >= table.lines[head].next).collect();
    let depth = leading(table.line(head)).len();
    // The first line that is not deeper than the head, braces apart, ends what it encloses.
    let end = (head + 1..table.len())
        .find(|&line| {
            let text = table.line(line);
            !table.is_blank(line)
                && leading(text).len() <= depth
                && text.trim_start().starts_with(char::is_alphanumeric)
        })
        .map_or(scene.text().len(), |line| table.lines[line].start);
    let enclosed: Vec<usize> = below.iter().copied().filter(|&place| places[place].start < end).collect();
    match (enclosed.is_empty(), below.is_empty()) {
        (false, _) => enclosed,
        (true, false) => below,
        (true, true) => left,
    }
}
