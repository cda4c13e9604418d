//! Where a path leads a writing, and that it leads nowhere else.

use std::fs;
use std::time::{Duration, Instant};

use crate::case::{change, commit_all, contents, modify, outcome, removal, rename, write};
use crate::tree::Node::{Dir, File, Link};
use crate::tree::{Tree, resolvers};

fn links() -> Tree {
    Tree::new(&[
        ("f", File("plain")),
        ("x", File("lexical")),
        ("b/x", File("kernel")),
        ("b/c/deep", File("deep")),
        ("a", Link("b/c")),
        ("same", Link("f")),
        ("twice", Link("same")),
        ("b/up", Link("../f")),
        ("abs", Link("{root}/b/x")),
        ("abs-dir", Link("{root}/b/")),
        ("dangling", Link("nowhere")),
        ("dangling-deep", Link("b/c/nowhere")),
        ("dangling-dir", Link("no/where")),
        ("out", Link("../secret")),
        ("out-abs", Link("{outer}/secret")),
        ("out-back", Link("../root/f")),
        ("out-dir", Link("..")),
        ("out-empty", Link("../empty")),
        ("dangling-out", Link("../planted")),
        ("dangling-out-abs", Link("{outer}/planted")),
        ("dangling-out-prefix", Link("{root}-evil")),
        ("loop", Link("loop")),
        ("proc-root", Link("/proc/self/root")),
        ("etc", Link("/etc/passwd")),
        ("../secret", File("SECRET")),
        ("../empty", Dir),
    ])
}

/// The path, what comes of it, and the real path of the file that holds the content then.
const WRITES: &[(&str, &str, &str)] = &[
    ("f", "ok", "f"),
    (".//b/./x", "ok", "b/x"),
    ("same", "ok", "f"),
    ("twice", "ok", "f"),
    ("b/up", "ok", "f"),
    ("a/deep", "ok", "b/c/deep"),
    ("a/../x", "ok", "b/x"),
    ("abs", "ok", "b/x"),
    ("abs-dir/x", "ok", "b/x"),
    ("b/c/../../f", "ok", "f"),
    ("{root}/f", "ok", "f"),
    ("new", "ok", "new"),
    ("p/q/r", "ok", "p/q/r"),
    ("b/p/./q//r", "ok", "b/p/q/r"),
    ("a/new", "ok", "b/c/new"),
    ("dangling", "ok", "nowhere"),
    ("dangling-deep", "ok", "b/c/nowhere"),
    ("dangling-dir", "ok", "no/where"),
    ("dangling/x", "ok", "nowhere/x"),
    ("out", "PathEscapesRoot", ""),
    ("out-abs", "PathEscapesRoot", ""),
    ("out-back", "PathEscapesRoot", ""),
    ("out-dir/planted", "PathEscapesRoot", ""),
    ("out-empty/planted", "PathEscapesRoot", ""),
    ("out-empty/p/q", "PathEscapesRoot", ""),
    ("dangling-out", "PathEscapesRoot", ""),
    ("dangling-out-abs", "PathEscapesRoot", ""),
    ("dangling-out-prefix", "PathEscapesRoot", ""),
    ("dangling-out/x", "PathEscapesRoot", ""),
    ("../planted", "PathEscapesRoot", ""),
    ("b/../../planted", "PathEscapesRoot", ""),
    ("{outer}/planted", "PathEscapesRoot", ""),
    ("{root}-evil/x", "PathEscapesRoot", ""),
    ("etc", "PathEscapesRoot", ""),
    ("/etc/planted", "PathEscapesRoot", ""),
    ("proc-root/tmp/planted", "PathEscapesRoot", ""),
    ("loop", "SymlinkLoop", ""),
    ("loop/x", "SymlinkLoop", ""),
    ("f/x", "NotADirectory", ""),
    ("f/", "NotADirectory", ""),
    ("b", "IsADirectory", ""),
    ("b/", "IsADirectory", ""),
    ("b/..", "IsADirectory", ""),
    (".", "IsADirectory", ""),
    ("new/", "IsADirectory", ""),
    ("nowhere/../x", "PathNotFound", ""),
    ("", "InvalidPath", ""),
    ("a\0b", "InvalidPath", ""),
];

#[test]
fn every_path_leads_where_the_kernel_would_lead_it_and_never_outside() {
    for resolver in resolvers() {
        for (path, expected, real) in WRITES {
            for how in ["write", "commit", "modify"] {
                let tree = links();
                let root = tree.open(resolver);
                let before = contents(tree.outer.path());
                let path = path.replace("{root}", tree.root.to_str().unwrap());
                let path = path.replace("{outer}", tree.root.parent().unwrap().to_str().unwrap());
                let exists = tree.root.join(real).is_file() && !real.is_empty();

                let begun = Instant::now();
                let done = match how {
                    "write" => write(&root, &path, "NEW"),
                    "modify" => modify(&root, &path, "NEW"),
                    _ => commit_all(&root, &[change(&path, "NEW")]).map(|mut all| all.remove(0)),
                };
                assert!(begun.elapsed() < Duration::from_secs(1));

                // There is nothing to be modified in a file that does not exist.
                let expected = if how == "modify" && *expected == "ok" && !exists { "PathNotFound" } else { expected };
                assert_eq!(outcome(&done), expected, "{resolver:?} {how} {path:?}");
                let after = contents(tree.outer.path());
                if let Ok(done) = done {
                    assert_eq!(done.path.to_str().unwrap(), *real, "{path}");
                    assert_eq!(done.created, !exists, "{path}");
                    let mut expected = before.clone();
                    for dir in std::path::Path::new(real).ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty())
                    {
                        expected.insert(std::path::Path::new("root").join(dir), "/".to_owned());
                    }
                    expected.insert(std::path::Path::new("root").join(real), "NEW".to_owned());
                    assert_eq!(after, expected, "{resolver:?} {how} {path:?}");
                } else {
                    assert_eq!(after, before, "{resolver:?} {how} {path:?}");
                }
            }
        }
    }
}

#[test]
fn a_missing_directory_is_made_only_when_asked() {
    for resolver in resolvers() {
        let tree = links();
        let root = tree.open(resolver);
        let options = rootle_base::WriteOptions::default();
        let context = rootle_base::Context::unlimited();
        let before = contents(&tree.root);
        let done = rootle_base::write_file(&root, "p/q".as_ref(), b"x", &options, &context);
        assert_eq!(outcome(&done), "PathNotFound");
        let done = rootle_base::commit(&root, &[change("f", "x"), change("p/q", "x")], &options, &context);
        assert_eq!(outcome(&done), "PathNotFound");
        assert_eq!(contents(&tree.root), before);
    }
}

#[test]
fn a_root_that_is_gone_is_told_and_not_made_again() {
    for resolver in resolvers() {
        let tree = links();
        let root = tree.open(resolver);
        fs::rename(&tree.root, tree.outer.path().join("gone")).unwrap();
        fs::remove_dir_all(tree.outer.path().join("gone")).unwrap();
        for path in ["f", "new", "p/q/new"] {
            assert_eq!(outcome(&write(&root, path, "x")), "RootGone", "{resolver:?} {path}");
            assert_eq!(outcome(&modify(&root, path, "x")), "RootGone", "{resolver:?} {path}");
            assert_eq!(outcome(&commit_all(&root, &[change(path, "x")])), "RootGone", "{resolver:?} {path}");
        }
        assert!(!tree.root.exists());
    }
}

#[test]
fn removing_and_renaming_stay_inside_and_leave_links_alone() {
    for resolver in resolvers() {
        for (change, expected) in [
            (removal("f"), "ok"),
            (removal("a/../x"), "ok"),
            (removal("same"), "NotARegularFile"),
            (removal("dangling"), "NotARegularFile"),
            (removal("out"), "NotARegularFile"),
            (removal("out-dir/secret"), "PathEscapesRoot"),
            (removal("../secret"), "PathEscapesRoot"),
            (removal("b"), "IsADirectory"),
            (removal("missing"), "PathNotFound"),
            (rename("f", "g", None), "ok"),
            (rename("f", "p/q/g", Some("NEW")), "ok"),
            (rename("f", "x", None), "AlreadyExists"),
            (rename("f", "same", None), "InvalidArgument"),
            (rename("f", "b", None), "AlreadyExists"),
            (rename("f", "../planted", None), "PathEscapesRoot"),
            (rename("f", "dangling-out", None), "PathEscapesRoot"),
            (rename("f", "out-dir/planted", None), "PathEscapesRoot"),
            (rename("../secret", "g", None), "PathEscapesRoot"),
            (rename("out", "g", None), "NotARegularFile"),
            (rename("missing", "g", None), "PathNotFound"),
        ] {
            let tree = links();
            let root = tree.open(resolver);
            let before = contents(tree.outer.path());
            let done = commit_all(&root, std::slice::from_ref(&change));
            assert_eq!(outcome(&done), expected, "{resolver:?} {change:?}");
            if expected == "ok" {
                assert_eq!(fs::read(tree.outer.path().join("secret")).unwrap(), b"SECRET");
                let gone = before.keys().filter(|path| !contents(tree.outer.path()).contains_key(*path)).count();
                assert_eq!(gone, 1, "{change:?}");
            } else {
                assert_eq!(contents(tree.outer.path()), before, "{resolver:?} {change:?}");
            }
        }
    }
}
