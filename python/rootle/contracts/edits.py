"""What a host may say about an edit before it is made, and who hears of it afterwards."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, Protocol, TypeAlias

from rootle.errors import InvalidArgument

__all__ = [
    "Action",
    "ActionRefused",
    "AfterEdit",
    "Confirm",
    "Edit",
    "Replacement",
    "Undoable",
    "as_replacements",
    "is_temporary",
    "tell_after_edit",
]

_SCRATCH_DIRS = frozenset({".scratch", ".temp", ".tmp", "scratch", "temp", "tmp"})
_SCRATCH_SUFFIXES = (".swp", ".temp", ".tmp", "~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a tool is about to do to one file.

    Attributes:
        path: The file, relative to the root.
        kind: `overwrite` replaces the whole content, `edit` a part of it, `delete` removes the file.
        existing: Whether the file is there already.
        temporary: Whether it is a scratch file, as `is_temporary` tells.
    """

    tool: str
    path: str
    kind: Literal["overwrite", "edit", "delete"]
    existing: bool
    temporary: bool = False

    @property
    def needs_confirmation(self) -> bool:
        """Only what is there already and is no scratch file can be lost."""
        return self.existing and not self.temporary

    def __str__(self) -> str:
        """Say it in words for a person who is asked."""
        return f"{self.kind} {self.path}"


class ActionRefused(Exception):
    """Ends a tool whose action the host did not allow; the tool's result then says so. Never reaches a caller."""

    def __init__(self, action: Action) -> None:
        super().__init__(f"The user refused to let {action.tool} {action}. Nothing was changed.")
        self.action = action


Confirm: TypeAlias = Callable[[Action], bool | Awaitable[bool]]
"""Asked before a file is overwritten or edited; true allows it. A plain function runs on a thread of its own."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A piece of text to be replaced by another.

    Attributes:
        old: Text of the file; one place must be meant.
        new: What stands there afterwards.
        replace_all: Replace every place where `old` stands exactly, or as whole lines.
        expected_count: Refuse unless there are exactly so many places; more than one are then all replaced.
        near_line: Of several equal places, the one nearest to this line (from 1) is meant.
    """

    old: str
    new: str
    replace_all: bool = False
    expected_count: int | None = None
    near_line: int | None = None

    def for_core(self) -> tuple[str, str, bool, int | None, int | None]:
        """Give it as the core takes it; raises InvalidArgument that names what the core could not hold."""
        for name, text in (("old", self.old), ("new", self.new)):
            check_text(name, text)
        for name, number in (("expected_count", self.expected_count), ("near_line", self.near_line)):
            if number is None:
                continue
            if not isinstance(number, int) or isinstance(number, bool):
                raise InvalidArgument.of(f"{name}: it is {type(number).__name__}, not a whole number", name=name)
            if not 1 <= number < 1 << 63:
                raise InvalidArgument.of(f"{name}: {number} is out of range, it counts from 1", name=name)
        return (self.old, self.new, bool(self.replace_all), self.expected_count, self.near_line)


def check_text(name: str, text: object) -> None:
    """Raise InvalidArgument for what is no text, or holds half of a surrogate pair, which no file can."""
    if not isinstance(text, str):
        raise InvalidArgument.of(f"{name}: it is {type(text).__name__}, not text", name=name)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument.of(f"{name}: {error.reason} at {error.start}", name=name) from None


def as_replacements(edits: object, *more: object) -> list[Replacement]:
    """Give one edit, or several in a list, as a list; raises InvalidArgument for everything else."""
    single = more or isinstance(edits, Replacement | str | bytes) or not isinstance(edits, Iterable)
    given = [edits, *more] if single else list(edits)  # type: ignore[call-overload]
    checked = [one for one in given if isinstance(one, Replacement)]
    if more or len(checked) != len(given):
        wrong = next((one for one in given if not isinstance(one, Replacement)), None)
        said = "several edits must be one list" if wrong is None else f"{type(wrong).__name__} is no edit"
        raise InvalidArgument.of(
            said, name="edits", hint="Give rootle.Replacement(old, new), or a list of such replacements."
        )
    return checked


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done to one file: its content before (None for a new file) and after (None for a removed one)."""

    path: str
    before: bytes | None
    after: bytes | None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Undoable:
    """What one edit did to one path.

    Attributes:
        path: The file, relative to the root.
        before: Its content before; None when the edit made it.
        mode: Its permission bits before; None when the edit made it.
        after_hash: The hash of what the edit left; None when it removed the file.
        made_dirs: Directories that were made for it, outermost first.
    """

    path: str
    before: bytes | None
    mode: int | None
    after_hash: bytes | None
    made_dirs: tuple[str, ...] = ()


class AfterEdit(Protocol):
    """Hears of every edit, after it is on disk; what it gives back is added to the tool's text.

    A language server's diagnostics and a formatter's complaints come in this way.
    """

    async def __call__(self, edit: Edit) -> str | None:
        """Look at an edit and say something about it, or nothing."""
        ...


async def tell_after_edit(hooks: Iterable[AfterEdit], edit: Edit) -> list[str]:
    """Tell each hook in turn and give what they say; a hook that fails is named and cannot undo or hide the edit."""
    notices: list[str] = []
    for hook in hooks:
        try:
            said = await hook(edit)
        except Exception as error:
            name = getattr(hook, "__name__", type(hook).__name__)
            said = f"{name} failed after the edit: {error}"
        if said:
            notices.append(said)
    return notices


def is_temporary(path: str, *, root: str = ".") -> bool:
    """Tell whether a file is a scratch file: by its name, by a scratch directory on the way, or in the system's own.

    A root that itself lies in the system's temporary directory does not make all of its files temporary: somebody
    chose to work there.
    """
    parts = PurePosixPath(path).parts
    if not parts:
        return False
    if any(part in _SCRATCH_DIRS for part in parts[:-1]) or parts[-1].endswith(_SCRATCH_SUFFIXES):
        return True
    system = os.path.realpath(tempfile.gettempdir())
    base = os.path.realpath(root)
    return not _is_below(base, system) and _is_below(os.path.normpath(os.path.join(base, path)), system)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
