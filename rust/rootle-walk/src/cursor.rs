//! Where a page of results ended, as text.

use std::hash::{DefaultHasher, Hash, Hasher};

use rootle_base::{Error, Result};

/// The last entry that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) key: i64,
    pub(crate) path: Vec<u8>,
}

impl Cursor {
    /// `question` is what was asked; the cursor serves for no other question.
    pub(crate) fn text(&self, question: &impl Hash) -> String {
        let path: String = self.path.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("g1.{:016x}.{}.{path}", digest(question), self.key)
    }

    pub(crate) fn parse(text: &str, question: &impl Hash) -> Result<Self> {
        let damaged = || Error::InvalidCursor { reason: "it is no cursor of a glob" };
        let rest = text.strip_prefix("g1.").ok_or_else(damaged)?;
        let mut parts = rest.split('.');
        let (Some(digested), Some(key), Some(path), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(damaged());
        };
        if digested != format!("{:016x}", digest(question)) {
            return Err(Error::InvalidCursor { reason: "it belongs to another glob, directory, kind or order" });
        }
        let key = key.parse().map_err(|_| damaged())?;
        let (pairs, odd) = path.as_bytes().as_chunks::<2>();
        if !odd.is_empty() {
            return Err(damaged());
        }
        let byte = |pair: &[u8; 2]| std::str::from_utf8(pair).ok().and_then(|text| u8::from_str_radix(text, 16).ok());
        let path = pairs.iter().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(damaged)?;
        Ok(Self { key, path })
    }
}

fn digest(question: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    question.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_to_text_and_back() {
        let cursor = Cursor { key: -5, path: b"a/\xff.b".to_vec() };
        let text = cursor.text(&"q");

        assert_eq!(Cursor::parse(&text, &"q").unwrap(), cursor);
        for bad in
            [&text[1..], &text[..text.len() - 1], "", "g1.", "g1.x.1.00", &format!("{text}.1"), &format!("{text}zz")]
        {
            assert!(matches!(Cursor::parse(bad, &"q"), Err(Error::InvalidCursor { .. })), "{bad}");
        }
        assert!(matches!(Cursor::parse(&text, &"other"), Err(Error::InvalidCursor { .. })));
    }
}
