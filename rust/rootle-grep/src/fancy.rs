//! The backtracking engine, for look-around and back-references, kept on a short leash: it sees only lines that a plain
//! over-approximation of the pattern matches, every attempt has a step bound, long lines are searched in windows, and a
//! file whose lines keep meeting the bound is given up.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use fancy_regex::{BytesMode, CompileError, Error as RegexError, Expr, ParseError, Regex, RegexBuilder, RegexInput};
use grep_matcher::{LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::{ErrorKind, RegexMatcher};
use rootle_base::{Error, Result};

use crate::linear::{self, Flags};
use crate::pattern::{NEEDS_MULTILINE, PatternSpec, invalid, too_large};
use crate::poll::Poll;
use crate::relax::relax;

/// Bytes of one pattern for this engine.
const MAX_BYTES: usize = 4 << 10;
/// What the parts of one pattern that are left to automata may take, all together.
const PARTS_BYTES: usize = 32 << 20;
/// Instructions of one program.
const MAX_PROGRAM: usize = 100_000;
/// After this many attempts that met the step bound, the rest of the file is not searched.
const MAX_LIMITED: u32 = 32;
/// Time a long line may take beyond [`TIME_PER_BYTE`] before it counts as having met the step bound.
const TIME_BASE: Duration = Duration::from_millis(50);
/// Five times what the engine needs for text without any match.
const TIME_PER_BYTE: Duration = Duration::from_nanos(250);

/// How much text one attempt sees: matches of up to `overlap` bytes are found whatever the length of the line, longer
/// ones in lines of up to `whole` bytes.
#[derive(Clone, Copy, Debug)]
struct Reach {
    whole: usize,
    overlap: usize,
}

const LINE_REACH: Reach = Reach { whole: 4 << 10, overlap: 1 << 10 };
const MULTILINE_REACH: Reach = Reach { whole: 16 << 10, overlap: 4 << 10 };

/// Compiled patterns, at least one of which needs backtracking.
#[derive(Debug)]
pub(crate) struct Fancy {
    /// One for each pattern: joined they would number each other's groups.
    regexes: Vec<Regex>,
    /// Matches wherever they do.
    plain: Option<RegexMatcher>,
    multiline: bool,
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
        let plain = match relaxed {
            Some(relaxed) => plain(&relaxed, spec)?,
            None => None,
        };
        Ok(Self { regexes, plain, multiline: spec.multiline })
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

/// The search must end: deadline, cancel or interrupt. The context says which.
#[derive(Debug)]
pub(crate) struct Halted;

impl fmt::Display for Halted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

/// [`Fancy`] in the hands of one thread.
#[derive(Debug)]
pub(crate) struct Leashed<'a> {
    fancy: &'a Fancy,
    /// A copy of its own: its caches are not shared between threads.
    plain: Option<RegexMatcher>,
    poll: Poll<'a>,
    /// Attempts in the current file that met a bound.
    limited: Cell<u32>,
    calls: Cell<u32>,
}

impl<'a> Leashed<'a> {
    pub fn new(fancy: &'a Fancy, poll: Poll<'a>) -> Self {
        Self { fancy, plain: fancy.plain.clone(), poll, limited: Cell::new(0), calls: Cell::new(0) }
    }

    /// Whether attempts met a bound since this was asked last.
    pub fn take_limited(&self) -> bool {
        self.limited.replace(0) > 0
    }

    fn given_up(&self) -> bool {
        self.limited.get() >= MAX_LIMITED
    }

    fn met_bound(&self) -> Result<(), Halted> {
        self.limited.set(self.limited.get() + 1);
        if self.poll.stop().is_some() { Err(Halted) } else { Ok(()) }
    }

    fn look_up(&self) -> Result<(), Halted> {
        const EVERY: u32 = 64;
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls % EVERY == 0 && self.poll.stop().is_some() { Err(Halted) } else { Ok(()) }
    }

    /// The leftmost match that lies in `text[from..to]`; what is around may be looked at.
    fn attempt(&self, text: &[u8], from: usize, to: usize) -> Result<Option<Match>, Halted> {
        let mut best: Option<Match> = None;
        for regex in &self.fancy.regexes {
            let input = RegexInput::new(text).from_pos(from).range(from..to);
            match regex.find_input(input) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    if best.is_none_or(|best| found.start() < best.start()) {
                        best = Some(Match::new(found.start(), found.end()));
                    }
                }
                Err(_) => self.met_bound()?,
            }
        }
        Ok(best)
    }

    /// [`Self::attempt`] in windows over a text too long for one.
    fn attempt_in_windows(&self, text: &[u8], at: usize, reach: Reach) -> Result<Option<Match>, Halted> {
        let began = Instant::now();
        let mut from = at;
        loop {
            if let Some(plain) = &self.plain {
                let seen = text.len().min(from + 16 * reach.whole);
                // The linear engine's error has no value.
                match plain.find_at(&text[..seen], from).ok().flatten() {
                    Some(found) => from = found.start(),
                    None if seen == text.len() => return Ok(None),
                    None => {
                        from = seen - reach.whole;
                        continue;
                    }
                }
            }
            let to = char_start(text, text.len().min(from + reach.whole));
            let left = char_start(text, from.saturating_sub(reach.overlap));
            let right = char_start(text, text.len().min(to + reach.overlap));
            let found = self.attempt(&text[left..right], from - left, to - left)?.map(|found| found.offset(left));
            let settled = to - reach.overlap.min(to - from);
            match found {
                Some(found) if to == text.len() || found.start() < settled || found.start() == from => {
                    return Ok(Some(found));
                }
                // The next window shows whether it is longer.
                Some(found) => from = found.start(),
                None if to == text.len() => return Ok(None),
                None => from = settled,
            }
            let seen = u32::try_from(from - at).unwrap_or(u32::MAX);
            if began.elapsed() > TIME_BASE + TIME_PER_BYTE * seen {
                self.met_bound()?;
                return Ok(None);
            }
            if self.poll.stop().is_some() {
                return Err(Halted);
            }
        }
    }
}

/// The start of the character that holds byte `at`; in text that is not UTF-8, some byte near.
fn char_start(text: &[u8], at: usize) -> usize {
    let back = (0..4.min(at)).find(|back| text.get(at - back).is_none_or(|byte| byte & 0xC0 != 0x80));
    at - back.unwrap_or(0)
}

impl Matcher for Leashed<'_> {
    type Captures = NoCaptures;
    type Error = Halted;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Halted> {
        self.look_up()?;
        if self.given_up() {
            return Ok(None);
        }
        let (text, reach) = if self.fancy.multiline {
            (text, MULTILINE_REACH)
        } else {
            // The text is one line; a carriage return at its end is not part of it.
            (text.strip_suffix(b"\r").unwrap_or(text), LINE_REACH)
        };
        if at > text.len() {
            return Ok(None);
        }
        if text.len() <= reach.whole {
            return self.attempt(text, at, text.len());
        }
        self.attempt_in_windows(text, at, reach)
    }

    fn new_captures(&self) -> Result<NoCaptures, Halted> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        (!self.fancy.multiline).then(|| LineTerminator::byte(b'\n'))
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Halted> {
        self.look_up()?;
        if self.given_up() || text.is_empty() {
            return Ok(None);
        }
        let Some(plain) = &self.plain else {
            return Ok(Some(LineMatchKind::Candidate(0)));
        };
        Ok(plain.find_candidate_line(text).ok().flatten().and_then(|found| {
            let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = found;
            // Past the last line feed there is no line any more.
            (at < text.len() || text.last() != Some(&b'\n')).then_some(LineMatchKind::Candidate(at))
        }))
    }
}
