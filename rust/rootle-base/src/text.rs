//! Bytes to text and back: one decoder for reading, searching and editing.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use memchr::memchr;

use crate::Encoding;
use crate::stream::Stream;

/// As much of a file as [`sniff`] needs to see.
pub const SNIFF_BYTES: usize = 64 * 1024;

/// What the beginning of a file says about its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sniff {
    /// The encoding.
    pub encoding: Encoding,
    /// Length in bytes of the byte order mark at the start; 0 without one.
    pub bom_len: usize,
    /// Whether the bytes are not text: they hold a NUL and no mark says UTF-16 or UTF-32.
    pub binary: bool,
}

/// The encoding announced by a byte order mark, and the mark's length.
#[must_use]
pub fn bom(head: &[u8]) -> Option<(Encoding, usize)> {
    // UTF-32-LE begins like UTF-16-LE.
    [Encoding::Utf8, Encoding::Utf32Le, Encoding::Utf32Be, Encoding::Utf16Le, Encoding::Utf16Be]
        .into_iter()
        .find(|encoding| head.starts_with(encoding.bom()))
        .map(|encoding| (encoding, encoding.bom().len()))
}

/// Tells the encoding from the first bytes of a file (up to [`SNIFF_BYTES`]); `at_eof` says that `head` is the whole
/// file. In this order: a byte order mark; a NUL, which means binary, as in ripgrep; valid UTF-8, which is never taken
/// for anything else; and, if `guess_legacy`, a guess at the encoding from before Unicode, else UTF-8 all the same.
///
/// UTF-16 and UTF-32 without a mark are not guessed: they look binary.
#[must_use]
pub fn sniff(head: &[u8], at_eof: bool, guess_legacy: bool) -> Sniff {
    if let Some((encoding, bom_len)) = bom(head) {
        let binary = encoding.unit() == 1 && memchr(0, head).is_some();
        return Sniff { encoding, bom_len, binary };
    }
    if memchr(0, head).is_some() {
        return Sniff { encoding: Encoding::Utf8, bom_len: 0, binary: true };
    }
    let encoding = if guess_legacy { guess(head, at_eof) } else { Encoding::Utf8 };
    Sniff { encoding, bom_len: 0, binary: false }
}

fn guess(head: &[u8], at_eof: bool) -> Encoding {
    if mostly_utf8(head, at_eof) {
        return Encoding::Utf8;
    }
    // ISO-2022-JP is all ASCII bytes, hence valid UTF-8, and never comes to this.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, at_eof);
    detector.guess(None, Utf8Detection::Deny).into()
}

/// How many good sequences of two bytes or more speak for UTF-8 against one that is broken.
const GOOD_FOR_ONE_BROKEN: usize = 8;

/// Whether the bytes are UTF-8, or UTF-8 with some damage: guessing a legacy encoding for a long text because of one
/// broken character would garble all of it. Legacy text has hardly any sequence that is valid UTF-8.
fn mostly_utf8(head: &[u8], at_eof: bool) -> bool {
    if std::str::from_utf8(head).is_ok() {
        return true;
    }
    let (mut good, mut broken) = (0usize, 0usize);
    for chunk in head.utf8_chunks() {
        // Bytes from 0xc0 begin a sequence, the other non-ASCII bytes go on with one.
        good += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if !at_eof && cut_off(head) {
        broken -= 1;
    }
    broken == 0 || good >= broken.saturating_mul(GOOD_FOR_ONE_BROKEN)
}

/// Whether the bytes end in the middle of a sequence.
fn cut_off(head: &[u8]) -> bool {
    head.utf8_chunks().last().is_some_and(|chunk| {
        let tail = chunk.invalid();
        !tail.is_empty() && matches!(std::str::from_utf8(tail), Err(error) if error.error_len().is_none())
    })
}

/// Text made from bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Whether some bytes mean nothing in the encoding and U+FFFD was put in their place.
    pub lossy: bool,
}

/// Decodes bytes without their byte order mark. Never fails: what means nothing becomes U+FFFD and `lossy` is set.
#[must_use]
pub fn decode(bytes: &[u8], encoding: Encoding) -> Decoded<'_> {
    if let Some(known) = encoding.as_encoding_rs() {
        let (text, lossy) = known.decode_without_bom_handling(bytes);
        return Decoded { text, lossy };
    }
    let mut text = String::new();
    let lossy = Stream::new(encoding).feed(bytes, true, &mut text);
    Decoded { text: Cow::Owned(text), lossy }
}

/// Encodes text, without a byte order mark. `None` if the encoding has not all of the characters, or has them in a
/// form that would not decode to the same text again.
#[must_use]
pub fn encode(text: &str, encoding: Encoding) -> Option<Cow<'_, [u8]>> {
    let bytes = match encoding {
        Encoding::Utf8 => return Some(Cow::Borrowed(text.as_bytes())),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Utf32Le => text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        Encoding::Utf32Be => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        Encoding::Legacy(legacy) => {
            let (bytes, _, unmappable) = legacy.encode(text);
            let same = || {
                let (back, lossy) = legacy.decode_without_bom_handling(&bytes);
                !lossy && back == text
            };
            if unmappable || !same() {
                return None;
            }
            bytes.into_owned()
        }
    };
    Some(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sniffed(head: &[u8]) -> (&'static str, usize, bool) {
        let sniff = sniff(head, true, true);
        (sniff.encoding.name(), sniff.bom_len, sniff.binary)
    }

    #[test]
    fn the_beginning_tells_the_encoding() {
        let french = encoding_rs::WINDOWS_1252.encode("Le café était très agréable, déjà vu à l'été.\n").0.repeat(5);
        let chinese = encoding_rs::GBK.encode("这是一个用来测试编码检测的中文文本，应该足够长。\n").0.repeat(5);
        let japanese =
            encoding_rs::SHIFT_JIS.encode("これは文字コードの判定を試すための日本語の文章です。\n").0.repeat(5);
        let russian = encoding_rs::WINDOWS_1251.encode("Это русский текст для проверки кодировки файла.\n").0.repeat(5);
        for (head, expected) in [
            (&b""[..], ("utf-8", 0, false)),
            (b"plain", ("utf-8", 0, false)),
            ("这是中文，漢字かな交じり文、한국어".as_bytes(), ("utf-8", 0, false)),
            ("é".as_bytes(), ("utf-8", 0, false)),
            (b"\xef\xbb\xbfx", ("utf-8", 3, false)),
            (b"\xff\xfex\0", ("utf-16-le", 2, false)),
            (b"\xfe\xff\0x", ("utf-16-be", 2, false)),
            (b"\xff\xfe\0\0x\0\0\0", ("utf-32-le", 4, false)),
            (b"\0\0\xfe\xff\0\0\0x", ("utf-32-be", 4, false)),
            (b"\0", ("utf-8", 0, true)),
            (b"text\0", ("utf-8", 0, true)),
            (b"\xef\xbb\xbfte\0xt", ("utf-8", 3, true)),
            // Without a mark UTF-16 is not guessed.
            (b"x\0y\0", ("utf-8", 0, true)),
            (&french, ("windows-1252", 0, false)),
            (&chinese, ("gbk", 0, false)),
            (&japanese, ("shift_jis", 0, false)),
            (&russian, ("windows-1251", 0, false)),
        ] {
            assert_eq!(sniffed(head), expected, "{head:?}");
        }
    }

    #[test]
    fn one_broken_character_does_not_garble_the_rest() {
        let mut text = "漢字とかな ".repeat(100).into_bytes();
        text.push(0xe9);
        text.extend_from_slice(b" end");
        assert_eq!(sniffed(&text), ("utf-8", 0, false));
        assert!(decode(&text, Encoding::Utf8).lossy);
        // A single foreign byte among ASCII is legacy text.
        assert_eq!(sniffed(b"caf\xe9 au lait").0, "windows-1252");
        assert_eq!(sniff(b"caf\xe9 au lait", true, false).encoding, Encoding::Utf8);
    }

    #[test]
    fn a_sequence_cut_off_by_the_end_of_the_head_is_no_fault() {
        let text = "aé漢😀".as_bytes();
        for end in 0..=text.len() {
            assert_eq!(sniff(&text[..end], false, true).encoding, Encoding::Utf8, "{end}");
        }
        assert_ne!(sniff(&text[..text.len() - 1], true, true).encoding, Encoding::from(encoding_rs::UTF_16LE));
    }

    #[test]
    fn what_means_nothing_becomes_a_replacement_with_a_flag() {
        for (bytes, encoding, text, lossy) in [
            (&b"a\xffb"[..], Encoding::Utf8, "a\u{fffd}b", true),
            ("a\u{fffd}b".as_bytes(), Encoding::Utf8, "a\u{fffd}b", false),
            (b"a\0b", Encoding::Utf16Le, "a\u{fffd}", true),
            (b"\0a\xd8\0\0b", Encoding::Utf16Be, "a\u{fffd}b", true),
            (b"a\0\0\0", Encoding::Utf32Le, "a", false),
            (b"\0\0\0a\0\x11\0\0", Encoding::Utf32Be, "a\u{fffd}", true),
            (b"a\0\0\0b", Encoding::Utf32Le, "a\u{fffd}", true),
            (b"\x80", Encoding::Legacy(encoding_rs::WINDOWS_1252), "€", false),
            (b"\x81", Encoding::Legacy(encoding_rs::GBK), "\u{fffd}", true),
        ] {
            let decoded = decode(bytes, encoding);
            assert_eq!((decoded.text.as_ref(), decoded.lossy), (text, lossy), "{bytes:?} {encoding}");
        }
    }

    #[test]
    fn what_would_come_back_changed_is_not_encoded() {
        let sjis = Encoding::Legacy(encoding_rs::SHIFT_JIS);
        assert_eq!(encode("日本", sjis).unwrap().as_ref(), b"\x93\xfa\x96\x7b");
        // The standard writes the yen sign as a backslash.
        assert_eq!(encode("\u{a5}", sjis), None);
        assert_eq!(encode("漢", Encoding::Legacy(encoding_rs::WINDOWS_1252)), None);
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text in any::<String>(), which in 0..crate::encoding::tests::all().len()) {
            let encoding = crate::encoding::tests::all()[which];
            match encode(&text, encoding) {
                Some(bytes) => {
                    let decoded = decode(&bytes, encoding);
                    prop_assert_eq!(decoded.text.as_ref(), text.as_str());
                    prop_assert!(!decoded.lossy);
                }
                None => prop_assert!(matches!(encoding, Encoding::Legacy(_))),
            }
        }

        #[test]
        fn encoding_undoes_decoding_of_single_byte_text(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let encoding = Encoding::Legacy(encoding_rs::WINDOWS_1252);
            let decoded = decode(&bytes, encoding);
            let encoded = encode(&decoded.text, encoding).unwrap();
            prop_assert_eq!(encoded.as_ref(), bytes.as_slice());
        }

        #[test]
        fn decoding_in_pieces_is_decoding_at_once(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            piece in 1usize..9,
            which in 0..crate::encoding::tests::all().len(),
        ) {
            let encoding = crate::encoding::tests::all()[which];
            let whole = decode(&bytes, encoding);
            let mut stream = Stream::new(encoding);
            let (mut text, mut lossy) = (String::new(), false);
            for piece in bytes.chunks(piece) {
                lossy |= stream.feed(piece, false, &mut text);
            }
            lossy |= stream.feed(b"", true, &mut text);
            prop_assert_eq!((text.as_str(), lossy), (whole.text.as_ref(), whole.lossy));
        }

        #[test]
        fn valid_utf8_is_never_taken_for_anything_else(text in "[^\0]{0,200}") {
            prop_assume!(bom(text.as_bytes()).is_none());
            prop_assert_eq!(sniffed(text.as_bytes()), ("utf-8", 0, false));
        }
    }
}
