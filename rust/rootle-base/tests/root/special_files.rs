//! Files that are no files: refused at once, by every resolver, and not opened.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::tree::{Tree, resolvers, word};
use rootle_base::{Error, FileKind, Root};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

#[test]
fn fifos_sockets_and_devices_are_refused_at_once() {
    let tree = Tree::new(&[("link", crate::tree::Node::Link("fifo"))]);
    let make = |name: &str, kind, dev| mknodat(CWD, tree.root.join(name), kind, Mode::from(0o600), dev);
    make("fifo", FileType::Fifo, 0).unwrap();
    let _socket = UnixListener::bind(tree.root.join("socket")).unwrap();
    let mut cases = vec![("fifo", "fifo"), ("link", "fifo"), ("socket", "socket")];
    // Only the superuser may make devices.
    if make("null", FileType::CharacterDevice, makedev(1, 3)).is_ok() {
        cases.push(("null", "character device"));
        make("loop", FileType::BlockDevice, makedev(7, 250)).unwrap();
        cases.push(("loop", "block device"));
        // No driver has this number.
        make("none", FileType::CharacterDevice, makedev(250, 250)).unwrap();
        cases.push(("none", "character device"));
    }
    for resolver in resolvers() {
        let root = tree.open(resolver);
        for (path, expected) in &cases {
            let start = Instant::now();
            match root.open_file(Path::new(path)) {
                Err(Error::NotARegularFile { path: given, kind }) => {
                    assert_eq!((given.as_str(), kind), (*path, *expected));
                }
                other => panic!("{resolver:?} {path} {other:?}"),
            }
            assert!(start.elapsed() < Duration::from_millis(100));
            assert_eq!(root.stat(Path::new(path)).unwrap().kind.as_str(), *expected);
            assert_eq!(word(&root.open_dir(Path::new(path)).unwrap_err()), "NotADirectory");
        }
    }
}

#[test]
fn a_fifos_writer_is_not_woken() {
    let tree = Tree::new(&[]);
    let fifo = tree.root.join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let root = tree.open(rootle_base::Resolver::Auto);
    let (sent, woken) = std::sync::mpsc::channel();
    let writer = {
        let fifo = fifo.clone();
        std::thread::spawn(move || {
            let opened = std::fs::OpenOptions::new().write(true).open(fifo);
            sent.send(()).unwrap();
            drop(opened);
        })
    };
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..20 {
        assert_eq!(word(&root.open_file(Path::new("fifo")).unwrap_err()), "NotARegularFile");
    }
    assert!(woken.recv_timeout(Duration::from_millis(50)).is_err(), "the writer's open returned");
    let _reader = std::fs::File::open(fifo).unwrap();
    writer.join().unwrap();
}

#[test]
fn kernel_files_below_an_ordinary_root_are_refused() {
    for resolver in resolvers() {
        let root = Root::open_with(Path::new("/"), resolver).unwrap();
        for path in ["proc/version", "proc/kmsg", "/proc/version", "sys/kernel/uevent_seqnum"] {
            match root.open_file(Path::new(path)) {
                Err(Error::NotARegularFile { kind: "kernel file", .. }) => {}
                other => panic!("{resolver:?} {path} {other:?}"),
            }
        }
        assert_eq!(word(&root.open_dir(Path::new("proc")).unwrap_err()), "NotARegularFile");
        for path in ["proc/self/root/etc/passwd", "proc/self/cwd", "proc/self/fd/0", "dev/stdin"] {
            assert_eq!(word(&root.open_file(Path::new(path)).unwrap_err()), "PathEscapesRoot", "{resolver:?} {path}");
        }
        // A root on such a file system can be looked at, but holds no files to read.
        let proc = Root::open_with(Path::new("/proc"), resolver).unwrap();
        assert!(proc.open_dir(Path::new(".")).is_ok());
        assert_eq!(word(&proc.open_file(Path::new("version")).unwrap_err()), "NotARegularFile");
    }
}

#[test]
fn a_root_on_the_whole_system_is_no_special_case() {
    let tree = Tree::new(&[("f", crate::tree::Node::File("plain")), ("abs", crate::tree::Node::Link("{root}/f"))]);
    for resolver in resolvers() {
        let root = Root::open_with(Path::new("/"), resolver).unwrap();
        assert_eq!(crate::tree::content(&root, tree.root.join("f")), "plain");
        assert_eq!(crate::tree::content(&root, tree.root.join("abs")), "plain");
        assert_eq!(root.stat(Path::new("/")).unwrap().kind, FileKind::Dir);
        assert_eq!(word(&root.stat(Path::new("..")).unwrap_err()), "PathEscapesRoot");
    }
}
