//! Patterns and files made to cost time or memory. One test: memory is the whole process's.

mod support;

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use rootle_base::{CancelToken, Context, Error};
use rootle_grep::{GrepOptions, Matcher, PatternSpec, StopReason};
use support::{Tree, tree};

/// The most memory the process ever had, in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    kib.unwrap_or(0u64) / 1024
}

/// Runs `what` and holds it to its time and memory.
fn within<T>(limit: Duration, mib: u64, name: &str, what: impl FnOnce() -> T) -> T {
    let (before, began) = (peak(), Instant::now());
    let result = what();
    let (took, grown) = (began.elapsed(), peak() - before);
    assert!(took < limit, "{name} took {took:?}");
    assert!(grown < mib, "{name} took {grown} MiB");
    result
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn bounded() {
    patterns();
    backtracking();
    long_line();
    cancel_inside_a_line();
}

fn patterns() {
    let deep = "(".repeat(100_000);
    let closed = format!("{deep}{}", ")".repeat(100_000));
    let looks = "(?=".repeat(20_000);
    let many = (0..400).map(|count| format!(r"(?=\w{{{}}})", count + 100)).collect::<String>();
    for pattern in [
        "(?:a{1000}){1000}",
        r"\w{500}{500}",
        r"(\w{1000}){1000}",
        &deep,
        &closed[..120_000],
        &looks,
        &many,
        r"(?=\w{1000}{1000})",
        "[[[[[[[[",
        &"[a-z".repeat(30_000),
        &"x".repeat(1 << 20),
    ] {
        let name = &pattern[..pattern.len().min(30)];
        let result = within(SECOND * SLOWNESS, 64, name, || Matcher::new(&PatternSpec::regex(pattern)));
        assert!(
            matches!(result, Err(Error::InvalidPattern { .. } | Error::PatternTooLarge { .. })),
            "{name}: {result:?}"
        );
        let text = result.unwrap_err().to_string();
        assert!(text.len() < 600, "{name}: {} bytes of message", text.len());
    }
}

fn search(tree: &Tree, pattern: &str) -> (u64, u64) {
    let result = tree.grep(pattern, &GrepOptions { max_line_chars: 80, ..GrepOptions::default() });
    assert!(result.complete);
    assert!(result.files.iter().flat_map(|file| file.matches.iter()).all(|hit| hit.text().chars().count() <= 80));
    (result.total_matches, result.coverage.step_limited)
}

/// Unoptimised code is slower than what is tested for.
const SLOWNESS: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

fn backtracking() {
    let forty = tree([("a", "a".repeat(40) + "!\n")]);
    let million = tree([("a", "a".repeat(1 << 20) + "!\n")]);
    for (pattern, linear) in [
        ("(a+)+$", true),
        ("(a|a)*b", true),
        ("(a|aa)+$", true),
        ("(?=(a+)+$)b", false),
        ("(?=(a+)+b)a", false),
        ("^(a|aa)+(?<!a)$", false),
        (r"(a*)*\1b", false),
        (r"^(?:(a+)\1)+$", false),
        (r"(a)\1{100000}{100000}", false),
        ("(?:(?=[^b]*b)a|(?=[^b]*b)aa)+(?<!a)!", false),
    ] {
        assert_eq!(Matcher::new(&PatternSpec::regex(pattern)).unwrap().engine() == "regex", linear, "{pattern}");
        for tree in [&forty, &million] {
            let (_, limited) = within(SECOND * SLOWNESS, 64, pattern, || search(tree, pattern));
            assert!(!linear || limited == 0, "{pattern}");
        }
    }
    // The plain part of the pattern lets the line pass, and backtracking cannot decide it.
    assert_eq!(search(&forty, r"^(?:a|aa)+(?<!a)!").1, 1);
    assert_eq!(search(&million, "(?=(a+)+b)a").1, 1);
}

fn long_line() {
    let tree = tree([("other", "")]);
    let mut file = fs::File::create(tree.path("min.js")).unwrap();
    let block = b"var a={b:1,c:[2,3]};".repeat(50_000);
    for _ in 0..40 {
        file.write_all(&block).unwrap();
    }
    file.write_all(b"needle").unwrap();
    for (pattern, most) in [("needle", 16), ("needle$", 16), (r"b:1,c.{3}|needle", 16), (r"(?<=;)needle(?!x)", 16)] {
        let name = format!("{pattern} in a long line");
        let (matches, limited) = within(SECOND * 4 * SLOWNESS, most, &name, || search(&tree, pattern));
        assert_eq!((matches, limited), (1, 0), "{pattern}");
    }
}

fn cancel_inside_a_line() {
    let tree = tree([("a", vec![b'a'; 64 << 20])]);
    for pattern in [r"(?:[a-c]\w{3,20}){10}z", "b|(?:a{20,500}b)", r"(?<=b)a(?=\w+c)"] {
        for one_thread in [true, false] {
            let token = CancelToken::new();
            let ctx = Context::new(None, token.clone());
            let mut cancelled = Instant::now();
            let result = std::thread::scope(|scope| {
                let search = scope.spawn(|| {
                    let result = tree.try_grep(&PatternSpec::regex(pattern), &GrepOptions::default(), &ctx);
                    (result.unwrap(), Instant::now())
                });
                std::thread::sleep(Duration::from_millis(if one_thread { 30 } else { 100 }));
                cancelled = Instant::now();
                token.cancel();
                search.join().unwrap()
            });
            if result.0.complete {
                continue;
            }
            assert_eq!(result.0.stop, Some(StopReason::Cancelled));
            let late = result.1.saturating_duration_since(cancelled);
            assert!(late < Duration::from_millis(200) * SLOWNESS, "{pattern}: {late:?}");
        }
    }
}
