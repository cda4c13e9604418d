"""Parsing that lets options stand anywhere, and lets patterns and names start with a dash where the user says so."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

__all__ = ["bare", "parse"]

# No argument of a process can hold a NUL byte, so it marks words that argparse must not take for options.
_SHIELD = "\0"

# Once a parser has an option `-0`, argparse takes every negative number for an option; it may be a value.
_NEGATIVE = re.compile(r"-(?!0$)\d*\.?\d+")


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace:
    """Parse `argv`: options may follow paths, `--` ends them, and the value of -e may be anything."""
    # argparse's own treatment of `--` and of values with a dash fails once options and words are mixed.
    args = parser.parse_intermixed_args(_shielded(argv))
    for name, value in vars(args).items():
        setattr(args, name, _bare(value))
    return args


def _shielded(argv: Sequence[str]) -> list[str]:
    words: list[str] = []
    ended = False
    for word in argv:
        if not ended and word == "--":
            ended = True
        elif word.startswith("-") and (ended or _is_value(word, words[-1] if words else "")):
            words.append(_SHIELD + word)
        else:
            words.append(word)
    return words


def _is_value(word: str, before: str) -> bool:
    return before in ("-e", "--regexp") or (before.startswith("-") and _NEGATIVE.fullmatch(word) is not None)


def bare(word: str) -> str:
    """Give a word as the user wrote it; the types of options see it before `parse` has unwrapped it."""
    return word.removeprefix(_SHIELD)


def _bare(value: object) -> object:
    if isinstance(value, str):
        return bare(value)
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return value
