//! Limits give exactly the first matches, and pages come to the whole.

mod support;

use rootle_base::{CancelToken, Context, Error};
use rootle_grep::{FileMatches, GrepOptions, Hit, Hits, Mode, PatternSpec, Sort, StopReason};
use std::collections::BTreeSet;
use std::time::Duration;
use support::{Tree, paths, places, tree};

/// 80 files in nested directories, with 0 to 6 matches each.
fn many(threads: usize) -> Tree {
    let files = (0..80u32).map(|at| {
        let spread = at.wrapping_mul(2_654_435_761) >> 16;
        let path = format!("d{}/e{}/f{}.txt", spread % 7, spread % 3, at);
        let mut text = String::from("first\n");
        for line in 0..spread % 13 {
            text.push_str(if line % 2 == 0 { "a needle and a needle\n" } else { "hay\nhay\n" });
        }
        (path, text)
    });
    let tree = tree(files).threads(threads);
    for at in 0..80u32 {
        let spread = at.wrapping_mul(2_654_435_761) >> 16;
        tree.set_mtime(&format!("d{}/e{}/f{}.txt", spread % 7, spread % 3, at), u64::from(1_000 + spread % 40));
    }
    tree
}

fn options(sort: Sort, max_matches: Option<u64>) -> GrepOptions {
    GrepOptions { sort, max_matches, ..GrepOptions::default() }
}

#[test]
fn the_first_of_all() {
    for threads in [1, 8] {
        let tree = many(threads);
        for sort in [Sort::Path, Sort::Modified] {
            let all = tree.grep("needle", &options(sort, None));
            assert!(all.complete && all.totals_exact && all.cursor.is_none());
            let all_places = places(&all);
            assert_eq!(all.total_matches, all_places.len() as u64);
            assert_eq!(all.total_files, all.files.len() as u64);
            for limit in [1, 2, 3, 10, 57, all_places.len() - 1] {
                let first = tree.grep("needle", &options(sort, Some(limit as u64)));
                assert_eq!(places(&first), all_places[..limit], "{sort:?} {limit} on {threads}");
                assert_eq!(first.stop, Some(StopReason::MaxMatches));
                assert!(!first.complete && first.cursor.is_some());
                let counted = GrepOptions { count_totals: true, ..options(sort, Some(limit as u64)) };
                let counted = tree.grep("needle", &counted);
                assert_eq!(places(&counted), all_places[..limit]);
                assert!(counted.totals_exact);
                assert_eq!((counted.total_matches, counted.total_files), (all.total_matches, all.total_files));
            }
            for limit in [all_places.len(), all_places.len() + 1] {
                let whole = tree.grep("needle", &options(sort, Some(limit as u64)));
                assert_eq!(places(&whole), all_places);
                assert!(whole.complete && whole.totals_exact && whole.cursor.is_none());
            }
        }
        let sorted = tree.grep("needle", &options(Sort::Modified, None));
        assert!(sorted.files.is_sorted_by_key(|file| std::cmp::Reverse(file.mtime_ns)));
    }
}

/// The hits of all files. A page's end may cut a file in two.
fn hits(files: &[FileMatches]) -> Vec<(&[u8], Vec<Hit>)> {
    let mut hits: Vec<(&[u8], Vec<Hit>)> = Vec::new();
    for file in files {
        match hits.last_mut() {
            Some((path, hits)) if *path == file.path => hits.extend(file.matches.to_vec()),
            _ => hits.push((&file.path, file.matches.to_vec())),
        }
    }
    hits
}

/// Everything else about the last part of each file, but the count, which is of the part.
fn last_parts(files: &[FileMatches]) -> Vec<FileMatches> {
    let last =
        files.iter().enumerate().filter(|(at, file)| files.get(at + 1).is_none_or(|next| next.path != file.path));
    last.map(|(_, file)| FileMatches { count: 0, matches: Hits::default(), ..file.clone() }).collect()
}

#[test]
fn pages_come_to_the_whole() {
    let tree = many(4);
    let context = GrepOptions { before: 2, after: 2, ..GrepOptions::default() };
    let single = GrepOptions { only_matching: true, ..GrepOptions::default() };
    let inverted = GrepOptions { invert: true, ..GrepOptions::default() };
    let capped = GrepOptions { max_per_file: Some(3), ..GrepOptions::default() };
    for base in [GrepOptions::default(), context, single, inverted, capped] {
        for sort in [Sort::Path, Sort::Modified] {
            let all = tree.grep("needle", &GrepOptions { sort, ..base.clone() }).files;
            for (max_matches, max_text_bytes) in [(Some(23), None), (None, Some(700))] {
                let options = GrepOptions { sort, max_matches, max_text_bytes, ..base.clone() };
                let pages = tree.pages("needle", &options);
                assert!(pages.len() > 2, "{}", pages.len());
                for page in &pages[..pages.len() - 1] {
                    if let Some(most) = max_matches {
                        assert_eq!(page.files.iter().map(|file| file.matches.len() as u64).sum::<u64>(), most);
                    }
                }
                let pages: Vec<FileMatches> = pages.into_iter().flat_map(|page| page.files).collect();
                assert_eq!(hits(&pages), hits(&all), "{options:?}");
                assert_eq!(last_parts(&pages), last_parts(&all), "{options:?}");
            }
        }
    }
    for mode in [Mode::Files, Mode::Count] {
        for sort in [Sort::Path, Sort::Modified] {
            let all = tree.grep("needle", &GrepOptions { mode, sort, ..GrepOptions::default() });
            let pages =
                tree.pages("needle", &GrepOptions { mode, sort, max_matches: Some(9), ..GrepOptions::default() });
            assert!(pages[..pages.len() - 1].iter().all(|page| page.files.len() == 9));
            let files: Vec<FileMatches> = pages.into_iter().flat_map(|page| page.files).collect();
            assert_eq!(files, all.files);
        }
    }
}

#[test]
fn an_early_end_leaves_files_unread() {
    let tree = many(1);
    let first = tree.grep("needle", &options(Sort::Path, Some(3)));
    assert!(first.coverage.searched < 20, "{}", first.coverage.searched);
    assert!(!first.totals_exact);
    let rest = tree.grep("needle", &GrepOptions { cursor: first.cursor, ..options(Sort::Path, None) });
    let all = tree.grep("needle", &options(Sort::Path, None));
    assert_eq!(places(&rest), places(&all)[3..]);
    assert!(rest.complete);
}

#[test]
fn cursors_of_other_searches_are_refused() {
    let tree = many(1);
    let cursor = tree.grep("needle", &options(Sort::Path, Some(3))).cursor;
    for (pattern, options) in [
        ("hay", GrepOptions { cursor: cursor.clone(), ..GrepOptions::default() }),
        ("needle", GrepOptions { cursor: cursor.clone(), mode: Mode::Files, ..GrepOptions::default() }),
        ("needle", GrepOptions { cursor: cursor.map(|cursor| cursor + "A"), ..GrepOptions::default() }),
        ("needle", GrepOptions { cursor: Some("nonsense".to_owned()), ..GrepOptions::default() }),
        ("needle", GrepOptions { cursor: Some(String::new()), ..GrepOptions::default() }),
    ] {
        let result = tree.try_grep(&PatternSpec::regex(pattern), &options, &Context::unlimited());
        assert!(matches!(result, Err(Error::InvalidCursor { .. })), "{options:?}");
    }
}

#[test]
fn limits_of_nothing_are_refused() {
    let tree = tree([("a", "a\n")]);
    for options in [
        GrepOptions { max_matches: Some(0), ..GrepOptions::default() },
        GrepOptions { max_per_file: Some(0), ..GrepOptions::default() },
        GrepOptions { max_line_chars: 0, ..GrepOptions::default() },
    ] {
        let result = tree.try_grep(&PatternSpec::regex("a"), &options, &Context::unlimited());
        assert!(matches!(result, Err(Error::InvalidArgument { .. })));
    }
}

#[test]
fn per_file() {
    let tree = tree([("a", "x\nx\nx\n"), ("b", "x\n")]);
    let result = tree.grep("x", &GrepOptions { max_per_file: Some(2), ..GrepOptions::default() });
    assert_eq!(places(&result), ["a:1:1", "a:2:1", "b:1:1"]);
    assert_eq!(result.files.iter().map(|file| file.more).collect::<Vec<_>>(), [true, false]);
    assert!(result.complete && !result.totals_exact);
}

#[test]
fn a_deadline_gives_what_there_is_and_where_to_go_on() {
    let tree = many(2);
    let all: BTreeSet<String> = places(&tree.grep("needle", &options(Sort::Path, None))).into_iter().collect();
    let mut found = BTreeSet::new();
    let mut given = GrepOptions::default();
    let mut limit = Duration::from_micros(100);
    let mut stopped = 0;
    loop {
        let ctx = Context::new(Some(limit), CancelToken::new());
        let result = tree.try_grep(&PatternSpec::regex("needle"), &given, &ctx).unwrap();
        found.extend(places(&result));
        if result.complete {
            break;
        }
        stopped += 1;
        assert_eq!(result.stop, Some(StopReason::Deadline));
        assert!(!result.totals_exact);
        given.cursor = result.cursor.or(given.cursor);
        limit *= 2;
    }
    assert!(stopped > 0);
    assert_eq!(found, all);
}

#[test]
fn cancelled_before_it_began() {
    let tree = many(2);
    let token = CancelToken::new();
    token.cancel();
    let result = tree.try_grep(&PatternSpec::regex("needle"), &GrepOptions::default(), &Context::new(None, token));
    let result = result.unwrap();
    assert_eq!((paths(&result).len(), result.complete, result.stop), (0, false, Some(StopReason::Cancelled)));
}
