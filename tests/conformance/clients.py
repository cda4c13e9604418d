"""The clients that other projects' suites are run against, and what of each suite they do not do."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rootle.errors import SandboxUnavailable
from rootle.sandbox import BubblewrapSandbox, LocalSandbox

CLIENTS: Mapping[str, Callable[[str], LocalSandbox]] = {
    "local": lambda path: LocalSandbox(path),
    "bubblewrap": lambda path: BubblewrapSandbox(path),
    "local, survivors kept": lambda path: LocalSandbox(path, keep_survivors=True),
}


def client(name: str, path: Path | str) -> LocalSandbox:
    """Make a client; skips the test where it cannot be had."""
    made = CLIENTS[name](str(path))
    try:
        made.run(["true"])
    except SandboxUnavailable as error:
        pytest.skip(f"{name} cannot be had here: {error}")
    return made


def expect(request: pytest.FixtureRequest, expected: Mapping[tuple[str, str], str], name: str) -> None:
    """Mark the running test when it is known to fail with a client; one that passes all the same fails the run."""
    test = request.node.originalname
    if (reason := expected.get((name, test)) or expected.get(("*", test))) is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))


def missing(module: str) -> bool:
    """Whether a suite is not installed: each has an environment of its own."""
    return importlib.util.find_spec(module) is None
