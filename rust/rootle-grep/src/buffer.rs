//! The bytes that files are read into.

use std::ops::{Deref, DerefMut};

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

impl Buffer {
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
