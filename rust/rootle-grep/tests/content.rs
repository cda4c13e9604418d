//! What a search of a tree gives, and what it says about what it did not search.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use rootle_base::{Context, Error};
use rootle_grep::{Case, GrepOptions, HitRef, Matcher, Mode, PatternSpec, hidden_hint};
use support::{paths, places, tree};

#[test]
fn the_matching_lines() {
    let tree = tree([
        ("src/a.rs", "fn main() {\n    call(1);\n}\n"),
        ("src/b/c.rs", "call\r\nno\r\ncall call"),
        ("README", "nothing\n"),
        (".gitignore", "ignored\n"),
        ("ignored/x", "call\n"),
        (".hidden", "call\n"),
    ]);
    let result = tree.grep("call", &GrepOptions::default());
    assert_eq!(places(&result), ["src/a.rs:2:5", "src/b/c.rs:1:1", "src/b/c.rs:3:1"]);
    let hit = result.files[1].matches.at(1).to_hit();
    assert_eq!((&*hit.text, hit.byte_offset, hit.end_line), ("call call", 10, 3));
    assert_eq!(hit.spans, [(0, 4), (5, 9)]);
    assert_eq!(result.files[1].matches.at(0).text(), "call");
    assert_eq!((result.total_matches, result.total_files, result.totals_exact), (3, 2, true));
    assert_eq!((result.complete, result.stop, result.engine), (true, None, "regex"));
    let coverage = &result.coverage;
    assert_eq!((coverage.searched, coverage.searched_bytes), (3, 27 + 19 + 8));
    assert_eq!((coverage.summary.ignored, coverage.summary.hidden), (1, 2));
}

#[test]
fn files_and_counts() {
    let tree = tree([("a", "x x\nx\n"), ("b/c", "y\n"), ("b/d", "x\n")]);
    let files = tree.grep("x", &GrepOptions { mode: Mode::Files, ..GrepOptions::default() });
    assert_eq!(paths(&files), ["a", "b/d"]);
    assert!(files.files.iter().all(|file| file.matches.is_empty() && file.count == 1));
    let counts = tree.grep("x", &GrepOptions { mode: Mode::Count, ..GrepOptions::default() });
    assert_eq!(counts.files.iter().map(|file| file.count).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((counts.total_matches, counts.total_files), (3, 2));
}

#[test]
fn what_was_not_searched_is_said() {
    let long = format!("{}needle{}\n", "x".repeat(1_100_000), "x".repeat(1_100_000));
    let tree = tree([
        ("binary", &b"needle\0needle\n"[..]),
        ("large", &[b'x'; 5000][..]),
        ("latin", b"needle \xe9\n"),
        ("line", long.as_bytes()),
    ]);
    let result = tree.grep("needle", &GrepOptions { max_line_chars: 40, ..GrepOptions::default() });
    assert_eq!(places(&result), ["binary:1:1", "latin:1:1", "line:1:1100001"]);
    assert!(result.files[0].binary && !result.files[1].binary && result.files[1].lossy);
    let hit = result.files[2].matches.at(0).to_hit();
    assert!(hit.clipped && hit.text.chars().count() == 40 && hit.text.contains("needle"));
    let coverage = &result.coverage;
    assert_eq!((coverage.binary, coverage.lossy, coverage.long_lines_split, coverage.searched), (1, 1, 1, 4));
    let small = tree.grep("needle", &GrepOptions { max_filesize: Some(4999), ..GrepOptions::default() });
    assert_eq!((small.coverage.too_large, small.coverage.searched, small.complete), (2, 2, true));
}

#[test]
fn step_bounds_are_counted() {
    let tree = tree([("a", format!("{}\nb aab\n", "a".repeat(60))), ("b", "b aab\n".to_owned())]);
    let result = tree.grep(r"^(?:a|aa)+(?<!a)$|(?<=a)ab", &GrepOptions::default());
    assert_eq!(places(&result), ["a:2:4", "b:1:4"]);
    assert_eq!((result.coverage.step_limited, result.engine, result.complete), (1, "fancy-regex", true));
}

#[test]
fn names_of_all_kinds() {
    let names: [&[u8]; 6] = [b"a\nb.py", b"a:12:b.txt", b"-rf", b"\x1b[31m", b"bad\xff", b" "];
    let tree = tree(names.map(|name| (PathBuf::from(OsStr::from_bytes(name)), "x\n")));
    let result = tree.grep("x", &GrepOptions::default());
    let mut found: Vec<&[u8]> = result.files.iter().map(|file| &file.path[..]).collect();
    found.sort_unstable();
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn patterns_are_never_options() {
    let tree = tree([("a", "--pre=./x.sh\n-f/etc/passwd\n--help\n")]);
    for (line, pattern) in ["--pre=./x.sh", "-f/etc/passwd", "--help"].into_iter().enumerate() {
        assert_eq!(places(&tree.grep(pattern, &GrepOptions::default())), [format!("a:{}:1", line + 1)]);
    }
}

#[test]
fn case_words_and_several_patterns() {
    let tree = tree([("a", "Foo\nfoo\nfoobar\nf.o\nbar\nſ\n")]);
    let lines = |spec: &PatternSpec| -> Vec<u64> {
        let result = tree.try_grep(spec, &GrepOptions::default(), &Context::unlimited()).unwrap();
        result.files.iter().flat_map(|file| file.matches.iter().map(HitRef::line)).collect()
    };
    let foo = PatternSpec::regex("foo");
    assert_eq!(lines(&foo), [2, 3]);
    assert_eq!(lines(&PatternSpec { case: Case::Insensitive, ..foo.clone() }), [1, 2, 3]);
    assert_eq!(lines(&PatternSpec { case: Case::Smart, ..foo.clone() }), [1, 2, 3]);
    assert_eq!(lines(&PatternSpec { case: Case::Smart, ..PatternSpec::regex("Foo") }), [1]);
    assert_eq!(lines(&PatternSpec { case: Case::Insensitive, ..PatternSpec::regex("S") }), [6]);
    assert_eq!(lines(&PatternSpec { word: true, ..foo.clone() }), [2]);
    assert_eq!(lines(&PatternSpec { line: true, ..PatternSpec::regex("f.o|bar") }), [2, 4, 5]);
    assert_eq!(lines(&PatternSpec { fixed: true, ..PatternSpec::regex("f.o") }), [4]);
    let two = PatternSpec { patterns: vec!["bar$".to_owned(), "^F".to_owned()], ..PatternSpec::default() };
    assert_eq!(lines(&two), [1, 3, 5]);
    let fixed = PatternSpec { fixed: true, case: Case::Insensitive, ..two };
    assert_eq!(lines(&fixed), [] as [u64; 0]);
}

#[test]
fn a_start_that_cannot_be_searched_is_an_error() {
    let mut tree = tree([("a", "x\n")]);
    tree.starts = vec![PathBuf::from("missing")];
    let result = tree.try_grep(&PatternSpec::regex("x"), &GrepOptions::default(), &Context::unlimited());
    assert!(matches!(result, Err(Error::PathNotFound { .. })), "{result:?}");
    tree.starts = vec![PathBuf::from("a")];
    assert_eq!(places(&tree.grep("x", &GrepOptions::default())), ["a:1:1"]);
}

#[test]
fn no_file_of_the_type() {
    let tree = tree([("a.py", "x\n")]).types("rust");
    let result = tree.grep("x", &GrepOptions::default());
    assert_eq!((result.coverage.searched, result.coverage.summary.filtered, result.complete), (0, 1, true));
}

#[test]
fn matches_in_ignored_and_hidden_files() {
    let mut tree = tree([
        ("a", "nothing\n"),
        (".gitignore", "*.log\nbuild/\n"),
        ("x.log", "needle\nneedle\n"),
        ("build/y", "needle\n"),
        (".hidden/z", "needle\n"),
        (".git/config", "needle\n"),
    ]);
    tree.walk.note_dropped = 100;
    let hint = |pattern: &str, budget| {
        let spec = PatternSpec::regex(pattern);
        let searched = tree.grep(pattern, &GrepOptions::default());
        assert_eq!(searched.total_matches, 0);
        let (matcher, options, ctx) = (Matcher::new(&spec).unwrap(), GrepOptions::default(), Context::unlimited());
        hidden_hint(&tree.request(), &matcher, &options, &searched.coverage.summary, budget, &ctx).unwrap()
    };
    let found = hint("needle", Duration::from_secs(60)).unwrap();
    assert_eq!((found.matches, found.files, found.exact), (4, 3, true));
    assert_eq!(hint("nowhere", Duration::from_secs(60)), None);
    assert_eq!(hint("needle", Duration::ZERO), None);
}

#[test]
fn files_that_change_while_they_are_searched() {
    let tree = tree((0..50).map(|at| (format!("f{at}"), "needle\n".repeat(1000))));
    let path = tree.path("f7");
    let changing = std::thread::spawn(move || {
        for round in 0..100 {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_len(if round % 2 == 0 { 0 } else { 200_000 }).unwrap();
        }
    });
    for _ in 0..4 {
        let result = tree.grep("needle", &GrepOptions::default());
        assert!(result.complete && result.total_files >= 49 && result.coverage.unreadable == 0);
    }
    changing.join().unwrap();
}
