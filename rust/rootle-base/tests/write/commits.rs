//! Several files changed together.

use std::fs;
use std::path::Path;

use rootle_base::{Context, Error, Resolver, WriteOptions, commit};

use crate::case::{change, commit_all, contents, outcome, removal, rename};
use crate::tree::Node::{File, Link};
use crate::tree::{Tree, resolvers};

fn files() -> Tree {
    Tree::new(&[
        ("a", File("old a")),
        ("b", File("old b")),
        ("d/c", File("old c")),
        ("moved", File("old moved")),
        ("gone", File("old gone")),
        ("to-b", Link("b")),
    ])
}

#[test]
fn all_changes_are_made_and_told_in_order() {
    for resolver in resolvers() {
        let tree = files();
        let root = tree.open(resolver);
        let changes = [
            change("a", "new a"),
            change("to-b", "new b"),
            change("p/q/new", "made"),
            change("p/q/new2", "made too"),
            removal("gone"),
            rename("moved", "d/moved", None),
            rename("d/c", "p/c", Some("new c")),
        ];
        let done = commit_all(&root, &changes).unwrap();
        let told: Vec<_> = done.iter().map(|w| (w.path.to_str().unwrap(), w.created, w.hash.is_some())).collect();
        assert_eq!(
            told,
            [
                ("a", false, true),
                ("b", false, true),
                ("p/q/new", true, true),
                ("p/q/new2", true, true),
                ("gone", false, false),
                ("d/moved", false, true),
                ("p/c", false, true),
            ]
        );
        assert_eq!(done[5].from.as_deref(), Some(Path::new("moved")));
        assert_eq!(done[5].hash, Some(blake3::hash(b"old moved").into()));
        assert_eq!(done[6].before.as_deref(), Some(&b"old c"[..]));
        assert_eq!(done[4].before.as_deref(), Some(&b"old gone"[..]));
        let expected = [
            ("a", "new a"),
            ("b", "new b"),
            ("d", "/"),
            ("d/moved", "old moved"),
            ("p", "/"),
            ("p/c", "new c"),
            ("p/q", "/"),
            ("p/q/new", "made"),
            ("p/q/new2", "made too"),
            ("to-b", "-> b"),
        ];
        let expected = expected.into_iter().map(|(path, text)| (path.into(), text.to_owned())).collect();
        assert_eq!(contents(&tree.root), expected, "{resolver:?}");
    }
}

#[test]
fn one_bad_change_undoes_all() {
    for resolver in resolvers() {
        // The last is found out only when the others have been made: a file in the place of its directory.
        for (bad, expected) in [
            (vec![removal("missing")], "PathNotFound"),
            (vec![change("../x", "x")], "PathEscapesRoot"),
            (vec![rename("d/c", "b", None)], "AlreadyExists"),
            (vec![change("a", "twice")], "InvalidArgument"),
            (vec![change("./d/../a", "twice")], "InvalidArgument"),
            (vec![change("d", "x")], "IsADirectory"),
            (vec![change(".git/x", "x")], "ProtectedPath"),
            (vec![change("n/x", "x"), change("n", "x")], "AlreadyExists"),
        ] {
            let tree = files();
            let root = tree.open(resolver);
            let before = contents(&tree.root);
            let inode = |path: &str| root.stat(Path::new(path)).unwrap().ino;
            let inodes = [inode("a"), inode("moved"), inode("gone")];
            let good = [change("a", "new"), change("p/q/new", "x"), removal("gone"), rename("moved", "p/m", Some("x"))];
            let done = commit_all(&root, &good.into_iter().chain(bad.clone()).collect::<Vec<_>>());
            assert_eq!(outcome(&done), expected, "{resolver:?} {bad:?}");
            assert_eq!(contents(&tree.root), before, "{resolver:?} {bad:?}");
            assert_eq!([inode("a"), inode("moved"), inode("gone")], inodes);
        }
    }
}

#[test]
fn two_names_of_one_file_are_not_changed_apart() {
    let tree = files();
    fs::hard_link(tree.root.join("a"), tree.root.join("a2")).unwrap();
    let root = tree.open(Resolver::Auto);
    let before = contents(&tree.root);
    let done = commit_all(&root, &[change("b", "new"), change("a", "one"), change("a2", "two")]);
    assert_eq!(outcome(&done), "InvalidArgument");
    assert!(done.unwrap_err().to_string().contains("names of one file"));
    assert_eq!(contents(&tree.root), before);
    // One name may go, or be changed while the other goes elsewhere.
    let done = commit_all(&root, &[change("a", "one"), rename("a2", "a3", None)]).unwrap();
    assert!(done[0].hard_link_broken);
    assert_eq!(fs::read(tree.root.join("a")).unwrap(), b"one");
    assert_eq!(fs::read(tree.root.join("a3")).unwrap(), b"old a");
}

#[test]
fn without_a_place_for_journals_it_is_told() {
    let tree = files();
    let root = tree.open(Resolver::Auto);
    let options = WriteOptions { journal_dir: Some("/".into()), ..WriteOptions::default() };
    let done = commit(&root, &[change("a", "1"), change("b", "2")], &options, &Context::unlimited()).unwrap();
    assert_eq!(done[0].notices[0].code, "not_journalled");
    assert_eq!(fs::read(tree.root.join("b")).unwrap(), b"2");
}

#[test]
fn nothing_to_do_is_done() {
    let tree = files();
    let root = tree.open(Resolver::Auto);
    assert!(commit_all(&root, &[]).unwrap().is_empty());
    let before = root.stat(Path::new("a")).unwrap();
    let done = commit_all(&root, &[change("a", "old a")]).unwrap();
    assert_eq!(done[0].notices[0].code, "unchanged");
    assert_eq!(root.stat(Path::new("a")).unwrap(), before);
}

#[test]
fn many_files_of_one_directory() {
    let tree = files();
    let root = tree.open(Resolver::Auto);
    let changes: Vec<_> = (0..200).map(|n| change(&format!("many/{n}"), &n.to_string())).collect();
    assert_eq!(commit_all(&root, &changes).unwrap().len(), 200);
    let missing = change("many/0/x", "x");
    let failed = commit_all(&root, &[missing]);
    assert!(matches!(failed, Err(Error::NotADirectory { .. })), "{failed:?}");
}
