//! The options that say which entries of a tree are looked at, as every walking function takes them.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rootle_base::{Context, Result, Root};
use rootle_walk::{Filter, FilterSpec, WalkOptions};

/// Which files are wanted, as Python gives them.
pub struct Wanted {
    pub glob: Vec<String>,
    pub exclude: Vec<String>,
    pub types: Vec<String>,
}

impl Wanted {
    /// Globs with a `/` are relative to the start when there is just one that is a directory, else to the root.
    pub fn filter(self, root: &Root, starts: &[PathBuf], ctx: &Context) -> Result<Filter> {
        if self.glob.is_empty() && self.exclude.is_empty() && self.types.is_empty() {
            return Ok(Filter::all());
        }
        Filter::new(&FilterSpec {
            include: self.glob,
            exclude: self.exclude,
            types: self.types,
            ignore_case: false,
            base: base(root, starts, ctx),
        })
    }
}

fn base(root: &Root, starts: &[PathBuf], ctx: &Context) -> Vec<u8> {
    let is_dir = |start: &PathBuf| {
        let start = start.clone();
        root.apart(ctx, move |root, _| root.open_dir(&start)).is_ok()
    };
    match starts {
        [start] if start.as_os_str() != "." && is_dir(start) => {
            start.as_os_str().as_bytes().strip_suffix(b"/").unwrap_or(start.as_os_str().as_bytes()).to_vec()
        }
        _ => Vec::new(),
    }
}

/// The paths that a walk begins at, relative to the root.
pub fn starts(root: &Root, paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    paths.iter().map(|path| root.relative(path)).collect()
}

/// Directory names as the core takes them.
pub fn names(names: Vec<OsString>) -> Vec<OsString> {
    // A trailing slash is how ignore files write directories; the core compares names.
    names
        .into_iter()
        .map(|name| match name.as_bytes().strip_suffix(b"/") {
            Some(bare) => OsString::from_vec(bare.to_vec()),
            None => name,
        })
        .collect()
}

/// Options of a walk that follows no links and goes to any depth.
pub fn plain(
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Vec<OsString>,
    extra_ignore: Vec<String>,
    max_ignore_file_bytes: u64,
) -> WalkOptions {
    WalkOptions {
        hidden,
        no_ignore,
        skip_dirs: names(skip_dirs),
        extra_ignore,
        max_ignore_file_bytes,
        ..WalkOptions::default()
    }
}
