//! Edit distance by bit vectors: G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
//! programming", 1999, in blocks as H. Hyyrö gives it in "A bit-vector algorithm for computing Levenshtein and Damerau edit
//! distances", 2003.

use std::collections::HashMap;

/// Characters in one word of the bit vectors.
const WORD: usize = 64;

/// Steps that the distance of two texts of these lengths costs.
pub(crate) fn cost(a: usize, b: usize) -> u64 {
    let (short, long) = (a.min(b), a.max(b));
    (short.div_ceil(WORD) as u64) * (long as u64) / WORD as u64 + 1
}

/// How many characters must be inserted, deleted or replaced.
pub(crate) fn levenshtein(a: &[char], b: &[char]) -> usize {
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[front..], &b[front..]);
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - back], &b[..b.len() - back]);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if pattern.is_empty() {
        return text.len();
    }
    if pattern.len() <= WORD {
        return in_one_word(pattern, text);
    }
    let blocks = pattern.len().div_ceil(WORD);
    let mut masks: HashMap<char, Vec<u64>> = HashMap::new();
    for (at, &c) in pattern.iter().enumerate() {
        masks.entry(c).or_insert_with(|| vec![0; blocks])[at / WORD] |= 1 << (at % WORD);
    }
    let none = vec![0; blocks];
    let last = 1_u64 << ((pattern.len() - 1) % WORD);
    let mut distance = pattern.len();
    let (mut plus, mut minus) = (vec![u64::MAX; blocks], vec![0_u64; blocks]);
    for c in text {
        let masks = masks.get(c).unwrap_or(&none);
        // The first row of the matrix grows by one with each column.
        let (mut carry_plus, mut carry_minus) = (1_u64, 0_u64);
        for block in 0..blocks {
            let (vp, vn) = (plus[block], minus[block]);
            let equal = masks[block];
            let vertical = equal | vn;
            let equal = equal | carry_minus;
            let horizontal = (((equal & vp).wrapping_add(vp)) ^ vp) | equal;
            let mut up = vn | !(horizontal | vp);
            let mut down = vp & horizontal;
            let top = if block + 1 == blocks { last } else { 1 << (WORD - 1) };
            let (next_plus, next_minus) = (u64::from(up & top != 0), u64::from(down & top != 0));
            up = (up << 1) | carry_plus;
            down = (down << 1) | carry_minus;
            plus[block] = down | !(vertical | up);
            minus[block] = up & vertical;
            (carry_plus, carry_minus) = (next_plus, next_minus);
        }
        distance = distance + usize::from(carry_plus == 1) - usize::from(carry_minus == 1);
    }
    distance
}

fn in_one_word(pattern: &[char], text: &[char]) -> usize {
    let mut ascii = [0_u64; 128];
    let mut others: Vec<(char, u64)> = Vec::new();
    for (at, &c) in pattern.iter().enumerate() {
        if let Some(mask) = ascii.get_mut(c as usize) {
            *mask |= 1 << at;
        } else {
            others.push((c, 1 << at));
        }
    }
    let last = 1_u64 << (pattern.len() - 1);
    let (mut plus, mut minus, mut distance) = (u64::MAX, 0_u64, pattern.len());
    for &c in text {
        let equal = match ascii.get(c as usize) {
            Some(mask) => *mask,
            None => others.iter().filter(|other| other.0 == c).fold(0, |mask, other| mask | other.1),
        };
        let vertical = equal | minus;
        let horizontal = (((equal & plus).wrapping_add(plus)) ^ plus) | equal;
        let (up, down) = (minus | !(horizontal | plus), plus & horizontal);
        distance = distance + usize::from(up & last != 0) - usize::from(down & last != 0);
        let (up, down) = ((up << 1) | 1, down << 1);
        plus = down | !(vertical | up);
        minus = up & vertical;
    }
    distance
}

/// How often each character occurs, for 32 classes of characters.
pub(crate) type Counts = [u8; 32];

/// Counts characters, up to 255 of a class.
pub(crate) fn counts(chars: &[char]) -> Counts {
    let mut counts = [0_u8; 32];
    for &c in chars {
        let count = &mut counts[c as usize % 32];
        *count = count.saturating_add(1);
    }
    counts
}

/// The distance is at least that.
pub(crate) fn least(a: &Counts, b: &Counts) -> usize {
    let (mut more, mut less) = (0_usize, 0_usize);
    for (a, b) in a.iter().zip(b) {
        more += usize::from(a.saturating_sub(*b));
        less += usize::from(b.saturating_sub(*a));
    }
    more.max(less)
}

/// From 0 to 1: the part of the longer text that the distance leaves.
#[allow(clippy::cast_precision_loss)] // lengths of lines
pub(crate) fn likeness(a: &[char], b: &[char]) -> f64 {
    let longest = a.len().max(b.len());
    if longest == 0 { 1.0 } else { 1.0 - levenshtein(a, b) as f64 / longest as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook's matrix.
    fn plain(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (row[j] + 1).min(row[j + 1] + 1).min(corner + usize::from(x != y));
                corner = std::mem::replace(&mut row[j + 1], next);
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn as_the_textbook_has_it(a in "[abc\u{e9}]{0,200}", b in "[abc\u{e9}]{0,200}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let distance = levenshtein(&a, &b);
            prop_assert_eq!(distance, plain(&a, &b));
            prop_assert!(least(&counts(&a), &counts(&b)) <= distance);
        }

        #[test]
        fn as_the_textbook_has_it_for_short_ones(a in "[abc\u{e9}]{0,64}", b in "[abc\u{e9}]{0,90}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(levenshtein(&a, &b), plain(&a, &b));
        }
    }

    #[test]
    fn short_ones() {
        for (a, b, distance) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("abc", "abc", 0), ("ab", "ba", 2)]
        {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(levenshtein(&a, &b), distance);
        }
    }
}
