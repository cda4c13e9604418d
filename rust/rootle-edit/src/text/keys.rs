//! When two lines are the same line.

use super::block::{is_space, trim_space};
use super::fold;
use crate::Tier;

/// The strictest tier in which two lines are the same; `None` if they are not. Two blank lines are.
pub(crate) fn line_tier(old: &str, file: &str) -> Option<Tier> {
    if old == file {
        return Some(Tier::Exact);
    }
    let (old_end, file_end) = (old.trim_end_matches(is_space), file.trim_end_matches(is_space));
    if old_end == file_end {
        return Some(Tier::TrailingSpace);
    }
    let (old_fold, file_fold) = (fold(old_end), fold(file_end));
    if old_fold == file_fold {
        return Some(Tier::Unicode);
    }
    if trim_space(&old_fold) == trim_space(&file_fold) {
        return Some(Tier::Indentation);
    }
    (loose(old) == loose(file)).then_some(Tier::InnerSpace)
}

pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A line folded, without white space but for one space between two words.
pub(crate) fn loose(line: &str) -> String {
    let folded = fold(line);
    let mut key = String::with_capacity(folded.len());
    spaced(&folded, |c| key.push(c));
    key
}

/// A hash of [`loose`]; 0 for a blank line and for no other.
pub(crate) fn loose_hash(line: &str) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut any = false;
    if line.is_ascii() {
        let mut gap = false;
        let mut word = false;
        for &byte in line.as_bytes() {
            if byte == b' ' || byte.is_ascii_whitespace() || byte == 0x0b {
                gap = true;
                continue;
            }
            let is = byte == b'_' || byte.is_ascii_alphanumeric();
            if gap && word && is {
                hash = (hash ^ u64::from(b' ')).wrapping_mul(PRIME);
            }
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
            (gap, word, any) = (false, is, true);
        }
    } else {
        spaced(&fold(line), |c| {
            hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(PRIME);
            any = true;
        });
    }
    // The low bits of a product spread worst.
    let mixed = hash ^ (hash >> 32);
    if any { mixed.max(1) } else { 0 }
}

fn spaced(folded: &str, mut push: impl FnMut(char)) {
    let mut gap = false;
    let mut word = false;
    for c in folded.chars() {
        if is_space(c) {
            gap = true;
            continue;
        }
        let is = is_word(c);
        if gap && word && is {
            push(' ');
        }
        push(c);
        (gap, word) = (false, is);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_of_lines() {
        use Tier::{Exact, Indentation, InnerSpace, TrailingSpace, Unicode};
        for (old, file, tier) in [
            ("a", "a", Some(Exact)),
            ("", "  ", Some(TrailingSpace)),
            ("a ", "a", Some(TrailingSpace)),
            ("x = 'a'", "x = \u{2018}a\u{2019} ", Some(Unicode)),
            ("a", "\ta", Some(Indentation)),
            ("a 'b'", "  a \u{2018}b\u{2019}", Some(Indentation)),
            ("f( a,b )", "f(a, b)", Some(InnerSpace)),
            ("return  x", "return x", Some(InnerSpace)),
            ("return x", "returnx", None),
            ("a", "", None),
            ("a", "b", None),
        ] {
            assert_eq!(line_tier(old, file), tier, "{old:?} {file:?}");
            assert_eq!(loose_hash(old) == loose_hash(file), tier.is_some(), "{old:?} {file:?}");
        }
    }
}
