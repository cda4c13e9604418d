//! Applying sections of whole files: added, deleted, moved; and codex's way with them.

mod applying;

use applying::{outcome, outcome_with, refused, unified};
use rootle_edit::{ConflictReason, Dialect, FileStatus, Options, PatchOptions, Reason, apply_file, parse_patch};

#[test]
fn whole_files() {
    let add = "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    let delete = "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
    let empty = "diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n";
    let mode = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    let rename = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
    let v4a_delete = "*** Begin Patch\n*** Delete File: x\n*** End Patch\n";
    use FileStatus::{AlreadyApplied, Applied, Conflict};
    for (before, patch, status, after) in [
        (None, add, Applied, Some("a\nb\n")),
        (Some("a\nb\n"), add, AlreadyApplied, Some("a\nb\n")),
        (Some("a\r\nb\r\n"), add, AlreadyApplied, Some("a\r\nb\r\n")),
        (Some("a\n"), add, Conflict, Some("a\n")),
        (Some(""), add, Applied, Some("a\nb\n")),
        (Some("a\nb\n"), delete, Applied, None),
        (Some("a\r\nb\r\n"), delete, Applied, None),
        (Some("a\nB\n"), delete, Conflict, Some("a\nB\n")),
        (Some("a\nb\nc\n"), delete, Conflict, Some("a\nb\nc\n")),
        (None, delete, AlreadyApplied, None),
        (Some(""), empty, Applied, None),
        (Some("a"), empty, Conflict, Some("a")),
        (Some("a"), v4a_delete, Applied, None),
        (Some("a"), mode, Applied, Some("a")),
        (Some("a"), rename, Applied, Some("a")),
        (None, rename, Conflict, None),
        (None, mode, Conflict, None),
        (None, "<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE\n", Applied, Some("a\n")),
        (Some("b"), "<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE\n", Conflict, Some("b")),
        (Some("a"), "diff --git a/x b/x\nGIT binary patch\nliteral 1\nIc${Nk\n", Conflict, Some("a")),
        (
            None,
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
            Conflict,
            None,
        ),
        (None, "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", Applied, Some("")),
    ] {
        let result = outcome_with(
            before,
            patch,
            &PatchOptions { path: if patch.contains("SEARCH") { Some("x".into()) } else { None }, compat_codex: false },
            false,
        );
        assert_eq!(
            (result.status, result.bytes.as_deref()),
            (status, after.map(str::as_bytes)),
            "{before:?} {patch}\n{:?}",
            result.conflicts
        );
    }
}

#[test]
fn a_rename_that_was_made_already_is_known_by_its_changes() {
    let rename = "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n a line of context\n-old value here\n+new value here\n";
    let parsed = parse_patch(rename, &PatchOptions::default()).unwrap();
    let moved = parsed.files[0].at_target().unwrap();
    assert_eq!(moved.path, "y");
    let status = |bytes: &str| apply_file(Some(bytes.as_bytes()), &moved, &Options::default(), false).status;
    assert_eq!(status("a line of context\nnew value here\n"), FileStatus::AlreadyApplied);
    assert_eq!(status("something else\n"), FileStatus::Conflict);
    let bare = parse_patch("diff --git a/x b/y\nrename from x\nrename to y\n", &PatchOptions::default()).unwrap();
    assert!(bare.files[0].at_target().is_none());
}

#[test]
fn placeholders_are_refused() {
    let patch = unified("@@ -1,2 +1,2 @@\n-a\n+# ... existing code ...\n b\n");
    assert_eq!(refused("a\nb\n", &patch), "placeholder");
    let result = outcome(None, "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+# ... rest of the code ...\n");
    assert_eq!(result.conflicts[0].reason, ConflictReason::Edit(Reason::Placeholder));
}

/// What codex's tool does, and where rootle does it only on request or not at all.
#[test]
fn codex() {
    let codex = PatchOptions { path: None, compat_codex: true };
    let envelope = |body: &str| format!("*** Begin Patch\n{body}\n*** End Patch");
    for (before, body, expected) in [
        (None, "*** Add File: d/new.md\n+made", Ok(Some("made\n"))),
        (
            Some("one\ntwo\nthree\nfour\n"),
            "*** Update File: x\n@@\n-two\n+2\n@@\n-four\n+4",
            Ok(Some("one\n2\nthree\n4\n")),
        ),
        (Some("kept\n"), "*** Update File: x\n@@\n-absent\n+new", Err("not_found")),
        (None, "*** Delete File: x", Err("absent")),
        (None, "*** Update File: x\n@@\n-a\n+b", Err("absent")),
        (Some("was\n"), "*** Add File: x\n+is", Ok(Some("is\n"))),
        (Some("no line end"), "*** Update File: x\n@@\n-no line end\n+first\n+second", Ok(Some("first\nsecond\n"))),
        (Some("one\ntwo\n"), "*** Update File: x\n@@\n+three\n+four", Ok(Some("one\ntwo\nthree\nfour\n"))),
        (Some("old\n"), "  *** Update File: x\n@@\n-old\n+new", Ok(Some("new\n"))),
        (
            Some("eins\nà bientôt\n"),
            "*** Update File: x\n@@\n eins\n-à bientôt\n+à bientôt ✅",
            Ok(Some("eins\nà bientôt ✅\n")),
        ),
        (Some("gone\n"), "*** Delete File: x", Ok(None)),
        (Some("a\nb\nc\n"), "*** Update File: x\n@@\n a\n-b\n c", Ok(Some("a\nc\n"))),
        (Some("a\nb\n"), "*** Update File: x\n@@\n a\n-b\n+B\n*** End of File", Ok(Some("a\nB\n"))),
        // Deliberately otherwise: of two places codex takes the first.
        (Some("a\nb\na\n"), "*** Update File: x\n@@\n-a\n+c", Err("ambiguous")),
    ] {
        let result = outcome_with(before, &envelope(body), &codex, false);
        match expected {
            Ok(expected) => {
                assert_eq!(
                    (result.status, result.bytes.as_deref()),
                    (FileStatus::Applied, expected.map(str::as_bytes)),
                    "{body}"
                );
            }
            Err(code) => assert_eq!(result.conflicts[0].reason.code(), code, "{body}"),
        }
    }
    // A failure in one file is for the writer to keep from the others: here it is one conflict among outcomes.
    let patch = parse_patch(&envelope("*** Add File: made\n+a\n*** Update File: absent\n@@\n-a\n+b"), &codex).unwrap();
    assert_eq!(patch.dialect, Dialect::V4a);
    let statuses: Vec<FileStatus> =
        patch.files.iter().map(|file| apply_file(None, file, &Options::default(), false).status).collect();
    assert_eq!(statuses, [FileStatus::Applied, FileStatus::Conflict]);
    // Without the switch: an existing file is not overwritten, an absent one is deleted already, lines need a place, and a
    // missing final line end stays missing.
    let plain = PatchOptions::default();
    let status = |before, body: &str| outcome_with(before, &envelope(body), &plain, false).status;
    assert_eq!(status(Some("was\n"), "*** Add File: x\n+is"), FileStatus::Conflict);
    assert_eq!(status(None, "*** Delete File: x"), FileStatus::AlreadyApplied);
    assert_eq!(status(Some("one\n"), "*** Update File: x\n@@\n+two"), FileStatus::Conflict);
    assert_eq!(
        outcome_with(Some("a"), &envelope("*** Update File: x\n@@\n-a\n+b"), &plain, false).bytes,
        Some(b"b".to_vec())
    );
}
