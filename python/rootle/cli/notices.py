"""What a person must know beside the results, on stderr: paths that could not be read, a search that did not end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rootle.cli.dispatch import complain

if TYPE_CHECKING:
    from rootle.results import PathWarning

__all__ = ["tell_stop", "tell_warnings"]

# These say what was left out on purpose; every other warning is a failure, and the exit code says so, as in ripgrep.
_ON_PURPOSE = frozenset({"ignore_file_skipped", "kernel_fs"})


def tell_warnings(warnings: Sequence[PathWarning], shown: Callable[[str], str]) -> bool:
    """Print the warnings; true when one of them is a failure."""
    failed = False
    for warning in warnings:
        complain(f"{shown(warning.path)}: {warning.message}")
        failed = failed or warning.code not in _ON_PURPOSE
    return failed


def tell_stop(stop: str | None, cursor: str | None, terminal: bool) -> bool:
    """Say why a call ended early; true when that was not at the caller's own limit on results."""
    if stop is None:
        return False
    if stop in ("max_matches", "max_results"):
        if terminal and cursor is not None:
            complain(f"there is more: go on with --cursor {cursor}")
        return False
    complain(f"incomplete: stopped by {stop}")
    return True
