//! A slice is what a naive split of the whole text gives.

use proptest::prelude::*;
use rootle_base::{ReadRequest, encode, label};

use crate::case::{ALL, File, LARGE, numbers, texts};

/// The lines of a text, the simple way.
fn split(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<&str> = body.split('\n').collect();
    let ended = if text.ends_with('\n') { lines.len() } else { lines.len() - 1 };
    for line in &mut lines[..ended] {
        *line = line.strip_suffix('\r').unwrap_or(line);
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lines_equal_a_naive_split(
        text in "([a-cé漢😀\u{2028}\u{a0a}]{0,4}(\r|\n|\r\n)?){0,12}",
        start in prop_oneof![1i64..14, -14i64..0],
        max_lines in 1usize..14,
        name in prop::sample::select(vec!["utf-8", "utf-16-le", "utf-16-be", "utf-32-be"]),
        large in any::<bool>(),
    ) {
        let encoding = label(name).unwrap();
        let body = encode(&text, encoding).unwrap();
        let file = File::new([encoding.bom(), &body].concat());
        let base = if large { LARGE } else { ALL };
        let slice = file.read(&ReadRequest { start_line: start, max_lines, ..base });
        let lines = split(&text);
        let skip = usize::try_from(if start > 0 { start - 1 } else { (lines.len() as i64 + start).max(0) }).unwrap();
        let skip = skip.min(lines.len());
        let end = (skip + max_lines).min(lines.len());
        prop_assert_eq!(texts(&slice), &lines[skip..end]);
        for (at, number) in numbers(&slice).into_iter().enumerate() {
            let from_start = (skip + at + 1) as i64;
            let from_end = from_start - 1 - lines.len() as i64;
            prop_assert!(number == from_start || large && start < 0 && number == from_end);
        }
        prop_assert_eq!(slice.next.is_some(), end < lines.len() && skip < end);
        if !large {
            prop_assert_eq!(slice.total_lines, Some(lines.len() as u64));
        }
    }

    #[test]
    fn characters_equal_a_naive_slice(
        line in "[a-cé漢😀\r]{0,40}",
        ended in any::<bool>(),
        start_column in 1usize..45,
        max_line_chars in 1usize..45,
    ) {
        let file = File::new(format!("{line}{}", if ended { "\n" } else { "" }));
        let slice = file.read(&ReadRequest { start_column, max_line_chars, ..ALL });
        let line = if ended { line.strip_suffix('\r').unwrap_or(&line) } else { &line };
        let Some(got) = slice.lines.first() else { prop_assert!(line.is_empty() && !ended); return Ok(()) };
        let expected: String = line.chars().skip(start_column - 1).take(max_line_chars).collect();
        let total = line.chars().count();
        prop_assert_eq!(&got.text, &expected);
        prop_assert_eq!(got.total_chars, Some(total as u64));
        prop_assert_eq!(got.cut, total > start_column - 1 + expected.chars().count());
    }
}
