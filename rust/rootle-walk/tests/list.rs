//! Listings of directories.
#![allow(missing_docs)]

mod tree;

use std::path::Path;

use rootle_base::{Context, Error, FileKind, Result, Root};
use rootle_walk::{Filter, ListRequest, Listing, WalkOptions, list_dir};
use tree::{options, tree};

fn list(dir: &Path, path: &str, depth: usize, max_entries: usize, options: &WalkOptions) -> Result<Listing> {
    let root = Root::open(dir).unwrap();
    let request = ListRequest { depth, max_entries, options, filter: &Filter::all() };
    list_dir(&root, Path::new(path), &request, &Context::unlimited())
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.entries.iter().map(|entry| std::str::from_utf8(&entry.path).unwrap()).collect()
}

#[test]
fn levels_and_cuts() {
    let dir = tree(&[
        (".gitignore", "*.o\n"),
        ("a/b/c", ""),
        ("a/d", "12"),
        ("a/x.o", ""),
        (".h", ""),
        ("e/f", ""),
        ("g", ""),
    ]);
    for (path, depth, max, expected, cut) in [
        (".", 1, 99, &["a", "e", "g"][..], false),
        (".", 2, 99, &["a", "a/b", "a/d", "e", "e/f", "g"], false),
        (".", 9, 99, &["a", "a/b", "a/b/c", "a/d", "e", "e/f", "g"], false),
        (".", 9, 5, &["a", "a/b", "a/d", "e", "g"], true),
        (".", 9, 3, &["a", "e", "g"], true),
        (".", 9, 2, &["a", "e"], true),
        ("a", 1, 99, &["a/b", "a/d"], false),
        ("a/", 2, 99, &["a/b", "a/b/c", "a/d"], false),
    ] {
        let listing = list(dir.path(), path, depth, max, &options()).unwrap();
        assert_eq!(paths(&listing), expected, "{path} {depth} {max}");
        assert_eq!(listing.cut, cut, "{path} {depth} {max}");
    }
    let listing = list(dir.path(), ".", 2, 4, &options()).unwrap();
    let counts: Vec<_> =
        listing.counts.iter().map(|dir| (&dir.path[..], dir.ignored, dir.hidden, dir.not_shown)).collect();
    assert_eq!(counts, [(&b""[..], 0, 2, 0), (b"a", 1, 0, 1)]);
    let listed: Vec<bool> = listing.entries.iter().map(|entry| entry.listed).collect();
    assert_eq!((paths(&listing), listed), (vec!["a", "a/b", "e", "g"], vec![true, false, false, false]));
}

#[test]
fn what_is_told_of_entries() {
    let dir = tree(&[
        ("f", "12345"),
        ("l", "-> f"),
        ("gone", "-> nowhere"),
        ("out", "-> /etc/passwd"),
        ("loop", "-> loop"),
        ("d/", ""),
    ]);
    rustix::fs::mknodat(rustix::fs::CWD, dir.path().join("p"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let listing = list(dir.path(), ".", 1, 99, &options()).unwrap();
    let told: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| {
            (
                entry.kind,
                entry.link_target.as_deref().map(|text| String::from_utf8_lossy(text).into_owned()),
                entry.broken,
            )
        })
        .collect();
    let link = |target: &str, broken| (FileKind::Symlink, Some(target.to_owned()), broken);

    assert_eq!(paths(&listing), ["d", "f", "gone", "l", "loop", "out", "p"]);
    assert_eq!(
        told,
        [
            (FileKind::Dir, None, false),
            (FileKind::File, None, false),
            link("nowhere", true),
            link("f", false),
            link("loop", true),
            link("/etc/passwd", true),
            (FileKind::Fifo, None, false),
        ]
    );
    assert_eq!(listing.entries[1].meta.unwrap().size, 5);
}

#[test]
fn an_ignored_directory_can_be_asked_for() {
    let dir = tree(&[(".gitignore", "out/\n*.o\n"), ("out/a", ""), ("out/b.o", ""), ("f", "")]);

    assert_eq!(paths(&list(dir.path(), "out", 1, 9, &options()).unwrap()), ["out/a"]);
    assert!(matches!(list(dir.path(), "f", 1, 9, &options()), Err(Error::NotADirectory { .. })));
    assert!(matches!(list(dir.path(), "..", 1, 9, &options()), Err(Error::PathEscapesRoot { .. })));
    assert!(matches!(list(dir.path(), "x", 1, 9, &options()), Err(Error::PathNotFound { .. })));
    let mut all = options();
    (all.hidden, all.no_ignore) = (true, true);
    assert_eq!(paths(&list(dir.path(), ".", 2, 9, &all).unwrap()), [".gitignore", "f", "out", "out/a", "out/b.o"]);
}
