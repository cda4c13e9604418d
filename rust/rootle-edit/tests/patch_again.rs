//! Hunks that were applied before: said to be so, and not applied twice.

mod applying;

use applying::{after, outcome, refused, unified, v4a};
use rootle_edit::FileStatus;

/// Applies a hunk, and then again.
fn is_known_again(file: &str, patch: &str) {
    let once = after(file, patch);
    let again = outcome(Some(&once), patch);
    assert_eq!(again.status, FileStatus::AlreadyApplied, "{patch}\n{once}\n{:?}", again.conflicts);
    assert_eq!(again.bytes.as_deref(), Some(once.as_bytes()));
    assert_eq!((again.already_applied.len(), again.applied.len()), (1, 0));
}

#[test]
fn lines_that_are_added_at_a_hunks_end_or_start() {
    let load = "import os\n\ndef load_a(path):\n    return path\n\ndef load_b(path):\n    return path\n";
    for (file, header, body) in [
        ("a\nb\n", "@@ -1,2 +1,3 @@", " a\n b\n+new\n"),
        ("a\nb\n", "@@ -2 +2,2 @@", " b\n+new\n"),
        ("a\nb", "@@ -2 +2,2 @@", " b\n+new\n"),
        ("a\r\nb\r\n", "@@ -2 +2,2 @@", " b\n+new\n"),
        ("a\nb\n", "@@ -1,2 +1,3 @@", "+new\n a\n b\n"),
        ("a\nb\n", "@@ -1 +1,2 @@", "+new\n a\n"),
        ("a\nb\n", "@@ -1,2 +1,4 @@", "+top\n a\n b\n+end\n"),
        (load, "@@ -3 +3,2 @@", " def load_a(path):\n+    path = str(path)\n"),
        (load, "@@ -3 +3,2 @@", "def load_a(path):\n+    path = str(path)\n"),
        (load, "@@ -5,3 +5,6 @@", " \n def load_b(path):\n     return path\n+\n+def load_c(path):\n+    return path\n"),
        // Context without its prefix.
        ("k:\n  a: 1\n", "@@ -1,2 +1,3 @@", "k:\n  a: 1\n+  c: 3\n"),
    ] {
        is_known_again(file, &unified(&format!("{header}\n{body}")));
        is_known_again(file, &v4a(&format!("@@\n{body}")));
    }
}

#[test]
fn lines_that_only_look_so_are_added() {
    for (file, body, expected) in [
        // Brackets and blank lines come twice for good reasons.
        ("{\na\n}\n}\n", " a\n+}\n", "{\na\n}\n}\n}\n"),
        ("a\n\n", " a\n+\n", "a\n\n\n"),
        // Not to the letter, not all of them, not at that place.
        ("a\nnew \n", " a\n+new\n", "a\nnew\nnew \n"),
        ("a\none\n", " a\n+one\n+two\n", "a\none\ntwo\none\n"),
        ("a\nb\nnew\n", " a\n+new\n", "a\nnew\nb\nnew\n"),
        ("a\nend\n", "+top\n a\n+end\n", "top\na\nend\nend\n"),
        // The hunk does something else as well.
        ("a\nb\nnew\n", " a\n+mid\n b\n+new\n", "a\nmid\nb\nnew\nnew\n"),
        ("a\nb\nnew\n", "-a\n+A\n b\n+new\n", "A\nb\nnew\nnew\n"),
    ] {
        assert_eq!(after(file, &unified(&format!("@@ ... @@\n{body}"))), expected, "{body}");
    }
    assert_eq!(refused("a\nb\na\nb\n", &v4a("@@\n a\n+new\n")), "ambiguous");
}
