//! Where a file is written: the directory that holds it, opened beneath the root, and its name there.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, OFlags, fstat, mkdirat, openat, statat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::call::Call;
use super::protect::is_git_internal;
use super::stage::sync_dir;
use crate::beneath::{Fault, PATH_ONLY};
use crate::components::{self, Located};
use crate::failure::Miss;
use crate::relative::shown;
use crate::write::WriteOptions;
use crate::{Context, Error, Metadata, Resolver, Result, Root};

/// How often a path is resolved again because something on it was moved meanwhile.
const ATTEMPTS: u32 = 16;

/// The resolved target of a path.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory, for `*at` calls; the deepest that exists, as long as `missing` is not empty.
    pub(crate) dir: Arc<OwnedFd>,
    /// Directories to be made below it.
    pub(crate) missing: Vec<OsString>,
    pub(crate) name: OsString,
    /// The real path relative to the root.
    pub(crate) path: PathBuf,
}

impl Place {
    /// Resolves a path as the caller gave it. With `follow` a link in the last place leads on; without it is refused.
    pub(crate) fn find(call: &Call<'_>, given: &Path, follow: bool) -> Result<Self> {
        let rel = call.root.relative(given)?;
        let fault = |fault| call.root.explain(Miss::Fault("write", fault), given);
        for _ in 0..ATTEMPTS {
            let Some(located) = components::locate(call.root.anchor(), &rel, follow).map_err(fault)? else {
                return Err(Error::IsADirectory { path: shown(given) });
            };
            if !call.options.allow_git_internals && is_git_internal(&located.passed) {
                return Err(Error::ProtectedPath { path: shown(given) });
            }
            match confirm(call, &located) {
                Ok(Some(dir)) => return Self::new(call, given, located, dir),
                Ok(None) | Err(Fault::Os(Errno::NOENT)) => {}
                Err(other) => return Err(fault(other)),
            }
        }
        Err(fault(Fault::Os(Errno::AGAIN)))
    }

    fn new(call: &Call<'_>, given: &Path, located: Located, dir: OwnedFd) -> Result<Self> {
        let stat = fstat(&dir).map_err(|errno| call.explain(given, errno))?;
        if call.root.is_foreign(&dir, Metadata::from(&stat).dev) {
            return Err(Error::NotARegularFile { path: shown(given), kind: "kernel file" });
        }
        let Located { dir_path, missing, name, .. } = located;
        let path = missing.iter().fold(dir_path, |path, name| path.join(name)).join(&name);
        Ok(Self { dir: Arc::new(dir), missing, name, path })
    }

    /// What stands at the name now, links not followed.
    pub(crate) fn stat(&self) -> Result<Option<Metadata>, Errno> {
        if !self.missing.is_empty() {
            return Ok(None);
        }
        match retry_on_intr(|| statat(&*self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW)) {
            Ok(stat) => Ok(Some(Metadata::from(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Makes the missing directories. What was made goes again when the guard is dropped, unless it is kept.
    pub(crate) fn make_parents(&mut self, call: &Call<'_>, given: &Path) -> Result<MadeDirs> {
        let mut made = MadeDirs(Vec::new());
        if self.missing.is_empty() {
            return Ok(made);
        }
        if !call.options.make_parents {
            return Err(call.explain(given, Errno::NOENT));
        }
        let missing = std::mem::take(&mut self.missing);
        let mut at: PathBuf = self.path.ancestors().nth(missing.len() + 1).map_or_else(PathBuf::new, Path::to_path_buf);
        for name in missing {
            at.push(&name);
            match retry_on_intr(|| mkdirat(&*self.dir, &name, Mode::from(0o777))) {
                Ok(()) => made.0.push((Arc::clone(&self.dir), name.clone(), at.clone())),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(call.explain(given, errno)),
            }
            let flags = PATH_ONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let below = retry_on_intr(|| openat(&*self.dir, &name, flags, Mode::empty()));
            self.dir = Arc::new(below.map_err(|errno| call.explain(given, errno))?);
        }
        Ok(made)
    }
}

/// Whether a file may be written at a path, as far as the path tells: what a plan asks before anything is worked out.
///
/// # Errors
/// Those of [`crate::write_file`] that concern the path alone; a missing file or directory is none.
pub fn check_writable_path(root: &Root, path: &Path, options: &WriteOptions, ctx: &Context) -> Result<()> {
    Place::find(&Call::new(root, options, ctx), path, true).map(drop)
}

/// Removes directories that are empty, in the order given; those that are not, or are something else, stay. Gives the
/// ones that are gone.
///
/// # Errors
/// What ends a call.
pub fn remove_empty_dirs(root: &Root, dirs: &[PathBuf], options: &WriteOptions, ctx: &Context) -> Result<Vec<PathBuf>> {
    let call = Call::new(root, options, ctx);
    let mut removed = Vec::new();
    for dir in dirs {
        call.check()?;
        let Ok(place) = Place::find(&call, dir, false) else { continue };
        let gone = place.missing.is_empty()
            && retry_on_intr(|| unlinkat(&*place.dir, &place.name, AtFlags::REMOVEDIR)).is_ok();
        removed.extend(gone.then(|| place.path.clone()));
    }
    Ok(removed)
}

/// The directory that the walk found, opened by the root's resolver: where the kernel resolves paths itself, it must
/// come to the same directory. `None` if it does not, as when something was renamed in between.
fn confirm(call: &Call<'_>, located: &Located) -> Result<Option<OwnedFd>, Fault> {
    let anchor = call.root.anchor();
    if anchor.resolver == Resolver::Components {
        return Ok(Some(located.dir.try_clone().map_err(|error| crate::failure::os(&error))?));
    }
    let path = if located.dir_path.as_os_str().is_empty() { Path::new(".") } else { &located.dir_path };
    let dir = anchor.open(path, PATH_ONLY | OFlags::DIRECTORY)?;
    let (found, confirmed) = (fstat(&located.dir)?, fstat(&dir)?);
    Ok(((found.st_dev, found.st_ino) == (confirmed.st_dev, confirmed.st_ino)).then_some(dir))
}

/// Directories made for a file. Dropping removes those that are empty, the innermost first.
#[derive(Debug)]
pub(crate) struct MadeDirs(Vec<(Arc<OwnedFd>, OsString, PathBuf)>);

impl MadeDirs {
    /// Leaves them, makes them last, and gives their paths relative to the root.
    pub(crate) fn keep(mut self) -> Vec<PathBuf> {
        let made = self.0.drain(..).map(|(parent, _, path)| {
            let _ = sync_dir(&parent);
            path
        });
        made.collect()
    }
}

impl Drop for MadeDirs {
    fn drop(&mut self) {
        for (parent, name, _) in self.0.iter().rev() {
            let _ = retry_on_intr(|| unlinkat(&**parent, name, AtFlags::REMOVEDIR));
        }
    }
}
