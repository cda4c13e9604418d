//! Lines and matches in a buffer.

use std::ops::Range;

use grep_matcher::Matcher;
use memchr::{memchr, memrchr};

use crate::want::Want;

/// What the matcher is given to find the matches of `range` again, and where to begin in it: in a search by line the
/// line alone, else everything, for a match may look at what is around.
pub(crate) fn searched<'a>(want: &Want, buf: &'a [u8], range: &Range<usize>) -> (&'a [u8], usize) {
    if want.multiline {
        return (buf, range.start);
    }
    let line = &buf[range.clone()];
    (line.strip_suffix(b"\n").unwrap_or(line), 0)
}

/// The lines of `range` in blocks: matches that share a line share a block.
pub(crate) fn blocks<M: Matcher>(matcher: &M, buf: &[u8], range: &Range<usize>) -> Result<Vec<Range<usize>>, M::Error> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut at = range.start;
    // Not the matcher's own iteration: that passes over an empty match right after another match, which may be the only
    // one of its line.
    while at < range.end
        && let Some(found) = matcher.find_at(buf, at)?
        && found.start() < range.end
    {
        at = found.end() + usize::from(found.is_empty());
        let end = if !found.is_empty() && buf[found.end() - 1] == b'\n' {
            found.end()
        } else {
            line_end(buf, found.end(), buf.len())
        };
        match blocks.last_mut() {
            Some(block) if found.start() < block.end => block.end = block.end.max(end),
            _ => {
                let start = memrchr(b'\n', &buf[..found.start()]).map_or(0, |at| at + 1);
                blocks.push(start..end);
            }
        }
    }
    if blocks.is_empty() {
        // The searcher saw a match that looks different from here.
        blocks.push(range.clone());
    }
    Ok(blocks)
}

pub(crate) fn count_matches<M: Matcher>(matcher: &M, buf: &[u8], range: &Range<usize>) -> Result<u64, M::Error> {
    let mut count = 0;
    matcher.find_iter_at(buf, range.start, |found| {
        let inside = found.start() < range.end;
        count += u64::from(inside);
        inside
    })?;
    Ok(count.max(1))
}

/// A match without the line's end, which `$` takes in where it is a carriage return too.
pub(crate) fn match_text(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    let text = &bytes[from..to.min(bytes.len())];
    match text {
        [.., b'\n'] => trimmed(text),
        [rest @ .., b'\r'] if !rest.is_empty() && bytes.get(to) == Some(&b'\n') => rest,
        _ => text,
    }
}

/// A line, or lines, without the end of the last one.
pub(crate) fn trimmed(bytes: &[u8]) -> &[u8] {
    let Some(line) = bytes.strip_suffix(b"\n") else { return bytes };
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Where the line that begins at `at` ends, its line feed included, but no later than `upto`.
pub(crate) fn line_end(buf: &[u8], at: usize, upto: usize) -> usize {
    memchr(b'\n', &buf[at..upto]).map_or(upto, |found| at + found + 1)
}
