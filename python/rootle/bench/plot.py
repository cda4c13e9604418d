"""The report as an SVG picture: for each query one bar a searcher, its wall time as a multiple of the baseline's."""

from __future__ import annotations

from html import escape

from rootle.bench.measure import OURS, Measured, Report

__all__ = ["as_svg"]

_WIDTH = 760
_LABELS = 110
_FIGURES = 190
_BAR = 18
_GAP = 6
_TOP = 64
_MOST = 4.0  # Longer bars are cut here; their figures say how long they would be.

_INK = "#0f172a"
_GREY = "#475569"
_OUR_COLOUR = "#2563eb"
_OTHER_COLOUR = "#94a3b8"


def as_svg(report: Report) -> str:
    """Draw the ratios; a bar shorter than the line at 1 is faster than the baseline."""
    ratios = [report.ratio(row).wall_s for row in report.rows]
    most = min(_MOST, max(1.2, *ratios, 1.2))
    unit = (_WIDTH - _LABELS - _FIGURES) / most
    bars: list[str] = []
    labels: list[str] = []
    top = _TOP
    query = None
    for row, ratio in zip(report.rows, ratios, strict=True):
        if row.query.name != query:
            query = row.query.name
            words = f"{query}: {_shorten(row.query.pattern)} ({report.lines[query]:,} lines)"
            labels.append(_text(8, top + 14, words, weight="600"))
            top += 22
        width = max(1.0, min(ratio, most) * unit)
        bars.append(_bar(row, top, width))
        labels += _labels(row, ratio, top, width)
        top += _BAR + _GAP
    one = _LABELS + unit
    height = top + 28
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    frame = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"',
        '  font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(8, 24, f"{report.files:,} files: wall time as a multiple of {report.baseline()}", weight="600"),
        _text(8, 44, versions, fill=_GREY),
        *bars,
        f'<path d="M{one:.1f} {_TOP}V{top}" stroke="{_INK}" stroke-dasharray="3 3"/>',
        *labels,
        _text(one, top + 16, "1.0", anchor="middle"),
        "</svg>",
        "",
    ]
    return "\n".join(frame)


def _bar(row: Measured, top: float, width: float) -> str:
    colour = _OUR_COLOUR if row.searcher == OURS else _OTHER_COLOUR
    return f'<rect x="{_LABELS}" y="{top}" width="{width:.1f}" height="{_BAR}" fill="{colour}"/>'


def _labels(row: Measured, ratio: float, top: float, width: float) -> list[str]:
    words = f"{row.time.wall_s * 1000:.1f} ms ({ratio:.2f})"
    if row.comparison is not None and not row.comparison.equal:
        words += ", answer differs"
    base = top + _BAR - 5
    return [
        _text(_LABELS - 8, base, row.searcher, anchor="end"),
        _text(_LABELS + width + 6, base, words, fill=_GREY),
    ]


def _text(x: float, y: float, words: str, *, weight: str = "400", anchor: str = "start", fill: str = _INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    # The white edge keeps words readable where they cross the line at 1.
    edge = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
    return f'<text {place} font-weight="{weight}" fill="{fill}" {edge}>{escape(words)}</text>'


def _shorten(pattern: str, most: int = 60) -> str:
    printable = "".join(char if char.isprintable() else "?" for char in pattern)
    return printable if len(printable) <= most else printable[: most - 1] + "…"
