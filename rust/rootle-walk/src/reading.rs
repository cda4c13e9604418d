//! How one glob of a caller is to be read, given what exists.

use std::os::unix::ffi::OsStrExt;

use rootle_base::{Error, Result, Root};

use crate::bytes::{as_path, plain};
use crate::glob::in_base;
use crate::globs::literal_brackets;

/// What a glob stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// To walk for; none if the glob can only be one path.
    pub(crate) glob: Option<String>,
    /// An existing path that the glob names exactly.
    pub(crate) path: Option<Vec<u8>>,
}

/// Reads a glob. With `dirs`, a slash at the end only says "directory".
pub(crate) fn read_pattern(root: &Root, base: &[u8], pattern: &str, ignore_case: bool, dirs: bool) -> Result<Reading> {
    let own;
    let mut glob = pattern;
    // An absolute path inside the root is what models often write.
    if let Some(rest) =
        std::str::from_utf8(root.path().as_os_str().as_bytes()).ok().and_then(|path| glob.strip_prefix(path))
        && rest.starts_with('/')
    {
        let below = std::str::from_utf8(base).ok().filter(|base| !base.is_empty());
        let inside = below.and_then(|base| rest[1..].strip_prefix(base)).filter(|rest| rest.starts_with('/'));
        glob = inside.unwrap_or(rest);
    }
    check_climb(pattern, glob)?;
    if dirs && glob.len() > 1 && glob.ends_with('/') && !glob.ends_with("**/") {
        // `src/` means `src` here, and not every `src` below.
        own = format!("/{}", glob.trim_end_matches('/').trim_start_matches("./").trim_start_matches('/'));
        glob = &own;
    }
    if glob.starts_with('!') {
        return Ok(Reading { glob: Some(glob.to_owned()), path: None });
    }
    let exists = |text: &str| matches!(root.stat_if_exists(as_path(&in_base(base, text))), Ok(Some(_)));
    let text = glob.strip_prefix("./").unwrap_or(glob);
    if !text.contains(['*', '?', '{', '\\']) && !text.is_empty() && !text.ends_with('/') && exists(text) {
        let literal = if text.contains('[') { literal_brackets(glob) } else { Some(glob.to_owned()) };
        // A glob with a slash names one path; one without names others too, at other depths.
        let only = glob.contains('/') && !ignore_case;
        return Ok(Reading { glob: literal.filter(|_| !only), path: Some(plain(as_path(&in_base(base, text)))) });
    }
    let head: Vec<&str> = text.split('/').take_while(|name| !name.contains(['*', '?', '{', '\\'])).collect();
    if head.iter().any(|name| name.contains('[')) && exists(&head.join("/")) {
        return Ok(Reading { glob: literal_brackets(glob), path: None });
    }
    Ok(Reading { glob: Some(glob.to_owned()), path: None })
}

/// Refuses `..`: out of the root it may not lead, and inside there is no need of it.
fn check_climb(pattern: &str, glob: &str) -> Result<()> {
    let mut depth = 0_i32;
    let mut climbs = false;
    for name in glob.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                climbs = true;
                depth -= 1;
            }
            _ => depth += 1,
        }
        if depth < 0 {
            return Err(Error::PathEscapesRoot { path: pattern.to_owned() });
        }
    }
    if climbs {
        let reason = "\"..\" has no meaning in a glob".to_owned();
        return Err(Error::InvalidGlob { glob: pattern.to_owned(), reason });
    }
    Ok(())
}
