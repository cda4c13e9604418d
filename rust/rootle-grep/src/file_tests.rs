//! The search of a file against a search line by line, in whole and in tiny windows.

use std::io::{Seek, Write};
use std::os::fd::AsFd;
use std::sync::Arc;

use proptest::prelude::*;
use rootle_base::{Context, label};

use super::*;
use crate::engine::Searcher;
use crate::hit_ref::HitRef;
use crate::poll::Poll;
use crate::result::{ContextLine, Hit};
use crate::{GrepOptions, Matcher, Mode, PatternSpec};

/// Windows so small that every rule about their edges is met.
const TINY: Sizes = Sizes { first_read: 16, window: 32, overlap: 8, multiline: 1 << 20 };

pub(crate) struct Outcome {
    pub found: Found,
    pub hits: Vec<Hit>,
    read: Read,
    limited: bool,
}

fn search(spec: &PatternSpec, options: &GrepOptions, sizes: Sizes, bytes: &[u8]) -> Outcome {
    let matcher = Matcher::new(spec).unwrap();
    search_for(&Arc::new(Want::new(options, &matcher)), &matcher, sizes, bytes)
}

pub(crate) fn search_for(want: &Arc<Want>, matcher: &Matcher, sizes: Sizes, bytes: &[u8]) -> Outcome {
    let ctx = Context::unlimited();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let mut searcher = Searcher::new(matcher, want, Poll::new(&ctx, false), Reader::new(sizes, true));
    let mut found = Found::default();
    let read = searcher.search(file.as_fd(), &mut found, &mut |_, _| {}).unwrap();
    found.hits.seal(&matcher.recall());
    Outcome { hits: found.hits.to_vec(), found, read, limited: searcher.take_limited() }
}

fn hits(pattern: &str, options: &GrepOptions, sizes: Sizes, text: &str) -> Vec<Hit> {
    search(&PatternSpec::regex(pattern), options, sizes, text.as_bytes()).hits
}

/// What a search for `pattern` must give, worked out line by line.
fn naive(pattern: &str, options: &GrepOptions, text: &str) -> Vec<Hit> {
    let regex = regex::bytes::Regex::new(pattern).unwrap();
    let mut starts = Vec::new();
    let mut at = 0;
    let lines: Vec<&[u8]> = text
        .as_bytes()
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            starts.push(at);
            at += line.len();
            crate::lines::trimmed(line)
        })
        .collect();
    let matched: Vec<bool> = lines.iter().map(|line| regex.is_match(line) != options.invert).collect();
    let shown = |line: usize| ContextLine {
        line: line as u64 + 1,
        text: String::from_utf8_lossy(lines[line]).into(),
        clipped: false,
    };
    let mut hits: Vec<Hit> = Vec::new();
    let mut given = 0;
    for at in (0..lines.len()).filter(|at| matched[*at]) {
        let before = (given.max(at.saturating_sub(options.before))..at).map(shown).collect();
        let mut end = at + 1;
        while end < lines.len() && end - at <= options.after && !matched[end] {
            end += 1;
        }
        let matches: Vec<_> = if options.invert { Vec::new() } else { regex.find_iter(lines[at]).collect() };
        let chars = |upto: usize| u32::try_from(String::from_utf8_lossy(&lines[at][..upto]).chars().count()).unwrap();
        hits.push(Hit {
            line: at as u64 + 1,
            end_line: at as u64 + 1,
            column: matches.first().map_or(1, |found| found.start() as u64 + 1),
            byte_offset: starts[at] as u64,
            text: String::from_utf8_lossy(lines[at]).into(),
            spans: matches
                .iter()
                .filter(|found| !found.is_empty())
                .map(|found| (chars(found.start()), chars(found.end())))
                .collect(),
            before,
            after: (at + 1..end).map(shown).collect(),
            ..Hit::default()
        });
        given = end;
    }
    hits
}

const PATTERNS: [&str; 16] =
    ["a", "ab", "a+b", "^a", "b$", "^$", "", "a|bc", "[^a]b", r"\ba", r"b\b", "(?i)AB", r"\w\s\w", "é", r"^\s*$", "x*"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn equals_a_search_line_by_line(
        text in "([abc é]{0,9}\r?\n){0,12}[abc ]{0,5}",
        pattern in proptest::sample::select(&PATTERNS[..]),
        before in 0usize..3,
        after in 0usize..3,
        invert in any::<bool>(),
    ) {
        let options = GrepOptions { before, after, invert, ..GrepOptions::default() };
        let expected = naive(pattern, &options, &text);
        prop_assert_eq!(&hits(pattern, &options, Sizes::default(), &text), &expected, "whole");
        prop_assert_eq!(&hits(pattern, &options, TINY, &text), &expected, "windows");
    }

    #[test]
    fn counts_and_files_agree_with_the_hits(
        text in "([abc ]{0,40}\n){0,12}",
        pattern in proptest::sample::select(&PATTERNS[..]),
        invert in any::<bool>(),
        tiny in any::<bool>(),
    ) {
        let sizes = if tiny { TINY } else { Sizes::default() };
        let with = |mode| GrepOptions { mode, invert, ..GrepOptions::default() };
        let spec = PatternSpec::regex(pattern);
        let content = search(&spec, &with(Mode::Content), sizes, text.as_bytes()).found;
        prop_assert_eq!(content.count, content.hits.len() as u64);
        prop_assert_eq!(search(&spec, &with(Mode::Count), sizes, text.as_bytes()).found.count, content.count);
        prop_assert_eq!(search(&spec, &with(Mode::Files), sizes, text.as_bytes()).found.any(), content.any());
    }

    #[test]
    fn long_lines_lose_no_short_match(
        line in "[ab]{0,200}",
        rest in "([ab]{0,60}\n){0,4}",
        invert in any::<bool>(),
        before in 0usize..2,
        after in 0usize..2,
    ) {
        // A match of at most five bytes is shorter than the overlap.
        let text = format!("{line}\n{rest}");
        let options = GrepOptions { before, after, invert, max_line_chars: 4, ..GrepOptions::default() };
        let key = |hits: Vec<Hit>| -> Vec<_> {
            let lines = |context: &[ContextLine]| context.iter().map(|context| context.line).collect::<Vec<_>>();
            hits.iter().map(|hit| (hit.line, hit.column, hit.byte_offset, lines(&hit.before), lines(&hit.after))).collect()
        };
        for pattern in ["aabb", "bab{2,3}", "^b", "a$", r"\bb"] {
            prop_assert_eq!(
                key(hits(pattern, &options, TINY, &text)),
                key(hits(pattern, &options, Sizes::default(), &text)),
                "{}", pattern
            );
        }
        let single = GrepOptions { only_matching: true, ..GrepOptions::default() };
        prop_assert_eq!(hits("ab{2}a", &single, TINY, &text), hits("ab{2}a", &single, Sizes::default(), &text));
    }
}

#[test]
fn single_matches() {
    let options = GrepOptions { only_matching: true, before: 2, ..GrepOptions::default() };
    let found: Vec<_> = hits(r"\w+$|x", &options, Sizes::default(), "xé x foo\r\nx\n\nno .\n")
        .into_iter()
        .map(|hit| (hit.line, hit.column, hit.byte_offset, hit.text.into_string(), hit.spans))
        .collect();
    let hit = |line, column, offset, text: &str| {
        (line, column, offset, text.to_owned(), vec![(0, u32::try_from(text.len()).unwrap())])
    };
    assert_eq!(found, [hit(1, 1, 0, "x"), hit(1, 5, 4, "x"), hit(1, 7, 6, "foo"), hit(2, 1, 11, "x")]);
}

#[test]
fn across_lines() {
    let spec = |pattern: &str| PatternSpec { multiline: true, ..PatternSpec::regex(pattern) };
    let options = GrepOptions { before: 1, after: 1, ..GrepOptions::default() };
    let text = b"one\nfoo {\n  bar\n}\ntwo\nfoo { }\nlast\n";
    let found = search(&spec(r"foo \{[^}]*\}"), &options, Sizes::default(), text).found;
    let lines: Vec<_> = found
        .hits
        .iter()
        .map(|hit| (hit.line(), hit.end_line(), hit.text(), hit.before().len(), hit.after().len()))
        .collect();
    assert_eq!(lines, [(2, 4, "foo {\n  bar\n}", 1, 1), (6, 6, "foo { }", 0, 1)]);
    let count = GrepOptions { mode: Mode::Count, ..GrepOptions::default() };
    assert_eq!(search(&spec(r"foo \{[^}]*\}"), &count, Sizes::default(), text).found.count, 2);
    // In tiny windows too the file is searched as a whole.
    assert_eq!(search(&spec(r"foo \{[^}]*\}"), &options, TINY, text).found.hits, found.hits);
    let too_large = Sizes { multiline: 8, ..TINY };
    let outcome = search(&spec(r"foo \{[^}]*\}"), &options, too_large, text);
    assert!(outcome.read.too_large && !outcome.found.any());
    // A pattern that cannot hold a line feed is searched by line whatever is asked for.
    assert_eq!(search(&spec("foo"), &options, too_large, text).found.count, 2);
}

#[test]
fn binary_files_give_what_is_before_the_first_nul() {
    let filler = "y\n".repeat(40_000);
    for (bytes, lines, binary) in [
        (b"needle\n\0needle\n".to_vec(), vec![1], true),
        (b"\0needle\n".to_vec(), vec![], true),
        (b"needle\0".to_vec(), vec![1], true),
        (format!("needle\n{filler}\0needle\n").into_bytes(), vec![1], true),
        (format!("{filler}\0needle\n").into_bytes(), vec![], true),
        (format!("needle\n{filler}").into_bytes(), vec![1], false),
    ] {
        for sizes in [Sizes::default(), TINY] {
            let outcome = search(&PatternSpec::regex("needle"), &GrepOptions::default(), sizes, &bytes);
            let found: Vec<_> = outcome.hits.iter().map(|hit| hit.line).collect();
            assert_eq!((found, outcome.read.binary), (lines.clone(), binary), "{} bytes, {sizes:?}", bytes.len());
        }
    }
}

#[test]
fn encodings() {
    let utf16: Vec<u8> = "\u{feff}one\nzwei é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain16: Vec<u8> = "one\nzwei é\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf32: Vec<u8> = "\u{feff}one\nzwei é\n".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    let latin = b"one\nzwei \xe9\n".to_vec();
    let named = |name| GrepOptions { encoding: Some(label(name).unwrap()), ..GrepOptions::default() };
    let guess = GrepOptions { guess_encoding: true, ..GrepOptions::default() };
    let none = GrepOptions::default();
    for (bytes, options, encoding, offset) in [
        (&utf16, &none, "utf-16-le", 4),
        (&plain16, &named("utf-16be"), "utf-16-be", 4),
        (&utf32, &none, "utf-32-be", 4),
        (&latin, &named("latin-1"), "windows-1252", 4),
        (&latin, &guess, "windows-1252", 4),
        (&"\u{feff}one\nzwei é\n".as_bytes().to_vec(), &none, "utf-8", 7),
        (&"\u{feff}one\nzwei é\n".as_bytes().to_vec(), &named("latin-1"), "utf-8", 7),
    ] {
        for sizes in [Sizes::default(), TINY] {
            let outcome = search(&PatternSpec::regex("^zwei é$"), options, sizes, bytes);
            assert_eq!(outcome.read.encoding.name(), encoding);
            let hit = &outcome.hits[0];
            assert_eq!((hit.line, &*hit.text, hit.byte_offset, hit.lossy), (2, "zwei é", offset, false), "{encoding}");
            // The mark is not part of the first line.
            assert_eq!(search(&PatternSpec::regex("^one"), options, sizes, bytes).hits[0].column, 1);
        }
    }
    let outcome = search(&PatternSpec::regex("zwei"), &none, Sizes::default(), &latin);
    assert!(outcome.found.lossy && outcome.hits[0].lossy);
    assert_eq!(&*outcome.hits[0].text, "zwei \u{fffd}");
}

#[test]
fn limits_of_one_file() {
    let text = "a\nb\n".repeat(10);
    let spec = PatternSpec::regex("a");
    for (options, given, count, more) in [
        (GrepOptions { max_per_file: Some(3), ..GrepOptions::default() }, 3, 3, true),
        (GrepOptions { max_per_file: Some(10), ..GrepOptions::default() }, 10, 10, false),
        (GrepOptions { max_per_file: Some(3), count_totals: true, ..GrepOptions::default() }, 3, 10, true),
        // One more than asked for shows that there is more.
        (GrepOptions { max_matches: Some(3), ..GrepOptions::default() }, 4, 4, true),
        (GrepOptions { max_matches: Some(3), count_totals: true, ..GrepOptions::default() }, 4, 10, true),
        (GrepOptions { max_text_bytes: Some(4), ..GrepOptions::default() }, 5, 5, true),
        (GrepOptions { mode: Mode::Count, max_per_file: Some(3), ..GrepOptions::default() }, 0, 3, true),
    ] {
        for sizes in [Sizes::default(), TINY] {
            let found = search(&spec, &options, sizes, text.as_bytes()).found;
            assert_eq!((found.hits.len(), found.count, found.more), (given, count, more), "{options:?}");
        }
    }
    let context = GrepOptions { max_per_file: Some(2), after: 1, count_totals: true, ..GrepOptions::default() };
    let found = search(&spec, &context, Sizes::default(), text.as_bytes()).found;
    assert_eq!(found.hits.iter().map(|hit| hit.after().len()).collect::<Vec<_>>(), [1, 1]);
    let small = GrepOptions { max_filesize: Some(39), ..GrepOptions::default() };
    assert!(search(&spec, &small, Sizes::default(), text.as_bytes()).read.too_large);
    assert!(search(&spec, &small, TINY, text.as_bytes()).read.too_large);
}

#[test]
fn crlf_lines_end_before_the_carriage_return() {
    for (pattern, lines) in
        [("foo$", &[1, 3][..]), ("^$", &[2]), (r"foo\b", &[1, 3, 4]), (r"o ?$", &[1, 3]), (r"\r$", &[1, 2])]
    {
        for multiline in [false, true] {
            let spec = PatternSpec { multiline, ..PatternSpec::regex(pattern) };
            let found = search(&spec, &GrepOptions::default(), Sizes::default(), b"foo\r\n\r\nfoo\nfoo bar\n").found;
            assert_eq!(found.hits.iter().map(HitRef::line).collect::<Vec<_>>(), lines, "{pattern}");
            assert!(found.hits.iter().all(|hit| !hit.text().contains('\r')));
        }
    }
    let whole = PatternSpec { line: true, ..PatternSpec::regex("foo|foo bar") };
    assert_eq!(search(&whole, &GrepOptions::default(), TINY, b"foo\r\nfoo\nxfoo\nfoo bar").found.count, 3);
    let fixed = PatternSpec { line: true, fixed: true, ..PatternSpec::regex("f.o") };
    assert_eq!(search(&fixed, &GrepOptions::default(), TINY, b"f.o\r\nfoo\n").found.count, 1);
}

#[test]
fn backtracking() {
    let text = "foobar\nfoobaz\r\nbarfoo\nabab\nabba\n";
    for (pattern, lines) in [
        ("foo(?=bar)", &[1][..]),
        ("foo(?!bar)", &[2, 3]),
        ("(?<=bar)foo$", &[3]),
        (r"(?<!x)baz$", &[2]),
        (r"^(..)\1$", &[4]),
        (r"(?i)^(?=F)", &[1, 2]),
        ("(?>a+)b(?!.*b)", &[4]),
    ] {
        let outcome = search(&PatternSpec::regex(pattern), &GrepOptions::default(), Sizes::default(), text.as_bytes());
        assert_eq!(outcome.hits.iter().map(|hit| hit.line).collect::<Vec<_>>(), lines, "{pattern}");
        assert!(!outcome.limited, "{pattern}");
        let inverted = GrepOptions { invert: true, ..GrepOptions::default() };
        let rest = search(&PatternSpec::regex(pattern), &inverted, TINY, text.as_bytes()).found;
        assert_eq!(rest.hits.len() + lines.len(), 5, "{pattern}");
    }
    let two = PatternSpec { patterns: vec![r"(b)\1".to_owned(), "(o)\\1b".to_owned()], ..PatternSpec::default() };
    assert_eq!(search(&two, &GrepOptions::default(), TINY, text.as_bytes()).found.count, 3);
    // The search goes on a byte after an empty match, which is inside a character.
    let empty = PatternSpec { patterns: vec![r"(.)\1".to_owned(), "b*".to_owned()], ..PatternSpec::default() };
    assert_eq!(search(&empty, &GrepOptions::default(), TINY, "éaa".as_bytes()).hits[0].spans, [(1, 3)]);
    let word = PatternSpec { word: true, ..PatternSpec::regex("foo(?= )") };
    assert_eq!(search(&word, &GrepOptions::default(), TINY, b"xfoo \nfoo \n").hits[0].line, 2);
    let across = PatternSpec { multiline: true, ..PatternSpec::regex(r"(\w+)\n\1") };
    let found = search(&across, &GrepOptions::default(), Sizes::default(), b"one\ntwo\ntwo\n").found;
    assert_eq!((found.hits.at(0).line(), found.hits.at(0).end_line()), (2, 3));
}

/// Patterns for the backtracking engine, some of which its plain approximation must let pass more than they match.
const FANCY: [&str; 16] = [
    "a(?=b)",
    "a(?!b)",
    "(?<=a)b",
    "(?<!a)b$",
    r"(a|b)\1",
    r"^(\w)\w*\1$",
    r"(?i)(B)\1?(?=C)",
    "(?>a+)b(?=c|$)",
    r"\b(?=ab)",
    r"(?=.*a)(?=.*b)\w+",
    r"a\Kb",
    "(a)?b(?(1)c|a)",
    r"\A(?!a)",
    r"b(?=\z)",
    r"(?:(?=a)a|b){2}c",
    "[^a](?<!b)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn candidates_miss_no_line_of_the_backtracking_engine(
        text in "([abcB ]{0,9}\r?\n){0,10}[abc]{0,5}",
        pattern in proptest::sample::select(&FANCY[..]),
        invert in any::<bool>(),
        tiny in any::<bool>(),
    ) {
        let regex = fancy_regex::Regex::new(pattern).unwrap();
        let lines = text.split_inclusive('\n').map(|line| crate::lines::trimmed(line.as_bytes()));
        let expected: Vec<u64> = (1..)
            .zip(lines)
            .filter(|(_, line)| regex.is_match(std::str::from_utf8(line).unwrap()).unwrap() != invert)
            .map(|(number, _)| number)
            .collect();
        let options = GrepOptions { invert, ..GrepOptions::default() };
        let found = hits(pattern, &options, if tiny { TINY } else { Sizes::default() }, &text);
        prop_assert_eq!(found.iter().map(|hit| hit.line).collect::<Vec<_>>(), expected, "{}", pattern);
    }

    #[test]
    fn long_lines_for_the_backtracking_engine(before in 0usize..3000, after in 0usize..3000) {
        let text = format!("{}foobar{}\n", "ab ".repeat(before), " cd".repeat(after));
        for (pattern, column) in [("foo(?=bar)", Some(3 * before + 1)), (r"(o)\1b", Some(3 * before + 2)), ("foo(?!bar)", None)] {
            let found = hits(pattern, &GrepOptions::default(), Sizes::default(), &text);
            prop_assert_eq!(found.first().map(|hit| hit.column), column.map(|column| column as u64));
        }
    }
}
