"""Records: their values are worked out when they are read, and are the same however and whenever that is done."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import rootle
from rootle import Workspace
from rootle.results import Coverage, GrepFile, GrepMatch, GrepResult

Tree = Callable[[dict[str, Any]], Path]

FILES = {
    "a.py": "import os\ndef f(self):\n\treturn self.x + self.y\r\nlast: self",
    "b.txt": "é self 𝄞 self\n\n" + "x" * 700 + " self\n",
    "c.bin": b"self \xff self\n\0self\n",
    "d/sp\udcff.txt": "self\n",
}

OPTIONS: list[dict[str, Any]] = [
    {},
    {"before": 1, "after": 1},
    {"only_matching": True},
    {"invert": True},
    {"max_line_chars": 8},
    {"word": True, "ignore_case": True},
    {"multiline": True, "pattern": r"self[^\n]*\n"},
    {"pattern": r"(?<=\.)\w|self"},
    {"pattern": r"(?s-u:.)self"},
    {"pattern": ["self", "os", "$"]},
    {"mode": "count"},
]

FIELDS = {
    record: [name for name in vars(record) if not name.startswith("_")] for record in (GrepMatch, GrepFile, GrepResult)
}


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in FIELDS[type(record)]}


def _search(root: Path, options: dict[str, Any]) -> GrepResult:
    keywords = dict(options)
    return Workspace(root).grep(keywords.pop("pattern", "self"), **keywords)


@pytest.fixture
def root(tree: Tree) -> Path:
    made = tree({name: content for name, content in FILES.items() if "\udcff" not in name} | {"d": None})
    Path(os.fsdecode(os.fsencode(made) + b"/d/sp\xff.txt")).write_text("self\n")
    return made


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_record_made_by_hand_is_the_same(root: Path, options: dict[str, Any]) -> None:
    """The constructor takes what the fields give; so do a copy and a pickle."""
    found = _search(root, options)
    assert (len(found.matches) > 0) == (options.get("mode") != "count")
    assert found.total_files == len(found.files)
    for record in (*found.matches, *found.files, found):
        values = _fields(record)
        shown = repr(record)
        made = type(record)(**values)
        assert (_shown(made), repr(made)) == ({name: repr(value) for name, value in values.items()}, shown)
        for travelled in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert type(travelled) is type(record)
            assert (_shown(travelled), repr(travelled)) == (_shown(record), shown)


def _shown(record: Any) -> dict[str, str]:
    return {name: repr(value) for name, value in _fields(record).items()}


def test_every_record_can_be_pickled(tree: Tree) -> None:
    """Those of the other functions too."""
    root = tree({"a.txt": "one\u202e\n", "d/b.txt": "two\n", "fifo/x": ""})
    workspace = Workspace(root)
    read = workspace.read("a.txt")
    written = workspace.write("new/c.txt", "three\n")
    globbed = workspace.glob("**", kind="any")
    listed = workspace.list_dir(".", depth=2)
    records = [
        *(read, *read.lines, *read.hidden_unicode, workspace.stat("a.txt"), workspace.walk()[0]),
        *(globbed, *globbed.entries, listed, *listed.entries, workspace.grep("one").coverage, written),
        rootle.results.PathWarning(path="p", code="c", message="m"),
        rootle.results.ContextLine(line=1, text="x"),
    ]
    assert len({type(record) for record in records}) == 13
    for record in records:
        for travelled in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert type(travelled) is type(record)
            assert repr(travelled) == repr(record)
    assert pickle.loads(pickle.dumps(Coverage(files=3))) == Coverage(files=3)


def test_no_record_is_forgotten() -> None:
    """What can be made by hand can be made again; some records only the core makes."""
    records = [getattr(rootle.results, name) for name in rootle.results.__all__]
    by_hand = [record for record in records if "__new__" in vars(record)]
    assert len(by_hand) >= 14
    assert [record.__name__ for record in by_hand if "__reduce__" not in vars(record)] == []


def test_lists_are_lists(root: Path) -> None:
    """Made once: a caller may change them, and finds the changes."""
    found = _search(root, {})
    assert (type(found.matches), type(found.files)) == (list, list)
    assert found.matches is found.matches
    assert found.files is found.files
    assert found.matches[0].path is found.matches[1].path
    assert found.matches[0].before == found.matches[0].after == ()
    del found.matches[2:]
    assert [match.line for match in found.matches] == [2, 3]
    first: Any = found.matches[0]
    with pytest.raises(AttributeError):
        first.line = 3


def test_values_do_not_depend_on_the_tree(tree: Tree) -> None:
    """The files may change, the result may be dropped, the pattern may have been compiled away."""
    root = tree({"a.txt": "one two\n", "b.txt": "a longer two\n"})
    match = rootle.grep("t(w)o", root).matches[1]
    for path in root.iterdir():
        path.write_text("x")
    for number in range(40):
        rootle.grep(f"other{number}", root)
    assert (match.path, match.text, match.column, match.spans) == ("b.txt", "a longer two", 10, ((9, 12),))


@pytest.mark.parametrize("pattern", [r"\w+", "e", r"^\w", r"(l|ö)+", "x*", r"\b", "two$", "é| "])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_spans_are_those_of_python(tree: Tree, pattern: str, ends: str) -> None:
    """As characters of the text; the column counts bytes."""
    lines = ["hello two", "é höllö é", "", "  x xx", "𝄞 e𝄞"]
    root = tree({"a.txt": ends.join(lines) + ends})
    found = Workspace(root).grep(pattern)
    assert [match.line for match in found.matches] == [
        at for at, line in enumerate(lines, 1) if re.search(pattern, line)
    ]
    for match in found.matches:
        theirs = [one.span() for one in re.finditer(pattern, match.text)]
        assert match.spans == tuple(span for span in theirs if span[0] < span[1])
        assert match.column == len(match.text[: theirs[0][0]].encode()) + 1


def test_threads_read_the_same(root: Path) -> None:
    """Eight of them, the same records at once."""
    found = _search(root, {"pattern": r"\w+"})
    expected = [_shown(match) for match in _search(root, {"pattern": r"\w+"}).matches]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: [_shown(match) for match in found.matches], range(32)))
    assert all(answer == expected for answer in answers)


_MEMORY = """
import sys, rootle
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
found = rootle.grep("x", sys.argv[1])
assert sum(len(match.spans) for match in found.matches) == 500_000
print((peak() - before) // 1024)
"""


def test_matches_take_little_memory(tree: Tree) -> None:
    """Half a million matches with their list, every one of them looked at: far less than an object for each value."""
    root = tree({"a.txt": f"{'-' * 60}\n-x-\n" * 500_000})
    done = subprocess.run([sys.executable, "-c", _MEMORY, str(root)], stdout=subprocess.PIPE, check=True, text=True)
    assert int(done.stdout) < 80
