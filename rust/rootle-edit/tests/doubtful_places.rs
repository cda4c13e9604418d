//! Places that only look like the one that is meant: refused, or the right one taken. Each case was paid for.

use rootle_edit::{Edit, Options, Status, apply_edit};

const REFUSED: Option<&str> = None;

#[track_caller]
fn check(file: &str, old: &str, new: &str, expected: Option<&str>) {
    let found = apply_edit(file.as_bytes(), &Edit::new(old, new), &Options::default());
    let text = found.as_ref().ok().map(|applied| String::from_utf8(applied.bytes.clone()).unwrap());
    assert_eq!(text.as_deref(), expected, "\nold: {old:?}\nnew: {new:?}\n{:?}", found.map(|applied| applied.outcomes));
}

#[test]
fn an_insertion_beside_a_line_that_is_only_alike() {
    // The line that old names stands two lines below the one that follows on the others.
    let file = "from lib.orm import relationship\nfrom lib.orm import Session\nfrom lib.testing import assert_raises\n\
                from lib.testing import eq_\nfrom lib.testing import fixtures\nfrom lib.testing import is_\n\nx = 1\n";
    let old = "from lib.orm import relationship\nfrom lib.orm import Session\nfrom lib.testing import assert_raises\n\
               from lib.testing import is_";
    check(file, old, &format!("{old}\nfrom lib.testing.entities import Comparable"), REFUSED);
}

#[test]
fn lone_lines_do_not_decide() {
    // The added ` *` is as well one behind the ` *` that stays: on which side of the heading?
    let file = "/**\n * Emits what it collects from the source.\n * It opens a new one whenever one is emitted.\n *\n\
                 * ## Example\n * In every second, emit at most two events\n * ```ts\n */\n";
    let old = " * Emits what it collects from the source.\n * It opens a new one whenever one is emitted.\n *\n\
                * In every second, emit at most two events\n * ```ts\n";
    let new = " * Emits what it collects from the source.\n * It opens new ones whenever any is emitted.\n *\n *\n\
                * In every second, emit at most two events\n * ```ts\n";
    check(file, old, new, REFUSED);
}

#[test]
fn a_moved_line_stays_as_the_file_has_it() {
    check(
        "#include <a.h>\n\nint count_logical(void);\nint count_cores(void);\nint times_of(void);\n",
        "#include <a.h>\n\nint ccount_logical(void);\nint count_cores(void);\nint times_of(void);\n",
        "#include <a.h>\n\nint count_cores(void);\nint ccount_logical(void);\n",
        Some("#include <a.h>\n\nint count_cores(void);\nint count_logical(void);\n"),
    );
    // Beside a line that old leaves out, it is not certain which of the lines moves.
    check(
        "import inspect\nimport sys\nimport textwrap\nfrom pathlib import Path\nfrom typing import Callable\n",
        "import inspect\nimport sys\nfrom pathlib import Path\nfrom typing import Callable\n",
        "import inspect\nfrom pathlib import Path\nimport sys\nfrom typing import Callable\n",
        REFUSED,
    );
}

#[test]
fn an_exact_text_that_ends_within_a_line() {
    let file = "  run_it = () => {\n    go();\n  };\n  if (ready) {\n    run();\n  } else {\n    pause();\n  }\n";
    check(file, "  };\n  if (ready) {\n    run();\n  }", "  };", REFUSED);
    // A part of the last line that becomes another one is what was asked for.
    check(
        file,
        "    go();\n  };\n  if (ready",
        "    go();\n  };\n  if (isReady",
        Some("  run_it = () => {\n    go();\n  };\n  if (isReady) {\n    run();\n  } else {\n    pause();\n  }\n"),
    );
}

#[test]
fn a_second_copy_at_the_end_without_its_line_feed() {
    check("{\n  \"a\": 1\n}\n{\n  \"a\": 1", "{\n  \"a\": 1\n", "{\n  \"a\": 2\n", REFUSED);
    check(
        "{\n  \"b\": 1\n}\n{\n  \"a\": 1",
        "{\n  \"a\": 1\n",
        "{\n  \"a\": 2\n",
        Some("{\n  \"b\": 1\n}\n{\n  \"a\": 2"),
    );
}

#[test]
fn an_underscore_is_no_slip() {
    let file =
        "impl Build for Fields {\n    fn build(\n        schema: &Dict,\n        config: Option<&Dict>,\n    ) {}\n}\n";
    check(
        file,
        "    fn build(\n        schema: &Dict,\n        _config: Option<&Dict>,",
        "    fn build(\n        schema: &Bound<Dict>,\n        _config: Option<&Bound<Dict>>,",
        REFUSED,
    );
}

#[test]
fn a_number_that_a_line_begins_with_is_no_line_number() {
    check("def f():\n    1 / 0\n", "        1 / 0", "        return 1 / 0", REFUSED);
}

#[test]
fn a_comment_of_dots_that_the_file_has_too() {
    let file = "# Bad.\ndef verify(sig):\n    # ...\n    return is_valid\n\n# Good.\ndef verify(kernel_id):\n    \
                # ...\n    if not is_valid:\n        raise Invalid\n";
    let old = "def verify(sig):\n    # ...\n    if not is_valid:\n        raise Invalid";
    check(file, old, &old.replace("(sig)", "(sig: bytes) -> None"), REFUSED);
}

#[test]
fn a_twin_of_an_edit_that_is_made_already() {
    let twin = |name: &str, first: &str, body: &str| {
        format!(
            "def {name}(self):\n    {first}\n    try:\n        bp = self.by_number(args[0].strip())\n{body}    except ValueError as err:\n        self.error(err)\n    else:\n        bp.{name} = 1\n"
        )
    };
    let index = "    except IndexError:\n        self.error('Number expected')\n";
    let file = twin("ignore", "count = 0", "") + "\n" + &twin("condition", "cond = None", index);
    let old = "    count = 0\n    try:\n        bp = self.by_number(args[0].strip())\n    except IndexError:\n        \
               self.error('Number expected')\n    except ValueError as err:\n        self.error(err)\n    else:";
    let found = apply_edit(file.as_bytes(), &Edit::new(old, old.replace(index, "")), &Options::default());
    // Whatever is told of it, the twin stays.
    if let Ok(applied) = found {
        assert_eq!((applied.outcomes[0].status, applied.bytes), (Status::AlreadyApplied, file.into_bytes()));
    }
}

#[test]
fn other_spaces_than_in_the_twin_that_has_drifted() {
    let rows = |width: usize, fourth: &str| {
        ["tp_getattr", "tp_setattr", "tp_compare", fourth, "tp_as_number", "tp_hash"]
            .map(|name| format!("    0,{}/*{name}*/\n", " ".repeat(width)))
            .concat()
    };
    let file = format!("first = {{\n{}}}\n\nsecond = {{\n{}}}\n", rows(20, "tp_repr"), rows(24, "tp_str"));
    let old = rows(24, "tp_repr");
    check(&file, &old, &old.replace("tp_as_number", "tp_as_number_new"), REFUSED);
}

#[test]
fn other_names_in_several_lines_are_no_slips() {
    check(
        "func TestB() {\n\topts := []Option{fails{}}\n\tctx, cancel := timeout(background(), 10)\n\tdefer cancel()\n\tcc, err := dial(ctx, address, opts...)\n\tif err != nil {\n\t}\n}\n",
        "\topts := []Option{fails{}}\n\tdctx, dcancel := timeout(background(), 10)\n\tdefer dcancel()\n\tcc, err := dial(dctx, address, opts...)\n\tif err != nil {\n",
        "\topts := []Option{fails{}}\n\tctx, cancel := timeout(background(), limit)\n\tdefer cancel()\n\tcc, err := dial(ctx, address, opts...)\n\tif err != nil {\n",
        REFUSED,
    );
}

#[test]
fn a_change_of_depth_given_at_another_depth() {
    let file = "type A struct {\n\t\tFirst string\n\n\t\t// Checks a key.\n\t\tSecond Validator\n}\n";
    check(
        file,
        "\n\t\t\t// Checks a key.\n\t\t\tSecond Validator\n",
        "\n\t\t// Checks a key.\n\t\tSecond Validator\n",
        REFUSED,
    );
}
