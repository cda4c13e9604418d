//! The text of a path, before any system call: is it a path at all, and can it lie beneath the root?

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The longest path the system takes, without its closing NUL.
const MAX_PATH_BYTES: usize = 4095;
/// The longest name of one file.
const MAX_NAME_BYTES: usize = 255;
/// How much of an impossible path an error message repeats.
const SHOWN_CHARS: usize = 120;

/// The path as an error shows it.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

pub(crate) fn invalid(path: &Path, reason: &'static str) -> Error {
    let text = path.to_string_lossy();
    let mut short: String = text.chars().take(SHOWN_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    Error::InvalidPath { path: short, reason }
}

pub(crate) fn escape(path: &Path) -> Error {
    Error::PathEscapesRoot { path: shown(path) }
}

/// The rest of an absolute path below any of the root's names.
pub(crate) fn below(names: &[PathBuf], path: &Path) -> Option<Vec<u8>> {
    let rest = names.iter().find_map(|name| path.strip_prefix(name).ok())?;
    let mut rest = rest.as_os_str().as_bytes().to_vec();
    // `strip_prefix` drops a closing slash, which tells the kernel that a directory is meant.
    let all = path.as_os_str().as_bytes();
    if !rest.is_empty() && (all.ends_with(b"/") || all.ends_with(b"/.")) {
        rest.push(b'/');
    }
    Some(rest)
}

/// Makes a path relative to the root whose names are given. See [`crate::Root::relative`].
pub(crate) fn relative(names: &[PathBuf], path: &Path) -> Result<PathBuf> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.is_empty() {
        return Err(invalid(path, "it is empty"));
    }
    if bytes.contains(&0) {
        return Err(invalid(path, "it contains a NUL byte"));
    }
    if bytes.len() > MAX_PATH_BYTES {
        return Err(invalid(path, "it is longer than 4095 bytes"));
    }
    if bytes.split(|&b| b == b'/').any(|name| name.len() > MAX_NAME_BYTES) {
        return Err(invalid(path, "one name in it is longer than 255 bytes"));
    }
    let rest = match bytes[0] {
        b'/' => Cow::Owned(below(names, path).ok_or_else(|| escape(path))?),
        _ => Cow::Borrowed(bytes),
    };

    let mut out: Vec<u8> = Vec::with_capacity(rest.len().max(1));
    // "x/", "x/." and "x//" all say that x is a directory; "x/.." says so anyway.
    let mut directory = false;
    for name in rest.split(|&b| b == b'/') {
        if name.is_empty() || name == b"." {
            directory = !out.is_empty();
            continue;
        }
        if name == b".." && out.is_empty() {
            return Err(escape(path));
        }
        if !out.is_empty() {
            out.push(b'/');
        }
        out.extend_from_slice(name);
        directory = false;
    }
    if out.is_empty() {
        out.push(b'.');
    } else if directory {
        out.push(b'/');
    }
    Ok(PathBuf::from(OsString::from_vec(out)))
}

/// The components of a path or of a link's text, a closing slash as a last `.`.
pub(crate) fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &OsStr> {
    let directory = path.ends_with(b"/").then_some(OsStr::new("."));
    path.split(|&b| b == b'/').filter(|name| !name.is_empty()).map(OsStr::from_bytes).chain(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<PathBuf> {
        vec![PathBuf::from("/w/app"), PathBuf::from("/alias")]
    }

    #[test]
    fn paths_become_relative() {
        for (given, expected) in [
            (".", "."),
            ("./", "."),
            ("././/", "."),
            ("a", "a"),
            ("./a//b/./c", "a/b/c"),
            ("a/", "a/"),
            ("a/.", "a/"),
            ("a/./b/.//", "a/b/"),
            ("a/..", "a/.."),
            ("a/../x", "a/../x"),
            ("...", "..."),
            ("..a", "..a"),
            ("/w/app", "."),
            ("/w/app/", "."),
            ("/w//./app/a/b/", "a/b/"),
            ("/w/app/a/..", "a/.."),
            ("/alias/a", "a"),
        ] {
            let got = relative(&names(), Path::new(given)).unwrap();
            assert_eq!(got.as_os_str(), expected, "{given}");
        }
    }

    #[test]
    fn paths_that_climb_or_lie_elsewhere_escape() {
        for given in [
            "..",
            "../",
            "../x",
            "./../x",
            ".//..",
            "/",
            "/w",
            "/w/",
            "/w/app-evil/s",
            "/w/app/../x",
            "/w/app/..",
            "/etc/passwd",
            "//etc",
            "/w/x/../app/f",
        ] {
            let got = relative(&names(), Path::new(given));
            assert!(matches!(&got, Err(Error::PathEscapesRoot { path }) if path == given), "{given}: {got:?}");
        }
    }

    #[test]
    fn texts_that_are_no_paths_are_invalid() {
        let long = "a/".repeat(2500);
        let name = "n".repeat(300);
        let within = "n".repeat(255);
        assert!(relative(&names(), Path::new(&within)).is_ok());
        for (given, part) in [("", "empty"), ("a\0b", "NUL"), (&long, "4095"), (&name, "255"), ("/\0", "NUL")] {
            match relative(&names(), Path::new(given)) {
                Err(Error::InvalidPath { path, reason }) => {
                    assert!(reason.contains(part), "{given:.20}: {reason}");
                    assert!(path.chars().count() <= SHOWN_CHARS + 1);
                }
                other => panic!("{given:.20}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_closing_slash_is_a_component() {
        let all = |text: &str| components(text.as_bytes()).map(|c| c.to_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(all("a//b/"), ["a", "b", "."]);
        assert_eq!(all("../a"), ["..", "a"]);
        assert!(all("").is_empty());
    }
}
