//! Keeps the first entries of a sort order, of any number.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rootle_base::{FileKind, Metadata};

use crate::cursor::Cursor;
use crate::{SortBy, path_order};

/// An entry with its place in the order.
#[derive(Debug)]
pub(crate) struct Found {
    /// Small comes first.
    pub(crate) key: i64,
    pub(crate) path: Box<[u8]>,
    pub(crate) kind: FileKind,
    pub(crate) meta: Option<Metadata>,
}

/// Takes entries from all threads.
#[derive(Debug)]
pub(crate) struct Top {
    sort: SortBy,
    cap: Option<usize>,
    cursor: Option<Cursor>,
    /// One entry beyond the cap is kept, which says that there is more.
    full: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The last in order on top.
    heap: BinaryHeap<Found>,
    total: u64,
}

impl Top {
    pub(crate) fn new(sort: SortBy, cap: Option<usize>, cursor: Option<Cursor>) -> Self {
        Self { sort, cap, cursor, full: AtomicBool::new(false), state: Mutex::default() }
    }

    pub(crate) fn add(&self, path: &[u8], kind: FileKind, meta: Option<Metadata>) {
        let key = match self.sort {
            SortBy::Path => 0,
            SortBy::Modified => meta.map_or(i64::MAX, |meta| meta.mtime_ns.saturating_neg()),
            SortBy::Size => meta.map_or(i64::MAX, |meta| -i64::try_from(meta.size).unwrap_or(i64::MAX)),
            SortBy::Depth => i64::try_from(path.iter().filter(|byte| **byte == b'/').count()).unwrap_or(i64::MAX),
        };
        let mut state = self.lock();
        state.total += 1;
        if self.cursor.as_ref().is_some_and(|cursor| before((key, path), (cursor.key, &cursor.path)).is_le()) {
            return;
        }
        if let Some(cap) = self.cap
            && state.heap.len() > cap
        {
            let last = state.heap.peek();
            if last.is_some_and(|last| before((key, path), (last.key, &last.path)).is_ge()) {
                return;
            }
            state.heap.pop();
        }
        state.heap.push(Found { key, path: path.into(), kind, meta });
        if self.cap.is_some_and(|cap| state.heap.len() > cap) {
            self.full.store(true, Atomic::Relaxed);
        }
    }

    /// Whether nothing from `path` on can be among the first. Only in path order can this be known.
    pub(crate) fn done_from(&self, path: &[u8]) -> bool {
        self.sort == SortBy::Path
            && self.full.load(Atomic::Relaxed)
            && self.lock().heap.peek().is_some_and(|last| path_order(path, &last.path).is_ge())
    }

    /// The entries in order, how many there were in all, and whether there are more beyond the cap. What a thread adds
    /// later, that was left behind, is nobody's.
    pub(crate) fn finish(&self) -> (Vec<Found>, u64, bool) {
        let State { heap, total } = std::mem::take(&mut *self.lock());
        let mut found = heap.into_sorted_vec();
        let more = self.cap.is_some_and(|cap| found.len() > cap);
        found.truncate(self.cap.unwrap_or(usize::MAX));
        (found, total, more)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn before(a: (i64, &[u8]), b: (i64, &[u8])) -> Ordering {
    a.0.cmp(&b.0).then_with(|| path_order(a.1, b.1))
}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        before((self.key, &self.path), (other.key, &other.path))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Found {}
