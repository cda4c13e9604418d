//! Reading SEARCH/REPLACE blocks.

mod reading;

use reading::{faulty, read, with_path};
use rootle_edit::PatchReason::{AmbiguousMarker, MissingName, NameConflict, NoChange, Truncated, UnexpectedLine};

const BLOCK: &str = "<<<<<<< SEARCH\na\nb\n=======\na\nc\n>>>>>>> REPLACE\n";

#[test]
fn aider_names_the_file_above() {
    for text in [
        format!("src/x.py\n```python\n{BLOCK}```\n"),
        format!("```python\nsrc/x.py\n{BLOCK}```\n"),
        format!("I change this:\n\n`src/x.py`:\n\n```\n{BLOCK}```\nDone.\n"),
        format!("**src/x.py**\n{BLOCK}"),
        format!("### src/x.py\n{BLOCK}"),
        format!(
            "src/x.py\n{}",
            BLOCK.replace("=======", "=====").replace("<<<<<<<", "<<<<<").replace(">>>>>>>", ">>>>>")
        ),
        format!("src/x.py\n{BLOCK}").replace('\n', "\r\n"),
        format!("src/x.py\n{}", BLOCK.replace("SEARCH", "SEARCH ").replace("=======", "======= ")),
    ] {
        assert_eq!(read(&text), "update src/x.py\n@- [ a][-b][+c]", "{text}");
    }
    let second = BLOCK.replace("\na\n", "\nq\n");
    assert_eq!(
        read(&format!("x.py\n{BLOCK}\n{second}\ny.py\n```\n{BLOCK}```\n")),
        "update x.py\n@- [ a][-b][+c]\n@- [ q][-b][+c]\nupdate y.py\n@- [ a][-b][+c]"
    );
}

#[test]
fn cline_and_roo_take_the_path_of_the_call() {
    for (text, near) in [
        (BLOCK.to_owned(), "-"),
        (BLOCK.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++"), "-"),
        (BLOCK.replace("<<<<<<<", "---").replace("=======", "===").replace(">>>>>>>", "+++"), "-"),
        (BLOCK.replace("SEARCH", "SEARCH>").replace("REPLACE", "REPLACE>"), "-"),
        (BLOCK.replace("SEARCH\n", "SEARCH\n:start_line:12\n-------\n"), "12"),
        (BLOCK.replace("SEARCH\n", "SEARCH\n:start_line: 12\n:end_line:14\n-------\n"), "12"),
        (BLOCK.replace("SEARCH\n", "SEARCH\n:start_line:12\n"), "12"),
    ] {
        assert_eq!(with_path(&text, "x.py").unwrap(), format!("update x.py\n@{near} [ a][-b][+c]"), "{text}");
    }
    assert_eq!(with_path(&format!("src/x.py\n{BLOCK}"), "x.py").unwrap(), "update x.py\n@- [ a][-b][+c]");
    assert_eq!(with_path(&format!("y.py\n{BLOCK}"), "x.py").unwrap_err(), (NameConflict, 2));
    assert_eq!(faulty(BLOCK), (MissingName, 1));
}

#[test]
fn content_that_looks_like_markers() {
    for (old, new, expected) in [
        // Escaped, as Roo has it.
        ("\\<<<<<<< SEARCH\nb", "c", "[-<<<<<<< SEARCH][-b][+c]"),
        ("\\=======", "\\>>>>>>> REPLACE", "[-=======][+>>>>>>> REPLACE]"),
        ("\\-------\n\\:start_line:3", "c", "[--------][-:start_line:3][+c]"),
        ("\\<<<<<<< HEAD", "\\>>>>>>> main", "[-\\<<<<<<< HEAD][+\\>>>>>>> main]"),
        // Conflict markers have no word of a block.
        ("<<<<<<< HEAD\n>>>>>>> main", "c", "[-<<<<<<< HEAD][->>>>>>> main][+c]"),
        // Headings of another length than the block's marks.
        ("Title\n=====", "Title 2\n=========", "[-Title][-=====][+Title 2][+=========]"),
        ("a\n-------", "a\n--------", "[ a][--------][+--------]"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@", "c", "[---- a/x][-+++ b/x][-@@ -1 +1 @@][+c]"),
        ("```python\na\n```", "c", "[-```python][-a][-```][+c]"),
        ("*** Begin Patch", "c", "[-*** Begin Patch][+c]"),
    ] {
        let text = format!("x.rst\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
        assert_eq!(read(&text), format!("update x.rst\n@- {expected}"), "{text}");
    }
    for (old, new, line) in [
        ("Title\n=======", "Title 2\n=======", 5),
        ("Title\n=======", "Title 2", 5),
        ("a\n<<<<<<< SEARCH", "b", 4),
        ("-------\na", "b", 3),
        ("a", ">>>>>>> REPLACE\nb", 7),
        ("a", "b\n>>>>>>> REPLACE\n=======\nc", 7),
    ] {
        let text = format!("x.rst\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
        assert_eq!(faulty(&text), (AmbiguousMarker, line), "{text}");
    }
}

#[test]
fn empty_sides() {
    assert_eq!(
        read("x\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n".replacen('x', "x.py", 1).as_str()),
        "update x.py\n@- [-a]"
    );
    assert_eq!(read("x.py\n<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE\n"), "add x.py\n@- [+a]");
    let insertion = "<<<<<<< SEARCH\n:start_line:4\n-------\n=======\na\n>>>>>>> REPLACE\n";
    assert_eq!(with_path(insertion, "x.py").unwrap(), "update x.py\n@4 [+a]");
}

#[test]
fn faults_name_their_line() {
    for (text, expected) in [
        ("x.py\n<<<<<<< SEARCH\na\n=======\nb\n", (Truncated, 2)),
        ("x.py\n<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", (UnexpectedLine, 4)),
        ("x.py\n<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE\n", (NoChange, 2)),
        ("x.py\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", (NoChange, 2)),
    ] {
        assert_eq!(faulty(text), expected, "{text}");
    }
}
