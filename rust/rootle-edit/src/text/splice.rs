//! Changes of the text as changes of its bytes.

use std::borrow::Cow;
use std::ops::Range;

use rootle_base::encode;

use super::Document;
use crate::{Reason, Refusal, Replaced, assemble};

/// A part of the text and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Document<'_> {
    /// The bytes with the splices made. They are in order and do not overlap.
    pub(crate) fn splice(&self, splices: &[Splice]) -> Result<Vec<u8>, Refusal> {
        Ok(assemble(self.bytes, &self.replaced(splices)?))
    }

    /// The splices as changes of the bytes, in the same order; those that change nothing are left out.
    pub(crate) fn replaced(&self, splices: &[Splice]) -> Result<Vec<Replaced>, Refusal> {
        let mut result = Vec::with_capacity(splices.len());
        for splice in splices {
            let (range, text) = self.trimmed(splice);
            if range.is_empty() && text.is_empty() {
                continue;
            }
            let lost = char::REPLACEMENT_CHARACTER;
            if self.lossy && (text.contains(lost) || self.text[range.clone()].contains(lost)) {
                return Err(Refusal::new(
                    Reason::Unencodable,
                    format!(
                        "the replaced text holds bytes that are not {}; leave the characters shown as U+FFFD out of old and new",
                        self.encoding
                    ),
                ));
            }
            let (Some(start), Some(end)) = (self.byte_at(range.start), self.byte_at(range.end)) else {
                return Err(Refusal::new(
                    Reason::Unencodable,
                    format!("the bytes around the replaced text cannot be told apart in {}", self.encoding),
                ));
            };
            result.push(Replaced { range: start..end, bytes: self.encoded(text)?.into_owned() });
        }
        Ok(result)
    }

    /// The splice without what the texts have in common at both ends.
    fn trimmed<'s>(&self, splice: &'s Splice) -> (Range<usize>, &'s str) {
        let (old, new) = (&self.text[splice.range.clone()], splice.text.as_str());
        let front: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        let (rest_old, rest_new) = (&old[front..], &new[front..]);
        let pairs = rest_old.chars().rev().zip(rest_new.chars().rev());
        let back: usize = pairs.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
        (splice.range.start + front..splice.range.end - back, &rest_new[..rest_new.len() - back])
    }

    fn encoded<'t>(&self, text: &'t str) -> Result<Cow<'t, [u8]>, Refusal> {
        encode(text, self.added).ok_or_else(|| {
            let mut unit = [0; 4];
            let bad = text.chars().find(|c| encode(c.encode_utf8(&mut unit), self.added).is_none());
            let what = bad.map_or_else(
                || "a sequence of characters".to_owned(),
                |c| format!("the character {c:?} (U+{:04X})", u32::from(c)),
            );
            Refusal::new(
                Reason::Unencodable,
                format!("new holds {what}, which the file's encoding, {}, does not have", self.added),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn spliced(bytes: &[u8], old: &str, new: &str) -> Result<Vec<u8>, String> {
        let document = Document::new(bytes, &Options::default()).map_err(|refusal| refusal.message)?;
        let at = document.text.find(old).expect("the old text is there");
        let splice = Splice { range: at..at + old.len(), text: new.to_owned() };
        document.splice(&[splice]).map_err(|refusal| refusal.message)
    }

    #[test]
    fn only_new_text_is_encoded() {
        let utf16: Vec<u8> = "\u{feff}a\u{e9}\nb\u{1d11e}c\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let expected: Vec<u8> =
            "\u{feff}a\u{e9}\nb\u{1d11e}\u{fc}x\r\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(spliced(&utf16, "\u{1d11e}c", "\u{1d11e}\u{fc}x").unwrap(), expected);

        let stray = b"caf\xe9 x\xff\ny \xc3\xa9 z \xf0\x9d\n".to_vec();
        // More good characters than broken ones, so that it is taken for UTF-8.
        let stray = [stray.as_slice(), "\u{e9}".repeat(40).as_bytes()].concat();
        let expected = [&b"caf\xe9 x\xff\nQ z \xf0\x9d\n"[..], "\u{e9}".repeat(40).as_bytes()].concat();
        assert_eq!(spliced(&stray, "y \u{e9}", "Q").unwrap(), expected);
        assert!(spliced(&stray, "x\u{fffd}", "Q").unwrap_err().contains("not utf-8"));
        let kept = [&b"caf\xe9 Q\xff\ny \xc3\xa9 z \xf0\x9d\n"[..], "\u{e9}".repeat(40).as_bytes()].concat();
        assert_eq!(spliced(&stray, "x\u{fffd}", "Q\u{fffd}").unwrap(), kept);

        let far = |rest: &[u8]| ["a = 1\n".repeat(20_000).as_bytes(), rest].concat();
        let expected = far(b"b = 'gr\xf6\xdfer'\nd = '\xfc'\n");
        assert_eq!(spliced(&far(b"b = 'gr\xf6\xdfer'\nc = 'x'\n"), "c = 'x'", "d = '\u{fc}'").unwrap(), expected);

        let (text, _, _) = encoding_rs::SHIFT_JIS
            .encode("\u{3053}\u{308c}\u{306f}\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059}\u{3002}\n\u{8868}\u{793a} = 1\n");
        let (expected, _, _) = encoding_rs::SHIFT_JIS
            .encode("\u{3053}\u{308c}\u{306f}\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059}\u{3002}\n\u{8868}\u{8a18} = 2\n");
        assert_eq!(spliced(&text, "\u{793a} = 1", "\u{8a18} = 2").unwrap(), &*expected);
        assert!(spliced(&text, "= 1", "= \u{1f600}").unwrap_err().contains("U+1F600"));
    }
}
