//! What belongs to git is not written, however it is spelled and reached.

use std::path::Path;

use rootle_base::{Context, Resolver, WriteOptions, write_file};

use crate::case::{change, commit_all, contents, modify, outcome, removal, rename, write};
use crate::tree::Node::{Dir, File, Link};
use crate::tree::{Tree, resolvers};

fn repository() -> Tree {
    Tree::new(&[
        (".git/config", File("[core]")),
        (".git/hooks", Dir),
        ("f", File("f")),
        ("hooks", Link(".git/hooks")),
        ("config", Link(".git/config")),
        ("far", Link("near")),
        ("near", Link(".git")),
        ("linked/.git", Link("../real-git")),
        ("real-git/config", File("[core]")),
        ("worktree/.git", File("gitdir: ../.git/worktrees/w")),
    ])
}

const REFUSED: &[&str] = &[
    ".git/config",
    ".git/hooks/post-checkout",
    ".git/modules/m/hooks/x",
    ".git/not/yet/there",
    ".git",
    "sub/.git",
    "sub/.git/config",
    "worktree/.git",
    ".GIT/hooks/pre-commit",
    ".Git/config",
    ".gi\u{307}t/config",
    ".g\u{200d}it/config",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".git::$INDEX_ALLOCATION/config",
    "hooks/pre-commit",
    "config",
    "far/config",
    "far/new",
    "linked/.git/config",
    "./f/../.git/config",
];

const ALLOWED: &[&str] =
    &[".gitignore", ".GITIGNORE", ".gitattributes", ".github/workflows/ci.yml", "git/x", "x.git/y"];

#[test]
fn internals_of_git_are_refused() {
    for resolver in resolvers() {
        let tree = repository();
        let root = tree.open(resolver);
        let before = contents(&tree.root);
        for path in REFUSED {
            // `f/..` does not exist: a file has no parent to go back to.
            let expected = if path.contains("f/..") { "NotADirectory" } else { "ProtectedPath" };
            let all = [
                outcome(&write(&root, path, "x")),
                outcome(&modify(&root, path, "x")),
                outcome(&commit_all(&root, &[change("f", "x"), change(path, "x")])),
                outcome(&commit_all(&root, &[rename("f", path, None)])),
            ];
            assert_eq!(all, [expected; 4], "{resolver:?} {path:?}");
        }
        for path in [".git/config", ".git", "far/config"] {
            assert_eq!(outcome(&commit_all(&root, &[removal(path)])), "ProtectedPath", "{path}");
        }
        assert_eq!(contents(&tree.root), before);
    }
}

#[test]
fn names_like_git_are_not() {
    let tree = repository();
    let root = tree.open(Resolver::Auto);
    for path in ALLOWED {
        assert_eq!(outcome(&write(&root, path, "x")), "ok", "{path}");
    }
}

#[test]
fn the_caller_may_allow_them() {
    let tree = repository();
    let root = tree.open(Resolver::Auto);
    let options = WriteOptions { allow_git_internals: true, ..WriteOptions::default() };
    let done = write_file(&root, Path::new("config"), b"[user]", &options, &Context::unlimited()).unwrap();
    assert_eq!(done.path, Path::new(".git/config"));
}
