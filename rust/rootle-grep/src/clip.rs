//! The text of a line as it is given: decoded, clipped around the first match, with the matches as character offsets.

use std::ops::Range;

use grep_matcher::Match;

/// A piece of text and where the matches are in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Clip {
    pub text: Box<str>,
    pub spans: Vec<(u32, u32)>,
    pub clipped: bool,
    pub lossy: bool,
}

/// The part of `line` to show: all of it, or `max_chars` characters with `first`, the start of the first match, in sight.
pub(crate) fn visible(line: &[u8], first: usize, max_chars: usize) -> Range<usize> {
    if line.len() <= max_chars || forward(line, 0, max_chars).1 == line.len() {
        return 0..line.len();
    }
    let (ahead, _) = forward(line, first, max_chars);
    let lead = (max_chars / 4).max(max_chars - ahead);
    let start = backward(line, first, lead);
    start..forward(line, start, max_chars).1
}

/// Decodes `line[shown]`. `matches` are those that begin in it, in order.
pub(crate) fn render(line: &[u8], shown: Range<usize>, matches: &[Match], max_chars: usize) -> Clip {
    let mut text = String::with_capacity(shown.len());
    let mut spans = Vec::with_capacity(matches.len());
    let mut lossy = false;
    let mut chars = 0;
    let mut done = shown.start;
    for found in matches {
        // An empty match has nothing to show.
        let (start, end) = (found.start().max(done), found.end().min(shown.end));
        if start >= end {
            continue;
        }
        chars += push(&mut text, &line[done..start], &mut lossy);
        let from = chars;
        chars += push(&mut text, &line[start..end], &mut lossy);
        spans.push((narrow(from), narrow(chars)));
        done = end;
    }
    chars += push(&mut text, &line[done..shown.end], &mut lossy);
    let mut clipped = shown.len() < line.len();
    // Bytes that are not UTF-8 may come to more characters than were reckoned with.
    if chars > max_chars {
        clipped = true;
        let end = text.char_indices().nth(max_chars).map_or(text.len(), |(at, _)| at);
        text.truncate(end);
        let last = narrow(max_chars);
        spans.retain_mut(|(from, to)| {
            *to = (*to).min(last);
            *from < last
        });
    }
    Clip { text: text.into_boxed_str(), spans, clipped, lossy }
}

/// The beginning of a line without matches.
pub(crate) fn head(line: &[u8], max_chars: usize) -> Clip {
    render(line, 0..forward(line, 0, max_chars).1, &[], max_chars)
}

/// Appends `bytes` as text and says how many characters they came to.
fn push(text: &mut String, bytes: &[u8], lossy: &mut bool) -> usize {
    if bytes.is_ascii() {
        // ASCII is UTF-8; asking again is cheaper than counting characters.
        text.push_str(std::str::from_utf8(bytes).unwrap_or_default());
        return bytes.len();
    }
    let before = text.len();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            *lossy = true;
        }
    }
    text[before..].chars().count()
}

fn narrow(chars: usize) -> u32 {
    u32::try_from(chars).unwrap_or(u32::MAX)
}

fn starts_char(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// Goes up to `count` characters ahead from `from`: how many there were, and where that is.
fn forward(line: &[u8], from: usize, count: usize) -> (usize, usize) {
    let mut passed = 0;
    let mut at = from;
    while at < line.len() && passed < count {
        at += 1;
        // At most three bytes follow the first one of a character.
        let most = line.len().min(at + 3);
        while at < most && !starts_char(line[at]) {
            at += 1;
        }
        passed += 1;
    }
    (passed, at)
}

/// Goes up to `count` characters back from `from`.
fn backward(line: &[u8], from: usize, count: usize) -> usize {
    let mut at = from;
    for _ in 0..count {
        if at == 0 {
            break;
        }
        let least = at.saturating_sub(4);
        at -= 1;
        while at > least && !starts_char(line[at]) {
            at -= 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clip(line: &[u8], matches: &[(usize, usize)], max_chars: usize) -> Clip {
        let matches: Vec<Match> = matches.iter().map(|&(from, to)| Match::new(from, to)).collect();
        let shown = visible(line, matches.first().map_or(0, Match::start), max_chars);
        render(line, shown, &matches, max_chars)
    }

    #[test]
    fn table() {
        for (line, matches, max, text, spans, clipped, lossy) in [
            (&b"foo bar"[..], &[(4, 7)][..], 10, "foo bar", &[(4, 7)][..], false, false),
            ("äöü bar".as_bytes(), &[(0, 2), (7, 10)], 7, "äöü bar", &[(0, 1), (4, 7)], false, false),
            (b"0123456789", &[(8, 9)], 4, "6789", &[(2, 3)], true, false),
            (b"0123456789", &[(5, 9)], 4, "4567", &[(1, 4)], true, false),
            (b"0123456789", &[(0, 9)], 4, "0123", &[(0, 4)], true, false),
            (b"a\xff\xfeb", &[(3, 4)], 9, "a\u{fffd}\u{fffd}b", &[(3, 4)], false, true),
            (b"\xe2\x82x", &[(2, 3)], 9, "\u{fffd}x", &[(1, 2)], false, true),
            (b"\x80\x80\x80\x80\x80\x80", &[(0, 1)], 2, "\u{fffd}\u{fffd}", &[(0, 1)], true, true),
            (b"abc", &[(1, 1)], 9, "abc", &[], false, false),
            (b"", &[], 9, "", &[], false, false),
        ] {
            let found = clip(line, matches, max);
            let expected = Clip { text: text.into(), spans: spans.to_vec(), clipped, lossy };
            assert_eq!(found, expected, "{line:?} {matches:?} {max}");
        }
    }

    #[test]
    fn heads() {
        assert_eq!(&*head(b"abcdef", 3).text, "abc");
        assert!(head(b"abcdef", 3).clipped);
        assert!(!head("äöü".as_bytes(), 3).clipped);
    }

    proptest! {
        #[test]
        fn spans_show_the_match(before in "[aé𝄞]{0,20}", needle in "[xy]{1,3}", after in "[aé]{0,20}", max in 4usize..50) {
            let line = format!("{before}{needle}{after}");
            let found = clip(line.as_bytes(), &[(before.len(), before.len() + needle.len())], max);
            let chars: Vec<char> = found.text.chars().collect();
            prop_assert!(chars.len() <= max);
            prop_assert_eq!(chars.len() < line.chars().count(), found.clipped);
            let (from, to) = found.spans[0];
            prop_assert_eq!(chars[from as usize..to as usize].iter().collect::<String>(), needle);
            prop_assert!(line.contains(&*found.text) && !found.lossy);
        }

        #[test]
        fn any_bytes(line in proptest::collection::vec(any::<u8>(), 0..40), max in 1usize..20, at in 0usize..40, len in 0usize..9) {
            let start = at.min(line.len());
            let found = clip(&line, &[(start, (start + len).min(line.len()))], max);
            let chars = found.text.chars().count();
            prop_assert!(chars <= max);
            prop_assert!(found.spans.iter().all(|&(from, to)| from < to && to as usize <= chars));
            // A match may begin or end within a character; then the two parts mean nothing by themselves.
            prop_assert!(!found.lossy || found.clipped || found.text.contains(char::REPLACEMENT_CHARACTER));
            prop_assert!(found.lossy || found.clipped || std::str::from_utf8(&line).is_ok());
        }
    }
}
