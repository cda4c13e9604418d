//! The old text as whole lines: the same under the loosest key, blank lines apart. The strictest tier that holds is told
//! for each place.

use super::{Placement, Span};
use crate::Tier;
use crate::budget::{Budget, Spent};
use crate::text::{Block, Key, Table, line_tier};

/// A place by line numbers.
pub(crate) struct Whole {
    /// For each line of the old text the file's line, counted from 0.
    pub(crate) map: Vec<Option<usize>>,
    pub(crate) tier: Tier,
}

impl Whole {
    pub(crate) fn placement(&self, table: &Table<'_>) -> Placement {
        place(table, &self.map, self.tier, 1.0)
    }
}

/// The placement of whole lines.
pub(crate) fn place(table: &Table<'_>, map: &[Option<usize>], tier: Tier, score: f64) -> Placement {
    let span = |line: usize| Span { start: table.lines[line].start, end: table.lines[line].end };
    Placement { spans: map.iter().map(|line| line.map(span)).collect(), whole: true, tier, score }
}

/// More places are not looked for.
const MAX_PLACES: usize = 10_000;

/// All places in the order of the file. Blank lines alone are found nowhere.
pub(crate) fn whole_lines(table: &Table<'_>, old: &Block<'_>, budget: &mut Budget) -> Result<Vec<Whole>, Spent> {
    let pattern: Vec<u32> = old.lines.iter().map(|line| Key::new(line).sum()).collect();
    let solid: Vec<usize> = (0..pattern.len()).filter(|&line| pattern[line] != 0).collect();
    let wanted: Vec<u32> = solid.iter().map(|&line| pattern[line]).collect();
    if wanted.is_empty() || wanted.len() > table.len() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let failure = failures(&wanted);
    let mut matched = 0;
    for (line, &sum) in table.sums().iter().enumerate().filter(|(_, sum)| **sum != 0) {
        while matched > 0 && (matched == wanted.len() || wanted[matched] != sum) {
            matched = failure[matched - 1];
        }
        if wanted[matched] == sum {
            matched += 1;
        }
        if matched == wanted.len() {
            budget.spend(old.len() as u64)?;
            let mut hit: Vec<usize> = (0..=line).rev().filter(|&line| !table.is_blank(line)).take(matched).collect();
            hit.reverse();
            found.extend(classify(table, old, &solid, &hit));
            if found.len() == MAX_PLACES {
                break;
            }
        }
    }
    Ok(found)
}

/// The failure function of Knuth, Morris and Pratt: for each prefix the length of its longest proper border.
fn failures(pattern: &[u32]) -> Vec<usize> {
    let mut failure = vec![0; pattern.len()];
    let mut border = 0;
    for at in 1..pattern.len() {
        while border > 0 && pattern[border] != pattern[at] {
            border = failure[border - 1];
        }
        border += usize::from(pattern[border] == pattern[at]);
        failure[at] = border;
    }
    failure
}

/// Compares the lines themselves, which tells the tier and undoes collisions of sums.
fn classify(table: &Table<'_>, old: &Block<'_>, solid: &[usize], hit: &[usize]) -> Option<Whole> {
    let mut map = vec![None; old.len()];
    let mut tier = Tier::Exact;
    for (&line, &there) in solid.iter().zip(hit) {
        map[line] = Some(there);
        tier = tier.max(line_tier(old.lines[line], table.line(there))?);
    }
    if !map_blanks(table, &mut map) {
        tier = tier.max(Tier::BlankLines);
    }
    for (line, there) in map.iter().enumerate() {
        if let (Some(there), "") = (there, old.lines[line].trim()) {
            tier = tier.max(line_tier(old.lines[line], table.line(*there)).unwrap_or(tier));
        }
    }
    Some(Whole { map, tier })
}

/// Maps the unmapped lines of the old text, all blank, to blank lines of the file between the mapped neighbours. False if
/// the runs of blank lines differ in length, or at the edges are shorter in the file.
pub(crate) fn map_blanks(table: &Table<'_>, map: &mut [Option<usize>]) -> bool {
    let mut alike = true;
    let mut line = 0;
    while line < map.len() {
        let run = line..map[line..].iter().position(Option::is_some).map_or(map.len(), |next| line + next);
        let before = line.checked_sub(1).and_then(|line| map[line]);
        let after = map.get(run.end).copied().flatten();
        match (before, after) {
            (None, None) => return false,
            (Some(before), after) => {
                let end = after.unwrap_or(table.len());
                let blanks = (before + 1..end).take_while(|&there| table.is_blank(there)).count();
                alike &= if after.is_some() { end - before - 1 == run.len() } else { blanks >= run.len() };
                for (offset, line) in run.clone().enumerate().take(blanks) {
                    map[line] = Some(before + 1 + offset);
                }
            }
            (None, Some(after)) => {
                let blanks = (0..after).rev().take_while(|&there| table.is_blank(there)).count();
                alike &= blanks >= run.len();
                for (offset, line) in run.clone().rev().enumerate().take(blanks) {
                    map[line] = Some(after - 1 - offset);
                }
            }
        }
        line = run.end + 1;
    }
    alike
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, old: &str) -> Vec<(Tier, Vec<Option<usize>>)> {
        let table = Table::new(text);
        let hits = whole_lines(&table, &Block::new(old), &mut Budget::new(1000)).ok().unwrap();
        hits.into_iter().map(|hit| (hit.tier, hit.map)).collect()
    }

    #[test]
    fn tiers_of_blocks() {
        use Tier::{BlankLines, Exact, Indentation, InnerSpace, TrailingSpace, Unicode};
        for (text, old, tier) in [
            ("x\na\nb\n", "a\nb", Exact),
            ("x\na \nb\r\n", "a\nb", TrailingSpace),
            ("\u{201c}a\u{201d}\nb", "\"a\"\nb ", Unicode),
            ("  a\n    b\n", "a\n  b", Indentation),
            ("f(a,b)\nc", "f(a, b)\nc", InnerSpace),
            ("a\n\n\nb", "a\n\nb", BlankLines),
            ("a\nb", "\na\nb\n\n", BlankLines),
            ("\na\nb\n\n", "\na\nb\n\n", Exact),
            ("a\n  \nb", "a\n\nb", TrailingSpace),
        ] {
            let hits = found(text, old);
            assert_eq!(hits.len(), 1, "{text:?} {old:?}");
            assert_eq!(hits[0].0, tier, "{text:?} {old:?}");
        }
        assert!(found("a\nb\n", "\n\n").is_empty());
        assert_eq!(found("a\na\na\n", "a\na").len(), 2);
        assert_eq!(found("a\n\nb\n", "a\n\n\nb")[0].1, [Some(0), Some(1), None, Some(2)]);
    }

    #[test]
    fn work_is_bounded() {
        let table_text = "a\n".repeat(1000);
        let table = Table::new(&table_text);
        let old = "a\n".repeat(100);
        assert!(whole_lines(&table, &Block::new(&old), &mut Budget::new(1000)).is_err());
    }
}
