//! What a file keeps when its content is replaced.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rootle_base::{Change, Context, Expect, Resolver, Root, WriteOptions, write_file};
use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};

use crate::case::{change, commit_all, modify, rename, temps, write};
use crate::tree::Node::{Dir, File, Link};
use crate::tree::{Tree, resolvers};

/// `user::rw-`, user 1234 `rw-`, `group::r--`, `mask::rw-`, `other::---`, as the kernel keeps it.
fn acl(user: u32) -> Vec<u8> {
    let none = u32::MAX;
    let mut bytes = 2u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [(1u16, 6u16, none), (2, 6, user), (4, 4, none), (0x10, 6, none), (0x20, 0, none)] {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 1000];
    let length = getxattr(path, name, buffer.as_mut_slice()).ok()?;
    buffer.truncate(length);
    Some(buffer)
}

fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    setxattr(path, name, value, XattrFlags::empty()).is_ok()
}

/// The three ways to replace a file.
const WAYS: [fn(&Root, &str, &str); 3] = [
    |root, path, content| drop(write(root, path, content).unwrap()),
    |root, path, content| drop(modify(root, path, content).unwrap()),
    |root, path, content| drop(commit_all(root, &[change(path, content), change("other", content)]).unwrap()),
];

#[test]
fn mode_owner_attributes_and_acl_are_kept() {
    let superuser = rustix::process::geteuid().is_root();
    for resolver in resolvers() {
        for way in WAYS {
            for mode in [0o4755, 0o2711, 0o600, 0o664, 0o444, 0o755] {
                if mode == 0o444 && !superuser {
                    continue;
                }
                let tree = Tree::new(&[("f", File("old")), ("other", File("old"))]);
                let file = tree.root.join("f");
                if superuser {
                    chown(&file, Some(1000), Some(1001)).unwrap();
                }
                let user_attribute = set(&file, "user.note", b"kept");
                fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
                let before = fs::metadata(&file).unwrap();
                way(&tree.open(resolver), "f", "new");
                let after = fs::metadata(&file).unwrap();
                let told = |meta: &fs::Metadata| (meta.mode(), meta.uid(), meta.gid());
                assert_eq!(told(&after), told(&before), "{resolver:?} {mode:o}");
                assert_eq!(fs::read(&file).unwrap(), b"new");
                assert!(!user_attribute || attribute(&file, "user.note").as_deref() == Some(b"kept"));
            }
            let tree = Tree::new(&[("f", File("old")), ("other", File("old"))]);
            let file = tree.root.join("f");
            if set(&file, "system.posix_acl_access", &acl(1234)) {
                let mode = fs::metadata(&file).unwrap().mode();
                way(&tree.open(resolver), "f", "new");
                assert_eq!(attribute(&file, "system.posix_acl_access"), Some(acl(1234)));
                assert_eq!(fs::metadata(&file).unwrap().mode(), mode);
            }
        }
    }
}

#[test]
fn a_default_acl_of_the_directory_counts_for_new_files_only() {
    let tree = Tree::new(&[("d/f", File("old"))]);
    let dir = tree.root.join("d");
    if !set(&dir, "system.posix_acl_default", &acl(1234)) {
        return;
    }
    let root = tree.open(Resolver::Auto);
    write(&root, "d/f", "new").unwrap();
    write(&root, "d/g", "new").unwrap();
    assert_eq!(attribute(&dir.join("f"), "system.posix_acl_access"), None);
    assert!(attribute(&dir.join("g"), "system.posix_acl_access").is_some());
}

#[test]
fn a_new_file_has_the_mode_that_creating_it_gives() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("d", Dir)]);
        let root = tree.open(resolver);
        fs::write(tree.root.join("reference"), "").unwrap();
        let plain = fs::metadata(tree.root.join("reference")).unwrap().mode() & 0o777;
        let mode = |path: &str| fs::metadata(tree.root.join(path)).unwrap().mode() & 0o7777;
        write(&root, "a", "").unwrap();
        assert_eq!(mode("a"), plain);
        for (name, asked) in [("b", 0o755), ("c", 0o600), ("d/e", 0o4777)] {
            let options = WriteOptions { mode: Some(asked), ..WriteOptions::default() };
            write_file(&root, Path::new(name), b"", &options, &Context::unlimited()).unwrap();
            assert_eq!(mode(name), asked & (plain | 0o111) & 0o777, "{name}");
        }
        // A commit also sets the mode of a file that exists, and of one that moves keeps it.
        let executable =
            Change::Write { path: "a".into(), content: b"#!".into(), expect: Expect::Anything, mode: Some(0o755) };
        commit_all(&root, &[executable]).unwrap();
        assert_eq!(mode("a"), 0o755);
        commit_all(&root, &[rename("a", "d/moved", Some("new"))]).unwrap();
        assert_eq!(mode("d/moved"), 0o755);
    }
}

#[test]
fn a_hard_link_is_broken_and_its_other_name_keeps_the_bytes() {
    for resolver in resolvers() {
        for how in ["write", "modify", "commit"] {
            let tree = Tree::new(&[("f", File("old")), ("to-f", Link("f"))]);
            let outside = tree.outer.path().join("out");
            fs::hard_link(tree.root.join("f"), &outside).unwrap();
            let root = tree.open(resolver);
            let done = match how {
                "write" => write(&root, "to-f", "new").unwrap(),
                "modify" => modify(&root, "f", "new").unwrap(),
                _ => commit_all(&root, &[change("f", "new")]).unwrap().remove(0),
            };
            assert!(done.hard_link_broken && done.notices.iter().any(|notice| notice.code == "hard_link_broken"));
            assert_eq!(fs::read(&outside).unwrap(), b"old");
            assert_eq!(fs::read(tree.root.join("f")).unwrap(), b"new");
            assert_eq!(fs::metadata(&outside).unwrap().nlink(), 1);
            assert!(fs::symlink_metadata(tree.root.join("to-f")).unwrap().is_symlink());
            assert!(temps(&tree.root).is_empty());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_runs_is_replaced() {
    for resolver in resolvers() {
        let tree = Tree::new(&[("d", Dir)]);
        let program = tree.root.join("d/program");
        fs::copy("/bin/sleep", &program).unwrap();
        let mut running = std::process::Command::new(&program).arg("30").spawn().unwrap();
        let done = write(&tree.open(resolver), "d/program", "new").unwrap();
        assert!(!done.in_place && running.try_wait().unwrap().is_none());
        running.kill().unwrap();
        running.wait().unwrap();
        assert_eq!(fs::read(&program).unwrap(), b"new");
        assert_eq!(fs::metadata(&program).unwrap().mode() & 0o777, 0o755);
    }
}

#[test]
fn what_is_written_is_told() {
    let tree = Tree::new(&[("f", File("old"))]);
    let root = tree.open(Resolver::Auto);
    let done = write(&root, "f", "new content").unwrap();
    assert_eq!(done.before.as_deref(), Some(&b"old"[..]));
    assert_eq!(done.hash, Some(blake3::hash(b"new content").into()));
    assert!(!done.created && !done.in_place && done.notices.is_empty());
    assert_eq!(done.meta, root.stat(Path::new("f")).unwrap());

    let again = write(&root, "f", "new content").unwrap();
    assert_eq!(again.notices[0].code, "unchanged");
    assert_eq!(root.stat(Path::new("f")).unwrap(), done.meta);
    assert!(listxattr(tree.root.join("f"), &mut [0u8; 0][..]).is_ok_and(|size| size < 100));
}
