//! What an edit must come to where others go wrong: each case was paid for.

use rootle_edit::{Anchor, Edit, Options, Reason, Status, Tier, apply_edit, apply_edits, locate};

/// The file after the edit, or the code of the refusal.
fn edited(file: &str, old: &str, new: &str) -> Result<String, &'static str> {
    match apply_edit(file.as_bytes(), &Edit::new(old, new), &Options::default()) {
        Ok(applied) => Ok(String::from_utf8(applied.bytes).unwrap()),
        Err(refusal) => Err(refusal.reason.code()),
    }
}

#[track_caller]
fn check(file: &str, old: &str, new: &str, expected: Result<&str, &str>) {
    let found = edited(file, old, new);
    assert_eq!(found.as_deref().map_err(|code| *code), expected, "\nold: {old:?}\nnew: {new:?}");
}

#[test]
fn blank_lines_take_part() {
    let file = "def first():\n    return compute(1)\n\n\ndef second():\n    return compute(2)\n";
    // With a slip elsewhere: the new lines go in among the blank ones as the call has them.
    check(
        file,
        "def first():\n    retrun compute(1)\n\n\ndef second():",
        "def first():\n    retrun compute(1)\n\n\ndef between():\n    pass\n\n\ndef second():",
        Ok(
            "def first():\n    return compute(1)\n\n\ndef between():\n    pass\n\n\ndef second():\n    return compute(2)\n",
        ),
    );
    // A change of blank lines alone needs them to be as they are.
    check(
        file,
        "    return compute(1)\n\ndef second():",
        "    return compute(1)\n\n\n\ndef second():",
        Err("unsafe_difference"),
    );
}

#[test]
fn alignment_spaces_after_tabs_are_kept() {
    check(
        "\tcall(first,\n\t     second);\n\tother();\n",
        "    call(first,\n         second);\n    other();",
        "    call(first,\n         second,\n         third);\n    other();",
        Ok("\tcall(first,\n\t     second,\n\t     third);\n\tother();\n"),
    );
}

#[test]
fn a_copy_at_another_depth_is_ambiguous() {
    let file = "if a:\n    run(x)\n    stop(x)\nfor b in c:\n        run(x)\n        stop(x)\n";
    check(file, "run(x)\nstop(x)", "run(y)\nstop(y)", Err("ambiguous"));
    // Exact in the deeper one only from the middle of its first line.
    let file = "if a:\n    run(x)\n    stop(x)\nwhile b:\n    if c:\n        run(x)\n    stop(x)\n";
    check(file, "run(x)\n    stop(x)", "run(y)\n    stop(y)", Err("ambiguous"));
}

#[test]
fn the_place_at_its_own_depth_may_have_drifted() {
    let file = "class A:\n    def run(self):\n        first_step(self)\n        second_step(self)\n        third_step(self, 7)\n\n\
                def run(self):\n    first_step(self)\n    second_step(self)\n    third_step(self)\n";
    let old = "    def run(self):\n        first_step(self)\n        second_step(self)\n        third_step(self)";
    check(file, old, &old.replace("third_step(self)", "last_step(self)"), Err("ambiguous"));
}

#[test]
fn lines_after_a_match_within_indentation_are_indented() {
    check(
        "def f():\n    go()\n    end()\n",
        "go()",
        "if ready:\n    go()",
        Ok("def f():\n    if ready:\n        go()\n    end()\n"),
    );
    check("def f():\n    go()\n", "go()", "go()\n    stop()", Ok("def f():\n    go()\n    stop()\n"));
}

#[test]
fn deleted_lines_leave_no_blank_line() {
    check("a\n    b\nc\n", "    b", "", Ok("a\nc\n"));
    check("a\nb\nc\n", "b\n", "", Ok("a\nc\n"));
    check("a\nb", "b", "", Ok("a"));
    check("a\r\nb\r\nc\r\n", "b", "", Ok("a\r\nc\r\n"));
    check("a b c\n", "b ", "", Ok("a c\n"));
}

#[test]
fn repairs_come_before_anything_fuzzy() {
    let file = "def f(a):\n    return \"x\" + a\n\n\ndef g(a):\n    return a\n";
    let expected = Ok("def f(a):\n    return \"y\" + a\n\n\ndef g(a):\n    return a\n");
    for (old, new) in [
        ("```python\ndef f(a):\n    return \"x\" + a\n```", "```python\ndef f(a):\n    return \"y\" + a\n```"),
        ("     1\tdef f(a):\n     2\t    return \"x\" + a", "     1\tdef f(a):\n     2\t    return \"y\" + a"),
        ("1: def f(a):\n2:     return \"x\" + a", "def f(a):\n    return \"y\" + a"),
        (" def f(a):\n-    return \"x\" + a", " def f(a):\n+    return \"y\" + a"),
        ("def f(a):\n    return \\\"x\\\" + a", "def f(a):\n    return \\\"y\\\" + a"),
        ("def f(a):\\n    return \\\"x\\\" + a", "def f(a):\\n    return \\\"y\\\" + a"),
        ("def f(a):\n    return &quot;x&quot; + a", "def f(a):\n    return &quot;y&quot; + a"),
        ("```\n1| def f(a):\n2|     return \"x\" + a\n```", "```\n1| def f(a):\n2|     return \"y\" + a\n```"),
    ] {
        check(file, old, new, expected);
    }
}

#[test]
fn white_space_edits_are_made() {
    check("a = [1,2]\n", "a = [1,2]", "a = [1, 2]", Ok("a = [1, 2]\n"));
    check("if x:\n  y\n", "  y", "    y", Ok("if x:\n    y\n"));
    check("a\nb\n", "a\nb", "a\n\nb", Ok("a\n\nb\n"));
}

#[test]
fn context_missing_where_lines_go_in_is_refused() {
    let file = "if a:\n    first_call(a)\n}\nsecond_call(b)\nthird_call(c)\n";
    check(
        file,
        "    first_call(a)\nsecond_call(b)",
        "    first_call(a)\nnew_call(n)\nsecond_call(b)",
        Err("unsafe_difference"),
    );
}

#[test]
fn what_differs_in_meaning_is_not_overwritten() {
    let file = "def pay(order):\n    limit = 100\n    if order.total > limit:\n        raise TooMuch(order)\n    order.done()\n";
    let old = "def pay(order):\n    limit = 50\n    if order.total > limit:\n        raise TooMuch(order)";
    // The line that the edit changes has drifted.
    check(file, old, &old.replace("limit = 50", "limit = 70"), Err("unsafe_difference"));
    // A line beside it has: it stays.
    let expected = file.replace("raise TooMuch(order)", "raise Refused(order)");
    check(file, old, &old.replace("TooMuch", "Refused"), Ok(&expected));
}

#[test]
fn the_files_own_characters_stay() {
    check(
        "say(\u{201c}it\u{2019}s\u{201d}, 1)\nnext()\n",
        "say(\"it's\", 1)\nnext()",
        "say(\"it's\", 2)\nnext()",
        Ok("say(\u{201c}it\u{2019}s\u{201d}, 2)\nnext()\n"),
    );
}

#[test]
fn made_up_context_is_never_written() {
    let file = "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\n";
    let old = "alpha = load(1)\n# make sure that all is well\nbeta = load(2)\ngamma = load(3)";
    check(file, old, &old.replace("load(3)", "load(4)"), Ok("alpha = load(1)\nbeta = load(2)\ngamma = load(4)\n"));
}

#[test]
fn left_out_lines_stay() {
    let file = "def f():\n    one()\n    two()\n    return 1\n\ndef g():\n    three()\n    return 1\n";
    check(
        file,
        "def f():\n    # ... existing code ...\n    return 1\n\ndef g():",
        "def f():\n    # ... existing code ...\n    return 2\n\ndef g():",
        Ok(&file.replacen("return 1", "return 2", 1)),
    );
    check(
        file,
        "def f():\n    ...\n    return 1\n\ndef g():",
        "def f():\n    pass\n\ndef g():",
        Err("unsafe_difference"),
    );
    check(file, "    one()", "    # ... rest of code unchanged ...", Err("placeholder"));
}

#[test]
fn near_duplicates_are_told_apart() {
    let file = "def first(a):\n    total = compute(a)\n    return total\n\ndef second(a):\n    total = compute(a)\n    return total\n";
    let old = "def second(a):\n    totla = compute(a)\n    return total";
    let expected = "def first(a):\n    total = compute(a)\n    return total\n\ndef second(a):\n    total = compute(a)\n    return -total\n";
    check(file, old, &old.replace("return total", "return -total"), Ok(expected));
    check(file, "    total = compute(a)\n    return total", "    return compute(a)", Err("ambiguous"));
}

#[test]
fn a_retry_says_that_it_was_done() {
    let file = "def f(a):\n    return a\n\n\ndef g(b):\n    return b\n";
    for (old, new) in [
        ("    return a\n", "    return a + 1  # one more\n"),
        ("def g(b):", "def between(c):\n    return c\n\n\ndef g(b):"),
        ("    return b", "    return b\n\n\ndef h(c):\n    return c"),
    ] {
        let edit = Edit::new(old, new);
        let once = apply_edit(file.as_bytes(), &edit, &Options::default()).unwrap();
        let again = apply_edit(&once.bytes, &edit, &Options::default()).unwrap();
        assert_eq!((again.outcomes[0].status, again.outcomes[0].replacements), (Status::AlreadyApplied, 0), "{old:?}");
        assert_eq!(again.bytes, once.bytes);
    }
}

#[test]
fn hints_decide_between_equals_only() {
    let file = "start()\nrun(x)\n".repeat(3);
    let mut edit = Edit::new("run(x)", "run(y)");
    let refusal = apply_edit(file.as_bytes(), &edit, &Options::default()).unwrap_err();
    assert_eq!((refusal.reason, refusal.count), (Reason::Ambiguous, Some(3)));
    edit.near_line = Some(4);
    assert_eq!(locate(file.as_bytes(), &edit, &Options::default()).unwrap().lines.first, 4);
    // In the middle between two.
    edit.near_line = Some(3);
    assert_eq!(apply_edit(file.as_bytes(), &edit, &Options::default()).unwrap_err().reason, Reason::Ambiguous);
    edit.near_line = None;
    edit.replace_all = true;
    assert_eq!(apply_edit(file.as_bytes(), &edit, &Options::default()).unwrap().outcomes[0].replacements, 3);
    edit.expected_count = Some(2);
    assert_eq!(apply_edit(file.as_bytes(), &edit, &Options::default()).unwrap_err().reason, Reason::CountMismatch);
    let end = Edit { anchor: Anchor::End, ..Edit::new("run(x)", "run(z)") };
    let applied = apply_edit(file.as_bytes(), &end, &Options::default()).unwrap();
    assert!(applied.bytes.ends_with(b"start()\nrun(z)\n"));
    let scoped = "def a():\n    return 1\n\ndef b():\n    return 1\n";
    let inside = Edit { scope: vec!["def b".into()], ..Edit::new("    return 1", "    return 2") };
    let applied = apply_edit(scoped.as_bytes(), &inside, &Options::default()).unwrap();
    assert_eq!(applied.bytes, b"def a():\n    return 1\n\ndef b():\n    return 2\n");
}

#[test]
fn several_edits_are_located_in_the_original() {
    let file = "a = 1\nb = 2\nc = 3\nd = 4\n";
    let edits = [
        Edit::new("c = 3", "c = 30\nc2 = 31"),
        Edit::new("a = 1", "a = 10"),
        Edit::new("a = 1\nb = 2", "a = 1\nb = 2\nb2 = 21"),
    ];
    let applied = apply_edits(file.as_bytes(), &edits, &Options::default()).unwrap();
    assert_eq!(applied.bytes, b"a = 10\nb = 2\nb2 = 21\nc = 30\nc2 = 31\nd = 4\n");
    let lines: Vec<_> = applied.outcomes.iter().map(|outcome| (outcome.before[0], outcome.after[0])).collect();
    assert_eq!(lines.iter().map(|(_, after)| (after.first, after.last)).collect::<Vec<_>>(), [(4, 5), (1, 1), (1, 3)]);
    let clash = [Edit::new("b = 2", "b = 20"), Edit::new("a = 1\nb = 2", "x = 0")];
    let refusal = apply_edits(file.as_bytes(), &clash, &Options::default()).unwrap_err();
    assert_eq!((refusal.reason, refusal.edit), (Reason::Overlap, 1));
    let second = [Edit::new("a = 1", "a = 2"), Edit::new("nowhere to be found", "x")];
    let refusal = apply_edits(file.as_bytes(), &second, &Options::default()).unwrap_err();
    assert_eq!((refusal.reason, refusal.edit), (Reason::NotFound, 1));
}

#[test]
fn refusals_carry_the_repair() {
    let file = "class A:\n    def run(self):\n        return self.total * 100\n\nclass B:\n    def run(self):\n        return self.total * 100\n";
    let refusal = apply_edit(file.as_bytes(), &Edit::new("        return self.total * 100", "x"), &Options::default())
        .unwrap_err();
    assert_eq!(refusal.reason, Reason::Ambiguous);
    assert_eq!(refusal.candidates.iter().map(|candidate| candidate.lines.first).collect::<Vec<_>>(), [3, 7]);
    assert_eq!(refusal.candidates[1].symbol.as_deref(), Some("def run(self):"));
    let unique = refusal.unique_old.unwrap();
    assert_eq!(file.matches(&unique).count(), 1, "{unique:?}");

    let refusal = apply_edit(
        b"limit = 100\nrun_all(limit)\nstop_all(limit)\n",
        &Edit::new("limit = 90\nrun_all(limit)\nstop_all(limit)", "x"),
        &Options::default(),
    )
    .unwrap_err();
    assert_eq!(refusal.reason, Reason::UnsafeDifference);
    assert_eq!(refusal.exact_old.as_deref(), Some("limit = 100\nrun_all(limit)\nstop_all(limit)"));
    assert_eq!(refusal.candidates[0].differences[0].file_text, "limit = 100");
}

#[test]
fn what_cannot_be_an_edit_is_refused() {
    for (file, old, new, reason) in [
        (&b"a"[..], "", "b", Reason::EmptyOld),
        (b"a", "a", "a", Reason::NoChange),
        (b"a\0b", "a", "b", Reason::Binary),
        (b"", "a", "b", Reason::NotFound),
        (b"x = 10\n", "x = 1", "x = 2", Reason::UnsafeDifference),
        (b"caf\xe9 tr\xe8s agr\xe9able, d\xe9j\xe0 vu\nx\n", "x", "\u{4e2d}", Reason::Unencodable),
    ] {
        let refusal = apply_edit(file, &Edit::new(old, new), &Options::default()).unwrap_err();
        assert_eq!(refusal.reason, reason, "{old:?} {new:?} {}", refusal.message);
    }
    let exact_only = Options { exact_only: true, ..Options::default() };
    assert!(apply_edit(b"a  b\n", &Edit::new("a b", "c"), &exact_only).is_err());
    let tier =
        |file: &str, old: &str| locate(file.as_bytes(), &Edit::new(old, "new text"), &Options::default()).unwrap().tier;
    assert_eq!(tier("some  words\n", "some words"), Tier::InnerSpace);
    assert_eq!(tier("    some words\n    more words\n", "some words\nmore words"), Tier::Indentation);
}

/// What whole lines are given as must not matter: with or without the line's end, with some or none of its indentation,
/// in the middle of the file or at its end.
#[test]
fn the_same_lines_however_they_are_given() {
    let file =
        "class A:\n    def f(self):\n        first = 1\n        second = 2\n\n    def g(self):\n        third = 3\n";
    for (at, line) in file.split_inclusive('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (indent, body) = line.split_at(line.len() - line.trim_start().len());
        let body = body.trim_end();
        for cut in 0..=indent.len() {
            let given = &indent[cut..];
            // Before a blank line, a line end that is left out takes the blank line with it: that is what the texts say.
            let blank_next = file.split_inclusive('\n').nth(at + 1).is_some_and(|next| next.trim().is_empty());
            let ends = [("", ""), ("\n", "\n"), ("\n", "")];
            for (old_end, new_end) in ends.into_iter().take(if blank_next { 2 } else { 3 }) {
                for (new, expected) in [
                    (format!("{given}{body} + 9"), format!("{indent}{body} + 9\n")),
                    (format!("{given}{body}\n{given}more(4)"), format!("{indent}{body}\n{indent}more(4)\n")),
                    (String::new(), String::new()),
                ] {
                    let new_end = if new.is_empty() { "" } else { new_end };
                    let edit = Edit::new(format!("{given}{body}{old_end}"), format!("{new}{new_end}"));
                    let mut lines: Vec<&str> = file.split_inclusive('\n').collect();
                    lines[at] = &expected;
                    match apply_edit(file.as_bytes(), &edit, &Options::default()) {
                        Ok(applied) => {
                            assert_eq!(String::from_utf8(applied.bytes).unwrap(), lines.concat(), "{edit:?}");
                        }
                        Err(refusal) => assert!(cut > 0, "{edit:?}: {refusal}"),
                    }
                }
            }
        }
    }
}

/// Many places cost what they are, not their square.
#[test]
fn many_places_are_quick() {
    let text: String = (0..200_000).map(|number| format!("line {number} = value_{}\n", number % 97)).collect();
    let edit = Edit { replace_all: true, ..Edit::new("value", "v") };
    let begun = std::time::Instant::now();
    let applied = apply_edit(text.as_bytes(), &edit, &Options::default()).unwrap();
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert_eq!(applied.bytes, text.replace("value", "v").as_bytes());
    assert_eq!((applied.outcomes[0].before[7].first, applied.outcomes[0].after[199_999].last), (8, 200_000));
}
