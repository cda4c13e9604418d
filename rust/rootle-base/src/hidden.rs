//! Characters that a reader does not see: they can make text say one thing to people and another to programs.

/// Whether the character is invisible or changes the order in which others are shown: bidirectional controls, zero
/// width characters, tags. `before` is the character in front of it: joiners are ordinary inside emoji and in scripts
/// that need them, but not after ASCII.
pub(crate) fn is_hidden(c: char, before: Option<char>) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' => before.is_none_or(|before| before.is_ascii()),
        '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_told_from_ordinary_ones() {
        let found = |text: &str| {
            let mut before = None;
            text.chars().filter(|&c| is_hidden(c, before.replace(c))).count()
        };
        for (text, count) in [
            ("plain é 漢 \t\r", 0),
            ("if a\u{202e}b\u{2066}c", 2),
            ("x\u{200b}y", 1),
            ("x\u{200d}y", 1),
            ("👨\u{200d}👩\u{200d}👧", 0),
            ("می\u{200c}خواهم", 0),
            ("a\u{e0041}\u{e0042}", 2),
            ("a\u{feff}b", 1),
        ] {
            assert_eq!(found(text), count, "{text:?}");
        }
    }
}
