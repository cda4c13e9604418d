"""Noise of the call: white space that the model gives otherwise than the file has it."""

from __future__ import annotations

import re

from benches.editgold.blocks import beside_insertion, between_changes, blanks_only, interior, kept, sole
from benches.editgold.decidable import Undecidable
from benches.editgold.draft import Draft, Line, Lines
from benches.editgold.wording import indent_of, indent_unit

__all__ = [
    "blank_added",
    "blank_dropped",
    "blank_edges",
    "block_dedented",
    "first_indent_lost",
    "indent_off",
    "inner_space",
    "nbsp_indent",
    "tabs_for_spaces",
    "trailing_space",
    "unit_changed",
]


def trailing_space(draft: Draft) -> str | None:
    """01: white space at the ends of lines, in the file or in the call only. Kept lines keep the file's."""
    draft.must_differ = True
    in_file = draft.rng.random() < 0.5
    done = False
    for i, line in enumerate(draft.block):
        if line.old is None or line.file is None or draft.rng.random() < 0.4:
            continue
        space = draft.rng.choice((" ", "  ", "\t", "    "))
        if in_file and line.kind == "=" and sole(draft, i):
            line.drift(line.file + space)
            done = True
        elif not in_file and line is not draft.block[-1]:
            line.old += space
            line.new = None if line.new is None else line.new + space
            done = True
    return ("in file" if in_file else "in call") if done else None


def block_dedented(draft: Draft) -> str | None:
    """02: the whole block at the margin; gold has the file's indentation."""
    cut = _common_indent(draft)
    if not cut:
        return None
    draft.both_lines(lambda lines: [line[cut:] if line.strip() else line for line in lines])
    return f"by {cut}"


def indent_off(draft: Draft) -> str | None:
    """03: every line one level too deep or too shallow."""
    unit = indent_unit(draft.head + draft.file_lines() + draft.tail)
    deeper = draft.rng.random() < 0.5
    if not deeper and not _all_start_with(draft, unit):
        deeper = True
    if deeper:
        draft.both_lines(lambda lines: [unit + line if line.strip() else line for line in lines])
        return "deeper"
    draft.both_lines(lambda lines: [line[len(unit) :] if line.strip() else line for line in lines])
    return "shallower"


def first_indent_lost(draft: Draft) -> str | None:
    """04: the first line without its indentation, in `old` and `new`, as after a strip of the whole text."""
    old = next((line for line in draft.block if line.old is not None), None)
    new = next((line for line in draft.block if line.new is not None), None)
    if old is None or not old.old or not indent_of(old.old) or not old.old.strip():
        return None
    if new is not None and indent_of(new.new or "") != indent_of(old.old):
        return None
    later = [line.new for line in draft.block if line.new and line.new.strip() and line is not new]
    alone = sum(bool(line.old and line.old.strip()) for line in draft.block) == 1
    if alone and any(len(indent_of(text)) < len(indent_of(old.old)) for text in later):
        # One line of `old` tells nothing of the others' indentation: they may have been cut as well, or not.
        raise Undecidable
    draft.both_lines(lambda lines: [lines[0].lstrip(" \t"), *lines[1:]] if lines else lines)
    return "stripped"


def tabs_for_spaces(draft: Draft) -> str | None:
    """05: tabs where the file has spaces, or spaces where it has tabs. New lines must get the file's style."""
    unit = indent_unit(draft.head + draft.file_lines() + draft.tail)
    size = draft.rng.choice((4, 4, 2)) if unit == "\t" else len(unit)
    canonical = re.compile(r"\t*(?! )" if unit == "\t" else r" *(?!\t)")

    def other(line: str) -> str:
        indent = indent_of(line)
        if unit == "\t":
            return indent.replace("\t", " " * size) + line[len(indent) :]
        return "\t" * (len(indent) // size) + " " * (len(indent) % size) + line[len(indent) :]

    texts = [text for line in draft.block for text in (line.old, line.new) if text and text.strip()]
    if any(canonical.fullmatch(indent_of(text)) is None for text in texts):
        return None
    if unit != "\t" and any(len(indent_of(text)) % size for text in texts):
        return None
    if not any(line.old and line.old.strip() and other(line.old) != line.old for line in draft.block):
        return None
    draft.both_lines(lambda lines: [other(line) for line in lines])
    return f"{size} spaces for a tab" if unit == "\t" else f"a tab for {size} spaces"


def unit_changed(draft: Draft) -> str | None:
    """Python: the block in another unit (2 or 8 spaces for 4), at its own depth or from the margin."""
    if draft.base.type not in (".py", ".pyi", ".pyx"):
        return None
    texts = [text for line in draft.block for text in (line.old, line.new) if text and text.strip()]
    depths = {len(indent_of(text)) for text in texts}
    if "\t" in "".join(map(indent_of, texts)) or any(depth % 4 for depth in depths) or len(depths) < 2:
        return None
    size = draft.rng.choice((2, 8, 2))
    cut = draft.rng.choice((0, min(depths)))
    olds = {len(indent_of(line.old)) for line in draft.block if line.old and line.old.strip()}
    if len(olds) < 2:
        return None  # nothing in `old` shows the unit

    def other(line: str) -> str:
        indent = indent_of(line)
        return " " * ((len(indent) - cut) // 4 * size) + line[len(indent) :] if line.strip() else line

    draft.both_lines(lambda lines: [other(line) for line in lines])
    return f"{size} for 4, {'margin' if cut else 'own depth'}"


def blank_dropped(draft: Draft) -> str | None:
    """10: a blank line missing in the call. Beside an insertion its place would be anybody's guess."""
    if blanks_only(draft):
        return None
    draft.must_differ = True
    blanks = [
        i
        for i in kept(draft)
        if draft.block[i].file == ""
        and interior(draft, i)
        and not beside_insertion(draft, i)
        and not between_changes(draft, i)
    ]
    if not blanks:
        return None
    draft.block[draft.rng.choice(blanks)].model(None)
    return "dropped"


def blank_added(draft: Draft) -> str | None:
    """11: a blank line in the call that the file does not have."""
    if blanks_only(draft):
        return None
    draft.must_differ = True
    places = [
        i
        for i in range(1, len(draft.block))
        if draft.block[i].kind == "="
        and draft.block[i - 1].kind == "="
        and draft.block[i].file
        and draft.block[i - 1].file
    ]
    places = places or [i for i in kept(draft) if i and draft.block[i].file and draft.block[i - 1].kind == "-"]
    if not places:
        return None
    draft.block.insert(draft.rng.choice(places), Line("=", None, "", "", None))
    return "added"


def inner_space(draft: Draft) -> str | None:
    """15: other white space inside a kept or removed line."""
    draft.must_differ = True
    places = [
        i
        for i, line in enumerate(draft.block)
        if line.kind in "=-" and line.old and re.search(r"\S\s+\S", line.old) and (line.kind == "-" or sole(draft, i))
    ]
    if not places:
        return None
    line = draft.block[draft.rng.choice(places)]
    assert line.old is not None
    gaps = list(re.finditer(r"(?<=\S)[ \t]+(?=\S)", line.old))
    if not gaps:
        return None
    gap = draft.rng.choice(gaps)
    space = " " if len(gap.group()) > 1 else "  "
    line.model(line.old[: gap.start()] + space + line.old[gap.end() :])
    return "removed line" if line.kind == "-" else "kept line"


def blank_edges(draft: Draft) -> str | None:
    """18: blank lines before and after the text, in `old` and `new`."""
    if blanks_only(draft):
        return None
    draft.must_differ = True
    if not any(line.new is not None for line in draft.block):
        return None
    lead, trail = draft.rng.choice(((1, 1), (2, 0), (0, 2), (2, 1), (2, 2)))
    draft.texts.append(lambda text: "\n" * lead + text + "\n" * trail)
    return f"{lead} before, {trail} after"


def nbsp_indent(draft: Draft) -> str | None:
    """No-break spaces: as the call's indentation, or inside a kept line of the file, where they stay."""
    if draft.rng.random() < 0.5:
        places = [i for i in kept(draft) if sole(draft, i) and re.search(r"\S \S", draft.block[i].file or "")]
        if places:
            line = draft.block[draft.rng.choice(places)]
            assert line.file is not None
            indent = indent_of(line.file)
            line.drift(indent + line.file[len(indent) :].replace(" ", "\u00a0", 1))
            return "in file"
    if not any(line.old is not None and line.old.startswith("  ") for line in draft.block):
        return None

    def other(lines: Lines) -> Lines:
        return [indent_of(line).replace(" ", "\u00a0") + line[len(indent_of(line)) :] for line in lines]

    draft.both_lines(other)
    return "in call"


def _common_indent(draft: Draft) -> int:
    texts = [text for line in draft.block for text in (line.old, line.new) if text and text.strip()]
    indents = [indent_of(text) for text in texts]
    size = 0
    while all(len(indent) > size and indent[size] == indents[0][size] for indent in indents):
        size += 1
    return size


def _all_start_with(draft: Draft, unit: str) -> bool:
    texts = [text for line in draft.block for text in (line.old, line.new) if text and text.strip()]
    return all(text.startswith(unit) for text in texts)
