"""What is written to stdout: bytes as they are into a pipe, colour and visible escapes on a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["Output", "Progress", "colour_argument"]

_STYLES = {"path": "35", "line": "32", "match": "1;31", "separator": "36", "dim": "2", "directory": "34"}


def colour_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--color`."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="when to colour; auto: on a terminal, unless NO_COLOR is set",
    )


class Output:
    """Buffered stdout.

    Names that are not UTF-8 leave as the bytes they are; on a terminal control characters are made visible.

    Args:
        colour: "auto", "always" or "never".
    """

    def __init__(self, colour: str = "auto") -> None:
        self.terminal = sys.stdout.isatty()
        coloured = colour == "always" or (
            colour == "auto" and self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        )
        self._styles = _STYLES if coloured else {}
        self._escape_name: Callable[[str], str] = str
        self._escape_text: Callable[[str], str] = str
        if self.terminal:
            from rootle.rendering import escape_name, escape_text

            self._escape_name, self._escape_text = escape_name, escape_text

    @property
    def plain(self) -> bool:
        """Whether text leaves as it is, neither coloured nor escaped."""
        return not self.terminal and not self._styles

    def name(self, path: str, style: str = "path") -> str:
        """Make a path ready to be written."""
        return self.paint(self._escape_name(path), style)

    def text(self, text: str) -> str:
        """Make a line of content ready to be written."""
        return self._escape_text(text)

    def paint(self, text: str, style: str) -> str:
        """Colour text that is ready to be written."""
        code = self._styles.get(style)
        return text if code is None or not text else f"\x1b[{code}m{text}\x1b[0m"

    def highlight(self, text: str, spans: list[tuple[int, int]]) -> str:
        """Make a line ready and colour the matches in it; `spans` are character offsets."""
        if not self._styles:
            return self.text(text)
        parts, end = [], 0
        for start, stop in spans:
            parts.append(self.text(text[end:start]))
            parts.append(self.paint(self.text(text[start:stop]), "match"))
            end = stop
        parts.append(self.text(text[end:]))
        return "".join(parts)

    def write(self, text: str) -> None:
        """Write text that is ready."""
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))

    def line(self, text: str = "") -> None:
        """Write a line that is ready."""
        self.write(text + "\n")


class Progress:
    """Says on stderr how long a call has taken, from the first second on; only when both streams are terminals."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._done: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty() and sys.stdout.isatty():
            import threading

            self._done = threading.Event()
            self._thread = threading.Thread(target=self._tell, args=(self._done,), daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._done is not None and self._thread is not None:
            self._done.set()
            self._thread.join()

    def _tell(self, done: threading.Event) -> None:
        seconds = 0
        while not done.wait(1.0):
            seconds += 1
            sys.stderr.write(f"\r{self._words} ... {seconds} s")
            sys.stderr.flush()
        if seconds:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
