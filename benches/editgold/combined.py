"""Two kinds of noise at once, several edits in one call, and a call that leaves out code in `new`."""

from __future__ import annotations

from dataclasses import replace

from benches.editgold import call_lines, call_space, call_wrap, file_noise
from benches.editgold.bases import Base
from benches.editgold.blocks import gap_to_leave_out, sole, worded
from benches.editgold.draft import Draft, Line
from benches.editgold.trial import Edit
from benches.editgold.wording import indent_of

__all__ = ["one_of_several_missing", "overlapping", "placeholder_in_new", "several_edits", "siblings", "two_at_once"]

# One of each stage at most; a later stage works on what an earlier one has made.
_STAGES = (
    (
        call_lines.typo_in_context,
        call_lines.typo_in_change,
        call_lines.context_dropped,
        call_lines.context_paraphrased,
        call_space.blank_added,
        call_space.blank_dropped,
        call_space.inner_space,
    ),
    (file_noise.context_drifted, file_noise.curly, file_noise.crlf, call_space.trailing_space),
    (call_space.block_dedented, call_space.indent_off, call_space.tabs_for_spaces),
    (
        call_wrap.line_numbers,
        call_wrap.escaped_quotes,
        call_space.blank_edges,
        call_wrap.fenced,
        call_wrap.html_entities,
    ),
)
_TRIES = 6
_MARKS = ("# ... rest of the code unchanged ...", "// ... existing code ...", "# rest of code remains the same")


def two_at_once(draft: Draft) -> str | None:
    """Two perturbations of different stages on one call."""
    for _ in range(_TRIES):
        first, second = sorted(draft.rng.sample(range(len(_STAGES)), 2))
        makers = draft.rng.choice(_STAGES[first]), draft.rng.choice(_STAGES[second])
        fresh = Draft.of(draft.base, draft.base.text(), draft.rng)
        if all(make(fresh) is not None for make in makers):
            for name in Draft.__slots__:
                setattr(draft, name, getattr(fresh, name))
            return " + ".join(make.__name__ for make in makers)
    return None


def placeholder_in_new(draft: Draft) -> str | None:
    """Words such as "rest of the code unchanged" in `new` for lines that `old` has: refused, lest they be lost."""
    place = gap_to_leave_out(draft)
    if place is None:
        return None
    first, last = place
    for line in draft.block[first : last + 1]:
        line.new = None
    mark = indent_of(draft.block[first].file or "") + draft.rng.choice(_MARKS)
    draft.block.insert(first, Line("+", None, None, mark, None))
    draft.expect, draft.copies = "refuse", True
    return f"{last - first + 1} lines"


def several_edits(draft: Draft) -> str | None:
    """All base edits of one file in one call, in any order."""
    others = siblings(draft.base)
    if not others:
        return None
    calls = [draft.edit(), *(Draft.of(other, other.text(), draft.rng).edit() for other in others)]
    draft.rng.shuffle(calls)
    apply_others(draft, others)
    draft.edits = lambda _: tuple(calls)
    return f"{len(calls)} edits"


def one_of_several_missing(draft: Draft) -> str | None:
    """One edit of several is for text that is not there: none is made."""
    others = siblings(draft.base)
    if not others:
        return None
    text = "this_line_is_nowhere(in_the_file)\nnor_is_this_one = 17"
    calls = [
        draft.edit(),
        Edit(text, text + "0"),
        *(Draft.of(other, other.text(), draft.rng).edit() for other in others),
    ]
    draft.rng.shuffle(calls)
    draft.edits = lambda _: tuple(calls)
    draft.expect = "refuse"
    return f"{len(calls)} edits"


def overlapping(draft: Draft) -> str | None:
    """Two edits that replace the same line: refused."""
    removed = [draft.block[i].file or "" for i in worded(draft, "-") if sole(draft, i)]
    text = next((line for line in removed if draft.base.text().count(line) == 1), None)
    if text is None:
        return None
    calls = [draft.edit(), Edit(text, text + "  # other")]
    draft.rng.shuffle(calls)
    draft.edits = lambda _: tuple(calls)
    draft.expect = "refuse"
    return "2 edits"


def siblings(base: Base) -> list[Base]:
    """Give the other base edits of the same file that do not touch this one or each other."""
    taken = [base]
    for number, (start, ops, trailing) in enumerate(base.others):
        other = replace(base, id=f"{base.id}+{number}", start=start, ops=ops, trailing=trailing, others=())
        if all(one.start + one.lines < start or start + other.lines < one.start for one in taken):
            taken.append(other)
    return taken[1:]


def apply_others(draft: Draft, others: list[Base]) -> None:
    """Let gold have the other edits too: everything around the block becomes lines with a face before and after."""
    block = [Line.of("=", text) for text in draft.head] + draft.block + [Line.of("=", text) for text in draft.tail]
    at = {}
    number = 0
    for i, line in enumerate(block):
        if line.file is not None:
            at[number] = i
            number += 1
    for other in sorted(others, key=lambda one: -one.start):
        start, stop = at[other.start], at[other.start + other.lines - 1]
        block[start : stop + 1] = [Line.of(kind, text) for kind, text in other.ops]
    draft.head, draft.block, draft.tail = [], block, []
