"""Tables of a tally, in Markdown."""

from __future__ import annotations

from collections import Counter
from statistics import median

from benches.editgold.answer import CLASSES, COSMETIC, WRONG
from benches.editgold.mixes import Rates, names_of, natural, pooled, uniform
from benches.editgold.tally import Tally, wilson

__all__ = ["brief", "by_perturbation", "mixes", "summary"]

_APPLY = ("apply", "choose")
_WITHOUT_PLAIN = "the same without 00"


def by_perturbation(tally: Tally, split: str | None) -> list[str]:
    """Give one row a perturbation: right answers with their interval, refusals, each kind of wrong, time."""
    rows = [
        "| perturbation | expected | trials | excluded | right % | 95 % interval | refused | "
        + " | ".join(kind for kind in CLASSES[1:] if kind != "refused")
        + " | median ms | 99 % ms |",
        "|---|---|--:|--:|--:|---|--:|" + "--:|" * (len(CLASSES) - 2) + "--:|--:|",
    ]
    for name in sorted(tally.expect):
        counter = tally.total(split, [name])
        whole = sum(counter.values())
        if not whole:
            continue
        low, high = wilson(counter["ok"], whole)
        excluded = sum(n for (part, which), n in tally.undecidable.items() if which == name and split in (None, part))
        times = sorted(tally.seconds[name])
        cells = [
            name,
            tally.expect[name],
            f"{whole:,}",
            str(excluded),
            f"{100 * counter['ok'] / whole:.1f}",
            f"{100 * low:.1f}–{100 * high:.1f}",
            str(counter["refused"]),
            *(str(counter[kind] or "") for kind in CLASSES[1:] if kind != "refused"),
            f"{1e3 * median(times):.2f}",
            f"{1e3 * times[int(0.99 * (len(times) - 1))]:.2f}",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def mixes(tally: Tally, split: str | None) -> list[str]:
    """Give the rates over whole lists of perturbations."""
    rows = [
        "| mix | trials | right % | refused % | cosmetic % | wrong % | wrong, 95 % at most |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for words, group, expects in (
        ("should apply, first list", "first", _APPLY),
        (_WITHOUT_PLAIN, "first", _APPLY),
        ('should apply, "add" list', "add", _APPLY),
        ("must refuse", None, ("refuse",)),
        ("either may be right", None, ("either",)),
    ):
        names = names_of(tally, group, expects)
        if words == _WITHOUT_PLAIN:
            names = [name for name in names if not name.startswith("00_")]
        counter = tally.total(split, names)
        whole = sum(counter.values())
        if not whole:
            continue
        rows.append(_mix(f"{words}, all trials", pooled(counter), counter))
        rows.append(_mix(f"{words}, perturbations alike", uniform(tally, split, names), None))
    rows.append(_mix("natural mix", natural(tally, split), None))
    return rows


def _mix(words: str, rates: Rates, counter: Counter[str] | None) -> str:
    wrong = sum(rates[kind] for kind in WRONG)
    cells = [words, "", *(f"{100 * x:.2f}" for x in (rates["ok"], rates["refused"], _cosmetic(rates), wrong)), ""]
    if counter is not None:
        whole = sum(counter.values())
        cells[1] = f"{whole:,}"
        cells[6] = f"{100 * wilson(sum(counter[kind] for kind in WRONG), whole)[1]:.3f}"
    return f"| {' | '.join(cells)} |"


def summary(tallies: dict[str, Tally], split: str | None) -> list[str]:
    """Give one row a tool, on the trials that it was given."""
    rows = [
        '| tool | trials | first list: gold % | refused % | cosmetic % | wrong % | "add" list: gold % | wrong % '
        "| must refuse: done all the same % | natural mix: right % | wrong % | median ms |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, tally in tallies.items():
        first = pooled(tally.total(split, names_of(tally, "first", _APPLY)))
        more = pooled(tally.total(split, names_of(tally, "add", _APPLY)))
        refuse = pooled(tally.total(split, names_of(tally, None, ("refuse",))))
        mix = natural(tally, split)
        whole = sum(sum(counter.values()) for (part, _), counter in tally.counts.items() if split in (None, part))
        times = [seconds for taken in tally.seconds.values() for seconds in taken]
        figures = (
            first["ok"],
            first["refused"],
            _cosmetic(first),
            _wrong(first),
            more["ok"],
            _wrong(more),
            refuse["wrong_applied"],
            mix["ok"],
            _wrong(mix),
        )
        cells = [
            name,
            f"{whole:,}",
            *(f"{100 * x:.2f}" for x in figures),
            f"{1e3 * median(times):.2f}" if times else "",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def brief(tally: Tally) -> list[str]:
    """Give lines for a terminal."""
    lines = []
    for name in sorted(tally.expect):
        counter = tally.total(None, [name])
        whole = sum(counter.values())
        rest = " ".join(f"{kind} {counter[kind]}" for kind in CLASSES[1:] if counter[kind])
        excluded = sum(n for (_, which), n in tally.undecidable.items() if which == name)
        lines.append(
            f"{name:<28} {tally.expect[name]:<7} {whole:>6} {100 * counter['ok'] / whole:6.1f} %  {rest}  -{excluded}"
        )
    return lines + mixes(tally, None)


def _cosmetic(rates: Rates) -> float:
    return sum(rates[kind] for kind in COSMETIC)


def _wrong(rates: Rates) -> float:
    return sum(rates[kind] for kind in WRONG)
