//! Decoding piece by piece, for text that is not held in memory as a whole.

use crate::Encoding;

/// A decoder that remembers a character cut off by the end of a piece.
#[derive(Debug)]
pub struct Stream(Kind);

#[derive(Debug)]
enum Kind {
    Known(encoding_rs::Decoder),
    Utf32 { big_endian: bool, rest: Vec<u8> },
}

impl Stream {
    /// A decoder at the start of a text, after its byte order mark.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        Self(match encoding.as_encoding_rs() {
            Some(known) => Kind::Known(known.new_decoder_without_bom_handling()),
            None => Kind::Utf32 { big_endian: encoding.is_big_endian(), rest: Vec::new() },
        })
    }

    /// Appends the text of `bytes`; `last` says that nothing follows. True if U+FFFD stands for bytes without meaning.
    pub fn feed(&mut self, bytes: &[u8], last: bool, out: &mut String) -> bool {
        match &mut self.0 {
            Kind::Known(decoder) => {
                // The bound is three bytes for each byte and some; it overflows only beyond the address space.
                out.reserve(decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(usize::MAX));
                let (_, _, lossy) = decoder.decode_to_string(bytes, out, last);
                lossy
            }
            Kind::Utf32 { big_endian, rest } => {
                let mut lossy = false;
                rest.extend_from_slice(bytes);
                let units = rest.chunks_exact(4);
                let left = units.remainder().len();
                for unit in units {
                    let unit = [unit[0], unit[1], unit[2], unit[3]];
                    let code = if *big_endian { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) };
                    let character = char::from_u32(code);
                    lossy |= character.is_none();
                    out.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                rest.drain(..rest.len() - left);
                if last && !rest.is_empty() {
                    rest.clear();
                    out.push(char::REPLACEMENT_CHARACTER);
                    lossy = true;
                }
                lossy
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{decode, label};

    #[test]
    fn pieces_come_to_the_whole() {
        let bytes: Vec<u8> = (0..=255).chain("zwei 𝄞".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for name in ["utf-16le", "utf-16be", "utf-32le", "utf-32be", "shift_jis", "gb18030", "latin-1"] {
            let encoding = label(name).unwrap();
            let whole = decode(&bytes, encoding);
            for piece in 1..9 {
                let mut stream = Stream::new(encoding);
                let mut text = String::new();
                let mut lossy = false;
                for bytes in bytes.chunks(piece) {
                    lossy |= stream.feed(bytes, false, &mut text);
                }
                lossy |= stream.feed(&[], true, &mut text);
                assert_eq!((text.as_str(), lossy), (&*whole.text, whole.lossy), "{name} in pieces of {piece}");
            }
        }
    }
}
