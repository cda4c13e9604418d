//! A patch of 10 MB with 100,000 hunks takes seconds at most, whatever its hunks are like. Without optimization a part
//! of it is tried.

use std::fmt::Write;
use std::time::{Duration, Instant};

use rootle_edit::{FileStatus, Options, PatchOptions, apply_file, parse_patch};

const HUNKS: usize = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
/// A way that is quadratic in the hunks or the lines takes minutes.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 10 });
/// Lines of the file for each hunk.
const STEP: usize = 6;

fn line(number: usize) -> String {
    format!("    value_{number} = compute({})\n", number % 97)
}

/// The file, and the patch that changes every sixth line of it, with headers off by `drift` if it has headers.
fn big(hunks: usize, drift: Option<usize>, text: &dyn Fn(usize) -> String) -> (String, String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    let mut patch =
        if drift.is_some() { "--- a/x\n+++ b/x\n" } else { "*** Begin Patch\n*** Update File: x\n" }.to_owned();
    for hunk in 0..hunks {
        for at in 0..STEP {
            let number = hunk * STEP + at;
            before += &text(number);
            match at {
                3 => after += &format!("    changed_{number} = nothing()\n"),
                _ => after += &text(number),
            }
        }
        let first = hunk * STEP + 3;
        match drift {
            Some(drift) => writeln!(patch, "@@ -{},3 +{},3 @@", first + drift, first + drift).unwrap(),
            None => patch += "@@\n",
        }
        write!(patch, " {}-{}+    changed_{first} = nothing()\n {}", text(first - 1), text(first), text(first + 1))
            .unwrap();
    }
    if drift.is_none() {
        patch += "*** End Patch\n";
    }
    (before, after, patch)
}

/// Parses and applies, within a time that a quadratic way would exceed many times over.
fn timed(what: &str, before: &str, patch: &str) -> (FileStatus, Vec<u8>, usize) {
    let start = Instant::now();
    let parsed = parse_patch(patch, &PatchOptions::default()).unwrap();
    assert_eq!(parsed.files.len(), 1);
    let outcome = apply_file(Some(before.as_bytes()), &parsed.files[0], &Options::default(), false);
    let took = start.elapsed();
    assert!(took < LIMIT, "{what}: {took:?}");
    (outcome.status, outcome.bytes.unwrap(), outcome.conflicts.len())
}

#[test]
fn hunks_with_right_lines_stale_lines_and_none() {
    for (what, drift) in [("right", Some(0)), ("stale", Some(40)), ("no lines", None)] {
        let (before, after, patch) = big(HUNKS, drift, &line);
        assert!(patch.len() > HUNKS * 100, "{}", patch.len());
        let (status, bytes, _) = timed(what, &before, &patch);
        assert_eq!(status, FileStatus::Applied);
        assert!(bytes == after.as_bytes(), "{what}");
    }
}

#[test]
fn hunks_that_are_applied_already_fail_or_repeat() {
    let (_, after, patch) = big(HUNKS, Some(0), &line);
    let (status, bytes, _) = timed("already", &after, &patch);
    assert_eq!(status, FileStatus::AlreadyApplied);
    assert!(bytes == after.as_bytes());

    // The search for what is nearest takes its time for the first ones.
    let hunks = if cfg!(debug_assertions) { 100 } else { HUNKS };
    let (before, _, patch) = big(hunks, Some(0), &line);
    let other = before.replace("value", "result");
    let (status, bytes, conflicts) = timed("fail", &other, &patch);
    assert_eq!((status, conflicts), (FileStatus::Conflict, hunks));
    assert!(bytes == other.as_bytes());

    let same = |_: usize| "    same = line()\n".to_owned();
    let (before, after, patch) = big(HUNKS, Some(0), &same);
    let (status, bytes, _) = timed("alike, right lines", &before, &patch);
    assert_eq!(status, FileStatus::Applied);
    assert!(bytes == after.as_bytes());
    let (before, _, patch) = big(HUNKS, None, &same);
    let (status, bytes, _) = timed("alike, no lines", &before, &patch);
    assert_eq!(status, FileStatus::Conflict);
    assert!(bytes == before.as_bytes());
}

#[test]
fn many_files_and_blocks() {
    let mut patch = String::new();
    for number in 0..HUNKS {
        write!(patch, "--- a/f{number}\n+++ b/f{number}\n@@ -1,3 +1,3 @@\n one line of context\n-old line {number}\n+new line {number}\n last\n").unwrap();
    }
    let start = Instant::now();
    let parsed = parse_patch(&patch, &PatchOptions::default()).unwrap();
    for (number, file) in parsed.files.iter().enumerate() {
        let before = format!("one line of context\nold line {number}\nlast\n");
        let outcome = apply_file(Some(before.as_bytes()), file, &Options::default(), false);
        assert_eq!(outcome.bytes, Some(format!("one line of context\nnew line {number}\nlast\n").into_bytes()));
    }
    assert!(start.elapsed() < LIMIT);

    let (mut blocks, mut before, mut after) = ("x.py\n".to_owned(), String::new(), String::new());
    for number in 0..HUNKS {
        write!(blocks, "<<<<<<< SEARCH\nold line {number}\n=======\nnew line {number}\n>>>>>>> REPLACE\n").unwrap();
        writeln!(before, "old line {number}").unwrap();
        writeln!(after, "new line {number}").unwrap();
    }
    let (status, bytes, _) = timed("blocks", &before, &blocks);
    assert_eq!(status, FileStatus::Applied);
    assert!(bytes == after.as_bytes());
}
