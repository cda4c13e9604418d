//! How alike lines of the old text and of the file are.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::material::{is_material, is_same_but_comment};
use crate::Tier;
use crate::budget::{Budget, Spent};
use crate::distance;
use crate::text::{Block, Key, Table, is_word, line_tier, loose};

/// Lines that are less alike are different lines.
pub(crate) const MIN_LIKENESS: f64 = 0.6;
/// Longer lines are compared for equality only.
const MAX_CHARS: usize = 4096;

/// One line of the old text.
pub(crate) struct OldLine<'a> {
    pub(crate) text: &'a str,
    pub(crate) key: Key<'a>,
    chars: Vec<char>,
    pub(crate) counts: distance::Counts,
    /// How much it counts in a match.
    pub(crate) weight: f64,
}

/// The weight of a blank line.
const BLANK_WEIGHT: f64 = 0.1;

impl<'a> OldLine<'a> {
    #[allow(clippy::cast_precision_loss)] // the length of a line
    fn new(text: &'a str) -> Self {
        let chars: Vec<char> = loose(text).chars().collect();
        let weight = if chars.is_empty() { BLANK_WEIGHT } else { 0.3 + (chars.len() as f64 / 24.0).min(1.0) };
        let counts = distance::counts(&chars);
        Self { text, key: Key::new(text), chars, counts, weight }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.key.is_blank()
    }

    pub(crate) fn len(&self) -> usize {
        self.chars.len()
    }
}

/// The old text's lines against the file's, each pair compared once.
pub(crate) struct Likeness<'a> {
    pub(crate) table: &'a Table<'a>,
    pub(crate) old: Vec<OldLine<'a>>,
    known: HashMap<usize, f64, Plain>,
    /// The file's lines in the form in which they are compared.
    file: HashMap<usize, (Vec<char>, distance::Counts), Plain>,
}

/// For numbers of lines and keys that are hashes already.
pub(super) type Plain = BuildHasherDefault<Spread>;

/// Spreads a number.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

impl<'a> Likeness<'a> {
    pub(crate) fn new(table: &'a Table<'a>, old: &Block<'a>) -> Self {
        Self {
            table,
            old: old.lines.iter().map(|line| OldLine::new(line)).collect(),
            known: HashMap::default(),
            file: HashMap::default(),
        }
    }

    /// From 0 to 1; see [`equal`] for lines that are the same under a key. 0 for lines less alike than [`MIN_LIKENESS`].
    pub(crate) fn get(&mut self, old: usize, file: usize, budget: &mut Budget) -> Result<f64, Spent> {
        let line = &self.old[old];
        match (line.is_blank(), self.table.is_blank(file)) {
            (true, true) => return Ok(1.0),
            (false, false) => {}
            _ => return Ok(0.0),
        }
        let pair = old * self.table.len() + file;
        if let Some(known) = self.known.get(&pair) {
            return Ok(*known);
        }
        let alike = self.compare(old, file, budget)?;
        self.known.insert(pair, alike);
        Ok(alike)
    }

    #[allow(clippy::cast_precision_loss)] // the lengths of lines
    fn compare(&mut self, old: usize, file: usize, budget: &mut Budget) -> Result<f64, Spent> {
        let (line, other) = (&self.old[old], self.table.line(file));
        if line.key.sum() == self.table.sums()[file]
            && let Some(tier) = line_tier(line.text, other)
        {
            return Ok(equal(tier));
        }
        let first = |text: &str| text.trim_start().chars().next();
        if first(line.text) == first(other) && is_same_but_comment(line.text, other) {
            return Ok(COMMENT);
        }
        // White space can only make the other line longer than its key.
        let (longest, shortest) = (line.len().max(1), other.len());
        if other.len() > MAX_CHARS * 4 || line.len() > MAX_CHARS || shortest * 5 < longest * 3 {
            return Ok(0.0);
        }
        let (chars, counts) = self.file.entry(file).or_insert_with(|| {
            let chars: Vec<char> = loose(other).chars().collect();
            let counts = distance::counts(&chars);
            (chars, counts)
        });
        let longest = line.len().max(chars.len());
        let bound = 1.0 - distance::least(&line.counts, counts) as f64 / longest as f64;
        if bound < MIN_LIKENESS || chars.len() > MAX_CHARS {
            return Ok(0.0);
        }
        budget.spend(distance::cost(line.len(), chars.len()))?;
        let alike = distance::likeness(&line.chars, chars);
        Ok(if alike < MIN_LIKENESS { 0.0 } else { alike * SIMILAR })
    }
}

/// The likeness of any two lines, white space and look-alikes apart.
pub(super) fn likeness_of(a: &str, b: &str) -> f64 {
    let chars = |line: &str| loose(line).chars().collect::<Vec<char>>();
    distance::likeness(&chars(a), &chars(b))
}

impl Likeness<'_> {
    /// Whether two similar lines mean different things.
    pub(crate) fn is_material(&self, old: usize, file: usize) -> bool {
        let text = self.table.text;
        is_material(self.old[old].text, self.table.line(file), &|word| count_word(text, word))
    }
}

/// How often a text holds a word that is not part of a longer one, up to a few times.
fn count_word(text: &str, word: &str) -> usize {
    let whole = |at: &usize| {
        let at = *at;
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(is_word)
    };
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).filter(whole).take(ENOUGH).count()
}

/// More are not counted.
const ENOUGH: usize = 4;

/// Similar lines are less alike than lines that are the same under a key.
pub(crate) const SIMILAR: f64 = 0.95;

/// The likeness of lines that are the same but for a comment at their ends.
pub(crate) const COMMENT: f64 = 0.94;

/// The likeness of lines that are the same under a key.
fn equal(tier: Tier) -> f64 {
    match tier {
        Tier::Exact => 1.0,
        Tier::TrailingSpace => 0.999,
        Tier::Unicode => 0.995,
        Tier::Indentation => 0.98,
        _ => 0.96,
    }
}

/// Whether a likeness is one of lines that are the same under a key.
pub(crate) fn is_equal(alike: f64) -> bool {
    alike > SIMILAR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_before_similar_before_different() {
        let text = "return foo(a, b)\n  return foo(a, b)\nreturn fo(a, b)\nreturn foo(a, b) \nwhile True:\n\n";
        let table = Table::new(text);
        let old = Block::new("return foo(a, b)\n");
        let mut likeness = Likeness::new(&table, &old);
        let mut budget = Budget::new(100);
        let all: Vec<f64> = (0..6).map(|line| likeness.get(0, line, &mut budget).unwrap()).collect();
        assert!(all[0] > all[3] && all[3] > all[1] && all[1] > all[2] && all[2] > 0.8, "{all:?}");
        assert_eq!(all[4..], [0.0, 0.0]);
        assert!(is_equal(all[1]) && !is_equal(all[2]));
        assert!(Likeness::new(&table, &old).get(0, 2, &mut Budget::new(0)).is_err());
    }
}
