//! What holds for every edit of every file.

use proptest::prelude::*;
use rootle_edit::{Edit, Options, Reason, Status, apply_edit, apply_edits, locate};

/// Lines in which much is alike: depths, line ends, quotes, letters beyond ASCII, blank lines.
fn line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "alpha",
        "beta",
        "gamma(x)",
        "if x:",
        "return 1",
        "return 2",
        "}",
        "\u{201c}q\u{201d}",
        "'q'",
        "caf\u{e9}",
        "a  b",
        "#",
        "",
    ]);
    let indent = prop::sample::select(vec!["", "", "  ", "    ", "\t", "\t\t", "\u{a0}"]);
    let end = prop::sample::select(vec!["", "", "", " ", "\t"]);
    (indent, words.clone(), words, end).prop_map(|(indent, a, b, end)| format!("{indent}{a} {b}{end}"))
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let ends = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let stray = prop::sample::select(vec![&b""[..], b"", b"", b"\xff", b"\xe9", b"\xc3"]);
    let lines = prop::collection::vec((line(), stray, ends), 0..30);
    (lines, any::<bool>(), any::<bool>()).prop_map(|(lines, mark, last)| {
        let mut bytes = if mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        for (line, stray, end) in &lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(stray);
            bytes.extend_from_slice(end.as_bytes());
        }
        if !last {
            bytes.truncate(bytes.len() - usize::from(bytes.ends_with(b"\n")));
        }
        bytes
    })
}

/// Some lines of the file, with noise, and what becomes of them.
fn call() -> impl Strategy<Value = (usize, usize, u8, Vec<String>, u8)> {
    (0..30_usize, 1..6_usize, any::<u8>(), prop::collection::vec(line(), 0..4), any::<u8>())
}

fn edit_of(bytes: &[u8], call: &(usize, usize, u8, Vec<String>, u8)) -> Edit {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let (start, count, noise, added, at) = call;
    let lines: Vec<&str> = text.lines().skip(*start).take(*count).collect();
    let spoilt = |line: &&str| match noise % 6 {
        0 => line.trim().to_owned(),
        1 => format!("  {line}"),
        2 => format!("{line} "),
        3 => line.replace('a', "aa"),
        4 => line.replace(['\u{201c}', '\u{201d}'], "\""),
        _ => (*line).to_owned(),
    };
    let old: Vec<String> = lines.iter().map(spoilt).collect();
    let mut new = old.clone();
    let at = usize::from(*at) % (new.len() + 1);
    new.splice(at..(at + usize::from(*noise) % 2).min(new.len()), added.iter().cloned());
    Edit::new(old.join("\n"), new.join("\n"))
}

fn common(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, max_global_rejects: 50_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_beside_the_place_stay(bytes in file(), call in call()) {
        let edit = edit_of(&bytes, &call);
        let options = Options::default();
        if let Ok(applied) = apply_edit(&bytes, &edit, &options) {
            let place = locate(&bytes, &edit, &options).unwrap().range;
            // A line end beside the place may come or go with a line.
            let front = common(bytes.iter().copied(), applied.bytes.iter().copied());
            prop_assert!(front + 2 >= place.start || applied.bytes == bytes, "{edit:?} {place:?}");
            let back = common(bytes.iter().rev().copied(), applied.bytes.iter().rev().copied());
            prop_assert!(back + 2 + (bytes.len() - place.end).min(2) >= bytes.len() - place.end, "{edit:?} {place:?}");
            let done = applied.outcomes[0].status == Status::AlreadyApplied;
            prop_assert_eq!(done, applied.bytes == bytes);
        }
    }

    #[test]
    fn exact_edits_are_plain_replacement(lines in prop::collection::vec(line(), 1..30), call in call()) {
        let file = lines.join("\n") + "\n";
        let edit = edit_of(file.as_bytes(), &(call.0, call.1, 5, call.3, call.4));
        prop_assume!(!edit.new.is_empty() && file.matches(&edit.old).count() == 1);
        if let Ok(applied) = apply_edit(file.as_bytes(), &edit, &Options { exact_only: true, ..Options::default() })
            && applied.outcomes[0].status == Status::Applied
        {
            prop_assert_eq!(String::from_utf8(applied.bytes).unwrap(), file.replacen(&edit.old, &edit.new, 1));
        }
    }

    #[test]
    fn a_second_time_nothing_is_done(
        lines in prop::collection::vec("[a-z]{6,12} = [a-z]{6,12}", 4..20), start in 0..20_usize, count in 1..4_usize,
        added in prop::collection::vec("[A-Z]{8,12} = [A-Z]{8,12}", 1..3),
    ) {
        let file = lines.join("\n") + "\n";
        let start = start % lines.len();
        let old = lines[start..(start + count).min(lines.len())].to_vec();
        let mut new = old.clone();
        new.splice(old.len()..old.len(), added);
        let edit = Edit::new(old.join("\n"), new.join("\n"));
        if let Ok(once) = apply_edit(file.as_bytes(), &edit, &Options::default()) {
            let again = apply_edit(&once.bytes, &edit, &Options::default()).unwrap();
            prop_assert_eq!(again.outcomes[0].status, Status::AlreadyApplied);
            prop_assert_eq!(again.bytes, once.bytes);
        }
    }

    #[test]
    fn disjoint_edits_commute(bytes in file(), first in call(), second in call()) {
        let (one, two) = (edit_of(&bytes, &first), edit_of(&bytes, &second));
        let options = Options::default();
        let there = apply_edits(&bytes, &[one.clone(), two.clone()], &options);
        let back = apply_edits(&bytes, &[two, one], &options);
        match (there, back) {
            (Ok(there), Ok(back)) => prop_assert_eq!(there.bytes, back.bytes),
            (Err(there), Err(back)) => {
                // Which of two bad edits is told first depends on their order.
                prop_assert!(there.reason == back.reason || there.reason != Reason::Overlap);
            }
            (there, back) => prop_assert!(false, "{there:?} {back:?}"),
        }
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), old in ".{0,20}", new in ".{0,20}", near in any::<Option<u64>>()) {
        let edit = Edit { near_line: near, ..Edit::new(old, new) };
        let _ = apply_edit(&bytes, &edit, &Options::default());
        for name in ["utf-16-le", "shift_jis", "gb18030", "utf-32-be"] {
            let encoding = rootle_base::label(name).ok();
            let _ = apply_edit(&bytes, &edit, &Options { encoding, ..Options::default() });
        }
    }
}
