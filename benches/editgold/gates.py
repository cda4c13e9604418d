"""What must hold of rootle's answers; a run that misses a gate fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benches.editgold.answer import COSMETIC, WRONG
from benches.editgold.mixes import names_of
from benches.editgold.tally import Tally

__all__ = ["Gate", "check"]

_APPLY = ("apply", "choose")
_MOST_EXCLUDED = 0.005


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate with what was measured."""

    words: str
    measured: str
    met: bool


def check(tally: Tally, split: str | None) -> list[Gate]:
    """Check all gates on one split (None: both)."""

    def rate(group: str | None, expects: tuple[str, ...], kinds: tuple[str, ...], prefix: str = "") -> tuple[int, int]:
        names = [name for name in names_of(tally, group, expects) if name.startswith(prefix)]
        counter = tally.total(split, names)
        return sum(counter[kind] for kind in kinds), sum(counter.values())

    every = ("apply", "choose", "refuse", "either")
    wrong, trials = rate(None, every, WRONG)
    excluded = sum(count for (part, _), count in tally.undecidable.items() if split in (None, part))
    return [
        Gate("wrong_text + wrong_place + wrong_applied = 0", f"{wrong} of {trials:,}", wrong == 0),
        _share("gold, first list, at least 95 %", rate("first", _APPLY, ("ok",)), lambda x: x >= 0.95),
        _share('gold, "add" list, at least 85 %', rate("add", _APPLY, ("ok",)), lambda x: x >= 0.85),
        _share(
            "cosmetic (blank, indent, line end, context) at most 1 %", rate(None, _APPLY, COSMETIC), lambda x: x <= 0.01
        ),
        _share("must-refuse, at least 99.5 % refused", rate(None, ("refuse",), ("ok",)), lambda x: x >= 0.995),
        _share("near-duplicate, gold, at least 97 %", rate("first", _APPLY, ("ok",), "23_"), lambda x: x >= 0.97),
        _share("undecidable, excluded, at most 0.5 %", (excluded, trials + excluded), lambda x: x <= _MOST_EXCLUDED),
    ]


def _share(words: str, counts: tuple[int, int], holds: Callable[[float], bool]) -> Gate:
    count, of = counts
    return Gate(
        words, f"{count:,} of {of:,} = {100 * count / of:.2f} %" if of else "no trials", bool(of) and holds(count / of)
    )
