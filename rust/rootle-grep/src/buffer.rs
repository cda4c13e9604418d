//! The bytes that files are read into.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

/// A growing buffer whose first byte lies at [`LEAD`] in a page.
///
/// Large allocations of the C library begin sixteen bytes into a page, and there the kernel's copy out of the page cache
/// takes four times as long on processors whose string moves take a store just behind a load for a conflict.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

const PAGE: usize = 4096;
const LEAD: usize = 64;

/// Buffers of searches that are over. The system hands out new memory page by page, which costs a small search more than
/// its matches do.
static SPARE: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());
/// As many threads as search at once, mostly.
const SPARES: usize = 8;
/// Larger buffers are not worth their room.
const SPARE_BYTES: usize = 256 << 10;

impl Buffer {
    /// A buffer of just this length, with anything in it.
    pub fn spare(length: usize) -> Self {
        // Whoever holds the lock may be a thread that a fork left behind.
        let found = SPARE.try_lock().ok().and_then(|mut spare| {
            let at = spare.iter().position(|buffer| buffer.length == length)?;
            Some(spare.swap_remove(at))
        });
        found.unwrap_or_else(|| Self::new(length))
    }

    /// Leaves the buffer to later searches.
    pub fn leave(self) {
        if (1..=SPARE_BYTES).contains(&self.length)
            && let Ok(mut spare) = SPARE.try_lock()
            && spare.len() < SPARES
        {
            spare.push(self);
        }
    }

    pub fn new(length: usize) -> Self {
        let storage = vec![0; length + PAGE];
        let start = storage.as_ptr().align_offset(PAGE).wrapping_add(LEAD) % PAGE;
        // Where an address cannot be known, any place will do.
        let start = if start + length <= storage.len() { start } else { 0 };
        Self { storage, start, length }
    }

    /// Makes the buffer at least so long; what is in it stays.
    pub fn grow(&mut self, length: usize) {
        if length <= self.length {
            return;
        }
        // Growing by little steps would copy the content over and over.
        let mut larger = Self::new(length.max(self.length + self.length / 2));
        larger[..self.length].copy_from_slice(self);
        *self = larger;
    }
}

impl From<Vec<u8>> for Buffer {
    /// For text that was not read but made.
    fn from(storage: Vec<u8>) -> Self {
        Self { length: storage.len(), storage, start: 0 }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spares_have_the_length_that_is_asked_for() {
        const LENGTH: usize = 77_777;
        Buffer::new(LENGTH).leave();
        Buffer::new(SPARE_BYTES + 1).leave();
        for length in [LENGTH, LENGTH, LENGTH + 1, SPARE_BYTES + 1] {
            assert_eq!(Buffer::spare(length).len(), length);
        }
        for _ in 0..2 * SPARES {
            Buffer::new(LENGTH).leave();
        }
        let kept = SPARE.lock().unwrap();
        assert!(kept.len() <= SPARES && kept.iter().all(|buffer| buffer.len() <= SPARE_BYTES));
    }

    #[test]
    fn bytes_lie_at_their_place_in_a_page_and_stay_when_it_grows() {
        let mut buffer = Buffer::new(100);
        buffer[..3].copy_from_slice(b"abc");
        for length in [50, 101, 4096, 200_000, 2_000_000] {
            buffer.grow(length);
            assert!(buffer.len() >= length);
            assert_eq!(buffer.as_ptr().addr() % PAGE, LEAD, "{length}");
            assert_eq!(&buffer[..4], b"abc\0");
        }
    }
}
