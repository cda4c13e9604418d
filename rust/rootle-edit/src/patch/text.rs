//! A patch's text in lines, freed from what it is wrapped in.

/// The lines of `text` without their line feeds.
///
/// If every line ends in CRLF, that is how the patch travelled and the carriage returns are dropped; if only some do,
/// they are content (a diff of a file with such line ends).
pub(super) fn lines_of(text: &str) -> Vec<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<&str> = text.split('\n').collect();
    let ended = if lines.last() == Some(&"") { lines.pop().is_some() } else { false };
    let whole = if ended { lines.len() } else { lines.len().saturating_sub(1) };
    if whole > 0 && lines[..whole].iter().all(|line| line.ends_with('\r')) {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    lines
}

/// A fence of a Markdown code block: its character and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    /// The fence that `line` opens.
    pub(super) fn opened_by(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let mark = *line.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = line.bytes().take_while(|byte| *byte == mark).count();
        // An info string with a backtick in it is inline code.
        let rest = &line[length..];
        (length >= 3 && !(mark == b'`' && rest.contains('`'))).then_some(Self { mark, length })
    }

    /// Whether `line` closes it.
    pub(super) fn closed_by(self, line: &str) -> bool {
        let line = line.trim_end();
        line.len() >= self.length && line.bytes().all(|byte| byte == self.mark)
    }
}

/// The word that ends a here-document which `line` starts (`apply_patch <<'EOF'`).
pub(super) fn heredoc_word(line: &str) -> Option<&str> {
    let at = line.find("<<")?;
    let rest = line[at + 2..].trim_start_matches('-').trim_start();
    if rest.starts_with('<') {
        return None;
    }
    let rest = rest.trim_start_matches('\\');
    let (word, after) = match rest.chars().next()? {
        quote @ ('\'' | '"') => rest[1..].split_once(quote)?,
        _ => rest.split_at(rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())),
    };
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    // `<< word` in prose or `a << b` in code goes on after it in most cases; a redirection may follow a here-document.
    let after = after.trim();
    (plain && (after.is_empty() || after.starts_with(['>', '|', '&', ';', ')', '"', '\'']))).then_some(word)
}

/// Drops the end of a here-document, if one was started before line `from`, and what follows it.
pub(super) fn cut_heredoc<'a, 'b>(lines: &'b [&'a str], from: usize) -> &'b [&'a str] {
    let Some(word) = lines[..from].iter().rev().take(3).find_map(|line| heredoc_word(line)) else {
        return lines;
    };
    match lines[from..].iter().position(|line| line.trim_end() == word) {
        Some(end) => &lines[..from + end],
        None => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriage_returns_are_dropped_when_all_lines_have_them() {
        assert_eq!(lines_of("a\r\nb\r\n"), ["a", "b"]);
        assert_eq!(lines_of("a\r\nb"), ["a", "b"]);
        assert_eq!(lines_of("a\r\nb\n"), ["a\r", "b"]);
        assert_eq!(lines_of("\u{feff}a\n\nb"), ["a", "", "b"]);
        assert_eq!(lines_of(""), Vec::<&str>::new());
    }

    #[test]
    fn here_documents_are_recognised() {
        for (line, word) in [
            ("apply_patch <<'EOF'", Some("EOF")),
            ("cat <<\"END\" | git apply", Some("END")),
            ("git apply <<-EOF", Some("EOF")),
            ("<<EOF", Some("EOF")),
            ("patch -p1 <<\\EOF > log", Some("EOF")),
            ("bash -lc \"apply_patch <<'P'", Some("P")),
            ("x = 1 << n", Some("n")),
            ("x << y + 1", None),
            ("cat <<< word", None),
            ("nothing", None),
        ] {
            assert_eq!(heredoc_word(line), word, "{line}");
        }
    }

    #[test]
    fn fences_close_with_their_own_mark() {
        let fence = Fence::opened_by("```diff").unwrap();
        assert!(fence.closed_by("```") && fence.closed_by("````  "));
        assert!(!fence.closed_by("~~~") && !fence.closed_by("```diff") && !fence.closed_by("``"));
        assert!(Fence::opened_by("```inline``` code").is_none() && Fence::opened_by("``").is_none());
    }
}
