r"""From the bytes that a command printed to text that is harmless to read.

Escape sequences of terminals are taken out where they are whole: they colour, move the cursor, set titles and fill the
clipboard. What is left of control characters, bytes that are no UTF-8, direction controls and tags is written as
visible escapes, so that no text is hidden from a reader, and none reads as something else. The bytes themselves stay as
they are.

>>> harmless(b"\x1b[31mred\x1b[0m \xff \x07")
'red \\xff \\x07'
"""

from __future__ import annotations

import re
from itertools import pairwise

from rootle import limits
from rootle.rendering import escape_lines

__all__ = ["Hidden", "harmless", "hidden_characters", "whole_end"]

Hidden = tuple[int, int, str]
"""Line and column of an invisible character, both from 1, and its code point as `U+200B`."""

_LONGEST = limits.COMMAND_SEQUENCE_CHARS
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movements
    rf"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\r\n]{{0,{_LONGEST}}}(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, the clipboard
    rf"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\r\n]{{0,{_LONGEST}}}(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b(?:[ -/]+[0-~]|[0-OQ-WYZ\\`-~])"  # of two or three characters: character sets, saved cursors
)
_OVERSTRIKE = re.compile("(?:_\b(?=[^\b\n])|([^\b\n])\b(?=\\1))")  # underlined and bold, as pages of manuals have it
# What `escape_lines` leaves: tags and the selectors beyond the first sixteen carry text that nobody sees.
_TAGS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_INVISIBLE = re.compile(
    "[\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]|(?:^|(?<=[\x00-\x7f]))[\u200c\u200d]"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_SAME_LETTERS = 6


def harmless(data: bytes) -> str:
    """Give what was printed as text; lines end in a line feed."""
    text = data.decode("utf-8", "backslashreplace")
    plain = text.isascii()
    if "\x1b" in text or not plain:
        text = _SEQUENCE.sub("", text)
    if "\b" in text:
        text = _OVERSTRIKE.sub("", text)
    if "\r" in text:
        text = _without_returns(text)
    text = escape_lines(text)
    return text if plain else _TAGS.sub(lambda tag: f"\\U{ord(tag.group()):08x}", text)


def hidden_characters(text: str, most: int) -> list[Hidden]:
    """Find the first characters in `text` that are invisible: zero width spaces, joiners after ASCII."""
    if text.isascii():
        return []
    found: list[Hidden] = []
    for match in _INVISIBLE.finditer(text):
        if len(found) == most:
            break
        before = text[: match.start()]
        column = match.start() - (before.rfind("\n") + 1) + 1
        found.append((before.count("\n") + 1, column, f"U+{ord(match.group()):04X}"))
    return found


def whole_end(data: bytes) -> int:
    """Give the length of `data` without a last character or escape sequence that may still go on."""
    end = len(data)
    for back in range(1, min(end, 3) + 1):
        byte = data[end - back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 1 if byte < 0xC2 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4 if byte < 0xF5 else 1
        end -= back if needed > back else 0
        break
    escape = data.rfind(b"\x1b", max(0, end - 64), end)
    if escape >= 0 and not _SEQUENCE.match(data[escape:end].decode("latin-1")):
        return escape
    return end


def _without_returns(text: str) -> str:
    """Put lines that were written over one another (progress bars) down to their last state.

    States of one line that begin with other words are no progress: each becomes a line, so that nothing is hidden.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join(_collapsed(line) if "\r" in line else line for line in lines)


def _collapsed(line: str) -> str:
    states = [state for state in line.split("\r") if state.strip()]
    kept = [one for one, after in pairwise(states) if not _continues(one, after)]
    return "\n".join(kept + states[-1:])


def _continues(state: str, after: str) -> bool:
    """Whether `after` is a later state of the same progress: their first letters are the same, or one has none."""
    one, other = ("".join(_LETTERS.findall(each[:200]))[:_SAME_LETTERS] for each in (state, after))
    return one.startswith(other) or other.startswith(one)
