"""What one measurement is: a row of the report, held to a goal where one is set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rootle.bench.clock import Sample, typical

__all__ = ["Goal", "Row", "memory_row", "rows_of"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that a ratio to the baseline may be; `None` sets no bound."""

    wall: float | None = None
    cpu: float | None = None

    def words(self) -> str:
        """Say the bounds."""
        if self.wall is not None and self.wall == self.cpu:
            return f"{self.wall:.2f}"
        bounds = (("wall", self.wall), ("cpu", self.cpu))
        return ", ".join(f"{name} {most:.2f}" for name, most in bounds if most is not None)

    def met_by(self, ratio: Sample) -> bool:
        """Tell whether a ratio keeps the bounds."""
        pairs = ((ratio.wall_s, self.wall), (ratio.cpu_s, self.cpu))
        return all(most is None or value <= most for value, most in pairs)


@dataclass(frozen=True, slots=True)
class Row:
    """One subject in one scenario on one tree: median times, their ratio to the baseline, the goal and the verdict."""

    tree: str
    scenario: str
    subject: str
    time: Sample | None
    ratio: Sample | None
    goal: str = ""
    verdict: str = ""
    note: str = ""


def rows_of(
    tree: str,
    scenario: str,
    samples: Mapping[str, Sequence[Sample]],
    *,
    baseline: str,
    goals: Mapping[str, Goal],
    notes: Mapping[str, str] | None = None,
) -> list[Row]:
    """Make the rows of one scenario from its samples."""
    base = typical(list(samples[baseline]))
    rows = []
    for subject, taken in samples.items():
        time = typical(list(taken))
        ratio = Sample(time.wall_s / base.wall_s, time.cpu_s / base.cpu_s if base.cpu_s else float("nan"))
        goal = goals.get(subject)
        verdict = "" if goal is None else "met" if goal.met_by(ratio) else "MISSED"
        note = (notes or {}).get(subject, "")
        rows.append(Row(tree, scenario, subject, time, ratio, goal.words() if goal else "", verdict, note))
    return rows


def memory_row(tree: str, scenario: str, above_bytes: int, most_mb: float | None, note: str) -> Row:
    """Make a row that tells how much memory a search took above the interpreter."""
    used = above_bytes / 1e6
    verdict = "" if most_mb is None else "met" if used <= most_mb else "MISSED"
    goal = "" if most_mb is None else f"{most_mb:.0f} MB"
    return Row(tree, scenario, "rootle", None, None, goal, verdict, f"{used:.1f} MB above the interpreter, {note}")
