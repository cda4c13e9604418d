//! What makes a refusal useful: the definition around a place, the lines that would make it the only one, white space
//! made visible.

use std::ops::Range;

use memchr::memmem::Finder;

/// Lines that are looked at above a place.
const LINES_ABOVE: usize = 20_000;
/// Lines that are added around a text to make it unique.
const MAX_CONTEXT: usize = 40;
/// Other places of a text that are told apart.
const MAX_PLACES: usize = 2_000;
/// Characters of a line that are given.
const MAX_SYMBOL: usize = 120;

/// The line that begins the definition around line `at` (from 0), without its indentation: a function, class, method,
/// module, or the heading of a section. By indentation and words, for any language; none if there is none.
#[must_use]
pub fn enclosing_symbol(lines: &[&str], at: usize) -> Option<String> {
    let at = at.min(lines.len().checked_sub(1)?);
    let first = lines[at..].iter().find(|line| !line.trim().is_empty()).unwrap_or(&lines[at]);
    let mut limit = indentation(first);
    let mut opener: Option<&str> = None;
    let mut heading: Option<&str> = None;
    for (number, line) in lines[..at].iter().enumerate().rev().take(LINES_ABOVE) {
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        if heading.is_none() && is_heading(lines, number) {
            heading = Some(text);
        }
        let depth = indentation(line);
        if depth >= limit {
            continue;
        }
        if is_definition(text, lines.get(number + 1..).unwrap_or(&[])) {
            return Some(shown(text));
        }
        // The head of what a bracket closes or opens stands at the bracket's own depth; comments, directives and labels
        // say nothing of the nesting.
        if text.starts_with([')', ']', '}', '{']) {
            limit = depth + 1;
        } else if !text.starts_with(['#', '*', '/']) {
            if !is_label(text) {
                limit = depth;
            }
            if opener.is_none() && text.ends_with([':', '{', '[']) && !starts_with_control(text) {
                opener = Some(text);
            }
        }
        if limit == 0 && heading.is_some() {
            break;
        }
    }
    opener.or(heading).map(shown)
}

fn shown(text: &str) -> String {
    text.chars().take(MAX_SYMBOL).collect()
}

/// Width of the white space before a line; a tab goes to the next multiple of 8.
fn indentation(line: &str) -> usize {
    let mut width = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => width += 1,
            b'\t' => width = (width / 8 + 1) * 8,
            _ => break,
        }
    }
    width
}

/// Words that may stand before the one that says what is defined.
const MODIFIERS: [&str; 34] = [
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "override",
    "virtual",
    "inline",
    "extern",
    "const",
    "unsafe",
    "partial",
    "sealed",
    "open",
    "data",
    "suspend",
    "declare",
    "local",
    "friend",
    "template",
    "typedef",
    "case",
    "lazy",
    "implicit",
    "constexpr",
    "mutable",
    "inner",
    "operator",
];
/// Words that define something with a name.
const KEYWORDS: [&str; 32] = [
    "def",
    "class",
    "fn",
    "func",
    "fun",
    "function",
    "function*",
    "struct",
    "enum",
    "trait",
    "impl",
    "impl<",
    "mod",
    "module",
    "interface",
    "namespace",
    "object",
    "union",
    "record",
    "protocol",
    "extension",
    "sub",
    "proc",
    "procedure",
    "defmodule",
    "defp",
    "defmacro",
    "macro_rules!",
    "macro",
    "contract",
    "subroutine",
    "program",
];
/// Words that begin a statement with a block.
const CONTROL: [&str; 26] = [
    "if", "else", "elif", "elsif", "for", "foreach", "while", "switch", "match", "case", "when", "catch", "except",
    "finally", "try", "do", "with", "return", "begin", "loop", "unless", "until", "using", "lock", "await", "select",
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty())
}

fn starts_with_control(text: &str) -> bool {
    let text = text.trim_start_matches(['}', ' ']);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().is_some_and(|word| CONTROL.contains(&word))
}

fn is_definition(text: &str, below: &[&str]) -> bool {
    if text.starts_with(['#', '*', '@', '"', '\'']) || text.starts_with("//") || starts_with_control(text) {
        return false;
    }
    let mut rest = words(text).skip_while(|word| MODIFIERS.contains(word) || word.ends_with(')'));
    if let Some(word) = rest.next() {
        let mut name =
            || rest.next().is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || "_$<*&'\"".contains(c)));
        if word.starts_with("impl<") || KEYWORDS.contains(&word) && (word == "func" || name()) {
            return true;
        }
    }
    is_bound_function(text) || is_braced_function(text, below)
}

/// `const f = async (x) => {`, `f: function (x) {`.
fn is_bound_function(text: &str) -> bool {
    let Some((name, value)) = text.split_once([':', '=']) else { return false };
    let named = name.trim_end().ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    named
        && !value.starts_with('=')
        && text.ends_with('{')
        && (value.contains("=>") || value.trim_start().trim_start_matches("async").trim_start().starts_with("function"))
}

/// `int main(void) {`, `name(a, b) {`, or such a head with the brace on the next line.
fn is_braced_function(text: &str, below: &[&str]) -> bool {
    let Some(open) = text.find('(') else { return false };
    let head = text[..open].trim_end();
    let named = head.ends_with(|c: char| c.is_alphanumeric() || "_$~>=".contains(c))
        && !head.contains(['=', '"', '\'', ';', '?'])
        || head.contains("operator");
    let next_opens =
        || below.iter().find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim_start().starts_with('{'));
    let ends = text.trim_end_matches(|c: char| c == '{' || c.is_whitespace());
    let opens = text.ends_with('{') && ends.contains(')') || text.ends_with(')') && next_opens();
    named && opens && !head.contains('.')
}

/// `out:` alone, as in C.
fn is_label(text: &str) -> bool {
    text.strip_suffix(':')
        .is_some_and(|word| word == "default" || word.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        && !CONTROL.contains(&text.trim_end_matches(':'))
}

/// `## Heading` between blank lines, or `[section]`.
fn is_heading(lines: &[&str], at: usize) -> bool {
    let line = lines[at].trim_end();
    let blank = |at: Option<usize>| at.and_then(|at| lines.get(at)).is_none_or(|line| line.trim().is_empty());
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&marks) {
        return line[marks..].starts_with(' ') && blank(at.checked_sub(1)) && (blank(Some(at + 1)) || marks > 1);
    }
    line.starts_with('[')
        && line.ends_with(']')
        && line.len() > 2
        && !line.contains(['(', '=', '\''])
        && blank(at.checked_sub(1))
}

/// The smallest extension of `range` to whole lines, with lines above and below added as needed, that occurs once in
/// `text`. It has no final line feed unless the range has. None if 40 lines do not suffice, or if the text repeats too
/// often to tell.
#[must_use]
pub fn unique_context(text: &str, range: Range<usize>) -> Option<String> {
    let bytes = text.as_bytes();
    if range.start > range.end || range.end > bytes.len() {
        return None;
    }
    let start = bytes[..range.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = if range.end > range.start && bytes[range.end - 1] == b'\n' {
        range.end
    } else {
        memchr::memchr(b'\n', &bytes[range.end..]).map_or(bytes.len(), |at| range.end + at)
    };
    let others = other_places(bytes, start..end)?;
    let above = starts_above(bytes, start);
    let below = ends_below(bytes, end);
    // For each other place: how many lines above, and below, are the same there.
    let same: Vec<(usize, usize)> = others
        .iter()
        .map(|at| {
            let up = above.iter().take_while(|from| bytes[..*at].ends_with(&bytes[**from..start])).count();
            let down = below.iter().take_while(|to| bytes[at + (end - start)..].starts_with(&bytes[end..**to])).count();
            (up, down)
        })
        .collect();
    let best = (0..=above.len())
        .filter_map(|up| {
            let down = same.iter().filter(|place| place.0 >= up).map(|place| place.1 + 1).max().unwrap_or(0);
            (down <= below.len()).then_some((up + down, down, up))
        })
        .min()?;
    let (total, down, up) = best;
    let from = if up == 0 { start } else { above[up - 1] };
    let to = if down == 0 { end } else { below[down - 1] };
    (total <= MAX_CONTEXT).then(|| text.get(from..to).map(str::to_owned)).flatten()
}

/// Where else the bytes of `range` stand, overlapping ones too.
fn other_places(bytes: &[u8], range: Range<usize>) -> Option<Vec<usize>> {
    if range.is_empty() {
        return None;
    }
    let finder = Finder::new(&bytes[range.clone()]);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(&bytes[from..]) {
        let place = from + at;
        from = place + 1;
        if place != range.start {
            places.push(place);
        }
        if places.len() > MAX_PLACES {
            return None;
        }
    }
    Some(places)
}

/// Beginnings of the lines above `start`, the nearest first.
fn starts_above(bytes: &[u8], start: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = start;
    while at > 0 && starts.len() < MAX_CONTEXT {
        at = bytes[..at - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |lf| lf + 1);
        starts.push(at);
    }
    starts
}

/// Ends of the lines below `end`, the nearest first: after the line feed if the range ends after one, else before.
fn ends_below(bytes: &[u8], end: usize) -> Vec<usize> {
    let whole = end > 0 && bytes[end - 1] == b'\n';
    let mut ends = Vec::new();
    let mut at = end;
    while at < bytes.len() && ends.len() < MAX_CONTEXT {
        let from = if whole { at } else { at + 1 };
        let Some(lf) = memchr::memchr(b'\n', &bytes[from.min(bytes.len())..]) else {
            if from < bytes.len() {
                ends.push(bytes.len());
            }
            break;
        };
        at = from + lf + usize::from(whole);
        ends.push(at);
    }
    ends
}

/// `text` with the white space that is easily overlooked made visible: a tab as `→`, spaces at a line's end as `·`, a
/// carriage return as `␍`, other spaces and invisible characters as `<U+00A0>`.
#[must_use]
pub fn show_whitespace(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let solid = line.trim_end_matches([' ', '\t', '\r']).len();
        for (at, c) in line.char_indices() {
            match c {
                '\t' => out.push('→'),
                '\r' => out.push('␍'),
                ' ' if at >= solid => out.push('·'),
                ' ' => out.push(' '),
                c if is_invisible(c) => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
                c => out.push(c),
            }
        }
        out.push_str(end);
    }
    out
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
