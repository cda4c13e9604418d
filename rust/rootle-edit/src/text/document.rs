//! The file as text, and changes of the text as changes of its bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter};
use rootle_base::{Encoding, LineCounts, LineEnds, SNIFF_BYTES, Stream, bom, decode, encode, sniff};

use crate::{Options, Reason, Refusal};

/// A file's bytes and the text they stand for, without the byte order mark.
pub(crate) struct Document<'a> {
    bytes: &'a [u8],
    pub(crate) encoding: Encoding,
    pub(crate) text: Cow<'a, str>,
    /// Whether U+FFFD stands in the text for bytes without meaning.
    lossy: bool,
    offsets: Offsets,
}

/// Where the text's characters lie in the bytes.
enum Offsets {
    /// The text is the bytes after the mark.
    Shift(usize),
    /// Pairs of a text offset and a byte offset, rising; from one to the next both run alike.
    Runs(Vec<(usize, usize)>),
    /// The same pairs for the line starts, and nothing known within a line.
    Lines(Vec<(usize, usize)>),
}

/// A part of the text and what to put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl<'a> Document<'a> {
    pub(crate) fn new(bytes: &'a [u8], options: &Options) -> Result<Self, Refusal> {
        if bytes.len() > options.max_bytes {
            let message =
                format!("the file has {} bytes; files of more than {} are not edited", bytes.len(), options.max_bytes);
            return Err(Refusal::new(Reason::TooLarge, message));
        }
        let head = &bytes[..bytes.len().min(SNIFF_BYTES)];
        let (encoding, mark) = match (bom(head), options.encoding) {
            (Some(found), _) => found,
            (None, Some(given)) => (given, 0),
            (None, None) => (sniff(head, head.len() == bytes.len(), true).encoding, 0),
        };
        if encoding.unit() == 1 && memchr(0, head).is_some() {
            return Err(Refusal::new(Reason::Binary, "the file is binary: it holds NUL bytes"));
        }
        let body = &bytes[mark..];
        Ok(if encoding != Encoding::Utf8 {
            let (text, starts, lossy) = by_lines(body, mark, encoding);
            Self { bytes, encoding, text: text.into(), lossy, offsets: Offsets::Lines(starts) }
        } else if let Ok(text) = std::str::from_utf8(body) {
            Self { bytes, encoding, text: text.into(), lossy: false, offsets: Offsets::Shift(mark) }
        } else {
            let (text, runs) = with_stray_bytes(body, mark);
            Self { bytes, encoding, text: text.into(), lossy: true, offsets: Offsets::Runs(runs) }
        })
    }

    /// The line end that new lines get where no neighbour has one.
    pub(crate) fn line_ends(&self) -> LineEnds {
        if memchr(b'\r', self.text.as_bytes()).is_none() {
            return if memchr(b'\n', self.text.as_bytes()).is_some() { LineEnds::Lf } else { LineEnds::None };
        }
        LineCounts::of(self.text.as_bytes()).ends()
    }

    /// The dominant line end; `\n` if there is none.
    pub(crate) fn dominant(&self) -> &'static str {
        if memchr(b'\r', self.text.as_bytes()).is_none() {
            return "\n";
        }
        let counts = LineCounts::of(self.text.as_bytes());
        if counts.crlf > counts.lf { "\r\n" } else { "\n" }
    }

    /// The byte at which a place of the text lies. `None` if it lies between characters that share bytes.
    pub(crate) fn byte_at(&self, at: usize) -> Option<usize> {
        match &self.offsets {
            Offsets::Shift(mark) => Some(at + mark),
            Offsets::Runs(runs) => {
                let (text, byte) = *runs.get(runs.partition_point(|run| run.0 <= at).checked_sub(1)?)?;
                Some(byte + (at - text))
            }
            Offsets::Lines(starts) => {
                let line = starts.partition_point(|start| start.0 <= at).checked_sub(1)?;
                let (text, byte) = starts[line];
                let end = starts.get(line + 1).map_or(self.bytes.len(), |next| next.1);
                within(&self.bytes[byte..end], self.encoding, at - text).map(|offset| byte + offset)
            }
        }
    }

    /// The bytes with the splices made. They are in order and do not overlap.
    pub(crate) fn splice(&self, splices: &[Splice]) -> Result<Vec<u8>, Refusal> {
        let added: usize = splices.iter().map(|splice| splice.text.len() * 2).sum();
        let mut result = Vec::with_capacity(self.bytes.len() + added);
        let mut copied = 0;
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
            result.extend_from_slice(&self.bytes[copied..start]);
            result.extend_from_slice(&self.encoded(text)?);
            copied = end;
        }
        result.extend_from_slice(&self.bytes[copied..]);
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
        encode(text, self.encoding).ok_or_else(|| {
            let mut unit = [0; 4];
            let bad = text.chars().find(|c| encode(c.encode_utf8(&mut unit), self.encoding).is_none());
            let what = bad.map_or_else(
                || "a sequence of characters".to_owned(),
                |c| format!("the character {c:?} (U+{:04X})", u32::from(c)),
            );
            Refusal::new(
                Reason::Unencodable,
                format!("new holds {what}, which the file's encoding, {}, does not have", self.encoding),
            )
        })
    }
}

/// UTF-8 with U+FFFD for each run of bytes that mean nothing.
fn with_stray_bytes(body: &[u8], mark: usize) -> (String, Vec<(usize, usize)>) {
    let mut text = String::with_capacity(body.len() + 16);
    let mut runs = vec![(0, mark)];
    let mut byte = mark;
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        byte += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            runs.push((text.len(), byte));
            text.push(char::REPLACEMENT_CHARACTER);
            byte += chunk.invalid().len();
            runs.push((text.len(), byte));
        }
    }
    (text, runs)
}

fn by_lines(body: &[u8], mark: usize, encoding: Encoding) -> (String, Vec<(usize, usize)>, bool) {
    let mut text = String::with_capacity(body.len());
    let mut starts = Vec::new();
    let mut lossy = false;
    let mut start = 0;
    let mut line = |end: usize| {
        starts.push((text.len(), mark + start));
        let decoded = decode(&body[start..end], encoding);
        text.push_str(&decoded.text);
        lossy |= decoded.lossy;
        start = end;
    };
    let unit = encoding.unit();
    if unit == 1 {
        for lf in memchr_iter(b'\n', body) {
            line(lf + 1);
        }
    } else {
        let lf = encode("\n", encoding).unwrap_or_default();
        for (number, bytes) in body.chunks_exact(unit).enumerate() {
            if bytes == &*lf {
                line((number + 1) * unit);
            }
        }
    }
    line(body.len());
    (text, starts, lossy)
}

/// The byte of a line at which its text has reached `at` bytes.
fn within(line: &[u8], encoding: Encoding, at: usize) -> Option<usize> {
    let mut stream = Stream::new(encoding);
    let mut text = String::new();
    let mut end = 0;
    for bytes in line.chunks(encoding.unit()) {
        if text.len() >= at {
            break;
        }
        stream.feed(bytes, false, &mut text);
        end += bytes.len();
    }
    if text.len() < at && end == line.len() {
        stream.feed(&[], true, &mut text);
    }
    (text.len() == at).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

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

        let (text, _, _) = encoding_rs::SHIFT_JIS
            .encode("\u{3053}\u{308c}\u{306f}\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059}\u{3002}\n\u{8868}\u{793a} = 1\n");
        let (expected, _, _) = encoding_rs::SHIFT_JIS
            .encode("\u{3053}\u{308c}\u{306f}\u{65e5}\u{672c}\u{8a9e}\u{3067}\u{3059}\u{3002}\n\u{8868}\u{8a18} = 2\n");
        assert_eq!(spliced(&text, "\u{793a} = 1", "\u{8a18} = 2").unwrap(), &*expected);
        assert!(spliced(&text, "= 1", "= \u{1f600}").unwrap_err().contains("U+1F600"));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(Document::new(b"a\0b", &Options::default()).err().unwrap().reason, Reason::Binary);
        let small = Options { max_bytes: 2, ..Options::default() };
        assert_eq!(Document::new(b"abc", &small).err().unwrap().reason, Reason::TooLarge);
    }

    #[test]
    fn every_character_has_its_byte() {
        for encoding in ["utf-8", "utf-16-le", "utf-32-be", "gb18030", "windows-1252"] {
            let encoding = rootle_base::label(encoding).unwrap();
            let text = "a\u{e9}\r\n\n\u{e9}b";
            let Some(bytes) = encode(text, encoding) else { panic!("{encoding}") };
            let options = Options { encoding: Some(encoding), ..Options::default() };
            let bytes = [encoding.bom(), &bytes].concat();
            let document = Document::new(&bytes, &options).unwrap();
            assert_eq!(document.text, text, "{encoding}");
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let expected = encoding.bom().len() + encode(&text[..at], encoding).unwrap().len();
                assert_eq!(document.byte_at(at), Some(expected), "{encoding} {at}");
            }
        }
    }
}
