//! Ignore rules against git itself.
#![allow(missing_docs)]

mod tree;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use tree::{Run, grow};

/// What git takes for part of the work tree.
fn git_files(dir: &Path) -> BTreeSet<String> {
    let output = git(dir).args(["ls-files", "-coz", "--exclude-standard"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

fn git(dir: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env_remove("GIT_DIR").env("HOME", dir).env("XDG_CONFIG_HOME", dir);
    git
}

fn repository(entries: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    assert!(git(dir.path()).args(["init", "-q", "--template=", "."]).status().unwrap().success());
    grow(dir.path(), entries);
    dir
}

fn walked(dir: &Path, threads: usize) -> BTreeSet<String> {
    let mut run = Run::new(dir);
    run.options.hidden = true;
    run.options.threads = threads;
    run.files().into_iter().collect()
}

#[test]
fn the_same_files_as_git() {
    for (what, entries) in [
        ("plain", &[(".gitignore", "*.o\nbuild/\n"), ("a.o", ""), ("a.c", ""), ("build/x", ""), ("b/build", "")][..]),
        ("negation", &[(".gitignore", "*.o\n!keep.o\n"), ("a.o", ""), ("keep.o", ""), ("d/keep.o", "")]),
        ("an excluded parent", &[(".gitignore", "d/\n!d/keep\n"), ("d/keep", ""), ("e/keep", "")]),
        ("all but one", &[(".gitignore", "/*\n!/a\n/a/*\n!/a/b\n"), ("a/b/c", ""), ("a/d", ""), ("e", "")]),
        ("anchored", &[(".gitignore", "/a\nb/c\n"), ("a", ""), ("d/a", ""), ("b/c", ""), ("d/b/c", "")]),
        (
            "nested",
            &[
                (".gitignore", "*.x\n"),
                ("d/.gitignore", "!*.x\n/e\n"),
                ("a.x", ""),
                ("d/a.x", ""),
                ("d/e", ""),
                ("d/f/e", ""),
            ],
        ),
        (
            "nested deeper",
            &[
                (".gitignore", "a\n"),
                ("d/.gitignore", "!a\n"),
                ("d/e/.gitignore", "a\n"),
                ("a", ""),
                ("d/a", ""),
                ("d/e/a", ""),
            ],
        ),
        (
            "two stars",
            &[
                (".gitignore", "**/x\na/**\nb/**/c\n"),
                ("x", ""),
                ("q/x", ""),
                ("a/y/z", ""),
                ("b/c", ""),
                ("b/q/c", ""),
                ("b/d", ""),
            ],
        ),
        (
            "classes",
            &[
                (".gitignore", "*.py[co]\n[ab]1\n[!c]2\n"),
                ("a.pyc", ""),
                ("a.py", ""),
                ("a1", ""),
                ("c1", ""),
                ("a2", ""),
                ("c2", ""),
            ],
        ),
        ("escapes", &[(".gitignore", "\\!a\n\\#b\nc\\*\n"), ("!a", ""), ("#b", ""), ("c*", ""), ("cd", "")]),
        ("comments and spaces", &[(".gitignore", "# a\n\na  \nb\\ \n"), ("a", ""), ("b ", ""), ("b", "")]),
        ("carriage returns", &[(".gitignore", "a\r\nb/\r\n"), ("a", ""), ("b/c", ""), ("d", "")]),
        ("a byte order mark", &[(".gitignore", "\u{feff}a\n"), ("a", ""), ("b", "")]),
        ("no newline at the end", &[(".gitignore", "a"), ("a", ""), ("b", "")]),
        ("hidden", &[(".gitignore", ".*\n!.keep\n"), (".a/b", ""), (".keep", ""), ("c", "")]),
        ("exclude", &[(".git/info/exclude", "a\n/d/b\n"), ("a", ""), ("d/b", ""), ("b", ""), ("d/a", "")]),
        ("gitignore over exclude", &[(".git/info/exclude", "a\n"), (".gitignore", "!a\n"), ("a", "")]),
        ("directory only", &[(".gitignore", "x/\n"), ("x", ""), ("d/x/y", "")]),
        ("question mark", &[(".gitignore", "a?c\n"), ("abc", ""), ("ac", ""), ("d/axc", "")]),
        ("like a directory's name", &[("a/.gitignore", "a/b\n"), ("a/a/b", ""), ("a/b", "")]),
    ] {
        let dir = repository(entries);
        for threads in [1, 4] {
            assert_eq!(walked(dir.path(), threads), git_files(dir.path()), "{what}");
        }
    }
}

/// A line of an ignore file of which git and ripgrep think the same. They differ, among others, in braces.
fn line() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ab]",
        2 => Just("*".to_owned()),
        1 => Just("?".to_owned()),
        1 => Just(".x".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("[!a]".to_owned()),
        1 => Just("\\a".to_owned()),
    ];
    let name = prop::collection::vec(part, 1..3).prop_map(|parts| parts.concat().replace("**", "*"));
    let name = prop_oneof![8 => name, 1 => Just("**".to_owned())];
    (any::<bool>(), any::<bool>(), prop::collection::vec(name, 1..4), any::<bool>()).prop_map(
        |(negated, anchored, names, dir)| {
            let (not, root, slash) =
                (["", "!"][usize::from(negated)], ["", "/"][usize::from(anchored)], ["", "/"][usize::from(dir)]);
            format!("{not}{root}{}{slash}", names.join("/"))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_rules_mean_what_they_mean_to_git(
        top in prop::collection::vec(line(), 0..6),
        nested in prop::collection::vec(line(), 0..4),
        deeper in prop::collection::vec(line(), 0..3),
        exclude in prop::collection::vec(line(), 0..3),
        paths in prop::collection::vec("(a|b|ab|\\.x)(/(a|b|ba|a\\.x)){0,3}", 1..30),
    ) {
        let dir = repository(&[]);
        for (at, lines) in [(".git/info/exclude", exclude), (".gitignore", top), ("a/.gitignore", nested), ("a/b/.gitignore", deeper)] {
            let path = dir.path().join(at);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, lines.join("\n")).unwrap();
        }
        for path in paths {
            // Where a name is a file and a directory, what came first stays.
            let full = dir.path().join(path);
            if std::fs::create_dir_all(full.parent().unwrap()).is_ok() && !full.exists() {
                std::fs::write(full, "").unwrap();
            }
        }
        prop_assert_eq!(walked(dir.path(), 1), git_files(dir.path()));
    }
}
