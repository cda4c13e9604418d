//! What stands between quotes on a line: white space counts there.

use super::fold;

/// Whether the quoted parts of two lines are the same, white space and all. A quote that does not end on the line is none:
/// it may be an apostrophe.
pub(crate) fn quotes_alike(a: &str, b: &str) -> bool {
    quoted(&fold(a)) == quoted(&fold(b))
}

fn quoted(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let quote = rest.as_bytes()[open];
        let body = &rest[open + 1..];
        match closing(body, quote) {
            Some(end) => {
                found.push(body[..end].to_owned());
                rest = &body[end + 1..];
            }
            None => rest = body,
        }
    }
    found
}

fn closing(body: &str, quote: u8) -> Option<usize> {
    let mut escaped = false;
    body.bytes().position(|byte| {
        let closes = byte == quote && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_count_between_quotes_only() {
        for (a, b, alike) in [
            ("f( \"a b\" )", "f(\"a b\")", true),
            ("f(\"a  b\")", "f(\"a b\")", false),
            ("f('a', 'b c')", "f('a','b c')", true),
            ("f(\"\\\" a\")", "f(\"\\\"  a\")", false),
            ("it's  so", "it's so", true),
            ("f(\u{201c}a b\u{201d})", "f( \"a b\")", true),
        ] {
            assert_eq!(quotes_alike(a, b), alike, "{a} {b}");
        }
    }
}
