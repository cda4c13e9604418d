//! What a pattern says about itself before it is compiled: which engine it needs, whether letters compare exactly, where
//! its ends of line are.

use regex_syntax::ast::{self, AssertionKind, Ast, ErrorKind, parse::ParserBuilder};
use rootle_base::{Error, Result};

use crate::pattern::{invalid, too_large};

/// Deepest nesting of a pattern, as in ripgrep.
pub(crate) const NEST_LIMIT: u32 = 250;

/// What one pattern needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The linear engine can run it.
    Linear(Facts),
    /// It has look-around, back-references or another construct of the backtracking engine.
    Backtracking(Letters),
}

/// What the linear engine's build wants to know of a pattern.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The pattern, with every `$` letting a carriage return before it pass, so that it holds on CRLF lines.
    pub pattern: String,
    /// A match may depend on what follows it.
    pub looks_ahead: bool,
    /// A match may hold characters.
    pub consumes: bool,
    /// It turns Unicode off somewhere, so that a match may begin or end inside a character.
    pub splits_chars: bool,
    /// Its literal letters.
    pub letters: Letters,
}

/// Which literal letters occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Letters {
    any: bool,
    upper: bool,
}

impl Letters {
    /// The letters of plain text.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut letters = Self::default();
        text.chars().for_each(|c| letters.add(c));
        letters
    }

    /// The letters of a pattern that only the backtracking engine understands: everything but escapes.
    fn of_escaped(pattern: &str) -> Self {
        let mut letters = Self::default();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            if c == '\\' {
                chars.next();
            } else {
                letters.add(c);
            }
        }
        letters
    }

    /// The letters of this and another pattern.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { any: self.any || other.any, upper: self.upper || other.upper }
    }

    /// Whether smart case folds case.
    pub(crate) fn fold(self) -> bool {
        self.any && !self.upper
    }

    fn add(&mut self, c: char) {
        self.any = true;
        self.upper |= c.is_uppercase();
    }
}

/// Reads one regular expression.
pub(crate) fn read(pattern: &str) -> Result<Needs> {
    let parsed = ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse_with_comments(pattern);
    let error = match parsed {
        Ok(parsed) => return Ok(Needs::Linear(facts(pattern, &parsed))),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
            Ok(Needs::Backtracking(Letters::of_escaped(pattern)))
        }
        ErrorKind::NestLimitExceeded(limit) => {
            Err(too_large(pattern, format!("it nests groups or classes deeper than {limit}")))
        }
        _ if BACKTRACKING_ONLY.iter().any(|construct| pattern.contains(construct)) => {
            Ok(Needs::Backtracking(Letters::of_escaped(pattern)))
        }
        _ => Err(refused(pattern, &error)),
    }
}

/// Constructs that the linear engine's parser takes for a mistake.
const BACKTRACKING_ONLY: [&str; 7] = ["(?>", "(?(", "(?|", r"\K", r"\G", r"\k", r"\g"];

fn refused(pattern: &str, error: &ast::Error) -> Error {
    invalid(pattern, format!("{} at character {}", error.kind(), error.span().start.column))
}

fn facts(pattern: &str, parsed: &ast::WithComments) -> Facts {
    let mut reader = Reader::default();
    // The reader never fails.
    let _ = ast::visit(&parsed.ast, &mut reader);
    reader.ends.sort_unstable();
    let mut rewritten = String::with_capacity(pattern.len() + reader.ends.len() * 8);
    let mut done = 0;
    for end in std::mem::take(&mut reader.ends) {
        rewritten.push_str(&pattern[done..end]);
        rewritten.push_str(LINE_END);
        done = end + 1;
    }
    rewritten.push_str(&pattern[done..]);
    // The pattern will be put into a group, whose end must not become part of a comment.
    if parsed.comments.last().is_some_and(|comment| comment.span.end.offset == pattern.len()) {
        rewritten.push('\n');
    }
    let Reader { looks_ahead, consumes, splits_chars, letters, .. } = reader;
    Facts { pattern: rewritten, looks_ahead, consumes, splits_chars, letters }
}

/// `$`, where the carriage return of a CRLF line is not part of the line.
pub(crate) const LINE_END: &str = r"(?:\r??$)";

#[derive(Default)]
struct Reader {
    /// Where each `$` is.
    ends: Vec<usize>,
    looks_ahead: bool,
    consumes: bool,
    splits_chars: bool,
    letters: Letters,
}

impl ast::Visitor for &mut Reader {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        self.consumes |= matches!(
            ast,
            Ast::Literal(_) | Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_)
        );
        let flags = match ast {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => group.flags(),
            _ => None,
        };
        self.splits_chars |= flags.is_some_and(|flags| flags.flag_state(ast::Flag::Unicode) == Some(false));
        match ast {
            Ast::Literal(literal) => self.letters.add(literal.c),
            Ast::Assertion(assertion) => {
                if assertion.kind == AssertionKind::EndLine {
                    self.ends.push(assertion.span.start.offset);
                }
                self.looks_ahead |= !matches!(assertion.kind, AssertionKind::StartLine | AssertionKind::StartText);
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), ()> {
        match item {
            ast::ClassSetItem::Literal(literal) => self.letters.add(literal.c),
            ast::ClassSetItem::Range(range) => {
                self.letters.add(range.start.c);
                self.letters.add(range.end.c);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_line() {
        for (pattern, rewritten, looks_ahead) in [
            ("foo", "foo", false),
            ("^foo", "^foo", false),
            ("foo$", r"foo(?:\r??$)", true),
            ("^$|a$", r"^(?:\r??$)|a(?:\r??$)", true),
            (r"[$]\$", r"[$]\$", false),
            (r"é$b", r"é(?:\r??$)b", true),
            ("(?x) a $ # $", "(?x) a (?:\\r??$) # $\n", true),
            (r"a\b", r"a\b", true),
            (r"a\z", r"a\z", true),
        ] {
            let Needs::Linear(facts) = read(pattern).unwrap() else { panic!("{pattern}") };
            assert_eq!((facts.pattern.as_str(), facts.looks_ahead), (rewritten, looks_ahead), "{pattern}");
        }
    }

    #[test]
    fn smart_case() {
        for (pattern, fold) in [
            ("foo", true),
            ("Foo", false),
            (r"\p{Lu}foo", true),
            (r"\p{Lu}", false),
            (r"\w+", false),
            (r"foo\W", true),
            ("[a-z]", true),
            ("[A-z]", false),
            ("ÀB", false),
            (r"(?=foo\S)", true),
            (r"(?=Foo)", false),
        ] {
            let letters = match read(pattern).unwrap() {
                Needs::Linear(facts) => facts.letters,
                Needs::Backtracking(letters) => letters,
            };
            assert_eq!(letters.fold(), fold, "{pattern}");
        }
    }

    #[test]
    fn engines() {
        for (pattern, backtracking) in [
            ("a++", false),
            (r"(a+)+$", false),
            (r"(?P<n>a)(?<m>b)", false),
            ("(?=a)", true),
            ("(?<!a)b", true),
            (r"(a)\1", true),
            (r"(?P<n>a)\k<n>", true),
            ("(?>a)b", true),
            (r"a\Kb", true),
        ] {
            assert_eq!(matches!(read(pattern).unwrap(), Needs::Backtracking(_)), backtracking, "{pattern}");
        }
    }

    #[test]
    fn refusals() {
        for (pattern, reason) in [
            ("a(b", "unclosed group at character 2"),
            ("[z-a]", "invalid character class range"),
            ("*", "repetition operator missing expression"),
        ] {
            let Err(Error::InvalidPattern { reason: found, .. }) = read(pattern) else { panic!("{pattern}") };
            assert!(found.starts_with(reason), "{pattern}: {found}");
        }
        let deep = format!("{}{}", "(".repeat(300), ")".repeat(300));
        assert!(matches!(read(&deep), Err(Error::PatternTooLarge { .. })));
    }
}
