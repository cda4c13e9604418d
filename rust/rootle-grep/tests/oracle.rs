//! The same lines as ripgrep and GNU grep, where they are installed.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use rootle_base::Context;
use rootle_grep::{Case, GrepOptions, PatternSpec};
use support::{Tree, tree};

/// Text in which the patterns below match here and there, some of it not UTF-8, some with CRLF, some long.
fn corpus() -> Tree {
    let words =
        ["static", "return", "foo", "Bar", "bar_baz", "u64", "é", "Ωmega", "x = 1;", "TODO:", "/* c */", "\t", ""];
    let mut seed = 7u32;
    let mut next = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as usize
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for at in 0..60 {
        let mut text = String::new();
        for _ in 0..next() % 60 {
            for _ in 0..next() % 7 {
                let _ = write!(text, "{} ", words[next() % words.len()]);
            }
            text.push_str(if at % 5 == 4 { "\r\n" } else { "\n" });
        }
        if at % 7 == 0 {
            text.truncate(text.trim_end().len());
        }
        let mut bytes = text.into_bytes();
        if at % 11 == 0 {
            bytes.extend_from_slice(b"\nfoo \xff\xfe bar\n");
        }
        files.push((format!("d{}/f{at}.c", at % 4), bytes));
    }
    tree(files)
}

#[test]
fn the_same_lines_as_ripgrep_where_they_are_long() {
    // Longer than a window, and what a pattern matches in it shorter than the overlap.
    let long = format!("{}foo{}\nfoo\nend", "ab ".repeat(500_000), " cd".repeat(20_000));
    let tree = tree([("long.c", long)]);
    for pattern in ["foo", "cd$", "^ab", "foo (cd ?)+$", "nowhere", r"b\b"] {
        let args = ["--no-config", "--no-heading", "-n", "--color=never", "-e", pattern, "./"];
        let Some(theirs) = theirs(&tree, "rg", &args) else { return };
        assert_eq!(ours(&tree, &PatternSpec::regex(pattern)), theirs, "{pattern:?}");
    }
}

const PATTERNS: [&str; 28] = [
    "foo",
    "return",
    "nowhere",
    "",
    "^",
    "^static",
    "^$",
    r"^\s*$",
    r"\bbar\b",
    r"\w+_\w+",
    "[A-Z]+:",
    "foo|Bar|u64|TODO",
    "(?i)FOO",
    "é",
    r"\p{Greek}",
    r"[^\x00-\x7F]",
    r"\d+",
    "x = [0-9];",
    r"/\*.*\*/",
    r"\S\s\S",
    r"foo.*bar",
    ".{30,}",
    r"\Astatic",
    r"(?-u)\xff",
    r"\t",
    "(a|b)+r",
    r"(foo\s+){2}",
    r"\B_",
];

fn ours(tree: &Tree, spec: &PatternSpec) -> BTreeSet<(String, u64)> {
    let result = tree.try_grep(spec, &GrepOptions::default(), &Context::unlimited()).unwrap();
    let mut lines = BTreeSet::new();
    for file in result.files {
        let path = String::from_utf8(file.path).unwrap();
        for hit in file.matches.iter() {
            lines.extend((hit.line()..=hit.end_line()).map(|line| (path.clone(), line)));
        }
    }
    lines
}

/// `path:line:text` for each line; none if the program is not there.
fn theirs(tree: &Tree, program: &str, args: &[&str]) -> Option<BTreeSet<(String, u64)>> {
    let output =
        Command::new(program).args(args).current_dir(tree.dir.path()).env("LC_ALL", "C.UTF-8").output().ok()?;
    let mut lines = BTreeSet::new();
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(3, |byte| *byte == b':').map(|field| String::from_utf8_lossy(field).into_owned());
        let path = fields.next()?.trim_start_matches("./").to_owned();
        lines.insert((path, fields.next()?.parse().ok()?));
    }
    Some(lines)
}

#[test]
fn the_same_lines_as_ripgrep() {
    let tree = corpus();
    for (flag, case, multiline) in [
        ("--case-sensitive", Case::Sensitive, false),
        ("--ignore-case", Case::Insensitive, false),
        ("--smart-case", Case::Smart, false),
        ("--multiline", Case::Sensitive, true),
    ] {
        for pattern in PATTERNS.into_iter().chain(["foo$", "bar $", r"1; *$"]) {
            // An end of line is before the carriage return here, which is what this option of theirs means.
            let crlf = if pattern.contains('$') { "--crlf" } else { "--no-crlf" };
            let args = ["--no-config", "--no-heading", "-n", "--color=never", crlf, flag, "-e", pattern, "./"];
            let Some(theirs) = theirs(&tree, "rg", &args) else { return };
            let spec = PatternSpec { case, multiline, ..PatternSpec::regex(pattern) };
            assert_eq!(ours(&tree, &spec), theirs, "{pattern:?} {flag}");
        }
    }
}

#[test]
fn the_same_lines_as_gnu_grep() {
    let tree = corpus();
    for pattern in ["foo", "^static", "[A-Z]+:", "foo|Bar|u64|TODO", "x = [0-9];", "(a|b)+r", "nowhere", "é"] {
        for (flag, word, invert) in [("-E", false, false), ("-Ew", true, false), ("-Ev", false, true)] {
            let args = ["-rna", "--color=never", flag, "-e", pattern, "."];
            let Some(theirs) = theirs(&tree, "grep", &args) else { return };
            let spec = PatternSpec { word, ..PatternSpec::regex(pattern) };
            let options = GrepOptions { invert, ..GrepOptions::default() };
            let result = tree.try_grep(&spec, &options, &Context::unlimited()).unwrap();
            let ours: BTreeSet<(String, u64)> = result
                .files
                .iter()
                .flat_map(|file| {
                    let path = String::from_utf8_lossy(&file.path).into_owned();
                    file.matches.iter().map(move |hit| (path.clone(), hit.line()))
                })
                .collect();
            assert_eq!(ours, theirs, "{pattern:?} {flag}");
        }
    }
}
