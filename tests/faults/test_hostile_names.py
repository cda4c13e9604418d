"""Names, patterns and configuration files that try to be options, rows of output or commands."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import OpenBox

_NAMES = [
    b"bad\xff.txt",
    b"a\nforged.py:1:x",
    b"a:12:b.txt",
    b"-rf",
    b"--help",
    b"\x1b[31mred",
    b"tab\there",
    b"bell\x07\x9b",
    "bidi\u202etxt".encode(),
    b"back\\x41slash",
    b" lead and trail ",
    b"a\r",
    b"[id].tsx",
    b"quote\"'`$(id)",
    "e\u0301.txt".encode(),
]


def test_names_survive_and_read_back(tmp_path: Path, open_box: OpenBox) -> None:
    """Whatever a name holds, it is one row of JSON, harmless in text, and the path that was given opens the file."""
    for index, name in enumerate(_NAMES):
        (Path(os.fsdecode(bytes(tmp_path) + b"/" + name))).write_text(f"needle {index}\n", encoding="ascii")
    box = open_box(tmp_path)
    hits = box.call("grep", {"pattern": "needle"})
    found = box.call("glob", {"pattern": "*", "sort": "path"})
    listed = box.call("list_dir", {})
    for answer in (hits, found, listed):
        json.loads(json.dumps(answer.to_dict(), ensure_ascii=False).encode("utf-8"))
        assert not set(answer.text) & {chr(code) for code in (*range(9), *range(11, 32), 127, 0x9B, 0x202E)}
    assert len(found.data.paths) == len(found.text.splitlines()) == len(_NAMES)
    assert [hit.path for hit in hits.data.matches] == found.data.paths
    assert sorted(entry.path for entry in listed.data.entries) == sorted(found.data.paths)
    for hit in hits.data.matches:
        read = box.call("read_file", {"path": hit.path})
        assert [line.text for line in read.data.files[0].lines] == [hit.text], hit.path
        again = box.call("grep", {"pattern": "needle", "path": hit.path})
        assert [match.path for match in again.data.matches] == [hit.path]
    native = {os.fsencode(path) for path in box.workspace.sync.walk(hidden=True).paths}
    assert native == set(_NAMES)


def test_ripgrep_configuration_is_not_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration file for ripgrep, in the tree or named by the environment, runs nothing and changes nothing."""
    script = "#!/bin/sh\ntouch made\n"
    root = tree({"a.txt": "needle\n", ".ripgreprc": "--pre=./x.sh\n--invert-match\n", "x.sh": script})
    (root / "x.sh").chmod(0o755)
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(root / ".ripgreprc"))
    monkeypatch.chdir(root)
    hits = Toolbox(root).call("grep", {"pattern": "needle", "glob": "*.txt"})
    assert [(hit.path, hit.text) for hit in hits.data.matches] == [("a.txt", "needle")]
    assert not (root / "made").exists()


@pytest.mark.parametrize("pattern", ["--pre=./x.sh", "-f/etc/passwd", "--help", "-e", "--", "-", "--file=/etc/passwd"])
def test_patterns_that_look_like_options(tree: Tree, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """A pattern is only ever a pattern (pi#4018)."""
    root = tree({"a.txt": f"one\n{pattern}\n", "x.sh": "#!/bin/sh\ntouch made\n"})
    (root / "x.sh").chmod(0o755)
    monkeypatch.chdir(root)
    box = Toolbox(root)
    hits = box.call("grep", {"pattern": pattern, "glob": "*.txt"})
    assert [(hit.line, hit.text) for hit in hits.data.matches] == [(2, pattern)]
    assert "No paths match" in box.call("glob", {"pattern": pattern})
    assert sorted(os.listdir(root)) == ["a.txt", "x.sh"]
