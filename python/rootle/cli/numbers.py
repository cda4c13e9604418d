"""Types for argparse: numbers that make sense for an option, each refused with words that say what would."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

from rootle.cli.arguments import bare

__all__ = ["count", "line_number", "positive", "seconds", "size"]

_MOST = 2**31 - 1


def count(text: str) -> int:
    """Take a whole number from 0 on; what no result could reach is as good as the most that can be said."""
    return _whole(text, 0)


def positive(text: str) -> int:
    """Take a whole number from 1 on."""
    return _whole(text, 1)


def size(text: str) -> int:
    """Take a number of bytes."""
    return _whole(text, 0, 2**63 - 1)


def line_number(text: str) -> int:
    """Take a line: from 1 on, or from -1 down counted from the end."""
    number = _whole(text, -_MOST)
    if number == 0:
        raise ArgumentTypeError("lines count from 1; -1 is the last line")
    return number


def seconds(text: str) -> float:
    """Take a time."""
    text = bare(text)
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if math.isnan(number) or number < 0:
        raise ArgumentTypeError(f"{text} is not a number of seconds from 0 on")
    return number


def _whole(text: str, least: int, most: int = _MOST) -> int:
    text = bare(text)
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < least:
        raise ArgumentTypeError(f"{text} is too small: it must be at least {least}")
    return min(number, most)
