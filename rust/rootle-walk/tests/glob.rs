//! Finding by glob.
#![allow(missing_docs)]

mod tree;

use std::time::{Duration, Instant, SystemTime};

use rootle_base::{Context, Error, Result, Root};
use rootle_walk::{GlobRequest, GlobResult, Kinds, SortBy, WalkOptions, glob};
use tree::{options, tree};

struct Ask<'a> {
    patterns: &'a [&'a str],
    base: &'a str,
    kinds: Kinds,
    sort: SortBy,
    ignore_case: bool,
    max_results: Option<usize>,
    cursor: Option<String>,
    options: WalkOptions,
}

impl<'a> Ask<'a> {
    fn new(patterns: &'a [&'a str]) -> Self {
        Self {
            patterns,
            base: ".",
            kinds: Kinds::File,
            sort: SortBy::Path,
            ignore_case: false,
            max_results: None,
            cursor: None,
            options: options(),
        }
    }

    fn run(&self, dir: &tempfile::TempDir) -> Result<GlobResult> {
        let root = Root::open(dir.path()).unwrap();
        let patterns: Vec<String> =
            self.patterns.iter().map(|pattern| pattern.replace("{ROOT}", &root.path().display().to_string())).collect();
        let request = GlobRequest {
            base: self.base.into(),
            ignore_case: self.ignore_case,
            kinds: self.kinds,
            sort: self.sort,
            max_results: self.max_results,
            cursor: self.cursor.as_deref(),
            want_stat: false,
            options: &self.options,
        };
        glob(&root, &patterns, &request, &Context::unlimited())
    }

    fn paths(&self, dir: &tempfile::TempDir) -> Vec<String> {
        names(&self.run(dir).unwrap())
    }
}

fn names(result: &GlobResult) -> Vec<String> {
    result.entries.iter().map(|entry| String::from_utf8_lossy(&entry.path).into_owned()).collect()
}

fn sample() -> tempfile::TempDir {
    tree(&[
        (".gitignore", "out/\n*.log\n"),
        ("a.py", ""),
        ("a.log", ""),
        ("A.PY", ""),
        ("src/b.py", ""),
        ("src/sub/c.py", ""),
        ("src/sub/d.txt", ""),
        ("out/e.py", ""),
        (".github/w/ci.yml", ""),
        ("app/[id]/page.tsx", ""),
        ("app/i/page.tsx", ""),
        ("[id].tsx", ""),
        ("i.tsx", ""),
        ("lib/src/z.py", ""),
    ])
}

#[test]
fn what_matches() {
    let dir = sample();
    type Change = fn(&mut Ask<'_>);
    let same: Change = |_| {};
    let table: &[(&[&str], Change, &[&str])] = &[
        (&["*.py"], same, &["a.py", "lib/src/z.py", "src/b.py", "src/sub/c.py"]),
        (&["**/*.py"], same, &["a.py", "lib/src/z.py", "src/b.py", "src/sub/c.py"]),
        (&["./*.py"], same, &["a.py"]),
        (&["*.py"], |ask| ask.ignore_case = true, &["A.PY", "a.py", "lib/src/z.py", "src/b.py", "src/sub/c.py"]),
        (&["src/*.py"], same, &["src/b.py"]),
        (&["src/**"], same, &["src/b.py", "src/sub/c.py", "src/sub/d.txt"]),
        (&["src/"], same, &["src/b.py", "src/sub/c.py", "src/sub/d.txt"]),
        (&["sub/*.py"], |ask| ask.base = "src", &["src/sub/c.py"]),
        (&["{ROOT}/src/sub/*.py"], same, &["src/sub/c.py"]),
        (&["{ROOT}/src/sub/*.py"], |ask| ask.base = "src", &["src/sub/c.py"]),
        (&["*.{txt,yml}"], same, &["src/sub/d.txt"]),
        (&["*.txt", "a.*"], same, &["a.py", "src/sub/d.txt"]),
        (&["*.py", "!sub"], same, &["a.py", "lib/src/z.py", "src/b.py"]),
        // A hidden name in the glob, an exact path.
        (&[".github/**/*.yml"], same, &[".github/w/ci.yml"]),
        (&["out/e.py"], same, &["out/e.py"]),
        (&["a.log"], same, &["a.log"]),
        (&["out/*.py"], same, &[]),
        (&["a.py/"], same, &[]),
        // Brackets that are part of a name.
        (&["[id].tsx"], same, &["[id].tsx"]),
        (&["app/[id]/*.tsx"], same, &["app/[id]/page.tsx"]),
        (&["app/[hij]/*.tsx"], same, &["app/i/page.tsx"]),
        // Directories.
        (&["s*"], |ask| ask.kinds = Kinds::Dir, &["lib/src", "src", "src/sub"]),
        (&["src/"], |ask| ask.kinds = Kinds::Dir, &["src"]),
        (&["src/*"], |ask| ask.kinds = Kinds::Any, &["src/b.py", "src/sub"]),
        (&["out"], |ask| ask.kinds = Kinds::Any, &["out"]),
        (&["**/*.py"], |ask| ask.options.max_depth = Some(2), &["a.py", "src/b.py"]),
    ];
    for (patterns, change, expected) in table {
        let mut ask = Ask::new(patterns);
        change(&mut ask);
        let result = ask.run(&dir).unwrap();
        assert_eq!(names(&result), *expected, "{patterns:?}");
        assert_eq!((result.total, result.total_exact, result.complete), (expected.len() as u64, true, true));
    }
}

#[test]
fn the_literal_beginning_spares_the_rest_of_the_tree() {
    let dir = sample();
    let result = Ask::new(&["src/sub/*.py"]).run(&dir).unwrap();

    assert_eq!(result.summary.dirs, 3);
    assert_eq!(Ask::new(&["*.py"]).run(&dir).unwrap().ignored, 1, "the directory `out`");
    assert_eq!(Ask::new(&["src/b.py"]).run(&dir).unwrap().summary.dirs, 0);
}

#[test]
fn orders_and_pages() {
    let dir = tree(&[("b/c/new", "1"), ("a", "22"), ("b/old", "333"), ("b/tie", "1"), ("z", "")]);
    let at = |path: &str, seconds: u64| {
        let file = std::fs::File::options().write(true).open(dir.path().join(path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    for (path, seconds) in [("b/c/new", 900), ("a", 500), ("b/old", 100), ("b/tie", 500), ("z", 500)] {
        at(path, seconds);
    }
    for (sort, expected) in [
        (SortBy::Path, ["a", "b/c/new", "b/old", "b/tie", "z"]),
        (SortBy::Modified, ["b/c/new", "a", "b/tie", "z", "b/old"]),
        (SortBy::Size, ["b/old", "a", "b/c/new", "b/tie", "z"]),
        (SortBy::Depth, ["a", "z", "b/old", "b/tie", "b/c/new"]),
    ] {
        let mut ask = Ask::new(&["**"]);
        ask.sort = sort;
        assert_eq!(ask.paths(&dir), expected, "{sort:?}");
        for size in 1..=5 {
            let mut all = Vec::new();
            ask.max_results = Some(size);
            ask.cursor = None;
            loop {
                let result = ask.run(&dir).unwrap();
                all.extend(names(&result));
                assert!(result.entries.len() <= size);
                assert_eq!(result.complete, result.cursor.is_none());
                ask.cursor = result.cursor;
                if ask.cursor.is_none() {
                    break;
                }
            }
            assert_eq!(all, expected, "{sort:?} by {size}");
        }
    }
    let mut ask = Ask::new(&["**"]);
    (ask.sort, ask.max_results) = (SortBy::Size, Some(2));
    let result = ask.run(&dir).unwrap();
    assert_eq!((result.total, result.total_exact), (5, true));
    ask.cursor = result.cursor;
    ask.sort = SortBy::Depth;
    assert!(matches!(ask.run(&dir), Err(Error::InvalidCursor { .. })));
}

#[test]
fn in_path_order_the_search_ends_with_the_page() {
    let dir = tree(&[]);
    for n in 0..200 {
        std::fs::create_dir_all(dir.path().join(format!("d{n:03}"))).unwrap();
        std::fs::write(dir.path().join(format!("d{n:03}/f")), "").unwrap();
    }
    for threads in [1, 3] {
        let mut ask = Ask::new(&["f"]);
        (ask.max_results, ask.options.threads) = (Some(3), threads);
        let result = ask.run(&dir).unwrap();

        assert_eq!(names(&result), ["d000/f", "d001/f", "d002/f"]);
        assert!(!result.total_exact && !result.complete);
        assert!(result.summary.dirs < 30, "{}", result.summary.dirs);
    }
}

#[test]
fn globs_that_are_none() {
    let dir = sample();
    for (pattern, expected) in [
        ("../x", "outside"),
        ("a/../../x", "outside"),
        ("..", "outside"),
        ("a/../b", "no meaning"),
        ("", "empty"),
        ("[z", "unclosed"),
        ("{a", "unclosed"),
        ("a}", "unopened"),
    ] {
        let error = Ask::new(&[pattern]).run(&dir).unwrap_err().to_string();
        assert!(error.contains(expected), "{pattern}: {error}");
    }
    let mut ask = Ask::new(&["*"]);
    ask.base = "a.py";
    assert!(matches!(ask.run(&dir), Err(Error::NotADirectory { .. })));
    ask.base = "../";
    assert!(matches!(ask.run(&dir), Err(Error::PathEscapesRoot { .. })));
}

#[test]
fn hostile_globs_end_at_once() {
    let dir = sample();
    std::fs::create_dir_all(dir.path().join("a/".repeat(200))).unwrap();
    std::fs::write(dir.path().join("a/".repeat(200)).join("a".repeat(200)), "").unwrap();
    for pattern in [
        "{a,b}".repeat(22),
        "{".repeat(100_000),
        format!("{}x", "**/".repeat(200)),
        format!("{}X", "*".repeat(34)),
        format!("{}X", "*a".repeat(34)),
    ] {
        let begin = Instant::now();
        let _ = Ask::new(&[&pattern]).run(&dir);
        assert!(begin.elapsed() < Duration::from_secs(1), "{:?} {}", begin.elapsed(), &pattern[..20]);
    }
}

#[test]
fn a_large_directory_with_a_small_page() {
    let dir = tree(&[]);
    for n in 0..20_000 {
        std::fs::write(dir.path().join(format!("f{n:05}")), "").unwrap();
    }
    let mut ask = Ask::new(&["*"]);
    ask.max_results = Some(100);
    let result = ask.run(&dir).unwrap();

    assert_eq!(result.entries.len(), 100);
    assert!(result.summary.files < 300, "{}", result.summary.files);
}
