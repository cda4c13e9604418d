//! The file that a patch is for, with its lines indexed, so that the search for each hunk costs about the hunk's length
//! and not the file's.

use std::collections::HashMap;

use super::model::{Hunk, LineKind};
use crate::Anchor;
use crate::text::{Document, Table};

/// Places of one hunk that are told apart.
const PLACES: usize = 256;
/// Line comparisons that all hunks of a file may cost together.
const WORK: u64 = 40_000_000;

/// A file's text, its lines and where each of them stands.
pub(super) struct Target<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) table: Table<'a>,
    /// For each line's text its first place and how many it has.
    places: HashMap<&'a str, (u32, u32)>,
    /// For each line the next one with the same text.
    next: Vec<u32>,
    work: u64,
    /// Places of each line's loosest key; made when first asked for.
    loose: Option<HashMap<u64, Vec<u32>>>,
}

const NONE: u32 = u32::MAX;

/// The old lines of a hunk, without carriage returns at their ends.
pub(super) struct OldLines<'h> {
    pub(super) lines: Vec<&'h str>,
    removed: Vec<bool>,
    at_end: bool,
    at_very_end: bool,
}

/// Where a hunk's old lines stand exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nowhere,
    /// Lines counted from 0, in order.
    At(Vec<usize>),
    /// More places than are told apart.
    TooMany,
    /// The search took too much work.
    TooMuchWork,
}

/// A line without its line end. A carriage return that no line feed follows is content.
pub(super) fn bare(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

impl<'h> OldLines<'h> {
    pub(super) fn of(hunk: &'h Hunk) -> Self {
        Self::on_side(hunk, LineKind::Added)
    }

    /// The new lines, for the question whether they are there already.
    pub(super) fn new_side(hunk: &'h Hunk) -> Self {
        Self::on_side(hunk, LineKind::Removed)
    }

    fn on_side(hunk: &'h Hunk, other: LineKind) -> Self {
        let (text, kinds) = (if other == LineKind::Added { &hunk.edit.old } else { &hunk.edit.new }, &hunk.kinds);
        let at_very_end = hunk.old_open_end || hunk.new_open_end;
        Self {
            lines: text.split_inclusive('\n').map(without_mark).map(bare).collect(),
            removed: kinds.iter().filter(|kind| **kind != other).map(|kind| *kind != LineKind::Context).collect(),
            at_end: hunk.edit.anchor == Anchor::End,
            at_very_end,
        }
    }
}

/// The byte order mark is no part of the text here.
fn without_mark(line: &str) -> &str {
    line.strip_prefix('\u{feff}').unwrap_or(line)
}

impl<'a> Target<'a> {
    pub(super) fn new(document: &'a Document<'a>) -> Self {
        let table = Table::new(&document.text);
        let mut places: HashMap<&'a str, (u32, u32)> = HashMap::with_capacity(table.len());
        let mut next = vec![NONE; table.len()];
        for number in (0..table.len()).rev() {
            let at = u32::try_from(number).unwrap_or(NONE);
            let place = places.entry(table.line(number)).or_insert((NONE, 0));
            next[number] = place.0;
            *place = (at, place.1 + 1);
        }
        Self { document, table, places, next, work: WORK, loose: None }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The last line has no line end.
    pub(super) fn open_ended(&self) -> bool {
        self.table.lines.last().is_some_and(|line| line.end == line.next)
    }

    /// Whether the old lines stand at line `at`. With `loosely`, a context line may have lost the space before it, so
    /// that its own first space is content.
    pub(super) fn matches(&mut self, old: &OldLines<'_>, at: usize, loosely: bool) -> bool {
        let Some(end) = at.checked_add(old.lines.len()).filter(|end| *end <= self.len()) else { return false };
        if old.at_very_end && end < self.len() || old.at_end && (end..self.len()).any(|line| !self.table.is_blank(line))
        {
            return false;
        }
        let equal = old.lines.iter().zip(at..).take_while(|(line, at)| {
            let file = self.table.line(*at);
            file == **line
                || loosely && !old.removed[at - (end - old.lines.len())] && file.strip_prefix(' ') == Some(**line)
        });
        let equal = equal.count();
        self.work = self.work.saturating_sub(equal as u64 + 1);
        equal == old.lines.len()
    }

    /// All places of the old lines.
    pub(super) fn find(&mut self, old: &OldLines<'_>, loosely: bool) -> Found {
        // The forms that a line may have in the file, each with its first place and how many it has.
        let forms = |at: usize| {
            let spaced = (loosely && !old.removed[at]).then(|| format!(" {}", old.lines[at]));
            let place = |line: &str| self.places.get(line).copied().unwrap_or((NONE, 0));
            [place(old.lines[at]), spaced.map_or((NONE, 0), |line| place(&line))]
        };
        // The rarest line leads to the places.
        let count = |at: &usize| forms(*at).iter().map(|form| u64::from(form.1)).sum::<u64>();
        let Some(rarest) = (0..old.lines.len()).min_by_key(count) else { return Found::Nowhere };
        let mut found = Vec::new();
        for (mut line, _) in forms(rarest) {
            while line != NONE {
                if self.work == 0 {
                    return Found::TooMuchWork;
                }
                if let Some(at) = (line as usize).checked_sub(rarest)
                    && self.matches(old, at, loosely)
                {
                    found.push(at);
                    if found.len() > PLACES {
                        return Found::TooMany;
                    }
                }
                line = self.next[line as usize];
            }
        }
        found.sort_unstable();
        if found.is_empty() { Found::Nowhere } else { Found::At(found) }
    }

    /// Whether the file's lines at `at` are the hunk's to the last carriage return.
    pub(super) fn same_line_ends(&self, hunk: &Hunk, at: usize) -> bool {
        let mut old = hunk.edit.old.split_inclusive('\n').map(without_mark).zip(&self.table.lines[at..]);
        old.all(|(line, file)| {
            let file = &self.document.text[file.start..file.next];
            file.strip_suffix('\n').unwrap_or(file) == line.strip_suffix('\n').unwrap_or(line)
        })
    }

    /// The lines with a text like that of the key, white space aside.
    pub(super) fn loose_places(&mut self, key: u64) -> &[u32] {
        let table = &self.table;
        let places = self.loose.get_or_insert_with(|| {
            let mut places: HashMap<u64, Vec<u32>> = HashMap::new();
            for (line, at) in (0..table.len()).zip(0..) {
                places.entry(table.hash(line)).or_default().push(at);
            }
            places
        });
        places.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Takes `units` from what the search may still cost, if so much is left.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let units = units as u64;
        let left = self.work >= units;
        self.work = if left { self.work - units } else { 0 };
        left
    }

    /// Where line `at` begins; the text's end for the line after the last.
    pub(super) fn start_of(&self, at: usize) -> usize {
        self.table.lines.get(at).map_or(self.document.text.len(), |line| line.start)
    }
}
