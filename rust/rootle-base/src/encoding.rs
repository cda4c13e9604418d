//! Which bytes stand for which characters.

use std::fmt;

use crate::{Error, Result};

/// A text encoding. A byte order mark is not part of it: see [`crate::Sniff::bom_len`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, and with it plain ASCII.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
    /// An encoding from before Unicode.
    Legacy(&'static encoding_rs::Encoding),
}

/// Names by which Python and vendors know encodings that the WHATWG list has under another name.
const ALIASES: &[(&str, Encoding)] = &[
    ("utf8-sig", Encoding::Utf8),
    ("utf-8-sig", Encoding::Utf8),
    ("utf-16-le", Encoding::Utf16Le),
    ("utf-16-be", Encoding::Utf16Be),
    ("utf16", Encoding::Utf16Le),
    ("utf16le", Encoding::Utf16Le),
    ("utf16be", Encoding::Utf16Be),
    ("utf-32", Encoding::Utf32Le),
    ("utf32", Encoding::Utf32Le),
    ("utf-32le", Encoding::Utf32Le),
    ("utf-32be", Encoding::Utf32Be),
    ("utf32le", Encoding::Utf32Le),
    ("utf32be", Encoding::Utf32Be),
    ("utf-32-le", Encoding::Utf32Le),
    ("utf-32-be", Encoding::Utf32Be),
    ("latin-1", Encoding::Legacy(encoding_rs::WINDOWS_1252)),
    ("cp932", Encoding::Legacy(encoding_rs::SHIFT_JIS)),
    ("cp936", Encoding::Legacy(encoding_rs::GBK)),
    ("cp949", Encoding::Legacy(encoding_rs::EUC_KR)),
    ("cp950", Encoding::Legacy(encoding_rs::BIG5)),
    ("big5-tw", Encoding::Legacy(encoding_rs::BIG5)),
    ("mac-roman", Encoding::Legacy(encoding_rs::MACINTOSH)),
];

impl Encoding {
    /// The lower-case name: the WHATWG name, or `utf-16-le` and the like.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16-le",
            Self::Utf16Be => "utf-16-be",
            Self::Utf32Le => "utf-32-le",
            Self::Utf32Be => "utf-32-be",
            Self::Legacy(legacy) => lower_name(legacy),
        }
    }

    /// How many bytes the smallest unit of the encoding has: 1, 2 or 4. Line feeds are one unit.
    #[must_use]
    pub fn unit(self) -> usize {
        match self {
            Self::Utf8 | Self::Legacy(_) => 1,
            Self::Utf16Le | Self::Utf16Be => 2,
            Self::Utf32Le | Self::Utf32Be => 4,
        }
    }

    /// The byte order mark that announces the encoding; empty for legacy ones.
    #[must_use]
    pub fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
            Self::Utf32Le => b"\xff\xfe\0\0",
            Self::Utf32Be => b"\0\0\xfe\xff",
            Self::Legacy(_) => b"",
        }
    }

    /// The same encoding in `encoding_rs`, which has no UTF-32.
    #[must_use]
    pub fn as_encoding_rs(self) -> Option<&'static encoding_rs::Encoding> {
        match self {
            Self::Utf8 => Some(encoding_rs::UTF_8),
            Self::Utf16Le => Some(encoding_rs::UTF_16LE),
            Self::Utf16Be => Some(encoding_rs::UTF_16BE),
            Self::Utf32Le | Self::Utf32Be => None,
            Self::Legacy(legacy) => Some(legacy),
        }
    }

    pub(crate) fn is_big_endian(self) -> bool {
        matches!(self, Self::Utf16Be | Self::Utf32Be)
    }
}

impl From<&'static encoding_rs::Encoding> for Encoding {
    fn from(encoding: &'static encoding_rs::Encoding) -> Self {
        if encoding == encoding_rs::UTF_8 {
            Self::Utf8
        } else if encoding == encoding_rs::UTF_16LE {
            Self::Utf16Le
        } else if encoding == encoding_rs::UTF_16BE {
            Self::Utf16Be
        } else {
            Self::Legacy(encoding)
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The encoding that a caller names, by any WHATWG label or the usual Python name, in any case, with `_` for `-`.
/// `latin-1` and `ascii` mean windows-1252, as on the web.
///
/// # Errors
/// [`Error::InvalidArgument`] for a name that is not known.
pub fn label(name: &str) -> Result<Encoding> {
    let lower = name.trim().to_ascii_lowercase();
    let dashed = lower.replace('_', "-");
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == dashed)
        .map(|(_, encoding)| *encoding)
        .or_else(|| {
            [&lower, &dashed]
                .into_iter()
                .find_map(|label| encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()))
                .map(Encoding::from)
        })
        .ok_or_else(|| Error::InvalidArgument {
            name: "encoding",
            reason: format!(
                "{:?} is not a known encoding; try utf-8, utf-16-le, windows-1252, gbk or shift_jis",
                name.chars().take(40).collect::<String>()
            ),
        })
}

/// `encoding_rs` spells names as the standard does, `Shift_JIS` and `EUC-KR` among them.
fn lower_name(encoding: &'static encoding_rs::Encoding) -> &'static str {
    const LOWER: &[&str] = &[
        "big5",
        "euc-jp",
        "euc-kr",
        "gbk",
        "gb18030",
        "ibm866",
        "iso-2022-jp",
        "iso-8859-2",
        "iso-8859-3",
        "iso-8859-4",
        "iso-8859-5",
        "iso-8859-6",
        "iso-8859-7",
        "iso-8859-8",
        "iso-8859-8-i",
        "iso-8859-10",
        "iso-8859-13",
        "iso-8859-14",
        "iso-8859-15",
        "iso-8859-16",
        "koi8-r",
        "koi8-u",
        "shift_jis",
    ];
    let name = encoding.name();
    LOWER.iter().find(|lower| lower.eq_ignore_ascii_case(name)).copied().unwrap_or(name)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn labels_are_understood() {
        for (given, name) in [
            ("utf-8", "utf-8"),
            ("UTF8", "utf-8"),
            (" utf_8 ", "utf-8"),
            ("utf-8-sig", "utf-8"),
            ("utf-16", "utf-16-le"),
            ("UTF-16LE", "utf-16-le"),
            ("utf_16_be", "utf-16-be"),
            ("utf-32", "utf-32-le"),
            ("utf_32_be", "utf-32-be"),
            ("latin-1", "windows-1252"),
            ("latin1", "windows-1252"),
            ("iso-8859-1", "windows-1252"),
            ("ascii", "windows-1252"),
            ("cp1252", "windows-1252"),
            ("cp1251", "windows-1251"),
            ("gb2312", "gbk"),
            ("gb18030", "gb18030"),
            ("Shift_JIS", "shift_jis"),
            ("sjis", "shift_jis"),
            ("cp932", "shift_jis"),
            ("euc_jp", "euc-jp"),
            ("euc-kr", "euc-kr"),
            ("big5", "big5"),
            ("koi8_r", "koi8-r"),
            ("mac_roman", "macintosh"),
        ] {
            assert_eq!(label(given).unwrap().name(), name, "{given}");
        }
        for given in ["", "utf-7", "nonsense", "replacement", "hz-gb-2312", "unicode_escape", "zlib"] {
            assert!(matches!(label(given), Err(Error::InvalidArgument { name: "encoding", .. })), "{given}");
        }
    }

    #[test]
    fn every_name_is_lower_case_and_leads_back() {
        for encoding in all() {
            let name = encoding.name();
            assert_eq!(name, name.to_ascii_lowercase());
            assert_eq!(label(name).unwrap(), encoding, "{name}");
        }
    }

    pub(crate) fn all() -> Vec<Encoding> {
        use encoding_rs as rs;
        let legacy = [
            rs::BIG5,
            rs::EUC_JP,
            rs::EUC_KR,
            rs::GBK,
            rs::GB18030,
            rs::IBM866,
            rs::ISO_2022_JP,
            rs::ISO_8859_2,
            rs::ISO_8859_3,
            rs::ISO_8859_4,
            rs::ISO_8859_5,
            rs::ISO_8859_6,
            rs::ISO_8859_7,
            rs::ISO_8859_8,
            rs::ISO_8859_8_I,
            rs::ISO_8859_10,
            rs::ISO_8859_13,
            rs::ISO_8859_14,
            rs::ISO_8859_15,
            rs::ISO_8859_16,
            rs::KOI8_R,
            rs::KOI8_U,
            rs::MACINTOSH,
            rs::SHIFT_JIS,
            rs::WINDOWS_874,
            rs::WINDOWS_1250,
            rs::WINDOWS_1251,
            rs::WINDOWS_1252,
            rs::WINDOWS_1253,
            rs::WINDOWS_1254,
            rs::WINDOWS_1255,
            rs::WINDOWS_1256,
            rs::WINDOWS_1257,
            rs::WINDOWS_1258,
            rs::X_MAC_CYRILLIC,
        ];
        let unicode =
            [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Utf32Le, Encoding::Utf32Be].into_iter();
        unicode.chain(legacy.map(Encoding::Legacy)).collect()
    }
}
