//! What every path means beneath a root, the same for each resolver.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tree::Node::{File, Link};
use crate::tree::{Tree, content, resolvers, word};
use rootle_base::{Error, FileKind, Resolver};

pub const ESCAPE: &str = "PathEscapesRoot";

pub fn links() -> Tree {
    Tree::new(&[
        ("f", File("plain")),
        ("x", File("lexical x")),
        ("b/x", File("kernel x")),
        ("b/c/deep", File("deep")),
        ("a", Link("b/c")),
        ("same", Link("f")),
        ("b/up", Link("../f")),
        ("slash", Link("b/c/")),
        ("dot", Link("./b/./c/.")),
        ("abs", Link("{root}/b/x")),
        ("abs-dir", Link("{root}/b/")),
        ("abs-odd", Link("{root}//./b/../f")),
        ("abs-root", Link("{root}")),
        ("chain-abs", Link("abs-dir/up")),
        ("b/c/home", Link("{root}")),
        ("out", Link("../secret")),
        ("out-abs", Link("{outer}/secret")),
        ("out-back", Link("../root/f")),
        ("out-abs-climb", Link("{root}/../secret")),
        ("out-prefix", Link("{root}-evil/secret")),
        ("b/out", Link("../../secret")),
        ("etc", Link("/etc/passwd")),
        ("d", Link("..")),
        ("dangling", Link("nowhere")),
        ("dangling-out", Link("../planted")),
        ("dangling-out-abs", Link("{outer}/planted")),
        ("loop", Link("loop")),
        ("ping", Link("pong")),
        ("pong", Link("ping")),
        ("proc-root", Link("/proc/self/root")),
        ("proc-cwd", Link("/proc/self/cwd")),
        ("../secret", File("SECRET")),
        ("../root-evil/secret", File("SECRET")),
    ])
}

#[test]
fn every_path_means_the_same_to_every_resolver() {
    let tree = links();
    for resolver in resolvers() {
        let root = tree.open(resolver);
        for (path, expected) in [
            ("f", "plain"),
            ("./f", "plain"),
            (".//b/./x", "kernel x"),
            ("b/../f", "plain"),
            ("b/c/../../f", "plain"),
            ("same", "plain"),
            ("b/up", "plain"),
            ("a/deep", "deep"),
            ("a/../x", "kernel x"),
            ("a/../c/deep", "deep"),
            ("slash/deep", "deep"),
            ("dot/../x", "kernel x"),
            ("abs", "kernel x"),
            ("abs-dir/x", "kernel x"),
            ("abs-dir/../f", "plain"),
            ("abs-odd", "plain"),
            ("abs-root/b/x", "kernel x"),
            ("chain-abs", "plain"),
            ("b/c/home/f", "plain"),
            ("b/c/home/b/../f", "plain"),
            // Outside, however it is written and whether or not something is there.
            ("..", ESCAPE),
            ("../", ESCAPE),
            ("../secret", ESCAPE),
            ("../root/f", ESCAPE),
            ("b/../../secret", ESCAPE),
            ("b/../../", ESCAPE),
            ("a/../../../secret", ESCAPE),
            ("abs-dir/../../secret", ESCAPE),
            ("b/c/home/..", ESCAPE),
            ("b/c/home/../secret", ESCAPE),
            ("/etc/passwd", ESCAPE),
            ("/proc/self/root/etc/passwd", ESCAPE),
            ("out", ESCAPE),
            ("out-abs", ESCAPE),
            ("out-back", ESCAPE),
            ("out-abs-climb", ESCAPE),
            ("out-prefix", ESCAPE),
            ("b/out", ESCAPE),
            ("etc", ESCAPE),
            ("d", ESCAPE),
            ("d/secret", ESCAPE),
            ("d/missing", ESCAPE),
            ("dangling-out", ESCAPE),
            ("dangling-out-abs", ESCAPE),
            ("proc-root", ESCAPE),
            ("proc-root/etc/passwd", ESCAPE),
            ("proc-cwd", ESCAPE),
            // Other errors.
            ("dangling", "PathNotFound"),
            ("missing", "PathNotFound"),
            ("missing/../f", "PathNotFound"),
            ("f/x", "NotADirectory"),
            ("f/", "NotADirectory"),
            ("f/.", "NotADirectory"),
            ("f/..", "NotADirectory"),
            ("same/", "NotADirectory"),
            ("b", "IsADirectory"),
            ("b/", "IsADirectory"),
            (".", "IsADirectory"),
            ("b/..", "IsADirectory"),
            ("abs-root", "IsADirectory"),
            ("loop", "SymlinkLoop"),
            ("loop/x", "SymlinkLoop"),
            ("ping", "SymlinkLoop"),
            ("", "InvalidPath"),
            ("a\0b", "InvalidPath"),
        ] {
            let start = Instant::now();
            assert_eq!(content(&root, path), expected, "{resolver:?} {path}");
            assert!(start.elapsed() < Duration::from_millis(100), "{resolver:?} {path}");
        }
    }
}

#[test]
fn an_escape_discloses_nothing_to_any_method() {
    let tree = links();
    for resolver in resolvers() {
        let root = tree.open(resolver);
        for path in ["out", "out-abs", "d", "d/secret", "d/missing", "dangling-out", "b/../../secret", "proc-root/etc"]
        {
            let path = Path::new(path);
            let mut errors = vec![
                root.stat(path).map(drop).unwrap_err(),
                root.stat_if_exists(path).map(drop).unwrap_err(),
                root.open_file(path).map(drop).unwrap_err(),
                root.open_file_if_exists(path).map(drop).unwrap_err(),
                root.open_dir(path).map(drop).unwrap_err(),
                root.real_path(path).map(drop).unwrap_err(),
            ];
            // The link itself lies inside; what is beyond it does not.
            if path.components().count() > 1 {
                errors.push(root.stat_link(path).map(drop).unwrap_err());
                errors.push(root.read_link(path).map(drop).unwrap_err());
            }
            for error in errors {
                let expected = format!("{:?} is outside the root", path.to_str().unwrap());
                assert_eq!((word(&error).as_str(), error.to_string()), (ESCAPE, expected), "{resolver:?}");
            }
        }
    }
}

#[test]
fn forty_links_are_followed_and_forty_one_are_not() {
    let tree = Tree::new(&[("l0", File("end"))]);
    for i in 1..=41 {
        symlink(format!("l{}", i - 1), tree.root.join(format!("l{i}"))).unwrap();
        let absolute = if i == 1 { "l0".into() } else { format!("a{}", i - 1) };
        symlink(tree.root.join(absolute), tree.root.join(format!("a{i}"))).unwrap();
    }
    for resolver in resolvers() {
        let root = tree.open(resolver);
        for name in ["l", "a"] {
            assert_eq!(content(&root, format!("{name}40")), "end", "{resolver:?}");
            assert_eq!(content(&root, format!("{name}41")), "SymlinkLoop", "{resolver:?}");
        }
    }
}

#[test]
fn links_are_shown_as_links_and_resolved_to_real_paths() {
    let tree = links();
    for resolver in resolvers() {
        let root = tree.open(resolver);
        for (path, target, real) in [
            ("same", "f", "f"),
            ("a", "b/c", "b/c"),
            ("b/up", "../f", "f"),
            ("abs-root/same", "f", "f"),
            ("a/../up", "../f", "f"),
            ("b/c/home/b/up", "../f", "f"),
        ] {
            assert_eq!(root.stat_link(Path::new(path)).unwrap().kind, FileKind::Symlink, "{resolver:?} {path}");
            assert_eq!(root.read_link(Path::new(path)).unwrap(), Path::new(target), "{resolver:?} {path}");
            assert_eq!(root.real_path(Path::new(path)).unwrap(), Path::new(real), "{resolver:?} {path}");
        }
        for (path, real) in [(".", "."), ("b/..", "."), ("abs-root", "."), ("b/c/", "b/c"), ("a/..", "b")] {
            assert_eq!(root.real_path(Path::new(path)).unwrap(), Path::new(real), "{resolver:?} {path}");
        }
        // A closing slash means what the link leads to.
        assert_eq!(root.stat_link(Path::new("a/")).unwrap().kind, FileKind::Dir);
        assert_eq!(root.stat_link(Path::new("dangling-out")).unwrap().kind, FileKind::Symlink);
        assert_eq!(word(&root.read_link(Path::new("f")).unwrap_err()), "InvalidPath");
        assert_eq!(word(&root.read_link(Path::new(".")).unwrap_err()), "InvalidPath");
        assert_eq!(word(&root.read_link(Path::new("missing")).unwrap_err()), "PathNotFound");
        assert!(root.stat_if_exists(Path::new("missing/x")).unwrap().is_none());
        assert!(root.open_file_if_exists(Path::new("f/x")).unwrap().is_none());
        assert!(root.open_file_if_exists(Path::new("f")).unwrap().is_some());
    }
}

#[test]
fn a_missing_path_says_what_may_have_been_meant() {
    let tree = links();
    for resolver in resolvers() {
        match tree.open(resolver).open_file(Path::new("b/c/dep")) {
            Err(Error::PathNotFound { path, suggestions }) => {
                assert_eq!((path.as_str(), suggestions), ("b/c/dep", vec!["b/c/deep".to_owned()]));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn names_that_are_not_text_work() {
    let tree = Tree::new(&[]);
    let name = OsStr::from_bytes(b"bad\xff");
    fs::write(tree.root.join(name), "bytes").unwrap();
    symlink(name, tree.root.join("to-bytes")).unwrap();
    for resolver in resolvers() {
        let root = tree.open(resolver);
        assert_eq!(content(&root, name), "bytes");
        assert_eq!(content(&root, "to-bytes"), "bytes");
        assert_eq!(root.real_path(Path::new("to-bytes")).unwrap(), Path::new(name));
        assert_eq!(content(&root, OsStr::from_bytes(b"bad\xfe")), "PathNotFound");
        assert_eq!(content(&root, "n".repeat(300)), "InvalidPath");
        assert_eq!(content(&root, "a/".repeat(2500)), "InvalidPath");
    }
}

#[test]
fn a_path_deeper_than_the_kept_descriptors_goes_back_rightly() {
    let tree = Tree::new(&[]);
    let deep = "d/".repeat(150);
    fs::create_dir_all(tree.root.join(&deep)).unwrap();
    fs::write(tree.root.join("f"), "top").unwrap();
    fs::write(tree.root.join("d/d/f"), "second").unwrap();
    let root = tree.open(Resolver::Components);
    assert_eq!(content(&root, format!("{deep}{}f", "../".repeat(150))), "top");
    assert_eq!(content(&root, format!("{deep}{}f", "../".repeat(148))), "second");
    assert_eq!(content(&root, format!("{deep}{}f", "../".repeat(151))), ESCAPE);
}
