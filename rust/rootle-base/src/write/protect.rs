//! Names that mean `.git` to some file system. Git runs programs that it finds there (hooks, configured commands), so
//! writing one is running one.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Whether a path with these components is inside a `.git` directory, or is one.
pub(crate) fn is_git_internal<'a>(names: impl IntoIterator<Item = &'a OsString>) -> bool {
    names.into_iter().any(|name| means_git(name))
}

/// Whether a file system that folds case, drops characters nobody sees (HFS+, ext4 with casefold) or strips dots,
/// spaces and stream names (NTFS) takes the name for `.git`. Compatible forms and marks are folded too: too strict for
/// every file system there is, and never met in an honest name. The rules are those of git's `is_hfs_dotgit` and
/// `is_ntfs_dotgit`, on every system.
fn means_git(name: &OsStr) -> bool {
    let Ok(text) = std::str::from_utf8(name.as_bytes()) else { return false };
    let folded: String =
        text.chars().flat_map(|c| narrow(c).to_lowercase()).filter(|&c| !is_ignorable(c) && !is_mark(c)).collect();
    let stem = folded.split([':', '\\']).next().unwrap_or_default().trim_end_matches([' ', '.']);
    matches!(stem, ".git" | "git~1")
}

/// The ASCII character of a full-width one.
fn narrow(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    }
}

/// Combining marks: what is left of an accented letter when it is decomposed.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Unicode's property `Default_Ignorable_Code_Point`, which contains the characters that HFS+ ignores.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_git() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".gIt",
            ".git.",
            ".git ",
            ".git . .",
            "git~1",
            "GIT~1",
            ".git::$INDEX_ALLOCATION",
            ".git\\hooks",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".gi\u{ad}t",
            ".git\u{fe0f}",
            ".gi\u{307}t",
            ".G\u{130}T",
            "\u{ff0e}\u{ff27}it",
            ".git\u{301}",
        ] {
            assert!(means_git(OsStr::new(name)), "{name:?}");
        }
    }

    #[test]
    fn other_names() {
        for name in [
            ".gitignore",
            ".GITIGNORE",
            ".gitattributes",
            ".github",
            ".gitmodules",
            "git",
            "x.git",
            ".gi",
            "..git",
            ".",
        ] {
            assert!(!means_git(OsStr::new(name)), "{name:?}");
        }
        assert!(!means_git(OsStr::from_bytes(b".git\xff")));
    }
}
