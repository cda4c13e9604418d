//! The places of the old text's lines in the file, found in one pass over the file.

use super::likeness::Likeness;

/// Sums are first looked up by their low bits.
const BITS: usize = 4096;

/// The file's lines with the key of each line of the old text.
pub(super) struct Places {
    /// For each line of the old text the number of its group; none for a blank line.
    groups: Vec<Option<usize>>,
    lines: Vec<Vec<usize>>,
}

impl Places {
    /// In the order of the file; none of a blank line.
    pub(super) fn of(&self, old: usize) -> &[usize] {
        self.groups[old].map_or(&[], |group| &self.lines[group])
    }
}

/// Finds them, up to `most` of each line.
pub(super) fn places(likeness: &Likeness<'_>, most: usize) -> Places {
    let (table, old) = (likeness.table, &likeness.old);
    let identity = |line: &usize| (old[*line].key.sum(), old[*line].key.hash());
    let mut wanted: Vec<usize> = (0..old.len()).filter(|&line| !old[line].is_blank()).collect();
    wanted.sort_by_key(identity);
    let mut groups = vec![None; old.len()];
    // Of lines with one key, one stands for all.
    let mut firsts: Vec<usize> = Vec::new();
    for line in wanted {
        if firsts.last().is_none_or(|first| identity(first) != identity(&line)) {
            firsts.push(line);
        }
        groups[line] = Some(firsts.len() - 1);
    }
    let mut seen = [0_u64; BITS / 64];
    let bit = |sum: u32| (sum as usize % BITS / 64, 1_u64 << (sum % 64));
    for first in &firsts {
        let (word, mask) = bit(old[*first].key.sum());
        seen[word] |= mask;
    }
    let mut lines = vec![Vec::new(); firsts.len()];
    for (number, &sum) in table.sums().iter().enumerate() {
        let (word, mask) = bit(sum);
        if seen[word] & mask == 0 {
            continue;
        }
        let from = firsts.partition_point(|first| old[*first].key.sum() < sum);
        let Some(first) = firsts.get(from).filter(|first| old[**first].key.sum() == sum) else { continue };
        let group = if old[*first].key.is_plainly(table.line(number)) {
            from
        } else {
            match firsts.binary_search_by_key(&(sum, table.hash(number)), identity) {
                Ok(group) => group,
                Err(_) => continue,
            }
        };
        if lines[group].len() < most {
            lines[group].push(number);
        }
    }
    Places { groups, lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Block, Table};

    #[test]
    fn every_line_has_its_places() {
        let table = Table::new("f(a, b)\nf(b, a)\n\nf(a,b)\nx\nf(a, b)\n");
        let old = Block::new("f( a, b )\n\nf(b,a)\nf(a,b)\ny");
        let likeness = Likeness::new(&table, &old);
        let found = places(&likeness, 2);
        let found: Vec<&[usize]> = (0..5).map(|line| found.of(line)).collect();
        assert_eq!(found, [&[0, 3][..], &[], &[1], &[0, 3], &[]]);
        assert_eq!(places(&likeness, 9).of(0), [0, 3, 5]);
    }
}
