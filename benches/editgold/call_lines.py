"""Noise of the call: lines that the model gets wrong, leaves out or makes up."""

from __future__ import annotations

from benches.editgold.blocks import (
    beside_insertion,
    between_changes,
    gap_to_leave_out,
    interior,
    kept,
    runs,
    sole,
    worded,
)
from benches.editgold.draft import Draft, Line
from benches.editgold.wording import has_words, indent_of, paraphrase, typo

__all__ = [
    "context_dropped",
    "context_dropped_at_insertion",
    "context_hallucinated",
    "context_paraphrased",
    "elided",
    "elided_removal",
    "middle_missing",
    "removal_middle_missing",
    "typo_in_change",
    "typo_in_context",
]

_MADE_UP = (
    "update the cached value before it is used",
    "make sure that the state is valid here",
    "see the notes above for the details",
    "handle the remaining entries",
)
_COMMENT = {
    ".py": "# ",
    ".pyi": "# ",
    ".pyx": "# ",
    ".yml": "# ",
    ".yaml": "# ",
    ".toml": "# ",
    ".sh": "# ",
    ".cfg": "# ",
}
_PLAIN_TEXT = frozenset((".md", ".rst", ".txt"))


def typo_in_context(draft: Draft) -> str | None:
    """13: one letter of a kept line wrong, in `old` and `new`. The file's line stays."""
    return _mistype(draft, "=")


def typo_in_change(draft: Draft) -> str | None:
    """14: one letter of a removed line wrong in `old`."""
    return _mistype(draft, "-")


def _mistype(draft: Draft, kind: str) -> str | None:
    draft.must_differ = True
    places = [i for i in worded(draft, kind) if kind != "=" or sole(draft, i)]
    draft.rng.shuffle(places)
    for at in places:
        line = draft.block[at]
        changed = typo(line.old or "", draft.rng)
        if changed is not None:
            line.model(changed)
            return f"one letter, {sum(x.old is not None for x in draft.block)} lines"
    return None


def context_dropped(draft: Draft) -> str | None:
    """12: a kept line missing in the call."""
    draft.lines_missing = True
    places = [
        i
        for i in worded(draft, "=")
        if interior(draft, i) and not beside_insertion(draft, i) and not between_changes(draft, i)
    ]
    if not places:
        return None
    draft.block[draft.rng.choice(places)].model(None)
    return "dropped"


def context_dropped_at_insertion(draft: Draft) -> str | None:
    """The missing line is one beside which lines are inserted: before or after it? Gold or a refusal are both right."""
    draft.lines_missing = draft.must_differ = True
    places = [
        i
        for i in kept(draft)
        if interior(draft, i)
        and beside_insertion(draft, i)
        and not between_changes(draft, i)
        and (draft.block[i].file or "").strip()
    ]
    if not places:
        return None
    draft.block[draft.rng.choice(places)].model(None)
    draft.expect = "either"
    return "dropped"


def context_paraphrased(draft: Draft) -> str | None:
    """16: a kept line in other words."""
    if sum(has_words(line.old) for line in draft.block) < 3:
        return None
    places = [i for i in worded(draft, "=") if sole(draft, i)]
    draft.rng.shuffle(places)
    for at in places:
        changed = paraphrase(draft.block[at].old or "", draft.rng)
        if changed is not None:
            draft.block[at].model(changed)
            return "paraphrased"
    return None


def context_hallucinated(draft: Draft) -> str | None:
    """A kept line in the call that the file has nowhere: never written."""
    if sum(has_words(line.old) for line in draft.block) < 2:
        return None
    places = [i for i in range(len(draft.block) + 1) if i in (0, len(draft.block)) or draft.block[i].kind == "="]
    at = draft.rng.choice(places)
    near = draft.block[min(at, len(draft.block) - 1)]
    text = indent_of(near.old or near.new or "") + _comment(draft) + draft.rng.choice(_MADE_UP)
    draft.block.insert(at, Line("=", None, text, text, None))
    return "edge" if at in (0, len(draft.block) - 1) else "inside"


def elided(draft: Draft) -> str | None:
    """17: `...` for at least two kept lines between lines that the call gives."""
    place = gap_to_leave_out(draft)
    if place is None:
        return None
    first, last = place
    indent = indent_of(draft.block[first].file or "")
    mark = draft.rng.choice(("...", _comment(draft) + "...", indent + "...", indent + _comment(draft) + "..."))
    for line in draft.block[first : last + 1]:
        line.model(None)
    draft.block.insert(first, Line("=", None, mark, mark, None))
    return f"{last - first + 1} lines"


def middle_missing(draft: Draft) -> str | None:
    """At least two kept lines left out without a mark."""
    draft.lines_missing = True
    place = gap_to_leave_out(draft)
    if place is None:
        return None
    first, last = place
    for line in draft.block[first : last + 1]:
        line.model(None)
    return f"{last - first + 1} lines"


def elided_removal(draft: Draft) -> str | None:
    """`...` within the lines to be removed: what it stands for would be removed unseen, so it is refused."""
    return _cut_removal(draft, "...")


def removal_middle_missing(draft: Draft) -> str | None:
    """Lines left out without a mark within those to be removed: refused.

    No trial where what is sent stands in the file all the same, up to within a line: then that is what was asked for.
    """
    draft.must_differ = True
    return _cut_removal(draft, None)


def _cut_removal(draft: Draft, mark: str | None) -> str | None:
    long = [run for run in runs(draft) if len(run.removed) >= 5]
    if not long:
        return None
    run = draft.rng.choice(long)
    inner = run.removed[draft.rng.randint(1, 2) : -1]
    if sum(has_words(line.file) for line in inner) < 2:
        return None
    for line in inner:
        line.old = None
    if mark is not None:
        at = next(i for i, line in enumerate(draft.block) if line is inner[0])
        draft.block.insert(at, Line("-", None, indent_of(inner[0].file or "") + mark, None, None))
    draft.expect = "refuse"
    return f"{len(inner)} lines"


def _comment(draft: Draft) -> str:
    return "" if draft.base.type in _PLAIN_TEXT else _COMMENT.get(draft.base.type, "// ")
