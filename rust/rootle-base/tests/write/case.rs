//! One word for what came of a writing, and what a tree holds after it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rootle_base::{
    Change, Context, Expect, Modified, Result, Root, WriteOptions, Written, commit, modify_file, write_file,
};

use crate::tree::word;

pub fn options() -> WriteOptions {
    WriteOptions { make_parents: true, ..WriteOptions::default() }
}

pub fn write(root: &Root, path: &str, content: &str) -> Result<Written> {
    write_file(root, Path::new(path), content.as_bytes(), &options(), &Context::unlimited())
}

/// Replaces the whole content through [`modify_file`].
pub fn modify(root: &Root, path: &str, content: &str) -> Result<Written> {
    let change = |_: &rootle_base::WholeFile| Ok((Some(content.as_bytes().to_vec()), ()));
    let done = modify_file(root, Path::new(path), &options(), &Context::unlimited(), change)?;
    match done.0 {
        Modified::Written(written, new) if new == content.as_bytes() => Ok(written),
        other => panic!("there was new content: {other:?}"),
    }
}

pub fn change(path: &str, content: &str) -> Change {
    Change::Write { path: path.into(), content: content.into(), expect: Expect::Anything, mode: None }
}

pub fn removal(path: &str) -> Change {
    Change::Remove { path: path.into(), expect: Expect::Anything }
}

pub fn rename(from: &str, to: &str, content: Option<&str>) -> Change {
    let content = content.map(|content| content.as_bytes().to_vec());
    Change::Rename { from: from.into(), to: to.into(), content, expect: Expect::Anything }
}

pub fn commit_all(root: &Root, changes: &[Change]) -> Result<Vec<Written>> {
    commit(root, changes, &options(), &Context::unlimited())
}

/// `ok`, or the name of the error.
pub fn outcome<T>(result: &Result<T>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => word(error),
    }
}

/// Every path below a directory with its content; a link's is `-> text`, a directory's `/`.
pub fn contents(at: &Path) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    collect(at, at, &mut all);
    all
}

fn collect(base: &Path, dir: &Path, all: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let text = if kind.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else if kind.is_dir() {
            collect(base, &path, all);
            "/".to_owned()
        } else if kind.is_file() {
            fs::read_to_string(&path).unwrap_or_else(|_| "unreadable".to_owned())
        } else {
            "special".to_owned()
        };
        all.insert(path.strip_prefix(base).unwrap().to_owned(), text);
    }
}

/// Names of temporary files below a directory.
pub fn temps(at: &Path) -> Vec<String> {
    let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    contents(at).keys().map(named).filter(|name| name.starts_with(".rootle-")).collect()
}
