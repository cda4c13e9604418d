//! A file as its writer must have it: resolved, locked, read, and as expected; and the last look before it is replaced.

use std::path::Path;

use super::attributes::Attributes;
use super::call::{Call, Trouble};
use super::in_place;
use super::lock::Target;
use super::options::{Expect, Notice};
use super::place::Place;
use super::recover::told;
use super::temp::Temp;
use super::whole::{WholeFile, read_open};
use crate::relative::shown;
use crate::{Error, Result};

/// How often a call begins again because the file was replaced while it waited; each time someone else was done.
pub(crate) const ATTEMPTS: u32 = 10_000;

/// A file locked and read.
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) target: Target,
    pub(crate) whole: WholeFile,
    pub(crate) notices: Vec<Notice>,
}

pub(crate) enum Acquired {
    Absent(Place),
    Present(Box<Found>),
}

/// Resolves, opens, locks and reads the file, and compares it with what is expected.
pub(crate) fn acquire(call: &Call<'_>, given: &Path) -> Result<Acquired> {
    for _ in 0..ATTEMPTS {
        call.check()?;
        let place = Place::find(call, given, true)?;
        let explain = |trouble: Trouble| call.explain(given, trouble);
        let Some(mut target) = Target::open(call, &place, given).map_err(explain)? else {
            // What is there now was not, or was a link, when the path was resolved.
            if place.stat().map_err(|errno| call.explain(given, errno))?.is_some() {
                continue;
            }
            return match call.options.expect {
                Expect::Hash(hash) => Err(Error::StaleFile { path: shown(given), expected: Some(hash), current: None }),
                Expect::Anything | Expect::Absent => Ok(Acquired::Absent(place)),
            };
        };
        if call.options.expect == Expect::Absent {
            return Err(Error::AlreadyExists { path: shown(given) });
        }
        if !target.lock(call, &place).map_err(explain)? {
            continue;
        }
        let mut notices = Vec::new();
        if !target.locked {
            notices
                .push(Notice::new("not_locked", "the file system has no locks: parallel writers are not kept apart"));
        }
        if let Some(healed) = in_place::heal(call, given, &target)? {
            notices.extend(told(healed, &place.path));
        }
        let whole = read_open(&target.file, given, call.options.max_bytes, call.ctx)?;
        check_hash(given, call.options.expect, &whole)?;
        return Ok(Acquired::Present(Box::new(Found { place, target, whole, notices })));
    }
    Err(Error::StaleFile { path: shown(given), expected: None, current: None })
}

pub(crate) fn check_hash(given: &Path, expect: Expect, whole: &WholeFile) -> Result<()> {
    match expect {
        Expect::Hash(hash) if hash != whole.hash => {
            Err(Error::StaleFile { path: shown(given), expected: Some(hash), current: Some(whole.hash) })
        }
        _ => Ok(()),
    }
}

/// Whether the name still stands for the content that was read: the last look before the point of no return. If only
/// the attributes changed, `temp` gets the new ones.
pub(crate) fn is_unchanged(
    call: &Call<'_>,
    given: &Path,
    place: &Place,
    target: &Target,
    whole: &WholeFile,
    temp: Option<&Temp>,
) -> Result<bool> {
    let stat = || place.stat().map_err(|errno| call.explain(given, errno));
    let mut known = whole.meta;
    for _ in 0..ATTEMPTS {
        let Some(now) = stat()? else { return Ok(false) };
        if !target.is(&now) {
            return Ok(false);
        }
        if now.same_version(&known) {
            return Ok(true);
        }
        call.check()?;
        let again = read_open(&target.file, given, call.options.max_bytes, call.ctx)?;
        if again.hash != whole.hash {
            return Ok(false);
        }
        if let Some(temp) = temp {
            let again = Attributes::of(&target.file).and_then(|attributes| attributes.give(temp, &mut Vec::new()));
            again.map_err(|errno| call.explain(given, errno))?;
        }
        known = again.meta;
    }
    Ok(false)
}
