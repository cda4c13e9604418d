//! Files and directories that the user may not write. The superuser may write everything, so for it the test runs again
//! as another user.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rootle_base::{Context, Root, WriteOptions, commit, modify_file, write_file};

use crate::case::{change, contents, outcome, removal};
use crate::tree::Node::{Dir, File};
use crate::tree::{Tree, resolvers};

const TREE: &str = "ROOTLE_TEST_UNWRITABLE_TREE";
const NAME: &str = "permission::what_the_system_refuses_is_refused_or_written_in_place";
/// The user "nobody".
const NOBODY: u32 = 65534;

#[test]
fn what_the_system_refuses_is_refused_or_written_in_place() {
    if let Some(root) = std::env::var_os(TREE) {
        return as_user(Path::new(&root));
    }
    let tree = Tree::new(&[
        ("read-only", File("old")),
        ("closed/f", File("old")),
        ("closed/linked", File("old")),
        ("closed/read-only", File("old")),
        ("sticky/theirs", File("old")),
        ("plain/f", File("old")),
        ("../journal", Dir),
    ]);
    let superuser = rustix::process::geteuid().is_root();
    let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::hard_link(tree.root.join("closed/linked"), tree.outer.path().join("other-name")).unwrap();
    chmod(tree.outer.path(), 0o755);
    for (path, mode) in [
        ("read-only", 0o444),
        ("closed/f", 0o640),
        ("closed/read-only", 0o444),
        ("sticky/theirs", 0o666),
        ("closed", 0o555),
        ("sticky", 0o1777),
    ] {
        chmod(&tree.root.join(path), mode);
    }
    if superuser {
        for path in [
            "read-only",
            "closed",
            "closed/f",
            "closed/linked",
            "closed/read-only",
            "plain",
            "plain/f",
            ".",
            "../journal",
        ] {
            chown(tree.root.join(path), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        // The test's own executable may lie where the other user cannot reach it.
        let copy = tree.outer.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        chmod(&copy, 0o755);
        let ran = Command::new(copy)
            .args(["--exact", NAME])
            .uid(NOBODY)
            .gid(NOBODY)
            .env(TREE, &tree.root)
            .current_dir("/")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    } else {
        as_user(&tree.root);
    }
    chmod(&tree.root.join("closed"), 0o755);
}

fn as_user(path: &Path) {
    let theirs = fs::metadata(path.join("sticky/theirs")).unwrap().uid() != rustix::process::geteuid().as_raw();
    let journal = path.parent().unwrap().join("journal");
    let options = WriteOptions { journal_dir: Some(journal.clone()), make_parents: true, ..WriteOptions::default() };
    let context = Context::unlimited();
    for resolver in resolvers() {
        let root = Root::open_with(path, resolver).unwrap();
        let before = contents(path);
        let write =
            |name: &str, content: &str| write_file(&root, Path::new(name), content.as_bytes(), &options, &context);
        let together = |changes: &[rootle_base::Change]| commit(&root, changes, &options, &context);
        for (name, expected) in [
            ("read-only", "PermissionDenied"),
            ("closed/read-only", "PermissionDenied"),
            ("closed/new", "PermissionDenied"),
            ("closed/p/new", "PermissionDenied"),
            ("closed/linked", "Unwritable"),
        ] {
            assert_eq!(outcome(&write(name, "new")), expected, "{resolver:?} {name}");
            let all = together(&[change("plain/f", "new"), change(name, "new")]);
            assert_eq!(outcome(&all), expected, "{resolver:?} {name}");
        }
        assert_eq!(outcome(&together(&[change("plain/f", "new"), removal("closed/f")])), "PermissionDenied");
        assert_eq!(contents(path), before, "{resolver:?}");

        // Longer, shorter and as long; then among others, and back.
        let inode = fs::metadata(path.join("closed/f")).unwrap().ino();
        for content in ["a longer content", "short", "SHORT", ""] {
            let done = write("closed/f", content).unwrap();
            assert!(done.in_place && done.notices.iter().any(|notice| notice.code == "written_in_place"));
            assert_eq!(fs::read_to_string(path.join("closed/f")).unwrap(), content);
            assert_eq!(done.meta, root.stat(Path::new("closed/f")).unwrap());
        }
        let done = together(&[change("plain/f", "new"), change("closed/f", "together")]).unwrap();
        assert!(!done[0].in_place && done[1].in_place);
        assert_eq!(fs::read(path.join("closed/f")).unwrap(), b"together");
        let failing = [change("closed/f", "x"), change("plain/n/x", "x"), change("plain/n", "x")];
        assert_eq!(outcome(&together(&failing)), "AlreadyExists");
        assert_eq!(fs::read(path.join("closed/f")).unwrap(), b"together");
        let old = |_: &rootle_base::WholeFile| Ok((Some(b"old".to_vec()), ()));
        modify_file(&root, Path::new("closed/f"), &options, &context, old).unwrap();
        write("plain/f", "old").unwrap();

        // A directory where only a file's owner may rename it.
        let done = write("sticky/theirs", "new").unwrap();
        assert_eq!(done.in_place, theirs);
        write("sticky/theirs", "old").unwrap();

        let meta = fs::metadata(path.join("closed/f")).unwrap();
        assert_eq!((meta.ino(), meta.mode() & 0o7777), (inode, 0o640));
        assert_eq!(contents(path), before, "{resolver:?}");
        assert!(contents(&journal).is_empty(), "{:?}", contents(&journal));
    }
    assert_eq!(fs::read(path.parent().unwrap().join("other-name")).unwrap(), b"old");
    assert_eq!(fs::metadata(&journal).unwrap().mode() & 0o777, 0o700);
    refuses_other_journals(path, &options);
}

/// Without a directory that is the user's own, nothing is overwritten.
fn refuses_other_journals(path: &Path, options: &WriteOptions) {
    let root = Root::open(path).unwrap();
    std::os::unix::fs::symlink("/tmp", path.join("plain/link")).unwrap();
    let closed = path.join("closed/journal");
    for dir in [path.join("plain/link"), closed, "/".into(), path.join("plain/f")] {
        let options = WriteOptions { journal_dir: Some(dir.clone()), ..options.clone() };
        let done = write_file(&root, Path::new("closed/f"), b"new", &options, &Context::unlimited());
        assert_eq!(outcome(&done), "Unwritable", "{dir:?}");
        assert_eq!(fs::read(path.join("closed/f")).unwrap(), b"old");
    }
    fs::remove_file(path.join("plain/link")).unwrap();
}
