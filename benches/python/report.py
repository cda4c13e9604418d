"""Writes the folder of a run: README.md (machine, versions, command, tables), raw.csv, equality.csv."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from benches.python.equality import Checked
from benches.python.rows import Row

__all__ = ["write_report"]


def write_report(
    folder: Path, *, command: str, facts: dict[str, str], rounds: int, rows: Sequence[Row], checks: Sequence[Checked]
) -> None:
    """Write all files of one run."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_rows(folder / "raw.csv", rows)
    if checks:
        _write_checks(folder / "equality.csv", checks)
    parts = [f"# {folder.name}", "", f"    {command}", "", "| | |", "|---|---|"]
    parts += [f"| {name} | {words} |" for name, words in facts.items()]
    parts += [
        "",
        f"Medians of {rounds} alternating rounds, warm page cache. Ratios are to the first row of each scenario.",
        "",
    ]
    missed = [row for row in rows if row.verdict == "MISSED"]
    goals = [row for row in rows if row.verdict]
    parts += [f"Goals met: {len(goals) - len(missed)} of {len(goals)}.", ""]
    parts += [f"- missed: {row.tree}, {row.scenario}: {_ratio(row) or row.note} (goal {row.goal})" for row in missed]
    parts += [*_equality_words(checks), *_tables(rows)]
    (folder / "README.md").write_text("\n".join(parts) + "\n", encoding="utf-8")


def _equality_words(checks: Sequence[Checked]) -> list[str]:
    if not checks:
        return []
    parts = ["", "## Answers equal to ripgrep's", ""]
    for tree in dict.fromkeys(check.tree for check in checks):
        own = [check for check in checks if check.tree == tree]
        equal = sum(not check.words for check in own)
        parts.append(
            f"- {tree}: {equal} of {len(own)} checks equal, {sum(check.count for check in own):,} lines and paths"
        )
        parts += [f"  - {check.name} (`{check.pattern}`): {check.words}" for check in own if check.words]
    return parts


def _tables(rows: Sequence[Row]) -> list[str]:
    parts = []
    for tree in dict.fromkeys(row.tree for row in rows):
        parts += ["", f"## {tree}", ""]
        parts += [
            "| scenario | subject | wall ms | cpu ms | wall | cpu | goal | | |",
            "|---|---|--:|--:|--:|--:|---|---|---|",
        ]
        last = None
        for row in rows:
            if row.tree != tree:
                continue
            scenario = row.scenario if row.scenario != last else ""
            last = row.scenario
            times = ("", "") if row.time is None else (f"{row.time.wall_s * 1e3:.2f}", f"{row.time.cpu_s * 1e3:.2f}")
            ratios = ("", "") if row.ratio is None else (f"{row.ratio.wall_s:.2f}", f"{row.ratio.cpu_s:.2f}")
            cells = [_cell(scenario), _cell(row.subject), *times, *ratios, row.goal, row.verdict, _cell(row.note)]
            parts.append(f"| {' | '.join(cells)} |")
    return parts


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _ratio(row: Row) -> str:
    return "" if row.ratio is None else f"wall {row.ratio.wall_s:.2f}, cpu {row.ratio.cpu_s:.2f}"


def _write_rows(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["tree", "scenario", "subject", "wall_s", "cpu_s", "wall_ratio", "cpu_ratio", "goal", "verdict", "note"]
        )
        for row in rows:
            times = ("", "") if row.time is None else (f"{row.time.wall_s:.6f}", f"{row.time.cpu_s:.6f}")
            ratios = ("", "") if row.ratio is None else (f"{row.ratio.wall_s:.4f}", f"{row.ratio.cpu_s:.4f}")
            writer.writerow([row.tree, row.scenario, row.subject, *times, *ratios, row.goal, row.verdict, row.note])


def _write_checks(path: Path, checks: Sequence[Checked]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["tree", "check", "pattern", "count", "difference"])
        for check in checks:
            writer.writerow([check.tree, check.name, check.pattern, check.count, check.words])
