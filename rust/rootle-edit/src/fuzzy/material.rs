//! Whether two similar lines mean different things: a slip of the keyboard is no difference, another name, number or
//! operator is.

use strsim::damerau_levenshtein;

use crate::merge::{Token, same_tokens, tokens};
use crate::text::{fold, is_word, loose};

/// Words shorter than this are never taken for misspelt.
const MIN_WORD: usize = 3;
/// In words shorter than this no letter stands for another, and in words up to this length only if the file has the word
/// so many times.
const MIN_REPLACED: usize = 4;
const REPLACED_WORD: usize = 5;
const USUAL: usize = 2;
/// Words from this length on may have two slips.
const LONG_WORD: usize = 8;
/// Longer words and lines are not looked at: any difference counts.
const MAX_WORD: usize = 64;
const MAX_TOKENS: usize = 400;

/// Whether the lines differ in more than white space, look-alike characters and misspelt words. `known` tells how
/// often the file has a word: one that it has is not misspelt.
pub(crate) fn is_material(old: &str, file: &str, known: &dyn Fn(&str) -> usize) -> bool {
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

fn differs(old: &[Token<'_>], file: &[Token<'_>], known: &dyn Fn(&str) -> usize) -> bool {
    let joined = |tokens: &[Token<'_>]| tokens.iter().map(|token| fold(token.text).into_owned()).collect::<String>();
    if joined(old) == joined(file) {
        return false;
    }
    old.len() != file.len() || old.iter().zip(file).any(|(old, file)| !is_slip(old.text, file.text, known))
}

/// Whether the first word is the second one misspelt.
fn is_slip(old: &str, file: &str, known: &dyn Fn(&str) -> usize) -> bool {
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
    let plural = |one: &str, more: &str| more.strip_suffix('s') == Some(one) && !one.ends_with('s');
    let joints = |word: &str| word.matches('_').count();
    if digits(old) != digits(file) || joints(old) != joints(file) || plural(old, file) || plural(file, old) {
        return false;
    }
    let slips = if len.min(other) >= LONG_WORD { 2 } else { 1 };
    let distance = damerau_levenshtein(old, file);
    // One letter for another makes one short word of another too often, unless the file's word is a usual one.
    let replaced = len == other && !is_transposed(old, file);
    let other_word = replaced && (len < MIN_REPLACED || (len < REPLACED_WORD && known(file) < USUAL));
    distance <= slips && !other_word && known(old) == 0
}

fn is_transposed(a: &str, b: &str) -> bool {
    let sorted = |word: &str| {
        let mut chars: Vec<char> = word.chars().collect();
        chars.sort_unstable();
        chars
    };
    sorted(a) == sorted(b)
}

/// Whether two lines are the same but for a comment at the end of the one, or of both.
pub(crate) fn is_same_but_comment(a: &str, b: &str) -> bool {
    let (a, b) = (fold(a), fold(b));
    let bare = |line: &str| {
        let start = COMMENTS.iter().filter_map(|mark| comment_start(line, mark)).min();
        start.map(|at| loose(&line[..at]))
    };
    let (with_a, with_b) = (bare(&a), bare(&b));
    match (with_a, with_b) {
        (None, None) => false,
        (a_bare, b_bare) => {
            let (a, b) = (a_bare.unwrap_or_else(|| loose(&a)), b_bare.unwrap_or_else(|| loose(&b)));
            !a.is_empty() && a == b
        }
    }
}

/// Whether the rest of a line is a comment.
pub(crate) fn is_comment_tail(rest: &str) -> bool {
    let body = rest.trim_start();
    body.len() < rest.len()
        && COMMENTS.iter().any(|mark| body.strip_prefix(mark).is_some_and(|rest| rest.starts_with([' ', '\t'])))
}

const COMMENTS: [&str; 5] = ["#", "//", "/*", "--", "<!--"];

/// Where a comment begins that has white space before and after its mark and something before that.
fn comment_start(line: &str, mark: &str) -> Option<usize> {
    let body = line.len() - line.trim_start().len();
    line.match_indices(mark)
        .map(|(at, _)| at)
        .find(|&at| at > body && line[..at].ends_with([' ', '\t']) && line[at + mark.len()..].starts_with([' ', '\t']))
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
            ("while (tre) {", "while (true) {", false),
            ("get(a)", "set(a)", true),
            ("clas Foo", "class Foo", false),
            ("_config: Dict", "config: Dict", true),
            ("form = a", "from = a", false),
        ] {
            assert_eq!(is_material(old, file, &|_| 0), material, "{old:?} {file:?}");
        }
        let usual = |word: &str| if word == "func" { 9 } else { 0 };
        assert!(is_material("iunc f()", "func f()", &|_| 0) && !is_material("iunc f()", "func f()", &usual));
        for (a, b, same) in [
            ("x = f(a)", "x = f(a)  # noqa: keep", true),
            ("x = f(a); // one", "x = f(a);  /* other */", true),
            ("x = f(a)", "x = f(b)  # noqa", false),
            ("# one", "# other", false),
            ("x = '#1'", "x = '#2'", false),
        ] {
            assert_eq!(is_same_but_comment(a, b), same, "{a:?} {b:?}");
        }
        assert!(is_material("x = compute_totla(a)", "x = compute_total(a)", &|word| usize::from(
            word == "compute_totla"
        )));
    }
}
