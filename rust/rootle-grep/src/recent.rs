//! A small map that keeps what was used last.

use std::sync::{Mutex, MutexGuard, TryLockError};

/// At most `capacity` values, shared by all threads. A call costs a walk over them.
///
/// Nobody waits for the lock: a process forked while another thread held it would wait for ever. Who does not get it
/// does without what is kept.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    /// Latest last.
    entries: Mutex<Vec<(K, V)>>,
    capacity: usize,
}

impl<K: PartialEq, V: Clone> Recent<K, V> {
    pub const fn new(capacity: usize) -> Self {
        Self { entries: Mutex::new(Vec::new()), capacity }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        let mut entries = self.lock()?;
        let at = entries.iter().position(|(found, _)| found == key)?;
        let entry = entries.remove(at);
        let value = entry.1.clone();
        entries.push(entry);
        Some(value)
    }

    pub fn put(&self, key: K, value: V) {
        let Some(mut entries) = self.lock() else { return };
        entries.retain(|(found, _)| *found != key);
        if entries.len() >= self.capacity {
            entries.remove(0);
        }
        entries.push((key, value));
    }

    fn lock(&self) -> Option<MutexGuard<'_, Vec<(K, V)>>> {
        match self.entries.try_lock() {
            Ok(entries) => Some(entries),
            Err(TryLockError::Poisoned(entries)) => Some(entries.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_goes_first() {
        let recent = Recent::new(2);
        recent.put(1, "a");
        recent.put(2, "b");
        assert_eq!(recent.get(&1), Some("a"));
        recent.put(3, "c");
        assert_eq!((recent.get(&1), recent.get(&2), recent.get(&3)), (Some("a"), None, Some("c")));
        recent.put(3, "d");
        assert_eq!((recent.get(&1), recent.get(&3)), (Some("a"), Some("d")));
    }
}
