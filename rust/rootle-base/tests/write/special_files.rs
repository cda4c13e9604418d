//! What is no regular file is refused at once.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use rootle_base::{Context, Root, read_whole};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::case::{change, commit_all, contents, modify, outcome, removal, rename, write};
use crate::tree::Node::{File, Link};
use crate::tree::{Tree, resolvers};

#[test]
fn special_files_are_refused_at_once() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("f", File("f")), ("to-fifo", Link("fifo"))]);
        let at = |name: &str| tree.root.join(name);
        mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let device = rustix::fs::makedev(1, 5);
        let mut names =
            vec![("fifo", "NotARegularFile"), ("to-fifo", "NotARegularFile"), ("socket", "NotARegularFile")];
        // Only the superuser makes devices.
        if mknodat(CWD, at("char"), FileType::CharacterDevice, Mode::RWXU, device).is_ok() {
            names.push(("char", "NotARegularFile"));
        }
        if mknodat(CWD, at("block"), FileType::BlockDevice, Mode::RWXU, rustix::fs::makedev(7, 250)).is_ok() {
            names.push(("block", "NotARegularFile"));
        }
        let root = tree.open(resolver);
        let before = contents(&tree.root);
        for (name, expected) in names {
            let begun = Instant::now();
            let all = [
                outcome(&write(&root, name, "x")),
                outcome(&modify(&root, name, "x")),
                outcome(&commit_all(&root, &[change("f", "x"), change(name, "x")])),
                outcome(&commit_all(&root, &[removal(name)])),
                outcome(&commit_all(&root, &[rename(name, "new", None)])),
                outcome(&read_whole(&root, Path::new(name), 100, &Context::unlimited())),
            ];
            assert_eq!(all, [expected; 6], "{resolver:?} {name}");
            assert!(begun.elapsed() < Duration::from_secs(1));
        }
        assert_eq!(contents(&tree.root), before);
    }
}

#[test]
fn files_of_the_kernel_are_refused() {
    for resolver in resolvers() {
        let root = Root::open_with(Path::new("/proc"), resolver).unwrap();
        let comm = format!("{}/comm", std::process::id());
        assert_eq!(outcome(&write(&root, &comm, "x")), "NotARegularFile");
        assert_eq!(outcome(&write(&root, "sys/new", "x")), "NotARegularFile");
        assert_eq!(outcome(&write(&root, "self/comm", "x")), "PathEscapesRoot");
    }
}
