"""The numbers: documented, in order, and in no other place."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest
from rootle import limits

SOURCES = sorted(Path(limits.__file__).parent.glob("*.py"))
NAMES = [name for name in vars(limits) if name.isupper() and name != "TYPE_CHECKING"]


def documented() -> dict[str, str]:
    """Give the text under each name."""
    found = {}
    statements = (itertools.pairwise(ast.parse(source.read_text()).body) for source in SOURCES)
    for one, after in itertools.chain.from_iterable(statements):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(after, ast.Expr):
            assert isinstance(after.value, ast.Constant)
            found[one.target.id] = str(after.value.value)
    return found


def test_every_limit_is_documented() -> None:
    """Each name has its sentence under it."""
    assert sorted(documented()) == sorted(NAMES)
    assert all(text.endswith(".") for text in documented().values())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "SKIP_DIRS"])
def test_limit_is_a_positive_number(name: str) -> None:
    """A limit of nothing is no limit."""
    assert getattr(limits, name) > 0


@pytest.mark.parametrize(
    ("default", "most"),
    [
        ("CLONE_TIMEOUT_S", "CLONE_MAX_TIMEOUT_S"),
        ("DIFF_BYTES", "DIFF_MAX_BYTES"),
        ("DIFF_CONTEXT_LINES", "DIFF_MAX_CONTEXT_LINES"),
        ("DIFF_MAX_BYTES", "OUTPUT_CHARS"),
        ("GIT_TIMEOUT_S", "GIT_MAX_TIMEOUT_S"),
        ("GLOB_DEFAULT", "GLOB_MAX"),
        ("GREP_DEFAULT_MATCHES", "GREP_MAX_MATCHES"),
        ("LIST_DEFAULT_DEPTH", "LIST_MAX_DEPTH"),
        ("LIST_DEFAULT_ENTRIES", "LIST_MAX_ENTRIES"),
        ("READ_DEFAULT_LINES", "READ_MAX_LINES"),
        ("READ_LINE_CHARS", "READ_CHARS"),
        ("SEARCH_TIMEOUT_S", "SEARCH_MAX_TIMEOUT_S"),
    ],
)
def test_default_is_within_its_maximum(default: str, most: str) -> None:
    """A default that is not allowed would fail at the first call."""
    assert getattr(limits, default) <= getattr(limits, most)


def test_skipped_directories_are_sorted_names() -> None:
    """Names, not paths or patterns; once each."""
    assert list(limits.SKIP_DIRS) == sorted(set(limits.SKIP_DIRS))
    assert not [name for name in limits.SKIP_DIRS if "/" in name or "*" in name]
    assert {".git", "node_modules", "__pycache__", ".venv"} <= set(limits.SKIP_DIRS)
