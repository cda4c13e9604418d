"""Counts of answers by perturbation, with the bounds of their rates."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from benches.editgold.answer import Answer
from benches.editgold.trial import Trial

__all__ = ["Key", "Residual", "Tally", "wilson"]

Key = tuple[str, str]
"""Split and perturbation."""

_KEPT_RESIDUALS = 5_000
_Z = 1.959964  # 95 %


def wilson(count: int, of: int) -> tuple[float, float]:
    """Give the Wilson score interval of a rate, at 95 %."""
    if of == 0:
        return 0.0, 1.0
    rate, z2 = count / of, _Z * _Z
    middle = (rate + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * math.sqrt(rate * (1 - rate) / of + z2 / (4 * of * of))
    # At none and at all the bound is the rate itself; rounding would put it a hair beside.
    return (0.0 if count == 0 else middle - half), (1.0 if count == of else middle + half)


@dataclass(frozen=True, slots=True)
class Residual:
    """An answer that was not right."""

    id: str
    kind: str
    variant: str
    tier: str
    reason: str


@dataclass(slots=True)
class Tally:
    """What one tool answered. `sized` counts the answers by the number of lines of `old` as well."""

    counts: dict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sized: dict[tuple[str, str, int], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    undecidable: Counter[Key] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    expect: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    residuals: list[Residual] = field(default_factory=list)

    def add(self, split: str, trial: Trial, answer: Answer, kind: str) -> None:
        """Count one answer."""
        name = trial.perturbation
        self.counts[split, name][kind] += 1
        self.sized[split, name, _size(trial)][kind] += 1
        self.seconds[name].append(answer.seconds)
        self.expect.setdefault(name, trial.expect)
        self.groups.setdefault(name, trial.group)
        if kind != "ok" and len(self.residuals) < _KEPT_RESIDUALS:
            self.residuals.append(Residual(trial.id, kind, trial.variant, answer.tier, answer.reason))

    def merge(self, other: Tally) -> None:
        """Take in what another process counted."""
        for key, counter in other.counts.items():
            self.counts[key].update(counter)
        for sized, counter in other.sized.items():
            self.sized[sized].update(counter)
        self.undecidable.update(other.undecidable)
        for name, taken in other.seconds.items():
            self.seconds[name].extend(taken)
        self.expect.update(other.expect)
        self.groups.update(other.groups)
        self.residuals.extend(other.residuals)

    def total(self, split: str | None, names: list[str]) -> Counter[str]:
        """Add up the classes over perturbations; a split of None means both."""
        whole: Counter[str] = Counter()
        for (part, name), counter in self.counts.items():
            if name in names and split in (None, part):
                whole.update(counter)
        return whole

    def plain(self, *, residuals: bool) -> dict[str, Any]:
        """Give the counts as JSON values, and one by one what was neither right nor refused."""
        return {
            "counts": [
                {"split": split, "perturbation": name, "undecidable": self.undecidable[split, name], **counter}
                for (split, name), counter in sorted(self.counts.items())
            ],
            "residuals": [vars_of(one) for one in self.residuals if residuals and one.kind != "refused"],
        }


def vars_of(residual: Residual) -> dict[str, str]:
    """Give a residual as JSON values."""
    return {
        "id": residual.id,
        "class": residual.kind,
        "variant": residual.variant,
        "tier": residual.tier,
        "reason": residual.reason,
    }


def _size(trial: Trial) -> int:
    return sum(edit.old.count("\n") + 1 for edit in trial.edits) if trial.edits else (trial.patch or "").count("\n")
