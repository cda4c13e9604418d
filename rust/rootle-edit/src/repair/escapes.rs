//! Texts that were escaped once too often.

/// Both texts without backslashes before quotes, if the old one has some.
pub(super) fn unescape_quotes(old: &str, new: &str) -> Option<(String, String)> {
    let plain = quotes(old);
    (plain != old).then(|| (plain, quotes(new)))
}

fn quotes(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\'", "'")
}

/// Both texts read as the inside of a string literal, if the old one has an escape in it.
pub(super) fn unescape(old: &str, new: &str) -> Option<(String, String)> {
    let plain = literal(old);
    (plain != old && !breaks_literal(new)).then(|| (plain, literal(new)))
}

/// Whether a line feed would come into a string literal: between two quotes that are not escaped, on one line.
fn breaks_literal(text: &str) -> bool {
    text.lines().any(|line| {
        let mut inside = false;
        let mut pending = false;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => pending |= inside && chars.next() == Some('n'),
                '"' if inside && pending => return true,
                '"' => inside = !inside,
                _ => {}
            }
        }
        false
    })
}

fn literal(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.clone().next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => {}
            Some(quoted @ ('"' | '\'' | '\\' | '/' | '`')) => plain.push(quoted),
            _ => {
                plain.push('\\');
                continue;
            }
        }
        rest.next();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        assert_eq!(quotes(r#"say(\"a\", \'b\', "\n")"#), r#"say("a", 'b', "\n")"#);
        assert_eq!(literal(r#"a\n\tb \"c\" \\n \d"#), "a\n\tb \"c\" \\n \\d");
        assert_eq!(unescape("plain", r"\n"), None);
        assert_eq!(unescape(r"x = 1\ny = 2", r#"x = 1\ny = "a\nb""#), None);
        assert!(unescape(r"x = 1\ny = 2", r#"x = "1"\ny = "a""#).is_some());
        assert_eq!(unescape_quotes("plain", r#"\""#), None);
    }
}
