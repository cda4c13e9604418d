"""`parse_numstat` beside git itself."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rootle.errors import InvalidArgument
from rootle.git.numstat import Numstat, parse_numstat

if TYPE_CHECKING:
    from tests.git.conftest import Plain


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", []),
        ("\n", []),
        ("1\t2\ta.py\n", [Numstat("a.py", 1, 2)]),
        ("1\t2\ta.py\r\n", [Numstat("a.py", 1, 2)]),
        ("-\t-\tlogo.png\n", [Numstat("logo.png", -1, -1)]),
        ("0\t0\t\n".replace("\t\n", "\tx y\n"), [Numstat("x y", 0, 0)]),
        ('1\t0\t"a\\tb\\n\\"\\\\\\303\\274"\n', [Numstat('a\tb\n"\\ü', 1, 0)]),
        ('1\t0\t"\\377"\n', [Numstat("\udcff", 1, 0)]),
        ("1\t0\told => new\n", [Numstat("new", 1, 0, "old")]),
        ("1\t0\tsrc/{a => b}/c\n", [Numstat("src/b/c", 1, 0, "src/a/c")]),
        ("1\t0\tsrc/{ => b}/c\n", [Numstat("src/b/c", 1, 0, "src/c")]),
        ("1\t0\tsrc/{a => }/c\n", [Numstat("src/c", 1, 0, "src/a/c")]),
        ("1\t0\t{a => b}/c\n", [Numstat("b/c", 1, 0, "a/c")]),
        ("1\t0\t{a => }/c\n", [Numstat("/c".removeprefix("/"), 1, 0, "a/c")]),
        ('1\t0\t"a\\tb" => "c\\td"\n', [Numstat("c\td", 1, 0, "a\tb")]),
        ('1\t0\ta => "c\\td"\n', [Numstat("c\td", 1, 0, "a")]),
        ("1\t2\ta\tb\n\0", [Numstat("a\tb\n", 1, 2)]),
        ("1\t2\t\0a => b\0{c}\0" + "-\t-\tx\0", [Numstat("{c}", 1, 2, "a => b"), Numstat("x", -1, -1)]),
        ("99999999999\t0\ta\n", [Numstat("a", 99999999999, 0)]),
    ],
)
def test_record(text: str, entries: list[Numstat]) -> None:
    """Text and bytes read alike."""
    assert parse_numstat(text) == entries
    assert parse_numstat(text.encode("utf-8", "surrogateescape")) == entries


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "1\t2",
        "1\t2\t\n",
        "1 2 a\n",
        "-\t2\ta\n",
        "1\t-\ta\n",
        "-1\t2\ta\n",
        "1\t2\ta\0rest",
        "1\t2\t\0old\0",
        "\0",
        "١\t2\ta\n",
        " 3 files changed\n",
        "1\t2\ta\n create mode 100644 a\n",
    ],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    """Nothing is left out silently."""
    with pytest.raises(InvalidArgument, match="not a record"):
        parse_numstat(text)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_any_bytes(data: bytes) -> None:
    """Give records or the one error."""
    try:
        entries = parse_numstat(data)
    except InvalidArgument:
        return
    assert all(entry.additions >= -1 and entry.path for entry in entries)


_name = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda name: name not in (".", "..") and name.lower() != ".git" and len(name.encode()) < 100
)


@given(st.lists(st.tuples(_name, st.integers(0, 9), st.integers(0, 9), st.one_of(st.none(), _name)), max_size=5))
def test_records_with_nul_are_read_exactly(rows: list[tuple[str, int, int, str | None]]) -> None:
    """Whatever is in the names."""
    entries = [Numstat(*row) for row in rows]
    data = b"".join(
        f"{entry.additions}\t{entry.deletions}\t".encode()
        + (b"" if entry.old_path is None else b"\0" + entry.old_path.encode() + b"\0")
        + entry.path.encode()
        + b"\0"
        for entry in entries
    )
    assert parse_numstat(data) == entries


def test_git_writes_what_is_read(repo: Plain) -> None:
    """Both forms give the same names and counts, but for names that have an arrow."""
    odd = ["tab\t", "new\nline", 'quo"te', "back\\slash", "ünï", "plain", os.fsdecode(b"\xff"), "deep/er/x", "{br}ace"]
    repo.commit({name: f"{number}\n" * 20 for number, name in enumerate(odd)})
    for name in odd:
        target = repo.path / f"{name}.moved"
        (repo.path / name).rename(target)
        target.write_text(target.read_text() + "more\n")
    (repo.path / "deep/er/x.moved").rename(repo.path / "deep/x")
    (repo.path / "deep/other").mkdir()
    repo.write({"bin": bytes(9), "deep/other/y": "1\n"})
    repo("add", "--all")
    plain = parse_numstat(os.fsencode(repo("diff", "--cached", "-M", "--numstat")))
    exact = parse_numstat(os.fsencode(repo("diff", "--cached", "-M", "--numstat", "-z")))
    assert plain == exact
    assert {entry.old_path for entry in exact} >= {*odd}
    assert [entry for entry in exact if entry.binary] == [Numstat("bin", -1, -1)]


def test_import_is_light() -> None:
    """Reading counts loads neither pydantic nor asyncio."""
    code = "import sys, rootle; rootle.parse_numstat(''); print(sorted({'pydantic', 'asyncio'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
