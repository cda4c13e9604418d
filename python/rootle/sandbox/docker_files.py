"""Files of a container, through its own shell.

Not through the engine's archives: Podman's fail for names beyond ASCII and for backslashes, and what is put goes below
file systems that were mounted in the container.
"""

from __future__ import annotations

import posixpath
import secrets
import shlex
from typing import TYPE_CHECKING

from rootle import limits
from rootle.contracts import ExecResult
from rootle.errors import (
    FileTooLarge,
    IoFailed,
    IsADirectory,
    NotADirectory,
    NotARegularFile,
    PathEscapesRoot,
    PathNotFound,
    PermissionDenied,
)
from rootle.sandbox.distant import beneath, check_written, within

if TYPE_CHECKING:
    from rootle.sandbox.docker import DockerSandbox

__all__ = ["ContainerFiles"]

# What stands at a path, its mode and size, where it is with links followed as far as there is something, and the root.
# A point at the end keeps line ends at the end of a name.
_LOOK = r"""
p=@PATH@ m=
while [ ! -e "$p" ] && [ ! -L "$p" ]; do
  m=/${p##*/}$m; p=${p%/*}
  [ -n "$p" ] || p=/
done
k=none
if [ -z "$m" ]; then
  if [ -d "$p" ]; then k=directory
  elif [ -f "$p" ]; then k=file; [ -r "$p" ] || k=unreadable
  elif [ -e "$p" ]; then k=special
  fi
elif [ ! -d "$p" ]; then k=below
fi
r=$(readlink -f -- "$p" && echo .) || exit 3
r=${r%??}; [ "$r" = / ] && [ -n "$m" ] && r=
w=$(pwd -P; echo .)
printf '%s\0%s\0%s\0%s\0' "$k" "$(stat -Lc '%a %s' -- "$p" 2>/dev/null)" "$r$m" "${w%??}"
"""

_READ = r"""
if [ $k = file ]; then
  w=${w%??}; case $r/ in "${w%/}"/*) cat -- "$r";; esac
fi
"""

_WRITE = r"""
d=@PARENT@ f=@FRESH@
mkdir -p -- "$d" && [ -w "$d" ] && [ -x "$d" ] || exit 4
cat > "$f" && chmod @MODE@ "$f" && mv -f -- "$f" @PLACE@ || { rm -f -- "$f"; exit 5; }
"""


class ContainerFiles:
    """Reads and replaces files beneath the root of a container's sandbox."""

    def __init__(self, box: DockerSandbox) -> None:
        self._box = box

    async def read(self, path: str) -> bytes:
        """Give a file's whole content."""
        full = beneath(self._box.root, path)
        look = _LOOK.replace("@PATH@", shlex.quote(full))
        # The header is small; one byte more than allowed tells a file that is too large.
        most = 4 * (limits.EXEC_FILE_BYTES + 10_000)
        done = await self._box._quick(look + _READ, most=most)
        kind, _, size, _, data = self._looked(path, done)
        if size > limits.EXEC_FILE_BYTES or len(data) > limits.EXEC_FILE_BYTES:
            raise _too_large(path, max(size, len(data)))
        if kind == "unreadable":
            raise PermissionDenied.of(f'"{path}" may not be read', path=path)
        if kind == "none":
            raise PathNotFound.of(f'"{path}" does not exist', path=path)
        if done.exit_code != 0:
            raise IoFailed.of(f'"{path}": {_said(done)}', path=path)
        return data

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file's content, making it and its directories."""
        if len(data) > limits.EXEC_FILE_BYTES:
            raise _too_large(path, len(data))
        full = beneath(self._box.root, path)
        check_written(full[len(self._box.root) :])
        done = await self._box._quick(_LOOK.replace("@PATH@", shlex.quote(full)))
        kind, mode, _, place, _ = self._looked(path, done)
        check_written(place)
        parent = posixpath.dirname(place)
        script = (
            _WRITE.replace("@PARENT@", shlex.quote(parent))
            .replace("@FRESH@", shlex.quote(posixpath.join(parent, f".rootle-{secrets.token_hex(8)}")))
            .replace("@MODE@", f"{mode:o}" if kind in ("file", "unreadable") else "644")
            .replace("@PLACE@", shlex.quote(place))
        )
        done = await self._box._quick(script, stdin=data)
        if done.exit_code == 4:
            raise PermissionDenied.of(f'"{path}" may not be written: {_said(done)}', path=path)
        if done.exit_code != 0:
            raise IoFailed.of(f'"{path}": {_said(done)}', path=path)

    def _looked(self, path: str, done: ExecResult) -> tuple[str, int, int, str, bytes]:
        """Give what stands at a path, its mode and size, where it is, and what came behind."""
        if done.exit_code == 3 or done.stdout.count(b"\0") < 4:
            raise PathNotFound.of(f'"{path}" leads nowhere: {_said(done)}', path=path)
        kind, numbers, place, root, data = done.stdout.split(b"\0", 4)
        mode, size = [*numbers.split(), b"644", b"0"][:2] if numbers else (b"644", b"0")
        where = place.decode(errors="surrogateescape")
        if not within(root.decode(errors="surrogateescape"), where):
            raise PathEscapesRoot.of(f'"{path}" is outside the root', path=path)
        if kind == b"directory":
            raise IsADirectory.of(f'"{path}" is a directory', path=path)
        if kind == b"below":
            raise NotADirectory.of(f'"{path}" goes on below a file', path=path)
        if kind == b"special":
            raise NotARegularFile.of(f'"{path}" is not a regular file', path=path)
        return kind.decode(), int(mode, 8), int(size), where, data


def _said(done: ExecResult) -> str:
    return done.stderr.decode(errors="replace").strip() or f"exit code {done.exit_code}"


def _too_large(path: str, size: int) -> FileTooLarge:
    limit = limits.EXEC_FILE_BYTES
    return FileTooLarge.of(f'"{path}" has {size} bytes, more than {limit}', path=path, size=size, limit=limit)
