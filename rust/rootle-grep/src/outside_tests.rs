use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;
use crate::pattern::Case;

fn posix_of(pattern: &str) -> Option<String> {
    outside(&PatternSpec::regex(pattern)).unwrap().posix
}

#[test]
fn written() {
    for (pattern, posix) in [
        ("foo", Some("foo")),
        (r"a\.b", Some(r"a\.b")),
        (r"[0-9]+", Some("([0-9])+")),
        (r"foo\b", Some("foo()")),
        ("(?:a|bc)d*", Some("(a|bc)(d)*")),
        ("(?i)a", Some("[Aa]")),
        ("foo(?=bar)", Some("foo")),
        ("^x$", Some("^x(\r)?$")),
        ("", None),
        ("a*", None),
        ("(?=a)", None),
        ("[]^-]", Some("[]^-]")),
        ("[\\^]", Some(r"\^")),
        ("x{2,3}", Some("(x){2,3}")),
        ("x{1000}", Some("(x)+")),
    ] {
        assert_eq!(posix_of(pattern).as_deref(), posix, "{pattern}");
    }
    assert!(posix_of(r"\d").unwrap().starts_with("([0-9]|"));
}

/// Whether `grep -E` finds the line.
fn greps(pattern: &str, line: &str) -> bool {
    let mut grep = Command::new("grep")
        .args(["-a", "-q", "-E", "-e", pattern])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    grep.stdin.take().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    grep.wait().unwrap().code() == Some(0)
}

#[test]
fn nothing_is_missed() {
    let lines = [
        "foo bar",
        "x = \u{661}2",
        "FOO",
        "a-b]c^d[e",
        "naïve Straße ſ K",
        "\u{feff}bom",
        "é",
        "tab\there",
        "$1.00 (a|b) {2}\r",
    ];
    for pattern in [
        r"\d",
        r"\w+",
        r"\bfoo\b",
        r"(?i)straSSe|foo",
        r"[^a-z ]",
        r"[\[\]^-]",
        r"é",
        "[é-ü]",
        r"\p{Lu}",
        r"\s",
        ".",
        "(?i)s",
        r"(?i)k",
        r"\$\d\.",
        r"\{2\}",
        r"(a|b)\|",
        r"^\S+$",
        r"foo(?! baz)",
        r"(o)\1",
        "(?-u:\\xC3)",
        r"[[:punct:]]",
        r"\t",
    ] {
        let spec = PatternSpec::regex(pattern);
        let truth = regex_lines(&spec, &lines);
        let Some(posix) = outside(&spec).unwrap().posix else { continue };
        for (line, matches) in lines.iter().zip(truth) {
            assert!(!matches || greps(&posix, line), "{pattern} as {posix} misses {line:?}");
        }
    }
}

/// Which lines the pattern matches, by the search itself.
fn regex_lines(spec: &PatternSpec, lines: &[&str]) -> Vec<bool> {
    let dir = tempfile::tempdir().unwrap();
    for (at, line) in lines.iter().enumerate() {
        std::fs::write(dir.path().join(format!("{at:02}")), format!("{line}\n")).unwrap();
    }
    let root = rootle_base::Root::open(dir.path()).unwrap();
    let (options, filter, starts) = (rootle_walk::WalkOptions::default(), rootle_walk::Filter::all(), [".".into()]);
    let req = rootle_walk::Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
    let context = rootle_base::Context::unlimited();
    let found = crate::grep(&req, &Matcher::new(spec).unwrap(), &crate::GrepOptions::default(), &context).unwrap();
    (0..lines.len()).map(|at| found.files.iter().any(|file| file.path == format!("{at:02}").as_bytes())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn random_patterns_miss_nothing(
        pattern in r"(\^)?([abé.]|\[\^?[abk\]\-^]{1,3}\]|\([ab]{1,2}\|[éK]\)|\\[wdsb])([*+?]|\{1,2\}|\*\?)?([abé]|\\W)?(\$)?",
        line in r"[abkKé1 \-\]^.]{0,6}",
        fold: bool,
    ) {
        let case = if fold { Case::Insensitive } else { Case::Sensitive };
        let spec = PatternSpec { case, ..PatternSpec::regex(&pattern) };
        if let Ok(found) = outside(&spec)
            && let Some(posix) = found.posix
            && regex_lines(&spec, &[&line])[0]
        {
            prop_assert!(greps(&posix, &line), "{} as {} misses {:?}", pattern, posix, line);
        }
    }
}
