//! Where the caller's own control groups are in the file system.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A way in which control groups are kept.
#[derive(Clone, Copy)]
pub enum Hierarchy {
    /// Version 2: one tree.
    Unified,
    /// Version 1: the tree of one controller.
    Controller(&'static str),
}

impl Hierarchy {
    /// The directory of the group that the calling process is in.
    pub fn own_directory(self) -> Result<PathBuf, String> {
        let mounts = fs::read("/proc/self/mountinfo").map_err(|error| format!("/proc/self/mountinfo: {error}"))?;
        let groups = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("/proc/self/cgroup: {error}"))?;
        let (root, mount) = mounts
            .split(|byte| *byte == b'\n')
            .find_map(|line| self.mount(line))
            .ok_or("no control group file system is mounted")?;
        let own = groups.lines().find_map(|line| self.group(line)).ok_or("not in such a control group")?;
        // The mount may show only a part of the tree.
        let below = Path::new(own).strip_prefix(&root).map_err(|_| "the own control group is not mounted")?;
        Ok(mount.join(below))
    }

    /// Of a line of `mountinfo`: the part of the tree that is shown, and where.
    fn mount(self, line: &[u8]) -> Option<(PathBuf, PathBuf)> {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let dash = fields.iter().position(|field| *field == b"-")?;
        let (kind, options) = (*fields.get(dash + 1)?, *fields.get(dash + 3)?);
        let matches = match self {
            Self::Unified => kind == b"cgroup2",
            Self::Controller(name) => {
                kind == b"cgroup" && options.split(|byte| *byte == b',').any(|option| option == name.as_bytes())
            }
        };
        matches.then(|| Some((unescaped(fields.get(3)?), unescaped(fields.get(4)?))))?
    }

    /// Of a line of `/proc/self/cgroup`: the group.
    fn group(self, line: &str) -> Option<&str> {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let matches = match self {
            Self::Unified => number == "0",
            Self::Controller(name) => controllers.split(',').any(|one| one == name),
        };
        matches.then_some(path)
    }
}

/// Blanks in a path are written as octal escapes.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = vec![];
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let octal = tail.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()).filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}
