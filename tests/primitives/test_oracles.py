"""The plain functions against what the standard library, git and ripgrep answer for the same question."""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rootle
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rootle import Workspace

Tree = Callable[[dict[str, Any]], Path]

LINES = st.lists(st.text(alphabet="abcX_ 1é\t\r", max_size=12), max_size=12)
PATTERNS = ["a", "b+c", "[a-c]{2}", "^a", "c$", r"\bab", "é", "(?i)x", "a|b1", r"\s", "^$", "a.c", r"[^a]\d"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, pattern=st.sampled_from(PATTERNS))
def test_grep_finds_the_lines_that_re_finds(lines: list[str], pattern: str) -> None:
    """Line numbers are those of a search of each line by Python's own engine; `$` stops before CR as before LF."""
    text = "\n".join(lines) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "f.txt").write_text(text, encoding="utf-8", newline="")
        found = [match.line for match in Workspace(folder).grep(pattern).matches]
    rows = text.split("\n")[:-1]
    expected = [
        number
        for number, line in enumerate(rows, 1)
        if re.search(pattern, line.removesuffix("\r") if "$" in pattern else line)
    ]
    assert found == expected


NAMES = st.text(alphabet=string.ascii_lowercase[:3] + ".-", min_size=1, max_size=3).filter(lambda n: n.strip(".") == n)


@settings(max_examples=60, deadline=None)
@given(
    paths=st.sets(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=1, max_size=10),
    pattern=st.sampled_from(["**/a*", "a/*", "*/b", "**/*.c", "?", "a/**", "[ab]/*", "**/*-*"]),
)
def test_glob_finds_the_paths_that_pathlib_finds(paths: set[str], pattern: str) -> None:
    """For patterns without hidden names; a pattern without a slash is compared at any depth."""
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            target = Path(folder, path)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(b"")
            except (FileExistsError, NotADirectoryError, IsADirectoryError):
                continue
        deep = pattern if "/" in pattern else f"**/{pattern}"
        # pathlib gives directories alone for a trailing `**`.
        deep = f"{deep}/*" if deep.endswith("**") else deep
        expected = sorted(str(path.relative_to(folder)) for path in Path(folder).glob(deep) if path.is_file())
        found = sorted(rootle.glob(pattern, folder, sort="path", skip_dirs=()).paths)
    assert found == expected


def test_walk_lists_what_git_lists() -> None:
    """This repository, file for file."""
    repository = Path(__file__).resolve().parents[2]
    if not (repository / ".git").exists():
        pytest.skip("not in a git work tree")
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=repository,
        capture_output=True,
        check=True,
    ).stdout
    expected = sorted({os.fsdecode(path) for path in listed.split(b"\0") if path} - _deleted(repository))
    found = rootle.walk(repository, hidden=True, skip_dirs=[".git"]).paths
    assert sorted(found) == expected


def _deleted(repository: Path) -> set[str]:
    gone = subprocess.run(["git", "ls-files", "-z", "-d"], cwd=repository, capture_output=True, check=True).stdout
    return {os.fsdecode(path) for path in gone.split(b"\0") if path}


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize(
    ("pattern", "flags", "options"),
    [
        ("rootle", [], {}),
        ("ROOTLE", ["-i"], {"ignore_case": True}),
        ("fn [a-z_]+", [], {}),
        (r"\bself\b", [], {}),
        (r"^use ", [], {}),
        (r"\{$", ["--crlf"], {}),
        ("the", ["-w"], {"word": True}),
        ("().", ["-F"], {"fixed": True}),
        (r"\p{Lu}\p{Ll}+", [], {}),
        ("Error|Result|Option|Context|Root|Path|walk|grep|glob|read", [], {}),
        ("no such text in here" + " at all", [], {}),
        ("import", ["-t", "toml"], {"type": "toml"}),
        ("def ", ["-g", "*.py"], {"glob": "*.py"}),
        ("e", ["-v"], {"invert": True}),
        (r"struct \w+ \{\n\s+pub", ["-U"], {"multiline": True}),
        ("error", ["--hidden"], {"hidden": True}),
        ("name", ["-m", "2"], {"max_per_file": 2}),
    ],
)
def test_grep_finds_what_ripgrep_finds(pattern: str, flags: list[str], options: dict[str, Any]) -> None:
    """The (file, line) pairs over this repository are the same."""
    repository = Path(__file__).resolve().parents[2]
    switches = [
        "--no-config",
        "--no-ignore-global",
        "--no-ignore-parent",
        "--no-require-git",
        "--no-heading",
        "-n",
        "-0",
    ]
    output = subprocess.run(
        ["rg", *switches, *flags, "-e", pattern, "./"], cwd=repository, capture_output=True, check=False
    ).stdout
    expected = set()
    for row in output.split(b"\n"):
        path, _, rest = row.partition(b"\0")
        if rest:
            expected.add((os.fsdecode(path.removeprefix(b"./")), int(rest.split(b":", 1)[0])))
    found: set[tuple[str, int]] = set()
    for match in rootle.grep(pattern, repository, skip_dirs=(), **options).matches:
        found |= {(match.path, line) for line in range(match.line, match.end_line + 1)}
    assert found == expected
