"""Command lines: what is understood, and that options are put where the shell gives them to the runner."""

from __future__ import annotations

import subprocess

import pytest
from rootle.testruns.command import prepare
from rootle.testruns.recognise import recognise
from rootle.testruns.shell import split_commands

PLAIN = [
    ("pytest", [["pytest"]]),
    ("pytest -k 'a or b' \"c d\" e\\ f", [["pytest", "-k", "a or b", "c d", "e f"]]),
    ("cd x && pytest; echo $?", None),
    ("a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
    ("pytest -q 2>&1 | tail -5 > out.txt", [["pytest", "-q"], ["tail", "-5"]]),
    ("pytest >/dev/null 2> err <in x", [["pytest", "x"]]),
    ("pytest &> log x", [["pytest", "x"]]),
    ("A=1 B='2 3' pytest", [["A=1", "B=2 3", "pytest"]]),
    ("pytest a\\\n  b", [["pytest", "a", "b"]]),
    ("pytest tests/*.py [ab]? ~/x a#b", [["pytest", "tests/*.py", "[ab]?", "~/x", "a#b"]]),
    ("pytest 'it'\"'\"'s'", [["pytest", "it's"]]),
    ("", None),
    ("pytest $(ls)", None),
    ("pytest `ls`", None),
    ("pytest $X", None),
    ('pytest "$X"', None),
    ("pytest & wait", None),
    ("(pytest)", None),
    ("{ pytest; }", None),
    ("for f in a; do pytest; done", None),
    ("if true; then pytest; fi", None),
    ("cat <<E | pytest\nx\nE", None),
    ("pytest # all of it", None),
    ("pytest 'unfinished", None),
    ("pytest <(ls)", None),
    ("pytest |& cat", None),
    ("f() { pytest; }", None),
]


@pytest.mark.parametrize(("line", "words"), PLAIN)
def test_split_commands(line: str, words: list[list[str]] | None) -> None:
    """Simple commands and what joins them; anything else is left to the shell, untouched."""
    found = split_commands(line)
    assert (None if found is None else [command.words for command in found]) == words
    if words is None:
        assert prepare(line, {}, temp="/t", token="k").argv[-1] == line


@pytest.mark.parametrize(
    "line",
    [
        "pytest -q a 'b c'",
        "true && pytest -k 'x and y' 2>&1 | cat",
        "A='1 2' pytest; true",
        "python -m pytest -q || true",
        "cd . && timeout 5 python3 -X dev -m pytest x\ntrue",
        "uv run --with x pytest a",
        "pytest a; pytest b",
    ],
)
def test_shell_gives_the_options_to_the_runner(line: str) -> None:
    """The words that each runner gets, by the shell's own reading, are the old ones with the options in between."""
    show = 'pytest() { printf "<%s>" pytest "$@"; echo; }; '
    show += "".join(
        f'{name}() {{ printf "<%s>" {name} "$@"; echo; }}; ' for name in ("python", "python3", "timeout", "uv")
    )
    prepared = prepare(line, {}, temp="/t", token="k")

    def words(text: str) -> list[str]:
        done = subprocess.run(["bash", "-c", show + text], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert prepared.reports
    for old, new, report in zip(words(line), words(prepared.argv[-1]), prepared.reports, strict=True):
        options = f"<--junitxml={report.path}><-o><junit_family=xunit1><-o><junit_logging=no>"
        assert options in new
        assert new.replace(options, "") == old


SCRIPTS = {
    "test": "jest",
    "test:unit": "tsc -p . && vitest run --coverage",
    "lint": "eslint .",
    "piped": "jest | tee log",
    "both": "jest && eslint .",
    "nested": "npm test",
}


@pytest.mark.parametrize(
    ("words", "runner", "place", "options"),
    [
        ("pytest -q", "pytest", 1, ["X"]),
        ("/x/.venv/bin/python3.11 -m pytest -q", "pytest", 3, ["X"]),
        ("python -Wd -m pytest", "pytest", 4, ["X"]),
        ("python -W error -X dev -m pytest", "pytest", 7, ["X"]),
        ("python -m unittest", None, 0, []),
        ("python tests/run.py -m pytest", None, 0, []),
        ("python -m coverage run -m pytest -x", "pytest", 6, ["X"]),
        ("coverage run --source src -m pytest", "pytest", 6, ["X"]),
        ("uv run --group test python -m pytest", "pytest", 7, ["X"]),
        ("uv run -m pytest", "pytest", 4, ["X"]),
        ("poetry run pytest", "pytest", 3, ["X"]),
        ("env -u A B=1 nice -n 5 time -p pytest", "pytest", 10, ["X"]),
        ("npx jest -- a", "jest", 2, ["X"]),
        ("npx --no-install jest a", "jest", 4, ["X"]),
        ("yarn jest a", "jest", 3, ["X"]),
        ("pnpm exec vitest run", "vitest", 4, ["X"]),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", "jest", 3, ["X"]),
        ("node_modules/.bin/vitest", "vitest", 1, ["X"]),
        ("npm test", "jest", 2, ["--", "X"]),
        ("npm test -- a", "jest", 4, ["X"]),
        ("npm run test:unit", "vitest", 3, ["--", "X"]),
        ("yarn test a", "jest", 3, ["X"]),
        ("pnpm run test:unit", "vitest", 3, ["X"]),
        ("bun run test", "jest", 3, ["X"]),
        ("bun test", None, 0, []),
        ("npm run lint", None, 0, []),
        ("npm run piped", None, 0, []),
        ("npm run both", None, 0, []),
        ("npm run nested", None, 0, []),
        ("npm run nothing", None, 0, []),
        ("npm install", None, 0, []),
        ("cargo test --lib", "cargo", 2, ["X"]),
        ("cargo +nightly --color always t", "cargo", 5, ["X"]),
        ("cargo nextest run --lib", "nextest", 3, ["X"]),
        ("cargo-nextest nextest r", "nextest", 3, ["X"]),
        ("cargo nextest list", None, 0, []),
        ("cargo build", None, 0, []),
        ("go test ./...", "go", 2, ["X"]),
        ("go -C sub test", "go", 4, ["X"]),
        ("go vet ./...", None, 0, []),
        ("make test", None, 0, []),
        ("echo pytest", None, 0, []),
        ("env", None, 0, []),
    ],
)
def test_runner_is_recognised(words: str, runner: str | None, place: int, options: list[str]) -> None:
    """Behind wrappers and scripts, with the place where its options go."""
    found = recognise(words.split(), SCRIPTS)
    if runner is None:
        assert found is None
    else:
        assert found is not None
        assert (found.runner.name, found.place(), found.options(["X"])) == (runner, place, options)


@pytest.mark.parametrize(
    "command",
    [
        "pytest --junitxml=mine.xml",
        ["pytest", "--collect-only"],
        "npx jest --json",
        "npx jest --outputFile=x",
        "npx vitest list",
        "go test -bench=. ./...",
        "cargo nextest run --message-format libtest-json",
    ],
)
def test_report_of_ones_own_is_left_alone(command: str | list[str]) -> None:
    """The command is run as it was given."""
    prepared = prepare(command, {}, temp="/t", token="k")
    assert prepared.reports == []
    assert prepared.argv[-1] == (command if isinstance(command, str) else command[-1])
    assert len(prepared.runners) == 1


def test_without_a_place_for_reports_commands_run_as_they_are() -> None:
    """A sandbox in which no directory can be made still runs tests."""
    assert prepare("pytest -q", {}, temp=None, token="k").argv[-1] == "pytest -q"
    assert prepare(["go", "test"], {}, temp=None, token="k").argv[-2:] == ["go", "test"]
