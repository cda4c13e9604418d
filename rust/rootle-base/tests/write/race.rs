//! Someone changes the tree while a file is written: nothing outside is ever touched.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::case::{change, commit_all, outcome, write};
use crate::tree::Node::{File, Link};
use crate::tree::{Tree, resolvers};

const LENGTH: Duration = Duration::from_millis(400);

#[test]
fn names_and_directories_swapped_with_links_out() {
    for resolver in resolvers() {
        for (swapped, path) in [(("x", "y"), "x"), (("d", "e"), "d/x"), (("d", "e"), "d/new"), (("d", "e"), "d/p/new")]
        {
            let tree = Tree::new(&[
                ("../secret", File("SECRET")),
                ("x", File("inside")),
                ("y", Link("../secret")),
                ("../evil/x", File("SECRET")),
                ("d/x", File("inside")),
                ("e", Link("../evil")),
            ]);
            let root = tree.open(resolver);
            let (one, other) = (tree.root.join(swapped.0), tree.root.join(swapped.1));
            let done = AtomicBool::new(false);
            let mut written = 0;
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        let _ = renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
                        std::thread::sleep(Duration::from_micros(50));
                    }
                });
                let begun = Instant::now();
                for turn in 0.. {
                    if begun.elapsed() > LENGTH {
                        break;
                    }
                    let text = turn.to_string();
                    let result = if turn % 2 == 0 {
                        write(&root, path, &text).map(drop)
                    } else {
                        commit_all(&root, &[change(path, &text)]).map(drop)
                    };
                    if outcome(&result) == "ok" {
                        written += 1;
                    }
                }
                done.store(true, Ordering::Relaxed);
            });
            assert!(written > 0, "{resolver:?} {path}");
            assert_eq!(fs::read(tree.outer.path().join("secret")).unwrap(), b"SECRET");
            let evil: Vec<_> =
                fs::read_dir(tree.outer.path().join("evil")).unwrap().map(|e| e.unwrap().path()).collect();
            assert_eq!(evil, [tree.outer.path().join("evil/x")], "{resolver:?} {path}");
            assert_eq!(fs::read(Path::new(&evil[0])).unwrap(), b"SECRET");
        }
    }
}
