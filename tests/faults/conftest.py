"""What the tests of bad inputs share: time bounds, an outside that must not show, and fresh processes."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
from rootle import Toolbox, Workspace
from rootle.errors import RootleError
from rootle.framework import Observation
from rootle.workspace.local import LocalBackend

Within: TypeAlias = Callable[[float], AbstractContextManager[None]]
OpenBox: TypeAlias = Callable[[Path], Toolbox]
Refusals: TypeAlias = Callable[[Toolbox, Any], dict[str, RootleError]]
Outcome: TypeAlias = tuple[Any, int]
Child: TypeAlias = Callable[..., Outcome]

_ORDINARY_USER = 1000


@pytest.fixture
def within() -> Within:
    """Bound the wall time of a block, in seconds."""

    @contextmanager
    def bound(limit_s: float) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        taken = time.perf_counter() - begin
        assert taken < limit_s, f"took {taken:.3f} s of {limit_s} s"

    return bound


@pytest.fixture(params=["openat2", "components"])
def open_box(request: pytest.FixtureRequest) -> OpenBox:
    """Make a toolbox whose paths are confined in each of the two ways."""
    resolver: Literal["openat2", "components"] = request.param

    def make(root: Path) -> Toolbox:
        return Toolbox(Workspace(backend=LocalBackend(root, resolver=resolver)))

    return make


@pytest.fixture
def refusals() -> Refusals:
    """Give one path to every tool and collect the errors; a tool that raises none fails the test."""

    def collect(box: Toolbox, path: Any) -> dict[str, RootleError]:
        errors: dict[str, RootleError] = {}
        for name, more in (
            ("read_file", {}),
            ("list_dir", {}),
            ("glob", {"pattern": "**"}),
            ("grep", {"pattern": "."}),
        ):
            with pytest.raises(RootleError) as caught:
                box.call(name, {**more, "path": path})
            errors[name] = caught.value
        return errors

    return collect


@dataclass(frozen=True)
class Outside:
    """A directory that no call may show anything of; the size and time of its file stand out in any text."""

    directory: Path
    secret: Path

    def absent_from(self, *values: object) -> None:
        """Look through errors, observations and texts for what only a look outside can tell."""
        for value in values:
            text = _everything(value)
            for mark in ("TOPSECRET", "48271", "48,271", "47.1 KiB", "1234567890", "only-outside"):
                assert mark not in text


def _everything(value: object) -> str:
    if isinstance(value, RootleError):
        parts = [value, value.args, value.details, value.hint, value.suggestions, value.__dict__, value.__cause__]
        return "\n".join(f"{part}\n{part!r}" for part in parts)
    if isinstance(value, Observation):
        return json.dumps(value.to_dict())
    return str(value)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Make a directory beside every root, with one file of a size and time of its own."""
    directory = tmp_path_factory.mktemp("outside")
    secret = directory / "only-outside.txt"
    secret.write_bytes(b"TOPSECRET\n" + b"x" * (48271 - 10))
    os.utime(secret, ns=(1234567890 * 10**9, 1234567890 * 10**9))
    return Outside(directory, secret)


@pytest.fixture
def child() -> Child:
    """Run a function of the test in a fresh process and give its value and the growth of its memory in bytes.

    The function stands alone: it imports what it needs, its arguments and its value are JSON. With `ordinary` it runs
    without root's privileges; with `mounts`, where it may mount, unseen from outside.
    """

    def run(
        function: Callable[..., Any], *args: Any, ordinary: bool = False, mounts: bool = False, timeout_s: float = 40
    ) -> Outcome:
        job = {
            "source": textwrap.dedent(inspect.getsource(function)),
            "name": function.__name__,
            "args": [os.fspath(arg) if isinstance(arg, Path) else arg for arg in args],
            "user": _ORDINARY_USER if ordinary and os.geteuid() == 0 else None,
        }
        command = [sys.executable, str(Path(__file__).with_name("child.py"))]
        if mounts:
            _need_mounts()
            command = ["unshare", "--mount", "--propagation", "private", *command]
        done = subprocess.run(
            command, input=json.dumps(job), capture_output=True, text=True, timeout=timeout_s, check=False
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout.splitlines()[-1])
        return result["value"], result["growth"]

    return run


def _need_mounts() -> None:
    try:
        allowed = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("mounting in a namespace of its own is not allowed here")


@pytest.fixture
def open_tmp() -> Iterator[Path]:
    """Give a directory that every user can reach; pytest's own are closed to all but their owner."""
    with tempfile.TemporaryDirectory(prefix="rootle-faults-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)
