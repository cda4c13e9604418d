"""FIFOs, sockets, devices and kernel files: never opened for reading, never waited for."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import rootle
from rootle import Toolbox
from rootle.errors import NotARegularFile, PathEscapesRoot

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child, OpenBox, Refusals, Within

_DEVICES = {"null": (stat.S_IFCHR, os.makedev(1, 5)), "loop": (stat.S_IFBLK, os.makedev(7, 0))}
_KINDS = {"p": "fifo", "s": "socket", "null": "character device", "loop": "block device"}


@pytest.fixture
def special(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a root with a FIFO, a socket and, where that is allowed, two devices beside one ordinary file."""
    root = tree({"f": "needle\n", "link": Path("p")})
    os.mkfifo(root / "p")
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        for name, (kind, device) in _DEVICES.items():
            try:
                os.mknod(root / name, kind | 0o666, device)
            except PermissionError:
                continue
        yield root


def present(root: Path) -> dict[str, str]:
    return {name: kind for name, kind in _KINDS.items() if (root / name).exists()}


def test_refused_by_name(special: Path, open_box: OpenBox, refusals: Refusals, within: Within) -> None:
    """Naming one gives an error that says what it is, at once, from every tool."""
    box = open_box(special)
    for name, kind in {**present(special), "link": "fifo"}.items():
        with within(1):
            errors = refusals(box, name)
        for tool, error in errors.items():
            assert (type(error), error.code) == (NotARegularFile, "not_a_regular_file"), tool
            assert error.details["kind"] == kind
    assert stat.S_ISFIFO((special / "p").stat().st_mode)


def test_passed_over_in_a_tree(special: Path, open_box: OpenBox, within: Within) -> None:
    """A search over a tree that holds them gives the ordinary files and counts the others."""
    box = open_box(special)
    with within(1):
        hits = box.call("grep", {"pattern": "needle"}).data
        listed = box.call("list_dir", {}).data
        walked = rootle.walk(special)
    assert [hit.path for hit in hits.matches] == ["f"]
    assert hits.complete
    assert hits.coverage["special"] == len(present(special))
    assert walked.paths == ["f"]
    kinds = {entry.path: entry.kind for entry in listed.entries}
    assert kinds["p"] == "fifo"
    assert kinds["s"] == "socket"


def test_fifo_with_a_waiting_writer(special: Path, open_box: OpenBox, within: Within) -> None:
    """What stands in a FIFO stays in it: no tool takes a byte."""
    reader = os.open(special / "p", os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(special / "p", os.O_WRONLY)
    try:
        os.write(writer, b"needle\n")
        box = open_box(special)
        with within(1):
            with pytest.raises(NotARegularFile):
                box.call("read_file", {"path": "p"})
            assert [hit.path for hit in box.call("grep", {"pattern": "needle"}).data.matches] == ["f"]
        assert os.read(reader, 100) == b"needle\n"
    finally:
        os.close(reader)
        os.close(writer)


def test_file_that_becomes_a_fifo(tree: Tree, within: Within) -> None:
    """A file exchanged for a FIFO between listing and opening is not waited for."""
    root = tree({f"f{index}": "needle\n" for index in range(50)})
    box = Toolbox(root)
    ended = threading.Event()

    def exchange() -> None:
        while not ended.is_set():
            for index in range(50):
                os.mkfifo(root / "new")
                os.rename(root / "new", root / f"f{index}")
                (root / "new").write_text("needle\n", encoding="ascii")
                os.rename(root / "new", root / f"f{index}")

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        with within(5):
            for _ in range(100):
                box.call("grep", {"pattern": "needle"})
    finally:
        ended.set()
        thread.join()


def kernel_files(root: str, mounted: str) -> dict[str, Any]:
    """Try to read the host's environment through procfs inside the root."""
    import os
    import subprocess
    import time

    import rootle
    from rootle import Toolbox
    from rootle.errors import RootleError

    if mounted:
        target = os.path.join(root, mounted)
        os.mkdir(target)
        subprocess.run(["mount", "-t", "proc", "proc", target], check=True)
    box = Toolbox(root)
    seen: dict[str, Any] = {"codes": {}}
    begin = time.monotonic()
    for path in ("proc/self/environ", "proc/kmsg", f"proc/{os.getpid()}/environ", "proc/self/mem", "proc/version"):
        try:
            seen["codes"][path] = box.call("read_file", {"path": path}).text[:200]
        except RootleError as error:
            seen["codes"][path] = error.code
    texts = []
    for name, arguments in (
        ("grep", {"pattern": "ROOTLE_MARK=", "path": "proc", "timeout_s": 1, "max_matches": 2000}),
        ("grep", {"pattern": "ROOTLE_MARK=", "path": "proc/self", "timeout_s": 1}),
        ("grep", {"pattern": "ROOTLE_MARK=", "path": f"proc/{os.getpid()}/environ", "timeout_s": 1}),
        ("glob", {"pattern": "proc/self/environ"}),
        ("list_dir", {"path": "proc/self"}),
    ):
        try:
            texts.append(box.call(name, arguments).text)
        except RootleError as error:
            texts.append(f"{error.code} {error}")
    if mounted:
        found = rootle.grep("ROOTLE_MARK=|needle", root, timeout_s=1)
        seen["found"] = [match.path for match in found.matches]
        seen["warnings"] = [(warning.path, warning.code) for warning in found.warnings]
    seen["texts"] = texts
    seen["seconds"] = time.monotonic() - begin
    return seen


def check_kernel_files(seen: dict[str, Any]) -> None:
    assert set(seen["codes"].values()) == {"not_a_regular_file"}, seen["codes"]
    for text in seen["texts"]:
        assert "MARKED-VALUE" not in text, text
    assert seen["seconds"] < 5


def test_procfs_below_the_root_of_the_system(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    """A toolbox on `/` reads nothing of `/proc`: neither the environment nor what never ends."""
    monkeypatch.setenv("ROOTLE_MARK", "MARKED-VALUE")
    seen, _ = child(kernel_files, "/", "")
    check_kernel_files(seen)


def test_procfs_mounted_in_the_root(tree: Tree, child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    """A procfs mounted inside the root is passed over with a warning."""
    monkeypatch.setenv("ROOTLE_MARK", "MARKED-VALUE")
    seen, _ = child(kernel_files, tree({"f": "needle\n"}), "proc", mounts=True)
    check_kernel_files(seen)
    assert seen["found"] == ["f"]
    assert seen["warnings"] == [["proc", "kernel_fs"]]


def test_magic_links_of_procfs(
    tree: Tree, open_box: OpenBox, refusals: Refusals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links that the kernel makes up (`/proc/self/cwd`) are not followed, also when they would end inside."""
    root = tree({"f": "x", "p": Path("/proc/self/root"), "cwd": Path("/proc/self/cwd"), "fd": Path("/proc/self/fd")})
    monkeypatch.chdir(root)
    box = open_box(root)
    for path in ("/proc/self/root/etc/passwd", "/proc/self/cwd/f", "p/etc/passwd", "p", "cwd", "cwd/f", "fd"):
        errors = refusals(box, path)
        assert {type(error) for error in errors.values()} == {PathEscapesRoot}, path
