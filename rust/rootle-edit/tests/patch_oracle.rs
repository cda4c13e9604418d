//! Against `diff`, `git diff`, `git apply` and `patch`: what they make is applied byte for byte as they do, and what
//! rootle makes they apply.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rootle_edit::{FileStatus, Op, Options, PatchOptions, apply_file, parse_patch, unified_diff};

type Tree = BTreeMap<String, Vec<u8>>;

fn line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "",
        " ",
        "a",
        "b",
        "c",
        "}",
        "    return None",
        "\tb",
        "a\r",
        "-- a",
        "++ b",
        "- a",
        "+ b",
        "\\ No newline at end of file",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x",
        "*** End Patch",
        "<<<<<<< SEARCH",
        "=======",
        "```",
        "-- ",
        "2.39.1",
        "é ü",
        "x\u{2028}y",
    ]);
    prop_oneof![6 => words.prop_map(str::to_owned), 1 => "[a-z]{1,3}( [a-z0-9]{1,5}){0,3}"]
}

/// A text and one made from it by a few changes. Few different lines, so that much is alike.
fn pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let alphabet = prop::collection::vec(line(), 1..12);
    let picks = || prop::collection::vec(any::<prop::sample::Index>(), 0..40);
    let changes =
        prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, any::<prop::sample::Index>(), 0..4usize), 1..5);
    (alphabet, picks(), changes, any::<(bool, bool)>()).prop_map(|(alphabet, picks, changes, ended)| {
        let old: Vec<String> = picks.iter().map(|pick| pick.get(&alphabet).clone()).collect();
        let mut new = old.clone();
        for (place, gone, what, more) in changes {
            let at = place.index(new.len() + 1);
            let end = (at + gone).min(new.len());
            new.splice(at..end, std::iter::repeat_n(what.get(&alphabet).clone(), more));
        }
        let text = |lines: &[String], ended: bool| {
            let text = lines.join("\n");
            if ended && !lines.is_empty() { text + "\n" } else { text }
        };
        (text(&old, ended.0).into_bytes(), text(&new, ended.1).into_bytes())
    })
}

fn pairs(count: usize, seed: u8) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    (0..count).map(|_| pair().new_tree(&mut runner).unwrap().current()).collect()
}

/// A folder of its own with the trees `a` and `b`.
fn folder(name: &str, trees: &[(&str, &Tree)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("oracle-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    for (side, tree) in trees {
        fs::create_dir_all(folder.join(side)).unwrap();
        for (path, bytes) in *tree {
            fs::write(folder.join(side).join(path), bytes).unwrap();
        }
    }
    folder
}

fn read(folder: &Path) -> Tree {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("LC_ALL", "C").env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
    command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    command.output().ok()
}

/// The two trees of the pairs; some files are in one of them only.
fn trees(pairs: &[(Vec<u8>, Vec<u8>)]) -> (Tree, Tree) {
    let (mut old, mut new) = (Tree::new(), Tree::new());
    for (number, (a, b)) in pairs.iter().enumerate() {
        let name = format!("f{number:03}");
        if number % 10 != 3 || b.is_empty() {
            old.insert(name.clone(), a.clone());
        }
        if number % 10 != 7 || a.is_empty() {
            new.insert(name, b.clone());
        }
    }
    (old, new)
}

/// The tree after rootle has applied the patch.
fn applied(old: &Tree, patch: &str) -> Tree {
    let mut tree = old.clone();
    let parsed = parse_patch(patch, &PatchOptions::default()).unwrap_or_else(|error| panic!("{error}\n{patch}"));
    for file in &parsed.files {
        let outcome = apply_file(old.get(&file.path).map(Vec::as_slice), file, &Options::default(), false);
        assert_eq!(outcome.status, FileStatus::Applied, "{} {:?}\n{:?}", file.path, outcome.conflicts, file.hunks);
        match (outcome.bytes, &file.new_path) {
            (Some(bytes), Some(to)) => {
                tree.remove(&file.path);
                tree.insert(to.clone(), bytes)
            }
            (Some(bytes), None) => tree.insert(file.path.clone(), bytes),
            (None, _) => tree.remove(&file.path),
        };
        assert_eq!(matches!(file.op, Op::Delete | Op::Rename), !tree.contains_key(&file.path));
    }
    tree
}

fn assert_same(found: &Tree, expected: &Tree, patch: &str, by: &str) {
    for name in found.keys().chain(expected.keys()) {
        let text = |tree: &Tree| tree.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        if text(found) != text(expected) {
            fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("failed.patch"), patch).unwrap();
        }
        assert_eq!(text(found), text(expected), "{name} by {by}, see failed.patch");
    }
}

#[test]
fn diffs_of_the_tools_are_applied_byte_for_byte() {
    let diffs: [&[&str]; 7] = [
        &["git", "diff", "--no-index", "a", "b"],
        &["git", "diff", "--no-index", "-U0", "a", "b"],
        &["git", "diff", "--no-index", "-U1", "--patience", "a", "b"],
        &["git", "diff", "--no-index", "--no-prefix", "-U9", "a", "b"],
        &["diff", "-ruN", "a", "b"],
        &["diff", "-rN", "-U1", "a", "b"],
        &["diff", "-rN", "-U0", "a", "b"],
    ];
    for (seed, command) in diffs.iter().enumerate() {
        let mut all = pairs(150, u8::try_from(seed).unwrap());
        if command.contains(&"-U0") {
            // Without context, lines that are added end as the ones around them do.
            all.retain(|(a, b)| !a.contains(&b'\r') && !b.contains(&b'\r'));
        }
        let (old, new) = trees(&all);
        let folder = folder(&format!("theirs-{seed}"), &[("a", &old), ("b", &new)]);
        let Some(output) = run(&folder, command[0], &command[1..]) else { continue };
        let mut patch = String::from_utf8(output.stdout).unwrap();
        // The trees are named `a` and `b`, and git's prefixes come on top of that.
        patch = patch.replace("a/a/", "a/").replace("a/b/", "a/").replace("b/b/", "b/").replace("b/a/", "b/");
        patch = patch.replace("rename from a/", "rename from ").replace("rename to b/", "rename to ");
        assert!(patch.len() > 1000, "{}", String::from_utf8_lossy(&output.stderr));
        let mut expected = new.clone();
        if command[0] == "diff" {
            // `diff` does not tell an empty file from one that is not there.
            for (name, bytes) in &new {
                if bytes.is_empty() && !old.contains_key(name) {
                    expected.remove(name);
                }
            }
            for (name, bytes) in &old {
                if bytes.is_empty() && !new.contains_key(name) {
                    expected.insert(name.clone(), Vec::new());
                }
            }
        }
        let mut found = applied(&old, &patch);
        if command[0] == "diff" {
            found.retain(|name, bytes| !bytes.is_empty() || expected.contains_key(name));
            expected.retain(|name, bytes| !bytes.is_empty() || found.contains_key(name));
        }
        assert_same(&found, &expected, &patch, &command.join(" "));
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn our_diffs_are_applied_by_the_tools_and_by_us() {
    for context in [0, 1, 3] {
        let all = pairs(200, 100 + u8::try_from(context).unwrap());
        let (mut old, mut new) = (Tree::new(), Tree::new());
        let mut patch = String::new();
        for (number, (a, b)) in all.iter().enumerate() {
            // GNU patch deletes a file that becomes empty, and takes an empty one for absent.
            if a.is_empty() || b.is_empty() || context == 0 && (a.contains(&b'\r') || b.contains(&b'\r')) {
                continue;
            }
            let name = format!("f{number:03}");
            patch += &unified_diff(a, b, &name, context, usize::MAX);
            old.insert(name.clone(), a.clone());
            new.insert(name, b.clone());
        }
        assert_same(&applied(&old, &patch), &new, &patch, "us");
        let tools: [(&str, &[&str]); 2] = [
            ("patch", &["-p1", "--binary", "-s", "-f", "-i", "../p"]),
            ("git", &["apply", "--whitespace=nowarn", "../p"]),
        ];
        for (tool, arguments) in tools {
            if context == 0 {
                // Both guess at the file's end where hunks have no context.
                continue;
            }
            let folder = folder(&format!("ours-{tool}-{context}"), &[("t", &old)]);
            fs::write(folder.join("p"), &patch).unwrap();
            let Some(output) = run(&folder.join("t"), tool, arguments) else { continue };
            assert!(
                output.status.success(),
                "{tool}: {}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert_same(&read(&folder.join("t")), &new, &patch, tool);
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

/// How often lines stand in a text, carriage returns aside.
fn copies(text: &[u8], lines: &str) -> usize {
    let text = String::from_utf8_lossy(text).replace('\r', "");
    let (text, lines) = (format!("\n{text}\n"), format!("\n{}\n", lines.replace('\r', "").trim_end_matches('\n')));
    (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(lines.as_bytes())).count()
}

/// Headers that lie about counts, and hunks in another order: the same result or a refusal, never another result.
#[test]
fn spoilt_diffs_are_right_or_refused() {
    let (mut right, mut refused, mut stale, mut wrong) = (0, 0, 0, Vec::new());
    for (number, (a, b)) in pairs(2000, 50).into_iter().enumerate() {
        let diff = unified_diff(&a, &b, "x", 3, usize::MAX);
        if diff.is_empty() {
            continue;
        }
        let mut lines: Vec<String> = diff.split_inclusive('\n').map(str::to_owned).collect();
        for line in &mut lines[2..] {
            if let Some(rest) = line.strip_prefix("@@ -") {
                let numbers: Vec<&str> = rest.split([' ', ',', '+']).filter(|word| !word.is_empty()).collect();
                let start = numbers[0];
                match number % 4 {
                    0 => *line = format!("@@ -{start},1 +{start},1 @@\n"),
                    1 => *line = format!("@@ -{start},99 +{start},77 @@\n"),
                    2 => *line = "@@ ... @@\n".to_owned(),
                    _ => *line = format!("@@ -{},3 +{start},3 @@\n", start.parse::<usize>().unwrap() + 2),
                }
            } else if number % 3 == 0 && line == " \n" {
                *line = "\n".to_owned();
            }
        }
        let text = lines.concat();
        let Ok(patch) = parse_patch(&text, &PatchOptions::default()) else {
            refused += 1;
            continue;
        };
        let outcome = apply_file(Some(&a), &patch.files[0], &Options::default(), false);
        match outcome.status {
            FileStatus::Applied if outcome.bytes.as_deref() == Some(&b) => right += 1,
            FileStatus::Conflict => {
                assert_eq!(outcome.bytes.as_deref(), Some(a.as_slice()));
                refused += 1;
            }
            // A stale line that happens to be that of another copy cannot be told from a right one.
            _ if number % 4 == 3 && patch.files[0].hunks.iter().any(|hunk| copies(&a, &hunk.edit.old) > 1) => {
                stale += 1;
            }
            status => wrong.push(format!(
                "{number} {status:?}\n{text}--- before\n{}\n--- wanted\n{}\n--- found\n{}",
                String::from_utf8_lossy(&a),
                String::from_utf8_lossy(&b),
                String::from_utf8_lossy(&outcome.bytes.unwrap_or_default())
            )),
        }
    }
    assert!(wrong.is_empty(), "{} wrong, the first:\n{}", wrong.len(), wrong.join("\n=================\n"));
    assert!(right > 1500 && stale < 5, "{right} right, {refused} refused, {stale} with a stale line");
}
