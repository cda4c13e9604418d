//! Matches that are found after the search, against those that it finds itself.

use std::sync::Arc;

use proptest::prelude::*;

use super::{LineEnd, Recall};
use crate::file::tests::search_for;
use crate::found::Found;
use crate::hit_ref::HitRef;
use crate::matcher::{Again, Inner};
use crate::pace::Sizes;
use crate::want::Want;
use crate::{Case, GrepOptions, Matcher, PatternSpec};

/// Patterns of every kind that is found in its own way: with look-around, in parts of characters, over line ends.
const KINDS: [&str; 14] = [
    "a",
    "a|ab",
    "b.",
    "b*",
    "$",
    "a$",
    r"\w+",
    r"\W$",
    "[^a]",
    r"(?-u:\xc3)",
    r"(?-u:\xa9)|b",
    "(?<!b)a",
    r"a\r?\n?b",
    r"(.)\1",
];

/// A line feed by itself is refused without `multiline`; then there is nothing to compare.
fn compare(spec: &PatternSpec, options: &GrepOptions, bytes: &[u8]) {
    let Ok(matcher) = Matcher::new(spec) else {
        assert!(!spec.multiline, "{spec:?}");
        return;
    };
    let want = Want::new(options, &matcher);
    let later = search_for(&Arc::new(want.clone()), &matcher, Sizes::default(), bytes);
    let never = Arc::new(Want { again: Again::Never, ..want });
    let at_once = search_for(&never, &matcher, Sizes::default(), bytes);
    assert_eq!(later.hits, at_once.hits, "{spec:?} {options:?} {bytes:?}");
    let facts = |found: &Found| (found.count, found.more, found.lossy, found.text_bytes);
    assert_eq!(facts(&later.found), facts(&at_once.found), "{spec:?} {options:?} {bytes:?}");
    let text_bytes: u64 = later.found.hits.iter().map(HitRef::text_bytes).sum();
    assert_eq!(text_bytes, later.found.text_bytes);
    for upto in 0..=later.hits.len() {
        let mut first = later.found.hits.clone();
        first.truncate(upto);
        assert_eq!(first.to_vec()[..], later.hits[..upto]);
    }
}

fn spec(patterns: &[&str]) -> PatternSpec {
    PatternSpec { patterns: patterns.iter().map(|&pattern| pattern.to_owned()).collect(), ..PatternSpec::default() }
}

#[test]
fn each_pattern_with_each_option() {
    let none = GrepOptions::default();
    let options = [
        none.clone(),
        GrepOptions { invert: true, ..none.clone() },
        GrepOptions { only_matching: true, ..none.clone() },
        GrepOptions { before: 1, after: 1, ..none.clone() },
        GrepOptions { max_line_chars: 3, ..none.clone() },
        GrepOptions { max_text_bytes: Some(9), ..none },
    ];
    let text = b"ab b\nb ab\r\n\r\n\nb\xff ab\n aa bb\xc3\xa9\r\n\xc3\xa9 ab \xf0\x9d\x84\x9eb\r\r\nABBA aba";
    for pattern in KINDS {
        let plain = spec(&[pattern]);
        for spec in [
            plain.clone(),
            PatternSpec { word: true, ..plain.clone() },
            PatternSpec { line: true, ..plain.clone() },
            PatternSpec { case: Case::Insensitive, ..plain.clone() },
            PatternSpec { multiline: true, ..plain.clone() },
            PatternSpec { fixed: true, ..plain.clone() },
            spec(&[pattern, "bb"]),
        ] {
            for options in &options {
                for upto in [text.len(), text.len() - 3] {
                    compare(&spec, options, &text[..upto]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text(
        lines in proptest::collection::vec(("[ab é𝄞]{0,12}", 0usize..6), 0..8),
        last in "[ab é]{0,4}",
        patterns in proptest::sample::subsequence(&KINDS[..], 1..3),
        (before, after) in (0usize..2, 0usize..2),
        max_line_chars in 1usize..20,
    ) {
        let ends: [&[u8]; 6] = [b"\n", b"\r\n", b"\r\r\n", b"\xff\n", b"\xc3\n", b"\xff\r\n"];
        let mut bytes = Vec::new();
        for (line, end) in &lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(ends[*end]);
        }
        bytes.extend_from_slice(last.as_bytes());
        compare(&spec(&patterns), &GrepOptions { before, after, max_line_chars, ..GrepOptions::default() }, &bytes);
    }
}

#[test]
fn the_pattern_is_compiled_again_when_it_was_dropped() {
    let spec = PatternSpec::regex("b+");
    let inner = Arc::new(Inner::compile(&spec).unwrap());
    let recall = Recall::new(&inner);
    drop(inner);
    assert_eq!(recall.spans("abbéb", LineEnd::Lf), [(1, 3), (4, 5)]);
    assert_eq!(recall.column("abb", LineEnd::None), 2);
}
