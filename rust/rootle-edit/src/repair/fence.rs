//! A Markdown fence around the text.

/// The texts without the fence around the old one, and without the one around the new one if it has it.
pub(super) fn remove(old: &str, new: &str) -> Option<(String, String)> {
    let bare = inside(old)?;
    Some((bare, inside(new).unwrap_or_else(|| new.to_owned())))
}

fn inside(text: &str) -> Option<String> {
    let body = text.trim();
    let mark = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark))?;
    let (first, rest) = body.split_once('\n')?;
    let info = first.trim_start_matches(&mark[..1]);
    // A fence's first line names a language at most.
    if info.trim().contains(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim_end();
    let inner = rest.strip_suffix(rest.rsplit('\n').next()?)?;
    let last = &rest[inner.len()..];
    (last.trim().len() >= 3 && last.trim().chars().all(|c| mark.starts_with(c))).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_go() {
        for (text, expected) in [
            ("```\na\n```", Some("a\n")),
            ("\n```python\n  a\n\nb\n```\n", Some("  a\n\nb\n")),
            ("~~~~js\na\n~~~~", Some("a\n")),
            ("```\n```", Some("")),
            ("```a", None),
            ("```\na", None),
            ("a\n```\nb\n```", None),
            ("```some words\na\n```", None),
        ] {
            assert_eq!(inside(text).as_deref(), expected, "{text:?}");
        }
    }
}
