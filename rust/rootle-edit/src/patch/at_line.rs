//! Headers of hunks: `@@ -1,3 +1,4 @@ def f():`, and what models write in their place.

use super::model::Claim;

/// What an `@@` line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AtLine {
    /// Its numbers.
    pub(super) claim: Option<Claim>,
    /// A line alone, as in `@@ line 12 @@`.
    pub(super) near_line: Option<u64>,
    /// Its text, without outer white space.
    pub(super) text: Option<String>,
}

/// Whether `line` is a hunk's header: `@@` in the first column, not the `@@@` of combined diffs.
pub(super) fn is_at_line(line: &str) -> bool {
    line.strip_prefix("@@").is_some_and(|rest| {
        !rest.starts_with('@') && (rest.trim_end().is_empty() || rest.starts_with([' ', '\t', '-']))
    })
}

/// Reads the header `line`, for which `is_at_line` holds.
pub(super) fn read(line: &str) -> AtLine {
    let rest = line.strip_prefix("@@").unwrap_or(line).trim();
    if let Some((claim, text)) = numbers(rest) {
        return AtLine { near_line: Some(first_line(claim)), claim: Some(claim), text };
    }
    // `@@ text @@`, `@@ ... @@ text`, `@@ text`.
    let (inner, after) = match rest.split_once("@@") {
        Some((inner, after)) => (inner.trim(), after.trim()),
        None => (rest, ""),
    };
    if let Some(line) = line_alone(inner) {
        return AtLine { claim: None, near_line: Some(line), text: wanted(after) };
    }
    AtLine { claim: None, near_line: None, text: wanted(after).or_else(|| wanted(inner)) }
}

/// The line before which or at which a hunk with this header starts.
fn first_line(claim: Claim) -> u64 {
    if claim.old_count == 0 { claim.old_start + 1 } else { claim.old_start }
}

fn wanted(text: &str) -> Option<String> {
    // Placeholders: `...`, `-XX,XX +XX,XX`, `-?,? +?,?`.
    let placeholder = text.chars().all(|c| ".…-+,?xX# 0".contains(c));
    (!placeholder).then(|| text.to_owned())
}

/// `-a,b +c,d` at the start of `rest`, and the text after the closing `@@`.
fn numbers(rest: &str) -> Option<(Claim, Option<String>)> {
    let (old, rest) = range(rest.strip_prefix('-')?)?;
    let rest = rest.trim_start();
    let (new, rest) = match rest.strip_prefix('+') {
        Some(rest) => range(rest)?,
        None => (old, rest),
    };
    let text = rest.trim_start().trim_start_matches('@').trim();
    let claim = Claim { old_start: old.0, old_count: old.1, new_start: new.0, new_count: new.1 };
    Some((claim, wanted(text)))
}

/// `a` or `a,b` at the start of `text`.
fn range(text: &str) -> Option<((u64, u64), &str)> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(',') {
        Some(rest) => number(rest).map(|(count, rest)| ((start, count), rest)),
        None => Some(((start, 1), rest)),
    }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    // A number no file can have is as good as none.
    let value: u64 = text[..end].parse().ok().filter(|value| *value < u64::from(u32::MAX))?;
    Some((value, &text[end..]))
}

/// `line 12`, `lines 12-20`, `12,20`.
fn line_alone(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let rest = lower.strip_prefix("lines").or_else(|| lower.strip_prefix("line")).unwrap_or(&lower).trim_start();
    let (line, rest) = number(rest)?;
    let rest = rest.trim_start_matches(['-', ',', ' ', ':', '–']);
    (rest.is_empty() || number(rest).is_some_and(|(_, rest)| rest.is_empty())).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let claim = |a, b, c, d| Some(Claim { old_start: a, old_count: b, new_start: c, new_count: d });
        let text = |text: &str| Some(text.to_owned());
        for (line, expected) in [
            ("@@ -1,3 +2,4 @@", AtLine { claim: claim(1, 3, 2, 4), near_line: Some(1), text: None }),
            ("@@ -7 +8 @@ def f():", AtLine { claim: claim(7, 1, 8, 1), near_line: Some(7), text: text("def f():") }),
            ("@@ -7,0 +8,2 @@", AtLine { claim: claim(7, 0, 8, 2), near_line: Some(8), text: None }),
            ("@@ -7,2 +7,3", AtLine { claim: claim(7, 2, 7, 3), near_line: Some(7), text: None }),
            ("@@-7,2 +7,3@@", AtLine { claim: claim(7, 2, 7, 3), near_line: Some(7), text: None }),
            ("@@ ... @@", AtLine::default()),
            ("@@", AtLine::default()),
            ("@@ @@", AtLine::default()),
            ("@@ -XX,XX +XX,XX @@", AtLine::default()),
            ("@@ ... @@ class A:", AtLine { text: text("class A:"), ..AtLine::default() }),
            ("@@ def foo(a, b):", AtLine { text: text("def foo(a, b):"), ..AtLine::default() }),
            ("@@ def foo @@", AtLine { text: text("def foo"), ..AtLine::default() }),
            ("@@ line 12 @@", AtLine { near_line: Some(12), ..AtLine::default() }),
            ("@@ Lines 12-20", AtLine { near_line: Some(12), ..AtLine::default() }),
            (
                "@@ -99999999999999999999,1 +1,1 @@",
                AtLine { text: text("-99999999999999999999,1 +1,1"), ..AtLine::default() },
            ),
        ] {
            assert!(is_at_line(line), "{line}");
            assert_eq!(read(line), expected, "{line}");
        }
        for line in ["@@@ -1,2 -1,2 +1,2 @@@", " @@", "@@x", "@decorator"] {
            assert!(!is_at_line(line), "{line}");
        }
    }
}
