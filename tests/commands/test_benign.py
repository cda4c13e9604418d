"""Exit codes that are answers."""

from __future__ import annotations

import subprocess

import pytest
from rootle.commands.benign import benign_code

ANSWERS = [
    ("grep x f", 1, "grep: no match"),
    ("cat f | grep -c x", 1, "grep: no match"),
    ("make all; grep x f", 1, "grep: no match"),
    ("make all && grep x f", 1, "grep: no match"),
    ("make all || rg 'a;b' f", 1, "rg: no match"),
    ("LC_ALL=C timeout 5s /usr/bin/egrep -q x f\n", 1, "egrep: no match"),
    ("git -C sub grep x", 1, "git grep: no match"),
    ("git diff --quiet", 1, "git diff: they differ"),
    ("diff -u a b > out.txt", 1, "diff: they differ"),
    ("cmp a b # are they the same?", 1, "cmp: they differ"),
    ("test -f x", 1, "test: it is false"),
    ("[ 1 = 2 ];", 1, "[: it is false"),
    ("[[ -d x && -f y ]]", 1, "[[: it is false"),
    ("command -v nothing", 1, "command -v: none was found"),
    ("which nothing", 1, "which: none was found"),
    ("pgrep nothing", 1, "pgrep: none was found"),
    ("expr 1 - 1", 1, "expr: the result is 0 or empty"),
    ("jq -e .a f.json", 1, "jq: the last result is null or false"),
    ("! grep x f", 1, "what was negated succeeded"),
    ("find . -name '*.py' | xargs grep x", 123, "grep: no match"),
    ("grep x f", 2, None),
    ("grep x f", 0, None),
    ("grep x f", None, None),
    ("grep x f | sort", 1, None),
    ("grep x f; make", 1, None),
    ("make", 1, None),
    ("python grep", 1, None),
    ("echo 'grep x f'", 1, None),
    ("echo $(grep x f)", 1, None),
    ("f() { grep x f; }; f", 1, None),
    ("echo 'unclosed; grep x f", 1, None),
    ("git push", 1, None),
    ("jq .a f.json", 1, None),
    ("find . | xargs grep x", 1, None),
    ("find . | xargs make", 123, None),
    ("true\n" * 10_000 + "grep x f", 1, None),
    ("", 1, None),
    (";;&|", 1, None),
]


@pytest.mark.parametrize(("script", "code", "meaning"), ANSWERS)
def test_answer_or_failure(script: str, code: int | None, meaning: str | None) -> None:
    """Judged by the last command of the last pipeline."""
    assert benign_code(script, code, quiet=True) == meaning


@pytest.mark.parametrize("script", ["cd nowhere && grep x f", "find . | xargs grep x", "a && b | diff - f"])
def test_another_command_may_have_given_the_code(script: str) -> None:
    """Then something on standard error makes it a failure."""
    code = 123 if "xargs" in script else 1
    assert benign_code(script, code, quiet=True) is not None
    assert benign_code(script, code, quiet=False) is None


def test_bash_gives_these_codes(tmp_path: object) -> None:
    """The table's idea of what these programs do is theirs."""
    for script in (
        "grep x /dev/null",
        "echo a | diff - /dev/null",
        "[ 1 = 2 ]",
        "! true",
        "echo f | xargs grep x /dev/null 2>&1",
    ):
        done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
        assert done.returncode in (1, 123), script
        assert done.stderr == b"" or "xargs" in script
