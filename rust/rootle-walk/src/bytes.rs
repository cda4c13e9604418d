//! Paths as bytes, as paths and as text.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// The bytes as a path.
pub(crate) fn as_path(bytes: &[u8]) -> &Path {
    if bytes.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(bytes)) }
}

/// For error messages.
pub(crate) fn shown(bytes: &[u8]) -> String {
    if bytes.is_empty() { ".".to_owned() } else { String::from_utf8_lossy(bytes).into_owned() }
}

/// A relative path as names joined by `/`; the root is the empty path. `..` stays.
pub(crate) fn plain(path: &Path) -> Vec<u8> {
    let mut plain = Vec::new();
    for component in path.components() {
        let name = match component {
            Component::Normal(name) => name.as_bytes(),
            Component::ParentDir => b"..",
            Component::CurDir | Component::RootDir | Component::Prefix(_) => continue,
        };
        if !plain.is_empty() {
            plain.push(b'/');
        }
        plain.extend_from_slice(name);
    }
    plain
}
