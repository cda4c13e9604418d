"""Fixtures that every test may use."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

Content: TypeAlias = str | bytes | Path | None
Tree: TypeAlias = Callable[[Mapping[str, Content]], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Make files below the test's own directory and give that directory.

    A value is a file's text or bytes, a `Path` for a symbolic link to it, or None for a directory:

        root = tree({"src/a.py": "x = 1", "b.bin": bytes(3), "link": Path("src/a.py"), "empty": None})
    """

    def make(files: Mapping[str, Content]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.mkdir(exist_ok=True)
            elif isinstance(content, Path):
                path.symlink_to(content)
            elif isinstance(content, bytes):
                path.write_bytes(content)
            else:
                path.write_text(content, encoding="utf-8", newline="")
        return tmp_path

    return make


@pytest.fixture
def outputs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the directory in which the outputs of commands are kept: the test's own, not the user's."""
    from rootle.sandbox import spill

    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr(spill, "_users", None)
    return state / "rootle" / "output"


def pytest_configure() -> None:
    """Let Ctrl-C reach this process and what it starts, though a shell that started it in the background says no."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
