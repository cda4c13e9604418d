//! The system's table of mounts: which of them may stop answering.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::makedev;

use crate::process::PerProcess;

/// Types, as the mount table names them, that answer out of this machine's own disks and memory; those of the
/// kernel's own among them. A type that is not known here may be distant.
const NEAR: [&str; 57] = [
    "apparmorfs",
    "aufs",
    "bcachefs",
    "bdev",
    "binder",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "cgroup",
    "cgroup2",
    "configfs",
    "cpuset",
    "cramfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "ecryptfs",
    "efivarfs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fusectl",
    "hfs",
    "hfsplus",
    "hugetlbfs",
    "iso9660",
    "jffs2",
    "jfs",
    "minix",
    "mqueue",
    "msdos",
    "nilfs2",
    "nsfs",
    "ntfs3",
    "overlay",
    "proc",
    "pstore",
    "ramfs",
    "reiserfs",
    "resctrl",
    "romfs",
    "rootfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "ubifs",
    "udf",
    "vfat",
    "xfs",
    "zfs",
];

/// Where nothing is searched, whatever is mounted there.
const PASSED_OVER: [&str; 3] = ["/proc/", "/sys/", "/dev/"];

/// The kernel tells when the table changes; where it does not, the table is read again after so long.
const STALE: Duration = Duration::from_secs(1);

static TABLE: PerProcess<Mutex<Table>> = PerProcess::new();

#[derive(Default)]
struct Table {
    file: Option<File>,
    read: Option<Instant>,
    text: Vec<u8>,
    distant: Option<Arc<[Mount]>>,
}

/// A mounted file system that may stop answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) device: u64,
    pub(crate) point: PathBuf,
}

/// Those mounted now; none if the system does not say.
pub(crate) fn distant() -> Option<Arc<[Mount]>> {
    let mut table = TABLE.get().lock().unwrap_or_else(PoisonError::into_inner);
    table.refresh();
    table.distant.clone()
}

impl Table {
    fn refresh(&mut self) {
        if self.file.is_none() {
            self.file = File::open("/proc/self/mountinfo").ok();
        }
        let Some(file) = &mut self.file else { return };
        let mut fds = [PollFd::new(file, PollFlags::PRI)];
        let told = poll(&mut fds, Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 }))
            .is_ok_and(|_| fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR));
        if !told && self.read.is_some_and(|read| read.elapsed() < STALE) {
            return;
        }
        self.text.clear();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut self.text));
        self.distant = read.ok().map(|_| parse(&self.text).into());
        self.read = Some(Instant::now());
    }
}

/// The distant ones of a table as `/proc/self/mountinfo` gives it.
pub(crate) fn parse(table: &[u8]) -> Vec<Mount> {
    table.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A line is: number, parent, major:minor, root, mount point, options, optional fields, `-`, type, source, options.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let device = std::str::from_utf8(fields.nth(2)?).ok()?;
    let (major, minor) = device.split_once(':')?;
    let device = makedev(major.parse().ok()?, minor.parse().ok()?);
    let point = unescape(fields.nth(1)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    let near = NEAR.iter().any(|near| near.as_bytes() == kind)
        || PASSED_OVER.iter().any(|place| point.starts_with(place.as_bytes()));
    (!near).then(|| Mount { device, point: PathBuf::from(OsString::from_vec(point)) })
}

/// Space, tab, line feed and backslash stand there as `\` and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match code {
            Some(code) if *first == b'\\' => {
                bytes.push(code);
                rest = &after[3..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_mount_table() {
        for (line, expected) in [
            ("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw", None),
            ("25 24 0:23 / /dev/shm rw shared:4 - tmpfs tmpfs rw", None),
            ("40 27 0:50 / /mnt/far\\040away rw shared:1 master:2 - nfs4 host:/x rw", Some((50, "/mnt/far away"))),
            ("41 27 0:51 / /a\\134b rw - fuse.sshfs host: rw", Some((51, "/a\\b"))),
            ("42 27 0:52 / /a\\b rw - cifs //host/x rw", Some((52, "/a\\b"))),
            ("43 27 8:1 / /usb rw - fuseblk /dev/sda1 rw", Some((8 << 8 | 1, "/usb"))),
            ("44 27 0:53 / /new rw - some-type-to-come x rw", Some((53, "/new"))),
            ("45 27 0:54 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw", None),
            ("46 27 0:55 / /proc rw - proc proc rw", None),
            ("47 27 0:56 / /home rw - autofs auto rw", Some((56, "/home"))),
            ("48 27", None),
            ("", None),
        ] {
            let expected = expected.map(|(device, point): (u32, &str)| Mount {
                device: makedev(device >> 8, device & 0xff),
                point: point.into(),
            });
            assert_eq!(parse(line.as_bytes()), Vec::from_iter(expected), "{line}");
        }
    }
}
