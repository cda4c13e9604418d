//! Where a walk begins.

use std::collections::HashSet;
use std::path::PathBuf;

use rootle_base::{Context, Error, FileKind, Result, Root};

use crate::bytes::{plain, shown};
use crate::order::is_under;
use crate::{Request, path_order};

/// A place to begin, in path order.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) path: Vec<u8>,
    /// The same without links.
    pub(crate) real: Vec<u8>,
    pub(crate) is_dir: bool,
}

/// The starts of a walk.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    pub(crate) all: Vec<Start>,
    /// Starts below other starts: passed over when they are come upon, since they are walked as starts.
    inner: HashSet<Vec<u8>>,
}

impl Starts {
    /// Looks at all of them. The one that is looked at is in `at`, for when the system does not answer.
    pub(crate) fn new(req: &Request<'_>, ctx: &Context, at: &mut PathBuf) -> Result<Self> {
        let mut all = Vec::with_capacity(req.starts.len());
        for path in req.starts {
            let path = req.root.relative(path)?;
            at.clone_from(&path);
            all.push(req.root.apart(ctx, move |root, _| Start::new(root, &path))?);
        }
        all.sort_by(|a, b| path_order(&a.path, &b.path));
        all.dedup_by(|a, b| a.path == b.path);
        let inside =
            |start: &&Start| all.iter().any(|outer| outer.path != start.path && is_under(&start.path, &outer.path));
        let inner = if all.len() > 1 {
            all.iter().filter(inside).map(|start| start.path.clone()).collect()
        } else {
            HashSet::new()
        };
        Ok(Self { all, inner })
    }

    pub(crate) fn is_inner(&self, path: &[u8]) -> bool {
        !self.inner.is_empty() && self.inner.contains(path)
    }
}

impl Start {
    pub(crate) fn new(root: &Root, path: &std::path::Path) -> Result<Self> {
        let mut plain_path = plain(path);
        if plain_path.is_empty() {
            return Ok(Self { path: Vec::new(), real: Vec::new(), is_dir: true });
        }
        let meta = root.stat(path)?;
        let real = plain(&root.real_path(path)?);
        // What `..` means depends on links, so a path with it is no name for what is found.
        if plain_path.split(|byte| *byte == b'/').any(|name| name == b"..") {
            plain_path.clone_from(&real);
        }
        match meta.kind {
            FileKind::Dir => Ok(Self { path: plain_path, real, is_dir: true }),
            FileKind::File if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
                Err(Error::NotADirectory { path: shown(path.as_os_str().as_encoded_bytes()) })
            }
            FileKind::File => Ok(Self { path: plain_path, real, is_dir: false }),
            other => Err(Error::NotARegularFile { path: shown(&plain_path), kind: other.as_str() }),
        }
    }
}
