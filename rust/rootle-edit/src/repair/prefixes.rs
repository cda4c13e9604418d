//! The marks of a diff before the lines.

use crate::text::Block;

/// Both texts without the first character of each line, which is `+`, `-` or a space in all of them.
pub(super) fn remove(old: &str, new: &str) -> Option<(String, String)> {
    let marked = |line: &str| line.trim().is_empty() || line.starts_with(['+', '-', ' ']);
    both(old, new, marked, |line| line.get(1..).unwrap_or(""))
}

/// Both texts without the `+` and `-` at the beginning of lines; the other lines stay as they are.
pub(super) fn remove_marks_only(old: &str, new: &str) -> Option<(String, String)> {
    both(old, new, |_| true, |line| line.strip_prefix(['+', '-']).unwrap_or(line))
}

fn both(old: &str, new: &str, marked: impl Fn(&str) -> bool, strip: impl Fn(&str) -> &str) -> Option<(String, String)> {
    // Where both marks stand in one text, it is a diff, and the lines of the other side go.
    let side = |text: &str, own: char, other: char| {
        let block = Block::new(text);
        if !block.lines.iter().all(|line| marked(line)) || !block.lines.iter().any(|line| line.starts_with(['+', '-']))
        {
            return None;
        }
        let is_diff = block.lines.iter().any(|line| line.starts_with(own));
        let kept = block.lines.iter().filter(|line| !(is_diff && line.starts_with(other)));
        let mut plain = kept.map(|line| strip(line)).collect::<Vec<_>>().join("\n");
        if block.final_newline {
            plain.push('\n');
        }
        Some(plain)
    };
    let plain = side(old, '-', '+')?;
    Some((plain, side(new, '+', '-').unwrap_or_else(|| new.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go() {
        for (old, new, plain) in [
            ("-a\n-  b", "+a\n+  c", Some(("a\n  b", "a\n  c"))),
            (" a\n-b\n\n c\n", " a\n+d\n\n c\n", Some(("a\nb\n\nc\n", "a\nd\n\nc\n"))),
            (" a\n-b\n+d\n c", " a\n-b\n+d\n c", Some(("a\nb\nc", "a\nd\nc"))),
            ("+a", "+b", Some(("a", "b"))),
            (" a\n b", " c", None),
            ("a\n-b", "a", None),
        ] {
            let expected = plain.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(remove(old, new), expected, "{old:?}");
        }
        let expected = ("  a\n  b".to_owned(), "  a\n  c".to_owned());
        assert_eq!(remove_marks_only("  a\n-  b", "  a\n+  c"), Some(expected));
    }
}
