//! What a replaced file keeps besides its name: owner, permission bits, extended attributes and ACL.

use std::ffi::{CStr, CString};
use std::os::fd::AsFd;

use rustix::fs::{Gid, Mode, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat};
use rustix::io::{Errno, retry_on_intr};

use super::Notice;
use crate::write::call::is_unsupported;

/// The most that the system lets one attribute, or all names together, take.
const MAX_XATTR_BYTES: usize = 65_536;
const ACL: &CStr = c"system.posix_acl_access";
/// Signatures of the content, which would be wrong for new content.
const OF_CONTENT: [&CStr; 2] = [c"security.ima", c"security.evm"];

#[derive(Debug)]
pub(crate) struct Attributes {
    uid: u32,
    gid: u32,
    mode: u32,
    xattrs: Vec<(CString, Vec<u8>)>,
}

impl Attributes {
    pub(crate) fn of(fd: impl AsFd) -> Result<Self, Errno> {
        let fd = fd.as_fd();
        let stat = fstat(fd)?;
        let mut buffer = vec![0; MAX_XATTR_BYTES];
        let mut xattrs = Vec::new();
        for name in names(fd, &mut buffer)? {
            match retry_on_intr(|| fgetxattr(fd, &name, buffer.as_mut_slice())) {
                Ok(length) => xattrs.push((name, buffer[..length].to_vec())),
                // Not to be read by this user, or gone meanwhile.
                Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(Self { uid: stat.st_uid, gid: stat.st_gid, mode: stat.st_mode & 0o7777, xattrs })
    }

    /// Other permission bits.
    pub(crate) fn with_mode(mut self, mode: Option<u32>) -> Self {
        if let Some(mode) = mode {
            self.mode = mode & 0o7777;
            // The bits of an ACL's mask are the group's bits: an ACL would keep its own.
        }
        self
    }

    /// Gives them to another file of this user. What the user may not give is told in a notice, and never gives
    /// anyone more rights than before.
    pub(crate) fn give(&self, fd: impl AsFd, notices: &mut Vec<Notice>) -> Result<(), Errno> {
        let fd = fd.as_fd();
        let mut mode = self.mode;
        let (owner, group) = self.give_owner(fd)?;
        if !owner || !group {
            notices.push(Notice::new("owner_changed", "the file now belongs to the user or group that wrote it"));
        }
        if !owner {
            mode &= !0o4000;
        }
        if !group {
            // Another group gets what everyone gets.
            mode = mode & !0o2070 | (mode & 0o7) << 3;
        }
        let lost = self.give_xattrs(fd)?;
        if !lost.is_empty() {
            let names: Vec<_> = lost.iter().map(|name| name.to_string_lossy()).collect();
            notices.push(Notice::new("attributes_lost", format!("not kept: {}", names.join(", "))));
        }
        // Last: changing the owner takes the setuid bits away.
        retry_on_intr(|| fchmod(fd, Mode::from_raw_mode(mode)))
    }

    /// Whether owner and group are those of the old file now.
    fn give_owner(&self, fd: impl AsFd) -> Result<(bool, bool), Errno> {
        let fd = fd.as_fd();
        let now = fstat(fd)?;
        let mut kept = (now.st_uid == self.uid, now.st_gid == self.gid);
        if !kept.0 {
            let both = retry_on_intr(|| fchown(fd, Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid))));
            match both {
                Ok(()) => return Ok((true, true)),
                Err(errno) if refused(errno) => {}
                Err(errno) => return Err(errno),
            }
        }
        if !kept.1 {
            match retry_on_intr(|| fchown(fd, None, Some(Gid::from_raw(self.gid)))) {
                Ok(()) => kept.1 = true,
                Err(errno) if refused(errno) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(kept)
    }

    /// Sets the attributes that differ, removes an ACL that the directory gave; the names of those that did not go.
    fn give_xattrs(&self, fd: impl AsFd) -> Result<Vec<&CStr>, Errno> {
        let fd = fd.as_fd();
        let mut buffer = vec![0; MAX_XATTR_BYTES];
        let there = names(fd, &mut buffer)?;
        if there.iter().any(|name| name.as_c_str() == ACL)
            && !self.xattrs.iter().any(|(name, _)| name.as_c_str() == ACL)
        {
            retry_on_intr(|| fremovexattr(fd, ACL))?;
        }
        let mut lost = Vec::new();
        for (name, value) in &self.xattrs {
            if there.contains(name)
                && retry_on_intr(|| fgetxattr(fd, name, buffer.as_mut_slice())).is_ok_and(|n| buffer[..n] == **value)
            {
                continue;
            }
            match retry_on_intr(|| fsetxattr(fd, name, value, XattrFlags::empty())) {
                Ok(()) => {}
                Err(errno) if refused(errno) => lost.push(name.as_c_str()),
                Err(errno) => return Err(errno),
            }
        }
        Ok(lost)
    }
}

fn refused(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::ACCESS) || is_unsupported(errno)
}

fn names(fd: impl AsFd, buffer: &mut [u8]) -> Result<Vec<CString>, Errno> {
    let length = match retry_on_intr(|| flistxattr(fd.as_fd(), &mut *buffer)) {
        Ok(length) => length,
        Err(errno) if is_unsupported(errno) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    };
    let names =
        buffer[..length].split_inclusive(|&byte| byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    Ok(names.filter(|name| !OF_CONTENT.contains(name)).map(CStr::to_owned).collect())
}
