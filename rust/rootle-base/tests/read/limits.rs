//! Size, time and change: a reading stays small and quick whatever the file is.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rootle_base::{CancelToken, Context, Encoding, Error, ReadRequest, Truncation};

use crate::case::{ALL, File, LARGE, numbers, texts};

const GIB: u64 = 1 << 30;
const LIMITED: ReadRequest = ReadRequest { max_lines: 10, max_line_chars: 2000, max_chars: 100_000, ..ALL };

/// A file of `size` bytes, nearly all a hole, that begins and ends with these bytes.
fn sparse(size: u64, begin: &[u8], end: &[u8]) -> File {
    let file = File::new(begin);
    let mut out = OpenOptions::new().write(true).open(file.dir.path().join("f")).unwrap();
    out.set_len(size).unwrap();
    out.seek(SeekFrom::Start(size - end.len() as u64)).unwrap();
    out.write_all(end).unwrap();
    file
}

/// The most memory this process has held, in KiB.
#[cfg(target_os = "linux")]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn peak_kib() -> u64 {
    0
}

#[test]
fn ten_lines_of_four_gigabytes_take_no_time() {
    let head = b"line\n".repeat(20_000);
    let tail: Vec<u8> = (0..20).flat_map(|i| format!("\ntail {i}").into_bytes()).collect();
    let hole = sparse(4 * GIB, b"", b"");
    let text = sparse(4 * GIB, &head, &tail);
    let before = peak_kib();
    let start = Instant::now();

    let slice = hole.read(&LIMITED);
    assert_eq!((slice.binary, slice.lines.len(), slice.size, slice.hash), (true, 0, 4 * GIB, None));

    let slice = text.read(&LIMITED);
    assert_eq!((slice.lines.len(), slice.next, slice.total_lines), (10, Some((11, 1)), None));
    assert_eq!((slice.truncated_by, slice.final_newline), (Some(Truncation::Lines), Some(false)));

    let slice = text.read(&ReadRequest { start_line: -12, ..LIMITED });
    assert_eq!((numbers(&slice)[0], texts(&slice)[0], slice.next), (-12, "tail 8", Some((-2, 1))));

    // The hole itself as one line of text: it is not read to its end.
    let slice = hole.read(&ReadRequest { encoding: Some(Encoding::Utf8), ..LIMITED });
    assert_eq!((slice.lines[0].cut, slice.lines[0].total_chars, slice.next), (true, None, Some((1, 2001))));

    assert!(start.elapsed() < Duration::from_millis(400), "{:?}", start.elapsed());
    assert!(peak_kib() - before < 32 * 1024);
}

#[test]
fn one_line_of_a_hundred_megabytes_is_cut_and_counted_in_little_memory() {
    let chars = 100 << 20;
    let file = File::new(b"");
    let mut out = OpenOptions::new().write(true).open(file.dir.path().join("f")).unwrap();
    for _ in 0..100 {
        out.write_all(&[b'x'; 1 << 20]).unwrap();
    }
    out.write_all(b"\nnext\n").unwrap();
    let before = peak_kib();
    let counted = ReadRequest { max_count_bytes: GIB, ..LIMITED };

    let slice = file.read(&counted);
    assert_eq!((slice.lines[0].text.len(), slice.lines[0].cut), (2000, true));
    assert_eq!((slice.lines[0].total_chars, slice.total_lines, texts(&slice)[1]), (Some(chars), Some(2), "next"));

    let slice = file.read(&ReadRequest { max_lines: 1, start_column: 100_000_000, ..counted });
    assert_eq!((slice.lines[0].text.len(), slice.lines[0].column), (2000, 100_000_000));
    assert_eq!(slice.next, Some((1, 100_002_000)));

    assert!(peak_kib() - before < 32 * 1024);
}

#[test]
fn a_slice_across_blocks_is_whole() {
    // Lines of many lengths, so that block ends fall everywhere: into characters and between CR and LF.
    let lines: Vec<String> = (0..4000).map(|i| format!("{i} é漢😀{}", "x".repeat(i % 211))).collect();
    let file = File::new(lines.join("\r\n"));
    for base in [ALL, LARGE] {
        let slice = file.read(&base);
        assert_eq!(texts(&slice), lines);
        assert_eq!(slice.line_ends.as_str(), "crlf");
        for k in [1, 7, 1999, 3999, 4000] {
            let slice = file.read(&ReadRequest { start_line: -k, ..base });
            assert_eq!(texts(&slice), lines[4000 - usize::try_from(k).unwrap()..], "-{k}");
        }
        let slice = file.read(&ReadRequest { start_line: 3000, max_lines: 2, ..base });
        assert_eq!((texts(&slice), numbers(&slice)), (vec![lines[2999].as_str(), &lines[3000]], vec![3000, 3001]));
    }
}

#[test]
fn a_time_limit_is_an_error_only_while_lines_are_missing() {
    let file = sparse(2 * GIB, b"first\nsecond\n", b"");
    let all = ReadRequest { max_count_bytes: 4 * GIB, max_lines: 1, encoding: Some(Encoding::Utf8), ..LIMITED };
    let limit = || Context::new(Some(Duration::from_millis(20)), CancelToken::new());
    let slice = file.try_read(&all, &limit()).unwrap();
    assert_eq!((texts(&slice), slice.total_lines, slice.hash), (vec!["first"], None, None));
    let start = Instant::now();
    let error = file.try_read(&ReadRequest { start_line: 5, ..all }, &limit()).unwrap_err();
    assert!(matches!(error, Error::DeadlineExceeded { .. }), "{error:?}");
    let error = file.try_read(&ReadRequest { start_line: -5, ..all }, &limit()).unwrap_err();
    assert!(matches!(error, Error::DeadlineExceeded { .. }), "{error:?}");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());

    let cancelled = CancelToken::new();
    cancelled.cancel();
    let error = file.try_read(&all, &Context::new(None, cancelled)).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error:?}");
}

#[test]
fn an_interrupt_ends_a_long_reading() {
    let file = sparse(8 * GIB, b"first\n", b"");
    let begun = Instant::now();
    let ctx = Context::unlimited().with_interrupt(move || begun.elapsed() > Duration::from_millis(50));
    let req = ReadRequest { start_line: 9, encoding: Some(Encoding::Utf8), ..LIMITED };
    assert!(matches!(file.try_read(&req, &ctx), Err(Error::Interrupted)));
    assert!(begun.elapsed() < Duration::from_millis(250), "{:?}", begun.elapsed());
}

#[test]
fn a_line_end_on_either_side_of_a_blocks_end_is_one() {
    for x in [65_535, 65_535 + 131_072] {
        let slice = File::new("x".repeat(x) + "\r\nnext\r\n").read(&ALL);
        assert_eq!((slice.line_ends.as_str(), slice.lines[0].text.len(), texts(&slice)[1]), ("crlf", x, "next"));
    }
}

#[test]
fn a_write_in_the_middle_of_a_reading_is_noticed() {
    let file = sparse(GIB, b"first\n", b"");
    let path = file.dir.path().join("f");
    let written = Arc::new(AtomicBool::new(false));
    let wrote = written.clone();
    // The size stays as it is.
    let ctx = Context::unlimited().with_interrupt(move || {
        if !wrote.swap(true, Ordering::Relaxed) {
            OpenOptions::new().write(true).open(&path).unwrap().write_all(b"other\n").unwrap();
        }
        false
    });
    let req = ReadRequest { max_count_bytes: GIB, encoding: Some(Encoding::Utf8), max_lines: 1, ..LIMITED };
    let slice = file.try_read(&req, &ctx).unwrap();
    assert!(written.load(Ordering::Relaxed) && slice.changed_while_reading);
    assert!(!file.read(&ReadRequest { max_count_bytes: 0, ..req }).changed_while_reading);
}

/// Runs `change` over and over in another thread while `look` runs.
fn while_changing(change: impl Fn(usize) + Sync, look: impl FnOnce()) {
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                change(round);
            }
        });
        // Also when `look` panics, or the scope would wait for ever.
        let _done = Done(&done);
        look();
    });
}

#[test]
fn a_file_that_changes_meanwhile_is_one_version_or_marked() {
    let file = File::new("old\n".repeat(50_000));
    let path = file.dir.path().join("f");
    let change = |round: usize| {
        std::fs::write(&path, ["new\n", "", "old\n"][round % 3].repeat(50_000)).unwrap();
        // Longer than the tick of the time stamps of older kernels.
        std::thread::sleep(Duration::from_millis(11));
    };
    while_changing(change, || {
        let start = Instant::now();
        let mut marked = 0;
        while start.elapsed() < Duration::from_millis(500) || (marked == 0 && start.elapsed() < Duration::from_secs(5))
        {
            let slice = file.read(&ALL);
            if slice.changed_while_reading {
                assert_eq!(slice.hash, None);
                marked += 1;
                continue;
            }
            let mut kinds = texts(&slice);
            kinds.dedup();
            assert!(kinds.len() <= 1, "two versions in one answer: {kinds:?}");
        }
        assert!(marked > 0);
    });
}

#[test]
fn a_file_that_grows_ends_where_it_was_opened() {
    let file = File::new("first\n");
    let path = file.dir.path().join("f");
    let change = |round| {
        // A reading takes longer the larger the file is: it must not grow without end.
        if round < 1000 {
            let mut out = OpenOptions::new().append(true).open(&path).unwrap();
            out.write_all(&b"more\n".repeat(500)).unwrap();
        }
        std::thread::sleep(Duration::from_micros(200));
    };
    while_changing(change, || {
        for _ in 0..20 {
            let slice = file.read(&ReadRequest { max_hash_bytes: 0, max_count_bytes: GIB, ..LIMITED });
            // The size may be met in the middle of a write.
            assert_eq!(slice.total_lines, Some(1 + (slice.size - 6).div_ceil(5)));
        }
    });
}
