//! Applying hunks: where they go, what is in the way, what stays as it is.

mod applying;

use applying::{after, outcome, outcome_with, refused, unified, v4a};
use rootle_edit::{ConflictReason, FileStatus, Options, PatchOptions, Reason, apply_file, parse_patch};

fn numbered(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const TWINS: &str =
    "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return x\n\ndef h():\n    x = 1\n    return x\n";

#[test]
fn the_headers_line_decides_between_copies_only_if_it_is_exact() {
    let hunk = |line: usize| unified(&format!("@@ -{line},2 +{line},2 @@\n-    x = 1\n+    x = 2\n     return x\n"));
    for (line, copy) in [(2, 0), (6, 1), (10, 2)] {
        let mut parts: Vec<&str> = TWINS.split("x = 1").collect();
        let tail = parts.split_off(copy + 1);
        let expected = format!("{}x = 2{}", parts.join("x = 1"), tail.join("x = 1"));
        assert_eq!(after(TWINS, &hunk(line)), expected, "{line}");
    }
    for line in [1, 3, 5, 7, 90] {
        assert_eq!(refused(TWINS, &hunk(line)), "ambiguous", "{line}");
    }
    assert_eq!(refused(TWINS, &unified("@@ ... @@\n-    x = 1\n+    x = 2\n     return x\n")), "ambiguous");
}

#[test]
fn drift_of_other_hunks_the_scope_and_the_order_single_out_a_copy() {
    let moved = format!("import a\nimport b\n\n{TWINS}");
    let expected = moved.replace("def g():\n    x = 1", "def G():\n    x = 2");
    // The unique hunk shows that all has moved by three lines.
    let patch = unified("@@ -5 +5 @@\n-def g():\n+def G():\n@@ -6,2 +6,2 @@\n-    x = 1\n+    x = 2\n     return x\n");
    assert_eq!(after(&moved, &patch), expected);
    // The hunks come in another order.
    let patch = unified("@@ -6,2 +6,2 @@\n-    x = 1\n+    x = 2\n     return x\n@@ -5 +5 @@\n-def g():\n+def G():\n");
    assert_eq!(after(&moved, &patch), expected);
    // Moved, and nothing shows how far.
    assert_eq!(refused(&moved, &unified("@@ -6,2 +6,2 @@\n-    x = 1\n+    x = 2\n     return x\n")), "ambiguous");

    let expected = TWINS.replace("def g():\n    x = 1", "def g():\n    x = 2");
    for header in ["@@ def g():", "@@ def g", "@@ -99,2 +99,2 @@ def g():"] {
        let patch = unified(&format!("{header}\n-    x = 1\n+    x = 2\n     return x\n"));
        assert_eq!(after(TWINS, &patch), expected, "{header}");
    }
    let classes = "class A:\n    def f():\n        x = 1\n\nclass B:\n    def f():\n        x = 1\n";
    let patch = v4a("@@ class B:\n@@ def f():\n-        x = 1\n+        x = 2\n");
    assert_eq!(
        after(classes, &patch),
        classes.replace("B:\n    def f():\n        x = 1", "B:\n    def f():\n        x = 2")
    );
    assert_eq!(refused(classes, &v4a("@@ def f():\n-        x = 1\n+        x = 2\n")), "ambiguous");

    // In this dialect hunks come in the order of the file.
    let patch = v4a("@@\n-def g():\n+def G():\n@@\n-    x = 1\n+    x = 2\n@@\n-def h():\n+def H():\n");
    assert_eq!(
        after(TWINS, &patch),
        TWINS.replace("def g():\n    x = 1", "def G():\n    x = 2").replace("def h", "def H")
    );
    assert_eq!(
        refused(
            TWINS,
            &unified(
                "@@ ... @@\n-def g():\n+def G():\n@@ ... @@\n-    x = 1\n+    x = 2\n@@ ... @@\n-def h():\n+def H():\n"
            )
        ),
        "ambiguous"
    );
}

#[test]
fn the_end_of_the_file() {
    assert_eq!(after("a\nb\na\n", &v4a("@@\n-a\n+c\n*** End of File\n")), "a\nb\nc\n");
    assert_eq!(refused("a\nb\n", &v4a("@@\n-a\n+c\n*** End of File\n")), "not_found");
    assert_eq!(after("a\nb\n", &v4a("@@\n+c\n*** End of File\n")), "a\nb\nc\n");
}

#[test]
fn final_newlines() {
    let open = "\\ No newline at end of file\n";
    let change = "@@ -2 +2 @@\n-b\n+c\n";
    for (before, hunk, expected) in [
        ("a\nb\n", change.to_owned(), "a\nc\n"),
        // Not marked: the file's state stays.
        ("a\nb", change.to_owned(), "a\nc"),
        ("a\nb", format!("@@ -2 +2 @@\n-b\n{open}+c\n"), "a\nc\n"),
        ("a\nb\n", format!("@@ -2 +2 @@\n-b\n+c\n{open}"), "a\nc"),
        ("a\nb", format!("@@ -2 +2 @@\n-b\n{open}+c\n{open}"), "a\nc"),
        // Marked on both sides, and the file has one by now: no change of it is asked for.
        ("a\nb\n", format!("@@ -2 +2 @@\n-b\n{open}+c\n{open}"), "a\nc\n"),
        ("a\nb\n", format!("@@ -2 +2 @@\n-b\n+b\n{open}"), "a\nb"),
        ("a\nb", format!("@@ -2 +2 @@\n-b\n{open}+b\n"), "a\nb\n"),
        // The last line goes, or lines come after it.
        ("a\nb", "@@ -1,2 +1 @@\n a\n-b\n".to_owned(), "a"),
        ("a\nb\n", "@@ -1,2 +1 @@\n a\n-b\n".to_owned(), "a\n"),
        ("a\nb", "@@ -2 +2,2 @@\n b\n+c\n".to_owned(), "a\nb\nc"),
        ("a\r\nb", "@@ -2 +2,2 @@\n b\n+c\n".to_owned(), "a\r\nb\r\nc"),
        ("a", "@@ -1 +0,0 @@\n-a\n".to_owned(), ""),
    ] {
        assert_eq!(after(before, &unified(&hunk)), expected, "{before:?} {hunk:?}");
    }
}

#[test]
fn line_ends_are_those_of_the_neighbours() {
    let crlf = "a\r\nb\r\nc\r\n";
    assert_eq!(after(crlf, &unified("@@ -1,3 +1,4 @@\n a\n-b\n+B\n+x\n c\n")), "a\r\nB\r\nx\r\nc\r\n");
    // The patch travelled with CRLF.
    let patch = unified("@@ -1,3 +1,4 @@\n a\n-b\n+B\n+x\n c\n").replace('\n', "\r\n");
    assert_eq!(after(crlf, &patch), "a\r\nB\r\nx\r\nc\r\n");
    assert_eq!(after("a\nb\nc\n", &patch), "a\nB\nx\nc\n");
    // It has the file's own line ends, and changes one of them.
    assert_eq!(after(crlf, &unified("@@ -1,3 +1,3 @@\n a\r\n-b\r\n+b\n c\r\n")), "a\r\nb\nc\r\n");
    let mixed = "a\nb\r\nc\nd\r\n";
    assert_eq!(after(mixed, &unified("@@ -2,3 +2,3 @@\n-b\n-c\n+B\n+C\n d\n")), "a\nB\r\nC\nd\r\n");
}

#[test]
fn bytes_that_are_not_touched_stay() {
    let latin: &[u8] = b"# caf\xe9\nold = 1\r\n\x0c\xff\n";
    let parsed = parse_patch(&unified("@@ -2 +2 @@\n-old = 1\n+new = 2\n"), &PatchOptions::default()).unwrap();
    let result = apply_file(Some(latin), &parsed.files[0], &Options::default(), false);
    assert_eq!(result.bytes.as_deref(), Some(&b"# caf\xe9\nnew = 2\r\n\x0c\xff\n"[..]));

    let utf16: Vec<u8> = "\u{feff}é\r\nold = 1\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let expected: Vec<u8> = "\u{feff}é\r\nnew = 2\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let result = apply_file(Some(&utf16), &parsed.files[0], &Options::default(), false);
    assert_eq!(result.bytes, Some(expected));

    assert_eq!(after("\u{feff}a\nb\n", &unified("@@ -1,2 +1,2 @@\n-a\n+c\n b\n")), "\u{feff}c\nb\n");

    let binary = apply_file(Some(b"old = 1\0\n"), &parsed.files[0], &Options::default(), false);
    assert_eq!(binary.conflicts[0].reason, ConflictReason::Edit(Reason::Binary));
    let parsed =
        parse_patch(&unified("@@ -2 +2 @@\n-old = 1\n+new = '\u{1f600}'\n"), &PatchOptions::default()).unwrap();
    let result = apply_file(Some(latin), &parsed.files[0], &Options::default(), false);
    assert_eq!(result.conflicts[0].reason, ConflictReason::Edit(Reason::Unencodable));
    assert_eq!(result.bytes.as_deref(), Some(latin));
}

#[test]
fn what_is_applied_already_is_said_and_not_done_twice() {
    let file = "def f():\n    value = compute(1)\n    return value\n";
    for patch in [
        unified("@@ -1,3 +1,3 @@\n def f():\n-    value = compute(1)\n+    value = compute(22)\n     return value\n"),
        unified("@@ -1,2 +1,3 @@\n def f():\n+    \"\"\"Compute the value.\"\"\"\n     value = compute(1)\n"),
        unified("@@ -1,3 +1,2 @@\n def f():\n-    value = compute(1)\n     return value\n"),
        // Without context after the lines that it adds.
        unified("@@ -3 +3,2 @@\n     return value\n+# the end of the function\n"),
        unified("@@ -3,0 +4 @@\n+# the end of the function\n"),
        v4a("@@\n     return value\n+# the end of the function\n"),
        v4a("@@ def f():\n+    \"\"\"Compute the value.\"\"\"\n"),
    ] {
        let once = after(file, &patch);
        let again = outcome(Some(&once), &patch);
        assert_eq!(again.status, FileStatus::AlreadyApplied, "{patch}\n{:?}", again.conflicts);
        assert_eq!(again.bytes.as_deref(), Some(once.as_bytes()));
        assert_eq!((again.already_applied.len(), again.applied.len()), (1, 0));
    }
    // The removed line is there in another form: not taken for gone.
    let patch =
        unified("@@ -1,3 +1,2 @@\n a long enough line of context\n another line of context here\n-the removed line\n");
    let drifted = "a long enough line of context\nanother line of context here\nthe removed  line, changed\n";
    assert_ne!(outcome(Some(drifted), &patch).status, FileStatus::AlreadyApplied);
}

#[test]
fn lines_that_are_only_added() {
    let file = "a\nb\nc\n";
    for (patch, expected) in [
        (unified("@@ -1,0 +2 @@\n+x\n"), Ok("a\nx\nb\nc\n")),
        (unified("@@ -0,0 +1 @@\n+x\n"), Ok("x\na\nb\nc\n")),
        (unified("@@ -3,0 +4 @@\n+x\n"), Ok("a\nb\nc\nx\n")),
        (unified("@@ -4,0 +5 @@\n+x\n"), Err("empty_old")),
        (unified("@@ -1,3 +1,4 @@\n+x\n"), Err("empty_old")),
        (unified("@@ ... @@\n+x\n"), Err("empty_old")),
        (v4a("@@\n+x\n"), Err("empty_old")),
        (v4a("@@ b\n+x\n"), Ok("a\nb\nx\nc\n")),
        (v4a("@@ z\n+x\n"), Err("empty_old")),
        ("<<<<<<< SEARCH\n:start_line:2\n-------\n=======\nx\n>>>>>>> REPLACE\n".to_owned(), Ok("a\nx\nb\nc\n")),
        // Another hunk shows how far the lines have moved.
        (unified("@@ -1 +1 @@\n-b\n+B\n@@ -2,0 +3 @@\n+x\n"), Ok("a\nB\nc\nx\n")),
    ] {
        match expected {
            Ok(expected) => assert_eq!(after(file, &patch), expected, "{patch}"),
            Err(code) => assert_eq!(refused(file, &patch), code, "{patch}"),
        }
    }
    assert_eq!(after("", &v4a("@@\n+x\n")), "x\n");
    assert_eq!(refused("def f(\n    a,\n):\n    pass\n", &v4a("@@ def f(\n+    x = 1\n")), "empty_old");
}

#[test]
fn context_lines_without_their_prefix() {
    let file = "class A:\n    def f(self):\n        return 1\n\n    x = 2\n";
    for body in [
        // Some lines show it, others only could.
        "class A:\n    def f(self):\n-        return 1\n+        return 2\n\n    x = 2\n",
        "    def f(self):\n-        return 1\n+        return 2\n",
    ] {
        assert_eq!(
            after(file, &unified(&format!("@@ -1,5 +1,5 @@\n{body}"))),
            file.replace("return 1", "return 2"),
            "{body}"
        );
    }
}

#[test]
fn lines_that_are_added_between_context_without_its_prefix_stand_as_they_are_given() {
    let function = "def f(self):\n    a()\n    return 1\n";
    let class = "class A:\n    def f(self):\n        return 1\n";
    for (file, body, expected) in [
        (
            function,
            " def f(self):\n    a()\n+    x()\n    return 1\n",
            "def f(self):\n    a()\n    x()\n    return 1\n",
        ),
        (function, "    a()\n+    x()\n    return 1\n", "def f(self):\n    a()\n    x()\n    return 1\n"),
        (function, "    a()\n+    x()\n", "def f(self):\n    a()\n    x()\n    return 1\n"),
        (
            class,
            "class A:\n    def f(self):\n+        x()\n        return 1\n",
            "class A:\n    def f(self):\n        x()\n        return 1\n",
        ),
        ("k:\n  a: 1\n  b: 2\n", "k:\n  a: 1\n+  c: 3\n  b: 2\n", "k:\n  a: 1\n  c: 3\n  b: 2\n"),
        ("k:\n a: 1\n b: 2\n", "k:\n a: 1\n+ c: 3\n b: 2\n", "k:\n a: 1\n c: 3\n b: 2\n"),
        ("f {\n\ta()\n}\n", "f {\n\ta()\n+\tb()\n}\n", "f {\n\ta()\n\tb()\n}\n"),
        // The lines change as well.
        (function, "    a()\n-    return 1\n+    return 2\n", "def f(self):\n    a()\n    return 2\n"),
        (function, "-    return 1\n+    return 2\n", "def f(self):\n    a()\n    return 2\n"),
        // With line ends of another kind.
        ("k:\r\n  a: 1\r\n", "k:\n  a: 1\n+  c: 3\n", "k:\r\n  a: 1\r\n  c: 3\r\n"),
    ] {
        for patch in [unified(&format!("@@ -1,3 +1,4 @@\n{body}")), v4a(&format!("@@\n{body}"))] {
            assert_eq!(after(file, &patch), expected, "{patch}");
        }
    }
    // Taken so the lines are not the file's either, or stand twice: a column that only the context shows is not given
    // to the new lines.
    let drifted = function.replace("a()", "a() ");
    let twice = format!("{function}{function}");
    for file in [drifted.as_str(), twice.as_str()] {
        for header in ["@@ ... @@", "@@ -1,3 +1,4 @@"] {
            refused(file, &unified(&format!("{header}\n    a()\n+    x()\n    return 1\n")));
        }
    }
    // The removed line shows that the file is indented by one column more.
    let patch = unified("@@ -1,2 +1,2 @@\n context = 1\n-removed = 2\n+added = 3\n");
    assert_eq!(after(" context = 1\n removed = 2\n", &patch), " context = 1\n added = 3\n");
}

#[test]
fn the_engine_finds_what_is_not_exact() {
    let file = "def f(a):\n    # It's the “value”   \n    total = a + 1\n    print(total)\n    return total\n";
    let patch = unified(
        "@@ -1,5 +1,5 @@\n def f(a):\n     # It's the \"value\"\n-    total = a + 1\n+    total = a + 2\n     print(total)\n     return total\n",
    );
    assert_eq!(after(file, &patch), file.replace("a + 1", "a + 2"));
    let result = outcome(Some(file), &patch);
    assert_ne!(result.applied[0].tier.as_str(), "exact");
    // The line that is to go has another meaning now.
    let drifted = file.replace("a + 1", "a + 7");
    let patch = unified(
        "@@ -1,5 +1,5 @@\n def f(a):\n     # It's the \"value\"\n-    total = a + 1\n+    total = a + 2\n     print(total)\n     return total\n",
    );
    assert!(["not_found", "unsafe_difference"].contains(&refused(&drifted, &patch)));
}

#[test]
fn a_refused_hunk_comes_with_one_that_applies() {
    let file = "def f(a):\n    log(a)\n    total = a + 7\n    print(total)\n    return total\n";
    let patch = unified(
        "@@ -1,5 +1,5 @@ def f(a):\n def f(a):\n     log(a)\n-    total = a + 1\n+    total = a + 2\n     print(total)\n     return total\n",
    );
    let result = outcome(Some(file), &patch);
    let conflict = &result.conflicts[0];
    assert!(
        conflict.message.contains("hunk 1 (@@ -1,5 +1,5 @@ def f(a):), line 3 of the patch"),
        "{}",
        conflict.message
    );
    assert!(!conflict.refusal.as_ref().unwrap().candidates.is_empty());
    let hunk = conflict.suggested_hunk.as_ref().expect("a suggestion");
    assert_eq!(after(file, &unified(hunk)), file.replace("a + 7", "a + 2"), "{hunk}");
}

#[test]
fn hunks_that_clash_or_fail_among_others() {
    let file = numbered(&["one", "two", "three", "four", "five", "six"]);
    // Shared context is no clash.
    let patch = unified("@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n@@ -3,3 +3,3 @@\n three\n-four\n+FOUR\n five\n");
    assert_eq!(after(&file, &patch), file.replace("two", "TWO").replace("four", "FOUR"));
    let patch = unified("@@ -2 +2 @@\n-two\n+TWO\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
    assert_eq!(refused(&file, &patch), "overlap");
    let twice = unified("@@ -2,2 +2,3 @@\n two\n+x\n three\n@@ -2,2 +2,3 @@\n two\n+x\n three\n");
    assert_eq!(refused(&file, &twice), "overlap");

    let patch = unified("@@ -2 +2 @@\n-two\n+TWO\n@@ -4 +4 @@\n-vier\n+FOUR\n@@ -6 +6,2 @@\n six\n+seven\n");
    let options = PatchOptions::default();
    let all_or_nothing = outcome_with(Some(&file), &patch, &options, false);
    assert_eq!((all_or_nothing.status, all_or_nothing.bytes.as_deref()), (FileStatus::Conflict, Some(file.as_bytes())));
    let partial = outcome_with(Some(&file), &patch, &options, true);
    assert_eq!(String::from_utf8(partial.bytes.unwrap()).unwrap(), file.replace("two", "TWO") + "seven\n");
    assert_eq!(partial.applied.iter().map(|hunk| hunk.hunk).collect::<Vec<_>>(), [0, 2]);
    assert_eq!((partial.conflicts[0].hunk, partial.conflicts[0].patch_line), (Some(1), 6));
    assert_eq!(partial.status, FileStatus::Conflict);
}

#[test]
fn line_ranges_and_offsets() {
    let file = "new\n".to_owned() + &numbered(&["one", "two", "three", "four", "five"]);
    let patch = unified("@@ -1,2 +1,4 @@\n one\n+a\n+b\n two\n@@ -4,2 +6 @@\n-four\n five\n");
    let result = outcome(Some(&file), &patch);
    let shown: Vec<String> =
        result.applied.iter().map(|hunk| format!("{} -> {} by {:?}", hunk.before, hunk.after, hunk.offset)).collect();
    assert_eq!(shown, ["lines 2-3 -> lines 2-5 by Some(1)", "lines 5-6 -> line 7 by Some(1)"]);
}
