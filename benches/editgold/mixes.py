"""Rates over many perturbations: uniform (each counts alike), and the natural mix of `weights.toml`."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from benches.editgold.answer import CLASSES
from benches.editgold.tally import Tally

__all__ = ["Rates", "names_of", "natural", "pooled", "uniform"]

Rates = dict[str, float]

_WEIGHTS = Path(__file__).with_name("weights.toml")


def names_of(tally: Tally, group: str | None, expects: tuple[str, ...]) -> list[str]:
    """Give the perturbations of a group (None: both) whose trials are expected to end so."""
    return sorted(
        name for name, expect in tally.expect.items() if expect in expects and group in (None, tally.groups[name])
    )


def pooled(counter: Counter[str]) -> Rates:
    """Give the share of each class of answer."""
    whole = sum(counter.values())
    return {kind: counter[kind] / whole if whole else 0.0 for kind in CLASSES}


def uniform(tally: Tally, split: str | None, names: list[str]) -> Rates:
    """Give the mean of the perturbations' rates: each counts alike, however many edits it fits."""
    rates = [pooled(counter) for counter in (tally.total(split, [name]) for name in names) if counter]
    return {kind: sum(rate[kind] for rate in rates) / len(rates) if rates else 0.0 for kind in CLASSES}


def natural(tally: Tally, split: str | None) -> Rates:
    """Give the rates in the natural mix: by kind of noise, and within each by the size of `old`."""
    weights = tomllib.loads(_WEIGHTS.read_text(encoding="utf-8"))
    mixed: Counter[str] = Counter()
    whole = 0.0
    for name, weight in weights["perturbations"].items():
        low, share_met = 0, 0.0
        rates: Counter[str] = Counter()
        for size in weights["sizes"]:
            high = size["lines"] or 1_000_000
            counter = _sized(tally, split, name, low, high)
            low = high
            if counter:
                share_met += size["share"]
                rates.update({kind: rate * size["share"] for kind, rate in pooled(counter).items()})
        if share_met:
            whole += weight
            mixed.update({kind: rate / share_met * weight for kind, rate in rates.items()})
    return {kind: mixed[kind] / whole if whole else 0.0 for kind in CLASSES}


def _sized(tally: Tally, split: str | None, name: str, low: int, high: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for (part, perturbation, lines), counter in tally.sized.items():
        if perturbation == name and split in (None, part) and low < lines <= high:
            found.update(counter)
    return found
