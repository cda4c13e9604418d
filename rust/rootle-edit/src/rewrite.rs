//! A file's whole content given anew, in the form that the file has.

use memchr::{memchr, memchr_iter};
use rootle_base::{Encoding, Sniff, bom, encode, sniff};

use crate::{Reason, Refusal};

/// A new content, and what of the old form it kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How they are encoded.
    pub encoding: Encoding,
    /// Whether the line ends were made CRLF, as all of the old ones are.
    pub crlf_kept: bool,
    /// Whether the old byte order mark was put before the text.
    pub bom_kept: bool,
}

/// Gives `text` the encoding, the byte order mark and, if all lines end in CRLF and the text has no CR of its own, the
/// line ends of `before`. A file with NUL bytes that is no UTF-16 or UTF-32 has no form to keep.
///
/// # Errors
/// A [`Refusal`] with [`Reason::Unencodable`] that names the first character which the encoding has not.
pub fn rewrite(before: &[u8], text: &str) -> Result<Rewritten, Refusal> {
    let Sniff { encoding, bom_len, binary } = sniff(before, true, true);
    if binary {
        return Ok(Rewritten {
            bytes: text.as_bytes().to_vec(),
            encoding: Encoding::Utf8,
            crlf_kept: false,
            bom_kept: false,
        });
    }
    let own_mark = bom(text.as_bytes()).is_some_and(|(mark, _)| mark == Encoding::Utf8);
    let text = if own_mark && bom_len > 0 { text.trim_start_matches('\u{feff}') } else { text };
    let crlf_kept = only_crlf(&before[bom_len..], encoding) && text.contains('\n') && !text.contains('\r');
    let ended = if crlf_kept { text.replace('\n', "\r\n") } else { text.to_owned() };
    let Some(encoded) = encode(&ended, encoding) else {
        return Err(unencodable(&ended, encoding));
    };
    let mut bytes = before[..bom_len].to_vec();
    bytes.extend_from_slice(&encoded);
    Ok(Rewritten { bytes, encoding, crlf_kept, bom_kept: bom_len > 0 })
}

/// Whether there are lines and all of them end in CRLF.
fn only_crlf(body: &[u8], encoding: Encoding) -> bool {
    let unit = encoding.unit();
    if unit == 1 {
        return memchr(b'\n', body).is_some() && memchr_iter(b'\n', body).all(|at| at > 0 && body[at - 1] == b'\r');
    }
    let text = rootle_base::decode(body, encoding).text;
    let bytes = text.as_bytes();
    memchr(b'\n', bytes).is_some() && memchr_iter(b'\n', bytes).all(|at| at > 0 && bytes[at - 1] == b'\r')
}

fn unencodable(text: &str, encoding: Encoding) -> Refusal {
    let mut line = 1;
    for character in text.chars() {
        if encode(character.encode_utf8(&mut [0; 4]), encoding).is_none() {
            let code = u32::from(character);
            return Refusal::new(
                Reason::Unencodable,
                format!(
                    "line {line} has {character:?} (U+{code:04X}), which the file's encoding {encoding} has not; \
                     write the file under another name to change its encoding"
                ),
            );
        }
        line += u64::from(character == '\n');
    }
    Refusal::new(Reason::Unencodable, format!("the text cannot be written in the file's encoding {encoding}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_the_old_content_is_kept() {
        for (before, text, after) in [
            (&b""[..], "a\n", &b"a\n"[..]),
            (b"x\n", "a\nb", b"a\nb"),
            (b"x\r\ny\r\n", "a\nb\n", b"a\r\nb\r\n"),
            (b"x\r\ny\r\n", "a\r\nb\n", b"a\r\nb\n"),
            (b"x\r\ny\n", "a\nb\n", b"a\nb\n"),
            (b"x", "a\n", b"a\n"),
            (b"\xef\xbb\xbfx", "a", b"\xef\xbb\xbfa"),
            (b"\xef\xbb\xbfx", "\u{feff}a", b"\xef\xbb\xbfa"),
            (b"\xff\xfex\0\r\0\n\0", "a\n", b"\xff\xfea\0\r\0\n\0"),
            (b"caf\xe9 au lait, d\xe9j\xe0 vu\n", "\u{e9}t\u{e9}\n", b"\xe9t\xe9\n"),
            (b"a\0b", "\u{e9}\n", b"\xc3\xa9\n"),
        ] {
            assert_eq!(rewrite(before, text).unwrap().bytes, after, "{before:?} {text:?}");
        }
    }

    #[test]
    fn a_character_that_the_encoding_has_not_is_named() {
        let refusal = rewrite(b"caf\xe9 au lait, d\xe9j\xe0 vu\n", "a\n\u{6f22}\n").unwrap_err();
        assert_eq!(refusal.reason, Reason::Unencodable);
        assert!(refusal.message.contains("line 2") && refusal.message.contains("U+6F22"), "{refusal}");
    }
}
