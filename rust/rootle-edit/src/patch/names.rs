//! File names in the headers of diffs: quoting, time stamps, prefixes.

/// A name in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// `/dev/null`: there is no such file.
    Nothing,
    /// A path as written, with its prefix.
    Path(String),
}

impl Name {
    fn of(path: String) -> Self {
        if path == "/dev/null" { Self::Nothing } else { Self::Path(path) }
    }

    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Path(path) => Some(path),
        }
    }
}

/// The name after `--- ` or `+++ `. A time stamp after it is dropped; that of the epoch says that the file is not there.
pub(super) fn header_name(text: &str) -> Name {
    let text = text.trim_end_matches(['\r', '\n']);
    if let Some((name, _)) = unquote(text.trim_start()) {
        return Name::of(name);
    }
    let (name, stamp) = match text.split_once('\t') {
        Some((name, stamp)) => (name, stamp),
        None => split_stamp(text),
    };
    if stamp.trim_start().starts_with("1970-01-01 00:00:00") && stamp.trim_end().ends_with("0000") {
        return Name::Nothing;
    }
    Name::of(name.trim_end().trim_start().to_owned())
}

/// Splits `name 2024-01-31 10:00:00...` where no tab stands before the stamp.
fn split_stamp(text: &str) -> (&str, &str) {
    let is_date = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() == 10
            && bytes.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() })
    };
    let is_time = |word: &str| word.len() >= 5 && word.as_bytes()[2] == b':' && word.as_bytes()[0].is_ascii_digit();
    let mut from = 0;
    while let Some(space) = text[from..].find(' ').map(|at| from + at) {
        let mut words = text[space..].split_ascii_whitespace();
        if words.next().is_some_and(is_date) && words.next().is_some_and(is_time) {
            return (&text[..space], &text[space..]);
        }
        from = space + 1;
    }
    (text, "")
}

/// Reads a name in double quotes with C escapes at the start of `text`, and gives what follows it.
pub(super) fn unquote(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => break,
            b'\\' => {
                let (byte, length) = escaped(&bytes[at + 1..])?;
                out.push(byte);
                at += 1 + length;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Some((visible(&out), &inner[at + 1..]))
}

fn escaped(after: &[u8]) -> Option<(u8, usize)> {
    let plain = match *after.first()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        byte @ (b'"' | b'\\') => byte,
        b'0'..=b'3' => {
            let digits = after.get(..3).filter(|digits| digits.iter().all(|d| (b'0'..=b'7').contains(d)))?;
            return Some((digits.iter().fold(0, |value, digit| value * 8 + (digit - b'0')), 3));
        }
        _ => return None,
    };
    Some((plain, 1))
}

/// Bytes as text, with those that are not UTF-8 as `\udcNN`.
fn visible(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\udc{byte:02x}"));
        }
    }
    out
}

/// A path as git's extended headers write it (`rename from x`): quoted or bare, without prefix.
pub(super) fn bare_path(text: &str) -> String {
    let text = text.trim_end_matches('\r');
    unquote(text).map_or_else(|| text.to_owned(), |(name, _)| name)
}

/// The two names of `diff --git A B`; none where they cannot be told apart.
pub(super) fn git_names(rest: &str) -> Option<(String, String)> {
    let rest = rest.trim_end();
    if rest.starts_with('"') {
        let (old, after) = unquote(rest)?;
        return Some((old, bare_path(after.strip_prefix(' ')?)));
    }
    if rest.ends_with('"') {
        let at = rest.find(" \"")?;
        return Some((rest[..at].to_owned(), unquote(&rest[at + 1..])?.0));
    }
    // Names with spaces: the place to split is where both sides are one name under two prefixes. One name makes the
    // middle the only possible place when the prefixes are equally long.
    let middle = rest.len() / 2;
    let same = |at: usize| {
        let (old, new) = (&rest[..at], &rest[at + 1..]);
        let (old, new) = (without_first(old).unwrap_or(old), without_first(new).unwrap_or(new));
        old == new
    };
    if rest.len() % 2 == 1 && rest.as_bytes()[middle] == b' ' && same(middle) {
        return Some((rest[..middle].to_owned(), rest[middle + 1..].to_owned()));
    }
    let mut words = rest.split(' ');
    let (old, new) = (words.next()?, words.next()?);
    words.next().is_none().then(|| (old.to_owned(), new.to_owned()))
}

/// The path below its first component.
fn without_first(path: &str) -> Option<&str> {
    path.split_once('/').map(|(_, rest)| rest).filter(|rest| !rest.is_empty())
}

/// One path out of the two names of a header, and its other readings.
///
/// Git puts a letter before each: `a/` and `b/`, or `i/`, `w/`, `c/`, `o/`. They are cut where the two names show that
/// they are prefixes; where only one side has one, or both the same, the other reading is given too.
pub(super) fn agree(old: &str, new: &str) -> Option<(String, Vec<String>)> {
    let (old, new) = (old.strip_prefix("./").unwrap_or(old), new.strip_prefix("./").unwrap_or(new));
    let (cut_old, cut_new) = (cut_prefix(old), cut_prefix(new));
    if old == new {
        return Some((old.to_owned(), cut_old.map(str::to_owned).into_iter().collect()));
    }
    match (cut_old, cut_new) {
        (Some(a), Some(b)) if a == b => return Some((a.to_owned(), vec![new.to_owned(), old.to_owned()])),
        (_, Some(b)) if b == old => return Some((old.to_owned(), vec![new.to_owned()])),
        (Some(a), _) if a == new => return Some((new.to_owned(), vec![old.to_owned()])),
        _ => {}
    }
    // `diff -u file.orig file`: the name without the suffix is the file.
    for suffix in [".orig", ".old", ".bak", "~", ".new", ".modified", ".original"] {
        if old.strip_suffix(suffix).is_some_and(|stem| stem == new || cut_new == cut_prefix(stem) && cut_new.is_some())
        {
            return Some(
                cut_new.map_or_else(|| (new.to_owned(), vec![]), |cut| (cut.to_owned(), vec![new.to_owned()])),
            );
        }
        if new.strip_suffix(suffix).is_some_and(|stem| stem == old || cut_old == cut_prefix(stem) && cut_old.is_some())
        {
            return Some(
                cut_old.map_or_else(|| (old.to_owned(), vec![]), |cut| (cut.to_owned(), vec![old.to_owned()])),
            );
        }
    }
    // `diff -r old-tree new-tree`: the same path in two directories.
    match (without_first(old), without_first(new)) {
        (Some(a), Some(b)) if a == b => Some((a.to_owned(), vec![new.to_owned(), old.to_owned()])),
        _ => None,
    }
}

/// The path without a one-letter prefix of git's.
fn cut_prefix(path: &str) -> Option<&str> {
    let (first, rest) = path.split_once('/')?;
    (["a", "b", "c", "i", "o", "w"].contains(&first) && !rest.is_empty()).then_some(rest)
}

/// A path that stands alone (the other side is `/dev/null`), and its other readings.
pub(super) fn alone(path: &str) -> (String, Vec<String>) {
    match cut_prefix(path) {
        Some(cut) => (cut.to_owned(), vec![path.to_owned()]),
        None => (path.strip_prefix("./").unwrap_or(path).to_owned(), Vec::new()),
    }
}

/// Whether a header's name says nothing: `original`, `modified`, `file`, `a`.
pub(super) fn is_placeholder(path: &str) -> bool {
    const WORDS: [&str; 14] = [
        "a", "b", "old", "new", "original", "modified", "before", "after", "file", "-", "updated", "current", "source",
        "target",
    ];
    let name = alone(path).0.to_ascii_lowercase();
    let stem = name.strip_suffix(".txt").unwrap_or(&name);
    WORDS.contains(&stem) || stem.is_empty()
}

/// Whether one of two paths is the other seen from further above.
pub(super) fn same_tail(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || short.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers() {
        let path = |path: &str| Name::Path(path.to_owned());
        for (text, expected) in [
            ("a/src/x.py", path("a/src/x.py")),
            ("a/src/x.py\t2024-01-31 10:00:00.000000000 +0100", path("a/src/x.py")),
            ("my file.py 2024-01-31 10:00:00", path("my file.py")),
            ("my file 2024-01-31", path("my file 2024-01-31")),
            ("x.py\t1970-01-01 00:00:00.000000000 +0000", Name::Nothing),
            ("/dev/null", Name::Nothing),
            ("/dev/null\r", Name::Nothing),
            ("\"a/tab\\there\"", path("a/tab\there")),
            ("\"a/f\\303\\244\\\\ \\\"q\\\"\"", path("a/fä\\ \"q\"")),
            ("\"a/\\351\"", path("a/\\udce9")),
        ] {
            assert_eq!(header_name(text), expected, "{text}");
        }
    }

    #[test]
    fn names_after_diff_git() {
        for (rest, expected) in [
            ("a/x b/x", Some(("a/x", "b/x"))),
            ("a/my file b/my file", Some(("a/my file", "b/my file"))),
            ("x y", Some(("x", "y"))),
            ("x x", Some(("x", "x"))),
            ("\"a/\\t\" \"b/\\t\"", Some(("a/\t", "b/\t"))),
            ("\"a/\\t\" b/t", Some(("a/\t", "b/t"))),
            ("a/t \"b/\\t\"", Some(("a/t", "b/\t"))),
            ("a/one two b/three four", None),
        ] {
            let expected = expected.map(|(old, new)| (old.to_owned(), new.to_owned()));
            assert_eq!(git_names(rest), expected, "{rest}");
        }
    }

    #[test]
    fn two_names_agree_on_a_path() {
        for (old, new, expected) in [
            ("a/src/x", "b/src/x", Some("src/x")),
            ("i/src/x", "w/src/x", Some("src/x")),
            ("src/x", "src/x", Some("src/x")),
            ("a/x", "a/x", Some("a/x")),
            ("a/src/x", "src/x", Some("src/x")),
            ("src/x", "b/src/x", Some("src/x")),
            ("x.py.orig", "x.py", Some("x.py")),
            ("a/x.py.orig", "b/x.py", Some("x.py")),
            ("p-1.0/src/x", "p-1.1/src/x", Some("src/x")),
            ("./x", "./x", Some("x")),
            ("a/../../x", "b/../../x", Some("../../x")),
            ("/etc/hosts", "/etc/hosts", Some("/etc/hosts")),
            ("x", "y", None),
            ("a/x", "b/y", None),
        ] {
            assert_eq!(agree(old, new).map(|(path, _)| path).as_deref(), expected, "{old} {new}");
        }
    }
}
