"""What perturbations ask about a block: its kept lines, its runs of changes, what stands beside an insertion."""

from __future__ import annotations

from dataclasses import dataclass

from benches.editgold.draft import Draft, Line
from benches.editgold.wording import has_words

__all__ = [
    "Run",
    "beside_insertion",
    "between_changes",
    "blanks_only",
    "extend",
    "gap_to_leave_out",
    "interior",
    "kept",
    "runs",
    "sole",
    "worded",
]


@dataclass(frozen=True, slots=True)
class Run:
    """A run of changed lines, from `start` to `stop` in the block."""

    start: int
    stop: int
    removed: list[Line]
    added: list[Line]


def runs(draft: Draft) -> list[Run]:
    """Give the runs of changed lines between kept ones."""
    found = []
    at = 0
    while at < len(draft.block):
        if draft.block[at].kind == "=":
            at += 1
            continue
        stop = at
        while stop < len(draft.block) and draft.block[stop].kind != "=":
            stop += 1
        lines = draft.block[at:stop]
        found.append(Run(at, stop, [x for x in lines if x.kind == "-"], [x for x in lines if x.kind == "+"]))
        at = stop
    return found


def kept(draft: Draft) -> list[int]:
    """Give where the kept lines are."""
    return [
        i for i, line in enumerate(draft.block) if line.kind == "=" and line.old is not None and line.file is not None
    ]


def worded(draft: Draft, kinds: str) -> list[int]:
    """Give where lines of these kinds are that have words, in the file and in `old`."""
    return [
        i
        for i, line in enumerate(draft.block)
        if line.kind in kinds and line.file is not None and line.old is not None and has_words(line.file)
    ]


def interior(draft: Draft, at: int) -> bool:
    """Tell whether `old` has lines on both sides of this one."""
    given = [i for i, line in enumerate(draft.block) if line.old is not None]
    return bool(given) and given[0] < at < given[-1]


def beside_insertion(draft: Draft, at: int) -> bool:
    """Tell whether lines are inserted beside this one with nothing removed there, or may be read so.

    A diff can slide over lines that the insertion has too, and over blanks: those do not part the line from it.
    """
    inserts = [run for run in runs(draft) if not run.removed]
    for run in inserts:
        added = {(line.gold or "").strip() for line in run.added}
        between = draft.block[run.stop : at] if at >= run.stop else draft.block[at + 1 : run.start]
        if all(
            line.kind == "=" and (not has_words(line.file) or (line.file or "").strip() in added) for line in between
        ):
            return True
    return False


def between_changes(draft: Draft, at: int) -> bool:
    """Tell whether changed lines stand on both sides of this kept one: without it they would be one change."""
    return 0 < at < len(draft.block) - 1 and draft.block[at - 1].kind != "=" and draft.block[at + 1].kind != "="


def blanks_only(draft: Draft) -> bool:
    """Tell whether the edit changes nothing but blank lines: noise of that kind would hide it."""
    return all(not (line.old or line.new or "").strip() for run in runs(draft) for line in (*run.removed, *run.added))


def sole(draft: Draft, at: int) -> bool:
    """Tell whether it is sure that this line, and no other, is kept or removed.

    It is not where a line of another kind has the same text, nor where another line has moved: then a diff may as well
    keep that one and move this one.
    """
    texts = {
        kind: {(line.file or line.gold or "").strip() for line in draft.block if line.kind == kind} for kind in "=-+"
    }
    kind, text = draft.block[at].kind, (draft.block[at].file or "").strip()
    moved = any(has_words(other) for other in texts["-"] & texts["+"])
    return not moved and all(text not in others for other, others in texts.items() if other != kind)


def extend(draft: Draft, before: int, after: int) -> None:
    """Give more of the file as context."""
    before, after = min(before, len(draft.head)), min(after, len(draft.tail))
    lead = [Line.of("=", text) for text in draft.head[len(draft.head) - before :]]
    trail = [Line.of("=", text) for text in draft.tail[:after]]
    draft.head = draft.head[: len(draft.head) - before]
    draft.tail = draft.tail[after:]
    draft.block = lead + draft.block + trail


def gap_to_leave_out(draft: Draft) -> tuple[int, int] | None:
    """Widen the context and find a run of kept lines to leave out, with worded lines on both sides of it."""
    above = draft.rng.random() < 0.5
    size = draft.rng.randint(5, 9)
    extend(draft, size if above else 0, 0 if above else size)
    usable = [i for i in range(len(draft.block)) if draft.block[i].kind == "="]
    places = [
        (first, last)
        for first in usable
        for last in range(first + 1, min(first + 7, len(draft.block)))
        if _may_go(draft, first, last)
    ]
    return draft.rng.choice(places) if places else None


def _may_go(draft: Draft, first: int, last: int) -> bool:
    if first == 0 or last + 1 >= len(draft.block):
        return False
    edges = draft.block[first - 1], draft.block[last + 1]
    return (
        all(line.kind == "=" for line in draft.block[first : last + 1])
        and all(line.kind == "=" and has_words(line.file) for line in edges)
        and any((line.file or "").strip() for line in draft.block[first : last + 1])
    )
