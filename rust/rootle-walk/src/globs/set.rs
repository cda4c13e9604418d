//! Many globs compiled into one test.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use rootle_base::{Error, Result};

use crate::bytes::as_path;

/// A glob longer than this cannot be meant.
const MAX_GLOB: usize = 4096;
/// More globs than this in one call.
const MAX_GLOBS: usize = 1000;

/// Globs of which one must match.
#[derive(Debug, Default)]
pub(crate) struct Globs {
    /// `*.ext` and the like: by far the most common, and no match for `globset` in speed.
    suffixes: Vec<Vec<u8>>,
    /// The other globs without a `/`.
    names: Option<GlobSet>,
    paths: Option<GlobSet>,
}

impl Globs {
    /// A glob without a `/` is tested against the last name of a path, others against the whole path. A `/` at the
    /// start only anchors.
    pub(crate) fn new(globs: &[String], ignore_case: bool) -> Result<Self> {
        let mut set = Self::default();
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (mut any_name, mut any_path) = (false, false);
        if globs.len() > MAX_GLOBS {
            return Err(Error::PatternTooLarge {
                pattern: clip(&globs[0]),
                reason: format!("more than {MAX_GLOBS} globs"),
            });
        }
        for glob in globs {
            if let Some(suffix) = plain_suffix(glob).filter(|_| !ignore_case) {
                set.suffixes.push(suffix.to_vec());
            } else if glob.contains('/') {
                paths.add(compile(glob.strip_prefix('/').unwrap_or(glob), glob, ignore_case)?);
                any_path = true;
            } else {
                names.add(compile(glob, glob, ignore_case)?);
                any_name = true;
            }
        }
        let build = |builder: &GlobSetBuilder| {
            builder.build().map_err(|error| Error::PatternTooLarge {
                pattern: clip(error.glob().unwrap_or_default()),
                reason: error.kind().to_string(),
            })
        };
        set.names = any_name.then(|| build(&names)).transpose()?;
        set.paths = any_path.then(|| build(&paths)).transpose()?;
        Ok(set)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.suffixes.is_empty() && self.names.is_none() && self.paths.is_none()
    }

    pub(crate) fn is_match(&self, path: &[u8], name: &[u8]) -> bool {
        self.suffixes.iter().any(|suffix| name.ends_with(suffix))
            || self.names.as_ref().is_some_and(|set| set.is_match_candidate(&Candidate::new(as_path(name))))
            || self.paths.as_ref().is_some_and(|set| set.is_match_candidate(&Candidate::new(as_path(path))))
    }
}

/// The text after the star, if the glob is a star and text.
fn plain_suffix(glob: &str) -> Option<&[u8]> {
    let text = glob.strip_prefix("**/").unwrap_or(glob).strip_prefix('*')?;
    (!text.contains(['*', '?', '[', ']', '{', '}', '\\', '/'])).then_some(text.as_bytes())
}

fn compile(text: &str, given: &str, ignore_case: bool) -> Result<globset::Glob> {
    if text.len() > MAX_GLOB {
        let reason = format!("longer than {MAX_GLOB} bytes");
        return Err(Error::PatternTooLarge { pattern: clip(given), reason });
    }
    if text.is_empty() {
        return Err(Error::InvalidGlob { glob: given.to_owned(), reason: "it is empty".to_owned() });
    }
    GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .case_insensitive(ignore_case)
        .build()
        .map_err(|error| Error::InvalidGlob { glob: clip(given), reason: error.kind().to_string() })
}

/// The beginning of a text, for messages.
fn clip(text: &str) -> String {
    const SHOWN: usize = 100;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn matches(glob: &str, path: &str, ignore_case: bool) -> bool {
        let globs = Globs::new(&[glob.to_owned()], ignore_case).unwrap();
        globs.is_match(path.as_bytes(), path.rsplit('/').next().unwrap().as_bytes())
    }

    #[test]
    fn table() {
        for (glob, path, expected) in [
            ("*.py", "a/b.py", true),
            ("*.py", "a/.py", true),
            ("*.py", "a/b.pyc", false),
            ("/*.py", "b.py", true),
            ("/*.py", "a/b.py", false),
            ("**/*.py", "b.py", true),
            ("**/*.py", "a/b/c.py", true),
            ("a/*.py", "a/b.py", true),
            ("a/*.py", "a/b/c.py", false),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("{a,b}.c", "x/b.c", true),
            ("a{,.b}", "a", true),
            ("[ab].c", "a.c", true),
            ("\\[ab].c", "[ab].c", true),
            ("**", "a/b", true),
            ("?", "é", false),
        ] {
            assert_eq!(matches(glob, path, false), expected, "{glob} {path}");
        }
        assert!(matches("*.PY", "a/b.py", true));
        assert!(!matches("*.PY", "a/b.py", false));
    }

    #[test]
    fn hostile_globs_end_at_once() {
        for glob in [
            "{a,b}".repeat(22),
            "{".repeat(100_000),
            format!("{}x", "**/".repeat(200)),
            format!("{}X", "*".repeat(34)),
            format!("{}X", "*a".repeat(34)),
            "[".to_owned(),
            "{a".to_owned(),
            "[z-a]".to_owned(),
        ] {
            let start = Instant::now();
            match Globs::new(std::slice::from_ref(&glob), false) {
                Ok(globs) => {
                    let name = "a".repeat(255);
                    globs.is_match(format!("{}{name}", "a/".repeat(1000)).as_bytes(), name.as_bytes());
                }
                Err(error) => {
                    assert!(matches!(error, Error::InvalidGlob { .. } | Error::PatternTooLarge { .. }));
                    assert!(error.to_string().len() < 300);
                }
            }
            assert!(start.elapsed() < Duration::from_secs(1), "{}", clip(&glob));
        }
    }
}
