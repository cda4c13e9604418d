//! Indentation of the caller's text carried over to the file's.

/// What is known from lines that are in both: the indentation in the old text and in the file.
#[derive(Debug)]
pub(crate) struct Indents<'a> {
    /// Number of the old text's line, its indentation there, and in the file. In order.
    known: Vec<(usize, &'a str, &'a str)>,
}

/// Widths of a tab that are tried, the most usual first.
const TAB_WIDTHS: [usize; 4] = [4, 2, 8, 3];
/// Ratios of the file's indentation to the old text's.
const RATIOS: [(usize, usize); 6] = [(2, 1), (1, 2), (4, 1), (1, 4), (4, 3), (3, 4)];

impl<'a> Indents<'a> {
    pub(crate) fn new(known: Vec<(usize, &'a str, &'a str)>) -> Self {
        Self { known }
    }

    /// Whether the file is indented as the old text is.
    pub(crate) fn same(&self) -> bool {
        self.known.iter().all(|(_, old, file)| old == file)
    }

    /// The file's indentation of an old line, if known.
    pub(crate) fn of(&self, line: usize) -> Option<(&'a str, &'a str)> {
        self.known.iter().find(|known| known.0 == line).map(|known| (known.1, known.2))
    }

    /// The file's indentation for a new line that stands near line `at` of the old text.
    pub(crate) fn adapt(&self, indent: &str, at: usize) -> String {
        if self.same() {
            return indent.to_owned();
        }
        let distance = |known: &&(usize, &str, &str)| known.0.abs_diff(at);
        if let Some(known) = self.known.iter().filter(|known| known.1 == indent).min_by_key(distance) {
            return known.2.to_owned();
        }
        self.shifted(indent)
            .or_else(|| self.in_columns(indent))
            .or_else(|| self.scaled(indent))
            .unwrap_or_else(|| self.from_neighbour(indent, at))
    }

    /// One prefix is before all of the file's lines, or is missing in all of them.
    fn shifted(&self, indent: &str) -> Option<String> {
        let (_, old, file) = *self.known.first()?;
        if let Some(prefix) = file.strip_suffix(old) {
            let all = self.known.iter().all(|(_, old, file)| file.strip_suffix(old) == Some(prefix));
            return all.then(|| format!("{prefix}{indent}"));
        }
        let prefix = old.strip_suffix(file)?;
        let all = self.known.iter().all(|(_, old, file)| old.strip_suffix(file) == Some(prefix));
        all.then(|| indent.strip_prefix(prefix).unwrap_or("").to_owned())
    }

    /// The same columns for some width of a tab, but for a shift.
    fn in_columns(&self, indent: &str) -> Option<String> {
        let style = Style::of(self.known.iter().map(|known| known.2));
        TAB_WIDTHS.into_iter().find_map(|width| {
            let (_, old, file) = self.known.first()?;
            let (old, file) = (columns(old, width), columns(file, width));
            let all = self.known.iter().all(|(_, o, f)| columns(f, width) + old == columns(o, width) + file);
            all.then(|| style.render((columns(indent, width) + file).saturating_sub(old), width))
        })
    }

    /// The file's unit of indentation is another one.
    fn scaled(&self, indent: &str) -> Option<String> {
        let style = Style::of(self.known.iter().map(|known| known.2));
        let (_, old, file) = self.known.iter().min_by_key(|known| columns(known.1, 4))?;
        let (old, file) = (columns(old, 4), columns(file, 4));
        let to_file = |indent: &str, (times, parts): (usize, usize)| {
            let deeper = columns(indent, 4).checked_sub(old)? * times;
            (deeper % parts == 0).then_some(file + deeper / parts)
        };
        RATIOS.into_iter().find_map(|ratio| {
            let all = self.known.iter().all(|(_, o, f)| to_file(o, ratio) == Some(columns(f, 4)));
            if all { Some(style.render(to_file(indent, ratio)?, 4)) } else { None }
        })
    }

    /// As much deeper or less deep than the nearest known line as in the old text.
    fn from_neighbour(&self, indent: &str, at: usize) -> String {
        let shared = |old: &str| old.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = self.known.iter().min_by_key(|known| {
            let other = known.1.len() + indent.len() - 2 * shared(known.1);
            (other, known.0.abs_diff(at))
        });
        let Some((_, old, file)) = nearest else { return indent.to_owned() };
        match indent.strip_prefix(old) {
            Some(deeper) if file.contains('\t') && !deeper.is_empty() && deeper.bytes().all(|b| b == b' ') => {
                format!("{file}{}", Style { tabs: true, spaces: false }.render(deeper.len(), 4))
            }
            Some(deeper) => format!("{file}{deeper}"),
            None => {
                let less = columns(old, 4).saturating_sub(columns(indent, 4));
                let style = Style::of(self.known.iter().map(|known| known.2));
                style.render(columns(file, 4).saturating_sub(less), 4)
            }
        }
    }
}

/// The characters that a file indents with.
#[derive(Clone, Copy)]
struct Style {
    tabs: bool,
    spaces: bool,
}

impl Style {
    fn of<'a>(indents: impl Iterator<Item = &'a str>) -> Self {
        let mut style = Self { tabs: false, spaces: false };
        for indent in indents {
            style.tabs |= indent.starts_with('\t');
            style.spaces |= indent.starts_with(' ');
        }
        style
    }

    /// What is left over of tabs stays as spaces: so are lines indented that go on with the line before.
    fn render(self, columns: usize, width: usize) -> String {
        if self.tabs && !self.spaces {
            "\t".repeat(columns / width) + &" ".repeat(columns % width)
        } else {
            " ".repeat(columns)
        }
    }
}

fn columns(indent: &str, width: usize) -> usize {
    indent.chars().fold(0, |columns, c| if c == '\t' { (columns / width + 1) * width } else { columns + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_carried_over() {
        for (known, given, expected) in [
            (&[("", ""), ("    ", "    ")][..], "        ", "        "),
            (&[("", "    ")], "    ", "        "),
            (&[("    ", ""), ("        ", "    ")], "            ", "        "),
            (&[("    ", "")], "", ""),
            // Spaces to tabs and back.
            (&[("", ""), ("    ", "\t")], "        ", "\t\t"),
            (&[("    ", "\t"), ("      ", "\t  ")], "          ", "\t\t  "),
            (&[("\t", "  "), ("\t\t", "    ")], "\t\t\t", "      "),
            (&[("", ""), ("\t", "        ")], "\t\t", "                "),
            // Dedented and in spaces where the file has tabs.
            (&[("", "\t"), ("    ", "\t\t")], "        ", "\t\t\t"),
            // Another unit.
            (&[("", ""), ("  ", "    ")], "    ", "        "),
            (&[("    ", "  "), ("        ", "    ")], "            ", "      "),
            // Only the first line has lost its indentation.
            (&[("", "    "), ("        ", "        "), ("    ", "    ")], "            ", "            "),
        ] {
            let numbered = known.iter().enumerate().map(|(line, &(old, file))| (line, old, file)).collect();
            assert_eq!(Indents::new(numbered).adapt(given, 0), expected, "{known:?} {given:?}");
        }
        let indents = Indents::new(vec![(0, "", "  "), (5, "", "")]);
        assert_eq!((indents.adapt("", 1), indents.adapt("", 4)), ("  ".into(), String::new()));
    }
}
