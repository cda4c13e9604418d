"""`BubblewrapSandbox`: commands on this machine that see and write little of it."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Sequence
from functools import cached_property

from rootle import limits
from rootle.errors import SandboxUnavailable
from rootle.options import PathArg
from rootle.sandbox.environment import Environment
from rootle.sandbox.local import HELPER, LocalSandbox
from rootle.sandbox.mounts import Mounts

__all__ = ["BubblewrapSandbox"]

INSIDE = "/.rootle-exec-helper"
"""Where the helper's other half looks for it; `rootle_exec::protocol::INSIDE`."""

ABSENT = (
    "DBUS_*",
    "DISPLAY",
    "SSH_AUTH_SOCK",
    "TEMP",
    "TMP",
    "TMPDIR",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
)
"""Names of variables that name places which are not there."""


class BubblewrapSandbox(LocalSandbox):
    """A directory in which commands run by themselves: they see the system read-only and can write this alone.

    Debian's `bwrap` makes namespaces for processes, users, System V objects and host name, and unless `net` is given
    one for the network, in which there is nobody. Of the files commands see `/usr` and its like, `/etc` without what
    not everybody may read, `/opt`, the Python that runs this process, and the directory; all read-only but the
    last. `/tmp` and the home directory are empty, a command's own, and gone at its end. Nothing else is
    there: no other home, no socket of a daemon. Below the directory, too, what this process runs from (its virtual
    environment) is read-only, since writing it would act outside. Commands have no capability, and cannot gain any.

    Everything else is as with `LocalSandbox`, of which this is one: time limits, output, cancelling, `read_file` and
    `write_file`. The tier in results is "bubblewrap".

    Args:
        path: The directory.
        net: Let commands reach the network, this machine's own services and its abstract sockets included.
        readable: Further paths that commands may read, such as a toolchain below the home directory.
        writable: Further paths that they may write.
        user_namespace: Whether commands get one. Without one, which is for root alone, they can write files of other
            users in the directory. By default they get one where that is allowed, except when root works on a directory
            that is somebody else's.
        scratch_bytes: The most that each of the empty directories holds (they live in memory).
        environment: The policy for variables.
        memory_bytes: Address space of each process.
        processes: Processes of one command at one time.
        file_bytes: The largest file that a process may write.
        cpu_s: Processor time of each process.

    Raises:
        PathNotFound, NotADirectory, PermissionDenied: When the directory cannot be opened, or a path is missing.
        InvalidArgument: When the directory is `/`.
        SandboxUnavailable: From every command, when `bwrap` is missing or the system does not let it work.
    """

    def __init__(
        self,
        path: PathArg,
        net: bool = False,
        *,
        readable: Sequence[PathArg] = (),
        writable: Sequence[PathArg] = (),
        user_namespace: bool | None = None,
        scratch_bytes: int | None = limits.BUBBLEWRAP_SCRATCH_BYTES,
        environment: Environment | None = None,
        memory_bytes: int | None = None,
        processes: int | None = None,
        file_bytes: int | None = None,
        cpu_s: int | None = None,
    ) -> None:
        super().__init__(
            path,
            tier="bubblewrap",
            environment=environment or Environment(scrub=ABSENT),
            memory_bytes=memory_bytes,
            processes=processes,
            file_bytes=file_bytes,
            cpu_s=cpu_s,
        )
        self.net = net
        self._mounts = Mounts(
            root=os.path.realpath(self.root),
            readable=tuple(os.fspath(one) for one in readable),
            writable=tuple(os.fspath(one) for one in writable),
            net=net,
            scratch_bytes=scratch_bytes,
        )
        self._user_namespace = user_namespace
        self._lock = threading.Lock()
        self._chosen: list[str] | None = None

    def _bubblewrap(self) -> list[str]:
        """Give the command line that works here, which is found out once."""
        with self._lock:
            if self._chosen is None:
                self._chosen = self._choose()
            return self._chosen

    def _choose(self) -> list[str]:
        refused: SandboxUnavailable | None = None
        for user in self._ways():
            line = self._line(user)
            trial = _Trial(self.root, line)
            try:
                trial.run(["/bin/true"], timeout_s=limits.BUBBLEWRAP_TRIAL_S)
            except SandboxUnavailable as error:
                refused = refused or error
            else:
                return line
        raise refused or SandboxUnavailable.of("a user namespace is for everybody but root a must")

    def _ways(self) -> list[bool]:
        """Give whether to try it with a user namespace, in order."""
        if self._user_namespace is not None:
            return [self._user_namespace]
        if os.geteuid() != 0:
            return [True]
        return [False] if os.stat(self.root).st_uid != 0 else [True, False]

    def _line(self, user_namespace: bool) -> list[str]:
        spaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        if not self.net:
            spaces.append("--unshare-net")
        rights = ["--cap-drop", "ALL"]
        if user_namespace:
            spaces.append("--unshare-user")
        else:
            # For files that are not root's own. Without rights to mount, to make devices or over the kernel these
            # change nothing outside the directories that can be written.
            for right in ("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_FSETID"):
                rights += ["--cap-add", right]
        helper = ["--ro-bind", str(HELPER), INSIDE, "--remount-ro", "/"]
        life = ["--die-with-parent", "--new-session", "--as-pid-1"]
        return [self._program, *spaces, *rights, *life, *self._options, *helper]

    @cached_property
    def _program(self) -> str:
        found = shutil.which("bwrap")
        if found is None:
            raise SandboxUnavailable.of("there is no bwrap on the PATH: install the package bubblewrap")
        return os.path.realpath(found)

    @cached_property
    def _options(self) -> list[str]:
        options = self._mounts.options()
        if os.stat(self._program).st_mode & stat.S_ISUID:
            # Installed with the rights of root it takes no sizes from others.
            while "--size" in options:
                at = options.index("--size")
                del options[at : at + 2]
        return options


class _Trial(LocalSandbox):
    """A sandbox made with one command line."""

    def __init__(self, path: str, line: list[str]) -> None:
        super().__init__(path, tier="bubblewrap")
        self._line = line

    def _bubblewrap(self) -> list[str]:
        return self._line
