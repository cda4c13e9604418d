//! Reading unified diffs, well-formed and as models write them.

mod reading;

use reading::{faulty, read, with_path};
use rootle_edit::PatchReason::{
    AmbiguousMarker, MissingName, NameConflict, NoChange, NotAPatch, Truncated, UnexpectedLine, Unsupported,
};

#[test]
fn a_plain_diff() {
    let text = "--- a/x.py\n+++ b/x.py\n@@ -3,3 +3,4 @@ def f():\n a\n-b\n+B\n+C\n d\n";
    assert_eq!(read(text), "update x.py\n@3 {def f():} [ a][-b][+B][+C][ d]");
}

#[test]
fn wrong_counts_take_the_lines_that_are_there() {
    for header in ["@@ -3,3 +3,4 @@", "@@ -3,1 +3,1 @@", "@@ -3,9 +3,90 @@", "@@ -3 +3 @@", "@@ -3,0 +3,0 @@"] {
        let text = format!("--- a/x\n+++ b/x\n{header}\n a\n-b\n+B\n+C\n d\n@@ -20,2 +21,1 @@\n-q\n r\n");
        let line = if header.contains(",0") { 4 } else { 3 };
        assert_eq!(read(&text), format!("update x\n@{line} [ a][-b][+B][+C][ d]\n@20 [-q][ r]"), "{header}");
    }
}

#[test]
fn headers_without_numbers() {
    for (header, scope) in
        [("@@ ... @@", ""), ("@@", ""), ("@@ def g(): @@", " {def g():}"), ("@@ class A:", " {class A:}")]
    {
        let text = format!("--- x\n+++ x\n{header}\n a\n-b\n+c\n");
        assert_eq!(read(&text), format!("update x\n@-{scope} [ a][-b][+c]"));
    }
    assert_eq!(read("--- x\n+++ x\n a\n-b\n+c\n"), "update x\n@- [ a][-b][+c]");
}

#[test]
fn blank_lines_and_lines_without_prefix_are_context() {
    let text = "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n a\n\n-b\n+c\n\n d\n";
    assert_eq!(read(text), "update x\n@1 [ a][ ][-b][+c][ ][ d]");
    let text = "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\ndef f():\n-b\n+c\n\treturn\nend\n";
    assert_eq!(read(text), "update x\n@1 [ def f():][-b][+c][ \treturn][ end]");
}

#[test]
fn text_around_a_diff_is_left_out() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    let bare = "--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+c\n";
    for text in [
        format!("Here it is:\n\n```diff\n{diff}```\nThis changes b:\n- to c\n"),
        format!("{diff}\nThis changes b to c.\n\n- one\n- two\n"),
        format!("{diff}-- \n2.39.0\n"),
        format!("git apply <<'EOF'\n{diff}EOF\necho done\n"),
        format!(
            "From 123 Mon Sep\nSubject: x\n---\n x | 2 +-\n 1 file changed\n\ndiff --git a/x b/x\nindex 1..2 100644\n{diff}-- \n2.39.0\n\n"
        ),
    ] {
        assert_eq!(read(&text), "update x\n@1 [ a][-b][+c]", "{text}");
    }
    for text in [
        format!("```diff\n{bare}```\nThis changes b.\n"),
        format!("{bare}\nThis changes b to c.\nIt is better.\n"),
        format!("cat <<EOF | patch\n{bare}EOF\n"),
        format!("````\n{bare}````\n"),
    ] {
        assert_eq!(read(&text), "update x\n@- [ a][-b][+c]", "{text}");
    }
    // What would get lost is refused, not left out.
    assert_eq!(faulty(&format!("{diff}\nand also\n+this\n")), (UnexpectedLine, 9));
}

#[test]
fn content_that_looks_like_headers() {
    let text = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n--- old\n+++ new\n b\n@@ -9,2 +9,2 @@\n-- x\n+y\n z\n";
    assert_eq!(read(text), "update x\n@1 [ a][--- old][+++ new][ b]\n@9 [-- x][+y][ z]");
    // The last two lines of a hunk whose counts ask for them.
    let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- old\n+++ new\n@@ -9 +9 @@\n-x\n+y\n";
    assert_eq!(read(text), "update x\n@1 [ a][--- old][+++ new]\n@9 [-x][+y]");
    // A file's header ends a hunk whose counts are too high.
    let text = "--- a/x\n+++ b/x\n@@ -1,7 +1,7 @@\n a\n-b\n--- a/y\n+++ b/y\n@@ -9 +9 @@\n-x\n+y\n";
    assert_eq!(read(text), "update x\n@1 [ a][-b]\nupdate y\n@9 [-x][+y]");
    // Without a hunk below, they can be either.
    for header in ["@@ ... @@", "@@ -1,1 +1,1 @@"] {
        let text = format!("--- a/x\n+++ b/x\n{header}\n-a\n+b\n--- a/y\n+++ b/y\n-a\n");
        assert_eq!(faulty(&text), (AmbiguousMarker, 6));
    }
    let text = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n--- c d\n+++ e f\n b\n";
    assert_eq!(read(text), "update x\n@1 [-a][--- c d][+++ e f][ b]");
    let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n diff --git a/q b/q\n+@@ -1 +1 @@\n *** End Patch\n";
    assert_eq!(read(text), "update x\n@1 [ diff --git a/q b/q][+@@ -1 +1 @@][ *** End Patch]");
}

#[test]
fn missing_final_newlines() {
    for (body, expected) in [
        ("-a\n\\ No newline at end of file\n+b\n", "[-a$][+b]"),
        ("-a\n+b\n\\ No newline at end of file\n", "[-a][+b$]"),
        ("-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", "[-a$][+b$]"),
        ("-a\n+b\n c\n\\ No newline at end of file\n", "[-a][+b][ c$]"),
        ("-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n", "[-a$][+b]"),
    ] {
        assert_eq!(read(&format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{body}")), format!("update x\n@1 {expected}"));
    }
    let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n-b\n+c\n";
    assert_eq!(faulty(text), (UnexpectedLine, 6));
}

#[test]
fn git_headers() {
    for (text, expected) in [
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "rename x -> y"),
        (
            "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nindex 1..2 100644\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "rename x -> y\n@1 [-a][+b]",
        ),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copy x -> y"),
        ("diff --git a/x b/y\nrename from ../../x\nrename to /etc/hosts\n", "rename ../../x -> /etc/hosts"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "update x 100644 100755"),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", "add x - 100644"),
        (
            "diff --git a/x b/x\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n",
            "add x - 100755\n@1 [+a][+b]",
        ),
        ("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n", "delete x 100644 - empty"),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "delete x 100644 -\n@1 [-a]",
        ),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n", "add x\n@1 [+a]"),
        (
            "--- x\t1970-01-01 00:00:00.000000000 +0000\n+++ x\t2024-01-01 10:00:00.0 +0000\n@@ -0,0 +1 @@\n+a\n",
            "add x\n@1 [+a]",
        ),
        (
            "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ@@\n\nliteral 2\nzc\n\n",
            "update x.png binary",
        ),
        (
            "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
            "update x.png binary",
        ),
        ("Binary files a/x.png and b/x.png differ\n", "update x.png binary"),
        (
            "diff --git \"a/t\\tb\" \"b/t\\tb\"\n--- \"a/t\\tb\"\n+++ \"b/t\\tb\"\n@@ -1 +1 @@\n-a\n+b\n",
            "update t\tb\n@1 [-a][+b]",
        ),
        ("diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n", "update my file 100644 100755"),
        (
            "Index: src/x.c\n=====\n--- src/x.c\t(revision 1)\n+++ src/x.c\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n",
            "update src/x.c\n@1 [-a][+b]",
        ),
        ("--- src/x.c\n@@ -1 +1 @@\n-a\n+b\n", "update src/x.c\n@1 [-a][+b]"),
        ("+++ b/src/x.c\n@@ -1 +1 @@\n-a\n+b\n", "update src/x.c\n@1 [-a][+b]"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn carriage_returns() {
    // Of the transport, and of the file.
    assert_eq!(read("--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n"), "update x\n@1 [-a][+b]");
    assert_eq!(read("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n"), "update x\n@1 [-a\r][+b\r]");
}

#[test]
fn the_callers_path_names_a_diff_without_a_name() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for text in [
        hunk.to_owned(),
        "-a\n+b\n".to_owned(),
        format!("--- original\n+++ modified\n{hunk}"),
        format!("--- a/file\n+++ b/file\n{hunk}"),
        format!("--- a/deep/src/x.py\n+++ b/deep/src/x.py\n{hunk}"),
        format!("--- x.py\n+++ x.py\n{hunk}"),
    ] {
        assert!(with_path(&text, "src/x.py").unwrap().starts_with("update src/x.py\n"), "{text}");
    }
    let other = format!("--- a/src/y.py\n+++ b/src/y.py\n{hunk}");
    assert_eq!(with_path(&other, "src/x.py").unwrap_err(), (NameConflict, 1));
}

#[test]
fn faults_name_their_line() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for (text, expected) in [
        (String::new(), (NotAPatch, 1)),
        ("just words\n".to_owned(), (NotAPatch, 1)),
        ("5c5\n< a\n---\n> b\n".to_owned(), (NotAPatch, 1)),
        ("--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n".to_owned(), (NotAPatch, 1)),
        (hunk.to_owned(), (MissingName, 1)),
        (format!("--- a/x\n+++ b/y\n{hunk}"), (NameConflict, 1)),
        ("*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n".to_owned(), (Unsupported, 1)),
        ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,2 @@@\n".to_owned(), (Unsupported, 1)),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n b\n".to_owned(), (NoChange, 1)),
        ("--- /dev/null\n+++ b/x\n@@ -1,1 +1,2 @@\n a\n+b\n".to_owned(), (UnexpectedLine, 3)),
        ("--- a/x\n+++ /dev/null\n@@ -1,1 +1,2 @@\n-a\n+b\n".to_owned(), (UnexpectedLine, 3)),
        ("diff --git a/x b/x\ndeleted file mode 100644\nindex 1234567..0000000\n".to_owned(), (NoChange, 1)),
        ("*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n".to_owned(), (Truncated, 5)),
    ] {
        assert_eq!(faulty(&text), expected, "{text}");
    }
}

#[test]
fn sections_of_one_file_are_taken_together() {
    let section =
        |name: &str, line: usize| format!("--- a/{name}\n+++ b/{name}\n@@ -{line} +{line} @@\n-a{line}\n+b\n");
    let text = section("x", 1) + &section("y", 2) + &section("x", 3);
    assert_eq!(read(&text), "update x\n@1 [-a1][+b]\n@3 [-a3][+b]\nupdate y\n@2 [-a2][+b]");
    let deleted = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    assert_eq!(faulty(&(section("x", 1) + deleted)), (rootle_edit::PatchReason::DuplicateFile, 6));
}
