//! What a walk gives, and in which order.
#![allow(missing_docs)]

mod tree;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rootle_base::{CancelToken, Context, Error, FileKind, Root, Stop};
use rootle_walk::{FileEntry, Filter, FilterSpec, Request, Visit, WalkOptions, path_order, walk};
use tree::{Run, options, tree};

/// Directories within directories, one of them with many files.
fn large() -> tempfile::TempDir {
    let dir = tree(&[]);
    for a in 0..12 {
        for b in 0..12 {
            let path = dir.path().join(format!("d{a}/e{b}"));
            std::fs::create_dir_all(&path).unwrap();
            for c in 0..if a == 3 && b == 5 { 500 } else { 5 } {
                std::fs::write(path.join(format!("f{c}.{}", ["rs", "py"][c % 2])), "x").unwrap();
            }
        }
        std::fs::write(dir.path().join(format!("d{a}.txt")), "x").unwrap();
        std::fs::write(dir.path().join(format!("d{a}/e1.txt")), "x").unwrap();
    }
    dir
}

#[test]
fn options_and_filters() {
    let dir = tree(&[
        (".gitignore", "*.log\nout/\n!kept.log\n"),
        (".hidden", ""),
        (".github/ci.yml", ""),
        ("a.rs", ""),
        ("b.log", ""),
        ("kept.log", ""),
        ("out/x.rs", ""),
        ("src/a.py", ""),
        ("src/deep/er/b.rs", ""),
        ("node_modules/m/i.js", ""),
        ("link.rs", "-> a.rs"),
    ]);
    type Change = fn(&mut Run<'_>);
    let table: &[(&str, Change, &[&str])] = &[
        ("as it is", |_| {}, &["a.rs", "kept.log", "node_modules/m/i.js", "src/a.py", "src/deep/er/b.rs"]),
        (
            "hidden",
            |run| run.options.hidden = true,
            &[
                ".github/ci.yml",
                ".gitignore",
                ".hidden",
                "a.rs",
                "kept.log",
                "node_modules/m/i.js",
                "src/a.py",
                "src/deep/er/b.rs",
            ],
        ),
        (
            "no ignore files",
            |run| run.options.no_ignore = true,
            &["a.rs", "b.log", "kept.log", "node_modules/m/i.js", "out/x.rs", "src/a.py", "src/deep/er/b.rs"],
        ),
        (
            "unwanted directories",
            |run| run.options.skip_dirs = vec!["node_modules".into(), "deep".into()],
            &["a.rs", "kept.log", "src/a.py"],
        ),
        (
            "lines of the caller win",
            |run| run.options.extra_ignore = vec!["!b.log".into(), "/src/deep\n*.js".into()],
            &["a.rs", "b.log", "kept.log", "src/a.py"],
        ),
        ("depth 1", |run| run.options.max_depth = Some(1), &["a.rs", "kept.log"]),
        ("depth 2", |run| run.options.max_depth = Some(2), &["a.rs", "kept.log", "src/a.py"]),
        ("depth 0", |run| run.options.max_depth = Some(0), &[]),
        (
            "links",
            |run| run.options.follow_links = true,
            &["a.rs", "kept.log", "link.rs", "node_modules/m/i.js", "src/a.py", "src/deep/er/b.rs"],
        ),
        ("include", |run| run.spec.include = vec!["*.rs".into()], &["a.rs", "src/deep/er/b.rs"]),
        ("include with a slash", |run| run.spec.include = vec!["src/**/*.rs".into()], &["src/deep/er/b.rs"]),
        ("a hidden name in a glob", |run| run.spec.include = vec![".github/*.yml".into()], &[".github/ci.yml"]),
        ("a glob does not un-ignore", |run| run.spec.include = vec!["out/*.rs".into()], &[]),
        ("exclude", |run| run.spec.exclude = vec!["src".into(), "*.js".into()], &["a.rs", "kept.log"]),
        ("types", |run| run.spec.types = vec!["py".into(), "js".into()], &["node_modules/m/i.js", "src/a.py"]),
        ("an ignored start", |run| run.starts = vec!["out"], &["out/x.rs"]),
        ("a hidden start", |run| run.starts = vec![".github"], &[".github/ci.yml"]),
        ("an ignored file as start", |run| run.starts = vec!["b.log"], &["b.log"]),
        ("a link as start", |run| run.starts = vec!["link.rs"], &["link.rs"]),
        (
            "rules above a start",
            |run| run.starts = vec!["src/../."],
            &["a.rs", "kept.log", "node_modules/m/i.js", "src/a.py", "src/deep/er/b.rs"],
        ),
        (
            "starts within starts",
            |run| run.starts = vec!["src/deep", "src", "a.rs", "src", "out/x.rs"],
            &["a.rs", "out/x.rs", "src/a.py", "src/deep/er/b.rs"],
        ),
    ];
    for (what, change, expected) in table {
        for threads in [1, 3] {
            let mut run = Run::new(dir.path());
            run.options.threads = threads;
            change(&mut run);
            assert_eq!(run.files(), *expected, "{what}");
        }
    }
}

#[test]
fn what_is_passed_over_is_counted() {
    let dir = tree(&[
        (".gitignore", "*.log\n/out/\n"),
        ("a.log", ""),
        ("out/b", ""),
        ("out/c", ""),
        (".h/x", ""),
        ("nm/x", ""),
        ("a.rs", ""),
        ("b.py", ""),
        ("l", "-> a.rs"),
    ]);
    let mut run = Run::new(dir.path());
    run.options.skip_dirs = vec!["nm".into()];
    run.spec.include = vec!["*.rs".into(), "*.log".into()];
    let (files, summary) = run.full().unwrap();

    assert_eq!(files, ["a.rs"]);
    let counts = (summary.files, summary.dirs, summary.ignored, summary.hidden, summary.skipped_dirs, summary.links);
    assert_eq!(counts, (1, 1, 2, 1, 1, 1));
    // `.gitignore` and `b.py`.
    assert_eq!(summary.filtered, 2);
    assert!(summary.complete() && summary.warnings.is_empty());
}

#[test]
fn a_rule_that_names_a_directory_wins_over_the_built_in_list_and_a_mere_pattern_does_not() {
    for (rules, expected) in [("!nm\n", vec!["nm/x"]), ("*\n!*/\n!x\n", vec!["x"]), ("", vec!["x"])] {
        let dir = tree(&[(".gitignore", rules), ("nm/x", ""), ("x", "")]);
        let mut run = Run::new(dir.path());
        run.options.skip_dirs = vec!["nm".into()];
        let files = run.files();

        assert_eq!(files[..expected.len()], expected[..], "{rules:?}");
        assert_eq!(files.contains(&"nm/x".to_owned()), rules == "!nm\n");
    }
}

#[test]
fn rules_of_all_directories_down_to_a_start_count_and_none_above_the_root() {
    let dir = tree(&[
        (".gitignore", "*.a\n/r/s/t/*.b\n"),
        ("r/.ignore", "*.c\n"),
        ("r/s/t/x.a", ""),
        ("r/s/t/x.b", ""),
        ("r/s/t/x.c", ""),
        ("r/s/t/x.d", ""),
        ("r/to", "-> s/t"),
    ]);
    let mut run = Run::new(dir.path());
    run.starts = vec!["r/s/t"];
    assert_eq!(run.files(), ["r/s/t/x.d"]);
    // Through a link, the rules of the real place count.
    run.starts = vec!["r/to"];
    assert_eq!(run.files(), ["r/to/x.d"]);

    let inner = dir.path().join("r");
    let mut run = Run::new(&inner);
    run.starts = vec!["s"];
    assert_eq!(run.files(), ["s/t/x.a", "s/t/x.b", "s/t/x.d"]);
}

#[test]
fn path_order_and_the_same_answer_with_any_number_of_threads() {
    let dir = large();
    let mut run = Run::new(dir.path());
    run.options.threads = 1;
    let alone = run.files();
    assert_eq!(alone.len(), 143 * 5 + 500 + 24);
    assert!(alone.is_sorted_by(|a, b| Path::new(a) < Path::new(b)));
    for threads in [2, 3, 8] {
        run.options.threads = threads;
        for _ in 0..20 {
            assert_eq!(run.files(), alone);
        }
    }
}

#[test]
fn resuming_gives_exactly_what_comes_after() {
    let dir = large();
    let all = Run::new(dir.path()).files();
    for (at, last) in all.iter().enumerate().step_by(37) {
        let mut run = Run::new(dir.path());
        run.after = Some(last);
        assert_eq!(run.files(), all[at + 1..], "{last}");
    }
    let mut run = Run::new(dir.path());
    run.after = Some("d3/e5/f77x");
    assert_eq!(run.files(), all[all.iter().position(|path| path == "d3/e5/f78.rs").unwrap()..]);
    run.after = Some("zzz");
    let (files, summary) = run.full().unwrap();
    assert!(files.is_empty());
    assert_eq!(summary.dirs, 1, "directories before the place are not listed");
}

/// Counts what it is given, and stops wanting.
struct Until {
    limit: Option<&'static [u8]>,
    seen: Arc<AtomicUsize>,
    each: fn(&FileEntry<'_>),
}

impl Visit for Until {
    fn hand_over(&mut self, _to: &mut Self) {}

    fn file(&mut self, file: &FileEntry<'_>) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        (self.each)(file);
    }

    fn done_from(&self, path: &[u8]) -> bool {
        self.limit.is_some_and(|limit| path_order(path, limit).is_ge())
    }
}

fn visit(
    dir: &Path,
    options: &WalkOptions,
    ctx: &Context,
    limit: Option<&'static [u8]>,
    each: fn(&FileEntry<'_>),
) -> (usize, rootle_walk::Summary) {
    let root = Root::open(dir).unwrap();
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = seen.clone();
    let (filter, starts) = (Filter::all(), [PathBuf::from(".")]);
    let req = Request { root: &root, starts: &starts, options, filter: &filter, after: None };
    let (visitors, summary) = walk(&req, ctx, move || Until { limit, seen: counted.clone(), each }).unwrap();
    assert!(!visitors.is_empty());
    (seen.load(Ordering::Relaxed), summary)
}

#[test]
fn work_that_is_not_needed_is_dropped() {
    let dir = large();
    let all = Run::new(dir.path()).files();
    for threads in [1, 4] {
        let options = WalkOptions { threads, ..options() };
        let (seen, summary) = visit(dir.path(), &options, &Context::unlimited(), Some(b"d1/e3"), |_| {});

        let before = all.iter().filter(|path| path_order(path.as_bytes(), b"d1/e3").is_lt()).count();
        assert_eq!(seen, before);
        assert!(summary.cut && !summary.complete());
        assert!(summary.dirs < 30, "{}", summary.dirs);
    }
}

#[test]
fn entries_open_and_stat() {
    let dir = tree(&[("d/a", "hello"), ("l", "-> d/a")]);
    let options = WalkOptions { follow_links: true, ..options() };
    let (seen, _) = visit(dir.path(), &options, &Context::unlimited(), None, |file| {
        let meta = file.stat().unwrap();
        assert_eq!((meta.size, meta.kind, file.kind()), (5, FileKind::File, FileKind::File));
        assert_eq!(rootle_base::Metadata::of(file.open().unwrap()).unwrap().ino, meta.ino);
        assert!(file.path().ends_with(file.name()) && !file.is_start());
    });
    assert_eq!(seen, 2);
}

#[test]
fn a_walk_ends_when_it_must() {
    let dir = large();
    let slow: fn(&FileEntry<'_>) = |_| std::thread::sleep(Duration::from_millis(2));
    for threads in [1, 3] {
        let options = WalkOptions { threads, ..options() };
        let begin = Instant::now();
        let ctx = Context::new(Some(Duration::from_millis(100)), CancelToken::new());
        let (seen, summary) = visit(dir.path(), &options, &ctx, None, slow);
        assert_eq!(summary.stop, Some(Stop::Deadline));
        assert!(seen > 0 && seen < 1000 && begin.elapsed() < Duration::from_millis(600));

        let ctx = Context::unlimited().with_interrupt(|| true);
        let (seen, summary) = visit(dir.path(), &options, &ctx, None, slow);
        assert_eq!(summary.stop, Some(Stop::Interrupted));
        assert!(seen < 1000);

        let token = CancelToken::new();
        token.cancel();
        let ctx = Context::new(None, token);
        let (seen, summary) = visit(dir.path(), &options, &ctx, None, slow);
        assert_eq!((seen, summary.stop), (0, Some(Stop::Cancelled)));
    }
}

/// Keeps what it is given.
#[derive(Default)]
struct Keeper(Vec<String>);

impl Visit for Keeper {
    fn file(&mut self, file: &FileEntry<'_>) {
        std::thread::sleep(Duration::from_micros(300));
        self.0.push(String::from_utf8(file.path().to_vec()).unwrap());
    }

    fn hand_over(&mut self, to: &mut Self) {
        to.0.append(&mut self.0);
    }
}

#[test]
fn a_walk_that_ended_early_says_from_where_to_go_on() {
    let dir = large();
    let all = Run::new(dir.path()).files();
    let root = Root::open(dir.path()).unwrap();
    let filter = Filter::all();
    for (threads, starts) in [(1, vec!["."]), (4, vec!["."]), (3, vec!["d1", "d3", "d5", "d9"])] {
        let options = WalkOptions { threads, ..options() };
        let starts: Vec<PathBuf> = starts.into_iter().map(PathBuf::from).collect();
        let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
        for limit in [0, 5, 40, 90] {
            let ctx = Context::new(Some(Duration::from_millis(limit)), CancelToken::new());
            let (keepers, summary) = walk(&req, &ctx, Keeper::default).unwrap();
            let given: std::collections::HashSet<String> = keepers.into_iter().flat_map(|keeper| keeper.0).collect();
            assert_eq!(summary.stop, Some(Stop::Deadline));
            let from = summary.resume.unwrap();
            let below =
                |path: &str| starts.iter().any(|start| start == Path::new(".") || Path::new(path).starts_with(start));
            for path in all.iter().filter(|path| below(path) && path_order(path.as_bytes(), &from).is_lt()) {
                assert!(given.contains(path), "{path} before {}", String::from_utf8_lossy(&from));
            }
            assert!(all.iter().any(|path| below(path) && !given.contains(path)));
        }
    }
}

#[test]
fn a_visitor_that_panics_ends_the_walk() {
    let dir = large();
    for threads in [1, 4] {
        let options = WalkOptions { threads, ..options() };
        let result = std::panic::catch_unwind(|| {
            visit(dir.path(), &options, &Context::unlimited(), None, |file| {
                std::thread::sleep(Duration::from_micros(20));
                assert!(!file.path().starts_with(b"d7"), "on purpose");
            })
        });
        assert!(result.is_err());
    }
}

#[test]
fn starts_that_are_none() {
    let dir = tree(&[("a/b", ""), ("out", "-> /etc"), ("loop", "-> loop")]);
    let error = |start: &str| {
        let mut run = Run::new(dir.path());
        run.starts = vec![start];
        run.full().unwrap_err()
    };
    for (start, expected) in [
        ("x", "does not exist"),
        ("..", "outside"),
        ("a/../..", "outside"),
        ("/etc", "outside"),
        ("out", "outside"),
        ("loop", "symbolic links"),
        ("a/b/", "not a directory"),
        ("", "not a valid path"),
    ] {
        assert!(error(start).to_string().contains(expected), "{start}: {}", error(start));
    }
    let spec = FilterSpec { types: vec!["nope".into()], ..FilterSpec::default() };
    assert!(matches!(Filter::new(&spec), Err(Error::UnknownFileType { .. })));
}
