//! How values travel between the host and the helper: little-endian numbers, and bytes behind their length. Both ends
//! are built from the same sources, so there is no negotiation, only a version that must be equal.

use std::time::Duration;

/// The bytes do not hold the value that was asked for: the helper and the host are of different builds.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// Puts values behind one another.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Adds a small number.
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Adds a number.
    pub fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Adds bytes with their length.
    pub fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// Adds a duration, in whole microseconds.
    pub fn duration(&mut self, value: Duration) {
        self.number(u64::try_from(value.as_micros()).unwrap_or(u64::MAX));
    }

    /// Adds a value that may be missing.
    pub fn option<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    /// Everything that was added.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Takes values in the order in which they were added.
#[derive(Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Takes a small number.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    /// Takes a number.
    pub fn number(&mut self) -> Result<u64, Malformed> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| Malformed)
    }

    /// Takes a number that fits `T`.
    pub fn narrow<T: TryFrom<u64>>(&mut self) -> Result<T, Malformed> {
        T::try_from(self.number()?).map_err(|_| Malformed)
    }

    /// Takes bytes.
    pub fn bytes(&mut self) -> Result<Vec<u8>, Malformed> {
        let length = self.narrow()?;
        self.take(length).map(<[u8]>::to_vec)
    }

    /// Takes a duration.
    pub fn duration(&mut self) -> Result<Duration, Malformed> {
        self.number().map(Duration::from_micros)
    }

    /// Takes a yes or no.
    pub fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }

    /// Takes a value that may be missing.
    pub fn option<T>(&mut self, take: impl FnOnce(&mut Self) -> Result<T, Malformed>) -> Result<Option<T>, Malformed> {
        if self.flag()? { take(self).map(Some) } else { Ok(None) }
    }

    /// Takes a list: its length, then each item.
    pub fn list<T>(&mut self, mut take: impl FnMut(&mut Self) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
        let length: usize = self.narrow()?;
        // Not reserved from the length: a malformed one must not allocate.
        let mut items = Vec::new();
        for _ in 0..length {
            items.push(take(self)?);
        }
        Ok(items)
    }

    /// Nothing may be left.
    pub fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}
