//! A caller's text by lines.

/// Lines without their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    pub(crate) lines: Vec<&'a str>,
    /// Whether the last line ends with a line feed.
    pub(crate) final_newline: bool,
}

impl<'a> Block<'a> {
    /// The lines of a text; an empty text has none.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut block = Self::pieces(text);
        block.final_newline = block.lines.last().is_some_and(|last| last.is_empty());
        if block.final_newline {
            block.lines.pop();
        }
        block.final_newline &= !text.is_empty();
        block
    }

    /// The pieces between line feeds: one more than there are line feeds, so that the last one is empty if the text ends
    /// with a line feed.
    pub(crate) fn pieces(text: &'a str) -> Self {
        let mut lines: Vec<&str> = text.split('\n').collect();
        if let Some((_, ended)) = lines.split_last_mut() {
            for line in ended {
                *line = line.strip_suffix('\r').unwrap_or(line);
            }
        }
        Self { lines, final_newline: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Lines with something on them.
    pub(crate) fn solid(&self) -> usize {
        self.lines.iter().filter(|line| !is_blank(line)).count()
    }
}

pub(crate) fn is_blank(line: &str) -> bool {
    line.chars().all(is_space)
}

/// White space within a line, characters of no width among it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// A line without white space at its ends.
pub(crate) fn trim_space(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// The indentation of a line.
pub(crate) fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(is_space).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_pieces() {
        for (text, lines, newline, pieces) in [
            ("", &[][..], false, &[""][..]),
            ("\n", &[""], true, &["", ""]),
            ("a", &["a"], false, &["a"]),
            ("a\r\nb\r", &["a", "b\r"], false, &["a", "b\r"]),
            ("a\n\n", &["a", ""], true, &["a", "", ""]),
        ] {
            let block = Block::new(text);
            assert_eq!((&block.lines[..], block.final_newline), (lines, newline), "{text:?}");
            assert_eq!(Block::pieces(text).lines, pieces, "{text:?}");
        }
    }
}
