//! Whether a match at another depth is one.

use crate::merge::{Indents, Unit};
use crate::text::{Block, Table, fold, is_blank, leading};

/// Lines of the file that show what one level is.
const LINES_AROUND: usize = 200;

/// So many lines may be a copy at another depth by chance.
const FEW_LINES: usize = 3;

/// Whether the file's indentation follows from the old text's by one rule, and for few lines by one that is usual: the
/// text was given from the margin, one level off, or in other units.
pub(super) fn is_plausible(table: &Table<'_>, old: &Block<'_>, new: &Block<'_>, map: &[Option<usize>]) -> bool {
    let solid = old.lines.iter().zip(map).enumerate().filter(|(_, (line, _))| !is_blank(line));
    let folded: Vec<_> = solid
        .filter_map(|(number, (line, there))| Some((number, fold(leading(line)), fold(leading(table.line((*there)?))))))
        .collect();
    let known: Vec<(usize, &str, &str)> = folded.iter().map(|(number, old, file)| (*number, &**old, &**file)).collect();
    if known.iter().all(|(_, old, file)| old == file) {
        return true;
    }
    let first = map.iter().flatten().min().copied().unwrap_or(0);
    let around: Vec<&str> = (first.saturating_sub(LINES_AROUND)..(first + LINES_AROUND).min(table.len()))
        .map(|line| table.line(line))
        .collect();
    let (given, file) = (Unit::of(&[&old.lines, &new.lines]), Unit::of(&[&around]));
    // The first line alone may have lost its indentation.
    let rest = if known.len() > 1 && known[0].1.is_empty() { &known[1..] } else { &known[..] };
    if rest.iter().all(|(_, old, file)| old == file) {
        return true;
    }
    let one_rule = |known: &[(usize, &str, &str)]| Indents::new(known.to_vec(), given, file).is_one_rule();
    if !one_rule(&known) && !one_rule(rest) {
        return false;
    }
    if known.len() > FEW_LINES {
        return true;
    }
    let tabs = |indent: &str| indent.contains('\t');
    let level = file.map_or(4, Unit::width);
    let usual =
        |(_, old, there): &(usize, &str, &str)| tabs(old) != tabs(there) || old.len().abs_diff(there.len()) <= level;
    let from_margin = known.iter().any(|(_, old, _)| old.is_empty());
    from_margin || (given.is_some() && given != file) || known.iter().all(usual)
}
