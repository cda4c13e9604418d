//! Edits whose text comes near a place that is not the one they name.

use rootle_edit::{Edit, Options, apply_edit};

#[track_caller]
fn check(file: &str, old: &str, new: &str, expected: Result<&str, &str>) {
    let found = apply_edit(file.as_bytes(), &Edit::new(old, new), &Options::default());
    let found = found.map(|applied| String::from_utf8(applied.bytes).unwrap()).map_err(|refusal| refusal.reason.code());
    assert_eq!(found.as_deref().map_err(|code| *code), expected, "\nold: {old:?}\nnew: {new:?}");
}

#[test]
fn a_definition_of_another_name_is_another_place() {
    let body = "    def save(self):\n        self.check()\n        self.db.put(self)\n        return True\n";
    let changed = body.replace("True", "False");
    check(
        &format!("class Admin:\n{body}"),
        &format!("class User:\n{body}"),
        &format!("class User:\n{changed}"),
        Err("unsafe_difference"),
    );
    let expected = format!("class User(Base):\n{changed}");
    check(
        &format!("class User(Base):\n{body}"),
        &format!("class User:\n{body}"),
        &format!("class User:\n{changed}"),
        Ok(&expected),
    );
    let section = "host = a\nport = 1\nuser = u\ndebug = 0\n";
    check(
        &format!("[prod]\n{section}"),
        &format!("[dev]\n{section}"),
        &format!("[dev]\n{}", section.replace("debug = 0", "debug = 1")),
        Err("unsafe_difference"),
    );
    let body = "    first = alpha()\n    second = beta()\n    third = gamma()\n    return first\n";
    check(
        &format!("def t2():\n{body}"),
        &format!("def t1():\n{body}"),
        &format!("def t1():\n{}", body.replace("return first", "return second")),
        Err("unsafe_difference"),
    );
}

#[test]
fn white_space_counts_between_quotes() {
    let file = "print(\"a  b\", x)\nprint(\"a b\", y)\n";
    check(file, "print(\"a b\", x)\n", "print(\"a c\", x)\n", Err("unsafe_difference"));
    check(file, "print(\"a b\", x)", "print(\"a c\", x)", Err("unsafe_difference"));
    check(file, "print(\"a b\",  y)\n", "print(\"a c\",  y)\n", Ok("print(\"a  b\", x)\nprint(\"a c\", y)\n"));
}

#[test]
fn dots_in_the_place_of_code_are_a_placeholder() {
    let file = "def f():\n    a()\n    b()\n    return 1\n";
    check(file, file, "def f():\n    x()\n    ...\n    return 1\n", Err("placeholder"));
    check(file, file, "def f():\n    ...\n", Ok("def f():\n    ...\n"));
}

#[test]
fn a_new_text_indented_as_the_file_stays_as_it_is() {
    let file = "class A:\n    def f(self):\n        return 1\n\n    def g(self): pass\n";
    let new = "    def f(self):\n        return 2\n\n    def h(self):\n        pass\n";
    let expected = format!("class A:\n{new}\n    def g(self): pass\n");
    check(file, "  def f(self):\n    return 1\n", new, Ok(&expected));
    check(file, "def f(self):\n    return 1\n", new, Ok(&expected));
    let expected = file.replace("return 1", "return 2");
    check(file, "def f(self):\n    return 1\n", "    def f(self):\n        return 2\n", Ok(&expected));
    check(file, "  def f(self):\n    return 1\n", "    def other(self):\n        return 2\n", Err("unsafe_difference"));
    check(file, "  def f(self):\n    return 1\n", "  def f(self):\n    return 2\n", Ok(&expected));
}
