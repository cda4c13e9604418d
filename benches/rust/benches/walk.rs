//! Walking: `walk/many_small_files` lists every file, `glob/many_small_files` those that a pattern takes.

use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use rootle_base::{Context, Root};
use rootle_bench::tree;
use rootle_walk::{Filter, GlobRequest, Request, SortBy, WalkOptions, glob, list_files};

fn walk(c: &mut Criterion) {
    let corpus = tree(200, 20);
    let root = Root::open(corpus.dir.path()).expect("the tree");
    let (options, filter, starts) = (WalkOptions::default(), Filter::all(), [PathBuf::from(".")]);
    let request = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
    let list = || list_files(&request, &Context::unlimited(), false).expect("a walk").0.len();
    assert_eq!(list(), corpus.files, "the ignored files are left out, all others are there");
    c.bench_function("walk/many_small_files", |b| b.iter(list));
}

fn glob_many(c: &mut Criterion) {
    let corpus = tree(200, 20);
    let root = Root::open(corpus.dir.path()).expect("the tree");
    let options = WalkOptions::default();
    let request = GlobRequest {
        base: PathBuf::from("."),
        ignore_case: false,
        kinds: rootle_walk::Kinds::File,
        sort: SortBy::Path,
        max_results: None,
        cursor: None,
        want_stat: false,
        options: &options,
    };
    let patterns = ["**/file_00*.c".to_owned()];
    let find = || glob(&root, &patterns, &request, &Context::unlimited()).expect("a glob").entries.len();
    assert_eq!(find(), 200 * 10, "ten files of each directory");
    c.bench_function("glob/many_small_files", |b| b.iter(find));
}

criterion_group!(benches, walk, glob_many);
criterion_main!(benches);
