"""Texts that are to be written, or to be found, are taken as strings only: any other value would have to be guessed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from rootle import Replacement, Toolbox, Workspace, apply_edit
from rootle.errors import InvalidArgument

CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("write_file", {"path": "f"}, "content"),
    ("write_file", {"path": "f.json"}, "content"),
    ("update_file", {"path": "f", "new": "2"}, "old"),
    ("update_file", {"path": "f", "old": "1"}, "new"),
    ("apply_diff", {}, "diff"),
]


@pytest.mark.parametrize("value", [1, 1.5, math.nan, math.inf, True, {"a": 1}, ["a"], b"x"])
@pytest.mark.parametrize(("tool", "arguments", "name"), CALLS)
def test_other_values_are_refused_by_name(
    tmp_path: Path, tool: str, arguments: dict[str, Any], name: str, value: Any
) -> None:
    """Nothing is written, not even what the value would look like."""
    (tmp_path / "f").write_text("1\n", encoding="ascii")
    box = Toolbox(tmp_path, overwrite="any")
    with pytest.raises(InvalidArgument) as caught:
        box.call(tool, {**arguments, name: value})
    assert f'invalid "{name}": input should be a valid string' in str(caught.value)
    assert caught.value.details["name"] == name
    assert [(path.name, path.read_text(encoding="ascii")) for path in tmp_path.iterdir()] == [("f", "1\n")]


def test_other_values_within_a_list_are_refused(tmp_path: Path) -> None:
    """The message tells which edit."""
    (tmp_path / "f").write_text("1\n", encoding="ascii")
    with pytest.raises(InvalidArgument) as caught:
        Toolbox(tmp_path).call("update_file", {"path": "f", "edits": [{"old": 1, "new": "2"}]})
    assert 'invalid "edits.0.old"' in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        (Replacement(1, "2"), "old"),  # type: ignore[arg-type]
        (Replacement("1", None), "new"),  # type: ignore[arg-type]
        (Replacement("1", "\ud800"), "new"),
        (Replacement("1", "2", expected_count=0), "expected_count"),
        (Replacement("1", "2", expected_count=True), "expected_count"),
        (Replacement("1", "2", near_line=1 << 63), "near_line"),
        (Replacement("1", "2", near_line=1.5), "near_line"),  # type: ignore[arg-type]
    ],
)
def test_both_ways_to_edit_name_a_bad_value(tmp_path: Path, edit: Replacement, name: str) -> None:
    """A workspace and the plain function say the same."""
    (tmp_path / "f").write_text("1\n", encoding="ascii")
    said = []
    for call in (
        lambda: Workspace(tmp_path).edit("f", edit),
        lambda: apply_edit("1\n", edit.old, edit.new, expected_count=edit.expected_count, near_line=edit.near_line),
    ):
        with pytest.raises(InvalidArgument) as caught:
            call()
        assert caught.value.details["name"] == name
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("content", [1, None, {"a": 1}, "\ud800"])
def test_workspace_writes_text_and_bytes_only(tmp_path: Path, content: Any) -> None:
    """A text that no file can hold is named too."""
    with pytest.raises(InvalidArgument) as caught:
        Workspace(tmp_path).write("f", content)
    assert caught.value.details["name"] == "content"
    assert not (tmp_path / "f").exists()
