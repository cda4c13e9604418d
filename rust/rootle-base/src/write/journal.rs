//! Where journals are kept: a directory of the user's own outside the tree, closed to everyone else.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{CWD, Dir, Mode, OFlags, fchmod, fstat, mkdirat, openat, renameat, unlinkat};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::geteuid;

use super::call::{Trouble, is_refusal};
use super::record::Commit;
use super::stage::{sync, sync_dir, write_at};
use super::sweep::sweep;
use super::temp::Temp;

/// Journals looked at in one directory.
const MAX_LISTED: usize = 1_000;
/// Journals of commits begin so.
pub(crate) const COMMIT: &str = "commit-";
/// Journals of files that are overwritten in place begin so; device and inode follow.
pub(crate) const OVERWRITE: &str = "overwrite-";

pub(crate) struct Journals {
    /// A directory and the names of those below it that are ours; the first that can be used is written to.
    places: Vec<(PathBuf, Vec<OsString>)>,
}

impl Journals {
    pub(crate) fn new(configured: Option<&Path>) -> Self {
        if let Some(dir) = configured {
            let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // A path without a last name, such as `/`, names no directory of the user's own.
            let own = dir.file_name().map(|name| (parent.to_path_buf(), vec![name.to_os_string()]));
            return Self { places: own.into_iter().collect() };
        }
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
        let mut places: Vec<(PathBuf, Vec<OsString>)> =
            state.map(|state| (state, vec!["rootle".into(), "journal".into()])).into_iter().collect();
        let user = format!("rootle-{}", geteuid().as_raw());
        places.push((std::env::temp_dir(), vec![user.into(), "journal".into()]));
        Self { places }
    }

    /// The directories that exist.
    fn existing(&self) -> Vec<Arc<OwnedFd>> {
        self.places.iter().filter_map(|(base, names)| open_own(base, names, false).ok()).map(Arc::new).collect()
    }

    /// The directory to write to, made if missing.
    fn writable(&self) -> Result<Arc<OwnedFd>, Errno> {
        let mut failure = Errno::NOENT;
        for (base, names) in &self.places {
            match open_own(base, names, true) {
                Ok(dir) => return Ok(Arc::new(dir)),
                Err(errno) if is_no_place(errno) => failure = errno,
                Err(errno) => return Err(errno),
            }
        }
        Err(failure)
    }

    /// Writes a journal and makes it last; `Ok(Err(_))` if there is no directory for it.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<Result<Journal, Errno>, Trouble> {
        let dir = match self.writable() {
            Ok(dir) => dir,
            Err(errno) if is_no_place(errno) => return Ok(Err(errno)),
            Err(errno) => return Err(errno.into()),
        };
        sweep(&dir, self);
        let mut temp = Temp::create(&dir, Mode::RUSR | Mode::WUSR)?;
        write_at(&temp.file, bytes, 0, || Ok(()))?;
        sync(&temp)?;
        retry_on_intr(|| renameat(&*dir, &temp.name, &*dir, name))?;
        temp.renamed();
        let journal = Journal { dir, name: name.to_owned(), _lock: Some(temp), kept: false };
        sync_dir(&journal.dir)?;
        Ok(Ok(journal))
    }

    /// The journal of that name, if there is one.
    pub(crate) fn find(&self, name: &str) -> Option<(Journal, Vec<u8>)> {
        self.existing().iter().find_map(|dir| {
            let bytes = read(dir, name)?;
            Some((Journal { dir: Arc::clone(dir), name: name.to_owned(), _lock: None, kept: true }, bytes))
        })
    }

    /// Every journal whose name begins so.
    pub(crate) fn list(&self, prefix: &str) -> Vec<Journal> {
        let mut found = Vec::new();
        for dir in self.existing() {
            let Ok(entries) = Dir::read_from(&*dir) else { continue };
            for entry in entries.take(MAX_LISTED).map_while(Result::ok) {
                let name = entry.file_name().to_string_lossy();
                if name.starts_with(prefix) {
                    found.push(Journal { dir: Arc::clone(&dir), name: name.into_owned(), _lock: None, kept: true });
                }
            }
        }
        found
    }

    /// Names of the temporary files that unfinished commits need.
    pub(crate) fn needed_temps(&self) -> HashSet<String> {
        let commits = self.list(COMMIT).into_iter().filter_map(|journal| Commit::decode(&journal.read()?));
        commits.flat_map(|commit| commit.steps).map(|step| step.temp).collect()
    }
}

/// A journal on disk; dropping removes it unless it is kept.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) dir: Arc<OwnedFd>,
    pub(crate) name: String,
    /// The journal's own file, locked as long as its writer lives.
    _lock: Option<Temp>,
    kept: bool,
}

impl Journal {
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        read(&self.dir, &self.name)
    }

    /// Leaves it for the next call.
    pub(crate) fn keep(mut self) {
        self.kept = true;
    }

    /// Removes it for good: one that came back after a crash could undo what was written since.
    pub(crate) fn finish(mut self) {
        self.kept = true;
        self.remove();
        let _ = sync_dir(&self.dir);
    }

    fn remove(&self) {
        let _ = retry_on_intr(|| unlinkat(&*self.dir, &self.name, rustix::fs::AtFlags::empty()));
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.kept {
            self.remove();
        }
    }
}

/// Whether the failure says that journals cannot be kept there, rather than that the disk is full or broken.
fn is_no_place(errno: Errno) -> bool {
    is_refusal(errno) || matches!(errno, Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::MLINK)
}

fn read(dir: &OwnedFd, name: &str) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| openat(dir, name, flags, Mode::empty())).ok()?;
    let mut bytes = Vec::new();
    std::fs::File::from(fd).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Opens the innermost of `names` below `base`: none may be a link, belong to someone else, or be open to others.
fn open_own(base: &Path, names: &[OsString], make: bool) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open_base = || retry_on_intr(|| openat(CWD, base, flags, Mode::empty()));
    let mut dir = match open_base() {
        Err(Errno::NOENT) if make => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(base)
                .map_err(|e| Errno::from_io_error(&e).unwrap_or(Errno::IO))?;
            open_base()?
        }
        other => other?,
    };
    for name in names {
        if make {
            match retry_on_intr(|| mkdirat(&dir, name, Mode::RWXU)) {
                Ok(()) => sync_dir(&dir)?,
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        dir = retry_on_intr(|| openat(&dir, name, flags | OFlags::NOFOLLOW, Mode::empty()))?;
        let stat = fstat(&dir)?;
        if stat.st_uid != geteuid().as_raw() {
            return Err(Errno::PERM);
        }
        if stat.st_mode & 0o077 != 0 {
            fchmod(&dir, Mode::RWXU)?;
        }
    }
    Ok(dir)
}
