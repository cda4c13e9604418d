"""The report as text for a terminal and as one JSON object."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from rootle.bench.measure import Measured, Report

__all__ = ["as_json", "as_table"]

_HEADINGS = ("query", "lines", "searcher", "wall ms", "cpu ms", "wall", "cpu", "answer")
_LEFT = (0, 2, 7)


def as_table(report: Report) -> str:
    """Lay the figures out in columns; `wall` and `cpu` are ratios to the baseline."""
    rows = [_HEADINGS, *(_cells(report, row) for row in report.rows)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    lines = [
        f"{report.path}: {report.files:,} files; {versions}",
        f"medians of {report.rounds} alternating rounds, warm page cache; ratios to {report.baseline()}",
        "rootle runs in this process; the programs' times include their start",
        "",
    ]
    query = None
    for cells in rows:
        if query not in (None, "query", cells[0]):
            lines.append("")
        query = cells[0]
        lines.append(_layout(cells, widths))
    patterns = {row.query.name: row.query.pattern for row in report.rows}
    lines += ["", *(f"{name}: {pattern}" for name, pattern in patterns.items()), *report.skipped, ""]
    return "\n".join(lines)


def as_json(report: Report) -> dict[str, Any]:
    """Give the figures as plain data: seconds, ratios, and each comparison in words."""
    rows = [
        {
            "query": row.query.name,
            "pattern": row.query.pattern,
            "searcher": row.searcher,
            "wall_s": row.time.wall_s,
            "cpu_s": row.time.cpu_s,
            "wall_ratio": report.ratio(row).wall_s,
            "cpu_ratio": report.ratio(row).cpu_s,
            "equal": None if row.comparison is None else row.comparison.equal,
            "answer": None if row.comparison is None else row.comparison.words(),
        }
        for row in report.rows
    ]
    return {
        **{field.name: getattr(report, field.name) for field in dataclasses.fields(report)},
        "baseline": report.baseline(),
        "rows": rows,
    }


def _cells(report: Report, row: Measured) -> tuple[str, ...]:
    ratio = report.ratio(row)
    return (
        row.query.name,
        f"{report.lines[row.query.name]:,}",
        row.searcher,
        f"{row.time.wall_s * 1000:.2f}",
        f"{row.time.cpu_s * 1000:.2f}",
        f"{ratio.wall_s:.2f}",
        f"{ratio.cpu_s:.2f}",
        "" if row.comparison is None else row.comparison.words(),
    )


def _layout(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if column in _LEFT else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
