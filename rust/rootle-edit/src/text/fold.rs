//! Characters that people and models take for one another: quotes, dashes, spaces, composed letters.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The text in NFC with plain quotes, dashes, spaces and full-width forms, and without characters of no width.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfc() {
        match plain(c) {
            Plain::Is(c) => folded.push(c),
            Plain::Dots => folded.push_str("..."),
            Plain::Nothing => {}
        }
    }
    Cow::Owned(folded)
}

enum Plain {
    Is(char),
    Dots,
    Nothing,
}

fn plain(c: char) -> Plain {
    Plain::Is(match c {
        '\0'..='\x7f' => c,
        '\u{2018}'..='\u{201b}'
        | '\u{2032}'
        | '\u{2035}'
        | '\u{2b9}'
        | '\u{2bc}'
        | '\u{b4}'
        | '\u{2039}'
        | '\u{203a}' => '\'',
        '\u{201c}'..='\u{201f}'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{ab}'
        | '\u{bb}'
        | '\u{300c}'..='\u{300f}'
        | '\u{301d}'..='\u{301f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => return Plain::Nothing,
        '\u{2026}' => return Plain::Dots,
        // The full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_fold_together() {
        for (given, folded) in [
            ("plain 'text'", "plain 'text'"),
            ("\u{2018}a\u{2019} \u{201c}b\u{201d} \u{ab}c\u{bb} \u{300c}d\u{300d}", "'a' \"b\" \"c\" \"d\""),
            ("a\u{2013}b\u{2014}c\u{2212}d", "a-b-c-d"),
            ("a\u{a0}b\u{3000}c\u{200b}d\u{ad}e", "a b cde"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("\u{ff08}x\u{ff09}\u{2026}", "(x)..."),
            ("\u{6f22}\u{5b57} x\u{b2}", "\u{6f22}\u{5b57} x\u{b2}"),
        ] {
            assert_eq!(fold(given), folded, "{given}");
        }
    }
}
