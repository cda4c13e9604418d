//! What the system says about one file.

use std::os::fd::AsFd;

use rustix::fs::{FileType, Stat, fstat};

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A unix socket.
    Socket,
    /// A character device.
    CharDevice,
    /// A block device.
    BlockDevice,
    /// The system did not say.
    Unknown,
}

impl FileKind {
    /// The word for it in results and error messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Dir => "directory",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::CharDevice => "character device",
            Self::BlockDevice => "block device",
            Self::Unknown => "unknown",
        }
    }
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Dir,
            FileType::Symlink => Self::Symlink,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice => Self::CharDevice,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::Unknown => Self::Unknown,
        }
    }
}

/// What `stat` tells about a file. Times are nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The kind of file.
    pub kind: FileKind,
    /// Length in bytes.
    pub size: u64,
    /// Time of the last change of the content.
    pub mtime_ns: i64,
    /// Time of the last change of content or metadata; cannot be set by programs.
    pub ctime_ns: i64,
    /// Permission bits with setuid, setgid and sticky (`0o7777`), without the file type.
    pub mode: u32,
    /// Inode number.
    pub ino: u64,
    /// Device number of the file system.
    pub dev: u64,
    /// Number of names; 0 when the file was removed while open.
    pub nlink: u64,
}

impl Metadata {
    /// The metadata of an open file.
    pub fn of(fd: impl AsFd) -> std::io::Result<Self> {
        Ok(Self::from(&fstat(fd)?))
    }

    /// Whether `other` is the same file with the same content, as far as the system's time stamps can tell.
    #[must_use]
    pub fn same_version(&self, other: &Self) -> bool {
        (self.dev, self.ino, self.size, self.mtime_ns, self.ctime_ns)
            == (other.dev, other.ino, other.size, other.mtime_ns, other.ctime_ns)
    }
}

// The width of these fields differs between systems; on some the casts do nothing.
#[allow(clippy::unnecessary_cast, clippy::cast_possible_truncation, clippy::useless_conversion)]
impl From<&Stat> for Metadata {
    fn from(stat: &Stat) -> Self {
        let ns = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            kind: FileType::from_raw_mode(stat.st_mode as _).into(),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: ns(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: ns(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            mode: u32::from(stat.st_mode) & 0o7777,
            ino: stat.st_ino as u64,
            dev: stat.st_dev as u64,
            nlink: stat.st_nlink as u64,
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl From<&rustix::fs::Statx> for Metadata {
    fn from(stat: &rustix::fs::Statx) -> Self {
        let ns = |time: &rustix::fs::StatxTimestamp| {
            time.tv_sec.saturating_mul(1_000_000_000).saturating_add(i64::from(time.tv_nsec))
        };
        Self {
            kind: FileType::from_raw_mode(stat.stx_mode.into()).into(),
            size: stat.stx_size,
            mtime_ns: ns(&stat.stx_mtime),
            ctime_ns: ns(&stat.stx_ctime),
            mode: u32::from(stat.stx_mode) & 0o7777,
            ino: stat.stx_ino,
            dev: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
            nlink: stat.stx_nlink.into(),
        }
    }
}
