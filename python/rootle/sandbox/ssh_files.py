"""Files of another machine, through SFTP."""

from __future__ import annotations

import posixpath
import secrets
import stat
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, TypeVar

from rootle import limits
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

__all__ = ["SshFiles"]

T = TypeVar("T")


class SshFiles:
    """Reads and replaces files beneath a root, over one SFTP session."""

    def __init__(self, asyncssh: Any, sftp: Any, root: str) -> None:
        self._asyncssh = asyncssh
        self._sftp = sftp
        self._root = root

    async def read(self, path: str) -> bytes:
        """Give a file's whole content."""
        full = beneath(self._root, path)
        place = await self._real(path, full)
        found = await self._said(path, full, self._sftp.stat(place))
        self._must_be_file(path, found)
        if (found.size or 0) > limits.EXEC_FILE_BYTES:
            raise _too_large(path, found.size)
        async with await self._said(path, full, self._sftp.open(place, "rb")) as file:
            # One byte more than allowed, in case it grew.
            data: bytes = await self._said(path, full, file.read(limits.EXEC_FILE_BYTES + 1))
        if len(data) > limits.EXEC_FILE_BYTES:
            raise _too_large(path, len(data))
        return data

    async def write(self, path: str, data: bytes) -> None:
        """Replace a file's content, making it and its directories."""
        if len(data) > limits.EXEC_FILE_BYTES:
            raise _too_large(path, len(data))
        full = beneath(self._root, path)
        check_written(full[len(self._root) :])
        place = await self._place(path, full)
        check_written(place)
        mode = 0o644
        with suppress(self._asyncssh.SFTPNoSuchFile):
            found = await self._sftp.stat(place)
            self._must_be_file(path, found)
            mode = stat.S_IMODE(found.permissions)
        parent = posixpath.dirname(place)
        await self._said(path, full, self._sftp.makedirs(parent, exist_ok=True))
        fresh = posixpath.join(parent, f".rootle-{secrets.token_hex(8)}")
        try:
            async with await self._said(path, full, self._sftp.open(fresh, "xb")) as file:
                await self._said(path, full, file.write(data))
                await self._said(path, full, self._sftp.chmod(fresh, mode))
            await self._said(path, full, self._replace(fresh, place))
        except BaseException:
            with suppress(self._asyncssh.SFTPError, ConnectionError):
                await self._sftp.remove(fresh)
            raise

    async def _replace(self, fresh: str, place: str) -> None:
        try:
            await self._sftp.posix_rename(fresh, place)
        except self._asyncssh.SFTPOpUnsupported:
            with suppress(self._asyncssh.SFTPNoSuchFile):
                await self._sftp.remove(place)
            await self._sftp.rename(fresh, place)

    async def _real(self, path: str, full: str) -> str:
        """Give the place that a path leads to, with links followed, if that is beneath the root."""
        root = await self._said(".", self._root, self._sftp.realpath(self._root))
        place = await self._said(path, full, self._sftp.realpath(full))
        if not within(root, place):
            raise PathEscapesRoot.of(f'"{path}" is outside the root', path=path)
        found: str = place
        return found

    async def _place(self, path: str, full: str) -> str:
        """The same for a path whose last names may not exist yet."""
        missing: list[str] = []
        at = full
        while not await self._exists(at) and within(self._root, posixpath.dirname(at)):
            missing.insert(0, posixpath.basename(at))
            at = posixpath.dirname(at)
        return posixpath.join(await self._real(path, at), *missing)

    async def _exists(self, full: str) -> bool:
        # A link that leads nowhere exists too: writing through it would make its target.
        return bool(await self._sftp.lexists(full))

    def _must_be_file(self, path: str, found: Any) -> None:
        if stat.S_ISDIR(found.permissions or 0):
            raise IsADirectory.of(f'"{path}" is a directory', path=path)
        if not stat.S_ISREG(found.permissions or stat.S_IFREG):
            raise NotARegularFile.of(f'"{path}" is not a regular file', path=path)

    async def _said(self, path: str, full: str, work: Awaitable[T]) -> T:
        """Await an operation, with the contract's errors in place of the protocol's."""
        ssh = self._asyncssh
        try:
            return await work
        except (ssh.SFTPNoConnection, ssh.SFTPConnectionLost):
            raise
        except ssh.SFTPPermissionDenied as error:
            raise PermissionDenied.of(f'"{path}" may not be accessed', path=path, original_error=error) from error
        except ssh.SFTPError as error:
            # The protocol tells neither a file among the directories nor much else.
            if await self._goes_through_a_file(full):
                raise NotADirectory.of(f'"{path}" goes on below a file', path=path) from error
            if isinstance(error, ssh.SFTPNoSuchFile | ssh.SFTPNoSuchPath):
                raise PathNotFound.of(f'"{path}" does not exist', path=path) from error
            raise IoFailed.of(f'"{path}": {error.reason}', path=path, original_error=error) from error

    async def _goes_through_a_file(self, full: str) -> bool:
        at = posixpath.dirname(full)
        while within(self._root, at):
            with suppress(self._asyncssh.SFTPError):
                return not stat.S_ISDIR((await self._sftp.stat(at)).permissions or 0)
            at = posixpath.dirname(at)
        return False


def _too_large(path: str, size: int | None) -> FileTooLarge:
    limit = limits.EXEC_FILE_BYTES
    return FileTooLarge.of(f'"{path}" has {size} bytes, more than {limit}', path=path, size=size, limit=limit)
