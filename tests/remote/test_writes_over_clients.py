"""Every tool that writes over every client: the same answers and the same files as on a local directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import RootleError

Client = Callable[[Path], Any]
Ask = Callable[[Toolbox, str, dict[str, Any]], tuple[str, Any]]

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
    "create below new directories": [("write_file", {"path": "docs/p/q/r/new.md", "content": "x\n"}), UNDO],
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


def do(ask: Ask, box: Toolbox, root: Path, name: str, arguments: dict[str, Any]) -> Any:
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
    text, data = ask(box, name, arguments)
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
    make_client: Client,
    make_tree: Callable[[Path], Path],
    ask: Ask,
    root: Path,
    tmp_path: Path,
    steps: list[tuple[str, dict[str, Any]]],
) -> None:
    """What is said, what is then on disk, and what is remembered of it are those of a local directory."""
    other = tmp_path / "other" / "tree"
    other.parent.mkdir()
    make_tree(other)
    local, remote = Toolbox(root), Toolbox(make_client(other))
    for name, arguments in steps:
        assert do(ask, remote, other, name, arguments) == do(ask, local, root, name, arguments)
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
