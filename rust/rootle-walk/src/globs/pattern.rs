//! What can be told of a glob from its text: where its matches lie, and which hidden names it names.

use crate::globs::expand_braces;

/// More ways to write a glob out than this are not followed up.
const MAX_FORMS: usize = 64;

/// Where the matches of a glob can lie, relative to its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// They lie below this directory; empty if it is not known.
    pub(crate) below: Vec<u8>,
    /// They have so many names; none if there is no bound.
    pub(crate) names: Option<usize>,
}

/// The places of a glob; none if it may match anywhere.
pub(crate) fn places(glob: &str, ignore_case: bool) -> Option<Vec<Place>> {
    let mut places = Vec::new();
    for form in expand_braces(glob, MAX_FORMS)? {
        if !form.contains('/') {
            return None;
        }
        let names: Vec<&str> = form.split('/').filter(|name| !name.is_empty()).collect();
        let literal = names.iter().take(names.len().saturating_sub(1)).take_while(|name| !is_magic(name));
        let below = if ignore_case { String::new() } else { literal.copied().collect::<Vec<_>>().join("/") };
        let bound = (!form.contains("**") && !form.contains(['[', '\\'])).then_some(names.len());
        places.push(Place { below: below.into_bytes(), names: bound });
    }
    Some(places)
}

/// Globs for the hidden files and directories that a glob names: `.github/*.yml` names `.github`.
pub(crate) fn hidden_names(glob: &str) -> Vec<String> {
    let mut hidden = Vec::new();
    for form in expand_braces(glob, MAX_FORMS).unwrap_or_else(|| vec![glob.to_owned()]) {
        let is_hidden = |name: &str| name.starts_with('.') || name.starts_with("\\.") || name.starts_with("[.]");
        if !form.contains('/') {
            if is_hidden(&form) {
                hidden.push(form);
            }
            continue;
        }
        let names: Vec<&str> = form.split('/').collect();
        for (at, name) in names.iter().enumerate() {
            if is_hidden(name) {
                hidden.push(format!("/{}", names[..=at].join("/").trim_start_matches('/')));
            }
        }
    }
    hidden
}

/// Whether some character has a meaning other than itself.
fn is_magic(text: &str) -> bool {
    text.contains(['*', '?', '[', '{', '\\', '}'])
}

/// The glob with its brackets taken for what they are: `[id].tsx` is a common name for a file.
pub(crate) fn literal_brackets(glob: &str) -> Option<String> {
    if !glob.contains('[') || glob.contains('\\') {
        return None;
    }
    let mut text = String::with_capacity(glob.len() + 8);
    for c in glob.chars() {
        if matches!(c, '[' | ']') {
            text.push('\\');
        }
        text.push(c);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_matches_lie() {
        let place = |below: &str, names| Place { below: below.as_bytes().to_vec(), names };
        for (glob, expected) in [
            ("*.py", None),
            ("src/**/*.py", Some(vec![place("src", None)])),
            ("/a/b/*.c", Some(vec![place("a/b", Some(3))])),
            ("*/x", Some(vec![place("", Some(2))])),
            ("a/b", Some(vec![place("a", Some(2))])),
            ("{a,b/c}/*.x", Some(vec![place("a", Some(2)), place("b/c", Some(3))])),
            ("a/[b]/**", Some(vec![place("a", None)])),
        ] {
            assert_eq!(places(glob, false), expected, "{glob}");
        }
        assert_eq!(places("a/b", true), Some(vec![place("", Some(2))]));
    }

    #[test]
    fn which_hidden_names_are_named() {
        for (glob, expected) in [
            ("*.py", vec![]),
            (".env*", vec![".env*"]),
            (".github/**/*.yml", vec!["/.github"]),
            ("a/.b/.c", vec!["/a/.b", "/a/.b/.c"]),
            ("**/.x/*", vec!["/**/.x"]),
            ("{.a,b}/c", vec!["/.a"]),
            ("./a", vec!["/."]),
        ] {
            assert_eq!(hidden_names(glob), expected, "{glob}");
        }
    }

    #[test]
    fn brackets_as_text() {
        assert_eq!(literal_brackets("app/[id]/*.tsx").as_deref(), Some("app/\\[id\\]/*.tsx"));
        assert_eq!(literal_brackets("a"), None);
    }
}
