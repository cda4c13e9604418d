//! File systems whose files are the kernel's own interfaces: reading them can block, change state or tell what the
//! host keeps from the tree (the environment of a process, the kernel's log).

use std::os::fd::AsFd;

#[cfg(any(target_os = "linux", target_os = "android"))]
const PROC: u64 = 0x9fa0;

/// `f_type` of each of them, from `linux/magic.h` and the file systems' own sources.
#[cfg(any(target_os = "linux", target_os = "android"))]
const KERNEL: &[u64] = &[
    PROC,
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x7363_6673, // securityfs
    0xcafe_4a11, // bpf
    0xde5e_81e4, // efivarfs
    0x6165_676c, // pstore
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x5a3c_69f0, // apparmorfs
    0x4249_4e4d, // binfmt_misc
    0x6265_6570, // configfs
    0x6573_5543, // fusectl
    0x0000_1cd1, // devpts
    0x1980_0202, // mqueue
    0x6e73_6673, // nsfs
    0x6e66_7364, // nfsd
    0x6759_6969, // rpc_pipefs
    0x0765_5821, // resctrl
    0xabba_1974, // xenfs
    0x0000_9fa2, // usbdevfs
];

/// Whether the open file lies on procfs, sysfs or another file system of the kernel's own. `O_PATH` descriptors will do.
#[must_use]
pub fn is_kernel_fs(fd: impl AsFd) -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return magic(fd).is_some_and(|magic| KERNEL.contains(&magic));
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    return {
        let _ = fd;
        false
    };
}

/// Whether the open file lies on procfs, whose links may lead anywhere whatever their text says.
pub(crate) fn is_procfs(fd: impl AsFd) -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    return magic(fd) == Some(PROC);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    return {
        let _ = fd;
        false
    };
}

/// The type is a signed, sometimes 32-bit number: only the low 32 bits mean something.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
fn magic(fd: impl AsFd) -> Option<u64> {
    rustix::fs::fstatfs(fd).ok().map(|stat| stat.f_type as u64 & 0xffff_ffff)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn procfs_and_sysfs_are_kernel_file_systems_and_a_temporary_directory_is_not() {
        for (path, kernel, proc) in
            [("/proc/self/environ", true, true), ("/sys/kernel", true, false), ("/proc", true, true)]
        {
            let Ok(file) = File::open(path) else { continue };
            assert_eq!((is_kernel_fs(&file), is_procfs(&file)), (kernel, proc), "{path}");
        }
        let ordinary = tempfile::tempfile().unwrap();
        assert!(!is_kernel_fs(&ordinary) && !is_procfs(&ordinary));
    }
}
