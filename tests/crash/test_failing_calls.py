"""A system call of a writing fails: a typed error and the old content, or the new content all the same."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crash.conftest import Shape

pytestmark = [pytest.mark.usefixtures("strace"), pytest.mark.timeout(120)]

WRITES = {"pwrite64", "ftruncate"}
NAMES = {"openat", "openat2", "mkdirat", "renameat", "renameat2", "linkat"}
META = {"fchmod", "fchown", "fsetxattr", "flistxattr", "fgetxattr", "fstat", "newfstatat", "fstatfs", "flock"}
OTHERS = {"pread64", "read", "fsync", "unlinkat", "getdents64", "readlinkat"}
# Calls that a signal can interrupt.
SLOW = {"openat", "pread64", "read", "pwrite64", "fsync", "flock", "ftruncate", "renameat", "renameat2", "unlinkat"}
FULL = ("ENOSPC", "EDQUOT")
REFUSED = ("EBUSY", "EXDEV", "EPERM", "EACCES", "EROFS")


def faults(name: str) -> Iterator[str]:
    """Give the errors that a call of this name can meet."""
    if name in WRITES | NAMES | META | OTHERS:
        yield "EIO"
    if name in WRITES | {"fsync", "openat", "mkdirat", "renameat", "renameat2", "fsetxattr", "fchown"}:
        yield from FULL
    if name in WRITES:
        yield "EFBIG"
    if name in SLOW:
        yield "EINTR"
    if name in ("renameat", "renameat2"):
        yield from REFUSED


def test_a_call_that_fails(shape: Shape, every: int) -> None:
    """Never a torn file, never a success that is none, no temporary file left (vscode#34915, openclaw#114914)."""
    shape.build()
    calls = shape.victim.calls(shape.job())
    cases = [(name, number, fault) for name, number in calls for fault in faults(name)]
    # A large file repeats the same few calls.
    stride = 3 if every == 1 and shape.name in ("large", "in-place") else every
    failed = succeeded = 0
    for name, number, fault in cases[::stride]:
        where = (name, number, fault)
        shape.build()
        outcome = shape.victim.run(
            shape.job(), "-e", f"trace={name}", "-e", f"inject={name}:error={fault}:when={number}"
        )
        assert "(INJECTED)" in outcome.trace, where
        assert outcome.taken < 1, where
        if outcome.error is None:
            succeeded += 1
            assert shape.content() == shape.new, where
            assert outcome.value["in_place"] <= (shape.in_place or fault in REFUSED), where
        else:
            failed += 1
            assert fault != "EINTR", where
            assert shape.content() == shape.old, where
            check_error(outcome.error, fault, where)
        assert len(shape.temps()) <= (name == "unlinkat"), where
        shape.rest_is_intact()
        shape.next_call()
    assert failed > 0
    assert succeeded > 0


def check_error(error: dict[str, object], fault: str, where: tuple[str, int, str]) -> None:
    """The error is of the class and number of the fault."""
    if error["class"] == "IoFailed":
        assert error["code"] == "io_failed"
        assert error["os_error"] == getattr(errno, fault), (where, error)
    else:
        assert fault in REFUSED, (where, error)
        assert error["class"] in ("PermissionDenied", "Unwritable"), (where, error)
    assert error["path"] in ("d/f", "link", "d/p/f")


def test_a_write_that_takes_nothing(shape: Shape) -> None:
    """A system that says 0 bytes were written does not make a shorter file."""
    shape.build()
    calls = shape.victim.calls(shape.job())
    last = max(number for name, number in calls if name == "pwrite64")
    shape.build()
    outcome = shape.victim.run(shape.job(), "-e", "trace=pwrite64", "-e", f"inject=pwrite64:retval=0:when={last}")
    assert outcome.error is not None
    assert outcome.error["class"] == "IoFailed"
    assert shape.content() == shape.old
    assert shape.temps() == []
    shape.next_call()
