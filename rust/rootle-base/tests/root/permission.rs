//! Files that the user may not read. The superuser may read everything, so for it the test runs again as another user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::tree::Node::File;
use crate::tree::{Tree, resolvers, word};
use rootle_base::{Error, Root};

const TREE: &str = "ROOTLE_TEST_UNREADABLE_TREE";
const NAME: &str = "permission::unreadable_files_and_directories_give_distinct_errors";
/// The user "nobody".
const NOBODY: u32 = 65534;

#[test]
fn unreadable_files_and_directories_give_distinct_errors() {
    if let Some(root) = std::env::var_os(TREE) {
        return as_user(Path::new(&root));
    }
    let tree = Tree::new(&[("locked", File("x")), ("file", File("x")), ("closed/x", File("x"))]);
    let chmod = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    chmod(tree.outer.path(), 0o755);
    chmod(&tree.root.join("locked"), 0o000);
    chmod(&tree.root.join("closed"), 0o000);
    if rustix::process::geteuid().is_root() {
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
    for resolver in resolvers() {
        let root = Root::open_with(path, resolver).unwrap();
        let error = |path: &str| root.open_file(Path::new(path)).unwrap_err();
        match error("locked") {
            Error::PermissionDenied { path, operation } => assert_eq!((path.as_str(), operation), ("locked", "open")),
            other => panic!("{other:?}"),
        }
        assert_eq!(word(&error("closed/x")), "PermissionDenied");
        assert_eq!(word(&error("file/x")), "NotADirectory");
        assert_eq!(word(&error("closed")), "IsADirectory");
        assert_eq!(word(&root.open_dir(Path::new("closed")).unwrap_err()), "PermissionDenied");
        assert!(root.stat(Path::new("locked")).is_ok());
    }
}
