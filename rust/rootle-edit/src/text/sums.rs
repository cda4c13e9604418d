//! A cheap number for each line, to tell most lines apart that are not the same line.

use super::block::is_space;
use super::fold;

/// A number for each byte of ASCII, 0 for white space.
const NUMBERS: [u32; 256] = {
    let mut numbers = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if !matches!(byte, b' ' | b'\t'..=b'\r') {
            numbers[byte as usize] = spread(byte as u32);
        }
        byte += 1;
    }
    numbers
};

/// A sum over the characters of the folded line, white space left out: the same for all lines with the same loose key, and
/// for few others. 0 for a blank line and for no other.
pub(crate) fn loose_sum(line: &str) -> u32 {
    let sum = if line.is_ascii() {
        line.bytes().fold(0_u32, |sum, byte| sum.wrapping_add(NUMBERS[usize::from(byte)]))
    } else {
        let folded = fold(line);
        folded.chars().filter(|&c| !is_space(c)).fold(0_u32, |sum, c| sum.wrapping_add(spread(u32::from(c))))
    };
    if sum == 0 && !line.chars().all(is_space) && !fold(line).chars().all(is_space) { 1 } else { sum }
}

/// Never 0 for a character of ASCII.
const fn spread(number: u32) -> u32 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    mixed ^ (mixed >> 13)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{loose, loose_hash};

    #[test]
    fn blank_lines_have_none() {
        for (line, blank) in [
            ("", true),
            (" \t\u{b}\u{c}\r", true),
            ("\u{a0}\u{200b}", true),
            ("\0", false),
            ("\u{1c}", false),
            ("a", false),
            ("\u{e9}", false),
        ] {
            assert_eq!((loose_sum(line) == 0, loose_hash(line) == 0), (blank, blank), "{line:?}");
        }
        assert!((0..128).all(|byte| spread(byte) != 0));
    }

    proptest! {
        #[test]
        fn same_key_same_sum(a in "[ab \t\u{a0}\u{2018}'\u{2026}.\u{e9}e\u{301}]{0,12}", b in "[ab \t\u{a0}\u{2018}'\u{2026}.\u{e9}e\u{301}]{0,12}") {
            let spaced: String = a.chars().flat_map(|c| [c, ' ']).collect();
            for other in [&b, &spaced] {
                if loose(&a) == loose(other) {
                    prop_assert_eq!(loose_sum(&a), loose_sum(other), "{:?} {:?}", &a, other);
                }
            }
            prop_assert_eq!(loose_sum(&a) == 0, loose(&a).is_empty());
        }
    }
}
