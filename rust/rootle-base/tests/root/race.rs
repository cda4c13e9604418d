//! Another thread changes the tree while paths are resolved: never a byte from outside.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rootle_base::Resolver;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::tree::Node::{Dir, File, Link};
use crate::tree::{Tree, content, resolvers};

const LENGTH: Duration = Duration::from_millis(500);

/// Reads `path` over and over while another thread calls `change`; how often the file inside was read and how often
/// the path was refused.
fn during(tree: &Tree, resolver: Resolver, path: &str, change: impl Fn() + Sync) -> (u64, u64) {
    let root = tree.open(resolver);
    let done = AtomicBool::new(false);
    let (mut inside, mut refused, mut escaped) = (0, 0, false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                change();
                // Each state must last long enough to be met.
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        let start = Instant::now();
        while start.elapsed() < LENGTH && !escaped {
            match content(&root, path).as_str() {
                "inside" => inside += 1,
                "SECRET" => escaped = true,
                "PathEscapesRoot" => refused += 1,
                _ => {}
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(!escaped, "{resolver:?}: read a file outside the root");
    (inside, refused)
}

/// Swaps two names at once.
fn exchange(a: &Path, b: &Path) {
    renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
}

#[test]
fn a_name_swapped_between_a_file_and_a_link_out() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("../secret", File("SECRET")), ("x", File("inside")), ("y", Link("../secret"))]);
        let (x, y) = (tree.root.join("x"), tree.root.join("y"));
        let (inside, refused) = during(&tree, resolver, "x", || exchange(&x, &y));
        assert!(inside > 0 && refused > 0, "{resolver:?}: {inside} {refused}");
    }
}

#[test]
fn a_directory_swapped_with_a_link_out() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("../evil/x", File("SECRET")), ("d/x", File("inside")), ("e", Link("../evil"))]);
        let (d, e) = (tree.root.join("d"), tree.root.join("e"));
        let (inside, refused) = during(&tree, resolver, "d/x", || exchange(&d, &e));
        assert!(inside > 0 && refused > 0, "{resolver:?}: {inside} {refused}");
    }
}

#[test]
fn a_directory_moved_away_while_its_parents_are_resolved() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("../x", File("SECRET")), ("x", File("inside")), ("a/b/c/d", Dir), ("m", Dir)]);
        let (deep, shallow) = (tree.root.join("a/b/c"), tree.root.join("m/c"));
        let (inside, _) = during(&tree, resolver, "a/b/c/d/../../../../x", || {
            fs::rename(&deep, &shallow).unwrap();
            fs::rename(&shallow, &deep).unwrap();
        });
        assert!(inside > 0, "{resolver:?}");
    }
}
