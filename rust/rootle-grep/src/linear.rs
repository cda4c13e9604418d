//! The linear engine: automata whose time grows with the text alone, whatever the pattern.

use grep_matcher::Matcher as _;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use rootle_base::{Error, Result};

use crate::pattern::{Case, NEEDS_MULTILINE, PatternSpec, invalid, too_large};
use crate::syntax::{self, Facts, Letters, Needs};

/// What one thread's lazily built automaton may take. Ordinary patterns need some hundred kilobytes; less than a large
/// pattern needs would leave it to an engine a hundred times slower.
const AUTOMATON_BYTES: usize = 16 << 20;

/// A compiled linear pattern.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub matcher: RegexMatcher,
    /// Whether a match may depend on what follows it.
    pub looks_ahead: bool,
    /// Whether a match may hold characters, so that there is something to show.
    pub consumes: bool,
    /// Whether a match may begin or end inside a character.
    pub splits_chars: bool,
}

/// How [`build`] reads its patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub fixed: bool,
    pub fold: bool,
    pub word: bool,
    pub multiline: bool,
    pub dotall: bool,
    pub size_limit: usize,
}

/// What the patterns of `spec` come to.
pub(crate) enum Compiled {
    Linear(Linear),
    /// One of them needs the backtracking engine; whether letters compare without regard to case.
    Backtracking {
        fold: bool,
    },
}

/// Compiles `spec` if the linear engine can run it.
pub(crate) fn compile(spec: &PatternSpec) -> Result<Compiled> {
    let mut letters = Letters::default();
    let mut looks_ahead = spec.word || spec.line;
    let mut consumes = false;
    let mut splits_chars = false;
    let mut backtracking = false;
    let mut patterns = Vec::with_capacity(spec.patterns.len());
    for pattern in &spec.patterns {
        if spec.fixed {
            letters = letters.or(Letters::of_text(pattern));
            consumes |= !pattern.is_empty();
            patterns.push(if spec.line { regex_syntax::escape(pattern) } else { pattern.clone() });
            continue;
        }
        match syntax::read(pattern)? {
            Needs::Linear(facts) => {
                let Facts { pattern, looks_ahead: ahead, consumes: any, splits_chars: splits, letters: found } = facts;
                looks_ahead |= ahead;
                consumes |= any;
                splits_chars |= splits;
                letters = letters.or(found);
                patterns.push(pattern);
            }
            Needs::Backtracking(found) => {
                letters = letters.or(found);
                backtracking = true;
            }
        }
    }
    let fold = match spec.case {
        Case::Sensitive => false,
        Case::Insensitive => true,
        Case::Smart => letters.fold(),
    };
    if backtracking {
        return Ok(Compiled::Backtracking { fold });
    }
    if spec.line {
        for pattern in &mut patterns {
            *pattern = format!("^(?:{pattern}){}", syntax::LINE_END);
        }
    }
    let flags = Flags {
        fixed: spec.fixed && !spec.line,
        fold,
        word: spec.word && !spec.line,
        multiline: spec.multiline,
        dotall: spec.dotall,
        size_limit: spec.size_limit,
    };
    let matcher = build(&patterns, flags).map_err(|error| refused(&spec.patterns, &error))?;
    Ok(Compiled::Linear(Linear { matcher, looks_ahead, consumes, splits_chars }))
}

/// The patterns of `spec`, all of which the linear engine can run, with the options of the search written into them, but
/// without bounds of words.
pub(crate) fn written(spec: &PatternSpec) -> Result<Vec<String>> {
    let mut letters = Letters::default();
    let mut patterns = Vec::with_capacity(spec.patterns.len());
    for pattern in &spec.patterns {
        if spec.fixed {
            letters = letters.or(Letters::of_text(pattern));
            patterns.push(regex_syntax::escape(pattern));
        } else if let Needs::Linear(facts) = syntax::read(pattern)? {
            letters = letters.or(facts.letters);
            patterns.push(facts.pattern);
        }
    }
    let fold = spec.case == Case::Insensitive || spec.case == Case::Smart && letters.fold();
    let flags = match (fold, spec.multiline && spec.dotall) {
        (false, false) => "m",
        (true, false) => "mi",
        (false, true) => "ms",
        (true, true) => "mis",
    };
    Ok(patterns.iter().map(|pattern| format!("(?{flags}:{pattern})")).collect())
}

/// Compiles the alternation of `patterns`.
pub(crate) fn build(patterns: &[String], flags: Flags) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .fixed_strings(flags.fixed)
        .case_insensitive(flags.fold)
        .word(flags.word)
        .nest_limit(syntax::NEST_LIMIT + 2)
        .size_limit(flags.size_limit)
        .dfa_size_limit(AUTOMATON_BYTES)
        .ban_byte(Some(0));
    if flags.multiline {
        builder.dot_matches_new_line(flags.dotall);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build_many(patterns)
}

fn refused(patterns: &[String], error: &grep_regex::Error) -> Error {
    let pattern = &patterns[0];
    match error.kind() {
        ErrorKind::NotAllowed(_) => invalid(pattern, NEEDS_MULTILINE),
        ErrorKind::Banned(_) => invalid(pattern, "a NUL byte cannot match: a file is searched up to its first one"),
        _ => {
            let text = error.to_string();
            // The engine's own text repeats the whole pattern before it comes to the point.
            let reason = text.rsplit("error: ").next().unwrap_or(&text).trim().to_owned();
            if reason.contains("size limit") || reason.contains("exceeds the maximum number") {
                too_large(pattern, reason)
            } else {
                invalid(pattern, reason)
            }
        }
    }
}

/// Whether no match holds a line feed or depends on where the text begins and ends, which in a search by line is where
/// the line does. Then the first match in a buffer is the first match in its lines.
pub(crate) fn stays_in_line(matcher: &RegexMatcher) -> bool {
    matcher.line_terminator().is_some() || matcher.non_matching_bytes().is_some_and(|bytes| bytes.contains(b'\n'))
}
