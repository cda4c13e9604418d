//! What another program is to look for, so that it finds every line in which the patterns of a search match: a pattern in
//! ripgrep's syntax, and one in that of POSIX `grep -E`. Both may match in more lines, never in fewer; whoever asked for
//! them searches those lines again.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use rootle_base::Result;

use crate::linear;
use crate::matcher::{Engine, Matcher};
use crate::pattern::PatternSpec;
use crate::syntax::NEST_LIMIT;

/// Patterns for other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// In ripgrep's syntax, which of any may match; letters compare as they stand. Empty if nothing less than every line
    /// will do.
    pub rust: Vec<String>,
    /// One extended regular expression for a `grep -E` that takes text as bytes; none if it would be every line.
    pub posix: Option<String>,
}

/// Longest expression that is worth giving away.
const MAX_POSIX_BYTES: usize = 16 << 10;
/// POSIX bounds counts at this.
const MAX_COUNT: u32 = 255;
/// Larger products of counts take programs more memory than they are worth.
const MAX_PRODUCT: u64 = 1000;
/// Characters beyond ASCII that are written one by one.
const MAX_SINGLE: usize = 24;
/// A byte that is no ASCII, in the C locale.
const HIGH: &str = "[^[:cntrl:][:print:]]";
/// One character of several bytes, or what may be one.
const WIDE: &str = "[^[:cntrl:][:print:]]{1,4}";

/// What other programs are to look for, for the patterns of `spec`.
///
/// # Errors
/// Those of [`Matcher::new`].
pub fn outside(spec: &PatternSpec) -> Result<Outside> {
    let matcher = Matcher::new(spec)?;
    let rust = match matcher.inner() {
        Engine::Linear(_) => linear::written(spec)?,
        Engine::Fancy(fancy) => fancy.relaxed.iter().map(|plain| format!("(?m:{plain})")).collect(),
    };
    let posix = if rust.is_empty() || spec.multiline { None } else { posix(&rust) };
    Ok(Outside { rust, posix })
}

fn posix(patterns: &[String]) -> Option<String> {
    let mut parser = ParserBuilder::new().multi_line(true).utf8(false).nest_limit(NEST_LIMIT + 2).build();
    let mut alternatives = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let hir = parser.parse(pattern).ok()?;
        // It matches in every line, or may.
        if hir.properties().minimum_len() == Some(0) && hir.properties().look_set().is_empty() {
            return None;
        }
        let mut out = String::new();
        write(&hir, 1, &mut out)?;
        alternatives.push(out);
    }
    let whole = alternatives.join("|");
    (whole.len() <= MAX_POSIX_BYTES).then_some(whole)
}

/// Writes what matches wherever `hir` does; nothing if there is nothing to be written. `times` is how often it is
/// repeated.
fn write(hir: &Hir, times: u64, out: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty => out.push_str("()"),
        HirKind::Literal(literal) => literal_bytes(&literal.0, out),
        HirKind::Class(class) => write_class(class, out)?,
        HirKind::Look(look) => out.push_str(match look {
            Look::Start | Look::StartLF | Look::StartCRLF => "^",
            Look::End | Look::EndLF | Look::EndCRLF => "$",
            // What a word is depends on the locale there.
            _ => "()",
        }),
        HirKind::Capture(capture) => {
            out.push('(');
            write(&capture.sub, times, out)?;
            out.push(')');
        }
        HirKind::Concat(parts) => {
            for part in parts {
                let alone = !matches!(part.kind(), HirKind::Alternation(_));
                group(part, alone, times, out)?;
            }
        }
        HirKind::Alternation(parts) => {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(part, times, out)?;
            }
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min).max(1);
            let product = times.saturating_mul(u64::from(most));
            let small = product <= MAX_PRODUCT && most <= MAX_COUNT;
            group(&repetition.sub, false, if small { product } else { times }, out)?;
            match (repetition.min, repetition.max) {
                (0, Some(1)) => out.push('?'),
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (min, Some(max)) if small => out.push_str(&format!("{{{min},{max}}}")),
                (min, None) if small => out.push_str(&format!("{{{min},}}")),
                (0, _) => out.push('*'),
                _ => out.push('+'),
            }
        }
    }
    Some(())
}

/// Writes it as one atom, unless it stands `alone` well enough.
fn group(hir: &Hir, alone: bool, times: u64, out: &mut String) -> Option<()> {
    if alone || matches!(hir.kind(), HirKind::Capture(_)) {
        return write(hir, times, out);
    }
    out.push('(');
    write(hir, times, out)?;
    out.push(')');
    Some(())
}

fn literal_bytes(bytes: &[u8], out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| escape(c, out));
        chunk.invalid().iter().for_each(|_| out.push_str(HIGH));
    }
}

fn escape(c: char, out: &mut String) {
    if matches!(c, '\\' | '.' | '[' | ']' | '{' | '}' | '(' | ')' | '*' | '+' | '?' | '^' | '$' | '|') {
        out.push('\\');
    }
    out.push(c);
}

/// Writes a class; nothing for one that no line can match.
fn write_class(class: &Class, out: &mut String) -> Option<()> {
    let mut ascii = [false; 128];
    let mut wide: Vec<char> = Vec::new();
    let mut many = false;
    let mut high = false;
    match class {
        Class::Unicode(class) => {
            for range in class.ranges() {
                for c in range.start()..=range.end() {
                    if c.is_ascii() {
                        ascii[c as usize] = true;
                    } else if wide.len() < MAX_SINGLE {
                        wide.push(c);
                    } else {
                        many = true;
                        break;
                    }
                }
            }
        }
        Class::Bytes(class) => {
            for range in class.ranges() {
                high |= range.end() >= 128;
                (range.start()..=range.end().min(127)).for_each(|byte| ascii[usize::from(byte)] = true);
            }
        }
    }
    // Neither can be in a line that is looked at.
    (ascii[0], ascii[usize::from(b'\n')]) = (false, false);
    let mut alternatives = Vec::new();
    let set: Vec<u8> = (1..128).filter(|byte| ascii[usize::from(*byte)]).collect();
    if !set.is_empty() {
        alternatives.push(bracket(&set));
    }
    if many {
        alternatives.push(WIDE.to_owned());
    } else {
        alternatives.extend(wide.iter().map(char::to_string));
    }
    if high {
        alternatives.push(HIGH.to_owned());
    }
    match &alternatives[..] {
        [] => return None,
        [only] if wide.is_empty() => out.push_str(only),
        _ => {
            out.push('(');
            out.push_str(&alternatives.join("|"));
            out.push(')');
        }
    }
    Some(())
}

/// A bracket expression for these bytes, which are in order.
fn bracket(set: &[u8]) -> String {
    let mut inside = String::new();
    // These three mean something inside brackets, by their place.
    let (mut close, mut caret, mut dash) = (false, false, false);
    let mut at = 0;
    while at < set.len() {
        let start = set[at];
        match start {
            b']' => close = true,
            b'^' => caret = true,
            b'-' => dash = true,
            b'[' => inside.push_str("[.[.]"),
            _ => {
                let plain = |byte: u8| !matches!(byte, b']' | b'^' | b'-' | b'[' | b'\\');
                let run = set[at..].iter().zip(start..).take_while(|(a, b)| **a == *b && plain(**a)).count();
                if run > 2 {
                    inside.push(char::from(start));
                    inside.push('-');
                    inside.push(char::from(set[at + run - 1]));
                    at += run;
                    continue;
                }
                inside.push(char::from(start));
            }
        }
        at += 1;
    }
    if close {
        inside.insert(0, ']');
    }
    match (caret, dash) {
        // Alone it would say the opposite of what is meant.
        (true, false) if inside.is_empty() => return "\\^".to_owned(),
        (true, true) if inside.is_empty() => return "(\\^|-)".to_owned(),
        _ => {}
    }
    if caret {
        inside.push('^');
    }
    if dash {
        inside.push('-');
    }
    format!("[{inside}]")
}

#[cfg(test)]
#[path = "outside_tests.rs"]
mod tests;
