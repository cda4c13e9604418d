//! Applying a patch of one file, in short.
#![allow(dead_code)]

use rootle_edit::{FileOutcome, FileStatus, Options, PatchOptions, apply_file, parse_patch};

pub fn outcome_with(before: Option<&str>, patch: &str, options: &PatchOptions, partial: bool) -> FileOutcome {
    let parsed = parse_patch(patch, options).unwrap_or_else(|error| panic!("{error}\n{patch}"));
    assert_eq!(parsed.files.len(), 1, "{patch}");
    apply_file(before.map(str::as_bytes), &parsed.files[0], &Options::default(), partial)
}

pub fn outcome(before: Option<&str>, patch: &str) -> FileOutcome {
    outcome_with(before, patch, &PatchOptions { path: Some("x".to_owned()), compat_codex: false }, false)
}

/// The new content of a patch that has to apply.
pub fn after(before: &str, patch: &str) -> String {
    let outcome = outcome(Some(before), patch);
    assert_eq!(outcome.status, FileStatus::Applied, "{:?}\n{patch}", outcome.conflicts);
    String::from_utf8(outcome.bytes.unwrap()).unwrap()
}

/// Why a patch of a file with this content has to be refused.
pub fn refused(before: &str, patch: &str) -> &'static str {
    let outcome = outcome(Some(before), patch);
    assert_eq!(
        outcome.status,
        FileStatus::Conflict,
        "{patch}\n{:?}",
        outcome.bytes.map(|b| String::from_utf8_lossy(&b).into_owned())
    );
    assert_eq!(outcome.bytes.as_deref(), Some(before.as_bytes()), "a refused patch changes nothing");
    outcome.conflicts[0].reason.code()
}

pub fn unified(hunks: &str) -> String {
    format!("--- a/x\n+++ b/x\n{hunks}")
}

pub fn v4a(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{body}*** End Patch\n")
}
