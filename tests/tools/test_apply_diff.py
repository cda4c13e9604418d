"""The `apply_diff` tool through the Toolbox: every form of diff, all files or none."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import rootle
from rootle import Toolbox, Workspace, limits
from rootle.errors import InvalidArgument, InvalidPatch, PathEscapesRoot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Tree

OLD = "def f():\n    a = 1\n    b = 2\n    return a\n"
NEW = "def f():\n    a = 1\n    b = 3\n    return a\n"
FORMS = {
    "unified": "--- a/f.py\n+++ b/f.py\n@@ -1,4 +1,4 @@\n def f():\n     a = 1\n-    b = 2\n+    b = 3\n"
    "     return a\n",
    "git": "diff --git a/f.py b/f.py\nindex 1..2 100644\n--- a/f.py\n+++ b/f.py\n@@ -2,2 +2,2 @@\n     a = 1\n"
    "-    b = 2\n+    b = 3\n",
    "no counts": "--- f.py\n+++ f.py\n@@ ... @@\n     a = 1\n-    b = 2\n+    b = 3\n",
    "wrong counts": "--- a/f.py\n+++ b/f.py\n@@ -91,9 +97,12 @@\n     a = 1\n-    b = 2\n+    b = 3\n",
    "fenced": "Here it is:\n```diff\n--- a/f.py\n+++ b/f.py\n@@ -3 +3 @@\n-    b = 2\n+    b = 3\n```\n",
    "v4a": "*** Begin Patch\n*** Update File: f.py\n@@ def f():\n     a = 1\n-    b = 2\n+    b = 3\n*** End Patch\n",
    "search_replace": "f.py\n<<<<<<< SEARCH\n    b = 2\n=======\n    b = 3\n>>>>>>> REPLACE\n",
    "bare hunk": "@@ -3 +3 @@\n-    b = 2\n+    b = 3\n",
}


def state(root: Path) -> dict[str, str]:
    """Give every file and its text."""
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_applied(tree: Tree, form: str) -> None:
    """To the same result."""
    root = tree({"f.py": OLD})
    more = {"path": "f.py"} if form == "bare hunk" else {}
    answer = Toolbox(root).call("apply_diff", {"diff": FORMS[form], **more})
    assert (root / "f.py").read_text() == NEW
    assert answer.data.applied
    assert [file.hunks_applied for file in answer.data.files] == [1]
    again = Toolbox(root).call("apply_diff", {"diff": FORMS[form], **more})
    assert not again.data.files[0].changed
    assert (root / "f.py").read_text() == NEW


def test_files_are_added_deleted_and_renamed(tree: Tree) -> None:
    """In one call, together."""
    root = tree({"old.py": OLD, "gone.py": "x\n", "keep.py": "k\n"})
    diff = (
        "diff --git a/old.py b/new.py\nsimilarity index 80%\nrename from old.py\nrename to new.py\n"
        "--- a/old.py\n+++ b/new.py\n@@ -2,2 +2,2 @@\n     a = 1\n-    b = 2\n+    b = 3\n"
        "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/d/made.py b/d/made.py\nnew file mode 100755\n--- /dev/null\n+++ b/d/made.py\n@@ -0,0 +1 @@\n+m\n"
    )
    box = Toolbox(root)
    answer = box.call("apply_diff", {"diff": diff})
    assert state(root) == {"new.py": NEW, "keep.py": "k\n", "d/made.py": "m\n"}
    assert (root / "d/made.py").stat().st_mode & 0o111
    assert [file.operation for file in answer.data.files] == ["rename", "delete", "add"]
    assert set(box.changed) == {"old.py", "new.py", "gone.py", "d/made.py"}


BAD = {
    "third hunk": (
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+x\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-b\n+x\n"
        "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-this was never here\n+x\n"
    ),
    "ambiguous": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+x\n--- a/d\n+++ b/d\n@@ ... @@\n-same line here\n+x\n",
    "add of a file that is there": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+x\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n",
    "delete of a drifted file": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+x\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n"
    "-other\n",
}


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit_changes_nothing(tree: Tree, name: str) -> None:
    """No file, and nothing is left beside them; the answer names the file and the way out."""
    files = {"a": "a\n", "b": "b\n", "c": "c\n", "d": "same line here\n\nsame line here\n"}
    root = tree(files)
    answer = Toolbox(root).call("apply_diff", {"diff": BAD[name]})
    assert state(root) == files
    assert answer.is_error
    assert answer.text.startswith("NOT APPLIED")
    assert not answer.data.applied
    assert [bool(file.conflicts) for file in answer.data.files][-1]
    assert all(conflict.reason and conflict.message for file in answer.data.files for conflict in file.conflicts)


def test_the_hunks_that_fit_can_be_had(tree: Tree) -> None:
    """When they are asked for."""
    root = tree({"a": "a\n", "b": "b\n", "c": "c\n"})
    box = Toolbox(root)
    answer = box.call("apply_diff", {"diff": BAD["third hunk"], "allow_partial": True})
    assert state(root) == {"a": "x\n", "b": "x\n", "c": "c\n"}
    assert answer.data.applied
    assert len(answer.data.files[2].conflicts) == 1
    assert box.changed == ["a", "b"]


def test_a_dry_run_writes_nothing(tree: Tree) -> None:
    """And says what would be done."""
    root = tree({"f.py": OLD})
    answer = Toolbox(root).call("apply_diff", {"diff": FORMS["unified"], "dry_run": True})
    assert state(root) == {"f.py": OLD}
    assert answer.data.dry_run
    assert answer.data.applied
    assert not answer.data.files[0].changed


@pytest.mark.parametrize(
    "diff",
    [
        "--- a/../../x\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n",
        "--- /dev/null\n+++ /etc/rootle-planted\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/f.py b/../../y\nrename from f.py\nrename to ../../y\n",
        "diff --git a/f.py b/../../y\ncopy from f.py\ncopy to ../../y\n",
        "*** Begin Patch\n*** Add File: ../planted\n+x\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: f.py\n*** Move to: ../../y\n@@\n-    b = 2\n+    b = 3\n*** End Patch\n",
        "link/x\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
    ],
)
def test_a_path_that_leads_out_refuses_the_whole_diff(tree: Tree, diff: str) -> None:
    """With the file that it could have changed left alone."""
    files = {"root/f.py": OLD, "root/g.py": OLD}
    root = tree(files) / "root"
    (root / "link").symlink_to("..")
    good = "--- a/g.py\n+++ b/g.py\n@@ -3 +3 @@\n-    b = 2\n+    b = 3\n"
    whole = good + diff if diff.startswith(("---", "diff")) else diff
    with pytest.raises(PathEscapesRoot):
        Toolbox(root).call("apply_diff", {"diff": whole})
    assert state(root.parent) == files


@pytest.mark.parametrize("diff", ["just words", "\n", "@@ -1 +1 @@\n", "*** Begin Patch\nnonsense\n", "+++ b/x\n"])
def test_what_is_no_diff_is_refused(tree: Tree, diff: str) -> None:
    """By type, with nothing changed."""
    root = tree({"f.py": OLD})
    with pytest.raises(InvalidPatch):
        Toolbox(root).call("apply_diff", {"diff": diff})
    assert state(root) == {"f.py": OLD}


def test_a_conflict_gives_a_hunk_that_fits(tree: Tree) -> None:
    """Applying it succeeds."""
    root = tree({"f.py": "def f(value):\n    first = value + 1\n    second = value + 2\n    return first * second\n"})
    diff = (
        "--- a/f.py\n+++ b/f.py\n@@ -1,4 +1,4 @@\n def f(value):\n     first = value + 1\n"
        "-    second = value + 7\n+    second = value + 9\n     return first * second\n"
    )
    box = Toolbox(root)
    answer = box.call("apply_diff", {"diff": diff})
    conflict = answer.data.files[0].conflicts[0]
    assert conflict.reason == "unsafe_difference"
    assert conflict.candidates[0].lines.first == 1
    assert conflict.suggested_hunk is not None
    box.call("apply_diff", {"diff": f"--- a/f.py\n+++ b/f.py\n{conflict.suggested_hunk}"})
    assert "second = value + 9" in (root / "f.py").read_text()


def test_a_diff_of_a_hundred_thousand_hunks_is_quick(tree: Tree) -> None:
    """Linear in its length."""
    lines = [f"line {number} of the file, with words of its own" for number in range(200_000)]
    root = tree({"f": "".join(f"{line}\n" for line in lines)})
    hunks = [
        f"@@ -{number + 1} +{number + 1} @@\n-{lines[number]}\n+{lines[number]} changed\n"
        for number in range(0, 200_000, 2)
    ]
    begin = time.monotonic()
    answer: Any = Toolbox(root).call("apply_diff", {"diff": "--- a/f\n+++ b/f\n" + "".join(hunks)})
    taken = time.monotonic() - begin
    assert answer.data.applied
    assert (root / "f").read_text().count(" changed") == 100_000
    assert answer.data.files[0].hunks_applied == 100_000
    assert len(answer.data.files[0].hunks) == limits.EDIT_HUNKS
    assert taken < 5


def test_errors_name_the_file(tree: Tree) -> None:
    """A missing file of a diff is a conflict or an error, never a silence."""
    root = tree({"f.py": OLD})
    diff = FORMS["unified"].replace("f.py", "missing.py")
    answer = Toolbox(root).call("apply_diff", {"diff": diff})
    assert answer.is_error
    assert "missing.py" in answer.text
    assert answer.data.files[0].conflicts[0].reason == "absent"
    assert state(root) == {"f.py": OLD}


CONFLICT = (
    "--- a/f.py\n+++ b/f.py\n@@ -2,2 +2,2 @@\n     a = 1\n-    b = 2\n+    b = 3\n"
    "@@ -9 +9 @@\n-    nowhere(41)\n+    b = 3\n"
)


@pytest.mark.parametrize(
    ("diff", "more", "said"),
    [
        (CONFLICT, {}, "1 hunk would fit, 1 conflict"),
        (FORMS["unified"], {"dry_run": True}, "1 hunk would fit"),
        (FORMS["unified"], {}, "1 hunk applied"),
    ],
)
def test_a_hunk_is_called_applied_only_when_it_was(tree: Tree, diff: str, more: dict[str, Any], said: str) -> None:
    """In a dry run, and when another hunk has a conflict, it would fit."""
    root = tree({"f.py": OLD})
    text = Toolbox(root).call("apply_diff", {"diff": diff, **more}).text
    assert f"update f.py: {said}" in text
    assert ("hunk applied" in text) == ((root / "f.py").read_text() == NEW)


def test_a_rename_would_fit_in_a_dry_run(tree: Tree) -> None:
    """It has no hunks, but it is something to do."""
    diff = "diff --git a/f.py b/h.py\nsimilarity index 100%\nrename from f.py\nrename to h.py\n"
    box = Toolbox(tree({"f.py": OLD}))
    assert "rename f.py -> h.py: would fit" in box.call("apply_diff", {"diff": diff, "dry_run": True}).text
    assert "rename f.py -> h.py: done" in box.call("apply_diff", {"diff": diff}).text


def test_a_conflict_names_its_hunk_once(tree: Tree) -> None:
    """The message has the hunk; it is not said before it again. Unusual characters of the name are escaped."""
    name = "f\u202e.py"
    shown = Toolbox(tree({name: OLD})).call("apply_diff", {"diff": CONFLICT.replace("f.py", name)}).text
    assert "\u202e" not in shown
    assert shown.count(".py") == 1
    text = Toolbox(tree({"f.py": OLD})).call("apply_diff", {"diff": CONFLICT}).text
    assert text.count("hunk 2") == text.count("@@ -9 +9 @@") == 1
    assert text.count("f.py") == 1


def test_a_plan_of_which_nothing_fits_is_not_applied_silently(tree: Tree) -> None:
    """It is an error with the number of conflicts; a plan that is done already is none."""
    root = tree({"f.py": OLD})
    workspace = Workspace(root)
    for partial in (False, True):
        plan = workspace.plan_patch(
            "--- a/f.py\n+++ b/f.py\n@@ -9 +9 @@\n-    nowhere(41)\n+    b = 3\n", allow_partial=partial
        )
        with pytest.raises(InvalidPatch, match="1 conflict") as caught:
            workspace.apply_plan(plan)
        assert caught.value.details["conflicts"] == 1
    with pytest.raises(InvalidPatch, match="1 conflict"):
        workspace.apply_plan(workspace.plan_patch(CONFLICT))
    assert (root / "f.py").read_text() == OLD
    assert len(workspace.apply_plan(workspace.plan_patch(CONFLICT, allow_partial=True))) == 1
    assert (root / "f.py").read_text() == NEW
    assert workspace.apply_plan(workspace.plan_patch(FORMS["unified"])) == []


def test_files_that_change_places_keep_their_contents() -> None:
    """A rename never covers a file that stays."""
    renames = [
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        for old, new in (("a", "b"), ("b", "a"))
    ]
    files = {"a": "1\n", "b": "2\n"}
    assert rootle.apply_patch(files, "".join(renames)).changed == {"a": "2\n", "b": "1\n"}
    with pytest.raises(InvalidPatch):
        rootle.apply_patch(files, renames[0])
    assert rootle.apply_patch({"a": "1\n"}, renames[0]).changed == {"a": None, "b": "1\n"}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"path":' * 50_000])
def test_arguments_nested_without_end(tree: Tree, text: str) -> None:
    """Are no valid JSON, like any others that are not."""
    with pytest.raises(InvalidArgument):
        Toolbox(tree({"f": "x\n"})).call("apply_diff", text)


@pytest.mark.parametrize(
    ("content", "old", "more"),
    [
        (5, "a", {}),
        ("a", None, {}),
        ("a", "\ud800", {}),
        ("a", "a", {"near_line": 0}),
        ("a", "a", {"near_line": 1 << 70}),
    ],
)
def test_plain_functions_refuse_what_is_no_text(content: Any, old: Any, more: dict[str, Any]) -> None:
    """By name, whatever the type."""
    with pytest.raises(InvalidArgument):
        rootle.apply_edit(content, old, "b", **more)
