//! One hit, looked at where it is held.

use crate::hits::{Details, Hits, Kind, Places, Row};
use crate::recall::{LineEnd, Recall};
use crate::result::{ContextLine, Hit};

/// One hit among the others of its file; the fields are those of [`Hit`].
#[derive(Clone, Copy)]
pub struct HitRef<'a> {
    pub(crate) hits: &'a Hits,
    pub(crate) index: usize,
}

impl<'a> HitRef<'a> {
    pub(crate) fn row(self) -> &'a Row {
        &self.hits.rows[self.index]
    }

    fn details(self) -> Option<&'a Details> {
        match self.row().kind {
            Kind::Detailed(place) => self.hits.details.get(place as usize),
            _ => None,
        }
    }

    /// See [`Hit::line`].
    #[must_use]
    pub fn line(self) -> u64 {
        self.row().line
    }

    /// See [`Hit::end_line`].
    #[must_use]
    pub fn end_line(self) -> u64 {
        self.details().map_or(self.row().line, |details| details.end_line)
    }

    /// See [`Hit::byte_offset`].
    #[must_use]
    pub fn byte_offset(self) -> u64 {
        self.row().byte_offset
    }

    /// See [`Hit::text`].
    #[must_use]
    pub fn text(self) -> &'a str {
        let start = self.index.checked_sub(1).map_or(0, |before| self.hits.rows[before].text_end);
        &self.hits.text[start..self.row().text_end]
    }

    /// See [`Hit::clipped`].
    #[must_use]
    pub fn clipped(self) -> bool {
        self.details().is_some_and(|details| details.clipped)
    }

    /// See [`Hit::lossy`].
    #[must_use]
    pub fn lossy(self) -> bool {
        self.details().is_some_and(|details| details.lossy)
    }

    /// See [`Hit::before`].
    #[must_use]
    pub fn before(self) -> &'a [ContextLine] {
        self.details().map_or(&[], |details| &details.before)
    }

    /// See [`Hit::after`].
    #[must_use]
    pub fn after(self) -> &'a [ContextLine] {
        self.details().map_or(&[], |details| &details.after)
    }

    /// See [`Hit::column`]. May search the line.
    #[must_use]
    pub fn column(self) -> u64 {
        match (self.row().kind, self.details()) {
            (Kind::Single(column), _) => u64::from(column),
            (_, Some(Details { found: Places::Known { column, .. }, .. })) => *column,
            _ => self.later().map_or(1, |(recall, end)| recall.column(self.text(), end)),
        }
    }

    /// See [`Hit::spans`]. May search the line.
    #[must_use]
    pub fn spans(self) -> Vec<(u32, u32)> {
        match (self.row().kind, self.details()) {
            (Kind::Single(_), _) => vec![(0, u32::try_from(self.text().chars().count()).unwrap_or(u32::MAX))],
            (_, Some(Details { found: Places::Known { spans, .. }, .. })) => spans.clone(),
            _ => self.later().map_or_else(Vec::new, |(recall, end)| recall.spans(self.text(), end)),
        }
    }

    /// Everything, worked out.
    #[must_use]
    pub fn to_hit(self) -> Hit {
        Hit {
            line: self.line(),
            end_line: self.end_line(),
            column: self.column(),
            byte_offset: self.byte_offset(),
            text: self.text().into(),
            spans: self.spans(),
            clipped: self.clipped(),
            lossy: self.lossy(),
            before: self.before().to_vec(),
            after: self.after().to_vec(),
        }
    }

    /// Bytes of text given, context included.
    pub(crate) fn text_bytes(self) -> u64 {
        let context: usize = self.before().iter().chain(self.after()).map(|line| line.text.len()).sum();
        (self.text().len() + context) as u64
    }

    fn later(self) -> Option<(&'a Recall, LineEnd)> {
        let end = match (self.row().kind, self.details()) {
            (Kind::Line(end), _) => end,
            (_, Some(Details { found: Places::Later(end), .. })) => *end,
            _ => return None,
        };
        Some((self.hits.recall.as_ref()?, end))
    }
}
