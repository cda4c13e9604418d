//! Compare and swap, sizes, limits of a call.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rootle_base::{
    CancelToken, Context, Error, Expect, Modified, WriteOptions, commit, modify_file, read_whole, write_file,
};
use rustix::fs::{FlockOperation, flock};

use crate::case::{contents, outcome, temps};
use crate::tree::Node::File;
use crate::tree::{Tree, resolvers};

fn hash(text: &str) -> [u8; 32] {
    blake3::hash(text.as_bytes()).into()
}

fn expecting(expect: Expect) -> WriteOptions {
    WriteOptions { expect, ..WriteOptions::default() }
}

#[test]
fn a_file_that_is_not_as_expected_is_left_alone() {
    for resolver in resolvers() {
        for (path, expect, expected) in [
            ("f", Expect::Anything, "ok"),
            ("f", Expect::Hash(hash("old")), "ok"),
            ("f", Expect::Hash(hash("other")), "StaleFile"),
            ("f", Expect::Absent, "AlreadyExists"),
            ("new", Expect::Absent, "ok"),
            ("new", Expect::Hash(hash("old")), "StaleFile"),
        ] {
            for how in ["write", "commit"] {
                let tree = Tree::new(&[("f", File("old")), ("g", File("g"))]);
                let root = tree.open(resolver);
                let before = contents(&tree.root);
                let context = Context::unlimited();
                let done = if how == "write" {
                    write_file(&root, Path::new(path), b"NEW", &expecting(expect), &context).map(drop)
                } else {
                    let change = |path: &str, expect| rootle_base::Change::Write {
                        path: path.into(),
                        content: b"NEW".into(),
                        expect,
                        mode: None,
                    };
                    let changes = [change("g", Expect::Anything), change(path, expect)];
                    commit(&root, &changes, &WriteOptions::default(), &context).map(drop)
                };
                assert_eq!(outcome(&done), expected, "{resolver:?} {how} {path} {expect:?}");
                match done {
                    Ok(()) => assert_eq!(fs::read(tree.root.join(path)).unwrap(), b"NEW"),
                    Err(error) => {
                        assert_eq!(contents(&tree.root), before);
                        if let Error::StaleFile { expected, current, .. } = error {
                            assert_eq!(current, (path == "f").then(|| hash("old")));
                            assert!(expected.is_some());
                        }
                    }
                }
            }
        }
    }
}

/// What someone who does not lock does between the reading of a file and its writing.
#[test]
fn a_change_by_someone_else_in_between_is_met() {
    type Meddle = fn(&Path);
    let cases: [(&str, Meddle, &str); 5] = [
        ("overwritten", |file| fs::write(file, "theirs").unwrap(), "StaleFile"),
        (
            "replaced",
            |file| {
                fs::write(file.with_extension("x"), "theirs").unwrap();
                fs::rename(file.with_extension("x"), file).unwrap();
            },
            "StaleFile",
        ),
        ("removed", |file| fs::remove_file(file).unwrap(), "StaleFile"),
        ("touched", |file| fs::File::open(file).unwrap().set_modified(std::time::SystemTime::now()).unwrap(), "ok"),
        ("made private", |file| fs::set_permissions(file, fs::Permissions::from_mode(0o640)).unwrap(), "ok"),
    ];
    for resolver in resolvers() {
        for (what, meddle, expected) in cases {
            let tree = Tree::new(&[("f", File("old"))]);
            let root = tree.open(resolver);
            let file = tree.root.join("f");
            let done = modify_file(&root, Path::new("f"), &WriteOptions::default(), &Context::unlimited(), |whole| {
                assert_eq!(whole.bytes, b"old");
                meddle(&file);
                Ok((Some(b"ours".to_vec()), ()))
            });
            assert_eq!(outcome(&done), expected, "{resolver:?} {what}");
            match done {
                Ok(_) => {
                    assert_eq!(fs::read(&file).unwrap(), b"ours");
                    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
                    assert!(what != "made private" || mode == 0o640);
                }
                Err(Error::StaleFile { current, .. }) => {
                    assert_eq!(current, (what != "removed").then(|| hash("theirs")), "{what}");
                    assert!(what == "removed" || fs::read(&file).unwrap() == b"theirs");
                }
                Err(other) => panic!("{other:?}"),
            }
            assert!(temps(&tree.root).is_empty());
        }
    }
}

#[test]
fn a_change_that_fails_or_wants_nothing_leaves_the_file() {
    let tree = Tree::new(&[("f", File("old"))]);
    let root = tree.open(rootle_base::Resolver::Auto);
    let (context, options) = (Context::unlimited(), WriteOptions::default());
    let before = root.stat(Path::new("f")).unwrap();
    let nothing = modify_file(&root, Path::new("f"), &options, &context, |_| Ok((None, 7))).unwrap();
    assert!(matches!(nothing, (Modified::Left(whole), 7) if whole.bytes == b"f" || whole.bytes == b"old"));
    let failed = modify_file(&root, Path::new("f"), &options, &context, |_| {
        Err::<(Option<Vec<u8>>, ()), _>(Error::Internal { message: "no".into() })
    });
    assert_eq!(outcome(&failed), "Internal");
    assert_eq!(root.stat(Path::new("f")).unwrap(), before);
}

#[test]
fn sizes_are_bounded_before_anything_is_written() {
    let tree = Tree::new(&[("f", File("0123456789"))]);
    let root = tree.open(rootle_base::Resolver::Auto);
    let context = Context::unlimited();
    for (limit, content, expected) in [(10, "0123456789a", "FileTooLarge"), (9, "x", "FileTooLarge"), (10, "x", "ok")] {
        let options = WriteOptions { max_bytes: limit, ..WriteOptions::default() };
        let done = write_file(&root, Path::new("f"), content.as_bytes(), &options, &context);
        assert_eq!(outcome(&done), expected);
    }
    let large = tree.root.join("large");
    fs::File::create(&large).unwrap().set_len(1 << 32).unwrap();
    let begun = Instant::now();
    match read_whole(&root, Path::new("large"), 1000, &context) {
        Err(Error::FileTooLarge { path, size, limit }) => {
            assert_eq!((path.as_str(), size, limit), ("large", 1 << 32, 1000));
        }
        other => panic!("{other:?}"),
    }
    assert!(begun.elapsed() < Duration::from_millis(500));

    // More than any address space, where the file system has such files, and no limit.
    if fs::File::options().write(true).open(&large).unwrap().set_len(1 << 62).is_ok() {
        let done = read_whole(&root, Path::new("large"), u64::MAX, &context);
        assert_eq!(outcome(&done), "FileTooLarge");
    }
}

#[test]
fn waiting_for_a_lock_ends_with_the_call() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("f", File("old")), ("g", File("old"))]);
        let root = tree.open(resolver);
        let holder = fs::File::open(tree.root.join("f")).unwrap();
        flock(&holder, FlockOperation::LockExclusive).unwrap();
        let options = WriteOptions::default();
        let changes = [crate::case::change("g", "x"), crate::case::change("f", "x")];

        let limited = || Context::new(Some(Duration::from_millis(100)), CancelToken::new());
        for way in [
            &|context: &Context| write_file(&root, Path::new("f"), b"x", &options, context).map(drop),
            &|context: &Context| commit(&root, &changes, &options, context).map(drop),
        ] as [&dyn Fn(&Context) -> rootle_base::Result<()>; 2]
        {
            let begun = Instant::now();
            assert_eq!(outcome(&way(&limited())), "DeadlineExceeded");
            assert!((100..1000).contains(&begun.elapsed().as_millis()));
            let interrupted = Context::unlimited().with_interrupt(|| true);
            assert_eq!(outcome(&way(&interrupted)), "Interrupted");
            let token = CancelToken::new();
            token.cancel();
            assert_eq!(outcome(&way(&Context::new(None, token))), "Cancelled");
        }
        assert_eq!(contents(&tree.root).values().filter(|text| *text == "old").count(), 2);

        flock(&holder, FlockOperation::Unlock).unwrap();
        write_file(&root, Path::new("f"), b"x", &options, &limited()).unwrap();
    }
}
