"""Which runner runs the tests of a directory, and by which command.

Every runner whose traces are there is a candidate. What configures a runner counts more than what only looks like its
tests; among equals the order of `_CANDIDATES` decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rootle.errors import InvalidArgument, NoTestRunner
from rootle.testruns.probe import Facts
from rootle.testruns.recognise import recognise
from rootle.testruns.runners import RUNNERS, Selection

__all__ = ["Choice", "choose"]

_CONFIGURED, _ASKED_FOR, _LOOKS_LIKE = 3, 2, 1
_NO_SCRIPT = re.compile(r"no test specified")
_FAMILIES = {
    ".py": ("pytest",),
    ".go": ("go",),
    ".rs": ("cargo", "nextest"),
    **dict.fromkeys(
        (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue"), ("jest", "vitest", "script")
    ),
}
_PYTHON_TOOLS = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv"))
_NODE_TOOLS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun"))
_PYTEST_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "conftest.py")


@dataclass(frozen=True, slots=True)
class Choice:
    """A command, and why it.

    Attributes:
        argv: What is run, without the options for a report.
        runner: The runner's name; None for a script of a package.json that runs something unknown.
        why: What spoke for it.
        others: Other runners that have traces here, each with its trace.
    """

    argv: list[str]
    runner: str | None
    why: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    name: str
    weight: int
    trace: str
    argv: list[str] = field(default_factory=list)


def choose(facts: Facts, selection: Selection, *, runner: str | None = None, own_python: str | None = None) -> Choice:
    """Choose.

    Args:
        facts: What is there.
        selection: The part of the tests that is to run; files of one language leave only its runners.
        runner: Take this one.
        own_python: An interpreter with pytest to fall back on.

    Raises:
        NoTestRunner: When nothing tells how the tests are run.
        InvalidArgument: When the runner cannot choose tests in this way.
    """
    found = sorted(_candidates(facts), key=lambda one: -one.weight)
    if runner is not None:
        wanted = next((one for one in found if one.name == runner), _Candidate(runner, 0, "it was asked for"))
        chosen, others = wanted, []
    else:
        fitting = _of_language(found, selection.paths)
        if not fitting:
            raise _nothing(facts, selection)
        chosen, others = fitting[0], [one for one in found if one is not fitting[0]]
    argv = _command(chosen.name, facts, selection, own_python)
    listed = tuple(f"{one.name} ({one.trace})" for one in others)
    return Choice(argv, None if chosen.name == "script" else chosen.name, chosen.trace, listed)


def _candidates(facts: Facts) -> list[_Candidate]:
    found = []
    names = set(facts.names)
    configured = next((name for name in _PYTEST_FILES if name in names), None)
    if configured or "pytest-config" in facts.facts:
        found.append(_Candidate("pytest", _CONFIGURED, configured or "a configuration of pytest"))
    elif "pytest-dependency" in facts.facts:
        found.append(_Candidate("pytest", _ASKED_FOR, "pyproject.toml asks for pytest"))
    elif "python-tests" in facts.facts:
        found.append(_Candidate("pytest", _LOOKS_LIKE, "files named like Python tests"))
    found += _node_candidates(facts)
    if "Cargo.toml" in names:
        nextest = ".config/nextest.toml" in names and "cargo-nextest" in facts.tools
        trace = ".config/nextest.toml" if nextest else "Cargo.toml"
        found.append(_Candidate("nextest" if nextest else "cargo", _CONFIGURED, trace))
    if "go.mod" in names:
        found.append(_Candidate("go", _CONFIGURED, "go.mod"))
    return found


def _node_candidates(facts: Facts) -> list[_Candidate]:
    script = facts.scripts.get("test", "")
    if script and not _NO_SCRIPT.search(script):
        recognised = recognise(["npm", "test"], facts.scripts)
        name = recognised.runner.name if recognised else "script"
        return [_Candidate(name, _CONFIGURED, "the test script of package.json")]
    if "package.json" in facts.names:
        for name in ("vitest", "jest"):
            if name in facts.dependencies or name in facts.programs:
                return [_Candidate(name, _ASKED_FOR, f"package.json asks for {name}")]
    return []


def _of_language(found: list[_Candidate], paths: Sequence[str]) -> list[_Candidate]:
    families = {
        _FAMILIES[match[0]] for path in paths if (match := re.search(r"\.\w+(?=$|::)", path)) and match[0] in _FAMILIES
    }
    if len(families) != 1:
        return found
    return [one for one in found if one.name in next(iter(families))]


def _nothing(facts: Facts, selection: Selection) -> NoTestRunner:
    below = [name for name in facts.names if "/" in name and not name.startswith(".")]
    folders = list(dict.fromkeys(name.rpartition("/")[0] for name in below))
    hint = "Give the command that runs the tests as command."
    if folders:
        hint = f"There are projects in {', '.join(folders[:5])}: give one of them as cwd, or the command as command."
    what = f"the tests {', '.join(selection.paths)}" if selection.paths else "the tests"
    return NoTestRunner.of(f"nothing here tells how {what} are run", hint=hint)


def _command(name: str, facts: Facts, selection: Selection, own_python: str | None) -> list[str]:
    if name == "script":
        if selection.paths or selection.filter:
            raise InvalidArgument.of(
                "the test script of package.json runs a runner that is not known: tests cannot be chosen",
                name="paths" if selection.paths else "filter",
                hint="Give the whole command as command.",
            )
        return [_manager(facts), "test"]
    chosen = RUNNERS[name].select(selection)
    if name == "pytest":
        return [*_pytest(facts, own_python), *chosen]
    if name in ("jest", "vitest"):
        return _node(name, facts, chosen)
    fixed = {"cargo": ["cargo", "test", "--no-fail-fast"], "nextest": ["cargo", "nextest", "run", "--no-fail-fast"]}
    return [*fixed.get(name, ["go", "test"]), *chosen]


def _pytest(facts: Facts, own_python: str | None) -> list[str]:
    """Choose the interpreter: the project's own environment first, the one that rootle runs in last."""
    if facts.with_pytest:
        return [_program(facts.with_pytest[0]), "-m", "pytest"]
    for lock, tool in _PYTHON_TOOLS:
        if lock in facts.above and tool in facts.tools:
            return [tool, "run", "python", "-m", "pytest"]
    if facts.imports:
        return [facts.imports[0], "-m", "pytest"]
    if "pytest" in facts.tools:
        return ["pytest"]
    if own_python is not None:
        return [own_python, "-m", "pytest"]
    if facts.venvs:
        return [_program(facts.venvs[0]), "-m", "pytest"]
    return ["python3" if "python3" in facts.tools or "python" not in facts.tools else "python", "-m", "pytest"]


def _program(venv: str) -> str:
    path = f"{venv}/bin/python"
    return path.removeprefix("./")


def _manager(facts: Facts) -> str:
    return next((tool for lock, tool in _NODE_TOOLS if lock in facts.above and tool in facts.tools), "npm")


def _node(name: str, facts: Facts, chosen: list[str]) -> list[str]:
    manager = _manager(facts)
    recognised = recognise([manager, "run", "test"], facts.scripts)
    if recognised is not None and recognised.runner.name == name:
        words = [manager, "run", "test"] if manager == "bun" else [manager, "test"]
        return [*words, *(["--"] if manager == "npm" and chosen else []), *chosen]
    run = ["run"] if name == "vitest" else []
    return ["npx", "--no-install", name, *run, *chosen]
