//! Timing against rg, throw-away.
#![allow(missing_docs, clippy::all, clippy::print_stdout)]
use rootle_base::{Context, Root};
use rootle_grep::*;
use rootle_walk::{Filter, Request, WalkOptions};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

fn ticks() -> (f64, f64) {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s[s.rfind(')').unwrap() + 2..].split(' ').collect();
    let g = |i: usize| f[i].parse::<f64>().unwrap() / 100.0;
    (g(11) + g(12), g(13) + g(14))
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rounds: usize = a[2].parse().unwrap();
    let opts_arg = a.get(4).cloned().unwrap_or_default();
    let has = |x: &str| opts_arg.split(',').any(|o| o == x);
    let pattern = &a[3];
    let root = Root::open(Path::new(&a[1])).unwrap();
    let starts = vec![PathBuf::from(".")];
    let wopts = WalkOptions { skip_dirs: vec![], threads: if has("j1") { 1 } else { 0 }, ..Default::default() };
    let filter = Filter::all();
    let req = Request { root: &root, starts: &starts, options: &wopts, filter: &filter, after: None };
    let spec = PatternSpec {
        case: if has("i") { Case::Insensitive } else { Case::Sensitive },
        multiline: has("U"),
        ..PatternSpec::regex(pattern)
    };
    let options = GrepOptions {
        mode: if has("files") { Mode::Files } else if has("count") { Mode::Count } else { Mode::Content },
        sort: if has("mod") { Sort::Modified } else { Sort::Path },
        max_matches: if has("lim") { Some(100) } else { None },
        ..Default::default()
    };
    let ours = || {
        let m = Matcher::new(&spec).unwrap();
        grep(&req, &m, &options, &Context::unlimited()).unwrap()
    };
    let mut args: Vec<&str> = vec!["--no-config", "--no-ignore-global", "--no-ignore-parent", "--no-require-git", "--no-heading", "-n", "--color=never"];
    if has("i") { args.push("-i"); }
    if has("U") { args.push("-U"); }
    if has("files") { args.push("-l"); }
    if has("mod") { args.extend(["--sortr", "modified"]); }
    if has("sort") { args.extend(["--sort", "path"]); }
    args.extend(["-e", pattern, "./"]);
    let rg = || {
        if has("lim") {
            Command::new("sh").arg("-c").arg(format!("/opt/rg15/bin/rg --no-config --no-ignore-global --no-ignore-parent --no-require-git --no-heading -n -e '{}' ./ | head -100", pattern)).current_dir(&a[1]).output().unwrap().stdout
        } else {
            Command::new("/opt/rg15/bin/rg").args(&args).current_dir(&a[1]).output().unwrap().stdout
        }
    };
    let r = ours();
    println!("engine {} matches {} files {} searched {} binary {} bytes {} too_large {} split {} unread {} complete {} stop {:?}", r.engine, r.total_matches, r.total_files, r.coverage.searched, r.coverage.binary, r.coverage.searched_bytes, r.coverage.too_large, r.coverage.long_lines_split, r.coverage.unreadable, r.complete, r.stop);
    if !has("lim") && !has("files") && !has("nocmp") {
        let mut mine = BTreeSet::new();
        let mut binary = BTreeSet::new();
        for f in &r.files {
            if f.binary { binary.insert(f.path.clone()); continue; }
            for h in &f.matches { for l in h.line..=h.end_line { mine.insert((f.path.clone(), l)); } }
        }
        let mut theirs = BTreeSet::new();
        for line in rg().split(|b| *b == b'\n') {
            if line.is_empty() { continue; }
            let line = line.strip_prefix(b"./").unwrap_or(line);
            let mut it = line.splitn(3, |b| *b == b':');
            let p = it.next().unwrap().to_vec();
            if let Some(Ok(n)) = it.next().map(|n| String::from_utf8_lossy(n).parse::<u64>()) {
                if !binary.contains(&p) { theirs.insert((p, n)); }
            }
        }
        let only_mine: Vec<_> = mine.difference(&theirs).take(5).map(|(p, l)| (String::from_utf8_lossy(p).into_owned(), l)).collect();
        let only_theirs: Vec<_> = theirs.difference(&mine).take(5).map(|(p, l)| (String::from_utf8_lossy(p).into_owned(), l)).collect();
        println!("mine {} theirs {} only mine {:?} only theirs {:?}", mine.len(), theirs.len(), only_mine, only_theirs);
    }
    let (mut w1, mut w2) = (vec![], vec![]);
    let (mut c1, mut c2) = (0.0, 0.0);
    for _ in 0..rounds {
        let (u, c) = ticks();
        let t = Instant::now();
        std::hint::black_box(ours());
        w1.push(t.elapsed().as_secs_f64());
        let (u2, _) = ticks();
        c1 += u2 - u;
        let t = Instant::now();
        std::hint::black_box(rg());
        w2.push(t.elapsed().as_secs_f64());
        let (_, cc) = ticks();
        c2 += cc - c;
    }
    w1.sort_by(f64::total_cmp);
    w2.sort_by(f64::total_cmp);
    let m = rounds / 2;
    println!("ours {:.2} ms rg {:.2} ms wall ratio {:.3} (min {:.3}) cpu ratio {:.3} (cpu ours {:.2} ms)", w1[m] * 1e3, w2[m] * 1e3, w1[m] / w2[m], w1[0] / w2[0], c1 / c2, c1 / rounds as f64 * 1e3);
}
