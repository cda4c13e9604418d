//! A tree to search and a short way to search it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rootle_base::{Context, Result, Root};
use rootle_grep::{GrepOptions, GrepResult, Matcher, PatternSpec, grep};
use rootle_walk::{Filter, FilterSpec, Request, WalkOptions};
use tempfile::TempDir;

pub struct Tree {
    pub dir: TempDir,
    pub root: Root,
    pub walk: WalkOptions,
    pub filter: Filter,
    pub starts: Vec<PathBuf>,
}

/// A tree of files with their content.
pub fn tree<C: AsRef<[u8]>>(files: impl IntoIterator<Item = (impl AsRef<Path>, C)>) -> Tree {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let root = Root::open(dir.path()).unwrap();
    let starts = vec![PathBuf::from(".")];
    Tree { dir, root, walk: WalkOptions::default(), filter: Filter::all(), starts }
}

impl Tree {
    pub fn threads(mut self, threads: usize) -> Self {
        self.walk.threads = threads;
        self
    }

    pub fn types(mut self, name: &str) -> Self {
        self.filter = Filter::new(&FilterSpec { types: vec![name.to_owned()], ..FilterSpec::default() }).unwrap();
        self
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn set_mtime(&self, path: &str, seconds: u64) {
        let file = fs::File::options().write(true).open(self.path(path)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    pub fn request(&self) -> Request<'_> {
        Request { root: &self.root, starts: &self.starts, options: &self.walk, filter: &self.filter, after: None }
    }

    pub fn try_grep(&self, spec: &PatternSpec, options: &GrepOptions, ctx: &Context) -> Result<GrepResult> {
        grep(&self.request(), &Matcher::new(spec)?, options, ctx)
    }

    pub fn grep(&self, pattern: &str, options: &GrepOptions) -> GrepResult {
        self.try_grep(&PatternSpec::regex(pattern), options, &Context::unlimited()).unwrap()
    }

    /// All pages of a search, one after the other.
    pub fn pages(&self, pattern: &str, options: &GrepOptions) -> Vec<GrepResult> {
        let mut options = options.clone();
        let mut pages = Vec::new();
        loop {
            let page = self.grep(pattern, &options);
            options.cursor.clone_from(&page.cursor);
            let last = page.cursor.is_none();
            assert_eq!(last, page.complete);
            pages.push(page);
            if last {
                return pages;
            }
            assert!(pages.len() < 10_000, "the cursor does not move");
        }
    }
}

/// `path:line` of each match; with `only_matching` the column too.
pub fn places(result: &GrepResult) -> Vec<String> {
    let mut places = Vec::new();
    for file in &result.files {
        let path = String::from_utf8_lossy(&file.path);
        for hit in file.matches.iter() {
            places.push(format!("{path}:{}:{}", hit.line(), hit.column()));
        }
    }
    places
}

/// The paths of the files.
pub fn paths(result: &GrepResult) -> Vec<String> {
    result.files.iter().map(|file| String::from_utf8_lossy(&file.path).into_owned()).collect()
}
