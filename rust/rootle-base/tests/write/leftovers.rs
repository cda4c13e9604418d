//! Temporary files of the dead, and only those, are swept.

use std::fs;

use rustix::fs::{FlockOperation, flock};

use crate::case::{change, commit_all, contents, temps, write};
use crate::tree::Node::{Dir, File, Link};
use crate::tree::{Tree, resolvers};

#[test]
fn only_temporary_files_of_the_dead_are_swept() {
    for resolver in resolvers() {
        for committing in [false, true] {
            let tree = Tree::new(&[
                ("d/f", File("old")),
                ("d/.rootle-00000000000000aa.tmp", File("dead")),
                ("d/.rootle-00000000000000bb.tmp", File("alive")),
                ("d/.rootle-00000000000000cc.tmp", Dir),
                ("d/.rootle-00000000000000dd.tmp", Link("f")),
                ("d/.rootle-notes.tmp", File("someone's")),
                ("d/.rootle-00000000000000ee.tmp.bak", File("someone's")),
                ("other/.rootle-00000000000000ff.tmp", File("elsewhere")),
            ]);
            let alive = fs::File::open(tree.root.join("d/.rootle-00000000000000bb.tmp")).unwrap();
            flock(&alive, FlockOperation::LockExclusive).unwrap();
            let mut expected = contents(&tree.root);
            expected.insert("d/f".into(), "new".into());
            expected.remove(std::path::Path::new("d/.rootle-00000000000000aa.tmp")).unwrap();
            let root = tree.open(resolver);
            if committing {
                commit_all(&root, &[change("d/f", "new")]).unwrap();
            } else {
                write(&root, "d/f", "new").unwrap();
            }
            assert_eq!(contents(&tree.root), expected, "{resolver:?}");
        }
    }
}

#[test]
fn a_crowd_of_leftovers_is_swept_in_pieces() {
    let tree = Tree::new(&[("f", File("old"))]);
    for number in 0..150 {
        fs::write(tree.root.join(format!(".rootle-{number:016x}.tmp")), "dead").unwrap();
    }
    let root = tree.open(rootle_base::Resolver::Auto);
    let left: Vec<usize> = (0..3)
        .map(|turn| {
            write(&root, "f", &format!("new {turn}")).unwrap();
            temps(&tree.root).len()
        })
        .collect();
    assert_eq!(left, [150 - 64, 150 - 128, 0]);
}
