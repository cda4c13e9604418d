//! Unified diffs, for showing what changed.

use std::fmt::Write;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use memchr::{memchr, memchr_iter, memrchr};

/// Bytes of a line that a diff shows. Longer lines are cut, and said to be.
pub const MAX_DIFF_LINE: usize = 2_000;

/// How many lines came and went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffStat {
    /// Lines that are new.
    pub added: usize,
    /// Lines that are gone.
    pub removed: usize,
}

/// A change: old lines and the new ones in their place, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// The lines of `text`, each with its line feed. A line ends at a line feed and nowhere else.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for feed in memchr_iter(b'\n', text) {
        lines.push(&text[start..=feed]);
        start = feed + 1;
    }
    lines.extend((start < text.len()).then(|| &text[start..]));
    lines
}

/// Bytes compared at once.
const BLOCK: usize = 256;

/// The parts of two texts that hold all differences and `context` lines around them, and the number of lines before.
fn window<'t>(old: &'t [u8], new: &'t [u8], context: usize) -> (&'t [u8], &'t [u8], usize) {
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let same = blocks + common(old[blocks..].iter(), new[blocks..].iter());
    let mut from = memrchr(b'\n', &old[..same]).map_or(0, |feed| feed + 1);
    // The end is looked for behind the beginning, so that no line counts for both.
    let (tail_old, tail_new) = (&old[from..], &new[from..]);
    let pairs = tail_old.rchunks_exact(BLOCK).zip(tail_new.rchunks_exact(BLOCK));
    let blocks = pairs.take_while(|(a, b)| a == b).count() * BLOCK;
    let rest = |text: &'t [u8]| text[..text.len() - blocks].iter().rev();
    let mut tail = blocks + common(rest(tail_old), rest(tail_new));
    let begins = |text: &[u8]| text.len() == tail || text[text.len() - tail - 1] == b'\n';
    if !begins(tail_old) || !begins(tail_new) {
        tail = memchr(b'\n', &tail_old[tail_old.len() - tail..]).map_or(0, |feed| tail - feed - 1);
    }
    for _ in 0..context {
        from = from.checked_sub(1).map_or(0, |end| memrchr(b'\n', &old[..end]).map_or(0, |feed| feed + 1));
        tail = memchr(b'\n', &old[old.len() - tail..]).map_or(0, |feed| tail - feed - 1);
        if from == 0 && tail == 0 {
            break;
        }
    }
    let above = memchr_iter(b'\n', &old[..from]).count();
    (&old[from..old.len() - tail], &new[from..new.len() - tail], above)
}

/// How many items are the same from the beginning on.
fn common<'t>(a: impl Iterator<Item = &'t u8>, b: impl Iterator<Item = &'t u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// What leads from `old` to `new`, by the histogram method (of Git, after the patience diff of Cohen).
fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let suffix = old[prefix..].iter().rev().zip(new[prefix..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    let mut input = InternedInput::default();
    input.update_before(old[prefix..old_end].iter().copied());
    input.update_after(new[prefix..new_end].iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let shifted = |range: Range<u32>| range.start as usize + prefix..range.end as usize + prefix;
    diff.hunks().map(|hunk| Change { old: shifted(hunk.before), new: shifted(hunk.after) }).collect()
}

/// How many lines differ between two texts.
#[must_use]
pub fn diff_stat(old: &[u8], new: &[u8]) -> DiffStat {
    let mut stat = DiffStat::default();
    for change in changes(&lines_of(old), &lines_of(new)) {
        stat.added += change.new.len();
        stat.removed += change.old.len();
    }
    stat
}

/// A unified diff from `old` to `new` with `context` lines around each change, as `diff -u` and git write it.
///
/// It is empty if the texts are the same. A last line without a line end is marked. Bytes that are not UTF-8 show as
/// U+FFFD. At most `max_lines` lines of hunks are given; then a note says how many are missing.
#[must_use]
pub fn unified_diff(old: &[u8], new: &[u8], path: &str, context: usize, max_lines: usize) -> String {
    if old == new {
        return String::new();
    }
    let (old, new, above) = window(old, new, context);
    let (old, new) = (lines_of(old), lines_of(new));
    written(&old, &new, above, path, context, max_lines)
}

fn written(old: &[&[u8]], new: &[&[u8]], above: usize, path: &str, context: usize, max_lines: usize) -> String {
    let changes = changes(old, new);
    let mut writer = Writer { old, new, above, context, left: max_lines, missing: 0, out: String::new() };
    let _ = write!(writer.out, "--- {}\n+++ {}\n", name('a', path), name('b', path));
    for hunk in hunks(&changes, context) {
        writer.hunk(hunk);
    }
    if writer.missing > 0 {
        let _ = writeln!(writer.out, "[{} more lines of the diff are not shown]", writer.missing);
    }
    writer.out
}

/// Groups changes that share context.
fn hunks(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(move |a, b| b.old.start - a.old.end <= 2 * context)
}

/// A path as git writes it in a header: in quotes where it would not be read back as it is.
fn name(side: char, path: &str) -> String {
    let odd = |c: char| c.is_control() || c == '"' || c == '\\';
    if !path.contains(odd) {
        // A tab ends a name with spaces, or some programs would take its rest for a time stamp.
        return format!("{side}/{path}{}", if path.contains(' ') { "\t" } else { "" });
    }
    let mut out = format!("\"{side}/");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Writer<'a> {
    old: &'a [&'a [u8]],
    new: &'a [&'a [u8]],
    /// Lines of both texts that come before these.
    above: usize,
    context: usize,
    left: usize,
    missing: usize,
    out: String,
}

impl Writer<'_> {
    fn hunk(&mut self, changes: &[Change]) {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
        let before = first.old.start.min(self.context);
        let old_start = first.old.start - before;
        let old_end = (last.old.end + self.context).min(self.old.len());
        let mut lines: Vec<(u8, &[u8])> = Vec::new();
        let mut at = old_start;
        for change in changes {
            lines.extend(self.old[at..change.old.start].iter().map(|line| (b' ', *line)));
            lines.extend(self.old[change.old.clone()].iter().map(|line| (b'-', *line)));
            lines.extend(self.new[change.new.clone()].iter().map(|line| (b'+', *line)));
            at = change.old.end;
        }
        lines.extend(self.old[at..old_end].iter().map(|line| (b' ', *line)));

        let shown = lines.len().min(self.left);
        self.missing += lines.len() - shown;
        self.left -= shown;
        if shown == 0 {
            return;
        }
        // A hunk that is cut says how many lines it has now.
        let shown = &lines[..shown];
        let olds = shown.iter().filter(|(sign, _)| *sign != b'+').count();
        let news = shown.iter().filter(|(sign, _)| *sign != b'-').count();
        let new_start = first.new.start - before;
        let _ = writeln!(
            self.out,
            "@@ -{} +{} @@",
            range(self.above + old_start, olds),
            range(self.above + new_start, news)
        );
        for (sign, line) in shown {
            self.line(char::from(*sign), line);
        }
    }

    fn line(&mut self, sign: char, line: &[u8]) {
        self.out.push(sign);
        let (text, ended) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
        let cut = if text.len() > MAX_DIFF_LINE { text.floor_char_boundary(MAX_DIFF_LINE) } else { text.len() };
        self.out.push_str(&String::from_utf8_lossy(&text[..cut]));
        if cut < text.len() {
            let _ = write!(self.out, "… [{} more bytes of this line]", text.len() - cut);
        }
        self.out.push('\n');
        if !ended {
            self.out.push_str("\\ No newline at end of file\n");
        }
    }
}

/// Cutting bytes where no character is cut, if they are UTF-8.
trait CharBoundary {
    fn floor_char_boundary(&self, at: usize) -> usize;
}

impl CharBoundary for [u8] {
    fn floor_char_boundary(&self, at: usize) -> usize {
        (at.saturating_sub(3)..=at).rev().find(|at| self.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80)).unwrap_or(at)
    }
}

/// Start and count of a header; an empty range stands after the line before it.
fn range(start: usize, count: usize) -> String {
    match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_of_the_whole_texts(
            head in "(ab?\n){0,9}", tail in "(ab?\n){0,9}b?", old in "[ab\n]{0,9}", new in "[ab\n]{0,9}",
            fill in 0..3_usize, context in 0..4_usize,
        ) {
            let fill = "filler\n".repeat(fill * 50);
            let (old, new) = (format!("{fill}{head}{old}{tail}{fill}"), format!("{fill}{head}{new}{tail}{fill}"));
            prop_assume!(old != new);
            let whole = written(&lines_of(old.as_bytes()), &lines_of(new.as_bytes()), 0, "x", context, 1000);
            prop_assert_eq!(unified_diff(old.as_bytes(), new.as_bytes(), "x", context, 1000), whole);
        }
    }

    fn diff(old: &str, new: &str) -> String {
        unified_diff(old.as_bytes(), new.as_bytes(), "x", 1, 100)
    }

    #[test]
    fn diffs() {
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("a\nb\nc\nd\n", "a\nB\nc\nd\n"), "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(diff("", "a\n"), "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\n", ""), "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n");
        let open = "\\ No newline at end of file\n";
        assert_eq!(diff("a", "a\n"), format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n{open}+a\n"));
        assert_eq!(diff("a\nb", "c\nb"), format!("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n{open}"));
        assert_eq!(diff("a\r\n", "a\n"), "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\n");
    }

    #[test]
    fn changes_far_apart_have_hunks_of_their_own() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        assert_eq!(diff(old, &old.replace('2', "x").replace('5', "y")).matches("@@ -").count(), 1);
        assert_eq!(diff(old, &old.replace('2', "x").replace('6', "y")).matches("@@ -").count(), 2);
    }

    #[test]
    fn size_is_bounded() {
        let old: String = (0..50).map(|n| format!("{n}\n")).collect();
        let text = unified_diff(old.as_bytes(), b"", "x", 3, 10);
        assert!(
            text.contains("@@ -1,10 +0,0 @@\n") && text.ends_with("[40 more lines of the diff are not shown]\n"),
            "{text}"
        );
        let long = "ä".repeat(5_000);
        let text = diff(&long, "");
        assert!(text.len() < 2_200 && text.contains("… [8000 more bytes of this line]"), "{}", text.len());
        assert!(!text.contains('\u{fffd}'));
    }

    #[test]
    fn bytes_and_names_that_need_care() {
        assert!(unified_diff(b"\xe9\n", b"e\n", "x", 3, 9).contains("-\u{fffd}\n+e\n"));
        assert!(unified_diff(b"a\n", b"b\n", "a\tb", 3, 9).starts_with("--- \"a/a\\tb\"\n+++ \"b/a\\tb\"\n"));
        assert!(unified_diff(b"a\n", b"b\n", "a b", 3, 9).starts_with("--- a/a b\t\n"));
    }

    #[test]
    fn stat_counts_lines() {
        assert_eq!(diff_stat(b"a\nb\nc\n", b"a\nx\ny\nc\n"), DiffStat { added: 2, removed: 1 });
        assert_eq!(diff_stat(b"a", b"a"), DiffStat::default());
    }
}
