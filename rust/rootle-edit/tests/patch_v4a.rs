//! Reading `*** Begin Patch`, by its grammar and as models write it.

mod reading;

use reading::{faulty, read, read_with};
use rootle_edit::PatchOptions;
use rootle_edit::PatchReason::{DuplicateFile, NoChange, NotAPatch, Truncated, UnexpectedLine};

fn envelope(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

#[test]
fn all_operations() {
    let text = envelope(
        "*** Add File: new/a.txt\n+one\n+\n+two\n*** Delete File: gone.txt\n*** Update File: b.py\n*** Move to: c.py\n\
         @@ class A\n@@ def f\n a\n-b\n+c\n@@\n-d\n+e\n*** End of File\n",
    );
    let expected = "add new/a.txt\n@- [+one][+][+two]\ndelete gone.txt\nrename b.py -> c.py\n\
                    @- {class A} {def f} [ a][-b][+c]\n@- END [-d][+e]";
    assert_eq!(read(&text), expected);
}

#[test]
fn loosened_markers_and_wrappings() {
    let section = "*** Update File: x.py\n@@\n-a\n+b\n";
    for text in [
        envelope(section),
        format!("  *** Begin Patch \n{section} *** End Patch \n"),
        envelope(&format!("  {section}")),
        format!("apply_patch <<'EOF'\n{}EOF\n", envelope(section)),
        format!("bash -lc \"apply_patch <<'EOF'\n{}EOF\"\n", envelope(section)),
        format!("<<EOF\n{}EOF", envelope(section)),
        format!("I will do this:\n```\n{}```\nDone.\n+ more\n", envelope(section)),
        envelope(section).replace('\n', "\r\n"),
        envelope(&section.replace("*** Update File: x.py", "***Update File: x.py")),
        envelope(&section.replace("*** Update File: x.py", "*** update file:x.py")),
        envelope(&section.replace("*** Update File: x.py", "*** Update File `x.py`")),
        envelope(&section.replace("@@\n", "")),
        envelope(&section.replace("@@\n", "\n@@\n\n")),
        envelope(&section.replace("@@\n", "@@ @@\n")),
        // Without its outer markers.
        section.to_owned(),
        format!("```\n{section}```\n"),
        format!("{section}*** End Patch\n"),
    ] {
        assert_eq!(read(&text), "update x.py\n@- [-a][+b]", "{text}");
    }
    let twice = envelope(section) + &envelope(&section.replace("x.py", "y.py"));
    assert_eq!(read(&twice), "update x.py\n@- [-a][+b]\nupdate y.py\n@- [-a][+b]");
}

#[test]
fn hunks() {
    for (body, expected) in [
        ("@@\n a\n\n-b\n+c\n\n d\n", "@- [ a][ ][-b][+c][ ][ d]"),
        ("@@\n-a\n+b\n\n\n@@ f\n-c\n", "@- [-a][+b]\n@- {f} [-c]"),
        ("@@ -3,2 +3,2 @@ def f():\n-a\n+b\n", "@3 {def f():} [-a][+b]"),
        ("@@\ndef f():\n-a\n+b\n", "@- [ def f():][-a][+b]"),
        (
            "@@\n *** End Patch\n-*** Update File: q\n+*** Begin Patch\n @@\n",
            "@- [ *** End Patch][-*** Update File: q][+*** Begin Patch][ @@]",
        ),
        ("@@ only context\n a\n@@\n-b\n", "@- [-b]"),
        ("@@\n+added\n", "@- [+added]"),
        ("@@ def f():\n+added\n", "@- {def f():} [+added]"),
        ("@@\n-a\n+b\n\\ No newline at end of file\n", "@- [-a][+b$]"),
    ] {
        let text = envelope(&format!("*** Update File: x\n{body}"));
        assert_eq!(read(&text), format!("update x\n{expected}"), "{text}");
    }
}

#[test]
fn added_and_deleted_files() {
    for (body, expected) in [
        ("*** Add File: x\n", "add x"),
        ("*** Add File: x\n+a\n\n+b\n\n", "add x\n@- [+a][+][+b]"),
        ("*** Add File: x\n@@\n+a\n*** End of File\n", "add x\n@- [+a]"),
        ("*** Add File: x\n+a\n\\ No newline at end of file\n", "add x\n@- [+a$]"),
        ("*** Add File: x\na\n\n  b\n", "add x\n@- [+a][+][+  b]"),
        ("*** Add File: x\n++a\n+*** End Patch\n", "add x\n@- [++a][+*** End Patch]"),
        ("*** Delete File: x\n-a\n-b\n", "delete x\n@- [-a][-b]"),
        ("*** Update File: x\n*** Move to: ../y\n", "rename x -> ../y"),
        ("*** Update File: x\n*** Move to: x\n-a\n+b\n", "update x\n@- [-a][+b]"),
    ] {
        assert_eq!(read(&envelope(body)), expected, "{body}");
    }
}

#[test]
fn faults_name_their_line() {
    for (text, expected) in [
        (envelope(""), (NoChange, 1)),
        (envelope("*** Update File: x\n"), (NoChange, 2)),
        (envelope("*** Update File: x\n@@\n a\n"), (NoChange, 2)),
        (envelope("*** Frobnicate File: x\n"), (UnexpectedLine, 2)),
        (envelope("*** Update File: x\n@@\n-a\n*** Frobnicate\n+b\n"), (UnexpectedLine, 5)),
        (envelope("*** Add File: x\n+a\nb\n"), (UnexpectedLine, 4)),
        (envelope("*** Delete File: x\na\n"), (UnexpectedLine, 3)),
        (envelope("words\n*** Delete File: x\n"), (UnexpectedLine, 2)),
        (envelope("*** Delete File: x\n*** Update File: x\n-a\n"), (DuplicateFile, 3)),
        ("*** Begin Patch\n*** Update File: x\n-a\n+b\n".to_owned(), (Truncated, 4)),
        ("*** Begin Patch\n*** Update File: x\n-a\n+ *** End Patch\n".to_owned(), (Truncated, 4)),
        ("*** End Patch\n".to_owned(), (NotAPatch, 1)),
    ] {
        assert_eq!(faulty(&text), expected, "{text}");
    }
}

#[test]
fn strict_as_codex() {
    let codex = PatchOptions { compat_codex: true, ..PatchOptions::default() };
    for (body, line) in [
        ("*** Add File: x\na\n", 3),
        ("*** Update File: x\n@@\n a\ndef f():\n-b\n", 5),
        ("*** Update File: x\n*** Move to: y\n", 2),
    ] {
        assert_eq!(read_with(&envelope(body), &codex).unwrap_err().1, line, "{body}");
        assert!(read_with(&envelope(body), &PatchOptions::default()).is_ok(), "{body}");
    }
}
