//! The merge into whole lines of the file.

use std::ops::Range;

use super::indent::{Indents, Unit};
use super::pairs::pairs;
use super::{Change, Hunk, Merged, merge_line};
use crate::find::{Placement, Span, line_end_len};
use crate::text::{Block, fold, is_blank, leading, trim_space};

/// What the lines are merged with.
struct Context<'a> {
    text: &'a str,
    /// The line end where no neighbour has one.
    line_end: &'a str,
    old: &'a Block<'a>,
    spans: &'a [Option<Span>],
    hunks: &'a [Hunk],
    indents: Indents<'a>,
}

/// Makes the hunks in the lines of the placement. Lines of the old text that the file has not, and lines that only the
/// file has, are left as they are.
pub(crate) fn merge_lines<'a>(
    text: &'a str,
    line_end: &'a str,
    old: &'a Block<'a>,
    new: &'a Block<'a>,
    hunks: &'a [Hunk],
    placement: &'a Placement,
) -> Merged {
    let known = old.lines.iter().zip(&placement.spans).enumerate().filter_map(|(number, (line, span))| {
        let file = &text[span.as_ref()?.start..span.as_ref()?.end];
        (!is_blank(line) && !is_blank(file)).then(|| (number, leading(line), leading(file)))
    });
    let known: Vec<_> = known.collect();
    let indents = if known.iter().all(|(_, old, file)| old == file) {
        Indents::new(known, None, None)
    } else {
        let around = lines_around(text, placement.range());
        Indents::new(known, Unit::of(&[&old.lines, &new.lines]), Unit::of(&[&around]))
    };
    let context = Context { text, line_end, old, spans: &placement.spans, hunks, indents };
    let mut merged = Merged::default();
    for hunk in hunks {
        let spans: Vec<(usize, Span)> =
            hunk.old.clone().filter_map(|line| Some((line, placement.spans[line]?))).collect();
        let lines = context.lines(hunk, &spans, &new.lines[hunk.new.clone()], &mut merged);
        let change = match (spans.first(), spans.last()) {
            (Some(&(_, first)), Some(&(_, last))) => context.replacement(&spans, first.start..last.end, &lines),
            _ if lines.is_empty() => continue,
            _ => context.insertion(hunk, &lines),
        };
        merged.changes.push(change);
    }
    merged
}

/// Lines above and below a place that show how the file is indented.
const LINES_AROUND: usize = 200;

fn lines_around(text: &str, range: Range<usize>) -> Vec<&str> {
    let above = text[..range.start].rsplit('\n').take(LINES_AROUND);
    let mut lines: Vec<&str> = above.collect();
    lines.reverse();
    lines.extend(text[range.start..].split('\n').take(LINES_AROUND));
    lines
}

impl Context<'_> {
    /// The new lines of a hunk as the file has such lines.
    fn lines(&self, hunk: &Hunk, spans: &[(usize, Span)], new: &[&str], merged: &mut Merged) -> Vec<String> {
        let file = |span: Span| &self.text[span.start..span.end];
        let same =
            spans.len() == hunk.old.len() && spans.iter().all(|&(line, span)| self.old.lines[line] == file(span));
        if same && self.indents.same() && !new.iter().any(|line| self.moved(line).is_some()) {
            return new.iter().map(|line| (*line).to_owned()).collect();
        }
        let solid: Vec<(usize, Span)> =
            spans.iter().copied().filter(|&(line, _)| !is_blank(self.old.lines[line])).collect();
        let old: Vec<&str> = solid.iter().map(|&(line, _)| self.old.lines[line]).collect();
        let paired = pairs(&old, new);
        let adapt = |(line, pair): (&&str, Option<usize>)| {
            if is_blank(line) {
                return (*line).to_owned();
            }
            let (indent, body) = (leading(line), &line[leading(line).len()..]);
            let moved = self.moved(line);
            let Some((number, span)) = pair.map(|pair| solid[pair]).filter(|_| moved.is_none()) else {
                return self.indents.adapt(indent, hunk.old.start) + moved.unwrap_or(body);
            };
            let (theirs, file) = (self.old.lines[number], file(span));
            let indent =
                if leading(theirs) == indent { leading(file).to_owned() } else { self.indents.adapt(indent, number) };
            let body = |line| -> &str { &line[leading(line).len()..] };
            indent + &merge_line(body(theirs), body(line), body(file))
        };
        let lines: Vec<String> = new.iter().zip(paired).map(adapt).collect();
        for (given, made) in new.iter().zip(&lines) {
            merged.indented |= leading(given) != leading(made);
            merged.kept_unicode |= trim_space(given) != trim_space(made) && fold(given) != *made;
        }
        lines
    }

    /// The file's text for a line that the old text has too, at another place: slips in a line that the edit moves are not
    /// written, and look-alikes are never.
    fn moved(&self, line: &str) -> Option<&str> {
        let same = |number: &usize| self.old.lines[*number] == line && self.spans[*number].is_some();
        let removed = self.hunks.iter().flat_map(|hunk| hunk.old.clone()).find(same);
        let number = removed.or_else(|| (0..self.old.lines.len()).find(same))?;
        let span = self.spans[number]?;
        let file = trim_space(&self.text[span.start..span.end]);
        let given = trim_space(line);
        (file != given && (removed.is_some() || fold(file) == fold(given))).then_some(file)
    }

    fn replacement(&self, spans: &[(usize, Span)], range: Range<usize>, lines: &[String]) -> Change {
        if lines.is_empty() {
            return self.deletion(range);
        }
        let ends: Vec<&str> = spans.iter().map(|(_, span)| self.end_after(span.end)).collect();
        let mut text = String::new();
        for (number, line) in lines.iter().enumerate() {
            text.push_str(line);
            if number + 1 < lines.len() {
                text.push_str(ends[number.min(ends.len() - 1)]);
            }
        }
        Change { range, text }
    }

    /// Lines go with their line end; at the end of a file without a last line end, with the one before.
    fn deletion(&self, mut range: Range<usize>) -> Change {
        let len = line_end_len(self.text, range.end);
        if len > 0 {
            range.end += len;
        } else {
            range.start = before_line_end(self.text, range.start);
        }
        Change { range, text: String::new() }
    }

    fn insertion(&self, hunk: &Hunk, lines: &[String]) -> Change {
        let at = insertion_point(self.text, self.spans, self.old, hunk, lines);
        let mut text = String::new();
        if at == self.text.len() && !self.text.is_empty() && !self.text.ends_with('\n') {
            for line in lines {
                text.push_str(self.end_after(at));
                text.push_str(line);
            }
        } else {
            let end = if at > 0 {
                self.end_after(before_line_end(self.text, at))
            } else {
                self.end_after(first_end(self.text))
            };
            for line in lines {
                text.push_str(line);
                text.push_str(end);
            }
        }
        Change { range: at..at, text }
    }

    /// The line end at a place; the one before it if the file ends there, or the usual one.
    fn end_after(&self, at: usize) -> &str {
        let len = line_end_len(self.text, at);
        if len > 0 {
            return &self.text[at..at + len];
        }
        match self.text[..at].rfind('\n') {
            Some(lf) => &self.text[before_line_end(self.text, lf + 1)..=lf],
            None => self.line_end,
        }
    }
}

fn first_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |lf| before_line_end(text, lf + 1))
}

/// Where the line end before a line's start begins.
fn before_line_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    match start {
        0 => 0,
        _ if bytes[start - 1] != b'\n' => start,
        _ if start > 1 && bytes[start - 2] == b'\r' => start - 2,
        _ => start - 1,
    }
}

/// Where lines are put in that have no line to take the place of: the beginning of a line, or the end of the text.
fn insertion_point(text: &str, spans: &[Option<Span>], old: &Block<'_>, hunk: &Hunk, lines: &[String]) -> usize {
    let next_start = |span: Span| span.end + line_end_len(text, span.end);
    let before = (0..hunk.old.start).rev().find_map(|line| Some((line, spans[line]?)));
    let after = (hunk.old.end..spans.len()).find_map(|line| Some((line, spans[line]?)));
    match (before, after) {
        (Some((_, before)), None) => next_start(before),
        (None, Some((_, after))) => after.start,
        (None, None) => 0,
        (Some((upper, before)), Some((lower, after))) => {
            let top = next_start(before);
            if top == after.start {
                return top;
            }
            if !text[top..after.start].trim().is_empty() {
                // The file's lines between the two stand for lines of the old text that it does not have.
                let solid = |lines: Range<usize>| old.lines[lines].iter().any(|line| !is_blank(line));
                return if solid(hunk.old.end..lower) && !solid(upper + 1..hunk.old.start) { top } else { after.start };
            }
            if goes_with_next(text, before, after, lines) { after.start } else { top }
        }
    }
}

/// Blank lines lie between the neighbours that the old text does not have: on which side of them the lines belong.
fn goes_with_next(text: &str, before: Span, after: Span, lines: &[String]) -> bool {
    let blank = |line: Option<&String>| line.is_some_and(|line| is_blank(line));
    match (blank(lines.first()), blank(lines.last())) {
        (true, false) => return false,
        (false, true) => return true,
        _ => {}
    }
    let width = |line: &str| leading(line).len();
    let solid =
        |mut lines: std::slice::Iter<'_, String>| lines.find(|line| !is_blank(line)).map_or(0, |line| width(line));
    let (first, last) =
        (solid(lines.iter()), lines.iter().rev().find(|line| !is_blank(line)).map_or(0, |line| width(line)));
    let (above, below) = (width(&text[before.start..before.end]), width(&text[after.start..after.end]));
    last == below && first != above
}
