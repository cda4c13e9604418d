//! Making the changes of a commit ready: everything that can fail for want of room or permission happens here, before
//! anything shows.

use super::attributes::Attributes;
use super::call::{Call, Trouble, is_refusal};
use super::in_place;
use super::journal::Journal;
use super::options::Notice;
use super::place::MadeDirs;
use super::plan::{Action, Item};
use super::single::NEW_FILE;
use super::stage::{PRIVATE, fill};
use super::sweep::sweep;
use super::temp::{Temp, fresh_name};
use crate::Result;

/// What is ready for one item, and how far it has come.
pub(crate) struct Staged {
    pub(crate) ready: Ready,
    pub(crate) made: Option<MadeDirs>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) state: State,
}

pub(crate) enum Ready {
    /// The new content, beside its place.
    Temp(Temp),
    /// A journal of a file that is overwritten.
    Journal(Option<Journal>),
    /// The name that a file gets before it is removed.
    Aside(String),
    /// The content is there already.
    Nothing,
}

/// Everything staged. When it is dropped, all temporary files go before the directories that were made for them.
pub(crate) struct Stage(pub(crate) Vec<Staged>);

impl Drop for Stage {
    fn drop(&mut self) {
        for staged in &mut self.0 {
            staged.ready = Ready::Nothing;
        }
        while self.0.pop().is_some() {}
    }
}

/// How far an item has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Untouched,
    Created,
    /// The temporary name stands for the old file.
    Exchanged,
    Replaced,
    Overwritten,
    Aside,
}

/// Makes ready what does not show yet.
pub(crate) fn stage(call: &Call<'_>, items: &mut [Item<'_>], at: usize) -> Result<Staged> {
    let (before, rest) = items.split_at_mut(at);
    let item = &mut rest[0];
    let given = item.given;
    let explain = |trouble: Trouble| call.explain(given, trouble);
    let mut notices = Vec::new();
    let mut made = None;
    let ready = match (&item.action, &item.target) {
        (Action::Remove | Action::Depart, _) if item.makes_room => Ready::Nothing,
        (Action::Remove | Action::Depart, _) => Ready::Aside(fresh_name()),
        (Action::Write { content, mode }, Some(target)) if !item.takes_room => {
            let whole = item.whole.as_ref().map_or(&[][..], |whole| &whole.bytes);
            let mode = mode.filter(|mode| mode & 0o7777 != target.meta.mode);
            if whole == *content && mode.is_none() {
                notices.push(Notice::new("unchanged", "the file had this content already"));
                Ready::Nothing
            } else {
                sweep_once(call, before, item);
                match Temp::create(&item.place.dir, PRIVATE) {
                    Ok(temp) => {
                        let attributes = Attributes::of(&target.file).map_err(|errno| call.explain(given, errno))?;
                        fill(call, &temp, content, Some(&attributes.with_mode(mode)), &mut notices).map_err(explain)?;
                        Ready::Temp(temp)
                    }
                    Err(errno) if is_refusal(errno) => {
                        let journal = in_place::prepare(call, &item.place, given, target, whole, content);
                        Ready::Journal(Some(journal.map_err(explain)?))
                    }
                    Err(errno) => return Err(call.explain(given, errno)),
                }
            }
        }
        (Action::Write { .. } | Action::Arrive { .. }, _) => {
            made = Some(item.place.make_parents(call, given)?);
            sweep_once(call, before, item);
            let (content, mode, from) = match item.action {
                Action::Write { content, mode } => (content, mode.unwrap_or(NEW_FILE), None),
                Action::Arrive { content } => {
                    let from = before.last();
                    let old = from.and_then(|from| from.whole.as_ref()).map_or(&[][..], |whole| &whole.bytes);
                    (content.unwrap_or(old), PRIVATE.bits(), from.and_then(|from| from.target.as_ref()))
                }
                Action::Remove | Action::Depart => unreachable!("handled above"),
            };
            let temp = Temp::create(&item.place.dir, (mode & 0o777).into()).map_err(|errno| explain(errno.into()))?;
            let attributes = from.map(|from| Attributes::of(&from.file)).transpose();
            let attributes = attributes.map_err(|errno| explain(errno.into()))?;
            fill(call, &temp, content, attributes.as_ref(), &mut notices).map_err(explain)?;
            Ready::Temp(temp)
        }
    };
    Ok(Staged { ready, made, notices, state: State::Untouched })
}

/// Sweeps the directory unless an earlier item has.
fn sweep_once(call: &Call<'_>, before: &[Item<'_>], item: &Item<'_>) {
    if !before.iter().any(|before| before.place.path.parent() == item.place.path.parent()) {
        sweep(&item.place.dir, &call.journals);
    }
}
