//! Walks of which some thread does not come back, as on a file system that does not answer.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;
use rootle_base::{CancelToken, GRACE, Root, Stop};

use super::*;
use crate::files::{Collector, join, sort};
use crate::{FileEntry, Filter, WalkOptions, path_order};

/// Long past every deadline of these tests.
const STUCK: Duration = Duration::from_millis(1000);
const LIMIT: Duration = Duration::from_millis(300);

/// Takes names; at some it does not come back for long.
struct Sleeper {
    names: BTreeSet<String>,
    stuck_at: &'static [&'static str],
    seen: Arc<Mutex<Vec<String>>>,
}

impl Visit for Sleeper {
    fn file(&mut self, file: &FileEntry<'_>) {
        let path = String::from_utf8(file.path().to_vec()).unwrap();
        self.seen.lock().unwrap().push(path.clone());
        if self.stuck_at.contains(&path.as_str()) {
            thread::sleep(STUCK);
        }
        self.names.insert(path);
    }

    fn hand_over(&mut self, to: &mut Self) {
        to.names.append(&mut self.names);
    }
}

fn tree(paths: &[&str]) -> (tempfile::TempDir, Root) {
    let dir = tempfile::tempdir().unwrap();
    for path in paths {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    (dir, root)
}

fn request<'a>(root: &'a Root, options: &'a WalkOptions, filter: &'a Filter, starts: &'a [PathBuf]) -> Request<'a> {
    Request { root, starts, options, filter, after: None }
}

const TREE: [&str; 9] = ["a/1", "a/2", "b/1", "b/2", "b/3", "c/1", "c/d/1", "c/d/2", "e"];

#[test]
fn who_does_not_come_back_is_left_behind_with_what_was_handed_over() {
    let (_dir, root) = tree(&TREE);
    let (filter, starts) = (Filter::all(), [PathBuf::from(".")]);
    for (threads, stuck_at) in [(1, &["b/2"][..]), (2, &["b/2"]), (1, &["b/2", "c/d/1"]), (4, &["a/1", "b/1", "c/1"])] {
        let options = WalkOptions { threads, ..WalkOptions::default() };
        let ctx = Context::new(Some(LIMIT), CancelToken::new());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = seen.clone();
        let make = move || Sleeper { names: BTreeSet::new(), stuck_at, seen: noted.clone() };
        let begun = Instant::now();
        let (visitors, summary) = run(&request(&root, &options, &filter, &starts), &ctx, make, true).unwrap();
        let taken = begun.elapsed();
        assert!(
            taken >= LIMIT && taken < LIMIT + GRACE + Duration::from_millis(400),
            "{threads} {stuck_at:?} {taken:?}"
        );
        assert_eq!(summary.stop, Some(Stop::Deadline));

        let lost = stuck_at;
        let given: Vec<String> = visitors.into_iter().flat_map(|visitor| visitor.names).collect();
        let expected: BTreeSet<&str> = TREE.into_iter().filter(|path| !lost.contains(path)).collect();
        assert_eq!(given.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected, "{threads} {stuck_at:?}");
        assert_eq!(given.len(), expected.len(), "nothing is given twice");

        let warned: Vec<_> = summary.warnings.iter().map(|warning| (warning.code, &warning.path[..])).collect();
        assert_eq!(warned, stuck_at.iter().map(|path| ("no_answer", path.as_bytes())).collect::<Vec<_>>());
        let resume = summary.resume.unwrap();
        assert!(path_order(&resume, stuck_at[0].as_bytes()).is_le());
        assert!(lost.iter().all(|path| path_order(path.as_bytes(), &resume).is_ge()));

        // Once they come back they do nothing more.
        let before = seen.lock().unwrap().clone();
        thread::sleep(STUCK + Duration::from_millis(200));
        assert_eq!(*seen.lock().unwrap(), before);
    }
}

#[test]
fn a_helper_that_is_late_is_left_behind_in_any_tree() {
    let paths: Vec<String> = (0..400).map(|at| format!("d{at:03}/f")).collect();
    let (_dir, root) = tree(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let (filter, starts) = (Filter::all(), [PathBuf::from(".")]);
    let options = WalkOptions { threads: 2, ..WalkOptions::default() };
    let ctx = Context::new(Some(LIMIT), CancelToken::new());
    let caller = thread::current().id();

    /// On every thread but the caller's, the first file takes long.
    struct Late {
        caller: thread::ThreadId,
        names: Vec<String>,
    }
    impl Visit for Late {
        fn file(&mut self, file: &FileEntry<'_>) {
            thread::sleep(if thread::current().id() == self.caller { Duration::from_millis(1) } else { STUCK });
            self.names.push(String::from_utf8(file.path().to_vec()).unwrap());
        }
        fn hand_over(&mut self, to: &mut Self) {
            to.names.append(&mut self.names);
        }
    }

    let begun = Instant::now();
    let make = move || Late { caller, names: Vec::new() };
    let (visitors, summary) = run(&request(&root, &options, &filter, &starts), &ctx, make, false).unwrap();
    assert!(begun.elapsed() < LIMIT + GRACE + Duration::from_millis(400), "{:?}", begun.elapsed());
    let given: Vec<String> = visitors.into_iter().flat_map(|visitor| visitor.names).collect();
    let missing = paths.iter().find(|path| !given.contains(path)).expect("the helper's first file");
    assert!(!given.is_empty() && summary.stop == Some(Stop::Deadline));
    let resume = summary.resume.unwrap();
    assert!(path_order(&resume, missing.as_bytes()).is_le(), "{missing} before {}", String::from_utf8_lossy(&resume));
}

#[test]
fn a_walk_whose_time_is_over_before_any_thread_comes_to_it_says_so() {
    let (_dir, root) = tree(&TREE);
    let (filter, starts, options) = (Filter::all(), [PathBuf::from(".")], WalkOptions::default());
    for distant in [true, false].repeat(40) {
        let ctx = Context::new(Some(Duration::ZERO), CancelToken::new());
        let (_, summary) = run(&request(&root, &options, &filter, &starts), &ctx, Collector::default, distant).unwrap();
        assert_eq!((summary.stop, summary.resume), (Some(Stop::Deadline), Some(Vec::new())));
    }
}

#[test]
fn files_that_others_took_over_are_in_their_places() {
    let paths: Vec<String> = (0..40).map(|at| format!("d{}/f{at:02}", at % 3)).collect();
    let (_dir, root) = tree(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let (filter, starts) = (Filter::all(), [PathBuf::from(".")]);
    let options = WalkOptions { threads: 1, ..WalkOptions::default() };

    /// Every seventh file takes longer than others have patience for.
    #[derive(Default)]
    struct Slow(Collector);
    impl Visit for Slow {
        fn file(&mut self, file: &FileEntry<'_>) {
            if file.name().ends_with(b"7") {
                thread::sleep(Duration::from_millis(250));
            }
            self.0.file(file);
        }
        fn block(&mut self, id: u32) {
            self.0.block(id);
        }
        fn child(&mut self, id: u32) {
            self.0.child(id);
        }
        fn hand_over(&mut self, to: &mut Self) {
            self.0.hand_over(&mut to.0);
        }
    }

    let req = request(&root, &options, &filter, &starts);
    let (parts, summary) = run(&req, &Context::unlimited(), Slow::default, true).unwrap();
    let parts: Vec<Collector> = parts.into_iter().map(|part| part.0).collect();
    // Each block that some thread took over stands nowhere, and leaves a gap where it would stand: whoever goes by the
    // order of the blocks must not go on behind it.
    let events = || parts.iter().flat_map(|part| &part.events);
    let begun: BTreeSet<u32> = events().filter(|event| !event.child).map(|event| event.block).collect();
    let named: BTreeSet<u32> = events().filter(|event| event.child).map(|event| event.block).collect();
    let (gaps, orphans) = (named.difference(&begun).count(), begun.difference(&named).count() - 1);
    assert!(gaps > 0 && gaps == orphans, "{gaps} gaps, {orphans} blocks without a place");
    let (mut table, ordered) = join(&parts);
    assert!(!ordered && summary.complete() && summary.files == 40);
    sort(&mut table);
    let mut sorted: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
    sorted.sort_unstable();
    assert_eq!(table.paths().collect::<Vec<_>>(), sorted);
}

#[test]
fn cancel_and_interrupt_do_not_wait_either() {
    let (_dir, root) = tree(&TREE);
    let (filter, starts, options) = (Filter::all(), [PathBuf::from(".")], WalkOptions::default());
    let token = CancelToken::new();
    let begun = Instant::now();
    for (ctx, expected) in [
        (Context::new(None, token.clone()), Stop::Cancelled),
        (Context::unlimited().with_interrupt(move || begun.elapsed() > LIMIT), Stop::Interrupted),
    ] {
        let token = token.clone();
        thread::spawn(move || {
            thread::sleep(LIMIT);
            token.cancel();
        });
        let begun = Instant::now();
        let make = || Sleeper { names: BTreeSet::new(), stuck_at: &["e"], seen: Arc::default() };
        let (_, summary) = run(&request(&root, &options, &filter, &starts), &ctx, make, true).unwrap();
        assert!(begun.elapsed() < LIMIT + GRACE + Duration::from_millis(400), "{:?}", begun.elapsed());
        assert_eq!(summary.stop, Some(expected));
    }
}

#[test]
fn a_panic_of_a_helper_is_the_callers() {
    struct Breaks(Arc<AtomicUsize>);
    impl Visit for Breaks {
        fn file(&mut self, _file: &FileEntry<'_>) {
            assert!(self.0.fetch_add(1, Ordering::Relaxed) < 3, "on purpose");
        }
        fn hand_over(&mut self, _to: &mut Self) {}
    }
    let (_dir, root) = tree(&TREE);
    let (filter, starts, options) = (Filter::all(), [PathBuf::from(".")], WalkOptions::default());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let count = Arc::new(AtomicUsize::new(0));
        run(&request(&root, &options, &filter, &starts), &Context::unlimited(), move || Breaks(count.clone()), true)
    }));
    assert_eq!(outcome.err().and_then(|panic| panic.downcast_ref::<&str>().copied()), Some("on purpose"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn other_threads_find_the_same_in_the_same_order(
        paths in proptest::collection::btree_set("[a-d]{1,2}(/[a-d.]{2,3}){0,3}x", 1..60),
        threads in 1usize..5,
    ) {
        let dir = tempfile::tempdir().unwrap();
        for path in &paths {
            let path = dir.path().join(path);
            if fs::create_dir_all(path.parent().unwrap()).is_ok() {
                let _ = fs::write(path, "");
            }
        }
        let root = Root::open(dir.path()).unwrap();
        let (filter, starts) = (Filter::all(), [PathBuf::from(".")]);
        let options = WalkOptions { threads, ..WalkOptions::default() };
        let find = |distant| {
            let req = request(&root, &options, &filter, &starts);
            let (parts, summary) = run(&req, &Context::unlimited(), Collector::default, distant).unwrap();
            (join(&parts).0.paths().map(<[u8]>::to_vec).collect::<Vec<_>>(), summary)
        };
        let (here, there) = (find(false), find(true));
        prop_assert_eq!(&here, &there);
        prop_assert!(here.0.iter().all(|path| dir.path().join(Path::new(std::str::from_utf8(path).unwrap())).is_file()));
    }
}
