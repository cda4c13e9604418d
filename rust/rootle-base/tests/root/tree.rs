//! Trees for the tests, and one word for what came of a path.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rootle_base::{Error, Resolver, Root};
use tempfile::TempDir;

/// Every resolver of this system: old kernels and some containers have no `openat2`.
pub fn resolvers() -> Vec<Resolver> {
    let mut all = vec![Resolver::Auto, Resolver::Components];
    let root = Root::open_with(Path::new("/"), Resolver::Openat2).unwrap();
    if root.stat(Path::new(".")).is_ok() {
        all.push(Resolver::Openat2);
    }
    all
}

/// What a test puts into its tree.
pub enum Node<'a> {
    File(&'a str),
    Link(&'a str),
    Dir,
}

/// An `outer` directory that holds `root` and things outside of it. `{root}` and `{outer}` in a link's text stand for
/// the absolute paths.
pub struct Tree {
    pub outer: TempDir,
    pub root: PathBuf,
}

impl Tree {
    pub fn new(nodes: &[(&str, Node<'_>)]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        let base = outer.path().canonicalize().unwrap();
        let root = base.join("root");
        fs::create_dir(&root).unwrap();
        for (path, node) in nodes {
            let at = root.join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            match node {
                Node::File(text) => fs::write(at, text).unwrap(),
                Node::Dir => fs::create_dir_all(at).unwrap(),
                Node::Link(text) => {
                    let text = text.replace("{root}", root.to_str().unwrap());
                    symlink(text.replace("{outer}", base.to_str().unwrap()), at).unwrap();
                }
            }
        }
        Self { outer, root }
    }

    pub fn open(&self, resolver: Resolver) -> Root {
        Root::open_with(&self.root, resolver).unwrap()
    }
}

/// The name of an error's variant.
pub fn word(error: &Error) -> String {
    let debug = format!("{error:?}");
    debug.split([' ', '{']).next().unwrap().to_owned()
}

/// The content of the file at `path`, or the name of the error.
pub fn content(root: &Root, path: impl AsRef<Path>) -> String {
    match root.open_file(path.as_ref()) {
        Ok(mut open) => {
            let mut text = String::new();
            open.file.read_to_string(&mut text).unwrap();
            text
        }
        Err(error) => word(&error),
    }
}
