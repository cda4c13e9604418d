//! Where a search ended, as a short text that another call goes on from.

use rootle_base::{Error, Result};

use crate::options::{GrepOptions, Mode, Sort};
use crate::order::Key;
use crate::pattern::{Case, PatternSpec};

/// The place of the last hit given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Its file.
    pub key: Key,
    /// Where it begins in the file, if the file has more.
    pub skip: Option<u64>,
}

const VERSION: u8 = 1;
const DAMAGED: Error = Error::InvalidCursor { reason: "it is damaged" };
const OTHER: Error = Error::InvalidCursor { reason: "it was made by a search for something else" };

/// Bytes before the path: version, flags, fingerprint, time, place.
const FIXED: usize = 1 + 1 + 4 + 8 + 8;
const CHECK: usize = 4;

impl Cursor {
    /// Writes it down for the search that `spec` and `options` describe.
    pub fn encode(&self, spec: &PatternSpec, options: &GrepOptions) -> String {
        let mut bytes = Vec::with_capacity(FIXED + self.key.path.len() + CHECK);
        bytes.push(VERSION);
        bytes.push(u8::from(self.skip.is_some()));
        bytes.extend_from_slice(&fingerprint(spec, options).to_le_bytes());
        bytes.extend_from_slice(&self.key.mtime_ns.unwrap_or(i64::MIN).to_le_bytes());
        bytes.extend_from_slice(&self.skip.unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(&self.key.path);
        bytes.extend_from_slice(&hash(&[&bytes]).to_le_bytes());
        to_base64(&bytes)
    }

    /// Reads it for the search that `spec` and `options` describe.
    pub fn decode(text: &str, spec: &PatternSpec, options: &GrepOptions) -> Result<Self> {
        let bytes = from_base64(text).ok_or(DAMAGED)?;
        let (bytes, check) = bytes.split_last_chunk::<CHECK>().ok_or(DAMAGED)?;
        if hash(&[bytes]) != u32::from_le_bytes(*check) {
            return Err(DAMAGED);
        }
        let (fixed, path) = bytes.split_at_checked(FIXED).ok_or(DAMAGED)?;
        let mut fields = Fields(fixed);
        let version: [u8; 1] = fields.take().ok_or(DAMAGED)?;
        if version != [VERSION] {
            return Err(Error::InvalidCursor { reason: "it was made by another version" });
        }
        let inside: [u8; 1] = fields.take().ok_or(DAMAGED)?;
        if u32::from_le_bytes(fields.take().ok_or(DAMAGED)?) != fingerprint(spec, options) {
            return Err(OTHER);
        }
        let mtime_ns = i64::from_le_bytes(fields.take().ok_or(DAMAGED)?);
        let skip = u64::from_le_bytes(fields.take().ok_or(DAMAGED)?);
        let mtime_ns = match options.sort {
            Sort::Path => None,
            Sort::Modified => Some(mtime_ns),
        };
        Ok(Self { key: Key { mtime_ns, path: path.to_vec() }, skip: (inside == [1]).then_some(skip) })
    }
}

/// The fixed fields, one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }
}

/// Tells one search from another: a cursor means nothing to a search for something else.
fn fingerprint(spec: &PatternSpec, options: &GrepOptions) -> u32 {
    let case = match spec.case {
        Case::Sensitive => 0,
        Case::Insensitive => 1,
        Case::Smart => 2,
    };
    let mode = match options.mode {
        Mode::Content => 0,
        Mode::Files => 1,
        Mode::Count => 2,
    };
    let sort = match options.sort {
        Sort::Path => 0,
        Sort::Modified => 1,
    };
    let flags = [spec.fixed, spec.word, spec.line, spec.multiline, spec.dotall, options.invert, options.only_matching];
    let flags = flags.map(u8::from);
    let mut parts: Vec<&[u8]> = vec![&flags];
    let kinds = [case, mode, sort];
    parts.push(&kinds);
    parts.push(&options.scope);
    for pattern in &spec.patterns {
        parts.push(pattern.as_bytes());
        parts.push(&[0]);
    }
    hash(&parts)
}

/// FNV-1a: the same in every process and version.
fn hash(parts: &[&[u8]]) -> u32 {
    parts
        .iter()
        .flat_map(|part| part.iter())
        .fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn to_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut group = [0; 4];
        group[1..=chunk.len()].copy_from_slice(chunk);
        let group = u32::from_be_bytes(group);
        for digit in 0..=chunk.len() {
            text.push(char::from(DIGITS[(group >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.as_bytes().chunks(4) {
        let mut group = 0u32;
        for digit in chunk {
            let value = DIGITS.iter().position(|known| known == digit)?;
            group = group << 6 | u32::try_from(value).ok()?;
        }
        group <<= 6 * (4 - chunk.len());
        let whole = chunk.len().checked_sub(1).filter(|whole| *whole > 0)?;
        let group = group.to_be_bytes();
        // The bits that do not come to a byte are not used: one text for one cursor.
        if group[whole + 1..].iter().any(|rest| *rest != 0) {
            return None;
        }
        bytes.extend_from_slice(&group[1..=whole]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn modified() -> GrepOptions {
        GrepOptions { sort: Sort::Modified, ..GrepOptions::default() }
    }

    #[test]
    fn only_for_the_same_search() {
        let spec = PatternSpec::regex("a");
        let options = GrepOptions::default();
        let cursor = Cursor { key: Key { mtime_ns: None, path: b"a/b".to_vec() }, skip: Some(7) };
        let text = cursor.encode(&spec, &options);
        assert_eq!(Cursor::decode(&text, &spec, &options).unwrap(), cursor);
        let more = GrepOptions { max_matches: Some(9), ..GrepOptions::default() };
        assert_eq!(Cursor::decode(&text, &spec, &more).unwrap(), cursor);
        for (spec, options) in [
            (PatternSpec::regex("b"), GrepOptions::default()),
            (PatternSpec { fixed: true, ..PatternSpec::regex("a") }, GrepOptions::default()),
            (PatternSpec::regex("a"), modified()),
            (PatternSpec::regex("a"), GrepOptions { mode: Mode::Files, ..GrepOptions::default() }),
        ] {
            assert!(matches!(Cursor::decode(&text, &spec, &options), Err(Error::InvalidCursor { .. })));
        }
    }

    proptest! {
        #[test]
        fn comes_back(path in proptest::collection::vec(any::<u8>(), 0..40), mtime: i64, skip: Option<u64>) {
            let spec = PatternSpec::regex("x");
            let cursor = Cursor { key: Key { mtime_ns: Some(mtime), path }, skip };
            let text = cursor.encode(&spec, &modified());
            prop_assert!(text.bytes().all(|byte| DIGITS.contains(&byte)));
            prop_assert_eq!(Cursor::decode(&text, &spec, &modified()).unwrap(), cursor);
        }

        #[test]
        fn damage_is_seen(at in 0usize..60, with in "[A-Za-z!]", cut in any::<bool>()) {
            let spec = PatternSpec::regex("x");
            let cursor = Cursor { key: Key { mtime_ns: None, path: b"some/path.rs".to_vec() }, skip: None };
            let mut text = cursor.encode(&spec, &GrepOptions::default());
            let at = at.min(text.len() - 1);
            if cut {
                text.truncate(at);
            } else {
                prop_assume!(text[at..=at] != with);
                text.replace_range(at..=at, &with);
            }
            let found = Cursor::decode(&text, &spec, &GrepOptions::default());
            let refused = matches!(found, Err(Error::InvalidCursor { .. }));
            prop_assert!(refused);
        }

        #[test]
        fn any_text_is_no_cursor(text in ".{0,60}") {
            let spec = PatternSpec::regex("x");
            prop_assert!(Cursor::decode(&text, &spec, &GrepOptions::default()).is_err());
        }
    }
}
