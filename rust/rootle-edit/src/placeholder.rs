//! Lines by which models say that they have left code out.

use crate::merge::delta;
use crate::text::{Block, is_blank, leading};

/// Words around the dots that tell a placeholder.
const WITH_DOTS: &[&str] = &[
    "rest of",
    "remainder of",
    "remaining",
    "existing",
    "unchanged",
    "same as",
    "previous code",
    "other code",
    "omitted",
    "code here",
    "continues",
    "as before",
    "keep",
    "implementation",
    "more code",
    "your code",
    "original",
];
/// Comments that are placeholders without dots, whole.
const ALONE: &[&str] = &[
    "existing code",
    "existing code here",
    "unchanged code",
    "remaining code",
    "rest unchanged",
    "code unchanged",
    "code omitted",
    "omitted for brevity",
    "unchanged",
    "no changes",
    "no changes here",
    "other code remains the same",
    "previous code",
    "existing implementation",
    "implementation unchanged",
    "keep existing code",
    "same as before",
    "rest remains the same",
    "everything else unchanged",
];
/// How a comment begins that is a placeholder if it ends with one of [`STAYS`] or says nothing more.
const REST: &[&str] = &["rest of ", "the rest of ", "remainder of ", "the remainder of ", "remaining ", "existing "];
const STAYS: &[&str] =
    &["unchanged", "the same", "as before", "as is", "omitted", "goes here", "stays", "here", "continues", "same"];
/// What the rest may be the rest of.
const OF: &[&str] = &[
    "code",
    "file",
    "function",
    "method",
    "class",
    "implementation",
    "module",
    "body",
    "script",
    "component",
    "content",
    "methods",
    "functions",
    "imports",
    "tests",
    "document",
];

/// The first line of the new text that is a placeholder and stands neither in the old text nor in the file.
pub(crate) fn find<'a>(old: &str, new: &'a str, file: &str) -> Option<&'a str> {
    let known = |line: &str| old.contains(line.trim()) || file.contains(line.trim());
    let lines: Vec<&str> = new.lines().filter(|line| !line.trim().is_empty()).collect();
    // Within a longer comment, dots are a part of what it tells.
    let in_comment = |at: usize| {
        let comment =
            |at: Option<usize>| at.and_then(|at| lines.get(at)).is_some_and(|line| comment_body(line).is_some());
        comment(at.checked_sub(1)) && comment(Some(at + 1))
    };
    let is = |(at, line): &(usize, &&str)| {
        (is_placeholder(line) || (is_dotted_comment(line) && !in_comment(*at))) && !known(line)
    };
    lines.iter().enumerate().find(is).map(|(_, line)| line.trim()).or_else(|| bare_dots(old, new))
}

/// Dots alone on a line, put in the place of lines of the old text. As the whole of a block they are a stub's body.
fn bare_dots<'a>(old: &str, new: &'a str) -> Option<&'a str> {
    let is_dots = |line: &str| matches!(line.trim(), "..." | "\u{2026}");
    if !new.lines().any(is_dots) || old.lines().any(is_dots) {
        return None;
    }
    let (old, new) = (Block::new(old), Block::new(new));
    let solid = |line: &&&str| !is_blank(line);
    let written = delta(&old.lines, &new.lines)
        .into_iter()
        .filter(|hunk| old.lines[hunk.old.clone()].iter().any(|line| !is_blank(line)));
    let in_place = |number: usize| {
        let line = new.lines[number];
        let shallower = |other: &str| leading(other).len() < leading(line).len();
        let above = new.lines[..number].iter().rfind(solid);
        let below = new.lines[number + 1..].iter().find(solid);
        let opened = above.is_none_or(|above| {
            let body = above.trim();
            shallower(above)
                || ["\"\"\"", "'''"].iter().any(|quotes| body.ends_with(quotes))
                // Python's prompt for a line that goes on.
                || body.starts_with("...")
                || body.starts_with(">>>")
        });
        opened && below.is_none_or(|below| shallower(below) || below.trim().starts_with(">>>"))
    };
    let lines: Vec<usize> = written.flat_map(|hunk| hunk.new).collect();
    lines.into_iter().find(|&line| is_dots(new.lines[line]) && !in_place(line)).map(|line| new.lines[line].trim())
}

/// Whether a line says in words that code was left out.
pub(crate) fn is_placeholder(line: &str) -> bool {
    let comment = comment_body(line);
    let body = comment.unwrap_or_else(|| line.trim());
    let dots = |c: char| c == '.' || c == '\u{2026}';
    let bare = body.trim_matches(|c: char| dots(c) || c.is_whitespace() || "()[]{}".contains(c));
    if bare.is_empty() || bare.len() > 80 {
        return false;
    }
    let words = bare.to_lowercase();
    let dotted = body.trim_matches(['(', ')', '[', ']', '{', '}']).trim();
    let dotted = ["...", "\u{2026}"].into_iter().any(|mark| dotted.starts_with(mark) || dotted.ends_with(mark));
    if dotted && WITH_DOTS.iter().any(|known| words.contains(known)) && (comment.is_some() || starts_with_dots(body)) {
        return true;
    }
    comment.is_some() && (ALONE.contains(&words.as_str()) || is_rest(&words))
}

fn is_rest(words: &str) -> bool {
    let Some(what) = REST.iter().find_map(|start| words.strip_prefix(start)) else { return false };
    let what = what.trim_start_matches("the ").trim_start_matches("this ").trim_start_matches("your ");
    let Some(after) = OF.iter().find_map(|of| what.strip_prefix(of)) else { return false };
    let after = after.trim_start_matches([',', ':']).trim();
    let after = after.trim_start_matches("code").trim();
    after.is_empty() || STAYS.iter().any(|stays| after.ends_with(stays))
}

fn starts_with_dots(body: &str) -> bool {
    let body = body.trim_start_matches(['(', '[', '{']);
    body.starts_with("...") || body.starts_with('\u{2026}')
}

/// A comment that holds dots only.
fn is_dotted_comment(line: &str) -> bool {
    comment_body(line).is_some_and(|body| matches!(body, "..." | "\u{2026}"))
}

/// The text of a line that is a comment as a whole.
pub(crate) fn comment_body(line: &str) -> Option<&str> {
    let line = line.trim();
    let pairs = [("{/*", "*/}"), ("/*", "*/"), ("<!--", "-->"), ("{#", "#}"), ("(*", "*)"), ("\"\"\"", "\"\"\"")];
    for (open, close) in pairs {
        if let Some(body) = line.strip_prefix(open) {
            return Some(body.strip_suffix(close).unwrap_or(body).trim());
        }
    }
    let open = ["//", "#", "--", ";", "%", "*", "'"].into_iter().find(|open| line.starts_with(open))?;
    Some(line.trim_start_matches(open).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told() {
        for line in [
            "# ... rest of code unchanged ...",
            "// ... existing code ...",
            "    // rest of the function remains unchanged",
            "/* ... rest of the file ... */",
            "<!-- existing code -->",
            "{/* ... existing code ... */}",
            "-- rest of code",
            "# Rest of the implementation stays the same",
            "// ...remaining methods...",
            "... existing code ...",
            "[... rest of file unchanged ...]",
            "# (existing code here)",
            "# unchanged",
            "; ... code omitted ...",
            "# \u{2026} existing code \u{2026}",
        ] {
            assert!(is_placeholder(line), "{line}");
        }
        for line in [
            "...",
            "    ...",
            "def f(): ...",
            "# the rest of the words are split",
            "# existing users keep their names",
            "// remaining time in seconds",
            "# unchanged files are skipped",
            "print('... existing code ...')",
            "# Loading...",
            "x = rest_of_code",
            "*",
            "",
        ] {
            assert!(!is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn known_placeholders_pass() {
        assert_eq!(find("a", "b\n  # ...\nc", "a"), Some("# ..."));
        assert_eq!(find("a\n# ...", "b\n  # ...\nc", "a"), None);
        assert_eq!(find("a", "b\n# ... existing code ...", "a\n# ... existing code ..."), None);
        assert_eq!(find("a", "...", "a"), None);
        for (old, new, found) in [
            ("def f():\n    a()\n    return 1", "def f():\n    x()\n    ...\n    return 1", true),
            ("def f():\n    a()\n    b()", "def f():\n    x()\n    ...", true),
            ("def f():\n    a()\n    b()", "def f():\n    ...\n    b()", true),
            ("def f():\n    a()", "def f():\n    ...", false),
            ("def f():\n    a()", "def f():\n    \"\"\"One.\"\"\"\n    ...\n\ndef g():\n    a()", false),
            ("def f():\n    ...\n    b()", "def f():\n    ...\n    c()", false),
            (">>> f()\n1", ">>> for a in b:\n...     f()\n...\n>>> a", false),
            ("    pass", "    ...", false),
        ] {
            assert_eq!(find(old, new, old).is_some(), found, "{new}");
        }
        assert_eq!(find("a", "// one\n// ...\n// two", "a"), None);
    }
}
