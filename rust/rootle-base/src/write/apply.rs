//! The changes of a commit themselves, one call each.

use std::ffi::OsStr;

use rustix::fs::fchmod;
use rustix::io::{Errno, retry_on_intr};

use super::call::{Call, Trouble, is_refusal};
use super::in_place;
use super::lock::Target;
use super::plan::{Action, Item};
use super::prepare::{Ready, Staged, State};
use super::replace::{exchange, move_aside, publish_new, publish_over};
use crate::Error;
use crate::relative::shown;

/// The change itself.
pub(crate) fn apply(call: &Call<'_>, item: &Item<'_>, staged: &mut Staged) -> Result<(), Trouble> {
    let name = &item.place.name;
    match (&mut staged.ready, &item.target) {
        (Ready::Temp(temp), None) => match publish_new(temp, name) {
            Ok(()) => staged.state = State::Created,
            Err(Errno::EXIST) => return Err(Error::AlreadyExists { path: shown(item.given) }.into()),
            Err(errno) => return Err(errno.into()),
        },
        (Ready::Temp(temp), Some(target)) => {
            let exchanged = match exchange(&temp.dir, &temp.name, name) {
                Ok(false) => publish_over(temp, name).map(|()| false),
                other => other,
            };
            match exchanged {
                Ok(true) => staged.state = State::Exchanged,
                Ok(false) => staged.state = State::Replaced,
                Err(errno) if is_refusal(errno) && !item.takes_room => {
                    let (old, new) = (old_bytes(item), new_bytes(item));
                    let journal = in_place::prepare(call, &item.place, item.given, target, old, new)?;
                    in_place::overwrite(target, journal, old, new)?;
                    staged.state = State::Overwritten;
                    set_mode(item, target)?;
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        (Ready::Journal(journal), Some(target)) => {
            if let Some(journal) = journal.take() {
                in_place::overwrite(target, journal, old_bytes(item), new_bytes(item))?;
                staged.state = State::Overwritten;
                set_mode(item, target)?;
            }
        }
        (Ready::Aside(aside), _) => {
            move_aside(&item.place.dir, name, OsStr::new(aside))?;
            staged.state = State::Aside;
        }
        (Ready::Nothing | Ready::Journal(_), _) => {}
    }
    Ok(())
}

/// The permission bits that the change asks for, on a file that stays where it is.
fn set_mode(item: &Item<'_>, target: &Target) -> Result<(), Errno> {
    match item.action {
        Action::Write { mode: Some(mode), .. } => retry_on_intr(|| fchmod(&target.file, (mode & 0o7777).into())),
        _ => Ok(()),
    }
}

pub(crate) fn old_bytes<'b>(item: &'b Item<'_>) -> &'b [u8] {
    item.whole.as_ref().map_or(&[], |whole| &whole.bytes)
}

pub(crate) fn new_bytes<'b>(item: &'b Item<'_>) -> &'b [u8] {
    match &item.action {
        Action::Write { content, .. } => content,
        _ => &[],
    }
}
