"""`SandboxBackend`: a workspace's backend over a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rootle import limits
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.edits import RemoteEdits
from rootle.workspace.remote.reading import read_large, read_small, whole_content
from rootle.workspace.remote.searches import RemoteSearches
from rootle.workspace.remote.station import Deadline

if TYPE_CHECKING:
    from rootle._core import CancelToken
    from rootle.options import PathArg
    from rootle.results import ReadResult

__all__ = ["SandboxBackend"]


class SandboxBackend(RemoteSearches, RemoteEdits):
    """A tree in a sandbox, reached through the three methods of a client.

    Needed there: a POSIX `sh`, and `find`, `xargs`, `stat`, `readlink`, `wc`, `cat`, `head`, `tail` as GNU or busybox
    have them; `rg` or `grep` make searches fast, `sha256sum`, `mv`, `ln`, `chmod` are for writing. What is missing is
    named by a SandboxUnavailable when it is needed.

    Args:
        client: The sandbox.
        root: The root's path there, absolute or relative to the client's working directory.
    """

    def read(
        self,
        path: PathArg,
        *,
        start_line: int = 1,
        max_lines: int | None = None,
        start_column: int = 1,
        max_line_chars: int = limits.READ_LINE_CHARS,
        max_chars: int = limits.READ_CHARS,
        encoding: str | None = None,
        keep_bytes: int = 0,
        timeout_s: float | None = None,
        cancel: CancelToken | None = None,
    ) -> ReadResult:
        """Read lines of one file; see `rootle.read`."""
        deadline = Deadline(timeout_s, cancel)
        options: dict[str, Any] = {
            "start_line": start_line,
            "max_lines": max_lines,
            "start_column": start_column,
            "max_line_chars": max_line_chars,
            "max_chars": max_chars,
            "encoding": encoding,
            "keep_bytes": keep_bytes,
        }
        try:
            found = self._look(path, deadline, limits.REMOTE_INLINE_BYTES)
            entry = found.entry
            if found.there and entry is not None and entry.kind == "file" and found.content is None:
                if entry.size > limits.REMOTE_WHOLE_BYTES:
                    return read_large(self._station, found, entry, found.named, options, deadline)
                found.content = whole_content(self._station, found, deadline)
        except Stopped as stopped:
            raise deadline.error(stopped) from None
        if not found.there:
            return self._refusing(found, lambda backend: backend.read(found.name, **options))
        return read_small(self._station, found, found.named, options)
