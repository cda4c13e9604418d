//! What to look for, as the caller gives it.

use rootle_base::{Error, Result};

/// How letters compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Case {
    /// Exactly.
    #[default]
    Sensitive,
    /// Without regard to case, by Unicode's simple case folding.
    Insensitive,
    /// Without regard to case when the patterns hold a literal letter and no capital one.
    Smart,
}

/// Backtracking steps one attempt of the backtracking engine may take. A hopeless attempt costs some milliseconds.
pub const STEP_LIMIT: usize = 200_000;

/// Bytes a compiled pattern may take, and with it the time to compile it.
pub const SIZE_LIMIT: usize = 10 << 20;

/// Bytes of all patterns together; parsing takes some hundred bytes for each of them.
pub const MAX_PATTERN_BYTES: usize = 128 << 10;

/// The patterns of one search and how they are read. A line matches when one of the patterns does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PatternSpec {
    /// Regular expressions, or plain text when `fixed`.
    pub patterns: Vec<String>,
    /// Take the patterns as plain text.
    pub fixed: bool,
    /// A match must not touch a word character on either side.
    pub word: bool,
    /// A match must be the whole line.
    pub line: bool,
    /// How letters compare.
    pub case: Case,
    /// A match may span lines.
    pub multiline: bool,
    /// With `multiline`, `.` matches a line feed too.
    pub dotall: bool,
    /// See [`STEP_LIMIT`].
    pub step_limit: usize,
    /// See [`SIZE_LIMIT`].
    pub size_limit: usize,
}

impl Default for PatternSpec {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            fixed: false,
            word: false,
            line: false,
            case: Case::Sensitive,
            multiline: false,
            dotall: false,
            step_limit: STEP_LIMIT,
            size_limit: SIZE_LIMIT,
        }
    }
}

impl PatternSpec {
    /// One regular expression, everything else as by default.
    #[must_use]
    pub fn regex(pattern: &str) -> Self {
        Self { patterns: vec![pattern.to_owned()], ..Self::default() }
    }

    /// What can be refused without parsing anything.
    pub(crate) fn check(&self) -> Result<()> {
        if self.patterns.is_empty() {
            return Err(Error::InvalidArgument {
                name: "pattern",
                reason: "at least one pattern is needed".to_owned(),
            });
        }
        let bytes: usize = self.patterns.iter().map(String::len).sum();
        if bytes > MAX_PATTERN_BYTES {
            return Err(Error::PatternTooLarge {
                pattern: shorten(&self.patterns[0]),
                reason: format!("the patterns take {bytes} bytes and {MAX_PATTERN_BYTES} are allowed"),
            });
        }
        if let Some(pattern) = self.patterns.iter().find(|pattern| pattern.contains('\0')) {
            return Err(invalid(pattern, "a NUL byte cannot match: a file is searched up to its first one"));
        }
        if !self.multiline
            && self.fixed
            && let Some(pattern) = self.patterns.iter().find(|pattern| pattern.contains('\n'))
        {
            return Err(invalid(pattern, NEEDS_MULTILINE));
        }
        Ok(())
    }
}

/// Why a pattern with a line feed is refused.
pub(crate) const NEEDS_MULTILINE: &str = "a line feed can only match in a multiline search";

/// The error for a pattern that does not parse.
pub(crate) fn invalid(pattern: &str, reason: impl Into<String>) -> Error {
    Error::InvalidPattern { pattern: shorten(pattern), reason: reason.into() }
}

/// The error for a pattern that goes over a bound.
pub(crate) fn too_large(pattern: &str, reason: impl Into<String>) -> Error {
    Error::PatternTooLarge { pattern: shorten(pattern), reason: reason.into() }
}

/// A pattern as error messages show it.
fn shorten(pattern: &str) -> String {
    const SHOWN: usize = 120;
    match pattern.char_indices().nth(SHOWN) {
        None => pattern.to_owned(),
        Some((end, _)) => format!("{}…", &pattern[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_unparsed() {
        let fixed = |pattern: &str| PatternSpec { fixed: true, ..PatternSpec::regex(pattern) };
        for (spec, code) in [
            (PatternSpec::default(), "argument"),
            (PatternSpec::regex(&"a".repeat(MAX_PATTERN_BYTES + 1)), "large"),
            (PatternSpec::regex("a\0b"), "invalid"),
            (fixed("a\nb"), "invalid"),
            (PatternSpec { multiline: true, ..fixed("a\nb") }, "fine"),
            (PatternSpec::regex(""), "fine"),
        ] {
            let found = match spec.check() {
                Ok(()) => "fine",
                Err(Error::InvalidArgument { .. }) => "argument",
                Err(Error::PatternTooLarge { .. }) => "large",
                Err(Error::InvalidPattern { .. }) => "invalid",
                Err(_) => "other",
            };
            assert_eq!(found, code, "{:?}", spec.patterns.first().map(|pattern| shorten(pattern)));
        }
    }

    #[test]
    fn long_patterns_are_shown_short() {
        assert_eq!(shorten("é"), "é");
        assert_eq!(shorten(&"é".repeat(1000)).chars().count(), 121);
    }
}
