"""Which runner a command runs, behind whatever it is wrapped in, and where the runner's options go.

>>> recognise(["uv", "run", "--frozen", "python", "-m", "pytest", "-q"], {}).runner.name
'pytest'
>>> recognise(["npm", "test"], {"test": "tsc && vitest run"}).runner.name
'vitest'
>>> recognise(["make", "test"], {}) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rootle.testruns.runners import RUNNERS, Runner
from rootle.testruns.runners.base import basename
from rootle.testruns.shell import split_commands

__all__ = ["Recognised", "recognise"]

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?$")

# Wrappers: the words that make them, and those of their options that take an argument.
_WRAPPERS: dict[tuple[str, ...], frozenset[str]] = {
    ("time",): frozenset({"-f", "-o"}),
    ("exec",): frozenset({"-a"}),
    ("command",): frozenset(),
    ("nohup",): frozenset(),
    ("nice",): frozenset({"-n"}),
    ("env",): frozenset({"-u", "-C", "--unset", "--chdir"}),
    ("timeout",): frozenset({"-k", "-s", "--kill-after", "--signal"}),
    ("stdbuf",): frozenset({"-i", "-o", "-e"}),
    ("xvfb-run",): frozenset({"-n", "-s", "-e", "-f"}),
    ("uv", "run"): frozenset(
        {"--with", "--extra", "--group", "--only-group", "--no-group", "--python", "-p", "--project", "--directory"}
        | {"--env-file", "--package", "--with-requirements", "--with-editable", "--index", "--index-url"}
    ),
    ("poetry", "run"): frozenset(),
    ("pdm", "run"): frozenset({"-p", "--project"}),
    ("pipenv", "run"): frozenset(),
    ("hatch", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("pixi", "run"): frozenset({"-e", "--environment"}),
    ("conda", "run"): frozenset({"-n", "--name", "-p", "--prefix", "--cwd"}),
    ("npx",): frozenset({"-p", "--package"}),
    ("pnpx",): frozenset(),
    ("bunx",): frozenset(),
    ("npm", "exec"): frozenset({"-p", "--package", "-w", "--workspace"}),
    ("pnpm", "exec"): frozenset(),
    ("yarn", "exec"): frozenset(),
    ("bun", "x"): frozenset(),
}
# Package managers: the words before a script's name, and whether the script's options come behind a "--".
_MANAGERS = {"npm": True, "pnpm": False, "yarn": False, "bun": False}
_RUN = frozenset({"run", "run-script"})
_TEST = frozenset({"test", "t", "tst"})


@dataclass(frozen=True, slots=True)
class Recognised:
    """A runner in a command.

    Attributes:
        words: The command.
        at: The place of the word behind which the runner's own options go.
        script: The runner is started by a script of a package.json: its options go to the command's end.
        dashes: They go there behind a "--".
    """

    runner: Runner
    words: tuple[str, ...]
    at: int
    script: bool = False
    dashes: bool = False

    def place(self) -> int:
        """Give how many words of the command stand before the options that are put into it."""
        if self.script:
            return len(self.words)
        if not self.runner.at_end:
            return self.at + 1
        return self.words.index("--", self.at) if "--" in self.words[self.at :] else len(self.words)

    def options(self, wanted: Sequence[str]) -> list[str]:
        """Give the words to put there."""
        return [*(["--"] if self.script and self.dashes and "--" not in self.words else []), *wanted]


def recognise(words: Sequence[str], scripts: Mapping[str, str]) -> Recognised | None:
    """Find the runner that a simple command runs; `scripts` are those of the package.json where it runs."""
    start = _unwrapped(words)
    inner = words[start:]
    if not inner:
        return None
    if (script := _script(inner, scripts)) is not None:
        runner = _runner_of_script(script[0])
        return (
            None if runner is None else Recognised(runner, tuple(words), len(words) - 1, script=True, dashes=script[1])
        )
    for runner in RUNNERS.values():
        if (at := runner.calls(inner)) is not None:
            return Recognised(runner, tuple(words), start + at)
    return None


def _unwrapped(words: Sequence[str]) -> int:
    """Give the place of the first word of the command inside all wrappers."""
    at = 0
    while at < len(words):
        if _ASSIGNMENT.match(words[at]):
            at += 1
            continue
        name = basename(words[at])
        wrapper = next((key for key in ((name, *words[at + 1 : at + 2]), (name,)) if key in _WRAPPERS), None)
        if wrapper is None:
            if name in ("yarn", "pnpm") and words[at + 1 : at + 2] in (["jest"], ["vitest"]):
                return at + 1
            return _behind_coverage(words, at)
        at = _behind_options(words, at + len(wrapper), _WRAPPERS[wrapper])
        if wrapper == ("timeout",) and at < len(words) and _DURATION.match(words[at]):
            at += 1
        if wrapper == ("uv", "run") and words[at - 1 : at] in (["-m"], ["--module"]):
            return at
    return at


def _behind_options(words: Sequence[str], at: int, with_argument: frozenset[str]) -> int:
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return at + 1
        if words[at] in ("-m", "--module"):
            return at + 1
        at += 2 if words[at] in with_argument else 1
    return at


def _behind_coverage(words: Sequence[str], at: int) -> int:
    """Pass over `coverage run -m` and `python -m coverage run -m`."""
    for lead in (("coverage", "run"), ("-m", "coverage", "run")):
        first = at if lead[0] == "coverage" else at + 1
        if tuple(basename(word) for word in words[first : first + len(lead)]) == lead:
            behind = _behind_options(words, first + len(lead), frozenset({"--source", "--rcfile", "--omit"}))
            return behind if words[behind - 1 : behind] == ["-m"] else at
    return at


def _script(words: Sequence[str], scripts: Mapping[str, str]) -> tuple[str, bool] | None:
    """Give the script that a package manager runs, and whether its options come behind a "--"."""
    name = basename(words[0])
    if name not in _MANAGERS:
        return None
    rest = [word for word in words[1:] if not word.startswith("-")]
    if not rest:
        return None
    if rest[0] in _RUN:
        script = rest[1] if len(rest) > 1 else ""
    else:
        script = "test" if rest[0] in _TEST else rest[0]
        if name == "bun":
            return None  # `bun test` is bun's own runner.
        if name == "npm" and rest[0] not in _TEST:
            return None
    return (scripts[script], _MANAGERS[name]) if script in scripts else None


def _runner_of_script(script: str) -> Runner | None:
    """Give the runner of a script's last command, which gets the options that are added to the script."""
    commands = split_commands(script)
    if commands is None or commands[-1].redirected or any(command.piped for command in commands):
        return None
    words = commands[-1].words
    inner = words[_unwrapped(words) :]
    if not inner:
        return None
    found = next((runner for runner in RUNNERS.values() if runner.calls(inner) is not None), None)
    return None if found is None or found.stream or found.has_own_report(words) else found
