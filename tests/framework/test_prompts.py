"""Prompt files: where they are found, what they may hold, what is said of bad ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field
from rootle import limits
from rootle.errors import InvalidPrompt
from rootle.framework import base_tool, file_tool, prompts

GOOD = """<tool name="count" title="Count lines">
  <description>
    Count the lines
    of a file.

    Kinds:
    - text, which
      is counted
    - binary
  </description>
  <param name="path" aliases="file file_path">The  file,
     relative to the root.</param>
  <param name="most">Not <b>more</b> than &lt;this&gt;.</param>
</tool>"""


async def count(path: str, most: Annotated[int, Field(ge=1, le=9)] = 3) -> str:
    """Count from the docstring.

    More of it.

    Args:
        path: The file in the docstring
            over two lines.
        most (int): At most this.
        workspace: No parameter.

    Returns:
        Nothing of this is shown.
    """
    return f"{path} {most}"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that is searched."""
    prompts.add_folder(tmp_path)
    yield tmp_path
    prompts.remove_folder(tmp_path)


def test_docstring_is_the_prompt_where_there_is_no_file() -> None:
    """What stands before the sections, and the parameters' entries."""
    spec = base_tool(count).spec
    assert spec.description == "Count from the docstring.\n\nMore of it."
    assert spec.parameters == {"path": "The file in the docstring over two lines.", "most": "At most this."}
    assert spec.title == "Count"


@pytest.mark.parametrize("decorate", [base_tool, file_tool, base_tool(effect="read"), file_tool(name="count")])
def test_file_replaces_the_docstring_when_the_tool_is_declared(folder: Path, decorate: object) -> None:
    """For anyone's tool and either decorator."""
    (folder / "count.xml").write_text(GOOD)
    tool = decorate(count)  # type: ignore[operator]
    assert tool.spec.description == "Count the lines of a file.\n\nKinds:\n- text, which is counted\n- binary"
    assert tool.__doc__ == tool.spec.description
    assert tool.spec.title == "Count lines"
    assert tool.spec.parameters == {"path": "The file, relative to the root.", "most": "Not more than <this>."}
    assert tool.spec.input_schema["properties"]["path"]["description"] == "The file, relative to the root."


async def test_file_may_declare_aliases(folder: Path) -> None:
    """Other names under which a parameter is accepted."""
    (folder / "count.xml").write_text(GOOD)
    assert await base_tool(count).invoke({"file_path": "a"}) == "a 3"


def test_limits_are_said_in_the_description(folder: Path) -> None:
    """From the schema; no file has to repeat a number."""
    (folder / "count.xml").write_text(GOOD)
    assert base_tool(count).spec.text.endswith("- binary\n\nLimits: most 1 to 9 (default 3).")


def test_last_folder_added_comes_first(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """So that an application can override a library."""
    (folder / "count.xml").write_text(GOOD)
    other = tmp_path_factory.mktemp("other")
    (other / "count.xml").write_text("<tool><description>Other.</description></tool>")
    prompts.add_folder(other)
    try:
        assert base_tool(count).spec.description == "Other."
        prompts.add_folder(folder)
        assert base_tool(count).spec.description.startswith("Count the lines")
    finally:
        prompts.remove_folder(other)
    with pytest.raises(InvalidPrompt, match="not a directory"):
        prompts.add_folder(folder / "missing")


def test_file_for_some_parameters_keeps_no_words_of_the_docstring(folder: Path) -> None:
    """One source of truth a tool."""
    (folder / "count.xml").write_text("<tool><description>D.</description><param name='most'>M.</param></tool>")
    assert base_tool(count).spec.parameters == {"most": "M."}


def test_rootles_own_words_are_not_taken_for_others_tools() -> None:
    """A third party's `grep` is described by its own docstring."""

    @base_tool
    async def grep(pattern: str) -> str:
        """Search the archive."""
        return pattern

    assert grep.spec.description == "Search the archive."


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE tool [<!ENTITY l0 "ha">{LAUGHS}]><tool><description>&l9;</description></tool>'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<tool><description>D.</tool>", "not well-formed XML: mismatched tag: line 1"),
        ("", "not well-formed XML"),
        ("<prompt/>", "the outermost element is <prompt>, not <tool>"),
        ('<tool name="other"><description>D.</description></tool>', 'it is for tool "other", not "count"'),
        ("<tool/>", "it has no <description>"),
        ("<tool><description> </description></tool>", "it has no <description>"),
        ("<tool><description>D.</description><param>x</param></tool>", "<param> is unknown"),
        ("<tool><description>D.</description><example/></tool>", "<example> is unknown"),
        (
            "<tool><description>D.</description><description>E.</description></tool>",
            "<description> is unknown, is there",
        ),
        (
            "<tool><description>D.</description><param name='most'/><param name='most'/></tool>",
            '<param name="most"> is unknown, is there twice',
        ),
        (
            "<tool><description>D.</description><param name='pth'>x</param></tool>",
            'no parameter "pth". Did you mean "path"',
        ),
        ("<tool><description>D.</description><param name='path' aliases='most'>x</param></tool>", 'alias "most" is a'),
        ("<tool><description>&undefined;</description></tool>", "undefined entity"),
        ('<!DOCTYPE t SYSTEM "x.dtd"><tool><description>D.</description></tool>', "document type or entity"),
        (
            '<!doctype tool [<!ENTITY x SYSTEM "file:///etc/passwd">]><tool><description>&x;</description></tool>',
            "document type or entity",
        ),
        (BOMB, "document type or entity"),
        ("<tool>" + " " * limits.PROMPT_FILE_BYTES + "</tool>", "larger than"),
        (b"\xff\xfe<\x00t\x00", "can't decode"),
    ],
)
def test_bad_file_is_named_with_the_reason(folder: Path, text: str | bytes, reason: str) -> None:
    """At once, when the tool is declared; nothing outside the file is read."""
    path = folder / "count.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    start = time.monotonic()
    with pytest.raises(InvalidPrompt) as caught:
        base_tool(count)
    assert reason in str(caught.value)
    assert str(path) in str(caught.value)
    assert "root:" not in str(caught.value)
    assert time.monotonic() - start < 1


def test_file_may_begin_with_a_declaration_and_a_bom(folder: Path) -> None:
    """As editors write them."""
    (folder / "count.xml").write_bytes(
        b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\n<tool><description>\xc3\xa9.</description></tool>'
    )
    assert base_tool(count).spec.description == "é."
