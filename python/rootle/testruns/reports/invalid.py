"""`InvalidReport`: a report that is not taken."""

from __future__ import annotations

__all__ = ["InvalidReport"]


class InvalidReport(ValueError):
    """The file is no whole report of the shape that its runner writes; the message says what is wrong."""
