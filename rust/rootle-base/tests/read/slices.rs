//! Which lines a request gives, and what is said about the file.

use rootle_base::{Encoding, Error, LineEnds, ReadRequest, Truncation, encode, label};

use crate::case::{ALL, File, LARGE, numbers, texts};

const ABC: &str = "one\ntwo\nthree\nfour\n";

#[test]
fn lines_are_taken_from_either_end() {
    let file = File::new(ABC);
    for (start_line, max_lines, numbers_given, next) in [
        (1, 10, &[1, 2, 3, 4][..], None),
        (1, 4, &[1, 2, 3, 4], None),
        (1, 2, &[1, 2], Some((3, 1))),
        (3, 1, &[3], Some((4, 1))),
        (4, 1, &[4], None),
        (5, 1, &[], None),
        (i64::MAX, 1, &[], None),
        (-1, 1, &[4], None),
        (-2, 1, &[3], Some((4, 1))),
        (-4, 9, &[1, 2, 3, 4], None),
        (-9, 2, &[1, 2], Some((3, 1))),
        (i64::MIN, 1, &[1], Some((2, 1))),
        (2, 0, &[], Some((2, 1))),
    ] {
        let slice = file.read(&ReadRequest { start_line, max_lines, ..ALL });
        assert_eq!(numbers(&slice), numbers_given, "{start_line} {max_lines}");
        assert_eq!(slice.next, next, "{start_line} {max_lines}");
        assert_eq!(slice.truncated_by, next.map(|_| Truncation::Lines));
        assert_eq!((slice.total_lines, slice.final_newline), (Some(4), Some(true)));
        let all: Vec<&str> = ABC.lines().collect();
        let expected: Vec<&str> = numbers_given.iter().map(|&n| all[usize::try_from(n).unwrap() - 1]).collect();
        assert_eq!(texts(&slice), expected);
        assert_eq!(slice.hash, Some(*blake3::hash(ABC.as_bytes()).as_bytes()));
    }
}

#[test]
fn a_large_file_is_read_no_further_than_needed() {
    let file = File::new(ABC);
    for (start_line, max_lines, numbers_given, next, total) in [
        (1, 2, &[1, 2][..], Some((3, 1)), None),
        (-1, 1, &[-1], None, None),
        (-3, 2, &[-3, -2], Some((-1, 1)), None),
        // Having come to the beginning, the numbers are known after all.
        (-4, 2, &[1, 2], Some((3, 1)), None),
        (-9, 9, &[1, 2, 3, 4], None, Some(4)),
        (9, 1, &[], None, Some(4)),
    ] {
        // More than the head that is read in any case.
        let slice = file.read(&ReadRequest { start_line, max_lines, ..LARGE });
        assert_eq!((numbers(&slice).as_slice(), slice.next), (numbers_given, next), "{start_line} {max_lines}");
        assert_eq!(slice.final_newline, Some(true));
        assert_eq!(slice.hash, None);
        if total.is_some() {
            assert_eq!(slice.total_lines, total, "{start_line} {max_lines}");
        }
    }
}

#[test]
fn going_on_at_next_gives_every_character_once() {
    let text = "short\n\nlonger line here\r\nétrange 漢字😀 line\nlast";
    let file = File::new(text);
    for (max_lines, max_chars, max_line_chars) in [(1, 3, 9), (1, 9, 3), (2, 5, 99), (9, 1, 1), (1, 99, 4)] {
        for base in [ALL, LARGE] {
            let mut req = ReadRequest { max_lines, max_chars, max_line_chars, ..base };
            let mut lines: Vec<String> = Vec::new();
            for _ in 0..200 {
                let slice = file.read(&req);
                for line in &slice.lines {
                    let n = usize::try_from(line.number).unwrap();
                    lines.resize(n.max(lines.len()), String::new());
                    assert_eq!(lines[n - 1].chars().count() + 1, line.column);
                    lines[n - 1].push_str(&line.text);
                }
                let Some((line, column)) = slice.next else { break };
                (req.start_line, req.start_column) = (line, column);
            }
            assert_eq!(lines.join("\n"), text.replace('\r', ""), "{max_lines} {max_chars} {max_line_chars}");
        }
    }
}

#[test]
fn long_lines_are_cut_and_can_be_gone_on_with() {
    let file = File::new("abcdefgh\nij\n");
    let base = ReadRequest { max_line_chars: 3, ..ALL };
    for (start_column, max_lines, text, column, cut, next) in [
        (1, 1, "abc", 1, true, Some((1, 4))),
        (4, 1, "def", 4, true, Some((1, 7))),
        (7, 1, "gh", 7, false, Some((2, 1))),
        (9, 1, "", 9, false, Some((2, 1))),
        (99, 1, "", 99, false, Some((2, 1))),
        (1, 2, "abc", 1, true, None),
    ] {
        let slice = file.read(&ReadRequest { start_column, max_lines, ..base });
        let line = &slice.lines[0];
        assert_eq!((line.text.as_str(), line.column, line.cut), (text, column, cut), "{start_column}");
        assert_eq!((line.total_chars, slice.next), (Some(8), next), "{start_column}");
    }
    // The column is that of the first line only.
    let slice = file.read(&ReadRequest { start_column: 2, ..base });
    assert_eq!((texts(&slice), slice.lines[1].column), (vec!["bcd", "ij"], 1));
}

#[test]
fn the_limit_on_all_characters_cuts_where_it_is_met() {
    let file = File::new("abc\ndefgh\n\n\nij\n");
    for (max_chars, expected, next) in [
        (1, &["a"][..], Some((1, 2))),
        (3, &["abc"], Some((2, 1))),
        (4, &["abc"], Some((2, 1))),
        (5, &["abc", "d"], Some((2, 2))),
        (9, &["abc", "defgh"], Some((3, 1))),
        (11, &["abc", "defgh", ""], Some((4, 1))),
        (13, &["abc", "defgh", "", "", "i"], Some((5, 2))),
        (14, &["abc", "defgh", "", "", "ij"], None),
    ] {
        let slice = file.read(&ReadRequest { max_chars, ..ALL });
        assert_eq!((texts(&slice).as_slice(), slice.next), (expected, next), "{max_chars}");
        assert_eq!(slice.truncated_by, next.map(|_| Truncation::Chars), "{max_chars}");
        assert_eq!(slice.total_lines, Some(5));
    }
}

#[test]
fn only_line_feeds_end_lines() {
    let file = File::new("a\n\x0c\nb\nNEEDLE\u{2028}x\u{85}y\x1cz\rw\r\nend\r");
    let slice = file.read(&ALL);
    assert_eq!(texts(&slice), ["a", "\x0c", "b", "NEEDLE\u{2028}x\u{85}y\x1cz\rw", "end\r"]);
    assert_eq!((slice.line_ends, slice.final_newline, slice.total_lines), (LineEnds::Mixed, Some(false), Some(5)));
}

#[test]
fn what_is_said_about_the_file() {
    for (bytes, lines, ends, final_newline) in [
        ("", 0, LineEnds::None, None),
        ("\n", 1, LineEnds::Lf, Some(true)),
        ("a", 1, LineEnds::None, Some(false)),
        ("a\r\nb\r\n", 2, LineEnds::CrLf, Some(true)),
        ("a\r\nb", 2, LineEnds::CrLf, Some(false)),
        ("\u{feff}", 0, LineEnds::None, None),
        ("\u{feff}a\n", 1, LineEnds::Lf, Some(true)),
    ] {
        let slice = File::new(bytes).read(&ALL);
        assert_eq!(
            (slice.total_lines, slice.line_ends, slice.final_newline, slice.bom),
            (Some(lines), ends, final_newline, bytes.starts_with('\u{feff}')),
            "{bytes:?}"
        );
        assert_eq!((slice.size, slice.changed_while_reading), (bytes.len() as u64, false));
    }
}

#[test]
fn every_encoding_is_read_alike() {
    let text = "eins\r\nzw\u{e9}i\n\u{a0a} drei\nvier";
    for name in ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030"] {
        let encoding = label(name).unwrap();
        let body = encode(text, encoding).unwrap();
        let file = File::new([encoding.bom(), &body].concat());
        let explicit = matches!(encoding, Encoding::Legacy(_)).then_some(encoding);
        for start_line in [1, 2, 3, 4, -1, -2, -3, -4] {
            for base in [ALL, LARGE] {
                let slice = file.read(&ReadRequest { start_line, encoding: explicit, ..base });
                let skip = usize::try_from(if start_line > 0 { start_line - 1 } else { start_line + 4 }).unwrap();
                assert_eq!(texts(&slice), ["eins", "zw\u{e9}i", "\u{a0a} drei", "vier"][skip..], "{name} {start_line}");
                assert_eq!((slice.encoding, slice.lossy, slice.binary), (encoding, false, false));
                assert_eq!(slice.final_newline, Some(false));
            }
        }
    }
}

#[test]
fn a_mark_says_more_than_the_caller() {
    let file = File::new(b"\xfe\xff\0a\0\n");
    let slice = file.read(&ReadRequest { encoding: Some(Encoding::Utf16Le), ..ALL });
    assert_eq!((texts(&slice), slice.encoding, slice.bom), (vec!["a"], Encoding::Utf16Be, true));
}

#[test]
fn legacy_and_broken_text_is_flagged() {
    let file = File::new(b"caf\xe9 au lait\n");
    let guessed = file.read(&ALL);
    assert_eq!(
        (texts(&guessed), guessed.encoding.name(), guessed.lossy),
        (vec!["café au lait"], "windows-1252", false)
    );
    let kept = file.read(&ReadRequest { guess_legacy: false, ..ALL });
    assert_eq!((texts(&kept), kept.encoding.name(), kept.lossy), (vec!["caf\u{fffd} au lait"], "utf-8", true));
    // The broken byte lies outside the lines given.
    let file = File::new(b"good\nbad \xff\n");
    let slice = file.read(&ReadRequest { guess_legacy: false, max_lines: 1, ..ALL });
    assert!(!slice.lossy);
}

#[test]
fn binary_files_have_no_lines_unless_taken_for_text() {
    let file = File::new(b"GIF89a\0\x01\n\x02\n");
    let slice = file.read(&ALL);
    assert_eq!((slice.binary, slice.lines.len(), slice.total_lines, slice.final_newline), (true, 0, None, None));
    assert!(slice.hash.is_some());
    let slice = file.read(&ReadRequest { encoding: Some(Encoding::Utf8), ..ALL });
    assert_eq!((slice.binary, texts(&slice)), (true, vec!["GIF89a\0\x01", "\x02"]));
    // A NUL after the head does not take away what was asked for, and is told.
    let mut late = b"line\n".repeat(20_000);
    late.extend_from_slice(b"\0\n");
    let slice = File::new(late).read(&ReadRequest { max_lines: 2, ..ALL });
    assert_eq!((slice.binary, slice.lines.len(), slice.total_lines), (true, 2, Some(20_001)));
}

#[test]
fn hidden_characters_are_told_with_their_place() {
    let file = File::new("plain\nif a\u{202e}b \u{e0041}\n");
    let slice = file.read(&ALL);
    assert_eq!(slice.hidden_unicode, [(2, 5, '\u{202e}'), (2, 8, '\u{e0041}')]);
    let slice = file.read(&ReadRequest { start_line: 2, start_column: 5, ..ALL });
    assert_eq!(slice.hidden_unicode[0], (2, 5, '\u{202e}'));
    let many = File::new("\u{200b}".repeat(50) + "\n" + &"\u{200b}".repeat(50));
    assert_eq!(many.read(&ALL).hidden_unicode.len(), 20);
}

#[test]
fn zero_is_no_line_column_or_limit() {
    let file = File::new(ABC);
    for (name, req) in [
        ("start_line", ReadRequest { start_line: 0, ..ALL }),
        ("start_column", ReadRequest { start_column: 0, ..ALL }),
        ("max_line_chars", ReadRequest { max_line_chars: 0, ..ALL }),
        ("max_chars", ReadRequest { max_chars: 0, ..ALL }),
    ] {
        match file.try_read(&req, &rootle_base::Context::unlimited()) {
            Err(Error::InvalidArgument { name: given, .. }) => assert_eq!(given, name),
            other => panic!("{name}: {other:?}"),
        }
    }
}
