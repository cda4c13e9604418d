"""Every tool over every client: the same answers as on a local directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import RootleError

Client = Callable[[Path], Any]

FILES: dict[str, str | bytes | Path | None] = {
    ".gitignore": "*.log\nbuild/\n!keep.log\n",
    ".git/info/exclude": "secret.txt\n",
    ".git/config": "[core]\n",
    ".rootleignore": "/rootled\n",
    ".hidden": "needle hidden\n",
    "a.py": "import os\ndef main():\n    pass\n",
    "b.py": "def main_loop():\n    main()\n    return 'x'\n",
    "bin.dat": b"needle\0after needle\n",
    "build/out.py": "def main(): ...\n",
    "crlf.txt": b"one needle\r\ntwo\r\nneedle\r\n",
    "deep/er/.ignore": "*.tmp\n",
    "deep/er/est/f.rs": "fn main() { needle(); }\n",
    "deep/er/x.tmp": "needle\n",
    "docs/c.md": "the main thing\nÄrger und Straße\n",
    "docs/long.txt": "start " + "x" * 5000 + " needle " + "y" * 5000 + "\n",
    "empty": "",
    "keep.log": "needle kept\n",
    "latin.txt": "caf\xe9 needle\n".encode("latin-1"),
    "link.py": Path("a.py"),
    "linkdir": Path("docs"),
    "lost": Path("nowhere"),
    "node_modules/m.js": "needle\n",
    "noise.log": "needle in a log\n",
    "odd name.txt": "needle\n",
    "odd\nline.txt": "needle\n",
    "odd\ttab*?[x].txt": "needle\n",
    "out": Path("/etc"),
    "rootled": "needle\n",
    "secret.txt": "needle\n",
    "sub/.gitignore": "*\n!*.py\n",
    "sub/no.txt": "needle\n",
    "sub/yes.py": "needle = 1\n",
    "utf16.txt": "\ufeffneedle in sixteen\n".encode("utf-16-le"),
    "utf8bom.txt": "\ufeffneedle marked\n".encode(),
    "ключ.txt": "needle ключ\n",
}


def make(root: Path) -> Path:
    """Make the tree, with times that tell files apart."""
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content or "", encoding="utf-8", newline="")
    (root / os.fsdecode(b"bad\xff.txt")).write_text("needle\n")
    os.mkfifo(root / "pipe")
    (root / "a.py").chmod(0o755)
    (root / "b.py").chmod(0o640)
    for at, path in enumerate(sorted(root.rglob("*"))):
        if not path.is_symlink():
            os.utime(path, ns=(10**18, 10**18 + (at * 7919) % 1000 * 1_000_000_007))
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a tree that may be changed."""
    return make(tmp_path / "tree")


@pytest.fixture(scope="module")
def boxes(make_client: Client, tmp_path_factory: pytest.TempPathFactory) -> tuple[Toolbox, Toolbox]:
    """Give a toolbox over the client and one on the directory, both on one tree that is not changed."""
    root = make(tmp_path_factory.mktemp("read") / "tree")
    return Toolbox(make_client(root)), Toolbox(root)


ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "list_dir": [
        {},
        {"depth": 1},
        {"depth": 5},
        {"hidden": True, "no_ignore": True, "depth": 4},
        {"max_entries": 5},
        {"path": "deep/er"},
        {"path": "linkdir"},
        {"path": "sub", "no_ignore": True},
        {"path": "node_modules"},
        {"path": "a.py"},
        {"path": "dep"},
        {"path": "../up"},
        {"path": "out"},
        {"path": "/etc"},
        {"path": "docs/.."},
        {"path": "linkdir/.."},
    ],
    "glob": [
        {"pattern": "*"},
        {"pattern": "*.py", "sort": "path"},
        {"pattern": "**/*.py"},
        {"pattern": ["*.rs", "docs/*"]},
        {"pattern": "*", "sort": "size"},
        {"pattern": "*", "sort": "depth", "kind": "any"},
        {"pattern": "*", "kind": "directory", "hidden": True},
        {"pattern": "*.PY", "ignore_case": True},
        {"pattern": "*", "no_ignore": True, "hidden": True, "sort": "path"},
        {"pattern": "*", "max_results": 3, "sort": "path"},
        {"pattern": "node_modules/m.js"},
        {"pattern": "node_modules/*"},
        {"pattern": "build/out.py"},
        {"pattern": "*.log"},
        {"pattern": ".hid*"},
        {"pattern": "*.md", "path": "docs"},
        {"pattern": "*", "path": "linkdir"},
        {"pattern": "odd*", "sort": "path"},
        {"pattern": "["},
        {"pattern": "../*"},
        {"pattern": "*", "path": "nowhere"},
        {"pattern": "*", "path": "a.py"},
    ],
    "grep": [
        {"pattern": "needle"},
        {"pattern": "main"},
        {"pattern": "needle", "mode": "files"},
        {"pattern": "needle", "mode": "count"},
        {"pattern": "needle", "sort": "modified"},
        {"pattern": "needle", "hidden": True},
        {"pattern": "needle", "no_ignore": True},
        {"pattern": "needle", "no_ignore": True, "hidden": True, "max_matches": 3},
        {"pattern": "main", "before": 1, "after": 1},
        {"pattern": "main", "word": True},
        {"pattern": "MAIN|needle", "ignore_case": True, "glob": ["*.py", "*.rs"]},
        {"pattern": "main", "type": ["py"]},
        {"pattern": "main", "type": ["pyhton"]},
        {"pattern": "main", "exclude": ["*.py"]},
        {"pattern": "main", "path": "docs"},
        {"pattern": "main", "path": "linkdir"},
        {"pattern": "main", "path": ["b.py", "a.py"]},
        {"pattern": "main()", "fixed": True},
        {"pattern": "[", "fixed": True},
        {"pattern": "main", "max_per_file": 1},
        {"pattern": "needle", "max_matches": 2},
        {"pattern": r"(?<=def )main\b"},
        {"pattern": r"(?=needle)"},
        {"pattern": r"(a)(i)n\b.*\)"},
        {"pattern": r"(e)\1dle"},
        {"pattern": "def main.*\n *main", "multiline": True},
        {"pattern": "main.*pass", "multiline": True, "dotall": True},
        {"pattern": "def|main", "invert": True, "glob": ["*.py"]},
        {"pattern": "ne+", "only_matching": True},
        {"pattern": r"\d+"},
        {"pattern": r"\bx\b"},
        {"pattern": r"^\s+\w+\(\)$"},
        {"pattern": r"needle$"},
        {"pattern": r"caf.", "guess_encoding": True},
        {"pattern": "café", "guess_encoding": True},
        {"pattern": "STRASSE|ärger|straße", "ignore_case": True},
        {"pattern": "ключ"},
        {"pattern": r"\p{Cyrillic}+"},
        {"pattern": "[^ -~]"},
        {"pattern": ""},
        {"pattern": "x*"},
        {"pattern": "--help"},
        {"pattern": "-e"},
        {"pattern": "nothing like it"},
        {"pattern": "a(b"},
        {"pattern": "a\nb"},
        {"pattern": "needle", "path": "noise.log"},
        {"pattern": "needle", "path": "odd\\x0aline.txt"},
        {"pattern": "needle", "path": "nedle.txt"},
        {"pattern": "needle", "path": "out"},
        {"pattern": "needle", "path": "pipe"},
        {"pattern": "needle", "cursor": "g1.nonsense"},
        {"pattern": "needle", "glob": ["*.zig"]},
    ],
    "read_file": [
        {"path": "a.py"},
        {"path": "empty"},
        {"path": "bin.dat"},
        {"path": "crlf.txt"},
        {"path": "latin.txt"},
        {"path": "utf16.txt"},
        {"path": "utf8bom.txt", "max_lines": 1},
        {"path": "docs/long.txt"},
        {"path": "docs/long.txt", "start_column": 4000},
        {"path": "b.py", "start_line": 2, "max_lines": 1},
        {"path": "b.py", "start_line": -1},
        {"path": "b.py", "start_line": 99},
        {"path": "latin.txt", "encoding": "latin1"},
        {"path": "latin.txt", "encoding": "no-such"},
        {"path": "link.py"},
        {"path": "linkdir/c.md"},
        {"path": "linkdir/../a.py"},
        {"path": "bad\\udcff.txt"},
        {"path": "odd\\x0aline.txt"},
        {"path": "odd\\x09tab*?[x].txt"},
        {"path": ["a.py", "b.py", "nowhere.py"]},
        {"path": "docs"},
        {"path": "a.py/"},
        {"path": "a.py/b"},
        {"path": "pipe"},
        {"path": "lost"},
        {"path": "out/passwd"},
        {"path": "../x"},
        {"path": "/etc/passwd"},
        {"path": "docs/d.md"},
        {"path": "\0"},
    ],
}
READS = [(tool, arguments) for tool, several in ARGUMENTS.items() for arguments in several]

# What need not be equal, and why: see docs/remote.md.
DIFFERENT: dict[str, set[str]] = {
    "grep": {"engine", "cursor", "coverage"},
    "glob": set(),
    "list_dir": set(),
    "read_file": set(),
}


_LOOSE = ("Not searched in full:", "At least ", "Stopped at the limit")


def asked(box: Toolbox, name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    """Give the text and the data of a call, or the error's text and kind."""
    try:
        answer = box.call(name, arguments)
    except RootleError as error:
        return str(error), (type(error), error.suggestions)
    data = answer.data.model_dump()
    for field in DIFFERENT.get(name, ()):
        data.pop(field, None)
    if not data.get("totals_exact", data.get("total_exact", True)):
        # What was counted beyond a limit depends on threads.
        inexact = ("total", "total_files", "ignored", "notices")
        return "", {key: value for key, value in data.items() if key not in inexact}
    if name == "grep":
        # Binary files without a match are not seen, so that fewer are counted; the hint looks at a few files only.
        data["notices"] = [line for line in data["notices"] if not line.startswith(_LOOSE)]
        return "\n".join(line for line in str(answer).splitlines() if not line.startswith(_LOOSE)), data
    return str(answer), data


def titled(case: tuple[str, dict[str, Any]]) -> str:
    return f"{case[0]}-{case[1]}"


@pytest.mark.parametrize("case", READS, ids=titled)
def test_what_reads_is_equal(boxes: tuple[Toolbox, Toolbox], case: tuple[str, dict[str, Any]]) -> None:
    """Text, data and errors are those of a local directory."""
    remote, local = boxes
    local.workspace.sync.read_state.clear()
    remote.workspace.sync.read_state.clear()
    assert asked(remote, *case) == asked(local, *case)


PATCH = """--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 import os
-def main():
+def main(x):
     pass
--- /dev/null
+++ b/new/d.py
@@ -0,0 +1,2 @@
+first
+second
--- a/docs/c.md
+++ /dev/null
@@ -1,2 +0,0 @@
-the main thing
-Ärger und Straße
"""
RENAME = """diff --git a/b.py b/sub/c.py
similarity index 90%
rename from b.py
rename to sub/c.py
--- a/b.py
+++ b/sub/c.py
@@ -1,3 +1,3 @@
 def main_loop():
     main()
-    return 'x'
+    return 'y'
"""
MODE = """diff --git a/b.py b/b.py
old mode 100644
new mode 100755
"""
UNDO: tuple[str, dict[str, Any]] = ("undo", {})
READ = "read_file"
WRITES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "create": [("write_file", {"path": "new/deep/x.txt", "content": "one\ntwo"}), UNDO],
    "create again": [
        ("write_file", {"path": "n.txt", "content": "1"}),
        ("write_file", {"path": "n.txt", "content": "2"}),
    ],
    "unread": [("write_file", {"path": "a.py", "content": "x"})],
    "overwrite": [(READ, {"path": "b.py"}), ("write_file", {"path": "b.py", "content": "x\n"}), UNDO],
    "same": [(READ, {"path": "empty"}), ("write_file", {"path": "empty", "content": ""})],
    "create only": [("write_file", {"path": "a.py", "content": "x", "create_only": True})],
    "crlf": [(READ, {"path": "crlf.txt"}), ("write_file", {"path": "crlf.txt", "content": "a\nb\n"})],
    "utf16": [("update_file", {"path": "utf16.txt", "old": "sixteen", "new": "seventeen"})],
    "unencodable": [("update_file", {"path": "latin.txt", "old": "needle", "new": "ключ"})],
    "edit": [("update_file", {"path": "a.py", "old": "def main():", "new": "def main(x):"}), UNDO],
    "edit through a link": [("update_file", {"path": "link.py", "old": "pass", "new": "return"}), UNDO],
    "edit below a link": [("update_file", {"path": "linkdir/c.md", "old": "thing", "new": "matter"})],
    "create below a link": [("write_file", {"path": "linkdir/new.md", "content": "x\n"})],
    "create through a broken link": [("write_file", {"path": "lost", "content": "found\n"}), UNDO],
    "edits": [
        ("update_file", {"path": "b.py", "edits": [{"old": "main()", "new": "go()"}, {"old": "'x'", "new": "'y'"}]})
    ],
    "not there": [("update_file", {"path": "b.py", "old": "return 'z'", "new": "return 'y'"})],
    "ambiguous": [("update_file", {"path": "b.py", "old": "main", "new": "go"})],
    "no such file": [("update_file", {"path": "c.py", "old": "main", "new": "go"})],
    "directory": [("update_file", {"path": "docs", "old": "main", "new": "go"})],
    "write to a directory": [("write_file", {"path": "docs", "content": "x"})],
    "write below a file": [("write_file", {"path": "a.py/x", "content": "x"})],
    "write to a pipe": [("write_file", {"path": "pipe", "content": "x"})],
    "outside": [("write_file", {"path": "../x", "content": "x"})],
    "outside by a link": [("write_file", {"path": "out/x", "content": "x"})],
    "git": [("write_file", {"path": ".git/hooks/pre-commit", "content": "x"})],
    "git config": [("update_file", {"path": ".git/config", "old": "[core]", "new": "[x]"})],
    "binary": [("update_file", {"path": "bin.dat", "old": "needle", "new": "x"})],
    "patch": [("apply_diff", {"diff": PATCH}), UNDO],
    "patch twice": [("apply_diff", {"diff": PATCH}), ("apply_diff", {"diff": PATCH})],
    "patch, dry": [("apply_diff", {"diff": PATCH, "dry_run": True})],
    "rename": [("apply_diff", {"diff": RENAME}), UNDO],
    "mode": [("apply_diff", {"diff": MODE}), UNDO],
    "conflict": [("apply_diff", {"diff": PATCH.replace("import os", "import sys").replace("def main", "def other")})],
    "no diff": [("apply_diff", {"diff": "hello"})],
    "diff that leads out": [("apply_diff", {"diff": PATCH.replace("new/d.py", "../d.py")})],
    "stale": [
        (READ, {"path": "b.py"}),
        ("touch", {"path": "b.py"}),
        ("update_file", {"path": "b.py", "old": "'x'", "new": "1"}),
    ],
    "stale undo": [("update_file", {"path": "b.py", "old": "'x'", "new": "1"}), ("touch", {"path": "b.py"}), UNDO],
    "wrong hash": [("write_file", {"path": "b.py", "content": "1", "expected_hash": "00" * 32})],
}


def do(box: Toolbox, root: Path, name: str, arguments: dict[str, Any]) -> Any:
    """Do one step, and give what it says, without what is said only of a sandbox."""
    if name == "touch":
        with (root / arguments["path"]).open("a") as file:
            file.write("somebody else\n")
        return None
    if name == "undo":
        try:
            return [(one.path, one.from_path, one.hash, one.created) for one in box.workspace.sync.undo()]
        except RootleError as error:
            return type(error), str(error)
    text, data = asked(box, name, arguments)
    lines = [line for line in text.splitlines() if "written in a sandbox" not in line]
    if isinstance(data, dict):
        data["notices"] = [line for line in data.get("notices", []) if "written in a sandbox" not in line]
    return lines, data


def content(root: Path) -> dict[str, Any]:
    """Give all that a tree holds."""
    found: dict[str, Any] = {}
    for path in sorted(root.rglob("*")):
        mode = path.lstat().st_mode
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = (mode, held)
    return found


@pytest.mark.parametrize("steps", WRITES.values(), ids=WRITES)
def test_what_writes_is_equal(
    make_client: Client, root: Path, tmp_path: Path, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    """What is said, what is then on disk, and what is remembered of it are those of a local directory."""
    other = tmp_path / "other" / "tree"
    other.parent.mkdir()
    make(other)
    local, remote = Toolbox(root), Toolbox(make_client(other))
    for name, arguments in steps:
        assert do(remote, other, name, arguments) == do(local, root, name, arguments)
        assert content(other) == content(root)
    assert remote.changed == local.changed


def test_written_names_stand_for_what_they_say(make_client: Client, root: Path) -> None:
    """In a sandbox a name with escapes always means the name without them, since to ask would have to be awaited."""
    box = Toolbox(make_client(root))
    box.call("write_file", {"path": "new\\x0aline/\\udcff é", "content": "x\n"})
    path = root / os.fsdecode(b"new\nline/" + b"\xff " + "é".encode())
    assert path.read_text() == "x\n"
    assert "x" in str(box.call("read_file", {"path": "new\\x0aline/\\udcff é"}))
    box.workspace.sync.undo()
    assert not path.exists()
