//! The hits of one file, held in little room: their texts in one piece, and of an ordinary line no more than where it is.
//! Its column and spans take another search of the line, so they are worked out when they are asked for.

use std::fmt;

use crate::hit_ref::HitRef;
use crate::recall::{LineEnd, Recall};
use crate::result::{ContextLine, Hit};

/// The hits of one file, in order.
#[derive(Clone, Default)]
pub struct Hits {
    pub(crate) text: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) details: Vec<Details>,
    pub(crate) recall: Option<Recall>,
}

#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) line: u64,
    pub(crate) byte_offset: u64,
    /// Where its text ends; that begins where the text of the row before ends.
    pub(crate) text_end: usize,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A whole line, in which matches are looked for when they are asked for.
    Line(LineEnd),
    /// A whole line that is given for having no match.
    Unmatched,
    /// A match without its line, at this column of it.
    Single(u32),
    /// Anything else: a place in `details`.
    Detailed(u32),
}

#[derive(Clone)]
pub(crate) struct Details {
    pub(crate) end_line: u64,
    pub(crate) found: Places,
    pub(crate) clipped: bool,
    pub(crate) lossy: bool,
    pub(crate) before: Vec<ContextLine>,
    pub(crate) after: Vec<ContextLine>,
}

/// Where the matches of a hit are.
#[derive(Clone)]
pub(crate) enum Places {
    /// To be looked for.
    Later(LineEnd),
    Known {
        column: u64,
        spans: Vec<(u32, u32)>,
    },
}

impl Hits {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The hit at `index`, from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<HitRef<'_>> {
        (index < self.rows.len()).then_some(HitRef { hits: self, index })
    }

    /// The hit at `index`, from 0.
    ///
    /// # Panics
    /// When there is no such hit.
    #[must_use]
    pub fn at(&self, index: usize) -> HitRef<'_> {
        assert!(index < self.rows.len(), "no such hit");
        HitRef { hits: self, index }
    }

    /// The last hit.
    #[must_use]
    pub fn last(&self) -> Option<HitRef<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = HitRef<'_>> {
        (0..self.len()).map(|index| HitRef { hits: self, index })
    }

    /// All of them, worked out.
    #[must_use]
    pub fn to_vec(&self) -> Vec<Hit> {
        self.iter().map(HitRef::to_hit).collect()
    }

    /// Adds a line as it is, whose matches are to be found later; `end` is `None` for one given for having none.
    pub(crate) fn push_line(
        &mut self,
        line: u64,
        byte_offset: u64,
        text: &str,
        end: Option<LineEnd>,
        before: Vec<ContextLine>,
    ) {
        self.push_row(line, byte_offset, text, end.map_or(Kind::Unmatched, Kind::Line));
        if !before.is_empty()
            && let Some(details) = self.last_details()
        {
            details.before = before;
        }
    }

    /// Adds a hit that was worked out.
    pub(crate) fn push(&mut self, hit: Hit) {
        let Hit { line, end_line, column, byte_offset, text, spans, clipped, lossy, before, after } = hit;
        let plain = line == end_line && !clipped && !lossy && before.is_empty() && after.is_empty();
        if plain
            && let [(0, end)] = spans[..]
            && text.chars().count() == end as usize
            && let Ok(column) = u32::try_from(column)
        {
            return self.push_row(line, byte_offset, &text, Kind::Single(column));
        }
        let place = self.details.len();
        self.details.push(Details { end_line, found: Places::Known { column, spans }, clipped, lossy, before, after });
        self.push_row(line, byte_offset, &text, detailed(place));
    }

    /// Adds a line of context to the last hit, if there is one.
    pub(crate) fn push_after(&mut self, context: ContextLine) {
        if let Some(details) = self.last_details() {
            details.after.push(context);
        }
    }

    /// Keeps the first `len` hits.
    pub(crate) fn truncate(&mut self, len: usize) {
        let Some(gone) = self.rows.get(len..) else { return };
        let detailed = gone.iter().find_map(|row| match row.kind {
            Kind::Detailed(place) => Some(place as usize),
            _ => None,
        });
        if let Some(place) = detailed {
            self.details.truncate(place);
        }
        self.rows.truncate(len);
        self.text.truncate(self.rows.last().map_or(0, |row| row.text_end));
    }

    /// Ends the adding: `recall` will find what is left to be found.
    pub(crate) fn seal(&mut self, recall: &Recall) {
        self.recall = Some(recall.clone());
        self.text.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.details.shrink_to_fit();
    }

    fn push_row(&mut self, line: u64, byte_offset: u64, text: &str, kind: Kind) {
        if self.rows.is_empty() {
            self.rows.reserve(FIRST_ROWS);
            self.text.reserve(text.len().max(FIRST_TEXT));
        }
        self.text.push_str(text);
        self.rows.push(Row { line, byte_offset, text_end: self.text.len(), kind });
    }

    /// The last hit's details; from now on it has some.
    fn last_details(&mut self) -> Option<&mut Details> {
        let last = self.last()?;
        if !matches!(last.row().kind, Kind::Detailed(_)) {
            let row = *last.row();
            let found = match row.kind {
                Kind::Line(end) => Places::Later(end),
                _ => Places::Known { column: last.column(), spans: last.spans() },
            };
            let place = self.details.len();
            self.details.push(Details {
                end_line: row.line,
                found,
                clipped: false,
                lossy: false,
                before: Vec::new(),
                after: Vec::new(),
            });
            self.rows.last_mut()?.kind = detailed(place);
        }
        self.details.last_mut()
    }
}

/// Room that is enough for most files; what is not needed is given back at the end.
const FIRST_ROWS: usize = 16;
const FIRST_TEXT: usize = 1 << 10;

/// More hits than 32 bits can count do not fit into memory.
fn detailed(place: usize) -> Kind {
    Kind::Detailed(u32::try_from(place).unwrap_or(u32::MAX))
}

impl fmt::Debug for Hits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(HitRef::to_hit)).finish()
    }
}

impl PartialEq for Hits {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.to_hit() == b.to_hit())
    }
}

impl Eq for Hits {}
