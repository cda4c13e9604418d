#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]
use rootle_base::{Context, Root};
use rootle_walk::*;
use std::io::Write;
use std::path::Path;
use std::time::Instant;
struct Reader(Vec<u8>, u64);
impl Visit for Reader {
    fn file(&mut self, f: &FileEntry<'_>) {
        if let Ok(fd) = f.open() {
            if let Ok(n) = rustix::io::read(&fd, &mut self.0[..]) {
                self.1 += n as u64;
            }
        }
    }
}
struct Nothing(u64);
impl Visit for Nothing {
    fn file(&mut self, _f: &FileEntry<'_>) {
        self.0 += 1;
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rounds: usize = args[3].parse().unwrap();
    let mut times = vec![];
    let threads: usize = args.get(4).map_or(0, |x| x.parse().unwrap());
    for i in 0..rounds {
        let t = Instant::now();
        let root = Root::open(Path::new(&args[2])).unwrap();
        let options = WalkOptions { threads, ..Default::default() };
        let filter = if let Some(g) = args.get(5) {
            Filter::new(&FilterSpec { include: vec![g.clone()], ..Default::default() }).unwrap()
        } else {
            Filter::all()
        };
        let starts = [std::path::PathBuf::from(".")];
        let req = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
        let ctx = Context::unlimited();
        match &*args[1] {
            "read" => {
                let (v, s) = walk(&req, &ctx, || Reader(vec![0; 65536], 0)).unwrap();
                if i == 0 {
                    eprintln!("{s:?} {} workers {}", v.iter().map(|v| v.1).sum::<u64>(), v.len());
                }
            }
            "none" => {
                let (v, s) = walk(&req, &ctx, || Nothing(0)).unwrap();
                if i == 0 {
                    eprintln!("{s:?} {} workers", v.len());
                }
            }
            "list" => {
                let (t, s) = list_files(&req, &ctx, false).unwrap();
                if i == 0 {
                    eprintln!("{s:?} {}", t.len());
                }
            }
            _ => {
                let (t, s) = list_files(&req, &ctx, false).unwrap();
                eprintln!("{s:?}");
                let mut out = std::io::stdout().lock();
                for p in t.paths() {
                    out.write_all(b"./").unwrap();
                    out.write_all(p).unwrap();
                    out.write_all(b"\n").unwrap();
                }
                return;
            }
        }
        times.push(t.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("median {:.3} ms  min {:.3}", times[times.len() / 2], times[0]);
}
