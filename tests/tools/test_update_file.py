"""The `update_file` tool through the Toolbox: what it changes, what it says, what it refuses and how it helps then."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Replacement, Toolbox, Workspace, apply_edits
from rootle.errors import (
    AmbiguousMatch,
    InvalidArgument,
    InvalidEdit,
    NotEditable,
    PathNotFound,
    TextNotFound,
    ToolRetryError,
)
from rootle.workspace.aio import AsyncWorkspace

if TYPE_CHECKING:
    from rootle.contracts import Action, Edit

    from tests.conftest import Tree

MODULE = (
    "import os\n\n\ndef first():\n    total = 1\n    return total\n\n\ndef second():\n    total = 1\n    return 2\n"
)


@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [
        ("a\nb\nc\n", {"old": "b", "new": "x"}, "a\nx\nc\n"),
        ("a\nb\nc\n", {"old": "b\n", "new": ""}, "a\nc\n"),
        ("a b a\n", {"old": "a", "new": "x", "replace_all": True}, "x b x\n"),
        ("a b a\n", {"old": "a", "new": "x", "expected_count": 2}, "x b x\n"),
        ("a\nb\na\n", {"old": "a", "new": "x", "near_line": 3}, "a\nb\nx\n"),
        ("a\nb\nc\n", {"edits": [{"old": "a", "new": "x"}, {"old": "c", "new": "z"}]}, "x\nb\nz\n"),
        # Located in the file as it was: the first edit's text is not found by the second.
        ("a\nb\n", {"edits": [{"old": "a", "new": "b2"}, {"old": "b\n", "new": "c\n"}]}, "b2\nc\n"),
        (
            MODULE,
            {"old": "  total = 1\n  return 2\n", "new": "  total = 3\n  return 2\n"},
            MODULE.replace("total = 1\n    return 2", "total = 3\n    return 2"),
        ),
    ],
)
def test_pieces_are_replaced(tree: Tree, before: str, arguments: dict[str, Any], after: str) -> None:
    """The file has the new text, and the answer says what became of each edit."""
    root = tree({"f.py": before})
    answer = Toolbox(root).call("update_file", {"path": "f.py", **arguments})
    assert (root / "f.py").read_text() == after
    assert answer.data.changed
    assert [edit.status for edit in answer.data.edits] == ["applied"] * len(arguments.get("edits", [1]))


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "b", "new_string": "x"},
        {"oldText": "b", "newText": "x"},
        {"old_str": "b", "new_str": "x", "file_path": "f"},
        {"edits": json.dumps([{"old": "b", "new": "x"}])},
        {"edits": [{"oldText": "b", "newText": "x"}]},
        {"edits": {"old_str": "b", "new_str": "x"}},
        {"edits": [json.dumps({"old_string": "b", "new_string": "x"})]},
        {"old": "b", "new": "x", "replace_all": "false", "near_line": "2", "edits": None},
        {"old": "", "new": "", "edits": [{"old": "b", "new": "x"}]},
    ],
)
def test_what_models_send_is_understood(tree: Tree, arguments: dict[str, Any]) -> None:
    """Other names for the two texts, JSON as text, one edit for a list of them."""
    root = tree({"f": "a\nb\nc\n"})
    Toolbox(root).call("update_file", arguments if "file_path" in arguments else {"path": "f", **arguments})
    assert (root / "f").read_text() == "a\nx\nc\n"


@pytest.mark.parametrize(
    ("before", "arguments", "error", "said"),
    [
        ("a\nb\n", {"old": "zebra = 1", "new": "x"}, TextNotFound, ""),
        (MODULE, {"old": "    total = 1\n", "new": "    total = 2\n"}, AmbiguousMatch, "def second"),
        ("a b a\n", {"old": "a", "new": "x", "expected_count": 3}, AmbiguousMatch, "2"),
        ("a\nb\n", {"old": "a", "new": "a"}, InvalidEdit, ""),
        ("a\nb\n", {"old": "", "new": "x"}, InvalidEdit, ""),
        ("a\nb\n", {"old": "a", "new": "# ... rest of code unchanged ...\n"}, InvalidEdit, ""),
        ("a\nb\n", {"edits": [{"old": "a\nb", "new": "x"}, {"old": "b", "new": "y"}]}, InvalidEdit, ""),
        ("a\nb\n", {"edits": [{"old": "a", "new": "x"}, {"old": "zebra = 1", "new": "y"}]}, TextNotFound, ""),
        ("a\0b\n", {"old": "b", "new": "x"}, NotEditable, "binary"),
        ("a\nb\n", {"old": "a"}, InvalidArgument, "new"),
        ("a\nb\n", {"new": "a"}, InvalidArgument, "old"),
        ("a\nb\n", {"old": "a", "new": "x", "edits": [{"old": "b", "new": "y"}]}, InvalidArgument, "not both"),
        ("a\nb\n", {"edits": [{"old": "b", "new": "y", "path": "g"}]}, InvalidArgument, "path"),
    ],
)
def test_refusals_change_nothing(
    tree: Tree, before: str, arguments: dict[str, Any], error: type[ToolRetryError], said: str
) -> None:
    """Each is of its class, says what is wrong, and leaves the file as it was; so do the edits beside it."""
    root = tree({"f": before})
    with pytest.raises(error) as caught:
        Toolbox(root).call("update_file", {"path": "f", **arguments})
    assert said in str(caught.value)
    assert (root / "f").read_text() == before


def test_a_refusal_gives_the_text_to_use(tree: Tree) -> None:
    """The way out that it names leads to a success."""
    root = tree({"f.py": MODULE})
    box = Toolbox(root)
    with pytest.raises(AmbiguousMatch) as caught:
        box.call("update_file", {"path": "f.py", "old": "    total = 1\n", "new": "    total = 9\n"})
    places = caught.value.details["candidates"]
    assert [(place["first"], place["symbol"]) for place in places] == [(5, "def first():"), (10, "def second():")]
    unique = caught.value.details["unique_old"]
    assert MODULE.count(unique) == 1
    assert unique.rstrip() in str(caught.value)
    box.call("update_file", {"path": "f.py", "old": unique, "new": unique.replace("1", "9")})
    assert (root / "f.py").read_text().count("total = 9") == 1


def test_a_near_miss_shows_the_difference(tree: Tree) -> None:
    """White space made visible, and the file's own text to copy."""
    root = tree({"f.py": "def f(a, b):\n\tif a > 10:\n\t\treturn compute(a, b)\n\treturn None\n"})
    box = Toolbox(root)
    wrong = "def f(a, b):\n\tif a > 11:\n\t\treturn compute(a, c)\n\treturn None\n"
    with pytest.raises(ToolRetryError) as caught:
        box.call("update_file", {"path": "f.py", "old": wrong, "new": wrong.replace("None", "0").replace("11", "12")})
    assert "\\t" in str(caught.value)
    exact = caught.value.details["exact_old"]
    assert exact in (root / "f.py").read_text()
    assert exact.rstrip() in str(caught.value)


def test_the_answer_has_diff_snippet_and_hash(tree: Tree) -> None:
    """And the hash is that of a read."""
    root = tree({"f.py": MODULE})
    box = Toolbox(root)
    answer = box.call("update_file", {"path": "f.py", "old": "    return 2\n", "new": "    return 3\n"})
    data = answer.data
    assert "-    return 2\n+    return 3\n" in data.diff
    assert (11, "    return 3") in [(line.number, line.text) for line in data.snippet]
    assert "    11\t    return 3" in answer.text
    assert box.call("read_file", {"path": "f.py"}).data.files[0].hash == data.hash
    assert data.hash in answer.text
    assert data.edits[0].after[0].first == 11


def test_an_edit_that_was_made_before_is_told_of(tree: Tree) -> None:
    """The file is left alone."""
    root = tree({"f.py": MODULE})
    box = Toolbox(root)
    arguments = {"path": "f.py", "old": "    return total\n", "new": "    return total + offset_of(total)\n"}
    box.call("update_file", arguments)
    before = (root / "f.py").stat()
    answer = box.call("update_file", arguments)
    assert not answer.data.changed
    assert answer.data.edits[0].status == "already_applied"
    assert "already applied" in answer.text
    assert (root / "f.py").stat().st_mtime_ns == before.st_mtime_ns
    assert box.changed == ["f.py"]


def test_warnings_are_said(tree: Tree) -> None:
    """Of an adapted indentation, for one."""
    root = tree({"f.py": "class A:\n\tdef f(self):\n\t\treturn 1\n"})
    answer = Toolbox(root).call(
        "update_file",
        {
            "path": "f.py",
            "old": "    def f(self):\n        return 1\n",
            "new": "    def f(self):\n        x = 2\n        return x\n",
        },
    )
    assert (root / "f.py").read_text() == "class A:\n\tdef f(self):\n\t\tx = 2\n\t\treturn x\n"
    assert answer.data.edits[0].tier == "indentation"
    assert [warning.code for warning in answer.data.edits[0].warnings] == ["indentation_adapted"]
    assert "Warning:" in answer.text


def test_missing_file_is_suggested(tree: Tree) -> None:
    """As everywhere."""
    with pytest.raises(PathNotFound) as caught:
        Toolbox(tree({"src/app.py": "x\n"})).call("update_file", {"path": "src/ap.py", "old": "x", "new": "y"})
    assert caught.value.suggestions == ("src/app.py",)


def test_host_is_asked_and_told(tree: Tree) -> None:
    """Asked only about an edit that can be made; told once it is on disk."""
    root = tree({"f": "a\nb\n"})
    asked: list[Action] = []
    told: list[Edit] = []
    answers = iter([False, True])

    def confirm(action: Action) -> bool:
        asked.append(action)
        return next(answers)

    async def after(edit: Edit) -> str:
        told.append(edit)
        return "checked"

    box = Toolbox(root, confirm=confirm)
    box.after_edit.append(after)
    with pytest.raises(TextNotFound):
        box.call("update_file", {"path": "f", "old": "zebra = 1", "new": "x"})
    assert not asked
    refused = box.call("update_file", {"path": "f", "old": "b", "new": "x"})
    assert refused.is_error
    assert ((root / "f").read_text(), told, box.changed) == ("a\nb\n", [], [])
    done = box.call("update_file", {"path": "f", "old": "b", "new": "x"})
    assert [(action.path, action.kind) for action in asked] == [("f", "edit")] * 2
    assert [(edit.path, edit.before, edit.after) for edit in told] == [("f", b"a\nb\n", b"a\nx\n")]
    assert done.data.notices == ["checked"]
    assert box.changed == ["f"]


def test_a_read_only_toolbox_has_no_such_tool(tree: Tree) -> None:
    """Nor the other writing ones."""
    names = Toolbox(tree({"f": "a\n"}), read_only=True).names
    assert not {"update_file", "write_file", "apply_diff"} & set(names)


@pytest.mark.parametrize(
    ("edits", "start", "located"),
    [
        ([("total = 1\n    return 2", "x"), ("nowhere(41)", "y")], "edit 2 of 2: ", False),
        ([("import os", "import os\nimport nowhere"), ("import nowhere\n", "y")], "edit 2 of 2 (", True),
        ([("nowhere(41)", "y"), ("import os", "import re")], "edit 1 of 2: ", False),
        ([("nowhere(41)", "y")], "old ", False),
    ],
)
def test_a_refusal_says_which_edit(tree: Tree, edits: list[tuple[str, str]], start: str, located: bool) -> None:
    """Of several; and where edits are located, when it builds upon an earlier one."""
    root = tree({"f.py": MODULE})
    with pytest.raises(ToolRetryError) as caught:
        Toolbox(root).call("update_file", {"path": "f.py", "edits": [{"old": old, "new": new} for old, new in edits]})
    assert str(caught.value).startswith(start)
    assert ("as it is before the call" in str(caught.value)) == located
    assert caught.value.details["edit"] == [old for old, _ in edits].index(
        next(old for old, _ in edits if "nowhere" in old)
    )
    assert (root / "f.py").read_text() == MODULE


@pytest.mark.parametrize(
    "wrong", [("a", "b"), ([("a", "b")],), (None,), (Replacement("a", "b"), Replacement("c", "d"))]
)
def test_what_is_no_replacement_is_refused(tree: Tree, wrong: Any) -> None:
    """By name, with what to give instead, in both workspaces and in the plain function."""
    root = tree({"f.py": "a\nc\n"})
    with pytest.raises(InvalidArgument, match=r"rootle\.Replacement"):
        Workspace(root).edit("f.py", *wrong)
    with pytest.raises(InvalidArgument, match=r"rootle\.Replacement"):
        asyncio.run(AsyncWorkspace(root).edit("f.py", *wrong))
    if len(wrong) == 1:
        with pytest.raises(InvalidArgument, match=r"rootle\.Replacement"):
            apply_edits("a\n", wrong[0])
    assert (root / "f.py").read_text() == "a\nc\n"
