"""How file content and names read in a tool's text: harmless, and never taken for the tool's own words."""

from __future__ import annotations

import re

from rootle import limits

__all__ = ["count_of", "escape_lines", "escape_name", "escape_text", "frame_tag", "shown_diff", "unescape_name"]

# Control characters but tab, the C1 controls, the line separators that some readers split at, and lone surrogates
# (bytes that are not UTF-8). Bidirectional controls can make a line read as another one.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_UNSAFE_IN_LINES = re.compile(_UNSAFE.pattern.replace("\x0a-\x1f", "\x0b-\x1f"))
_PLAIN = bytes([9, 10, *range(32, 127)])
_UNSAFE_NAME = re.compile(_UNSAFE.pattern[:-1] + "\t]|" + r"\\(?=x[0-9a-f]{2}|u[0-9a-f]{4})")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})")


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def escape_text(text: str) -> str:
    """Write control characters and bidirectional controls of one line as visible escapes; tabs stay."""
    return _UNSAFE.sub(_visible, text)


def escape_lines(text: str) -> str:
    """Do as `escape_text` with several lines at once; their ends stay."""
    # Nearly all text is this plain, and to see that takes a tenth of the time of the expression.
    if text.isascii() and not text.encode().translate(None, _PLAIN):
        return text
    return _UNSAFE_IN_LINES.sub(_visible, text)


def escape_name(name: str) -> str:
    r"""Write a path on one line, reversibly: control characters and undecodable bytes as `\xNN` or `\uNNNN`.

    A backslash that would read as the start of such an escape is itself written as one, so that `unescape_name` gives
    every name back.
    """
    if name.isascii() and name.isprintable() and "\\" not in name:
        return name
    return _UNSAFE_NAME.sub(_visible, name)


def unescape_name(text: str) -> str:
    """Give back the path that `escape_name` wrote as `text`."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_from_escape, text)


def _from_escape(match: re.Match[str]) -> str:
    byte, point = match.groups()
    return chr(int(byte or point, 16))


def frame_tag(word: str, content: str) -> str:
    """Choose the name of the tag around `content`: `word`, with a suffix when the content holds such a tag."""
    if f"<{word}" not in content and f"</{word}" not in content:
        return word
    import hashlib  # most content needs no hash, and a command's start should not pay for it

    digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    length = 6
    # The content cannot hold every prefix of its own hash by chance; growing the suffix settles the rest.
    while length < len(digest) and f"{word}-{digest[:length]}" in content:
        length += 1
    return f"{word}-{digest[:length]}"


def count_of(count: int, noun: str, plural: str | None = None) -> str:
    """Say a count with its noun: `1 file`, `1,234 files`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shown_diff(diff: str) -> str:
    """Write a diff line by line, control characters made visible, as long as it is short enough to be read."""
    rows = diff.splitlines()
    if not rows:
        return ""
    cut = len(rows) - limits.EDIT_SHOWN_DIFF_LINES
    shown = [escape_text(row) for row in rows[: limits.EDIT_SHOWN_DIFF_LINES]]
    return "\n".join(shown) + (f"\n({count_of(cut, 'more line')})" if cut > 0 else "")
