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

#[test]
fn few_lines_with_context_on_both_sides() {
    for (file, body) in [
        ("a\nb\nc\n", " a\n-b\n+B\n c\n"),
        ("a\r\nb\r\nc\r\n", " a\n-b\n+B\n c\n"),
        ("a\nc\n", " a\n+b\n c\n"),
        ("a\nb\nc\nd\ne\n", " a\n-b\n+B\n c\n-d\n+D\n e\n"),
        ("x\na\nb\n", " a\n-b\n+B\n*** End of File\n"),
        ("a\nb\n", " b\n+new\n*** End of File\n"),
    ] {
        is_known_again(file, &v4a(&format!("@@\n{body}")));
        if !body.contains("***") {
            is_known_again(file, &unified(&format!("@@ -1,3 +1,3 @@\n{body}")));
        }
    }
    for (file, body) in [
        // The new lines are not there to the letter, or not between the context.
        ("a\nB \nc\n", " a\n-b\n+B\n c\n"),
        ("a\nB\nx\nc\n", " a\n-b\n+B\n c\n"),
        // The old line is there, elsewhere or in another form.
        ("a\nB\nc\nx\n  b\n", " a\n-b\n+B\n c\n"),
        // Context on one side only, or blank.
        ("a\nB\nc\n", " a\n-b\n+B\n"),
        ("\nB\n\n", " \n-b\n+B\n \n"),
        // A line that went leaves no trace.
        ("a\nc\n", " a\n-b\n c\n"),
        ("a\n}\nc\n", " a\n-b\n+}\n c\n"),
        // At two places.
        ("a\nB\nc\na\nB\nc\n", " a\n-b\n+B\n c\n"),
    ] {
        refused(file, &unified(&format!("@@ ... @@\n{body}")));
    }
}
