"""A draft: a base edit on its way to a trial. Perturbations change it; rendering gives the trial's bytes.

Each line of the block has four faces: what stands in the file, what the model gives in `old` and in `new`, and what
must stand there afterwards (gold). None means: not there. So a typo in a context line changes `old` and `new` of that
line and leaves file and gold; a line that has drifted in the file changes file and gold, and leaves `old` and `new`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from benches.editgold.bases import Base
from benches.editgold.decidable import check, stands
from benches.editgold.trial import Edit, Expect, Trial

__all__ = ["Draft", "Line", "Lines", "Unchanged"]

Lines = list[str]


class Unchanged(Exception):
    """The noise made no difference: what the model sent stands in the file as it is."""


@dataclass(slots=True)
class Line:
    """One line of the block, by its four faces."""

    kind: str
    file: str | None
    old: str | None
    new: str | None
    gold: str | None

    @classmethod
    def of(cls, kind: str, text: str) -> Line:
        """Make an unperturbed line: `=` kept, `-` removed, `+` added."""
        there, then = kind != "+", kind != "-"
        return cls(
            kind, text if there else None, text if there else None, text if then else None, text if then else None
        )

    def model(self, text: str | None) -> None:
        """Let the model give this text wherever it gives the line at all."""
        self.old = text if self.old is not None else None
        self.new = text if self.new is not None else None

    def drift(self, text: str) -> None:
        """Let the file have this text, before and after."""
        self.file = text if self.file is not None else None
        self.gold = text if self.gold is not None else None


@dataclass(slots=True)
class Draft:
    """What a perturbation may change."""

    base: Base
    rng: Random
    head: Lines
    block: list[Line]
    tail: Lines
    trailing: bool
    final_newline: bool
    expect: Expect = "apply"
    copies: bool = False  # the file has look-alikes on purpose
    near_line: int | None = None
    old_lines: list[Callable[[Lines], Lines]] = field(default_factory=list)
    new_lines: list[Callable[[Lines], Lines]] = field(default_factory=list)
    texts: list[Callable[[str], str]] = field(default_factory=list)
    encode: Callable[[str], bytes] | None = None
    codec: str = "utf-8"
    ends: tuple[list[str], str, list[str]] | None = None  # line ends of head, block, tail
    patch: Callable[[Draft], str] | None = None
    edits: Callable[[Draft], tuple[Edit, ...]] | None = None
    must_differ: bool = False  # no trial where `old`, as it is sent, still stands in the file
    lines_missing: bool = False  # no trial where it stands there but for white space

    @classmethod
    def of(cls, base: Base, text: str, rng: Random) -> Draft:
        """Start from a base edit and the text of its file."""
        lines = text.split("\n")
        final = lines[-1] == ""
        if final:
            lines.pop()
        block = [Line.of(kind, line) for kind, line in base.ops]
        size = sum(line.file is not None for line in block)
        return cls(
            base,
            rng,
            lines[: base.start],
            block,
            lines[base.start + size :],
            trailing=base.trailing,
            final_newline=final,
        )

    def both_lines(self, step: Callable[[Lines], Lines]) -> None:
        """Change the lines of `old` and of `new` alike."""
        self.old_lines.append(step)
        self.new_lines.append(step)

    def old(self) -> str:
        """Give `old` as the model sends it."""
        return self._sent([line.old for line in self.block], self.old_lines)

    def new(self) -> str:
        """Give `new` as the model sends it."""
        return self._sent([line.new for line in self.block], self.new_lines)

    def edit(self) -> Edit:
        """Give the call."""
        return Edit(self.old(), self.new(), self.near_line)

    def _bare(self) -> Edit:
        """Give the lines of the call without what was put around and into them."""
        old = "\n".join(line.old for line in self.block if line.old is not None)
        new = "\n".join(line.new for line in self.block if line.new is not None)
        return Edit(old, new, self.near_line)

    def _sent(self, given: list[str | None], steps: list[Callable[[Lines], Lines]]) -> str:
        lines = [line for line in given if line is not None]
        for step in steps:
            lines = step(lines)
        text = "\n".join(lines) + ("\n" if self.trailing and lines else "")
        for change in self.texts:
            text = change(text)
        return text

    def file_lines(self) -> Lines:
        """Give the lines of the block that stand in the file."""
        return [line.file for line in self.block if line.file is not None]

    def gold_lines(self) -> Lines:
        """Give the lines of the block that must stand there afterwards."""
        return [line.gold for line in self.block if line.gold is not None]

    def trial(self, name: str, variant: str, group: str) -> Trial:
        """Render; raises `Undecidable` where the rule for such cases holds."""
        before, after = self._bytes(self.file_lines()), self._bytes(self.gold_lines())
        edits = self.edits(self) if self.edits else (self.edit(),)
        if self.expect == "refuse" and after == before and not self.copies:
            raise Unchanged  # the file is as the edit would leave it
        if self.edits is None and self.patch is None:
            for edit in (edits[0], self._bare()):
                check(edit, self.head, self.file_lines(), self.tail, gone=self.expect == "refuse", copies=self.copies)
            lines = [*self.head, *self.file_lines(), *self.tail]
            if self.must_differ and edits[0].old in "\n".join(lines) + "\n":
                raise Unchanged
            if self.lines_missing and stands(edits[0].old.split("\n"), lines):
                raise Unchanged
        return Trial(
            id=f"{self.base.id}/{name}",
            perturbation=name,
            variant=variant,
            group=group,
            expect=self.expect,
            source=self.base.source,
            path=self.base.path,
            file=before[0],
            gold=before[0] if self.expect == "refuse" else after[0],
            edits=() if self.patch else edits,
            patch=self.patch(self) if self.patch else None,
            block=before[1],
            codec=self.codec,
        )

    def _bytes(self, middle: Lines) -> tuple[bytes, tuple[int, int]]:
        ends = self.ends or (["\n"] * len(self.head), "\n", ["\n"] * len(self.tail))
        parts = [line + end for line, end in zip(self.head, ends[0], strict=True)]
        start = len(parts)
        parts += [line + ends[1] for line in middle]
        stop = len(parts)
        parts += [line + end for line, end in zip(self.tail, ends[2], strict=True)]
        if not self.final_newline and parts:
            parts[-1] = parts[-1].removesuffix("\n").removesuffix("\r")
        encode = self.encode or (lambda text: text.encode("utf-8"))
        if self.encode is None:
            lengths = (len("".join(parts[:start]).encode()), len("".join(parts[:stop]).encode()))
        else:
            lengths = (len(encode("".join(parts[:start]))), len(encode("".join(parts[:stop]))))
        return encode("".join(parts)), lengths
