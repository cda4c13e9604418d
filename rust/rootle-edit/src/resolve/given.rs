//! Whose indentation the new text has: the old text's, or that of the file.

use crate::text::{Block, Table, is_blank, leading};

/// How the new text is indented.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Depths {
    /// As the old text is: it has to be carried over.
    Carried,
    /// As the file is, and the old text is not: it must stay as it is.
    AsInFile,
    /// It begins at the file's depth, but with another line.
    Unsure,
}

/// The old text with the lines that stand for it in the file.
pub(super) fn as_in_file<'a>(table: &Table<'a>, old: &Block<'a>, map: &[Option<usize>]) -> Block<'a> {
    let mut there = old.clone();
    for (line, at) in there.lines.iter_mut().zip(map) {
        if let Some(at) = at {
            *line = table.line(*at);
        }
    }
    there
}

/// Tells by the first lines that are not blank.
pub(super) fn depths(old: &Block<'_>, there: &Block<'_>, new: &Block<'_>) -> Depths {
    let first = |block: &Block<'_>| block.lines.iter().position(|line| !is_blank(line));
    let (Some(at), Some(begin)) = (first(old), first(new)) else { return Depths::Carried };
    let (given, file, new) = (old.lines[at], there.lines[at], new.lines[begin]);
    if leading(given) == leading(file) || leading(new) != leading(file) {
        return Depths::Carried;
    }
    if new.trim_end() == file.trim_end() { Depths::AsInFile } else { Depths::Unsure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_tell() {
        for (old, file, new, depths_of) in [
            ("a\n  b", "  a\n    b", "a\n  c", Depths::Carried),
            ("a\n  b", "  a\n    b", "  a\n    c", Depths::AsInFile),
            ("a\n  b", "  a\n    b", "  x\n    c", Depths::Unsure),
            ("a\n  b", "a\n    b", "a\n  c", Depths::Carried),
            (" a", "\ta", "  a", Depths::Carried),
        ] {
            assert_eq!(depths(&Block::new(old), &Block::new(file), &Block::new(new)), depths_of, "{new:?}");
        }
    }
}
