"""The rule that excludes trials to which no answer can be called right. Those are counted in the tables."""

from __future__ import annotations

from benches.editgold.trial import Edit
from benches.editgold.wording import has_words

__all__ = ["Undecidable", "check", "drifted_twin", "stands"]

_TELLING = 16  # so many characters, white space apart, do not stand in a file by chance


class Undecidable(Exception):
    """What the model sent fits another place of the file as well as the true one."""


def check(edit: Edit, head: list[str], block: list[str], tail: list[str], *, gone: bool, copies: bool) -> None:
    """Raise where one of these holds.

    - `old`, as it is sent, stands verbatim at another place of the file.
    - Only `new` does: that is what an edit that was made before looks like.
    - White space apart, the lines of `old` stand at another place, and at the true one they do not.
    - The target is gone (`gone`), but `old` or `new` stands anywhere, white space apart.

    `copies`: look-alikes were put into the file on purpose, so that only a third place would count; none is looked for.
    """
    inside = _solid(block)
    outside = (_solid(head), _solid(tail))
    old, new = _solid(edit.old.split("\n")), _solid(edit.new.split("\n"))
    there = _stands(old, inside)
    elsewhere = any(_stands(old, lines) for lines in outside)
    done = len("".join(new)) >= _TELLING and not there and not _stands(new, old)
    if gone:
        if (elsewhere and not there) or (
            not copies and (there or (done and _stands(new, _solid(head + block + tail))))
        ):
            raise Undecidable
        return
    if copies:
        return
    if (elsewhere and not there) or (done and any(_stands(new, lines) for lines in outside)):
        raise Undecidable
    if edit.old.strip() and any(edit.old in "\n".join([*lines, ""]) for lines in (head, tail)):
        raise Undecidable


def stands(wanted: list[str], lines: list[str]) -> bool:
    """Tell whether these lines follow each other somewhere, white space and blank lines apart."""
    return _stands(_solid(wanted), _solid(lines))


def drifted_twin(old: list[tuple[str, str]], lines: list[str]) -> bool:
    """Tell whether a place differs from `old`, given as (kind, line), in one kept line only, or has one more line.

    It may as well be the target with a line of context changed since, or left out of the call, which should apply.
    White space and blank lines are not looked at.
    """
    wanted = [(kind, "".join(text.split())) for kind, text in old if text.strip()]
    texts = ["".join(line.split()) for line in lines if line.strip()]
    return any(_is_twin(wanted, texts, at) for at in range(len(texts)))


def _is_twin(wanted: list[tuple[str, str]], texts: list[str], at: int) -> bool:
    off, more = 0, 0
    held = False
    for i, (kind, text) in enumerate(wanted):
        place = at + i + more
        if place < len(texts) and texts[place] == text:
            held = held or has_words(text)
            continue
        if i and not more and place + 1 < len(texts) and texts[place + 1] == text and has_words(texts[place]):
            more = 1
        elif kind == "=":
            off += 1
        else:
            return False
        if off + more > 1:
            return False
    return held and len(wanted) > 1


def _solid(lines: list[str]) -> list[str]:
    return ["".join(line.split()) for line in lines if line.strip()]


def _stands(wanted: list[str], lines: list[str]) -> bool:
    """Tell whether these lines follow each other somewhere."""
    size = len(wanted)
    if not size:
        return False
    return any(line == wanted[0] and lines[i : i + size] == wanted for i, line in enumerate(lines))
