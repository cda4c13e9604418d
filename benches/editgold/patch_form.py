"""The same edits as patches: unified diffs as models write them, `*** Begin Patch`, and SEARCH/REPLACE blocks."""

from __future__ import annotations

from collections.abc import Callable

from benches.editgold.bases import Base
from benches.editgold.blocks import extend, sole, worded
from benches.editgold.combined import apply_others, siblings
from benches.editgold.draft import Draft
from benches.editgold.wording import material

__all__ = [
    "begin_patch",
    "drifted",
    "missing_prefix",
    "no_newline_marker",
    "out_of_order",
    "path_prefix",
    "search_replace",
    "unified",
    "wrong_counts",
    "wrong_line_numbers",
]

_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file"
_Sign = Callable[[str, str], str]


def unified(draft: Draft) -> str | None:
    """Make the diff as git would."""
    return _diff(draft, "as git writes it")


def wrong_counts(draft: Draft) -> str | None:
    """The counts in the hunk header do not fit its lines."""
    off = draft.rng.choice((-2, -1, 1, 2, 5))
    return _diff(draft, f"off by {off}", count=off)


def wrong_line_numbers(draft: Draft) -> str | None:
    """The line numbers in the hunk header are 5 to 200 off."""
    off = draft.rng.choice((-1, 1)) * draft.rng.randint(5, 200)
    return _diff(draft, "numbers off", shift=off)


def missing_prefix(draft: Draft) -> str | None:
    """Kept lines without the space before them."""
    extend(draft, _CONTEXT, _CONTEXT)
    bare = [line for line in draft.block if line.kind == "=" and (line.file or "").strip()]
    if not bare or any((line.file or "")[:1] in ("-", "+", "@", "\\") for line in bare):
        return None
    some = set(draft.rng.sample(range(len(bare)), draft.rng.randint(1, len(bare))))
    chosen = {id(line) for i, line in enumerate(bare) if i in some}
    head = _header(len(draft.head) + 1, draft, 0)
    body = [
        (line.file or "")
        if id(line) in chosen
        else _SIGN[line.kind] + ((line.new if line.kind == "+" else line.old) or "")
        for line in draft.block
        if line.file is not None or line.gold is not None
    ]
    text = "\n".join([*_names(draft.base.path), head, *body]) + "\n"
    draft.patch = lambda _: text
    return f"{len(chosen)} lines"


def path_prefix(draft: Draft) -> str | None:
    """The file's name with other prefixes than `a/` and `b/`, or with none."""
    prefixes = draft.rng.choice((("", ""), ("./", "./"), ("old/", "new/"), ("b/", "a/"), ("a/", "a/")))
    return _diff(draft, f"{prefixes[0] or 'none'}, {prefixes[1] or 'none'}", prefixes=prefixes)


def no_newline_marker(draft: Draft) -> str | None:
    """The block ends the file without a newline; the diff says so, or forgets to."""
    if draft.block[-1].kind == "-" or not (draft.block[-1].gold or "").strip() or not draft.file_lines()[-1].strip():
        return None
    draft.tail, draft.final_newline = [], False
    said = draft.rng.random() < 0.6
    return _diff(draft, "marked" if said else "mark forgotten", marked=said)


def out_of_order(draft: Draft) -> str | None:
    """Several hunks of one file, the later ones first."""
    others = siblings(draft.base)
    if not others:
        return None
    hunks = sorted([draft.base, *others], key=lambda base: -base.start)
    lines = draft.base.text().split("\n")
    text = "\n".join([*_names(draft.base.path), *(row for base in hunks for row in _hunk_of(base, lines))]) + "\n"
    apply_others(draft, others)
    draft.patch = lambda _: text
    return f"{len(hunks)} hunks"


def begin_patch(draft: Draft) -> str | None:
    """Make the patch in the form that begins with `*** Begin Patch`."""
    extend(draft, _CONTEXT, _CONTEXT)
    body = _body(draft)
    text = "\n".join(["*** Begin Patch", f"*** Update File: {draft.base.path}", "@@", *body, "*** End Patch"]) + "\n"
    draft.patch = lambda _: text
    return "one hunk"


def search_replace(draft: Draft) -> str | None:
    """Make a block of SEARCH and REPLACE with the file's name above."""
    old, new = draft.old().rstrip("\n"), draft.new().rstrip("\n")
    if not old.strip() or any(mark in old + new for mark in ("<<<<<<<", "=======", ">>>>>>>")):
        return None
    mark = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
    text = "\n".join([draft.base.path, mark[0], old, mark[1], *([new] if new else []), mark[2]]) + "\n"
    draft.patch = lambda _: text
    return "one block"


def drifted(draft: Draft) -> str | None:
    """A line that the diff removes has changed in the file: a conflict."""
    extend(draft, _CONTEXT, _CONTEXT)
    for at in worded(draft, "-"):
        changed = material(draft.block[at].file or "", draft.rng) if sole(draft, at) else None
        if changed is not None:
            draft.block[at].file = changed
            draft.expect = "refuse"
            return _diff(draft, "one line", context=0)
    return None


_SIGN = {"=": " ", "-": "-", "+": "+"}


def _diff(
    draft: Draft,
    variant: str,
    *,
    count: int = 0,
    shift: int = 0,
    prefixes: tuple[str, str] = ("a/", "b/"),
    marked: bool = False,
    context: int = _CONTEXT,
) -> str:
    extend(draft, context, context)
    head = _header(max(1, len(draft.head) + 1 + shift), draft, count)
    text = "\n".join([*_names(draft.base.path, prefixes), head, *_body(draft, marked)]) + "\n"
    draft.patch = lambda _: text
    return variant


def _names(path: str, prefixes: tuple[str, str] = ("a/", "b/")) -> list[str]:
    return [f"--- {prefixes[0]}{path}", f"+++ {prefixes[1]}{path}"]


def _header(start: int, draft: Draft, off: int) -> str:
    old = sum(line.old is not None for line in draft.block)
    new = sum(line.new is not None for line in draft.block)
    return f"@@ -{start},{max(0, old + off)} +{start},{max(0, new + off)} @@"


def _body(draft: Draft, marked: bool = False) -> list[str]:
    rows = [_SIGN[line.kind] + ((line.new if line.kind == "+" else line.old) or "") for line in draft.block]
    if marked:
        last_old = max(i for i, row in enumerate(rows) if row[0] in " -")
        if rows[last_old][0] == " " and last_old + 1 < len(rows):
            # A kept line that gets a newline is a changed one in a diff.
            text = rows[last_old][1:]
            rows[last_old : last_old + 1] = ["-" + text, "+" + text]
        last = [max((i for i, row in enumerate(rows) if row[0] in signs), default=-1) for signs in (" -", " +")]
        for i in sorted({i for i in last if i >= 0}, reverse=True):
            rows.insert(i + 1, _NO_NEWLINE)
    return rows


def _hunk_of(base: Base, lines: list[str]) -> list[str]:
    """Give one hunk of a diff of several; its context is the base edit's own."""
    rows = [_SIGN[kind] + text for kind, text in base.ops]
    new = sum(kind != "-" for kind, _ in base.ops)
    assert lines[base.start : base.start + base.lines] == [text for kind, text in base.ops if kind != "+"]
    return [f"@@ -{base.start + 1},{base.lines} +{base.start + 1},{new} @@", *rows]
