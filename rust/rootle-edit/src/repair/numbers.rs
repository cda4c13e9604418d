//! Line numbers before the lines, as tools that show files put them.

use crate::text::Block;

/// What stands between the number and the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    /// A character, and if `spaced` a space after it.
    Mark(char),
    /// Spaces only, at least so many.
    Spaces,
}

struct Numbered<'a> {
    number: u64,
    separator: Separator,
    rest: &'a str,
}

/// Both texts without line numbers, if all lines of the old one have them and they count up.
pub(super) fn remove(old: &str, new: &str) -> Option<(String, String)> {
    let block = Block::new(old);
    let (first, last) = solid_part(&block.lines)?;
    let numbered: Vec<Numbered<'_>> =
        block.lines[first..=last].iter().map(|line| split(line)).collect::<Option<_>>()?;
    let separator = numbered.iter().find(|line| !line.rest.trim().is_empty())?.separator;
    let counts = numbered.windows(2).all(|pair| pair[1].number == pair[0].number + 1);
    let same = numbered.iter().all(|line| line.rest.trim().is_empty() || line.separator == separator);
    // A number and spaces at the beginning of one line may be anything.
    let doubtful = numbered.len() == 1 && separator == Separator::Spaces;
    if !counts || !same || doubtful {
        return None;
    }
    let cut = common_spaces(numbered.iter().map(|line| line.rest), separator);
    let plain = |rest: &str| rest.get(cut..).unwrap_or("").to_owned();
    let mut lines: Vec<String> = numbered.iter().map(|line| plain(line.rest)).collect();
    if block.final_newline {
        lines.push(String::new());
    }
    Some((lines.join("\n"), remove_from_new(new, separator, cut)))
}

/// The lines of the new text have numbers too, or none has, or only those that were in the old text.
fn remove_from_new(new: &str, separator: Separator, cut: usize) -> String {
    let block = Block::new(new);
    let has = |line: &&&str| split(line).is_some_and(|line| line.separator == separator || line.rest.trim().is_empty());
    let solid = block.lines.iter().filter(|line| !line.trim().is_empty());
    let (count, numbered) = (solid.clone().count(), solid.filter(has).count());
    if numbered * 2 < count || numbered == 0 {
        return new.to_owned();
    }
    let strip = |line: &&str| match split(line) {
        Some(found) if found.separator == separator || found.rest.trim().is_empty() => {
            found.rest.get(cut..).unwrap_or("").to_owned()
        }
        _ => (*line).to_owned(),
    };
    let mut plain = block.lines.iter().map(strip).collect::<Vec<_>>().join("\n");
    if block.final_newline {
        plain.push('\n');
    }
    plain
}

fn solid_part(lines: &[&str]) -> Option<(usize, usize)> {
    let solid = |line: &&str| !line.trim().is_empty();
    Some((lines.iter().position(solid)?, lines.iter().rposition(solid)?))
}

fn split(line: &str) -> Option<Numbered<'_>> {
    let body = line.trim_start();
    let body = body.strip_prefix('L').unwrap_or(body);
    let digits = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = body.get(..digits)?.parse().ok()?;
    let after = &body[digits..];
    let trimmed = after.trim_start_matches(' ');
    let mark = trimmed.chars().next().filter(|c| matches!(c, '|' | ':' | '\u{2192}' | '\t' | '\u{2502}' | ')'));
    match mark {
        Some(mark) => Some(Numbered { number, separator: Separator::Mark(mark), rest: &trimmed[mark.len_utf8()..] }),
        None if after.is_empty() || after.starts_with(' ') => {
            Some(Numbered { number, separator: Separator::Spaces, rest: after })
        }
        None => None,
    }
}

/// How many spaces belong to the number: one after a visible mark if all lines have it, all that are common without one.
fn common_spaces<'a>(rests: impl Iterator<Item = &'a str>, separator: Separator) -> usize {
    let most = match separator {
        Separator::Mark('\t' | '\u{2192}') => 0,
        Separator::Mark(_) => 1,
        Separator::Spaces => usize::MAX,
    };
    let solid = rests.filter(|rest| !rest.trim().is_empty());
    solid.map(|rest| rest.len() - rest.trim_start_matches(' ').len()).min().unwrap_or(0).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go() {
        for (old, new, plain) in [
            ("7\ta\n8\t  b", "7\ta\n8\t  c", Some(("a\n  b", "a\n  c"))),
            ("  9| a\n 10|\n 11|   b\n", "a\nc", Some(("a\n\n  b\n", "a\nc"))),
            ("1: a\n2: b", "1: a\n2: x\n3: b", Some(("a\nb", "a\nx\nb"))),
            ("9\u{2192}    a\n10\u{2192}    b", "9\u{2192}    c", Some(("    a\n    b", "    c"))),
            ("L3: a\nL4:   b", "L3: a", Some(("a\n  b", "a"))),
            ("5  a\n6    b", "5  a", Some(("a\n  b", "a"))),
            ("1: a\n3: b", "", None),
            ("1: a\nb", "", None),
            ("1| a\n2: b", "", None),
            ("1\n2", "", None),
            ("    1 / 0", "    return 1 / 0", None),
            ("12| a", "12| b", Some(("a", "b"))),
        ] {
            let expected = plain.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(remove(old, new), expected, "{old:?}");
        }
        // Lines that the model added have no numbers.
        assert_eq!(remove("1| a\n2| b", "1| a\nx\n2| b").unwrap().1, "a\nx\nb");
    }
}
