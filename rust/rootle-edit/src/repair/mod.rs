//! Setting right what models put around and into the texts they give.

mod entities;
mod escapes;
mod fence;
mod numbers;
mod prefixes;

use crate::Repair;

/// The old and the new text, and what was done to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) repairs: Vec<Repair>,
}

type Step = fn(&str, &str) -> Option<(String, String)>;

const STEPS: &[(Repair, Step)] = &[
    (Repair::Fence, fence::remove),
    (Repair::LineNumbers, numbers::remove),
    (Repair::DiffPrefixes, prefixes::remove),
    (Repair::DiffPrefixes, prefixes::remove_marks_only),
    (Repair::EscapedQuotes, escapes::unescape_quotes),
    (Repair::Escapes, escapes::unescape),
    (Repair::Entities, entities::decode),
];

/// More readings of one pair of texts are not tried.
const MAX_PAIRS: usize = 12;

/// All readings of the two texts, the given one first, then those with one repair, with two, and so on. Each repair
/// concerns the whole of the old text, and does the same to the new one.
pub(crate) fn readings(old: &str, new: &str) -> Vec<Pair> {
    let mut pairs = vec![Pair { old: old.to_owned(), new: new.to_owned(), repairs: Vec::new() }];
    let mut next = 0;
    while next < pairs.len() && pairs.len() < MAX_PAIRS {
        for &(repair, step) in STEPS {
            let pair = &pairs[next];
            if pair.repairs.contains(&repair) {
                continue;
            }
            let Some((old, new)) = step(&pair.old, &pair.new) else { continue };
            let seen = pairs.iter().any(|pair| pair.old == old && pair.new == new);
            if !seen && !old.trim().is_empty() && pairs.len() < MAX_PAIRS {
                let repairs = pair.repairs.iter().copied().chain([repair]).collect();
                pairs.push(Pair { old, new, repairs });
            }
        }
        next += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_add_up() {
        let old = "```py\n 7| print(\\\"a\\\")\n 8| x\n```";
        let new = "```py\n 7| print(\\\"b\\\")\n 8| x\n```";
        let all = readings(old, new);
        assert_eq!(all[0].old, old);
        let last = Pair {
            old: "print(\"a\")\nx\n".into(),
            new: "print(\"b\")\nx\n".into(),
            repairs: vec![Repair::Fence, Repair::LineNumbers, Repair::EscapedQuotes],
        };
        assert!(all.contains(&last), "{all:?}");
        assert_eq!(readings("plain", "text").len(), 1);
    }
}
