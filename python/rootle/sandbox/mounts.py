"""What a bubblewrap sandbox shows, as options of `bwrap`."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import rootle
from rootle.errors import InvalidArgument, PathNotFound

__all__ = ["SCRATCH", "SYSTEM", "Mounts"]

SYSTEM: tuple[str, ...] = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
)
"""Directories that are shown, read-only, where the machine has them."""

SCRATCH: tuple[str, ...] = ("/tmp",)
"""Directories of the command's own, empty at its start and gone at its end; so is the home directory."""

OF_THE_KERNEL: tuple[str, ...] = (
    "/proc/acpi",
    "/proc/fs",
    "/proc/mtrr",
    "/proc/scsi",
    "/proc/sys",
    "/proc/sysrq-trigger",
)
"""Parts of procfs through which root rules the whole machine, also without capabilities and in a user namespace, as its
number is root's there too: `core_pattern` names a program that the kernel runs. `bwrap` leaves them as they are."""

OF_OTHERS: tuple[str, ...] = ("/proc/keys", "/proc/sched_debug", "/proc/timer_list")
"""Files of procfs that tell root about others without asking for a capability."""


@dataclass(frozen=True, kw_only=True)
class Mounts:
    """What there is to see.

    Attributes:
        root: The directory that commands work in, without symbolic links.
        readable: Further paths that are shown read-only.
        writable: Further paths that can be written.
        net: Whether the network is there, and so whose addresses resolve.
        scratch_bytes: The most that each scratch directory holds; None for the system's own bound.
    """

    root: str
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    net: bool = False
    scratch_bytes: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be shown."""
        if self.root == "/":
            raise InvalidArgument.of("a sandbox on / would hide nothing", name="path")
        for path in (*self.readable, *self.writable):
            if not os.path.exists(path):
                raise PathNotFound.of(f'"{path}" does not exist', path=path)

    def options(self) -> list[str]:
        """Give them in the order in which `bwrap` follows them: what lies deeper comes later, and so above."""
        found: dict[str, list[str]] = {}
        for path in SYSTEM:
            if os.path.islink(path):
                found[path] = ["--symlink", os.readlink(path), path]
            elif os.path.isdir(path) and os.listdir(path):
                found[path] = ["--ro-bind", path, path]
        size = [] if self.scratch_bytes is None else ["--size", str(self.scratch_bytes)]
        home = os.path.realpath(os.path.expanduser("~"))
        for path in (*SCRATCH, *([] if home == "/" else [home])):
            mode = "1777" if path in SCRATCH else "0700"
            found[path] = ["--perms", mode, *size, "--tmpfs", path]
        found["/proc"], found["/dev"] = ["--proc", "/proc"], ["--dev", "/dev"]
        found["/var/tmp"], found["/run"] = ["--symlink", "../tmp", "/var/tmp"], ["--dir", "/run"]
        if os.geteuid() == 0:
            found.update((path, ["--ro-bind", path, path]) for path in OF_THE_KERNEL if os.path.exists(path))
            found.update((path, _mask(path)) for path in OF_OTHERS if os.path.exists(path))
        for path in self._shown():
            found[path] = ["--ro-bind", path, path]
        found.update((path, _mask(path)) for path in private("/etc"))
        for path in (self.root, *map(os.path.realpath, self.writable)):
            found[path] = ["--bind", path, path]
        ordered = sorted(found, key=lambda path: (path.count("/"), path))
        return [option for path in ordered for option in found[path]]

    def _shown(self) -> Iterator[str]:
        """Give what is read-only besides the system: what this process itself runs from, also below the root."""
        own = (sys.prefix, sys.base_prefix, str(Path(rootle.__file__).parent))
        names = ("/etc/resolv.conf",) if self.net else ()
        for path in map(os.path.realpath, (*own, *names)):
            if os.path.exists(path) and path != "/" and (_below(path, (self.root,)) or not _below(path, SYSTEM)):
                yield path
        yield from (os.path.realpath(path) for path in self.readable)


def private(directory: str) -> Iterator[str]:
    """Give the files and directories that not everybody on the machine may read but this user."""
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            continue
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        is_directory = stat.S_ISDIR(found.st_mode)
        needed = stat.S_IROTH | stat.S_IXOTH if is_directory else stat.S_IROTH
        if found.st_mode & needed != needed:
            # What the command's own user cannot read needs no cover, and what is empty none either.
            if (is_directory or found.st_size) and os.access(entry.path, os.R_OK):
                yield entry.path
        elif is_directory:
            yield from private(entry.path)


def _mask(path: str) -> list[str]:
    return ["--perms", "0755", "--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]


def _below(path: str, directories: Iterable[str]) -> bool:
    return any(path == directory or path.startswith(directory + "/") for directory in directories)
