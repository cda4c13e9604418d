"""Commands that need no shell: they do the same without one."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from rootle import Toolbox
from rootle.commands.plain import plain_words
from rootle.sandbox import LocalSandbox

pytestmark = pytest.mark.usefixtures("outputs")

PLAIN = [
    "true",
    "false",
    "ls -la sub",
    "env",
    "cat none",
    "no-such-program",
    "./no-such-program",
    "./without-first-line a b",
    "./not-executable",
    "./bad-interpreter",
    "./",
    "sub",
    "python3 -V",
    "printenv PWD",
    "git --version",
    "sed -n 1,2p file",
    "head -c 3 file ",
    "./kills-itself",
    "sort --key=1 file",
]


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    """A toolbox with programs of all kinds."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("one\ntwo\nthree\n")
    for name, text, mode in [
        ("without-first-line", "echo run by the shell: $*\n", 0o755),
        ("not-executable", "#!/bin/sh\n", 0o644),
        ("bad-interpreter", "#!/none/such\n", 0o755),
        ("kills-itself", "#!/bin/sh\nkill -9 $$\n", 0o755),
    ]:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    return Toolbox(tmp_path)


@pytest.mark.parametrize("command", PLAIN)
def test_the_same_as_through_the_shell(box: Toolbox, command: str) -> None:
    """Output, errors, code and signal; in a directory as well."""

    def told(text: str, **more: object) -> tuple[list[str], list[str], int | None, int | None]:
        data = box.call("bash", {"command": text, **more}).data
        # What a shell keeps for itself, and how a command is marked, differ each time.
        lines = [line for line in data.stdout.splitlines() if not re.match(r"_=|SHLVL=|PS1=|ROOTLE_EXEC_ID=", line)]
        return sorted(lines), data.stderr.splitlines(), data.exit_code, data.signal

    assert told(command) == told(command + " ;")
    assert told(command, cwd="sub") == told(command + " ;", cwd="sub")


@pytest.mark.parametrize(
    "command",
    [
        "cd x",
        "A=1 b",
        "ls *",
        "ls ~",
        "a;b",
        "a|b",
        "a&",
        "a>b",
        "a<b",
        "$a",
        "`a`",
        "'a'",
        '"a"',
        "a\\b",
        "a{b,c}",
        "a\nb",
        "# a",
        "a #b",
        "!a",
        "[ a ]",
        "a(b)",
        "%1",
        "-a",
        "pwd",
        "echo a",
        "time a",
        "exec a",
        "a\tb",
        "",
        " a",
        "ä",
        "a?",
    ],
)
def test_what_means_something_to_a_shell_goes_through_it(command: str) -> None:
    """Everything that is not plainly a program and words."""
    assert plain_words(command) is None


def test_only_one_process_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell for a plain command, one for any other; a failed start is tried again with one."""
    started: list[list[str]] = []
    run = LocalSandbox.run

    def noted(self: LocalSandbox, argv: list[str], **options: object) -> object:
        started.append([*argv])
        return run(self, argv, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(LocalSandbox, "run", noted)
    box = Toolbox(tmp_path)
    for command in ("true", "true;", "none-such"):
        box.call("bash", {"command": command})
    box.call("bash", {"command": "true", "env": {"PWD": "/"}})
    assert started == [["true"], ["bash"], ["none-such"], ["bash"], ["bash"]]
    assert os.path.realpath(tmp_path) in box.call("bash", {"command": "printenv PWD"})
