//! Trees made to harm.
#![allow(missing_docs)]

mod tree;

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rootle_base::{Context, Root};
use rootle_walk::{FileEntry, Filter, Request, Visit, WalkOptions, walk};
use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, mknodat, openat};
use tree::{Run, options, tree};

fn warnings(summary: &rootle_walk::Summary) -> Vec<(String, &'static str)> {
    summary.warnings.iter().map(|warning| (String::from_utf8_lossy(&warning.path).into_owned(), warning.code)).collect()
}

#[test]
fn ignore_files_that_are_no_regular_files() {
    for name in [".gitignore", ".ignore", ".rootleignore", ".git/info/exclude"] {
        let dir = tree(&[("a", ""), (".git/info/", "")]);
        mknodat(CWD, dir.path().join(name), FileType::Fifo, Mode::RUSR, 0).unwrap();
        let begin = Instant::now();
        let (files, summary) = Run::new(dir.path()).full().unwrap();

        assert_eq!(files, ["a"]);
        assert_eq!(warnings(&summary), [(name.to_owned(), "ignore_file_skipped")]);
        assert!(begin.elapsed() < Duration::from_secs(1));
    }
    let dir = tree(&[("a", ""), (".gitignore/", ""), (".ignore/x", "")]);
    let (files, summary) = Run::new(dir.path()).full().unwrap();
    assert_eq!((files, warnings(&summary)), (vec!["a".to_owned()], vec![]));
}

#[test]
fn ignore_files_that_are_links() {
    let outside = tree(&[("rules", "a\n")]);
    let target = format!("-> {}/rules", outside.path().display());
    let dir =
        tree(&[("a", ""), ("rules", "a\n"), ("d/.gitignore", "-> ../rules"), ("d/a", ""), (".gitignore", &target)]);
    let (files, summary) = Run::new(dir.path()).full().unwrap();

    assert_eq!(files, ["a", "rules"]);
    assert_eq!(warnings(&summary), [(".gitignore".to_owned(), "ignore_file_skipped")]);

    let dir = tree(&[("a", ""), (".gitignore", "-> nowhere"), (".git", "-> x"), ("x/info/exclude", "a\n")]);
    let (files, summary) = Run::new(dir.path()).full().unwrap();
    assert_eq!((files, warnings(&summary)), (vec!["x/info/exclude".to_owned()], vec![]));
}

#[test]
fn ignore_files_that_are_huge_or_hostile() {
    let pathological: String = (0..250_000).map(|n| format!("*a*{n}*b?[x-z]\n")).collect();
    let just_fits: String = (0..40_000).map(|n| format!("*a*{n}*b?[x-z]\n")).collect();
    let braces = format!("{}\n{}\n{}x\n", "{a,b}".repeat(22), "{".repeat(100_000), "**/".repeat(200));
    let stars = format!("{}X\n{}\n", "*a".repeat(34), "[".repeat(5000));
    for (rules, code) in [
        (&pathological, Some("ignore_file_skipped")),
        (&just_fits, Some("ignore_file_truncated")),
        (&braces, Some("ignore_file_truncated")),
        (&stars, Some("ignore_file_truncated")),
    ] {
        let dir = tree(&[(".gitignore", rules)]);
        for n in 0..100 {
            std::fs::write(dir.path().join(format!("{}{n}", "ab".repeat(100))), "").unwrap();
        }
        let begin = Instant::now();
        let (files, summary) = Run::new(dir.path()).full().unwrap();

        assert_eq!(files.len(), 100);
        assert_eq!(summary.warnings.first().map(|warning| warning.code), code);
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    }
}

#[test]
fn names_of_any_bytes() {
    let dir = tree(&[(".gitignore", "*.log\n")]);
    let names: &[&[u8]] =
        &[b"bad\xff", b"a\nb", b"a:12:b.txt", b"-rf", b"\x1b[31m", b" ", b"[id].tsx", b"\\", b"\xff.log"];
    for name in names {
        std::fs::write(dir.path().join(OsStr::from_bytes(name)), "").unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let (options, filter) = (options(), Filter::all());
    let starts = [".".into()];
    let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
    let (table, _) = rootle_walk::list_files(&req, &Context::unlimited(), true).unwrap();
    let mut expected: Vec<&[u8]> = names[..names.len() - 1].to_vec();
    expected.sort_unstable();

    assert_eq!(table.paths().collect::<Vec<_>>(), expected);
    for at in 0..table.len() {
        root.open_file(Path::new(OsStr::from_bytes(table.path(at)))).unwrap();
        assert!(table.stat(at).is_some());
    }
}

/// Opens each file, and watches how many descriptors there are.
struct Opener(std::sync::Arc<std::sync::atomic::AtomicUsize>, usize);

impl Visit for Opener {
    fn hand_over(&mut self, _to: &mut Self) {}

    fn file(&mut self, file: &FileEntry<'_>) {
        file.open().unwrap();
        self.1 += 1;
        if self.1.is_multiple_of(50) {
            self.0.fetch_max(std::fs::read_dir("/proc/self/fd").unwrap().count(), Ordering::Relaxed);
        }
    }
}

#[test]
fn a_tree_deeper_than_paths_can_name() {
    const DEPTH: usize = 400;
    let dir = tree(&[(".gitignore", "*.o\n")]);
    let name = "d".repeat(20);
    let mut at: OwnedFd = openat(CWD, dir.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..DEPTH {
        for (file, flags) in [("a", OFlags::CREATE), ("z.o", OFlags::CREATE)] {
            openat(at.as_fd(), file, flags | OFlags::WRONLY, Mode::RUSR | Mode::WUSR).unwrap();
        }
        // What comes before and after keeps each directory busy while those below are walked.
        for sub in ["b", &name, "e"] {
            mkdirat(at.as_fd(), sub, Mode::RWXU).unwrap();
        }
        at = openat(at.as_fd(), &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    for threads in [1, 3] {
        let root = Root::open(dir.path()).unwrap();
        let (options, filter) = (WalkOptions { threads, ..options() }, Filter::all());
        let starts = [".".into()];
        let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
        let most = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let seen = most.clone();
        let (_, summary) = walk(&req, &Context::unlimited(), move || Opener(seen.clone(), 0)).unwrap();

        assert_eq!((summary.files, summary.dirs, summary.ignored), (DEPTH as u64, 3 * DEPTH as u64 + 1, DEPTH as u64));
        assert_eq!(warnings(&summary), []);
        assert!(most.load(Ordering::Relaxed) < 256 + 50, "{most:?} descriptors");
    }
}

#[test]
fn what_may_not_be_read_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tree(&[("a", ""), ("no/x", ""), ("yes/b", ""), ("yes/.gitignore", "b\n")]);
    let mode = |path: &str, mode| {
        std::fs::set_permissions(dir.path().join(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("no", 0);
    mode("yes/.gitignore", 0);
    let (files, summary) = std::thread::scope(|scope| {
        // Only this thread becomes someone else, so it must work alone.
        let walk = || {
            if rustix::process::geteuid().is_root() {
                let nobody = rustix::thread::Uid::from_raw(65534);
                rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
            }
            let mut run = Run::new(dir.path());
            run.options.threads = 1;
            run.full().unwrap()
        };
        scope.spawn(walk).join().unwrap()
    });

    assert_eq!(files, ["a", "yes/b"]);
    let expected = [("no", "permission_denied"), ("yes/.gitignore", "ignore_file_skipped")];
    assert_eq!(warnings(&summary), expected.map(|(path, code)| (path.to_owned(), code)));
    mode("no", 0o755);
}

#[test]
fn links_that_go_round() {
    let dir = tree(&[
        ("d/a", ""),
        ("d/up", "-> .."),
        ("d/self", "-> ."),
        ("z", "-> d"),
        ("l", "-> l"),
        ("out", "-> /"),
        ("b", "-> d/a"),
        ("gone", "-> x"),
    ]);
    assert_eq!(Run::new(dir.path()).files(), ["d/a"]);

    for threads in [1, 3] {
        let mut run = Run::new(dir.path());
        run.options.follow_links = true;
        run.options.threads = threads;
        let (files, summary) = run.full().unwrap();
        assert_eq!(files, ["b", "d/a"]);
        assert_eq!(warnings(&summary), [("out".to_owned(), "link_escapes_root")]);
    }
}

#[test]
fn a_directory_behind_two_links_is_given_by_the_first_of_them() {
    let dir = tree(&[("hid/.real/x/f", ""), ("b", "-> hid/.real"), ("a", "-> hid/.real/x"), ("c", "-> hid/.real")]);
    let mut run = Run::new(dir.path());
    run.options.follow_links = true;
    for threads in [1, 4, 4, 4] {
        run.options.threads = threads;
        assert_eq!(run.files(), ["a/f"]);
    }
}

#[test]
fn a_tree_that_changes_underfoot() {
    let dir = tree(&[("stable/a", ""), ("stable/b/c", "")]);
    let (stop, path) = (AtomicBool::new(false), dir.path());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for n in 0..20 {
                    let sub = path.join(format!("t{n}/u"));
                    let _ = std::fs::create_dir_all(&sub);
                    let _ = std::fs::write(sub.join("f"), "");
                    let _ = std::fs::remove_dir_all(path.join(format!("t{}", (n + 7) % 20)));
                }
            }
        });
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(700) {
            let mut run = Run::new(path);
            run.options.threads = 3;
            let (files, _) = run.full().unwrap();
            assert!(
                files.ends_with(&["stable/a".to_owned(), "stable/b/c".to_owned()])
                    || files.iter().any(|file| file == "stable/b/c")
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn special_files_are_counted_and_not_given() {
    let dir = tree(&[("a", "")]);
    mknodat(CWD, dir.path().join("p"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
    let (files, summary) = Run::new(dir.path()).full().unwrap();

    assert_eq!((files, summary.special), (vec!["a".to_owned()], 2));
    let mut run = Run::new(dir.path());
    run.starts = vec!["p"];
    assert!(run.full().unwrap_err().to_string().contains("fifo"));
}

#[test]
fn a_git_file_is_no_git_directory() {
    let dir = tree(&[(".gitignore", "*.o\n"), ("sub/.git", "gitdir: /etc\n"), ("sub/a", ""), ("sub/b.o", "")]);
    let (files, summary) = Run::new(dir.path()).full().unwrap();

    assert_eq!((files, warnings(&summary)), (vec!["sub/a".to_owned()], vec![]));
}
