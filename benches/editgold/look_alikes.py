"""The target is gone, done, changed, or there more than once: what must be refused, and what must choose rightly."""

from __future__ import annotations

from benches.editgold.blocks import sole, worded
from benches.editgold.decidable import Undecidable, drifted_twin
from benches.editgold.draft import Draft, Lines
from benches.editgold.wording import has_words, material, typo

__all__ = [
    "already_applied",
    "already_applied_old_there",
    "change_drifted",
    "duplicated",
    "near_duplicate",
    "target_deleted",
    "three_copies_with_hint",
]


def target_deleted(draft: Draft) -> str | None:
    """20: the lines of `old` are no longer in the file: all of them, or only those that the edit replaces."""
    whole = draft.rng.random() < 0.5 or not any(line.kind == "-" for line in draft.block)
    whole = whole or not any(line.kind == "+" for line in draft.block)
    for line in draft.block:
        if whole or line.kind == "-":
            line.file = None
    if not draft.head and not draft.tail and not draft.file_lines():
        return None
    old = [(line.kind, line.old) for line in draft.block if line.old is not None]
    if drifted_twin(old, [*draft.head, *draft.file_lines(), *draft.tail]):
        raise Undecidable
    draft.expect = "refuse"
    return "whole block" if whole else "replaced lines"


def already_applied(draft: Draft) -> str | None:
    """21: the file is as the edit would leave it, and `old` is not in it. To be reported, not done again."""
    return _apply_before(draft, old_there=False)


def already_applied_old_there(draft: Draft) -> str | None:
    """As before, but `old` is a part of `new`, so that it is found once more: doing it again would insert twice."""
    return _apply_before(draft, old_there=True)


def _apply_before(draft: Draft, *, old_there: bool) -> str | None:
    old, new = draft.old(), draft.new()
    for line in draft.block:
        line.file = line.gold
    text = "\n".join([*draft.head, *draft.file_lines(), *draft.tail]) + "\n"
    if (old in text) != old_there or (old_there and not has_words(new[len(old) :], 8)):
        return None
    draft.expect, draft.copies = "refuse", True
    return "insertion" if old_there else "done"


def duplicated(draft: Draft) -> str | None:
    """22: the very same lines stand twice in the file."""
    copy = draft.file_lines()
    if not _insert(draft, copy, before=draft.rng.random() < 0.5):
        return None
    draft.expect, draft.copies = "refuse", True
    return f"{len(copy)} lines"


def change_drifted(draft: Draft) -> str | None:
    """24: somebody has changed a line that the edit replaces or removes: what was written since must not be lost."""
    places = [i for i in worded(draft, "-") if sole(draft, i)]
    draft.rng.shuffle(places)
    for at in places:
        changed = material(draft.block[at].file or "", draft.rng)
        if changed is not None:
            draft.block[at].file = changed
            draft.expect = "refuse"
            return f"{sum(line.old is not None for line in draft.block)} lines"
    return None


def near_duplicate(draft: Draft) -> str | None:
    """23: before the target stands a block that differs in one to three lines, and `old` has a typo in another line."""
    places = worded(draft, "=-")
    if len(places) < 2:
        return None
    draft.rng.shuffle(places)
    wrong = next((i for i in places if typo(draft.block[i].old or "", draft.rng) is not None), None)
    if wrong is None:
        return None
    copy = {i: draft.block[i].file or "" for i in range(len(draft.block)) if draft.block[i].file is not None}
    left = draft.rng.randint(1, 3)
    for i in places:
        changed = material(copy[i], draft.rng) if i != wrong and left else None
        if changed is not None:
            copy[i] = changed
            left -= 1
    if list(copy.values()) == draft.file_lines() or not _insert(draft, list(copy.values()), before=True):
        return None
    draft.block[wrong].model(typo(draft.block[wrong].old or "", draft.rng))
    draft.expect, draft.copies = "choose", True
    return f"{len(copy)} lines"


def three_copies_with_hint(draft: Draft) -> str | None:
    """The same lines stand three times, and `near_line` is at most two lines off the one that is meant."""
    copy = draft.file_lines()
    places = [draft.rng.random() < 0.5 for _ in range(2)]
    if not all(_insert(draft, copy, before=before, distance=8) for before in places):
        return None
    draft.near_line = max(1, len(draft.head) + 1 + draft.rng.randint(-2, 2))
    draft.expect, draft.copies = "choose", True
    return f"{len(copy)} lines"


def _insert(draft: Draft, copy: Lines, *, before: bool, distance: int = 1) -> bool:
    """Insert a copy into the head or the tail, so many lines off the block or more, at a blank line if there is one."""
    lines = draft.head if before else draft.tail
    places = list(range(len(lines) + 1 - distance)) if before else list(range(distance, len(lines) + 1))
    if not places:
        return False
    blank = [i for i in places if i < len(lines) and not lines[i].strip()]
    at = draft.rng.choice(blank or places)
    lines[at:at] = ["", *copy, ""] if draft.rng.random() < 0.5 else copy
    return True
