//! Decoding piece by piece, for text that is not held in memory as a whole.

use rootle_base::{Encoding, decode};

/// A decoder that remembers a character cut off by the end of a piece.
pub(crate) struct Decoder {
    encoding: Encoding,
    /// None for UTF-32, whose characters are cut off at any byte that is no multiple of four.
    known: Option<encoding_rs::Decoder>,
    rest: Vec<u8>,
}

impl Decoder {
    pub fn new(encoding: Encoding) -> Self {
        let known = encoding.as_encoding_rs().map(encoding_rs::Encoding::new_decoder_without_bom_handling);
        Self { encoding, known, rest: Vec::new() }
    }

    /// Appends the text of `bytes`; `last` says that nothing follows. True if U+FFFD stands for bytes without meaning.
    pub fn feed(&mut self, bytes: &[u8], last: bool, out: &mut String) -> bool {
        if let Some(known) = &mut self.known {
            // The bound overflows only beyond the address space.
            out.reserve(known.max_utf8_buffer_length(bytes.len()).unwrap_or(usize::MAX));
            return known.decode_to_string(bytes, out, last).2;
        }
        self.rest.extend_from_slice(bytes);
        let unit = self.encoding.unit();
        let whole = if last { self.rest.len() } else { self.rest.len() / unit * unit };
        let decoded = decode(&self.rest[..whole], self.encoding);
        out.push_str(&decoded.text);
        let lossy = decoded.lossy;
        self.rest.drain(..whole);
        lossy
    }
}

#[cfg(test)]
mod tests {
    use rootle_base::label;

    use super::*;

    #[test]
    fn pieces_come_to_the_whole() {
        let bytes: Vec<u8> = (0..=255).chain("zwei 𝄞".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for name in ["utf-16le", "utf-16be", "utf-32le", "utf-32be", "shift_jis", "gb18030", "latin-1"] {
            let encoding = label(name).unwrap();
            let whole = decode(&bytes, encoding);
            for piece in 1..9 {
                let mut decoder = Decoder::new(encoding);
                let mut text = String::new();
                let mut lossy = false;
                for bytes in bytes.chunks(piece) {
                    lossy |= decoder.feed(bytes, false, &mut text);
                }
                lossy |= decoder.feed(&[], true, &mut text);
                assert_eq!((text.as_str(), lossy), (&*whole.text, whole.lossy), "{name} in pieces of {piece}");
            }
        }
    }
}
