//! Enclosing definitions in many languages, the least context, visible white space.

use proptest::prelude::*;
use rootle_edit::{enclosing_symbol, show_whitespace, unique_context};

/// The symbol around the line with `<-` on it.
fn around(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let at = lines.iter().position(|line| line.contains("<-")).unwrap();
    enclosing_symbol(&lines, at)
}

#[test]
fn definitions_of_many_languages() {
    for (text, expected) in [
        ("class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        y <-\n", Some("def g(self):")),
        ("class A:\n    x = 1\n    y <-\n", Some("class A:")),
        ("def f(\n    a,\n    b,\n) -> int:\n    if a:\n        return b <-\n", Some("def f(")),
        ("def f():\n    def g():\n        pass\n    if x:\n        y <-\n", Some("def f():")),
        ("@decorated\nasync def f():\n# comment\n    y <-\n", Some("async def f():")),
        ("x = 1\ny <-\n", None),
        (
            "pub(crate) async fn f(a: u8) -> u8 {\n    let x = 1;\n    match x {\n        _ => a, <-\n    }\n}\n",
            Some("pub(crate) async fn f(a: u8) -> u8 {"),
        ),
        ("impl<T> A for B<T> {\n    const X: u8 = 1; <-\n", Some("impl<T> A for B<T> {")),
        (
            "func (s *Server) Run(a int) error {\n\tif a > 1 {\n\t\treturn nil <-\n",
            Some("func (s *Server) Run(a int) error {"),
        ),
        ("export default class A extends B {\n  get(a, b) {\n    return 1; <-\n", Some("get(a, b) {")),
        ("const f = async (x) => {\n  if (x) {\n    y(); <-\n", Some("const f = async (x) => {")),
        ("export function f<T>(x: T): T {\n  return x; <-\n", Some("export function f<T>(x: T): T {")),
        (
            "int main(int argc, char **argv)\n{\n\tint x;\n#ifdef X\n\tfoo(); <-\n",
            Some("int main(int argc, char **argv)"),
        ),
        ("static void f(void) {\n\tgoto out;\nout:\n\tg(); <-\n", Some("static void f(void) {")),
        (
            "public class A {\n    @Override\n    public String toString() {\n        return x; <-\n",
            Some("public String toString() {"),
        ),
        ("module A\n  class B < C\n    def call(x)\n      x.map do |y|\n        y <-\n", Some("def call(x)")),
        ("# Title\n\ntext\n\n## Part\n\nwords <-\n", Some("## Part")),
        ("[package]\nname = 1\n\n[dependencies]\nserde <-\n", Some("[dependencies]")),
        ("jobs:\n  build:\n    steps:\n      - run <-\n", Some("steps:")),
        ("f() {\n  echo <-\n", Some("f() {")),
        ("if x:\n    y <-\n", None),
        ("foo(a, function() {\n    y <-\n", Some("foo(a, function() {")),
    ] {
        assert_eq!(around(text).as_deref(), expected, "{text}");
    }
    assert_eq!(enclosing_symbol(&[], 3), None);
    assert_eq!(enclosing_symbol(&["a"], 3), None);
}

#[test]
fn least_context() {
    let text = "a\nx\nb\n\nc\nx\nb\n\nd\nx\ne\n";
    for (at, expected) in [(2, "a\nx"), (9, "c\nx"), (16, "d\nx")] {
        assert_eq!(&text[at..=at], "x");
        assert_eq!(unique_context(text, at..at + 1).as_deref(), Some(expected));
    }
    assert_eq!(unique_context(text, 2..4).as_deref(), Some("a\nx\n"));
    assert_eq!(unique_context("one\ntwo\n", 4..5).as_deref(), Some("two"));
    assert_eq!(unique_context("a\na\na\n", 2..3).as_deref(), Some("a\na\na"));
    assert_eq!(unique_context(&"a\n".repeat(100), 100..101), None);
    assert_eq!(unique_context(&"a\n".repeat(100_000), 100..101), None);
    assert_eq!(unique_context("a", 3..4), None);
}

#[test]
fn white_space_that_shows() {
    for (text, expected) in [
        ("a b\n", "a b\n"),
        ("\tif x:  \n", "→if x:··\n"),
        ("  a\r\n", "  a␍\n"),
        ("a\u{a0}b\u{200b}\u{feff}", "a<U+00A0>b<U+200B><U+FEFF>"),
        ("x \t \r\n", "x·→·␍\n"),
        (" \n", "·\n"),
    ] {
        assert_eq!(show_whitespace(text), expected);
    }
}

fn overlapping_count(text: &str, part: &str) -> usize {
    (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(part.as_bytes())).count()
}

proptest! {
    #[test]
    fn context_is_unique_and_least(lines in prop::collection::vec("[ab]{0,2}", 1..12), pick in any::<prop::sample::Index>(), ended in any::<bool>()) {
        // A text that ends with a line feed has no line after it.
        let text = lines.join("\n") + if ended { "\n" } else { "" };
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
        let at = pick.index(lines.len());
        let start: usize = lines[..at].iter().map(|line| line.len() + 1).sum();
        let range = start..start + lines[at].len();
        // By trial: every window of lines around it.
        let mut least = None;
        for from in 0..=at {
            for to in at..lines.len() {
                let window = lines[from..=to].join("\n");
                if !window.is_empty() && overlapping_count(&text, &window) == 1 {
                    least = Some(least.map_or(to - from, |n: usize| n.min(to - from)));
                }
            }
        }
        let found = unique_context(&text, range.clone());
        match (&found, least) {
            (Some(found), Some(least)) => {
                prop_assert_eq!(overlapping_count(&text, found), 1);
                prop_assert!(found.matches('\n').count() <= least, "{:?} {}", found, least);
            }
            (None, Some(_)) => prop_assert!(range.is_empty()),
            (Some(found), None) => prop_assert_eq!(overlapping_count(&text, found), 1),
            (None, None) => {}
        }
    }

    #[test]
    fn nothing_panics(text in "[ \\t\\n#a:{}()é\\[\\]=>]{0,80}", at in 0usize..90, end in 0usize..90) {
        let lines: Vec<&str> = text.split('\n').collect();
        let _ = enclosing_symbol(&lines, at);
        if text.is_char_boundary(at) && text.is_char_boundary(end) {
            let _ = unique_context(&text, at..end);
        }
        let _ = show_whitespace(&text);
    }
}
