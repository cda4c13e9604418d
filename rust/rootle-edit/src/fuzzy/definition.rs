//! Lines that give a name to what follows them.

use crate::merge::tokens;
use crate::text::is_word;

const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "declare",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "sealed",
    "unsafe",
    "extern",
    "inline",
    "virtual",
    "override",
    "crate",
];
const KEYWORDS: &[&str] = &[
    "def",
    "class",
    "function",
    "fn",
    "func",
    "fun",
    "struct",
    "enum",
    "interface",
    "trait",
    "impl",
    "type",
    "module",
    "mod",
    "namespace",
    "package",
    "macro_rules",
    "define",
    "typedef",
    "union",
    "record",
    "object",
    "protocol",
    "extension",
    "test",
    "describe",
    "it",
];
const VARIABLES: &[&str] = &["const", "let", "var", "val"];
const CONTROL: &[&str] = &[
    "if", "else", "elif", "for", "while", "switch", "match", "case", "try", "except", "catch", "finally", "with", "do",
    "return", "yield", "await", "throw", "raise", "assert", "default", "loop", "select", "when", "unless", "until",
];

/// Whether a line names what follows: a definition, a heading, the key of a block. Lines of control flow do not.
pub(super) fn is_definition(line: &str) -> bool {
    let body = line.trim();
    let top = !line.starts_with([' ', '\t']);
    let (found, _) = tokens(body);
    let mut words = found.iter().map(|token| token.text).filter(|text| text.starts_with(is_word));
    let mut modified = false;
    let first = loop {
        match words.next() {
            Some(word) if MODIFIERS.contains(&word) => modified = true,
            other => break other.unwrap_or(""),
        }
    };
    if KEYWORDS.contains(&first) || (VARIABLES.contains(&first) && (top || modified)) {
        return true;
    }
    if CONTROL.contains(&first) || body.starts_with('}') {
        return false;
    }
    let heading = body.starts_with(['#', '=', '[']) && top && !body.ends_with([',', ';']) && body.len() > 2;
    heading || body.ends_with(['{', ':', '('])
}

/// Whether a word may stand before a definition and says nothing about what it is.
pub(super) fn is_modifier(word: &str) -> bool {
    MODIFIERS.contains(&word)
}

/// Whether the name follows this word.
pub(super) fn names_next(word: &str) -> bool {
    (KEYWORDS.contains(&word) || VARIABLES.contains(&word)) && !names_whole(word)
}

/// Whether all of the line that this word begins is the name.
pub(super) fn names_whole(word: &str) -> bool {
    matches!(word, "impl" | "test" | "describe" | "it" | "extension" | "macro_rules")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_flow() {
        for line in [
            "def f(a):",
            "    async def f(a):",
            "export declare const append: {",
            "class A(B):",
            "pub(crate) fn f() {",
            "func (c *Command) Run() error {",
            "const x = 1",
            ".pageheader {",
            "[dependencies]",
            "## Title",
            "    \"name\": {",
            "  method(a, b) {",
            "#define X 1",
        ] {
            assert!(is_definition(line), "{line}");
        }
        for line in
            ["    if x:", "for (;;) {", "} else {", "x = 1", "    const x = 1;", "return f(", "foo(a, b)", "}", ""]
        {
            assert!(!is_definition(line), "{line}");
        }
    }
}
