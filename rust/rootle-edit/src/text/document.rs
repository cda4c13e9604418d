//! The file as text, and where the text's characters lie in its bytes.

use std::borrow::Cow;
use std::cell::OnceCell;

use memchr::{memchr, memchr_iter};
use rootle_base::{Encoding, LineCounts, LineEnds, SNIFF_BYTES, Stream, bom, decode, encode, sniff};

use crate::{Options, Reason, Refusal};

/// A file's bytes and the text they stand for, without the byte order mark.
pub(crate) struct Document<'a> {
    pub(super) bytes: &'a [u8],
    pub(crate) encoding: Encoding,
    pub(crate) text: Cow<'a, str>,
    /// The encoding of new text: the same, unless the file begins with ASCII and has other bytes further on.
    pub(super) added: Encoding,
    /// Whether U+FFFD stands in the text for bytes without meaning.
    pub(super) lossy: bool,
    offsets: Offsets,
    /// Looked for once: whether there is a carriage return.
    returns: OnceCell<bool>,
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
        let returns = OnceCell::new();
        Ok(if encoding != Encoding::Utf8 {
            let (text, starts, lossy) = by_lines(body, mark, encoding);
            Self {
                bytes,
                encoding,
                text: text.into(),
                added: encoding,
                lossy,
                offsets: Offsets::Lines(starts),
                returns,
            }
        } else if let Ok(text) = std::str::from_utf8(body) {
            let offsets = Offsets::Shift(mark);
            Self { bytes, encoding, text: text.into(), added: encoding, lossy: false, offsets, returns }
        } else {
            let (text, runs) = with_stray_bytes(body, mark);
            let guessed = options.encoding.is_none() && mark == 0 && head.is_ascii();
            let added = if guessed { further_on(body) } else { encoding };
            Self { bytes, encoding, text: text.into(), added, lossy: true, offsets: Offsets::Runs(runs), returns }
        })
    }

    /// The line end that new lines get where no neighbour has one.
    pub(crate) fn line_ends(&self) -> LineEnds {
        if !self.has_returns() {
            return if memchr(b'\n', self.text.as_bytes()).is_some() { LineEnds::Lf } else { LineEnds::None };
        }
        LineCounts::of(self.text.as_bytes()).ends()
    }

    /// The dominant line end; `\n` if there is none.
    pub(crate) fn dominant(&self) -> &'static str {
        if !self.has_returns() {
            return "\n";
        }
        let counts = LineCounts::of(self.text.as_bytes());
        if counts.crlf > counts.lf { "\r\n" } else { "\n" }
    }

    fn has_returns(&self) -> bool {
        *self.returns.get_or_init(|| memchr(b'\r', self.text.as_bytes()).is_some())
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
}

/// The encoding of a file whose first bytes that are not ASCII stand far behind its beginning.
fn further_on(body: &[u8]) -> Encoding {
    let first = body.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let end = body.len().min(first + SNIFF_BYTES);
    sniff(&body[first..end], end == body.len(), true).encoding
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
