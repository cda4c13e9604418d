//! The file that a SEARCH/REPLACE block is for, as it stands above the block.

use super::text::Fence;

/// Lines above a block in which its file may be named, blank ones and fences aside.
const LINES_ABOVE: usize = 2;

/// The path on the nearest line above a block.
pub(super) fn file_above(above: &[&str]) -> Option<String> {
    above
        .iter()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .filter_map(|line| if Fence::opened_by(line).is_some() { info_path(line).map(Err) } else { Some(Ok(*line)) })
        .take(LINES_ABOVE)
        .find_map(|line| line.map_or_else(Some, path_in))
}

/// A path in a fence's info string: "```python src/x.py", "```src/x.py".
fn info_path(line: &str) -> Option<String> {
    let info = line.trim().trim_start_matches(['`', '~']);
    let word = info.split_ascii_whitespace().last()?;
    (word.contains('/') || word.contains('.') || info.contains(' ')).then(|| path_in(word)).flatten()
}

/// The path that a line consists of.
fn path_in(line: &str) -> Option<String> {
    let mut text = line.trim();
    let mut marked = false;
    for word in ["#", "//", "--", ";", "/*", "<!--"] {
        if let Some(rest) = text.strip_prefix(word) {
            text = rest.trim_start_matches('#').trim();
            break;
        }
    }
    text = text.trim_end_matches("*/").trim_end_matches("-->").trim();
    for word in ["File:", "file:", "Path:", "path:", "Filename:", "filename:"] {
        text = text.strip_prefix(word).map_or(text, str::trim);
    }
    text = text.trim_end_matches(':');
    for mark in ["**", "`", "\"", "'", "**"] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)) {
            (text, marked) = (inner.trim().trim_end_matches(':'), true);
        }
    }
    let plain = !text.contains(char::is_whitespace) || marked && text.contains(['.', '/']);
    let sentence = text.ends_with(['.', ',', '!', '?', ';', ')']) && !marked;
    let odd = text.contains(['<', '>', '|', '\0', '`', '{', '}', '"']);
    let named = text.contains(['.', '/', '_', '-']) || text.chars().next().is_some_and(char::is_uppercase) || marked;
    (!text.is_empty() && plain && !sentence && !odd && named && text.chars().any(char::is_alphanumeric))
        .then(|| text.strip_prefix("./").unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_above_blocks() {
        for (above, expected) in [
            (&["src/x.py", "```python"][..], Some("src/x.py")),
            (&["```python", "src/x.py"], Some("src/x.py")),
            (&["### `src/my file.py`:", "", "```"], Some("src/my file.py")),
            (&["**src/x.py**", "```"], Some("src/x.py")),
            (&["File: x.py"], Some("x.py")),
            (&["# x.py"], Some("x.py")),
            (&["Makefile", "```make"], Some("Makefile")),
            (&["```python src/x.py"], Some("src/x.py")),
            (&["```src/x.py"], Some("src/x.py")),
            (&["Here is the change to x.py.", "```python"], None),
            (&["Now this", "```"], None),
            (&["```", "then"], None),
            (&["x.py", "This is why", "it is so"], None),
            (&["../../etc/passwd"], Some("../../etc/passwd")),
            (&[], None),
        ] {
            assert_eq!(file_above(above).as_deref(), expected, "{above:?}");
        }
    }
}
