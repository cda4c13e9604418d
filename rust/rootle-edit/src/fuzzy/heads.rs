//! The definitions and headings under which an edit makes its changes: where one has another name, another place is meant.

use std::ops::Range;

use super::definition::{is_definition, is_modifier, names_next, names_whole};
use super::likeness::Likeness;
use crate::merge::tokens;
use crate::text::{fold, is_blank, is_word, leading, loose};

/// In shorter names no letter may be missing or be too many.
const LONG_NAME: usize = 8;

/// In shorter names a letter may be doubled on purpose.
const MIN_DOUBLED: usize = 5;

/// The lines of the old text that the line `at` stands under, the nearest first. `first` is the text of the first changed line.
pub(super) fn heads<'a>(old: &'a [&'a str], at: usize, first: &str) -> impl Iterator<Item = usize> + 'a {
    let mut depth = columns(first);
    let mut titled = false;
    (0..at).rev().filter(move |&line| {
        let text = old[line];
        if is_blank(text) {
            return false;
        }
        if is_title(old, line) {
            return !std::mem::replace(&mut titled, true);
        }
        // What stands at the same depth with a bracket before it goes on with a definition: `) {`.
        if columns(text) >= depth {
            return false;
        }
        depth = columns(text) + usize::from(continues(text));
        is_definition(text) && !continues(text)
    })
}

fn columns(line: &str) -> usize {
    leading(line).chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Whether a line only ends the head of a definition that began before.
fn continues(line: &str) -> bool {
    line.trim_start().starts_with([')', ']', '}', '{'])
}

/// Whether a line is the heading of a section. One `#` begins comments too: these have their subject on the next line.
fn is_title(old: &[&str], line: usize) -> bool {
    let text = old[line].trim_end();
    let alone = || old.get(line + 1).is_none_or(|next| is_blank(next));
    (text.starts_with('[') && text.ends_with(']') && text.len() > 2)
        || ["## ", "### ", "#### ", "== ", "=== "].iter().any(|mark| text.starts_with(mark))
        || (text.starts_with("# ") && alone())
}

/// Whether a line of the old text names the same as the file's line.
pub(super) fn is_named_alike(likeness: &Likeness<'_>, line: usize, there: usize) -> bool {
    let (old, file) = (likeness.old[line].text, likeness.table.line(there));
    name(old) == name(file) || (!likeness.is_material(line, there) && slips_are_plain(old, file))
}

/// What a line gives a name to, and the name, without what may change while they stay: parameters, values, visibility.
fn name(line: &str) -> String {
    let (line, (found, _)) = (loose(line), tokens(line.trim()));
    let all: Vec<&str> = found.iter().map(|token| token.text).collect();
    let start = all.iter().position(|word| !is_modifier(word)).unwrap_or(0);
    let (first, rest) = all[start..].split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    if names_whole(first) {
        return line;
    }
    let text = |range: Range<usize>| fold(&rest[range].join(" ")).into_owned();
    if names_next(first) {
        // A method of Go has its receiver before its name.
        let from = if rest.first() == Some(&"(") { rest.iter().position(|word| *word == ")").unwrap_or(0) } else { 0 };
        let at = rest[from..].iter().position(|word| word.starts_with(is_word)).map(|at| from + at);
        return at.map_or(line, |at| text(0..at + 1));
    }
    let called = all.iter().position(|word| *word == "(").and_then(|at| at.checked_sub(1)).map(|at| all[at]);
    called.filter(|word| word.starts_with(is_word)).map_or(line, |word| fold(word).into_owned())
}

/// Whether the words that differ cannot be other names: letters that have changed places, or one more or less in a long
/// word, or in a keyword.
fn slips_are_plain(old: &str, file: &str) -> bool {
    let ((old, _), (file, _)) = (tokens(old), tokens(file));
    old.len() == file.len()
        && old.iter().zip(&file).all(|(old, file)| {
            let (old, file) = (&*fold(old.text), &*fold(file.text));
            let (a, b) = (old.chars().count(), file.chars().count());
            let sorted = |word: &str| {
                let mut chars: Vec<char> = word.chars().collect();
                chars.sort_unstable();
                chars
            };
            let keyword = is_modifier(file) || names_next(file) || names_whole(file);
            let longer = a != b && a.min(b) >= LONG_NAME && !differs_at_end(old, file);
            old == file || keyword || sorted(old) == sorted(file) || longer || is_doubled(old, file)
        })
}

/// Whether two words differ in their last letter only, which an ending may be: `user`, `users`.
fn differs_at_end(a: &str, b: &str) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// Whether one word is the other with one of its letters typed twice, which is no other name.
fn is_doubled(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let (short, long): (Vec<char>, Vec<char>) = (short.chars().collect(), long.chars().collect());
    if short.len() < MIN_DOUBLED || long.len() != short.len() + 1 {
        return false;
    }
    let at = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let twice = at > 0 && long[at] == long[at - 1] && long[at].is_alphabetic();
    twice && short[at..] == long[at + 1..] && at < short.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (a, b, same) in [
            ("def f(a):", "async def f(a, b):", true),
            ("class A:", "class A(B):", true),
            ("class A:", "class B:", false),
            ("func (c *Command) Run() {", "func (c *Command) Run(a int) {", true),
            ("func (c *Command) Run() {", "func (c *Server) Run() {", false),
            ("static int read_all(int fd) {", "int read_all(int fd, int n) {", true),
            ("static int read_all(int fd) {", "static int read_one(int fd) {", false),
            ("[dev]", "[prod]", false),
            ("impl A for B {", "impl A for C {", false),
            ("const a = 1", "let a = 2", true),
        ] {
            assert_eq!(name(a) == name(b), same, "{a} {b}");
        }
    }

    #[test]
    fn slips_in_names() {
        for (old, file, plain) in [
            ("      asserrt:", "      assert:", true),
            ("def strream_with(a):", "def stream_with(a):", true),
            ("def get_user_record(a):", "def get_user_records(a):", false),
            ("def get_user_recrd(a):", "def get_user_record(a):", true),
            ("class Ponny:", "class Pony:", false),
            ("def t1():", "def t2():", false),
        ] {
            assert_eq!(slips_are_plain(old, file), plain, "{old} {file}");
        }
    }

    #[test]
    fn what_a_line_stands_under() {
        let old =
            ["class A:", "    def f(self):", "        a()", "    def g(", "        self,", "    ):", "        b()"];
        assert_eq!(heads(&old, 6, old[6]).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(heads(&old, 2, old[2]).collect::<Vec<_>>(), [1, 0]);
        let old = ["[a]", "x = 1", "[b]", "y = 2"];
        assert_eq!(heads(&old, 3, old[3]).collect::<Vec<_>>(), [2]);
    }
}
