//! Indentation of the caller's text carried over to the file's.

use crate::text::{fold, is_blank, leading};

/// What is known from lines that are in both: the indentation in the old text and in the file.
#[derive(Debug)]
pub(crate) struct Indents<'a> {
    /// Number of the old text's line, its indentation there with plain spaces, and in the file. In order.
    known: Vec<(usize, String, &'a str)>,
    /// Whether the old text has the file's indentation as it is.
    same: bool,
    /// What one level is in the caller's texts and in the file.
    units: Option<(Unit, Unit)>,
}

/// Widths of a tab that are tried, the most usual first.
const TAB_WIDTHS: [usize; 4] = [4, 2, 8, 3];
/// Ratios of the file's indentation to the old text's.
const RATIOS: [(usize, usize); 6] = [(2, 1), (1, 2), (4, 1), (1, 4), (4, 3), (3, 4)];

impl<'a> Indents<'a> {
    /// `given` is how one level looks in the caller's texts, `file` in the file, where that can be told.
    pub(crate) fn new(known: Vec<(usize, &str, &'a str)>, given: Option<Unit>, file: Option<Unit>) -> Self {
        let same = known.iter().all(|(_, old, file)| old == file);
        let known = known.into_iter().map(|(line, old, file)| (line, plain(old), file)).collect();
        Self { known, same, units: given.zip(file).filter(|(given, file)| given != file) }
    }

    /// Whether the file is indented as the old text is.
    pub(crate) fn same(&self) -> bool {
        self.same
    }

    /// The file's indentation for a new line that stands near line `at` of the old text.
    pub(crate) fn adapt(&self, indent: &str, at: usize) -> String {
        if self.same {
            return indent.to_owned();
        }
        let indent = plain(indent);
        if self.known.iter().all(|(_, old, file)| old == file) {
            return indent;
        }
        let distance = |known: &&(usize, String, &str)| known.0.abs_diff(at);
        if let Some(known) = self.known.iter().filter(|known| known.1 == indent).min_by_key(distance) {
            return known.2.to_owned();
        }
        self.in_units(&indent)
            .or_else(|| self.shifted(&indent))
            .or_else(|| self.in_columns(&indent))
            .or_else(|| self.scaled(&indent))
            .unwrap_or_else(|| self.near_neighbour(&indent, at))
    }

    /// Whether all known lines follow one rule.
    pub(crate) fn is_one_rule(&self) -> bool {
        let follows = |(_, old, file): &(usize, String, &str)| {
            let ways = [self.in_units(old), self.shifted(old), self.in_columns(old), self.scaled(old)];
            ways.into_iter().flatten().any(|made| made == *file)
        };
        // Lines that go on below a bracket may have a level's width in spaces.
        let same_columns = TAB_WIDTHS.iter().any(|&width| {
            let mut shifts = self
                .known
                .iter()
                .map(|(_, old, file)| columns(file, width).cast_signed() - columns(old, width).cast_signed());
            let first = shifts.next();
            shifts.all(|shift| Some(shift) == first)
        });
        same_columns || self.known.iter().all(follows)
    }

    /// The same number of levels, but for a shift, where the caller's levels look otherwise than the file's.
    fn in_units(&self, indent: &str) -> Option<String> {
        let (given, unit) = self.units?;
        let (_, old, file) = self.known.first()?;
        let (old, file) = (given.levels(old), unit.levels(file));
        let fits = |(_, o, f): &(usize, String, &str)| {
            let (o, f) = (given.levels(o), unit.levels(f));
            o.1 == f.1 && f.0 + old.0 == o.0 + file.0
        };
        let (levels, rest) = given.levels(indent);
        let all = self.known.iter().all(fits);
        all.then(|| unit.text((levels + file.0).saturating_sub(old.0)) + &" ".repeat(rest))
    }

    /// One prefix is before all of the file's lines, or is missing in all of them.
    fn shifted(&self, indent: &str) -> Option<String> {
        let (_, old, file) = self.known.first()?;
        if let Some(prefix) = file.strip_suffix(old.as_str()) {
            let all = self.known.iter().all(|(_, old, file)| file.strip_suffix(old.as_str()) == Some(prefix));
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
        let (_, old, file) = self.known.iter().min_by_key(|known| columns(&known.1, 4))?;
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
    fn near_neighbour(&self, indent: &str, at: usize) -> String {
        let shared = |old: &str| old.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        let nearest = self.known.iter().min_by_key(|known| {
            let other = known.1.len() + indent.len() - 2 * shared(&known.1);
            (other, known.0.abs_diff(at))
        });
        let Some((_, old, file)) = nearest else { return indent.to_owned() };
        match indent.strip_prefix(old.as_str()) {
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

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Tab,
    Spaces(usize),
}

/// Deeper steps than that are not one level, but lines that go on below a bracket.
const MAX_STEP: usize = 8;

impl Unit {
    /// What one level is in these groups of lines: the most usual step from one line's depth to the next one's, if most lines
    /// are indented by multiples of it; else the step, or the least indentation, of which most lines are.
    pub(crate) fn of(groups: &[&[&str]]) -> Option<Self> {
        // Comments that go on with a star stand one space deeper than they begin.
        let counts = |line: &&&str| !is_blank(line) && !line.trim_start().starts_with('*');
        let indents = |lines: &[&str]| -> Vec<(usize, bool)> {
            let indents = lines.iter().filter(counts).map(|line| leading(line));
            indents.map(|indent| (indent.chars().count(), indent.starts_with('\t'))).collect()
        };
        let groups: Vec<Vec<(usize, bool)>> = groups.iter().map(|lines| indents(lines)).collect();
        let all = || groups.iter().flatten().filter(|(width, _)| *width > 0);
        let tabs = all().filter(|(_, tab)| *tab).count();
        if tabs * 2 > all().count() {
            return Some(Self::Tab);
        }
        let steps = groups.iter().flat_map(|group| group.windows(2)).map(|pair| pair[0].0.abs_diff(pair[1].0));
        let mut units: Vec<usize> = steps.filter(|step| (2..=MAX_STEP).contains(step)).collect();
        if units.is_empty() {
            return None;
        }
        units.extend(all().map(|(width, _)| *width).min().filter(|width| (2..=MAX_STEP).contains(width)));
        let fits = |unit: &usize| all().filter(|(width, _)| width % unit == 0).count();
        units.sort_unstable();
        let count = |unit: &usize| units.iter().filter(|other| *other == unit).count();
        let usual = units.iter().copied().max_by_key(|unit| (count(unit), *unit));
        let usual = usual.filter(|unit| fits(unit) * 2 > all().count());
        usual.or_else(|| units.iter().copied().max_by_key(|unit| (fits(unit), *unit))).map(Self::Spaces)
    }

    /// Characters of one level.
    pub(crate) fn width(self) -> usize {
        if let Self::Spaces(size) = self { size } else { 1 }
    }

    fn levels(self, indent: &str) -> (usize, usize) {
        match self {
            Self::Tab => {
                let tabs = indent.bytes().filter(|&byte| byte == b'\t').count();
                (tabs, indent.len() - tabs)
            }
            Self::Spaces(size) => (columns(indent, size) / size, columns(indent, size) % size),
        }
    }

    fn text(self, levels: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(levels),
            Self::Spaces(size) => " ".repeat(size * levels),
        }
    }
}

/// Indentation with plain spaces.
fn plain(indent: &str) -> String {
    fold(indent).into_owned()
}

fn columns(indent: &str, width: usize) -> usize {
    indent.chars().fold(0, |columns, c| if c == '\t' { (columns / width + 1) * width } else { columns + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_decide_where_one_line_leaves_it_open() {
        use Unit::{Spaces, Tab};
        for (old, file, units, given, expected) in [
            ("      ", "            ", (Spaces(2), Spaces(4)), "  ", "    "),
            ("        ", "    ", (Spaces(8), Spaces(4)), "                ", "        "),
            ("  ", "\t\t", (Spaces(2), Tab), "    ", "\t\t\t"),
            ("\t", "  ", (Tab, Spaces(2)), "\t\t ", "     "),
            ("    ", "        ", (Spaces(4), Spaces(4)), "        ", "            "),
            // The levels do not fit, so it is a shift.
            ("   ", "       ", (Spaces(2), Spaces(4)), "    ", "        "),
        ] {
            let indents = Indents::new(vec![(0, old, file)], Some(units.0), Some(units.1));
            assert_eq!(indents.adapt(given, 0), expected, "{old:?} {file:?} {given:?}");
        }
        for (lines, unit) in [
            (&["a", "  b", "    c", "d"][..], Some(Spaces(2))),
            (&["a(", "    b", "      c", "d", "    e"], Some(Spaces(4))),
            (&["a", "\tb"], Some(Tab)),
            (&["        a", "b"], Some(Spaces(8))),
            (&["    a"], None),
        ] {
            assert_eq!(Unit::of(&[lines]), unit, "{lines:?}");
        }
    }

    #[test]
    fn no_break_spaces_become_spaces() {
        let indents = Indents::new(vec![(0, "\u{a0}\u{a0}", "  ")], None, None);
        assert_eq!(indents.adapt("\u{a0}\u{a0}\u{a0}\u{a0}", 0), "    ");
    }

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
            assert_eq!(Indents::new(numbered, None, None).adapt(given, 0), expected, "{known:?} {given:?}");
        }
        let indents = Indents::new(vec![(0, "", "  "), (5, "", "")], None, None);
        assert_eq!((indents.adapt("", 1), indents.adapt("", 4)), ("  ".into(), String::new()));
    }
}
