//! What must be true of a path for a gitignore rule to match it, as far as that is cheap to test. The `ignore` crate
//! decides; this only says when it need not be asked.

use crate::globs::expand_braces;

/// A condition that every path matched by the rule meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The last name is this.
    Name(Vec<u8>),
    /// The last name ends in this; it starts with a dot and has no other.
    Extension(Vec<u8>),
    /// The last name ends in this.
    Suffix(Vec<u8>),
    /// The last name starts with this.
    Prefix(Vec<u8>),
    /// The last name contains this.
    Contains(Vec<u8>),
    /// The path, relative to the directory of the ignore file, starts with this.
    PathPrefix(Vec<u8>),
    /// Nothing is known.
    Always,
}

/// One line of an ignore file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// At least one of these is met by a path the rule matches.
    pub(crate) needs: Vec<Need>,
    /// It matches directories only.
    pub(crate) dirs_only: bool,
}

/// More ways than this to write a rule out are not followed up.
const MAX_FORMS: usize = 16;

/// Reads a line as the `ignore` crate does; `None` for one that holds no rule.
pub(crate) fn parse(line: &str) -> Option<Rule> {
    if line.starts_with('#') {
        return None;
    }
    // Escaped spaces at the end are kept by the crate; then the last name is not what it seems here.
    let trimmed = line.trim_end_matches(' ');
    if trimmed.is_empty() {
        return None;
    }
    let escaped_space = trimmed.len() < line.len() && trimmed.ends_with('\\');
    let mut glob = trimmed;
    let mut anchored = false;
    if glob.starts_with("\\!") || glob.starts_with("\\#") {
        glob = &glob[1..];
    } else {
        glob = glob.strip_prefix('!').unwrap_or(glob);
        if let Some(rest) = glob.strip_prefix('/') {
            (glob, anchored) = (rest, true);
        }
    }
    if glob.is_empty() {
        return None;
    }
    let dirs_only = glob.ends_with('/');
    if dirs_only {
        glob = &glob[..glob.len() - 1];
        glob = glob.strip_suffix('\\').unwrap_or(glob);
    }
    let needs = if escaped_space { None } else { needs(glob, anchored || glob.contains('/')) };
    Some(Rule { needs: needs.unwrap_or_else(|| vec![Need::Always]), dirs_only })
}

fn needs(glob: &str, anchored: bool) -> Option<Vec<Need>> {
    let mut needs = Vec::new();
    for form in expand_braces(glob, MAX_FORMS)? {
        for parts in expand_classes(tokens(&form)?) {
            needs.push(need(&parts, anchored));
        }
        if needs.len() > MAX_FORMS {
            return None;
        }
    }
    Some(needs)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// `*`, `?`, and classes that are not written out.
    Wild,
    OneOf(Vec<char>),
}

/// `None` if the glob has a part whose reading is not plain, such as a class that does not close or that holds a `/`.
fn tokens(glob: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = glob.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' | '?' => Token::Wild,
            '\\' => Token::Literal(chars.next()?),
            '[' => class(&mut chars)?,
            c => Token::Literal(c),
        });
    }
    Some(tokens)
}

fn class(chars: &mut std::str::Chars<'_>) -> Option<Token> {
    let mut members = Vec::new();
    let mut plain = true;
    loop {
        match chars.next()? {
            ']' if !members.is_empty() => break,
            // A name of a class, or a path separator.
            '[' | '/' => return None,
            c => {
                plain &= !matches!(c, '!' | '^' | '-' | '\\' | ']');
                members.push(c);
            }
        }
    }
    // `[!]...]`, and ranges that hold the separator, are for the crate to read.
    if !plain && (members.starts_with(&['!']) || members.starts_with(&['^'])) && members.len() == 1 {
        return None;
    }
    Some(if plain { Token::OneOf(members) } else { Token::Wild })
}

/// Writes small classes out, so that `*.py[cod]` becomes three extensions.
fn expand_classes(tokens: Vec<Token>) -> Vec<Vec<Token>> {
    let forms: usize = tokens
        .iter()
        .map(|token| if let Token::OneOf(members) = token { members.len() } else { 1 })
        .fold(1, usize::saturating_mul);
    if forms == 1 || forms > MAX_FORMS {
        let wild = |token| if matches!(token, Token::OneOf(_)) { Token::Wild } else { token };
        return vec![tokens.into_iter().map(wild).collect()];
    }
    let mut all = vec![Vec::with_capacity(tokens.len())];
    for token in tokens {
        if let Token::OneOf(members) = token {
            all = members
                .iter()
                .flat_map(|&member| all.iter().map(move |form| [&form[..], &[Token::Literal(member)]].concat()))
                .collect();
        } else {
            all.iter_mut().for_each(|form| form.push(token.clone()));
        }
    }
    all
}

fn need(tokens: &[Token], anchored: bool) -> Need {
    let slash = tokens.iter().rposition(|token| *token == Token::Literal('/'));
    let name = slash.map_or(tokens, |at| &tokens[at + 1..]);
    let tail = name.iter().rposition(|token| !is_literal(token)).map_or(0, |at| at + 1);
    let suffix = text(&name[tail..]);
    if tail == 0 && !name.is_empty() {
        return Need::Name(suffix);
    }
    if suffix.iter().rposition(|&byte| byte == b'.') == Some(0) {
        return Need::Extension(suffix);
    }
    if !suffix.is_empty() {
        return Need::Suffix(suffix);
    }
    let prefix = text(head(name));
    if !prefix.is_empty() {
        return Need::Prefix(prefix);
    }
    let inner = name.split(|token| !is_literal(token)).map(text).max_by_key(Vec::len).unwrap_or_default();
    if !inner.is_empty() {
        return Need::Contains(inner);
    }
    let path = text(head(tokens));
    if anchored && !path.is_empty() { Need::PathPrefix(path) } else { Need::Always }
}

fn is_literal(token: &Token) -> bool {
    matches!(token, Token::Literal(_))
}

/// The tokens before the first that is not literal.
fn head(tokens: &[Token]) -> &[Token] {
    &tokens[..tokens.iter().position(|token| !is_literal(token)).unwrap_or(tokens.len())]
}

fn text(tokens: &[Token]) -> Vec<u8> {
    let chars = tokens.iter().filter_map(|token| if let Token::Literal(c) = token { Some(*c) } else { None });
    chars.collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(need: Need) -> Vec<Need> {
        vec![need]
    }

    #[test]
    fn table() {
        let bytes = |text: &str| text.as_bytes().to_vec();
        for (line, needs, dirs_only) in [
            ("build", one(Need::Name(bytes("build"))), false),
            ("build/", one(Need::Name(bytes("build"))), true),
            ("/build", one(Need::Name(bytes("build"))), false),
            ("!/a/b", one(Need::Name(bytes("b"))), false),
            ("\\!x", one(Need::Name(bytes("!x"))), false),
            ("*.o", one(Need::Extension(bytes(".o"))), false),
            ("*.tar.gz", one(Need::Suffix(bytes(".tar.gz"))), false),
            ("*~", one(Need::Suffix(bytes("~"))), false),
            (".*", one(Need::Prefix(bytes("."))), false),
            ("*.c.*", one(Need::Contains(bytes(".c."))), false),
            ("doc/**", one(Need::PathPrefix(bytes("doc/"))), false),
            ("doc/*", one(Need::PathPrefix(bytes("doc/"))), false),
            ("*", one(Need::Always), false),
            ("*.py[co]", vec![Need::Extension(bytes(".pyc")), Need::Extension(bytes(".pyo"))], false),
            ("*.{a,b}", vec![Need::Extension(bytes(".a")), Need::Extension(bytes(".b"))], false),
            ("[a-z]x", one(Need::Suffix(bytes("x"))), false),
            ("a[", one(Need::Always), false),
            ("[[:alpha:]]x", one(Need::Always), false),
            ("a\\ ", one(Need::Always), false),
            ("a  ", one(Need::Name(bytes("a"))), false),
            ("x\\*y", one(Need::Name(bytes("x*y"))), false),
        ] {
            assert_eq!(parse(line), Some(Rule { needs, dirs_only }), "{line}");
        }
        for line in ["", "   ", "# x", "!", "/", "!/"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
