//! The marks of a diff before the lines.

use crate::text::Block;

/// Both texts without the first character of each line, which is `+`, `-` or a space in all of them.
pub(super) fn remove(old: &str, new: &str) -> Option<(String, String)> {
    let marked = |line: &str| line.trim().is_empty() || line.starts_with(['+', '-', ' ']);
    let strip = |line: &str| line.get(1..).unwrap_or("").to_owned();
    let all = |text: &str| Block::new(text).lines.iter().all(|line| marked(line));
    if !all(old) || !has_marks(old) {
        return None;
    }
    // With marks in the old text, a new one without any has spaces before its lines.
    let new = if all(new) { side(new, '+', '-', strip) } else { new.to_owned() };
    Some((side(old, '-', '+', strip), new))
}

/// Both texts without the `+` and `-` at the beginning of lines; the other lines stay as they are.
pub(super) fn remove_marks_only(old: &str, new: &str) -> Option<(String, String)> {
    let strip = |line: &str| line.strip_prefix(['+', '-']).unwrap_or(line).to_owned();
    has_marks(old).then(|| (side(old, '-', '+', strip), side(new, '+', '-', strip)))
}

fn has_marks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(['+', '-']))
}

/// One side of a diff. Where both marks stand in the text, the lines with the other side's mark go.
fn side(text: &str, own: char, other: char, strip: impl Fn(&str) -> String) -> String {
    let block = Block::new(text);
    let is_diff = block.lines.iter().any(|line| line.starts_with(own));
    let kept = block.lines.iter().filter(|line| !(is_diff && line.starts_with(other)));
    let mut plain = kept.map(|line| strip(line)).collect::<Vec<_>>().join("\n");
    if block.final_newline {
        plain.push('\n');
    }
    plain
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
            (" }\n-\n-a", " }", Some(("}\n\na", "}"))),
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
