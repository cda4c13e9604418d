"""What the tests of git share: repositories made by plain git, and a toolbox on them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from rootle import Toolbox
from rootle.sandbox import LocalSandbox

IDENTITY = {
    "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "n@example.com",
    "GIT_COMMITTER_NAME": "n",
    "GIT_COMMITTER_EMAIL": "n@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
}


class Plain:
    """Git as anyone would run it in a directory: with all that a repository's configuration says."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self.home = home
        path.mkdir(parents=True, exist_ok=True)

    def __call__(self, *arguments: str, check: bool = True, path: str | None = None, **env: str) -> str:
        """Run git and give its output."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={"PATH": os.environ["PATH"] if path is None else path, "HOME": str(self.home), **IDENTITY, **env},
            capture_output=True,
            check=False,
            timeout=50,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.decode("utf-8", "surrogateescape")

    def commit(self, files: dict[str, str | bytes], message: str = "m") -> str:
        """Write files, commit everything, and give the commit."""
        self.write(files)
        self("add", "--all")
        self("commit", "--quiet", "--allow-empty", "--message", message)
        return self("rev-parse", "HEAD").strip()

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files below the directory."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())


PlainIn: TypeAlias = Callable[[Path], Plain]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of the toolbox; what lies beside it is outside."""
    path = tmp_path / "root"
    path.mkdir()
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def plain(home: Path) -> PlainIn:
    """Plain git in a directory of its own."""
    return lambda path: Plain(path, home)


@pytest.fixture
def repo(root: Path, home: Path) -> Plain:
    """A repository at the root with one commit of one file."""
    plain = Plain(root, home)
    plain("init", "--quiet", "--initial-branch=main")
    plain.commit({"file.txt": "one\ntwo\n"})
    return plain


@pytest.fixture
def box(root: Path) -> Toolbox:
    return Toolbox(root, allow_web=True, sandbox=LocalSandbox(root))
