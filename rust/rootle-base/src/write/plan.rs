//! What a commit is going to do: every file resolved, locked, read and compared before anything is written.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::acquire::check_hash;
use super::call::{Call, Trouble};
use super::in_place;
use super::lock::Target;
use super::options::{Change, Expect};
use super::place::Place;
use super::whole::{WholeFile, read_open};
use crate::relative::shown;
use crate::{Error, FileKind, Result};

/// What happens to one file.
pub(crate) enum Action<'a> {
    Write {
        content: &'a [u8],
        mode: Option<u32>,
    },
    /// Made with the attributes, and without content of its own the bytes, of the item before it.
    Arrive {
        content: Option<&'a [u8]>,
    },
    Remove,
    /// Removed because it moved: told by the item that arrives.
    Depart,
}

/// One file of a commit.
pub(crate) struct Item<'a> {
    pub(crate) given: &'a Path,
    pub(crate) action: Action<'a>,
    expect: Expect,
    /// Whether the file that leaves here makes room for one that another change puts in its place.
    pub(crate) makes_room: bool,
    /// Whether the file that comes here takes the place of one that leaves.
    pub(crate) takes_room: bool,
    pub(crate) place: Place,
    /// The file that is there.
    pub(crate) target: Option<Target>,
    pub(crate) whole: Option<WholeFile>,
}

/// Resolves, opens, locks, reads and compares all files; `None` if one of them was replaced meanwhile.
pub(crate) fn plan<'a>(call: &Call<'_>, changes: &'a [Change]) -> Result<Option<Vec<Item<'a>>>> {
    let mut items = Vec::new();
    for change in changes {
        call.check()?;
        match change {
            Change::Write { path, content, expect, mode } => {
                call.check_size(path, content.len() as u64)?;
                items.push(item(call, path, Action::Write { content, mode: *mode }, *expect)?);
            }
            Change::Remove { path, expect } => items.push(item(call, path, Action::Remove, *expect)?),
            Change::Rename { from, to, content, expect } => {
                let content = content.as_deref();
                call.check_size(from, content.map_or(0, <[u8]>::len) as u64)?;
                items.push(item(call, from, Action::Depart, *expect)?);
                items.push(item(call, to, Action::Arrive { content }, Expect::Absent)?);
            }
        }
    }
    make_room(&mut items);
    distinct(&items)?;
    share_dirs(&mut items);
    if !open_all(call, &mut items)? || !lock_all(call, &mut items)? {
        return Ok(None);
    }
    apart(&items)?;
    for item in &mut items {
        let Some(target) = &item.target else { continue };
        in_place::heal(call, item.given, target)?;
        let whole = read_open(&target.file, item.given, call.options.max_bytes, call.ctx)?;
        check_hash(item.given, item.expect, &whole)?;
        item.whole = Some(whole);
    }
    Ok(Some(items))
}

fn item<'a>(call: &Call<'_>, given: &'a Path, action: Action<'a>, expect: Expect) -> Result<Item<'a>> {
    // A link that is to go is not what was read through it.
    let follow = matches!(action, Action::Write { .. } | Action::Arrive { .. });
    let place = Place::find(call, given, follow)?;
    Ok(Item { given, action, expect, makes_room: false, takes_room: false, place, target: None, whole: None })
}

/// Pairs a file that leaves a place with the one that comes there, as when several files swap their names: the place is
/// then changed once, from the one file to the other, and both are read before anything changes.
fn make_room(items: &mut [Item<'_>]) {
    let leaving = |item: &Item<'_>| matches!(item.action, Action::Remove | Action::Depart);
    let left: HashMap<PathBuf, usize> = (items.iter().enumerate())
        .filter(|(_, item)| leaving(item))
        .map(|(at, item)| (item.place.path.clone(), at))
        .collect();
    // A file does not make room for itself.
    let own = |items: &[Item<'_>], at: usize, room: usize| {
        room + 1 == at && matches!(items[at].action, Action::Arrive { .. })
    };
    for at in 0..items.len() {
        let item = &items[at];
        if item.expect == Expect::Absent
            && !leaving(item)
            && let Some(&room) = left.get(&item.place.path)
            && !items[room].makes_room
            && !own(items, at, room)
        {
            items[at].expect = Expect::Anything;
            items[at].takes_room = true;
            items[room].makes_room = true;
        }
    }
}

/// Refuses two changes of one file: which comes first would decide.
fn distinct(items: &[Item<'_>]) -> Result<()> {
    let mut paths: HashSet<&PathBuf> = HashSet::new();
    match items.iter().filter(|item| !item.makes_room).find(|item| !paths.insert(&item.place.path)) {
        None => Ok(()),
        Some(item) => {
            let reason = format!("{:?} is changed more than once", shown(item.given));
            Err(Error::InvalidArgument { name: "changes", reason })
        }
    }
}

/// Refuses to write one file under two of its names: it would be two files after that, each with one of the changes.
fn apart(items: &[Item<'_>]) -> Result<()> {
    let mut seen: HashMap<(u64, u64), &Path> = HashMap::new();
    let written = items.iter().filter(|item| matches!(item.action, Action::Write { .. }) && !item.takes_room);
    for (item, target) in written.filter_map(|item| Some((item, item.target.as_ref()?))) {
        if let Some(other) = seen.insert((target.meta.dev, target.meta.ino), item.given) {
            let (one, other) = (shown(other), shown(item.given));
            let reason =
                format!("{one:?} and {other:?} are names of one file (hard links): change it under one of them");
            return Err(Error::InvalidArgument { name: "changes", reason });
        }
    }
    Ok(())
}

/// Files of one directory need only one descriptor of it.
fn share_dirs(items: &mut [Item<'_>]) {
    let mut dirs: HashMap<PathBuf, Arc<OwnedFd>> = HashMap::new();
    for Item { place, .. } in items {
        if let (true, Some(parent)) = (place.missing.is_empty(), place.path.parent()) {
            place.dir = Arc::clone(dirs.entry(parent.to_path_buf()).or_insert(Arc::clone(&place.dir)));
        }
    }
}

/// Opens the files that are there; false if one has become a link.
fn open_all(call: &Call<'_>, items: &mut [Item<'_>]) -> Result<bool> {
    for item in items {
        let explain = |trouble: Trouble| call.explain(item.given, trouble);
        let there = item.place.stat().map_err(|errno| explain(errno.into()))?;
        let removes = matches!(item.action, Action::Remove | Action::Depart);
        match there {
            Some(meta) if meta.kind == FileKind::Symlink => {
                if removes {
                    return Err(Error::NotARegularFile { path: shown(item.given), kind: "symlink" });
                }
                return Ok(false);
            }
            Some(_) if item.expect == Expect::Absent && !removes => {
                return Err(Error::AlreadyExists { path: shown(item.given) });
            }
            Some(_) => {
                item.target = Target::open(call, &item.place, item.given).map_err(explain)?;
                if item.target.is_none() {
                    return Ok(false);
                }
            }
            None => match item.expect {
                Expect::Hash(hash) => {
                    return Err(Error::StaleFile { path: shown(item.given), expected: Some(hash), current: None });
                }
                _ if removes || (!item.place.missing.is_empty() && !call.options.make_parents) => {
                    return Err(explain(Errno::NOENT.into()));
                }
                _ => {}
            },
        }
    }
    Ok(true)
}

/// Locks in the order of device and inode, as every commit does, so that two never wait for one another. A file that
/// has two names here is locked once.
fn lock_all(call: &Call<'_>, items: &mut [Item<'_>]) -> Result<bool> {
    let mut order: Vec<_> = items
        .iter_mut()
        .filter_map(|item| item.target.as_mut().map(|target| (target, &item.place, item.given)))
        .collect();
    order.sort_by_key(|(target, ..)| (target.meta.dev, target.meta.ino));
    let mut last = None;
    for (target, place, given) in order {
        let inode = (target.meta.dev, target.meta.ino);
        if last == Some(inode) {
            continue;
        }
        last = Some(inode);
        if !target.lock(call, place).map_err(|trouble| call.explain(given, trouble))? {
            return Ok(false);
        }
    }
    Ok(true)
}
