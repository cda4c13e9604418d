//! HTML entities in place of the characters.

const NAMES: &[(&str, &str)] = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#x22;", "\""),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
    ("&#38;", "&"),
];

/// Both texts with the entities of markup decoded, if the old one has some.
pub(super) fn decode(old: &str, new: &str) -> Option<(String, String)> {
    let plain = text(old);
    (plain != old).then(|| (plain, text(new)))
}

fn text(given: &str) -> String {
    let mut plain = String::with_capacity(given.len());
    let mut rest = given;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = NAMES.iter().find(|(name, _)| rest.starts_with(name));
        let (name, character) = known.copied().unwrap_or(("&", "&"));
        plain.push_str(character);
        rest = &rest[name.len()..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_once() {
        for (given, plain) in [
            ("a &lt; b &amp;&amp; c", "a < b && c"),
            ("&amp;lt;", "&lt;"),
            ("&quot;x&#39;", "\"x'"),
            ("&x; &", "&x; &"),
        ] {
            assert_eq!(text(given), plain);
        }
        assert_eq!(decode("a", "&lt;"), None);
    }
}
