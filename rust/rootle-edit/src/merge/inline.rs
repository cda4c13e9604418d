//! One line merged from three: what the file has, with what changes from the old text to the new one.

use imara_diff::{Algorithm, Diff, InternedInput};

use crate::text::{fold, is_word};

/// A word, a number or another character, with the white space before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) space: &'a str,
    pub(crate) text: &'a str,
}

/// The tokens of a line, and the white space after the last.
pub(crate) fn tokens(line: &str) -> (Vec<Token<'_>>, &str) {
    let mut found = Vec::new();
    let mut rest = line;
    loop {
        let body = rest.trim_start();
        let space = &rest[..rest.len() - body.len()];
        let Some(first) = body.chars().next() else { return (found, rest) };
        let len = if is_word(first) {
            // Marks that combine with a letter belong to its word.
            body.find(|c: char| !is_word(c) && !is_mark(c)).unwrap_or(body.len())
        } else {
            first.len_utf8()
        };
        found.push(Token { space, text: &body[..len] });
        rest = &body[len..];
    }
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{ad}')
}

/// The merged line. What the new text changes is as it has it; the rest is as the file has it.
pub(crate) fn merge_line(old: &str, new: &str, file: &str) -> String {
    if old == new {
        return file.to_owned();
    }
    if old == file {
        return new.to_owned();
    }
    let ((o, old_end), (n, new_end), (f, file_end)) = (tokens(old), tokens(new), tokens(file));
    let in_new = same_tokens(&o, &n, |token| token.text.to_owned());
    let in_file = same_tokens(&o, &f, |token| fold(token.text).into_owned());
    let mut merged = String::with_capacity(new.len().max(file.len()));
    let (mut o_at, mut n_at, mut f_at) = (0, 0, 0);
    for at in 0..=o.len() {
        let anchor = match (at < o.len()).then(|| (in_new[at], in_file[at])) {
            Some((Some(n), Some(f))) => Some((n, f)),
            Some(_) => continue,
            None => None,
        };
        let (n_end, f_end) = anchor.unwrap_or((n.len(), f.len()));
        let from_old: Vec<Option<usize>> =
            (n_at..n_end).map(|n| (o_at..at).find(|&o| in_new[o] == Some(n)).map(|o| o - o_at)).collect();
        between(&mut merged, &o[o_at..at], &n[n_at..n_end], &f[f_at..f_end], &from_old);
        let Some((n_one, f_one)) = anchor else { break };
        merged.push_str(kept(o[at].space, n[n_one].space, f[f_one].space));
        merged.push_str(f[f_one].text);
        (o_at, n_at, f_at) = (at + 1, n_one + 1, f_one + 1);
    }
    merged.push_str(kept(old_end, new_end, file_end));
    merged
}

/// The part between two tokens that all three lines have.
///
/// `from_old` tells for each of the new tokens which of the old ones it is.
fn between(merged: &mut String, old: &[Token<'_>], new: &[Token<'_>], file: &[Token<'_>], from_old: &[Option<usize>]) {
    let text = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.text.to_owned()).collect::<Vec<_>>();
    if text(old) == text(new) {
        for token in file {
            merged.push_str(token.space);
            merged.push_str(token.text);
        }
        return;
    }
    for (at, token) in new.iter().enumerate() {
        let space = match (old.get(at), file.get(at)) {
            (Some(old), Some(file)) => kept(old.space, token.space, file.space),
            _ => token.space,
        };
        merged.push_str(space);
        // Where each token has its counterpart, one that the new text leaves alone stays as the file has it.
        let theirs = from_old[at].filter(|_| old.len() == file.len()).map(|old| file[old].text);
        merged.push_str(theirs.unwrap_or(token.text));
    }
}

fn kept<'a>(old: &str, new: &'a str, file: &'a str) -> &'a str {
    if old == new { file } else { new }
}

/// For each token of the first list the token of the second one that it has become, if it is the same under a key.
pub(crate) fn same_tokens<'a>(
    first: &[Token<'a>],
    second: &[Token<'a>],
    key: impl Fn(&Token<'a>) -> String,
) -> Vec<Option<usize>> {
    let mut input = InternedInput::default();
    input.update_before(first.iter().map(&key));
    input.update_after(second.iter().map(&key));
    let diff = Diff::compute(Algorithm::MyersMinimal, &input);
    let mut same = vec![None; first.len()];
    let (mut at, mut other) = (0, 0);
    for hunk in diff.hunks() {
        while at < hunk.before.start as usize {
            same[at] = Some(other);
            (at, other) = (at + 1, other + 1);
        }
        (at, other) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    while at < first.len() {
        same[at] = Some(other);
        (at, other) = (at + 1, other + 1);
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_merge() {
        for (old, new, file, merged) in [
            ("a = 'x'", "b = 'x'", "a = \u{2018}x\u{2019}", "b = \u{2018}x\u{2019}"),
            (
                "say('a', 'b')",
                "say('a', 'c')",
                "say(\u{2018}a\u{2019}, \u{2018}b\u{2019})",
                "say(\u{2018}a\u{2019}, \u{2018}c\u{2019})",
            ),
            ("f( a,b )", "f( a,c )", "f(a, b)", "f(a, c)"),
            ("f(a, b)", "f(a, b, c)", "f( a,b )", "f( a,b, c )"),
            ("retrun x", "retrun y", "return x", "return y"),
            ("retrun x", "return y", "return x", "return y"),
            ("x = 1", "x = 2", "x = 1", "x = 2"),
            ("x  ", "y", "x", "y"),
            ("x", "y", "x  ", "y  "),
            ("caf\u{e9} x", "caf\u{e9} y", "cafe\u{301} x", "cafe\u{301} y"),
            ("a b c", "a b c", "q", "q"),
        ] {
            assert_eq!(merge_line(old, new, file), merged, "{old:?} {new:?} {file:?}");
        }
    }
}
