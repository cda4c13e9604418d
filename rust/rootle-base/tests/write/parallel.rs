//! Threads that write the same file.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rootle_base::{CancelToken, Context, Expect, WriteOptions, commit, modify_file, write_file};

use crate::case::{change, temps};
use crate::tree::Node::File;
use crate::tree::{Tree, resolvers};

const THREADS: usize = 20;
const EACH: usize = 5;

#[test]
fn every_update_that_succeeds_is_there() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("f", File(""))]);
        // A root each: nothing is shared but the file.
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let tree = &tree;
                scope.spawn(move || {
                    let root = tree.open(resolver);
                    for turn in 0..EACH {
                        let line = format!("{thread}:{turn}\n");
                        let append =
                            |whole: &rootle_base::WholeFile| Ok((Some([&whole.bytes, line.as_bytes()].concat()), ()));
                        let context = Context::unlimited();
                        modify_file(&root, Path::new("f"), &WriteOptions::default(), &context, append).unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(tree.root.join("f")).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), THREADS * EACH, "{resolver:?}");
        assert!(temps(&tree.root).is_empty());
    }
}

#[test]
fn one_of_many_creators_succeeds() {
    for resolver in resolvers() {
        for _ in 0..10 {
            let tree = Tree::new(&[]);
            let (made, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let winner = std::sync::Mutex::new(String::new());
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (tree, made, refused, winner) = (&tree, &made, &refused, &winner);
                    scope.spawn(move || {
                        let root = tree.open(resolver);
                        let options =
                            WriteOptions { expect: Expect::Absent, make_parents: true, ..WriteOptions::default() };
                        let content = thread.to_string();
                        let path = Path::new("d/new");
                        match write_file(&root, path, content.as_bytes(), &options, &Context::unlimited()) {
                            Ok(done) => {
                                assert!(done.created);
                                made.fetch_add(1, Ordering::Relaxed);
                                *winner.lock().unwrap() = content;
                            }
                            Err(rootle_base::Error::AlreadyExists { .. }) => {
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                            Err(other) => panic!("{other:?}"),
                        }
                    });
                }
            });
            assert_eq!((made.into_inner(), refused.into_inner()), (1, THREADS - 1), "{resolver:?}");
            let content = std::fs::read_to_string(tree.root.join("d/new")).unwrap();
            assert_eq!(content, winner.into_inner().unwrap());
            assert!(temps(&tree.root).is_empty());
        }
    }
}

#[test]
fn commits_over_the_same_files_in_any_order_neither_wait_forever_nor_mix() {
    let names = ["a", "b", "c"];
    let tree = Tree::new(&[("a", File("0")), ("b", File("0")), ("c", File("0"))]);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let tree = &tree;
            scope.spawn(move || {
                let root = tree.open(rootle_base::Resolver::Auto);
                let context = Context::new(Some(Duration::from_secs(40)), CancelToken::new());
                for turn in 0..20 {
                    let text = format!("{thread}:{turn}");
                    let mut changes: Vec<_> = names.iter().map(|name| change(name, &text)).collect();
                    changes.rotate_left(thread % 3);
                    commit(&root, &changes, &WriteOptions::default(), &context).unwrap();
                }
            });
        }
    });
    let texts: Vec<_> = names.iter().map(|name| std::fs::read_to_string(tree.root.join(name)).unwrap()).collect();
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    assert!(temps(&tree.root).is_empty());
}
