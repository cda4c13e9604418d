//! Laws of reading patches: no text makes it panic, and its time grows with the text only.

use std::time::Instant;

use proptest::prelude::*;
use rootle_edit::{FileStatus, LineKind, Op, Options, PatchOptions, apply_file, parse_patch};

fn options() -> Vec<PatchOptions> {
    let path = Some("x".to_owned());
    vec![
        PatchOptions::default(),
        PatchOptions { path: path.clone(), compat_codex: false },
        PatchOptions { path, compat_codex: true },
    ]
}

/// Lines that mean something in some dialect, and others.
fn lines() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "--- a/x",
        "+++ b/x",
        "--- /dev/null",
        "+++ /dev/null",
        "@@ -1,2 +1,2 @@",
        "@@ -0,0 +1 @@ f",
        "@@",
        "@@ ... @@",
        "@@@ -1 -1 +1 @@@",
        "diff --git a/x b/x",
        "diff --git \"a/\\303\" b",
        "rename from x",
        "rename to \"y\\",
        "new file mode 100644",
        "old mode 1",
        "index 1..2",
        "GIT binary patch",
        "Binary files a and b differ",
        "Index: x",
        "*** x",
        "***************",
        "*** Begin Patch",
        " *** End Patch",
        "*** End Patch",
        "*** Add File: é",
        "*** Update File: x",
        "*** Delete File: z",
        "*** Move to: y",
        "*** End of File",
        "***",
        "\\ No newline at end of file",
        "\\",
        "<<<<<<< SEARCH",
        "-------",
        "=======",
        ">>>>>>> REPLACE",
        "------- SEARCH",
        "+++++++ REPLACE",
        ":start_line:3",
        "x.py",
        "`é`",
        "```diff",
        "```",
        "~~~",
        "apply_patch <<'EOF'",
        "EOF",
        "-- ",
        "2.3",
        "",
        " ",
        "-",
        "+",
        " a",
        "-a",
        "+a",
        "-é",
        "é",
        "\r",
        " a\r",
        "-a\r",
        "\t",
    ]);
    prop::collection::vec(prop_oneof![9 => words.prop_map(str::to_owned), 1 => any::<String>()], 0..24)
        .prop_map(|lines| lines.join("\n"))
}

/// A file with lines that the patches have too, in several encodings and with stray bytes.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec!["a", "é", "", " ", "-a", "a\r", "-- a/x", "=======", "EOF", "\t"]);
    let text = prop::collection::vec(words, 0..12).prop_map(|lines| lines.join("\n"));
    (text, 0..5usize).prop_map(|(text, form)| match form {
        0 => text.into_bytes(),
        1 => format!("\u{feff}{text}\n").into_bytes(),
        2 => format!("\u{feff}{text}\n").encode_utf16().flat_map(u16::to_le_bytes).collect(),
        3 => [text.as_bytes(), b"\n\xff\n"].concat(),
        _ => format!("{text}\n").into_bytes(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn reading_never_panics(text in lines()) {
        for options in options() {
            let Ok(patch) = parse_patch(&text, &options) else { continue };
            prop_assert!(!patch.files.is_empty());
            for hunk in patch.files.iter().flat_map(|file| &file.hunks) {
                // The kinds and the two texts tell the same story.
                let (mut old, mut new) = (String::new(), String::new());
                for (kind, text) in hunk.lines() {
                    if kind != LineKind::Added { old.push_str(text) }
                    if kind == LineKind::Added { new.push_str(text) }
                }
                prop_assert_eq!(&old, &hunk.edit.old);
                prop_assert!(hunk.kinds.iter().any(|kind| *kind != LineKind::Context));
                prop_assert!(new.len() <= hunk.edit.new.len());
                prop_assert!(hunk.line >= 1);
            }
        }
    }

    /// Whatever the patch and the file: a conflict leaves the bytes alone, hunks are applied, there already, or in the
    /// way, each once, and what is applied changes something.
    #[test]
    fn applying_never_panics_and_keeps_account(text in lines(), file in file(), partial in any::<bool>()) {
        for options in options() {
            let Ok(patch) = parse_patch(&text, &options) else { continue };
            for section in &patch.files {
                let outcome = apply_file(Some(&file), section, &Options::default(), partial);
                let counted = outcome.applied.len() + outcome.already_applied.len() + outcome.conflicts.iter().filter(|conflict| conflict.hunk.is_some()).count();
                let whole = outcome.conflicts.iter().any(|conflict| conflict.hunk.is_none());
                prop_assert!(whole || matches!(section.op, Op::Add | Op::Delete) || counted == section.hunks.len());
                match outcome.status {
                    FileStatus::Conflict => {
                        prop_assert!(!outcome.conflicts.is_empty());
                        prop_assert!(partial && !outcome.applied.is_empty() || outcome.bytes.as_deref() == Some(file.as_slice()));
                    }
                    FileStatus::AlreadyApplied => prop_assert!(outcome.bytes.as_deref() == Some(file.as_slice()) && outcome.applied.is_empty()),
                    FileStatus::Applied => {
                        let changed = outcome.bytes.as_deref() != Some(file.as_slice());
                        prop_assert!(changed || outcome.applied.is_empty() || section.op != Op::Update, "{:?}", outcome);
                    }
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        for options in options() {
            let _ = parse_patch(&text, &options);
        }
    }
}

/// Texts made of one piece over and over, each of which could make a careless reader look at everything again and again.
#[test]
fn time_grows_with_the_text() {
    let pieces = [
        "\n",
        "@@\n",
        "@@ -1,9 +1,9 @@\n\n",
        "--- a/x\n",
        "--- a/x\n+++ b/x\n",
        "diff --git a/x b/x\n",
        "<<<<<<< SEARCH\n",
        "=======\n",
        "*** Begin Patch\n",
        "*** Update File: x\n",
        " *** End Patch\n",
        "```\n",
        "-- \n",
        "-a\n",
        "\\ No newline\n",
        " \n",
        "x\n",
        "*** Begin Patch\n*** Update File: x\n-a\n*** End Patch\n",
        "x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    ];
    let heads = [
        "",
        "--- a/x\n+++ b/x\n@@ -1,9999999 +1,9999999 @@\n-a\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@\n-a\n",
        "*** Begin Patch\n*** Update File: x\n@@\n-a\n",
        "*** Begin Patch\n*** Add File: x\n+a\n",
        "x.py\n<<<<<<< SEARCH\n",
    ];
    let start = Instant::now();
    for head in heads {
        for piece in pieces {
            for tail in ["", "*** End Patch\n", ">>>>>>> REPLACE\n"] {
                let text = format!("{head}{}{tail}", piece.repeat(60_000 / piece.len()));
                let one = Instant::now();
                let _ = parse_patch(&text, &PatchOptions::default());
                assert!(one.elapsed().as_secs_f64() < 1.0, "{head:?} {piece:?} {tail:?}: {:?}", one.elapsed());
            }
        }
    }
    assert!(start.elapsed().as_secs() < 60);
}
