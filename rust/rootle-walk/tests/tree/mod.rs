//! Small trees and what walks find in them.
#![allow(dead_code, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use rootle_base::{Context, Root};
use rootle_walk::{Filter, FilterSpec, Request, Summary, WalkOptions, list_files};
use tempfile::TempDir;

/// Makes files with their content; a path that ends in `/` is a directory, `-> x` as content makes a link to `x`.
pub fn tree(entries: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    grow(dir.path(), entries);
    dir
}

pub fn grow(dir: &Path, entries: &[(&str, &str)]) {
    for (path, content) in entries {
        let full = dir.join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
            continue;
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match content.strip_prefix("-> ") {
            Some(target) => std::os::unix::fs::symlink(target, full).unwrap(),
            None => fs::write(full, content).unwrap(),
        }
    }
}

pub fn options() -> WalkOptions {
    WalkOptions { skip_dirs: vec![".git".into()], ..WalkOptions::default() }
}

/// A walk to be run.
pub struct Run<'a> {
    pub dir: &'a Path,
    pub starts: Vec<&'a str>,
    pub options: WalkOptions,
    pub spec: FilterSpec,
    pub after: Option<&'a str>,
}

impl<'a> Run<'a> {
    pub fn new(dir: &'a Path) -> Self {
        Self { dir, starts: vec!["."], options: options(), spec: FilterSpec::default(), after: None }
    }

    pub fn full(&self) -> rootle_base::Result<(Vec<String>, Summary)> {
        let root = Root::open(self.dir)?;
        let starts: Vec<PathBuf> = self.starts.iter().map(PathBuf::from).collect();
        let filter = Filter::new(&self.spec)?;
        let after = self.after.map(|path| path.as_bytes().to_vec());
        let req = Request { root: &root, starts: &starts, options: &self.options, filter: &filter, after };
        let (table, summary) = list_files(&req, &Context::unlimited(), false)?;
        Ok((table.paths().map(|path| String::from_utf8_lossy(path).into_owned()).collect(), summary))
    }

    pub fn files(&self) -> Vec<String> {
        self.full().unwrap().0
    }
}
