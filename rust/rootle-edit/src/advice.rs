//! What a refusal advises: the way to a call that succeeds.

use std::fmt::Write as _;

use crate::{Candidate, Difference, Reason, Refusal};

/// Candidates written out; the others are counted.
const SHOWN: usize = 5;
/// Characters of a suggested text that are written out: it must be repeated by the caller, so a long one is of no use.
const TEXT_CHARS: usize = 2_000;

impl Refusal {
    /// Sentences and texts that lead to a call that succeeds: the nearest place with its differences made visible, the
    /// file's own text to use as `old`, the other places. None where the message says all.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let mut advice = String::new();
        match self.reason {
            Reason::Ambiguous | Reason::CountMismatch => {
                self.places(&mut advice);
                if let Some(unique) = &self.unique_old {
                    text(&mut advice, "This text occurs once and could be old", unique);
                }
            }
            Reason::NotFound | Reason::UnsafeDifference | Reason::Budget => {
                if let Some(best) = self.candidates.first() {
                    nearest(&mut advice, best);
                }
                if let Some(exact) = &self.exact_old {
                    text(&mut advice, "If that place is meant, old is", exact);
                }
            }
            _ => {}
        }
        (!advice.is_empty()).then(|| advice.trim_end().to_owned())
    }

    /// The definitions that the places are in; the message has their lines already.
    fn places(&self, advice: &mut String) {
        let named: Vec<String> = self
            .candidates
            .iter()
            .take(SHOWN)
            .filter_map(|place| place.symbol.as_ref().map(|symbol| format!("{} is in `{symbol}`", place.lines)))
            .collect();
        if !named.is_empty() {
            let _ = writeln!(advice, "{}.", named.join(", "));
        }
    }
}

fn nearest(advice: &mut String, best: &Candidate) {
    let _ = write!(advice, "The nearest text is at {}", best.lines);
    if let Some(symbol) = &best.symbol {
        let _ = write!(advice, " in `{symbol}`");
    }
    let _ = write!(advice, " (likeness {:.0} %).", best.score * 100.0);
    for difference in best.differences.iter().take(SHOWN) {
        let _ = write!(advice, "\n{}", row(difference));
    }
    advice.push('\n');
}

fn row(difference: &Difference) -> String {
    let old = visible(&difference.old_text);
    let file = visible(&difference.file_text);
    match (difference.old_line, difference.file_line) {
        (Some(line), Some(at)) => format!("  old line {line}: {old}\n  file line {at}: {file}"),
        (Some(line), None) => format!("  old line {line} is not in the file: {old}"),
        (None, Some(at)) => format!("  file line {at} is not in old: {file}"),
        (None, None) => String::new(),
    }
}

/// White space at the ends of a line, tabs and unusual spaces made visible.
fn visible(line: &str) -> String {
    let body = line.trim_end_matches([' ', '\t', '\r']);
    let mut shown = String::new();
    for character in body.chars() {
        match character {
            '\t' => shown.push_str("\\t"),
            '\u{a0}' => shown.push_str("\\u00a0"),
            '\r' => shown.push_str("\\r"),
            other => shown.push(other),
        }
    }
    for character in line[body.len()..].chars() {
        shown.push_str(match character {
            '\t' => "\\t",
            '\r' => "\\r",
            _ => "\u{b7}",
        });
    }
    shown
}

fn text(advice: &mut String, lead: &str, text: &str) {
    if text.chars().count() <= TEXT_CHARS {
        let _ = write!(advice, "{lead}:\n{text}\n");
    }
}
