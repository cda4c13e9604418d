//! Writing one file.

use std::path::Path;

use rustix::io::Errno;

use super::acquire::{ATTEMPTS, Acquired, Found, acquire, is_unchanged};
use super::attributes::Attributes;
use super::call::{Call, Trouble, is_refusal};
use super::in_place;
use super::options::{Expect, Notice, WriteOptions, Written};
use super::place::Place;
use super::recover::finish_commits;
use super::replace::{publish_new, publish_over};
use super::stage::{PRIVATE, fill, settle_dir};
use super::sweep::sweep;
use super::temp::Temp;
use super::whole::WholeFile;
use crate::relative::shown;
use crate::{Context, Error, Metadata, Result, Root};

/// Permission bits of a new file, before the umask.
pub(crate) const NEW_FILE: u32 = 0o666;

/// Writes the whole content of a file, new or old.
///
/// # Errors
/// [`Error::StaleFile`] or [`Error::AlreadyExists`] if the file is not what `options.expect` says;
/// [`Error::ProtectedPath`], [`Error::FileTooLarge`], [`Error::NotARegularFile`], [`Error::IsADirectory`],
/// [`Error::PathEscapesRoot`], [`Error::PathNotFound`] for a missing directory; [`Error::PermissionDenied`] for a file
/// that may not be written; [`Error::Unwritable`] for one that only could be overwritten, with loss; [`Error::Io`] for
/// a full disk and the like; what ends a call. After every error the file is as it was and nothing is left beside it.
pub fn write_file(root: &Root, path: &Path, content: &[u8], options: &WriteOptions, ctx: &Context) -> Result<Written> {
    let call = Call::new(root, options, ctx);
    call.check_size(path, content.len() as u64)?;
    let recovered = finish_commits(&call);
    for _ in 0..ATTEMPTS {
        let written = match acquire(&call, path)? {
            Acquired::Absent(place) => create(&call, path, place, content)?,
            Acquired::Present(found) => replace(&call, path, *found, content)?,
        };
        if let Some(mut written) = written {
            written.notices.extend(recovered);
            return Ok(written);
        }
    }
    Err(Error::StaleFile { path: shown(path), expected: None, current: None })
}

/// What came of a file that was to be modified.
#[derive(Clone, Debug)]
pub enum Modified {
    /// It was written; with its new content.
    Written(Written, Vec<u8>),
    /// There was nothing to write.
    Left(WholeFile),
}

/// Reads a file, lets `change` make new content of it, and writes that; nobody who writes through here comes in
/// between. `None` as new content leaves the file as it is. `change` must not write the same file: it would wait for
/// itself.
///
/// # Errors
/// Those of [`write_file`]; [`Error::PathNotFound`] if there is no file; those of `change`.
pub fn modify_file<T>(
    root: &Root,
    path: &Path,
    options: &WriteOptions,
    ctx: &Context,
    change: impl FnOnce(&WholeFile) -> Result<(Option<Vec<u8>>, T)>,
) -> Result<(Modified, T)> {
    let call = Call::new(root, options, ctx);
    let recovered = finish_commits(&call);
    let Acquired::Present(found) = acquire(&call, path)? else { return Err(call.explain(path, Errno::NOENT)) };
    let (content, value) = change(&found.whole)?;
    let known = found.whole.hash;
    let Some(content) = content else { return Ok((Modified::Left(found.whole), value)) };
    call.check_size(path, content.len() as u64)?;
    match replace(&call, path, *found, &content)? {
        Some(mut written) => {
            written.notices.extend(recovered);
            Ok((Modified::Written(written, content), value))
        }
        None => Err(stale(&call, path, known)),
    }
}

fn create(call: &Call<'_>, given: &Path, mut place: Place, content: &[u8]) -> Result<Option<Written>> {
    let made = place.make_parents(call, given)?;
    sweep(&place.dir, &call.journals);
    let mode = call.options.mode.unwrap_or(NEW_FILE) & 0o777;
    let explain = |trouble: Trouble| call.explain(given, trouble);
    let mut temp = Temp::create(&place.dir, mode.into()).map_err(|errno| call.explain(given, errno))?;
    let mut notices = Vec::new();
    fill(call, &temp, content, None, &mut notices).map_err(explain)?;
    let staged = Metadata::of(&temp).map_err(|error| call.explain(given, error))?;
    call.begin_commit()?;
    let published = publish_new(&mut temp, &place.name);
    call.end_commit(published.is_ok());
    match published {
        Ok(()) => {}
        Err(Errno::EXIST) if call.options.expect == Expect::Absent => {
            return Err(Error::AlreadyExists { path: shown(given) });
        }
        // Someone made the file, or removed the directory, meanwhile.
        Err(Errno::EXIST) => return Ok(None),
        Err(errno) => return Err(call.explain(given, errno)),
    }
    settle_dir(&place.dir, &mut notices);
    let made_dirs = made.keep();
    let meta = Metadata::of(&temp).unwrap_or(staged);
    let hash = Some(blake3::hash(content).into());
    let (path, created) = (place.path, true);
    Ok(Some(Written {
        path,
        from: None,
        hash,
        created,
        before: None,
        before_mode: None,
        in_place: false,
        hard_link_broken: false,
        made_dirs,
        notices,
        meta,
    }))
}

/// Replaces the file; `None` if someone who does not lock has changed it since it was read.
fn replace(call: &Call<'_>, given: &Path, mut found: Found, content: &[u8]) -> Result<Option<Written>> {
    let mut notices = std::mem::take(&mut found.notices);
    let Found { place, target, whole, .. } = &found;
    if content == whole.bytes {
        notices.push(Notice::new("unchanged", "the file had this content already"));
        let meta = whole.meta;
        return Ok(Some(written(found, content, false, false, notices, meta)));
    }
    let explain = |trouble: Trouble| call.explain(given, trouble);
    sweep(&place.dir, &call.journals);
    let mut temp = match Temp::create(&place.dir, PRIVATE) {
        Ok(temp) => temp,
        Err(errno) if is_refusal(errno) => return overwrite(call, given, found, content, notices),
        Err(errno) => return Err(call.explain(given, errno)),
    };
    let attributes = Attributes::of(&target.file).map_err(|errno| call.explain(given, errno))?;
    fill(call, &temp, content, Some(&attributes), &mut notices).map_err(explain)?;
    if !is_unchanged(call, given, place, target, whole, Some(&temp))? {
        return Ok(None);
    }
    let staged = Metadata::of(&temp).map_err(|error| call.explain(given, error))?;
    call.begin_commit()?;
    let published = publish_over(&mut temp, &place.name);
    call.end_commit(published.is_ok());
    match published {
        Ok(()) => {}
        Err(errno) if is_refusal(errno) => {
            drop(temp);
            return overwrite(call, given, found, content, notices);
        }
        // Someone took the temporary file away: where there are no locks, it looks as if its maker had died.
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(call.explain(given, errno)),
    }
    settle_dir(&place.dir, &mut notices);
    let broken = whole.meta.nlink > 1;
    if broken {
        notices.push(broken_link());
    }
    let meta = Metadata::of(&temp).unwrap_or(staged);
    Ok(Some(written(found, content, false, broken, notices, meta)))
}

pub(crate) fn broken_link() -> Notice {
    Notice::new("hard_link_broken", "the file had other names; they keep the old content")
}

fn overwrite(
    call: &Call<'_>,
    given: &Path,
    found: Found,
    content: &[u8],
    mut notices: Vec<Notice>,
) -> Result<Option<Written>> {
    let Found { place, target, whole, .. } = &found;
    let explain = |trouble: Trouble| call.explain(given, trouble);
    let journal = in_place::prepare(call, place, given, target, &whole.bytes, content).map_err(explain)?;
    if !is_unchanged(call, given, place, target, whole, None)? {
        return Ok(None);
    }
    call.begin_commit()?;
    let overwritten = in_place::overwrite(target, journal, &whole.bytes, content);
    call.end_commit(overwritten.is_ok());
    overwritten.map_err(explain)?;
    notices.push(in_place_notice());
    let meta = Metadata::of(&target.file).unwrap_or(target.meta);
    Ok(Some(written(found, content, true, false, notices, meta)))
}

pub(crate) fn in_place_notice() -> Notice {
    Notice::new("written_in_place", "the directory allows no replacing: the file was overwritten, with a journal")
}

fn written(
    found: Found,
    content: &[u8],
    in_place: bool,
    hard_link_broken: bool,
    notices: Vec<Notice>,
    meta: Metadata,
) -> Written {
    Written {
        path: found.place.path,
        from: None,
        hash: Some(blake3::hash(content).into()),
        created: false,
        before_mode: Some(found.whole.meta.mode),
        before: Some(found.whole.bytes),
        in_place,
        hard_link_broken,
        made_dirs: Vec::new(),
        notices,
        meta,
    }
}

/// The error for a file that was changed while it was being modified, with what is there now.
fn stale(call: &Call<'_>, given: &Path, expected: [u8; 32]) -> Error {
    let now = super::read_whole(call.root, given, call.options.max_bytes, call.ctx).ok();
    Error::StaleFile { path: shown(given), expected: Some(expected), current: now.map(|now| now.hash) }
}
