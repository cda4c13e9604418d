//! An old text that begins after a line's indentation: the new text's lines get that indentation too.

use crate::text::{Block, is_blank, leading};

/// The new text as it must be where the old one is given with the indentation `lead` before it.
pub(super) fn with_lead(lead: &str, old: &str, new: &str) -> String {
    if new.is_empty() {
        return String::new();
    }
    let (old, new_lines) = (Block::pieces(old), Block::pieces(new));
    let (first, rest) = new_lines.lines.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let first =
        if leading(first).starts_with(lead) || is_blank(first) { first.to_owned() } else { format!("{lead}{first}") };
    // The old text's later lines are as the file has them, so the new text's are too.
    let absolute = old.solid() > 1 || !is_relative(lead, new_lines.lines[0], rest);
    let rest =
        rest.iter().map(|line| if absolute || is_blank(line) { (*line).to_owned() } else { format!("{lead}{line}") });
    [first].into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

/// Whether the lines are indented from the first one's depth and not from the margin.
fn is_relative(lead: &str, first: &str, rest: &[&str]) -> bool {
    let Some(at) = rest.iter().position(|line| !is_blank(line)) else { return false };
    let next = leading(rest[at]);
    let opens = first.trim_end().ends_with([':', '{', '(', '[', ',', '\\', '=', '>']);
    let deeper_than_first = !next.is_empty();
    match (opens, deeper_than_first) {
        // Nothing that is not open can have deeper lines after it.
        (false, true) => false,
        (true, true) => next.len() <= lead.len(),
        // Two blank lines set apart what stands at the margin.
        _ => at < 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_get_their_indentation() {
        for (lead, old, new, expected) in [
            ("    ", "a()", "b()", "    b()"),
            ("    ", "a()", "b()\nc()", "    b()\n    c()"),
            ("    ", "a()", "if x:\n    a()", "    if x:\n        a()"),
            // Only the first line has lost its indentation.
            ("    ", "a()", "b()\n    c()", "    b()\n    c()"),
            ("    ", "a()", "if x:\n        a()", "    if x:\n        a()"),
            ("    ", "a()\n    b()", "c()\n\n    b()", "    c()\n\n    b()"),
            ("\t", "a()", "b()\n\nc()", "\tb()\n\n\tc()"),
            ("    ", "a()", "    b()\n    c()", "    b()\n    c()"),
            ("        ", "a()", "a()\n\n    def f():\n        b()", "        a()\n\n    def f():\n        b()"),
            ("    ", "a()", "a()\n\n\ndef f():\n    b()", "    a()\n\n\ndef f():\n    b()"),
            ("    ", "a()", "a()\n\ndef f():\n    b()", "    a()\n\n    def f():\n        b()"),
            ("    ", "a()", "", ""),
        ] {
            assert_eq!(with_lead(lead, old, new), expected, "{old:?} {new:?}");
        }
    }
}
