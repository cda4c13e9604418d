//! From a pattern with look-around and back-references, a plain one that matches wherever it does, and elsewhere too.
//! The linear engine runs it to find the few lines worth the backtracking engine's time.

use fancy_regex::{Assertion, Expr};

use crate::syntax::LINE_END;

/// Writes the plain pattern for `expr`, or nothing when a construct lets the pattern match less than its text says.
pub(crate) fn relax(expr: &Expr) -> Option<String> {
    let mut plain = String::new();
    write(expr, &mut plain)?;
    Some(plain)
}

/// Whatever a construct that is not understood may match.
const ANYTHING: &str = "(?s:.)*?";

fn write(expr: &Expr, out: &mut String) -> Option<()> {
    match expr {
        // What a look-around asks for is dropped: the plain pattern matches with or without it.
        Expr::Empty
        | Expr::LookAround(..)
        | Expr::KeepOut
        | Expr::ContinueFromPreviousMatchEnd
        | Expr::DefineGroup { .. } => out.push_str("(?:)"),
        Expr::Assertion(assertion) => write_assertion(*assertion, out),
        Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => {
            out.push_str("(?:");
            expr.to_str(out, 0);
            out.push(')');
        }
        Expr::Concat(children) => {
            for child in children {
                write(child, out)?;
            }
        }
        Expr::Alt(children) => {
            out.push_str("(?:");
            for (index, child) in children.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(child, out)?;
            }
            out.push(')');
        }
        Expr::Group(child) => write_group(child, out)?,
        Expr::AtomicGroup(child) => write_group(child, out)?,
        Expr::Repeat { child, lo, hi, .. } => {
            write_group(child, out)?;
            match *hi {
                usize::MAX => out.push_str(&format!("{{{lo},}}")),
                hi => out.push_str(&format!("{{{lo},{hi}}}")),
            }
        }
        Expr::Backref { .. }
        | Expr::BackrefWithRelativeRecursionLevel { .. }
        | Expr::BackrefExistsCondition { .. }
        | Expr::Conditional { .. }
        | Expr::SubroutineCall(_)
        | Expr::Absent(_)
        | Expr::GeneralNewline { .. }
        | Expr::LiteralBytes { .. } => out.push_str(ANYTHING),
        // A verb may accept before the rest of the pattern was seen.
        Expr::BacktrackingControlVerb(_) | Expr::AstNode(..) => return None,
    }
    Some(())
}

fn write_group(child: &Expr, out: &mut String) -> Option<()> {
    out.push_str("(?:");
    write(child, out)?;
    out.push(')');
    Some(())
}

fn write_assertion(assertion: Assertion, out: &mut String) {
    out.push_str(match assertion {
        Assertion::StartText | Assertion::StartLine { .. } | Assertion::StartLineOniguruma { .. } => "^",
        Assertion::EndText | Assertion::EndLine { .. } => LINE_END,
        Assertion::WordBoundary => r"\b",
        // Looser than the rest of the assertions, for they hold at a carriage return that the line does not have.
        Assertion::NotWordBoundary
        | Assertion::LeftWordBoundary
        | Assertion::LeftWordHalfBoundary
        | Assertion::RightWordBoundary
        | Assertion::RightWordHalfBoundary
        | Assertion::EndTextIgnoreTrailingNewlines { .. } => "(?:)",
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns() {
        for (pattern, plain) in [
            ("foo(?=bar)", "(?:f)(?:o)(?:o)(?:)"),
            (r"(a|b)\1", "(?:(?:(?:a)|(?:b)))(?s:.)*?"),
            ("(?>a+)b", "(?:(?:(?:a)){1,})(?:b)"),
            ("a(*ACCEPT)b", ""),
            ("^(?!x)[a-z]$", r"^(?:)(?:[a-z])(?:\r??$)"),
        ] {
            let tree = Expr::parse_tree(&format!("(?m){pattern}")).unwrap();
            let found = relax(&tree.expr).unwrap_or_default();
            assert_eq!(found, plain, "{pattern}");
        }
    }
}
