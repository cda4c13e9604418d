//! An old text that is a part of one line, but for spaces, quotes and dashes.

use memchr::memmem::Finder;

use super::Span;
use crate::text::{Table, fold, is_word, loose};

/// Shorter texts are not looked for but as they are, in characters.
const MIN_CHARS: usize = 8;

/// Longer lines are not looked through, in bytes.
const MAX_LINE: usize = 1024 * 1024;

/// The places within lines where the text stands under its loosest key. A place does not begin or end within a word.
pub(crate) fn fragments(table: &Table<'_>, old: &str) -> Vec<Span> {
    let wanted = loose(old);
    if old.contains('\n') || wanted.chars().count() < MIN_CHARS {
        return Vec::new();
    }
    let words = wanted.split(|c: char| !is_word(c));
    let longest = words.filter(|word| word.is_ascii()).max_by_key(|word| word.len()).unwrap_or("");
    let word = Finder::new(longest);
    let mut found = Vec::new();
    for (number, line) in table.lines.iter().enumerate() {
        let bytes = line.end - line.start;
        if bytes < wanted.len() / 4 || bytes > MAX_LINE || table.is_blank(number) {
            continue;
        }
        let text = table.line(number);
        // A word of ASCII letters stands in a line of ASCII as it is.
        if text.is_ascii() && word.find(text.as_bytes()).is_none() {
            continue;
        }
        let (key, offsets) = with_offsets(text);
        for (at, _) in key.match_indices(&wanted) {
            let (start, end) = (offsets[at].0, offsets[at + wanted.len() - 1].1);
            if !splits_word(text, start) && !splits_word(text, end) {
                found.push(Span { start: line.start + start, end: line.start + end });
            }
        }
    }
    found
}

/// Whether a word goes on over a place of a line.
pub(crate) fn splits_word(line: &str, at: usize) -> bool {
    line[..at].chars().next_back().is_some_and(is_word) && line[at..].chars().next().is_some_and(is_word)
}

/// The loosest key of a line, and for each of its bytes the bytes of the line that it came from.
fn with_offsets(line: &str) -> (String, Vec<(usize, usize)>) {
    let mut key = String::with_capacity(line.len());
    let mut offsets = Vec::with_capacity(line.len());
    let mut gap = None;
    let mut chars = line.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let mut end = start + first.len_utf8();
        while let Some(&(at, mark)) = chars.peek().filter(|(_, c)| matches!(c, '\u{300}'..='\u{36f}')) {
            end = at + mark.len_utf8();
            chars.next();
        }
        let folded = fold(&line[start..end]);
        for c in folded.chars() {
            if c.is_whitespace() {
                gap.get_or_insert(start);
                continue;
            }
            if let Some(space) = gap.take()
                && key.chars().next_back().is_some_and(is_word)
                && is_word(c)
            {
                key.push(' ');
                offsets.push((space, start));
            }
            key.push(c);
            offsets.extend(std::iter::repeat_n((start, end), c.len_utf8()));
        }
    }
    (key, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_lines() {
        for (text, old, expected) in [
            ("{\"a\": \"x\u{2019}s name\", \"b\": 1}", "\"x's name\",", &["\"x\u{2019}s name\","][..]),
            ("foo( alpha,beta ) + 1", "foo(alpha, beta)", &["foo( alpha,beta )"]),
            ("cafe\u{301} au  lait", "caf\u{e9} au lait", &["cafe\u{301} au  lait"]),
            ("xalpha_beta", "alpha_beta", &[]),
            ("alpha beta\nalpha  beta", "alpha beta", &["alpha beta", "alpha  beta"]),
            ("a b", "a b", &[]),
        ] {
            let found = fragments(&Table::new(text), old);
            let texts: Vec<&str> = found.iter().map(|span| &text[span.start..span.end]).collect();
            assert_eq!(texts, expected, "{text:?} {old:?}");
        }
    }
}
