//! The calling thread, out of work, waits for the others: it must still see the deadline, and end.
#![allow(missing_docs)]

mod tree;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{sleep, spawn};
use std::time::Duration;

use rootle_base::{CancelToken, Context, Root, Stop};
use rootle_walk::{FileEntry, Filter, Request, Visit, walk};
use tree::{options, tree};

/// The first thread that is not the caller's sleeps in its first file, long past the deadline.
struct Slow {
    caller: std::thread::ThreadId,
    slept: Arc<AtomicBool>,
}

impl Visit for Slow {
    fn hand_over(&mut self, _to: &mut Self) {}

    fn file(&mut self, _file: &FileEntry<'_>) {
        if std::thread::current().id() == self.caller {
            sleep(Duration::from_micros(200));
        } else if !self.slept.swap(true, Ordering::Relaxed) {
            sleep(Duration::from_millis(400));
        }
    }
}

#[test]
fn a_deadline_that_passes_while_the_caller_waits_for_a_helper() {
    let dir = tree(&[]);
    for at in 0..40 {
        std::fs::create_dir(dir.path().join(format!("d{at}"))).unwrap();
        for file in 0..4 {
            std::fs::write(dir.path().join(format!("d{at}/{file}")), "").unwrap();
        }
    }
    let (sender, receiver) = channel();
    // On a thread of its own: a walk that never ends must fail the test, not hold it.
    spawn(move || {
        let (root, filter, slept) = (Root::open(dir.path()).unwrap(), Filter::all(), Arc::new(AtomicBool::new(false)));
        let seen = slept.clone();
        let options = rootle_walk::WalkOptions { threads: 2, ..options() };
        let starts = [PathBuf::from(".")];
        let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
        let ctx = Context::new(Some(Duration::from_millis(150)), CancelToken::new());
        let caller = std::thread::current().id();
        let (_, summary) = walk(&req, &ctx, move || Slow { caller, slept: seen.clone() }).unwrap();
        sender.send((slept.load(Ordering::Relaxed), summary.stop)).unwrap();
    });
    let (helped, stop) = receiver.recv_timeout(Duration::from_secs(10)).expect("the walk ends");
    assert!(helped, "a second thread took part");
    assert_eq!(stop, Some(Stop::Deadline));
}
