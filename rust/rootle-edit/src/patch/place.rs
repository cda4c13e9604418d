//! Which lines of the file each hunk is for.
//!
//! A hunk's place is certain where its old lines stand exactly at the header's line, moved by what the hunks around it
//! moved (the drift, as GNU patch reckons it), or where they stand only once. Of several places a hunk takes the one
//! that the drift, the end of the file, the scope, or the hunks before and after it single out; else it has none.
//! There is never a nearest one.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use super::model::{Dialect, FilePatch, Hunk, LineKind};
use super::scope;
use super::target::{Found, OldLines, Target};
use crate::Anchor;

/// Where a hunk goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Its old lines stand at this line (from 0), exactly, or but for spaces that context lines lost.
    Lines { at: usize, loosely: bool },
    /// It only adds lines, above this one.
    Insert { at: usize },
    /// Its old lines stand at several places; none are listed if there are very many.
    Several(Vec<usize>),
    /// They stand nowhere exactly. The header and the hunks around it say that they should at this line.
    Nowhere { expected: Option<usize> },
    /// Nothing says where the lines it adds go.
    Unknown(&'static str),
    /// The search took too much work.
    TooMuchWork,
}

impl Place {
    fn line(&self) -> Option<usize> {
        match self {
            Self::Lines { at, .. } | Self::Insert { at } => Some(*at),
            _ => None,
        }
    }
}

/// Places all hunks.
pub(super) struct Placer<'t, 'a, 'f> {
    target: &'t mut Target<'a>,
    file: &'f FilePatch,
    /// The hunks in the order of their headers' lines, or as they come.
    order: Vec<usize>,
    /// Whether that order is to be trusted: the headers' lines rise as the hunks come, or the dialect demands order.
    ordered: bool,
    places: Vec<Place>,
    /// For each hunk in order, the nearest ones before and after it that have lines of the file.
    neighbours: Vec<(Option<usize>, Option<usize>)>,
    /// The blocks of the scopes that were asked for.
    blocks: HashMap<&'f [String], Option<Range<usize>>>,
}

impl<'t, 'a, 'f> Placer<'t, 'a, 'f> {
    pub(super) fn new(target: &'t mut Target<'a>, file: &'f FilePatch) -> Self {
        let hunks = &file.hunks;
        let mut order: Vec<usize> = (0..hunks.len()).collect();
        let numbered = hunks.iter().all(|hunk| hunk.edit.near_line.is_some());
        let mut ordered = file.dialect == Dialect::V4a && hunks.iter().all(|hunk| hunk.edit.near_line.is_none());
        if numbered {
            ordered = hunks.windows(2).all(|pair| pair[0].edit.near_line < pair[1].edit.near_line);
            order.sort_by_key(|hunk| hunks[*hunk].edit.near_line);
        }
        let places = vec![Place::Nowhere { expected: None }; hunks.len()];
        Self { target, file, order, ordered, places, neighbours: Vec::new(), blocks: HashMap::new() }
    }

    pub(super) fn run(mut self) -> Vec<Place> {
        let mut drift = 0;
        for at in 0..self.order.len() {
            let number = self.order[at];
            let hunk = &self.file.hunks[number];
            if hunk.is_bare_insertion() {
                continue;
            }
            self.places[number] = self.first_look(hunk, drift);
            if let (Some(near), Some(line)) = (hunk.edit.near_line, self.places[number].line()) {
                drift = offset(near, line);
            }
        }
        self.find_neighbours();
        // Decided together, by what was certain before.
        let mut decided = Vec::new();
        for at in 0..self.order.len() {
            if let Place::Several(lines) = self.places[self.order[at]].clone()
                && let Some(line) = self.single_out(at, &lines)
            {
                decided.push((self.order[at], line));
            }
        }
        for (number, line) in decided {
            self.places[number] = Place::Lines { at: line, loosely: false };
        }
        self.find_neighbours();
        for at in 0..self.order.len() {
            let file = self.file;
            let hunk = &file.hunks[self.order[at]];
            if hunk.is_bare_insertion() {
                self.places[self.order[at]] = self.insertion(hunk, at);
            } else if matches!(self.places[self.order[at]], Place::Nowhere { .. }) {
                let expected = hunk.edit.near_line.zip(self.drift(at)).and_then(|(near, drift)| moved(near, drift));
                self.places[self.order[at]] = Place::Nowhere { expected };
            }
        }
        self.places
    }

    fn first_look(&mut self, hunk: &Hunk, drift: i64) -> Place {
        let old = OldLines::of(hunk);
        if let Some(at) = hunk.edit.near_line.and_then(|near| moved(near, drift))
            && self.target.matches(&old, at, false)
        {
            return match self.edge_instead(hunk, &old, at) {
                Some(edge) => Place::Several(vec![at.min(edge), at.max(edge)]),
                None => Place::Lines { at, loosely: false },
            };
        }
        match self.target.find(&old, false) {
            Found::At(lines) if lines.len() == 1 => Place::Lines { at: lines[0], loosely: false },
            Found::At(lines) => Place::Several(lines),
            Found::TooMany => Place::Several(Vec::new()),
            Found::TooMuchWork => Place::TooMuchWork,
            Found::Nowhere if !may_lack_prefix(self.file, hunk) => Place::Nowhere { expected: None },
            Found::Nowhere => match self.target.find(&old, true) {
                Found::At(lines) if lines.len() == 1 => Place::Lines { at: lines[0], loosely: true },
                _ => Place::Nowhere { expected: None },
            },
        }
    }

    /// Programs give a change less context on one side only at the file's beginning or end. If the lines stand there as
    /// well as at the header's line, the header's line may be stale.
    fn edge_instead(&mut self, hunk: &Hunk, old: &OldLines<'_>, at: usize) -> Option<usize> {
        let context = |kind: &LineKind| *kind == LineKind::Context;
        let above = hunk.kinds.iter().take_while(|kind| context(kind)).count();
        let below = hunk.kinds.iter().rev().take_while(|kind| context(kind)).count();
        let edge = match above.cmp(&below) {
            Ordering::Less => 0,
            Ordering::Equal => return None,
            Ordering::Greater => self.target.len().checked_sub(old.lines.len())?,
        };
        (edge != at && self.target.matches(old, edge, false)).then_some(edge)
    }

    fn find_neighbours(&mut self) {
        let has_lines = |at: usize| matches!(self.places[self.order[at]], Place::Lines { .. });
        self.neighbours = vec![(None, None); self.order.len()];
        let mut last = None;
        for at in 0..self.order.len() {
            self.neighbours[at].0 = last;
            last = if has_lines(at) { Some(at) } else { last };
        }
        last = None;
        for at in (0..self.order.len()).rev() {
            self.neighbours[at].1 = last;
            last = if has_lines(at) { Some(at) } else { last };
        }
    }

    /// How far the hunks before and after have moved.
    fn drifts(&self, at: usize) -> [Option<i64>; 2] {
        let of = |at: usize| {
            let number = self.order[at];
            Some(offset(self.file.hunks[number].edit.near_line?, self.places[number].line()?))
        };
        [self.neighbours[at].0.and_then(of), self.neighbours[at].1.and_then(of)]
    }

    /// How far a hunk has moved, by what the ones around it did; none if these do not agree.
    fn drift(&self, at: usize) -> Option<i64> {
        match self.drifts(at) {
            [Some(before), Some(after)] => (before == after).then_some(before),
            [before, after] => Some(before.or(after).unwrap_or(0)),
        }
    }

    /// The lines of the hunk's scope.
    fn block(&mut self, hunk: &'f Hunk) -> Option<Range<usize>> {
        if hunk.edit.scope.is_empty() {
            return None;
        }
        if let Some(block) = self.blocks.get(hunk.edit.scope.as_slice()) {
            return block.clone();
        }
        let block =
            if self.target.spend(self.target.len()) { scope::block(self.target, &hunk.edit.scope) } else { None };
        self.blocks.insert(&hunk.edit.scope, block.clone());
        block
    }

    /// The one of several places that something other than nearness speaks for.
    fn single_out(&mut self, at: usize, lines: &[usize]) -> Option<usize> {
        let hunk = &self.file.hunks[self.order[at]];
        let only = |mut fitting: Vec<usize>| if fitting.len() == 1 { fitting.pop() } else { None };
        let old = OldLines::of(hunk);
        if let Some(near) = hunk.edit.near_line {
            let mut expected: Vec<usize> =
                self.drifts(at).into_iter().flatten().filter_map(|drift| moved(near, drift)).collect();
            expected.retain(|line| self.target.matches(&old, *line, false));
            expected.dedup();
            if let Some(line) = only(expected) {
                return Some(line);
            }
        }
        if hunk.edit.anchor == Anchor::End {
            let last = lines.iter().copied().filter(|line| line + old.lines.len() == self.target.len()).collect();
            if let Some(line) = only(last) {
                return Some(line);
            }
        }
        if let Some(block) = self.block(hunk)
            && let Some(line) = only(lines.iter().copied().filter(|line| block.contains(line)).collect())
        {
            return Some(line);
        }
        let exact = || only(lines.iter().copied().filter(|line| self.target.same_line_ends(hunk, *line)).collect());
        self.between(at, lines).or_else(exact)
    }

    /// The only place between the hunks before and after, where hunks come in the file's order.
    fn between(&self, at: usize, lines: &[usize]) -> Option<usize> {
        let (before, after) = self.neighbours[at];
        if !self.ordered || before.is_none() && after.is_none() {
            return None;
        }
        let line = |at: usize| self.places[self.order[at]].line().unwrap_or(0);
        let length = |at: usize| self.file.hunks[self.order[at]].edit.old.matches('\n').count();
        let from = before.map_or(0, |at| line(at) + length(at));
        let to = after.map_or(self.target.len(), line);
        let mut fitting = lines.iter().copied().filter(|line| (from..to).contains(line));
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Where a hunk that only adds lines puts them.
    fn insertion(&mut self, hunk: &'f Hunk, at: usize) -> Place {
        let length = self.target.len();
        if length == 0 {
            return Place::Insert { at: 0 };
        }
        if hunk.edit.anchor == Anchor::End && hunk.claim.is_none() {
            return Place::Insert { at: length };
        }
        match (hunk.claim, hunk.edit.near_line) {
            (Some(claim), _) if claim.old_count > 0 => {
                return Place::Unknown(
                    "its header says that it has old lines, and there are none; give the lines around the change",
                );
            }
            (Some(_), Some(near)) => return self.at_line(near, at),
            (None, Some(near)) if self.file.dialect == Dialect::SearchReplace => return self.at_line(near, at),
            _ => {}
        }
        if let Some(block) = self.block(hunk) {
            return if scope::ends_a_head(self.target.table.line(block.start)) {
                Place::Insert { at: block.start + 1 }
            } else {
                Place::Unknown("its `@@` text is the beginning of a longer head; give the lines around the change")
            };
        }
        if self.file.compat_codex {
            return Place::Insert { at: length };
        }
        Place::Unknown("it only adds lines, and nothing says where they go; give unchanged lines before or after them")
    }

    fn at_line(&self, near: u64, at: usize) -> Place {
        let Some(drift) = self.drift(at) else {
            return Place::Unknown(
                "the lines have moved since, and nothing shows how far; give unchanged lines before or after them",
            );
        };
        match moved(near, drift).filter(|at| *at <= self.target.len()) {
            Some(at) => Place::Insert { at },
            None => Place::Unknown(
                "its line is past the end of the file; give unchanged lines before or after the new ones",
            ),
        }
    }
}

/// Whether the first space of a context line may be content: where lines have prefixes. In blocks without them, removed
/// lines that stand as they are have to show it.
pub(super) fn may_lack_prefix(file: &FilePatch, hunk: &Hunk) -> bool {
    file.dialect != Dialect::SearchReplace || hunk.kinds.contains(&LineKind::Removed)
}

/// How far below the header's line (from 1) a line (from 0) is.
pub(super) fn offset(near: u64, line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX) - (i64::try_from(near).unwrap_or(i64::MAX) - 1)
}

/// The line (from 0) that far below the header's line.
fn moved(near: u64, drift: i64) -> Option<usize> {
    let line = i64::try_from(near).ok()?.checked_sub(1)?.checked_add(drift)?;
    usize::try_from(line).ok()
}
