//! Finishing a commit whose process died. All of it was on the disk before the first name changed, so it goes forward:
//! a file that still has its old content gets the new one, and one that someone has changed since is left alone.

use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::call::Call;
use super::in_place;
use super::journal::Journal;
use super::lock::Target;
use super::place::Place;
use super::record::{Commit, Overwrite, Step, StepKind};
use super::recover::{Recovered, locked, outcome};
use super::replace::{move_aside, publish_over};
use super::stage::sync_dir;
use super::temp::Temp;
use super::whole::read_open;
use crate::Result;

/// Finishes the commit unless its process lives, or it belongs to another root.
pub(crate) fn finish_commit(call: &Call<'_>, journal: Journal) -> Result<Vec<Recovered>> {
    let Some(_lock) = dead(&journal) else { return Ok(Vec::new()) };
    let Some(bytes) = journal.read() else { return Ok(Vec::new()) };
    let Some(commit) = Commit::decode(&bytes) else {
        journal.finish();
        return Ok(Vec::new());
    };
    if commit.root != call.root.path() {
        // A root that is gone has nothing to be finished.
        if !commit.root.exists() {
            journal.finish();
        }
        return Ok(Vec::new());
    }
    let mut recovered = Vec::new();
    // Removals last: what a file that moves is made of must not go before the file is made.
    let (removals, others): (Vec<&Step>, Vec<&Step>) =
        commit.steps.iter().partition(|step| step.kind == StepKind::Remove);
    for step in others {
        recovered.extend(finish_step(call, step)?);
    }
    let failed = recovered.iter().any(|recovered: &Recovered| recovered.action == "changed");
    for step in removals {
        recovered.extend(if failed { keep_file(call, step) } else { finish_step(call, step)? });
    }
    journal.finish();
    Ok(recovered)
}

/// Puts a file back that was moved aside to be removed, when not all of the commit can be finished.
fn keep_file(call: &Call<'_>, step: &Step) -> Option<Recovered> {
    let place = Place::find(call, &step.path, false).ok()?;
    move_aside(&place.dir, OsStr::new(&step.temp), &place.name).ok()?;
    let _ = sync_dir(&place.dir);
    Some(Recovered { path: step.path.clone(), action: "restored" })
}

/// The journal's file, locked: its writer holds that lock as long as it lives. `None` also if someone else has just
/// finished it.
fn dead(journal: &Journal) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = retry_on_intr(|| openat(&*journal.dir, &journal.name, flags, Mode::empty())).ok()?;
    if flock(&fd, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
        return None;
    }
    (fstat(&fd).ok()?.st_nlink > 0).then(|| File::from(fd))
}

fn finish_step(call: &Call<'_>, step: &Step) -> Result<Option<Recovered>> {
    let told = |action| Ok(Some(Recovered { path: step.path.clone(), action }));
    if step.kind == StepKind::Overwrite {
        return finish_overwrite(call, step);
    }
    let found = locked(call, &step.path)?;
    let Some((place, target)) = found else {
        let Ok(place) = Place::find(call, &step.path, false) else { return told("changed") };
        if place.stat().ok().flatten().is_some() {
            return told("changed");
        }
        return match step.kind {
            StepKind::Remove => {
                discard(&place, &step.temp);
                Ok(None)
            }
            // Only a file that was to be made may be missing: another was removed by someone else.
            StepKind::Create if publish(&place, step) => told("completed"),
            _ => told("changed"),
        };
    };
    in_place::heal(call, &step.path, &target)?;
    let now = read_open(&target.file, &step.path, u64::MAX, call.ctx).ok().map(|whole| whole.hash);
    if now.is_none() || (now != step.old && now != step.new) {
        return told("changed");
    }
    if now == step.new {
        // The old file, after an exchange.
        discard(&place, &step.temp);
        return Ok(None);
    }
    let done = match step.kind {
        StepKind::Remove => remove(&place, &target),
        _ => publish(&place, step),
    };
    told(if done { "completed" } else { "changed" })
}

fn finish_overwrite(call: &Call<'_>, step: &Step) -> Result<Option<Recovered>> {
    let Some((journal, bytes)) = call.journals.find(&step.temp) else { return Ok(None) };
    let Some(record) = Overwrite::decode(&bytes) else { return Ok(None) };
    let Some((_, target)) = locked(call, &step.path)? else { return Ok(None) };
    let healed = in_place::settle(call, &step.path, &target, journal, &record, true)?;
    Ok(outcome(healed, &step.path))
}

/// Gives the staged file its name, if it is there and whole.
fn publish(place: &Place, step: &Step) -> bool {
    let Some(mut temp) = Temp::adopt(&place.dir, &step.temp) else { return false };
    let whole = hash_of(&temp.file) == step.new;
    let done = whole
        && match step.kind {
            StepKind::Create => {
                let done = move_aside(&place.dir, OsStr::new(&step.temp), &place.name).is_ok();
                if done {
                    temp.renamed();
                }
                done
            }
            _ => publish_over(&mut temp, &place.name).is_ok(),
        };
    let _ = sync_dir(&place.dir);
    done
}

/// The hash of an open file, read from its beginning whatever its position is.
pub(crate) fn hash_of(file: &File) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut block = vec![0; 64 * 1024];
    let mut at = 0;
    loop {
        match file.read_at(&mut block, at) {
            Ok(0) => break,
            Ok(read) => {
                hasher.update(&block[..read]);
                at += read as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(hasher.finalize().into())
}

fn remove(place: &Place, target: &Target) -> bool {
    let same = place.stat().ok().flatten().is_some_and(|now| target.is(&now));
    let done = same && unlink(&place.dir, &place.name);
    let _ = sync_dir(&place.dir);
    done
}

fn discard(place: &Place, temp: &str) {
    unlink(&place.dir, OsStr::new(temp));
}

fn unlink(dir: &OwnedFd, name: &OsStr) -> bool {
    retry_on_intr(|| unlinkat(dir, name, AtFlags::empty())).is_ok()
}
