//! Several files changed together: staged beside their places, then named one after the other.

use std::collections::HashSet;
use std::path::Path;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::retry_on_intr;

use super::acquire::is_unchanged;
use super::apply::apply;
use super::call::Call;
use super::journal::{COMMIT, Journal};
use super::options::{Change, Notice, WriteOptions, Written};
use super::place::MadeDirs;
use super::plan::{Action, Item, plan};
use super::prepare::{Ready, Stage, Staged, State, stage};
use super::record::{Commit, Step, StepKind};
use super::recover::finish_commits;
use super::single::{broken_link, in_place_notice};
use super::stage::settle_dir;
use super::temp::fresh_name;
use super::undo::undo;
use crate::relative::shown;
use crate::{Context, Error, Metadata, Result, Root};

/// How often a commit begins again because a file was replaced while it waited.
const ATTEMPTS: u32 = 1_000;

/// Changes several files: all of them or, after an error, none. Each file is replaced at once, and all within moments,
/// but not at the same moment; after a crash in between, the next call on the root completes the rest.
///
/// # Errors
/// Those of [`crate::write_file`], for the file that they are about; [`Error::InvalidArgument`] for a file that is
/// changed twice; [`Error::CommitIncomplete`] if one failed and others could not be put back.
pub fn commit(root: &Root, changes: &[Change], options: &WriteOptions, ctx: &Context) -> Result<Vec<Written>> {
    let call = Call::new(root, options, ctx);
    let recovered = finish_commits(&call);
    for _ in 0..ATTEMPTS {
        call.check()?;
        let Some(items) = plan(&call, changes)? else { continue };
        if let Some(mut written) = carry_out(&call, items)? {
            if let Some(first) = written.first_mut() {
                first.notices.extend(recovered);
            }
            return Ok(written);
        }
    }
    Err(Error::StaleFile {
        path: changes.first().map_or_else(String::new, |first| shown(first.path())),
        expected: None,
        current: None,
    })
}

/// `None` if someone who does not lock has changed a file since it was read.
fn carry_out(call: &Call<'_>, mut items: Vec<Item<'_>>) -> Result<Option<Vec<Written>>> {
    let mut staged = Stage(Vec::with_capacity(items.len()));
    for at in 0..items.len() {
        let next = stage(call, &mut items, at)?;
        staged.0.push(next);
    }
    let journal = write_journal(call, &items, &mut staged.0)?;
    for (item, staged) in items.iter().zip(&staged.0) {
        let (Some(target), Some(whole)) = (&item.target, &item.whole) else { continue };
        let temp = if let Ready::Temp(temp) = &staged.ready { Some(temp) } else { None };
        if !is_unchanged(call, item.given, &item.place, target, whole, temp)? {
            return Ok(None);
        }
    }
    call.begin_commit()?;
    for at in 0..items.len() {
        if let Err(trouble) = apply(call, &items[at], &mut staged.0[at]) {
            let error = call.explain(items[at].given, trouble);
            return Err(take_back(call, &items, &mut staged.0, items[at].given, error));
        }
    }
    call.end_commit(true);
    Ok(Some(finish(&items, std::mem::take(&mut staged.0), journal)))
}

/// Puts back what was changed; what could not be is told.
fn take_back(call: &Call<'_>, items: &[Item<'_>], staged: &mut [Staged], given: &Path, error: Error) -> Error {
    let mut written = Vec::new();
    for (item, staged) in items.iter().zip(staged).rev() {
        if undo(call, item, staged).is_err() {
            written.push(shown(&item.place.path));
        }
    }
    if written.is_empty() {
        return error;
    }
    Error::CommitIncomplete { path: shown(given), reason: error.to_string(), written }
}

/// One file needs no journal: its change is one call. Where there is no place for a journal, several go without.
fn write_journal(call: &Call<'_>, items: &[Item<'_>], staged: &mut [Staged]) -> Result<Option<Journal>> {
    let steps: Vec<Step> = items.iter().zip(&*staged).filter_map(|(item, staged)| step(item, staged)).collect();
    let (Some(first), true) = (items.first(), steps.len() > 1) else { return Ok(None) };
    let record = Commit { root: call.root.path().to_path_buf(), steps };
    let name = format!("{COMMIT}{}", fresh_name().trim_start_matches('.'));
    let journal = call.journals.write(&name, &record.encode());
    match journal.map_err(|trouble| call.explain(first.given, trouble))? {
        Ok(journal) => Ok(Some(journal)),
        Err(errno) => {
            let text = format!("no directory for a journal ({errno}): a crash would have left some files unchanged");
            staged[0].notices.push(Notice::new("not_journalled", text));
            Ok(None)
        }
    }
}

fn step(item: &Item<'_>, staged: &Staged) -> Option<Step> {
    let old = item.whole.as_ref().map(|whole| whole.hash);
    let new = new_hash(item, staged);
    let (kind, temp) = match &staged.ready {
        Ready::Temp(temp) if old.is_none() => (StepKind::Create, temp.name.clone()),
        Ready::Temp(temp) => (StepKind::Replace, temp.name.clone()),
        Ready::Journal(Some(journal)) => (StepKind::Overwrite, journal.name.clone()),
        Ready::Aside(name) => (StepKind::Remove, name.clone()),
        Ready::Journal(None) | Ready::Nothing => return None,
    };
    Some(Step { kind, path: item.place.path.clone(), temp, old, new })
}

fn new_hash(item: &Item<'_>, staged: &Staged) -> Option<[u8; 32]> {
    match (&item.action, &staged.ready) {
        (Action::Write { content, .. } | Action::Arrive { content: Some(content) }, _) => {
            Some(blake3::hash(content).into())
        }
        (Action::Arrive { content: None }, Ready::Temp(temp)) => super::forward::hash_of(&temp.file),
        _ => None,
    }
}

/// Makes everything last, lets go of what is not needed any more, and tells what was done.
fn finish(items: &[Item<'_>], staged: Vec<Staged>, journal: Option<Journal>) -> Vec<Written> {
    let mut written: Vec<Written> = Vec::new();
    let mut departed = None;
    let mut leftovers = Vec::new();
    let mut synced = HashSet::new();
    for (item, mut staged) in items.iter().zip(staged) {
        if staged.state != State::Untouched && synced.insert(item.place.path.parent()) {
            settle_dir(&item.place.dir, &mut staged.notices);
        }
        let made_dirs = staged.made.take().map(MadeDirs::keep).unwrap_or_default();
        if let Action::Depart = item.action {
            departed = Some(item);
        } else {
            let from = departed.take();
            written.push(Written { made_dirs, ..tell(item, from, &staged) });
        }
        leftovers.push(staged.ready);
    }
    if let Some(journal) = journal {
        journal.finish();
    }
    // Old files that were exchanged or moved aside.
    for (item, ready) in items.iter().zip(leftovers) {
        if let Ready::Aside(name) = &ready {
            let _ = retry_on_intr(|| unlinkat(&*item.place.dir, name, AtFlags::empty()));
        }
    }
    written
}

fn tell(item: &Item<'_>, from: Option<&Item<'_>>, staged: &Staged) -> Written {
    let source = from.unwrap_or(item);
    let whole = source.whole.as_ref();
    let in_place = staged.state == State::Overwritten;
    let replaced = matches!(staged.state, State::Exchanged | State::Replaced) && !item.takes_room;
    let broken = replaced && whole.is_some_and(|whole| whole.meta.nlink > 1);
    let mut notices = staged.notices.clone();
    notices.extend(broken.then(broken_link));
    notices.extend(in_place.then(in_place_notice));
    let now = match &staged.ready {
        Ready::Temp(temp) if !in_place => Metadata::of(temp).ok(),
        _ => item.target.as_ref().and_then(|target| Metadata::of(&target.file).ok()),
    };
    let meta = now.or(whole.map(|whole| whole.meta));
    Written {
        path: item.place.path.clone(),
        from: from.map(|from| from.place.path.clone()),
        hash: new_hash(item, staged),
        created: staged.state == State::Created && from.is_none(),
        before: whole.map(|whole| whole.bytes.clone()),
        before_mode: whole.map(|whole| whole.meta.mode),
        in_place,
        hard_link_broken: broken,
        made_dirs: Vec::new(),
        notices,
        meta: meta.expect("a file is staged or was there"),
    }
}
