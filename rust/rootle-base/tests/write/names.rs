//! Files that take one another's names in one commit.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rootle_base::{Change, Expect, Resolver};

use crate::case::{change, commit_all, contents, outcome, removal, rename, temps};
use crate::tree::Node::File;
use crate::tree::{Tree, resolvers};

fn files() -> Tree {
    Tree::new(&[("a", File("A")), ("b", File("B")), ("c", File("C")), ("d/e", File("E"))])
}

fn create(path: &str, content: &str) -> Change {
    Change::Write { path: path.into(), content: content.into(), expect: Expect::Absent, mode: None }
}

type After = &'static [(&'static str, &'static str)];

fn cases() -> Vec<(&'static str, Vec<Change>, After)> {
    vec![
        (
            "chain",
            vec![rename("a", "b", None), rename("b", "n", None)],
            &[("b", "A"), ("c", "C"), ("d/e", "E"), ("n", "B")],
        ),
        (
            "chain, last first",
            vec![rename("b", "n", None), rename("a", "b", None)],
            &[("b", "A"), ("c", "C"), ("d/e", "E"), ("n", "B")],
        ),
        (
            "chain of three",
            vec![rename("a", "b", None), rename("b", "c", None), rename("c", "d/n", None)],
            &[("b", "A"), ("c", "B"), ("d/e", "E"), ("d/n", "C")],
        ),
        (
            "swap",
            vec![rename("a", "b", None), rename("b", "a", None)],
            &[("a", "B"), ("b", "A"), ("c", "C"), ("d/e", "E")],
        ),
        (
            "cycle",
            vec![rename("a", "b", None), rename("b", "d/e", None), rename("d/e", "a", None)],
            &[("a", "E"), ("b", "A"), ("c", "C"), ("d/e", "B")],
        ),
        (
            "cycle, edited",
            vec![rename("a", "b", Some("A2")), rename("b", "c", None), rename("c", "a", Some("C2"))],
            &[("a", "C2"), ("b", "A2"), ("c", "B"), ("d/e", "E")],
        ),
        (
            "new file in its place",
            vec![rename("a", "n", None), create("a", "new")],
            &[("a", "new"), ("b", "B"), ("c", "C"), ("d/e", "E"), ("n", "A")],
        ),
        ("over a removed one", vec![removal("b"), rename("a", "b", None)], &[("b", "A"), ("c", "C"), ("d/e", "E")]),
        (
            "removed and made",
            vec![create("a", "new"), removal("a")],
            &[("a", "new"), ("b", "B"), ("c", "C"), ("d/e", "E")],
        ),
    ]
}

fn plain(tree: &Tree) -> Vec<(String, String)> {
    let files = contents(&tree.root).into_iter().filter(|(_, content)| content != "/");
    files.map(|(path, content)| (path.to_string_lossy().into_owned(), content)).collect()
}

#[test]
fn names_change_hands() {
    for resolver in resolvers() {
        for (what, changes, after) in cases() {
            let tree = files();
            let done = commit_all(&tree.open(resolver), &changes).unwrap();
            let after: Vec<(String, String)> = after.iter().map(|(p, c)| ((*p).to_owned(), (*c).to_owned())).collect();
            assert_eq!(plain(&tree), after, "{what}");
            assert_eq!(temps(&tree.root), Vec::<String>::new(), "{what}");
            assert_eq!(done.len(), changes.len(), "{what}");
            for (change, written) in changes.iter().zip(&done) {
                let (path, from) = match change {
                    Change::Rename { from, to, .. } => (to, Some(from)),
                    other => (&other.path().to_owned(), None),
                };
                assert_eq!((&written.path, written.from.as_ref()), (path, from), "{what}");
                assert!(!written.hard_link_broken && written.notices.is_empty(), "{what}: {:?}", written.notices);
                let removed = matches!(change, Change::Remove { .. });
                let hash = fs::read(tree.root.join(path)).ok().map(|bytes| *blake3::hash(&bytes).as_bytes());
                assert_eq!(written.hash, hash.filter(|_| !removed), "{what}");
            }
        }
    }
}

#[test]
fn a_file_keeps_its_permissions_under_its_new_name() {
    let tree = files();
    for (name, mode) in [("a", 0o755), ("b", 0o600)] {
        fs::set_permissions(tree.root.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let mode = |name: &str| fs::metadata(tree.root.join(name)).unwrap().permissions().mode() & 0o7777;
    let root = tree.open(Resolver::Auto);
    commit_all(&root, &[rename("a", "b", None), rename("b", "a", None)]).unwrap();
    assert_eq!((mode("a"), mode("b")), (0o600, 0o755));
    // A new file has nothing of the one that was there.
    commit_all(&root, &[rename("a", "n", None), create("a", "new")]).unwrap();
    assert_eq!((mode("a") & 0o044 != 0, mode("n")), (true, 0o600));
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let other = Expect::Hash(*blake3::hash(b"other").as_bytes());
    let stale = Change::Rename { from: "b".into(), to: "n".into(), content: None, expect: other };
    for (changes, expected) in [
        (vec![rename("a", "b", None), stale], "StaleFile"),
        (vec![rename("a", "b", None), rename("c", "b", None), rename("b", "n", None)], "InvalidArgument"),
        (vec![rename("a", "b", None), rename("b", "n", None), change("b", "x")], "InvalidArgument"),
        (vec![rename("a", "b", None), rename("b", "c", None)], "AlreadyExists"),
        (vec![rename("a", "b", None), rename("b", "n/none", None), removal("none")], "PathNotFound"),
        (vec![rename("a", "b", None), rename("b", "a", None), create("d", "x")], "AlreadyExists"),
        (vec![rename("a", "a", None)], "InvalidArgument"),
    ] {
        let tree = files();
        let before = contents(&tree.root);
        let done = commit_all(&tree.open(Resolver::Auto), &changes);
        assert_eq!(outcome(&done), expected, "{changes:?}");
        assert_eq!(contents(&tree.root), before, "{changes:?}");
        assert_eq!(temps(&tree.root), Vec::<String>::new(), "{changes:?}");
    }
}
