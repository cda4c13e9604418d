//! The first files of a search that has a limit, whatever the order in which threads find them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::hit_ref::HitRef;
use crate::options::{GrepOptions, Mode};
use crate::order::Key;
use crate::result::FileMatches;

/// Keeps the first files until together they hold more than was asked for. What comes after the last of them can never
/// be given: a file that is found later either comes before it and pushes it out, or comes after it.
#[derive(Debug)]
pub(crate) struct First {
    limits: Limits,
    kept: Mutex<Kept>,
    /// Counts the changes of `Kept::last`.
    generation: AtomicU64,
}

/// How much is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Hits, or files where only files are given.
    pub hits: u64,
    pub text_bytes: u64,
}

#[derive(Debug, Default)]
struct Kept {
    files: BTreeMap<Key, FileMatches>,
    weight: Weight,
    /// Nothing after it is needed.
    last: Option<Key>,
}

/// What files amount to.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    hits: u64,
    text_bytes: u64,
}

impl Weight {
    fn of(file: &FileMatches) -> Self {
        let hits = (file.matches.len() as u64).max(1);
        Self { hits, text_bytes: file.matches.iter().map(HitRef::text_bytes).sum() }
    }

    fn plus(self, other: Self) -> Self {
        Self { hits: self.hits + other.hits, text_bytes: self.text_bytes + other.text_bytes }
    }

    fn minus(self, other: Self) -> Self {
        Self { hits: self.hits - other.hits, text_bytes: self.text_bytes - other.text_bytes }
    }
}

impl Kept {
    /// The weight without the last file, if that file is not needed.
    fn without_last(&self, limits: Limits) -> Option<Weight> {
        let mut files = self.files.values().rev();
        let without = self.weight.minus(Weight::of(files.next()?));
        limits.exceeded(without, files.next()?).then_some(without)
    }
}

impl Limits {
    /// The limits of a search, if it has any.
    pub fn of(options: &GrepOptions) -> Option<Self> {
        let text = options.max_text_bytes.filter(|_| options.mode == Mode::Content);
        if options.max_matches.is_none() && text.is_none() {
            return None;
        }
        Some(Self { hits: options.max_matches.unwrap_or(u64::MAX), text_bytes: text.unwrap_or(u64::MAX) })
    }

    /// Whether `weight` is all that was asked for.
    fn met(self, weight: Weight) -> bool {
        weight.hits >= self.hits || weight.text_bytes >= self.text_bytes
    }

    /// Whether files of this `weight`, of which `last` is the last, hold a hit that will be left out.
    fn exceeded(self, weight: Weight, last: &FileMatches) -> bool {
        self.met(weight.minus(Weight { hits: 1, text_bytes: last.matches.last().map_or(0, HitRef::text_bytes) }))
    }
}

impl First {
    pub fn new(limits: Limits) -> Self {
        Self { limits, kept: Mutex::default(), generation: AtomicU64::new(0) }
    }

    /// Adds a file, unless what is kept already comes before it and is enough.
    pub fn add(&self, key: Key, file: FileMatches) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.last.as_ref().is_some_and(|last| key > *last) {
            return;
        }
        kept.weight = kept.weight.plus(Weight::of(&file));
        kept.files.insert(key, file);
        while let Some(without) = kept.without_last(self.limits) {
            kept.weight = without;
            kept.files.pop_last();
        }
        if let Some((key, file)) = kept.files.last_key_value()
            && self.limits.exceeded(kept.weight, file)
            && kept.last.as_ref() != Some(key)
        {
            kept.last = Some(key.clone());
            self.generation.fetch_add(1, Ordering::Release);
        }
    }

    /// Changes when [`Self::last`] does; 0 while there is none.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The file after which nothing is needed.
    pub fn last(&self) -> Option<Key> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
    }

    /// The files kept, in order. What a thread adds later, that was left behind, is nobody's.
    pub fn take_files(&self) -> Vec<(Key, FileMatches)> {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        kept.files.into_iter().collect()
    }
}

/// Cuts `files`, which are in order, to the limits. Gives where the search goes on: the last file given, and in it the
/// last hit, if the file was cut.
pub(crate) fn cut(limits: Limits, files: &mut Vec<(Key, FileMatches)>) -> Option<(Key, Option<u64>)> {
    let mut weight = Weight::default();
    for at in 0..files.len() {
        if limits.met(weight) {
            files.truncate(at);
            return files.last().map(|(key, _)| (key.clone(), None));
        }
        let (key, file) = &mut files[at];
        if file.matches.is_empty() {
            weight.hits += 1;
            continue;
        }
        for hit in 0..file.matches.len() {
            if limits.met(weight) {
                file.matches.truncate(hit);
                file.more = true;
                let skip = file.matches.last().map(HitRef::byte_offset);
                let end = (key.clone(), skip);
                files.truncate(at + 1);
                return Some(end);
            }
            let text_bytes = file.matches.get(hit).map_or(0, HitRef::text_bytes);
            weight = weight.plus(Weight { hits: 1, text_bytes });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hits::Hits;

    fn file(path: u8, hits: usize) -> (Key, FileMatches) {
        let mut matches = Hits::default();
        for offset in 0..hits as u64 {
            matches.push_line(1, offset, "ab", None, Vec::new());
        }
        let file = FileMatches { path: vec![path], count: hits as u64, matches, ..FileMatches::default() };
        (Key { mtime_ns: None, path: vec![path] }, file)
    }

    proptest! {
        #[test]
        fn any_order_gives_the_same_first(
            mut files in proptest::collection::btree_map(b'A'..=b'Z', 1usize..5, 1..20)
                .prop_map(|files| files.into_iter().collect::<Vec<_>>())
                .prop_shuffle(),
            hits in 1u64..30,
            text_bytes in proptest::option::of(1u64..60),
        ) {
            let limits = Limits { hits, text_bytes: text_bytes.unwrap_or(u64::MAX) };
            let first = First::new(limits);
            for &(path, hits) in &files {
                let (key, file) = file(path, hits);
                first.add(key, file);
            }
            let last = first.last();
            let mut kept = first.take_files();
            let end = cut(limits, &mut kept);
            files.sort_unstable();
            let mut all: Vec<_> = files.iter().map(|&(path, hits)| file(path, hits)).collect();
            let expected_end = cut(limits, &mut all);
            prop_assert_eq!(&kept, &all);
            prop_assert_eq!(&end, &expected_end);
            prop_assert_eq!(end.is_some(), last.is_some());
            let given: u64 = kept.iter().map(|(_, file)| file.matches.len() as u64).sum();
            let total: u64 = files.iter().map(|&(_, hits)| hits as u64).sum();
            // Two bytes of text a hit.
            let most = hits.min(text_bytes.map_or(u64::MAX, |bytes| bytes.div_ceil(2)));
            prop_assert_eq!(given, total.min(most));
        }
    }

    #[test]
    fn exactly_as_many_as_asked_for_is_no_cut() {
        let limits = Limits { hits: 3, text_bytes: u64::MAX };
        let mut files = vec![file(1, 1), file(2, 2)];
        assert_eq!(cut(limits, &mut files), None);
        files.push(file(3, 1));
        let end = cut(limits, &mut files);
        assert_eq!(end, Some((Key { mtime_ns: None, path: vec![2] }, None)));
        let end = cut(Limits { hits: 2, ..limits }, &mut files);
        assert_eq!(end, Some((Key { mtime_ns: None, path: vec![2] }, Some(0))));
    }
}
