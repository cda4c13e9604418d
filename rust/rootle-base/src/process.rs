//! State that belongs to one process. A fork copies memory but neither threads nor the right to what a descriptor tells,
//! and a lock that another thread held at that moment stays held for ever: so a child begins anew.

use std::process;
use std::sync::OnceLock;

/// One `T` for each process, made when it is first needed there.
pub(crate) struct PerProcess<T> {
    first: OnceLock<Box<Own<T>>>,
}

/// What one process made, and what its children did.
struct Own<T> {
    process: u32,
    value: T,
    next: OnceLock<Box<Self>>,
}

impl<T: Default> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { first: OnceLock::new() }
    }

    /// This process's own.
    pub(crate) fn get(&self) -> &T {
        self.of(process::id())
    }

    fn of(&self, process: u32) -> &T {
        let make = || Box::new(Own { process, value: T::default(), next: OnceLock::new() });
        let mut own = self.first.get_or_init(make);
        while own.process != process {
            own = own.next.get_or_init(make);
        }
        &own.value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn each_process_has_its_own_and_keeps_it() {
        static COUNTS: PerProcess<AtomicU32> = PerProcess::new();
        for (process, expected) in [(7, 0), (7, 1), (8, 0), (7, 2), (9, 0), (8, 1)] {
            assert_eq!(COUNTS.of(process).fetch_add(1, Ordering::Relaxed), expected, "{process}");
        }
        assert_eq!(COUNTS.get().load(Ordering::Relaxed), 0);
    }
}
