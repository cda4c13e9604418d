//! Taking back one change of a commit.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::retry_on_intr;

use super::apply::{new_bytes, old_bytes};
use super::attributes::Attributes;
use super::call::{Call, Trouble};
use super::in_place;
use super::plan::Item;
use super::prepare::{Ready, Staged, State};
use super::replace::{exchange, move_aside, publish_over};
use super::stage::{PRIVATE, fill, sync_dir};
use super::temp::Temp;
use crate::relative::shown;
use crate::{Error, Metadata};

/// Puts the file back as it was. What someone else has put there in between is left, and is an error.
pub(crate) fn undo(call: &Call<'_>, item: &Item<'_>, staged: &mut Staged) -> Result<(), Trouble> {
    let (dir, name) = (&item.place.dir, &item.place.name);
    match (staged.state, &staged.ready) {
        (State::Untouched, _) => return Ok(()),
        (State::Created, Ready::Temp(temp)) => {
            still_ours(item, temp)?;
            retry_on_intr(|| unlinkat(&**dir, name, AtFlags::empty()))?;
        }
        (State::Exchanged, Ready::Temp(temp)) => {
            still_ours(item, temp)?;
            exchange(dir, &temp.name, name)?;
        }
        (State::Replaced, Ready::Temp(temp)) => {
            still_ours(item, temp)?;
            let mut old = Temp::create(dir, PRIVATE)?;
            let attributes = Attributes::of(temp)?.with_mode(item.target.as_ref().map(|target| target.meta.mode));
            let unlimited = crate::Context::unlimited();
            let patient = Call::new(call.root, call.options, &unlimited);
            fill(&patient, &old, old_bytes(item), Some(&attributes), &mut Vec::new())?;
            publish_over(&mut old, name)?;
        }
        (State::Aside, Ready::Aside(aside)) => move_aside(dir, OsStr::new(aside), name)?,
        (State::Overwritten, _) => {
            if let Some(target) = &item.target {
                let (old, new) = (old_bytes(item), new_bytes(item));
                let journal = in_place::prepare(call, &item.place, item.given, target, new, old)?;
                in_place::overwrite(target, journal, new, old)?;
            }
        }
        (state, _) => return Err(Error::Internal { message: format!("{state:?} without its file") }.into()),
    }
    staged.state = State::Untouched;
    let _ = sync_dir(dir);
    Ok(())
}

fn still_ours(item: &Item<'_>, temp: &Temp) -> Result<(), Trouble> {
    let (ours, now) = (Metadata::of(temp)?, item.place.stat()?);
    if now.is_some_and(|now| (now.dev, now.ino) == (ours.dev, ours.ino)) {
        return Ok(());
    }
    Err(Error::StaleFile { path: shown(item.given), expected: None, current: None }.into())
}
