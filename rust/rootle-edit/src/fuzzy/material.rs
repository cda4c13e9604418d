//! Whether two similar lines mean different things: a slip of the keyboard is no difference, another name, number or
//! operator is.

use strsim::damerau_levenshtein;

use crate::merge::{Token, same_tokens, tokens};
use crate::text::{fold, is_word};

/// Words shorter than this are never taken for misspelt.
const MIN_WORD: usize = 4;
/// Words from this length on may have two slips.
const LONG_WORD: usize = 8;
/// Longer words and lines are not looked at: any difference counts.
const MAX_WORD: usize = 64;
const MAX_TOKENS: usize = 400;

/// Whether the lines differ in more than white space, look-alike characters and misspelt words. `known` tells whether the
/// file has a word elsewhere: such a word is not misspelt.
pub(crate) fn is_material(old: &str, file: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let ((o, _), (f, _)) = (tokens(old), tokens(file));
    if o.len().max(f.len()) > MAX_TOKENS {
        return true;
    }
    let same = same_tokens(&o, &f, |token| fold(token.text).into_owned());
    let (mut o_at, mut f_at) = (0, 0);
    for at in 0..=o.len() {
        let next = if at < o.len() { same[at] } else { Some(f.len()) };
        let Some(next) = next else { continue };
        if differs(&o[o_at..at], &f[f_at..next], known) {
            return true;
        }
        (o_at, f_at) = (at + 1, next + 1);
    }
    false
}

fn differs(old: &[Token<'_>], file: &[Token<'_>], known: &dyn Fn(&str) -> bool) -> bool {
    let joined = |tokens: &[Token<'_>]| tokens.iter().map(|token| fold(token.text).into_owned()).collect::<String>();
    if joined(old) == joined(file) {
        return false;
    }
    old.len() != file.len() || old.iter().zip(file).any(|(old, file)| !is_slip(old.text, file.text, known))
}

/// Whether the first word is the second one misspelt.
fn is_slip(old: &str, file: &str, known: &dyn Fn(&str) -> bool) -> bool {
    let (old, file) = (&*fold(old), &*fold(file));
    if old == file {
        return true;
    }
    let (len, other) = (old.chars().count(), file.chars().count());
    let words = [old, file].into_iter().all(|word| word.chars().all(is_word));
    if !words || len.min(other) < MIN_WORD || len.max(other) > MAX_WORD {
        return false;
    }
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let plural = |one: &str, more: &str| more.strip_suffix('s') == Some(one);
    if digits(old) != digits(file) || plural(old, file) || plural(file, old) {
        return false;
    }
    let slips = if len.min(other) >= LONG_WORD { 2 } else { 1 };
    damerau_levenshtein(old, file) <= slips && !known(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_changes() {
        for (old, file, material) in [
            ("retrun value", "return value", false),
            ("x = compute_totla(a)", "x = compute_total(a)", false),
            ("say(\"it's\")", "say(\u{201c}it\u{2019}s\u{201d})", false),
            ("f( a,b )", "f(a, b)", false),
            ("x = 1", "x = 2", true),
            ("retry10", "retry11", true),
            ("a + b", "a - b", true),
            ("x == y", "x = y", true),
            ("item = 1", "items = 1", true),
            ("foo(bar)", "foo(baz)", true),
            ("timeout = a", "timeout_ms = a", true),
            ("width = a", "heigth = a", true),
            ("f(a)", "f(a, b)", true),
            ("return", "return x", true),
        ] {
            assert_eq!(is_material(old, file, &|_| false), material, "{old:?} {file:?}");
        }
        assert!(is_material("x = compute_totla(a)", "x = compute_total(a)", &|word| word == "compute_totla"));
    }
}
