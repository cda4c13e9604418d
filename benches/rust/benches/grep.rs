//! Searching: a rare word, none, and the first hundred of a common one.

use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use rootle_base::{Context, Root};
use rootle_bench::{COMMON, RARE, tree};
use rootle_grep::{GrepOptions, Matcher, PatternSpec, grep};
use rootle_walk::{Filter, Request, WalkOptions};

fn search(c: &mut Criterion) {
    let corpus = tree(200, 20);
    let root = Root::open(corpus.dir.path()).expect("the tree");
    let (walk, filter, starts) = (WalkOptions::default(), Filter::all(), [PathBuf::from(".")]);
    let request = Request { root: &root, starts: &starts, options: &walk, filter: &filter, after: None };
    let count = |pattern: &str, max_matches: Option<u64>| {
        let matcher = Matcher::new(&PatternSpec::regex(pattern)).expect("a pattern");
        let options = GrepOptions { max_matches, ..GrepOptions::default() };
        let found = grep(&request, &matcher, &options, &Context::unlimited()).expect("a search");
        found.files.iter().map(|file| file.matches.len()).sum::<usize>()
    };
    for (name, pattern, limit, expected) in [
        ("grep/many_small_files/rare", RARE, None, corpus.rare),
        ("grep/many_small_files/none", "no_such_word_anywhere", None, 0),
        ("grep/many_small_files/common_first_100", COMMON, Some(100), 100),
        ("grep/many_small_files/look_behind", "(?<=/\\* )rare_needle", None, corpus.rare),
    ] {
        assert_eq!(count(pattern, limit), expected, "{name}");
        c.bench_function(name, |b| b.iter(|| count(pattern, limit)));
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
