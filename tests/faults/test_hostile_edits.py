"""Edits made to cost time, or to look right while they are not."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox, apply_edit
from rootle.errors import ToolRetryError, UnsafeEdit

if TYPE_CHECKING:
    from tests.conftest import Tree

WORDS = [f"name_{number}" for number in range(4000)]


def code(lines: int, seed: int = 1) -> list[str]:
    """Give lines that look like code, all of some length, few of them equal."""
    chance = random.Random(seed)
    return [f"    {chance.choice(WORDS)} = {chance.choice(WORDS)}({chance.randrange(99)})" for _ in range(lines)]


LARGE = code(100_000)
COST = {
    "a miss": ("\n".join(LARGE), "\n".join(code(40, seed=2))),
    "a near miss": ("\n".join(LARGE), "\n".join(f"{line}x" for line in LARGE[500:540])),
    "very many equal lines": ("\n".join(["    return None"] * 100_000), "\n".join(["    return Nine"] * 60)),
    "one very long line": ("x = [" + "1, " * 500_000 + "]", "x = [" + "1, " * 1000 + "2, 3]"),
    "a very long old text": ("\n".join(LARGE), "\n".join(f"{line} " + "y" for line in LARGE)),
    "alternating lines": ("a()\nb()\n" * 50_000, "a()\nb()\nc()\n" * 40),
}


@pytest.mark.parametrize("name", COST)
def test_time_is_bounded(tree: Tree, name: str) -> None:
    """Whatever the texts: refused within a second, and the file stays."""
    content, old = COST[name]
    root = tree({"f.py": content})
    box = Toolbox(root)
    begin = time.monotonic()
    with pytest.raises(ToolRetryError):
        box.call("update_file", {"path": "f.py", "old": old, "new": old + "\nmore = 1"})
    taken = time.monotonic() - begin
    assert (root / "f.py").read_text() == content
    assert taken < 1.0, f"{taken:.2f} s"


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("    total = price * 3", "    total = price * 4"),
        ("    if left < right:", "    if left <= right:"),
        ("    return first and second", "    return first or second"),
        ("    name = user.first_name", "    name = user.last_name"),
        ('    kind = "open"', '    kind = "shut"'),
        ("    remove(path, force=False)", "    remove(path, force=True)"),
    ],
)
def test_one_interior_line_that_differs_in_meaning(line: str, wrong: str) -> None:
    """The first and the last line match, and the line that the edit changes is another one in the file: refused."""
    text = f"def work(price, left, right):\n    start()\n{line}\n    finish(price, left, right)\n    return None\n"
    old = text.replace(line, wrong)
    new = text.replace(line, f"{wrong}  # checked")
    with pytest.raises(UnsafeEdit) as caught:
        apply_edit(text, old, new)
    assert caught.value.code == "unsafe_edit"
    assert caught.value.details["candidates"][0]["first"] == 1
