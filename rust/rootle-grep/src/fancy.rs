//! Patterns for the backtracking engine: those with look-around or back-references.

use fancy_regex::{BytesMode, CompileError, Error as RegexError, Expr, ParseError, Regex, RegexBuilder};
use grep_regex::{ErrorKind, RegexMatcher};
use rootle_base::{Error, Result};

use crate::linear::{self, Flags};
use crate::pattern::{NEEDS_MULTILINE, PatternSpec, invalid, too_large};
use crate::relax::relax;

/// Bytes of one pattern for this engine.
const MAX_BYTES: usize = 4 << 10;
/// What the parts of one pattern that are left to automata may take, all together.
const PARTS_BYTES: usize = 32 << 20;
/// Instructions of one program.
const MAX_PROGRAM: usize = 100_000;

/// Compiled patterns, at least one of which needs backtracking.
#[derive(Debug)]
pub(crate) struct Fancy {
    /// One for each pattern: joined they would number each other's groups.
    pub regexes: Vec<Regex>,
    /// Matches wherever they do.
    pub plain: Option<RegexMatcher>,
    /// The same as text; none if that cannot be written, or not compiled.
    pub relaxed: Vec<String>,
    pub multiline: bool,
}

impl Fancy {
    /// Compiles `spec`; `fold` makes letters compare without regard to case.
    pub fn compile(spec: &PatternSpec, fold: bool) -> Result<Self> {
        let mut regexes = Vec::with_capacity(spec.patterns.len());
        let mut relaxed = Some(Vec::with_capacity(spec.patterns.len()));
        for pattern in &spec.patterns {
            if pattern.len() > MAX_BYTES {
                return Err(too_large(
                    pattern,
                    format!("{MAX_BYTES} bytes are allowed for a pattern with look-around or back-references"),
                ));
            }
            let text = decorate(pattern, spec, fold);
            let tree = Expr::parse_tree(&text).map_err(|error| refused(pattern, &error))?;
            regexes.push(regex(&text, spec).map_err(|error| refused(pattern, &error))?);
            relaxed = relaxed.zip(relax(&tree.expr)).map(|(mut all, plain)| {
                all.push(plain);
                all
            });
        }
        let plain = match &relaxed {
            Some(relaxed) => plain(relaxed, spec)?,
            None => None,
        };
        let relaxed = relaxed.filter(|_| plain.is_some()).unwrap_or_default();
        Ok(Self { regexes, plain, relaxed, multiline: spec.multiline })
    }
}

/// The pattern with the options of the search written into it.
fn decorate(pattern: &str, spec: &PatternSpec, fold: bool) -> String {
    let flags = if fold { "(?mi)" } else { "(?m)" };
    let dotall = if spec.multiline && spec.dotall { "(?s)" } else { "" };
    // A comment that ends the pattern must not take the group's end with it.
    let end = if pattern.contains("(?x") { "\n" } else { "" };
    if spec.line {
        format!("{flags}{dotall}^(?:{pattern}{end})$")
    } else if spec.word {
        format!(r"{flags}{dotall}(?<!\w)(?:{pattern}{end})(?!\w)")
    } else {
        format!("{flags}{dotall}{pattern}")
    }
}

fn regex(text: &str, spec: &PatternSpec) -> Result<Regex, RegexError> {
    let parts = text.bytes().filter(|byte| matches!(byte, b'(' | b'\\' | b'[')).count();
    RegexBuilder::new(text)
        .bytes_mode(BytesMode::UnicodeBytes)
        .crlf(spec.multiline)
        .backtrack_limit(spec.step_limit)
        .delegate_size_limit(PARTS_BYTES / parts.max(16))
        .delegate_dfa_size_limit(1 << 20)
        .max_prog_size(MAX_PROGRAM)
        .build()
}

/// The over-approximation, unless it cannot be compiled: then every line is a candidate.
fn plain(patterns: &[String], spec: &PatternSpec) -> Result<Option<RegexMatcher>> {
    let flags = Flags {
        fixed: false,
        fold: false,
        word: false,
        multiline: spec.multiline,
        dotall: false,
        size_limit: spec.size_limit / 4,
    };
    match linear::build(patterns, flags) {
        Ok(matcher) => Ok(Some(matcher)),
        Err(error) if matches!(error.kind(), ErrorKind::NotAllowed(_)) => {
            Err(invalid(&spec.patterns[0], NEEDS_MULTILINE))
        }
        Err(_) => Ok(None),
    }
}

fn refused(pattern: &str, error: &RegexError) -> Error {
    let mut reason = match error {
        RegexError::ParseError(_, ParseError::RecursionExceeded) => return too_large(pattern, "it nests too deeply"),
        RegexError::ParseError(_, error) => error.to_string(),
        RegexError::CompileError(error) => match &**error {
            CompileError::InnerError(error) if error.size_limit().is_some() => {
                return too_large(pattern, "a part of it is too large for a pattern with look-around");
            }
            CompileError::PatternTooComplex => return too_large(pattern, "it compiles to too many instructions"),
            error => error.to_string(),
        },
        error => error.to_string(),
    };
    if let Some((end, _)) = reason.char_indices().nth(200) {
        reason.truncate(end);
    }
    invalid(pattern, reason)
}
