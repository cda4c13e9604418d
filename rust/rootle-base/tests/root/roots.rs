//! Opening a root, its names, and what becomes of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rootle_base::{FileKind, Root};

use crate::confinement::{ESCAPE, links};
use crate::tree::Node::{Dir, File};
use crate::tree::{Tree, content, resolvers, word};

#[test]
fn absolute_paths_inside_are_accepted_by_either_name_of_the_root() {
    let tree = links();
    let alias = tree.outer.path().join("alias");
    symlink(&tree.root, &alias).unwrap();
    for resolver in resolvers() {
        let root = Root::open_with(&alias, resolver).unwrap();
        assert_eq!(root.path(), tree.root);
        assert_eq!(content(&root, tree.root.join("b/x")), "kernel x");
        assert_eq!(content(&root, alias.join("b/x")), "kernel x");
        assert_eq!(content(&root, tree.outer.path().join("secret")), ESCAPE);
        assert_eq!(root.stat(&alias).unwrap().kind, FileKind::Dir);
    }
}

#[test]
fn a_deleted_root_is_gone_and_nothing_else_is_looked_at_instead() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("f", File("old")), ("b", Dir)]);
        let root = tree.open(resolver);
        fs::remove_dir_all(&tree.root).unwrap();
        // A new directory of the same name is another directory.
        fs::create_dir(&tree.root).unwrap();
        fs::write(tree.root.join("f"), "new").unwrap();
        for path in ["f", ".", "b", "b/.."] {
            let path = Path::new(path);
            for error in [
                root.open_file(path).map(drop).unwrap_err(),
                root.stat(path).map(drop).unwrap_err(),
                root.stat_if_exists(path).map(drop).unwrap_err(),
                root.open_dir(path).map(drop).unwrap_err(),
            ] {
                let expected = if path == Path::new(".") { &["RootGone", "IsADirectory"][..] } else { &["RootGone"] };
                assert!(expected.contains(&word(&error).as_str()), "{resolver:?} {path:?} {error:?}");
            }
        }
    }
}

#[test]
fn a_nested_root_ends_at_itself() {
    let tree = links();
    for resolver in resolvers() {
        let inner = Root::open_with(&tree.root.join("b"), resolver).unwrap();
        assert_eq!(content(&inner, "x"), "kernel x");
        for path in ["../x", "up", "c/../../x"] {
            assert_eq!(content(&inner, path), ESCAPE, "{resolver:?} {path}");
        }
        assert_eq!(content(&inner, tree.root.join("x")), ESCAPE);
    }
}

#[test]
fn what_cannot_be_a_root_is_refused() {
    let tree = links();
    for (path, expected) in [
        (tree.root.join("f"), "NotADirectory"),
        (tree.root.join("none"), "PathNotFound"),
        (tree.root.join("loop"), "SymlinkLoop"),
        ("".into(), "InvalidPath"),
        ("a\0".into(), "InvalidPath"),
    ] {
        assert_eq!(word(&Root::open(&path).unwrap_err()), expected, "{path:?}");
    }
}
