"""Small changes of a line's words: typos, material changes, paraphrases. Functions of the line and the generator."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

__all__ = ["has_words", "indent_of", "indent_unit", "material", "paraphrase", "typo"]

_WORD = re.compile(r"[A-Za-z]{4,}")
_NAME = re.compile(r"[A-Za-z_]{3,}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_SWAPS = (
    ("==", "!="),
    ("!=", "=="),
    ("<=", ">"),
    (">=", "<"),
    (" < ", " >= "),
    (" > ", " <= "),
    (" + ", " - "),
    (" - ", " + "),
    ("True", "False"),
    ("False", "True"),
    ("true", "false"),
    ("false", "true"),
    (" and ", " or "),
    (" or ", " and "),
    (" && ", " || "),
    (" || ", " && "),
    (" is not None", " is None"),
    ("if not ", "if "),
)
_OTHER_NAMES = (
    "viewport",
    "checksum",
    "quantity",
    "shipment",
    "kernel_id",
    "backlog",
    "timezone",
    "watermark",
    "ledger",
)
_PHRASES = {
    "return": "give back",
    "if": "when",
    "and": "as well as",
    "the": "this",
    "is": "equals",
    "not": "never",
    "for": "over",
    "set": "assign",
    "get": "fetch",
    "with": "using",
    "from": "out of",
    "to": "towards",
}


def has_words(text: str | None, count: int = 4) -> bool:
    """Tell whether a line has so many word characters: more than a bracket or a blank."""
    return text is not None and len(re.findall(r"\w", text)) >= count


def indent_of(text: str) -> str:
    """Give the white space that a line starts with."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def indent_unit(lines: list[str]) -> str:
    """Give what one level of indentation is in these lines: a tab, or a number of spaces."""
    indents = [indent_of(line) for line in lines if line.strip()]
    tabs = sum(indent.startswith("\t") for indent in indents)
    spaces = sum(indent.startswith("  ") for indent in indents)
    if tabs > spaces:
        return "\t"
    steps = [len(b) - len(a) for a, b in pairwise(indents) if a == " " * len(a)]
    counts = {size: steps.count(size) for size in (2, 4, 8, 3)}
    best = max(counts, key=lambda size: counts[size])
    return " " * (best if counts[best] else 4)


def typo(line: str, rng: Random) -> str | None:
    """Mistype one letter of one word: swapped with the next, dropped, doubled or another."""
    words = list(_WORD.finditer(line))
    if not words:
        return None
    word = rng.choice(words)
    at = rng.randrange(word.start(), word.end() - 1)
    kinds = [
        line[:at] + line[at + 1] + line[at] + line[at + 2 :],
        line[:at] + line[at + 1 :],
        line[:at] + line[at] + line[at:],
        line[:at] + rng.choice("etaoinsr") + line[at + 1 :],
    ]
    changed = rng.choice(kinds)
    return changed if changed != line else line[:at] + line[at + 1 :]


def material(line: str, rng: Random) -> str | None:
    """Change what the line says: a number, an operator or constant, or one name for quite another."""
    found: list[str] = []
    for number in _NUMBER.finditer(line):
        other = str(int(number.group()[:9]) + rng.randint(1, 40))
        found.append(line[: number.start()] + other + line[number.end() :])
    found += [line.replace(a, b, 1) for a, b in _SWAPS if a in line][:2]
    for name in list(_NAME.finditer(line))[:6]:
        other = rng.choice(_OTHER_NAMES)
        if other[0] != name.group()[0].lower():
            found.append(line[: name.start()] + other + line[name.end() :])
    found = [text for text in found if text != line]
    return rng.choice(found) if found else None


def paraphrase(line: str, rng: Random) -> str | None:
    """Say the line in other words: about a third of its words replaced, dropped or changed in order."""
    parts = re.split(r"(\w+)", line.strip())
    at = [i for i in range(1, len(parts), 2) if not parts[i].isdigit()]
    if len(at) < 3:
        return None
    for i in rng.sample(at, max(1, len(at) // 3)):
        parts[i] = _PHRASES.get(parts[i], parts[i] + rng.choice(("_value", "_item", "_new", "ing")))
    if rng.random() < 0.5:
        i = rng.randrange(len(at) - 1)
        parts[at[i]], parts[at[i + 1]] = parts[at[i + 1]], parts[at[i]]
    changed = indent_of(line) + "".join(parts)
    return changed if changed != line else None
