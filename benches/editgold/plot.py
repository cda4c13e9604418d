"""A plot of the results as SVG: one bar a tool, or one bar a perturbation, divided by classes of answers."""

from __future__ import annotations

from collections import Counter
from xml.sax.saxutils import escape

from benches.editgold.answer import COSMETIC, WRONG

__all__ = ["bars"]

_PARTS = (
    ("right", "#2f7d4f", ("ok",)),
    ("right place, text not as it should be", "#e0b040", COSMETIC),
    ("refused", "#b9c0c8", ("refused",)),
    ("wrong", "#b3261e", WRONG),
)
_ROW, _LABEL, _WIDTH, _TOP = 22, 230, 560, 64


def bars(title: str, rows: dict[str, Counter[str]]) -> str:
    """Draw the shares of each row."""
    height = _TOP + _ROW * len(rows) + 16
    width = _LABEL + _WIDTH + 80
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="10" y="20" font-size="15">{escape(title)}</text>',
    ]
    x = 10.0
    for words, colour, _ in _PARTS:
        parts.append(f'<rect x="{x:.0f}" y="32" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 17:.0f}" y="42">{words}</text>')
        x += 40 + 6.6 * len(words)
    for number, (name, counter) in enumerate(rows.items()):
        parts += _bar(name, counter, _TOP + _ROW * number)
    return "\n".join([*parts, "</svg>", ""])


def _bar(name: str, counter: Counter[str], y: int) -> list[str]:
    whole = sum(counter.values()) or 1
    parts = [f'<text x="{_LABEL - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>']
    x = float(_LABEL)
    for _, colour, kinds in _PARTS:
        width = _WIDTH * sum(counter[kind] for kind in kinds) / whole
        if width:
            parts.append(f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{_ROW - 5}" fill="{colour}"/>')
        x += width
    right = 100 * counter["ok"] / whole
    parts.append(f'<text x="{_LABEL + _WIDTH + 6}" y="{y + 14}">{right:.1f} %</text>')
    return parts
