"""The words that a model reads about a tool, from an XML file a tool.

    <tool name="count_lines" title="Count lines">
      <description>Count the lines of a file.</description>
      <param name="path" aliases="file_path">The file, relative to the root.</param>
    </tool>

The file is called `<tool>.xml`. The folders given to `add_folder` are searched when a tool is declared, the last added
first; a Toolbox may have a folder of its own, for its tools only. Without a file the function's docstring is used.
A file can hold no document type and so no entities of its own: nothing outside the file is ever read.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rootle import limits
from rootle.errors import InvalidPrompt

__all__ = ["Prompt", "add_folder", "find_prompt", "load_prompt", "prompt_of_docstring", "remove_folder"]

_BUILTIN = Path(__file__).parent.parent / "prompts"
_folders: list[Path] = []

_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_SECTION = re.compile(r"(Args|Arguments|Parameters|Returns|Raises|Yields|Example|Examples|Notes?):\s*")
_LIST_ITEM = re.compile(r"(?:[-*]|\d+[.)]) ")


@dataclass(frozen=True)
class Prompt:
    """What a model is told of one tool.

    Attributes:
        parameters: Words by parameter.
        aliases: Parameter by other names under which it is accepted.
        source: The file it came from; None for a docstring.
    """

    description: str
    title: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    source: Path | None = None


def add_folder(path: str | os.PathLike[str]) -> None:
    """Search `path` for the prompts of tools declared from now on, before the folders added earlier."""
    folder = Path(path)
    if not folder.is_dir():
        raise InvalidPrompt.of(f'the prompt folder "{folder}" is not a directory', path=str(folder))
    remove_folder(folder)
    _folders.insert(0, folder)


def remove_folder(path: str | os.PathLike[str]) -> None:
    """Search `path` no more."""
    folder = Path(path)
    if folder in _folders:
        _folders.remove(folder)


def find_prompt(
    name: str, *, builtin: bool = False, folders: Iterable[str | os.PathLike[str]] | None = None
) -> Prompt | None:
    """Load the prompt of tool `name` from the first folder that has one; None without.

    Args:
        name: The tool.
        builtin: Whether rootle's own prompts are searched too, after all others.
        folders: Searched instead of the folders that were added.
    """
    where = list(_folders) if folders is None else [Path(folder) for folder in folders]
    if builtin:
        where.append(_BUILTIN)
    for folder in where:
        path = folder / f"{name}.xml"
        if path.is_file():
            return load_prompt(path, name)
    return None


def load_prompt(path: Path, name: str) -> Prompt:
    """Read the prompt of tool `name`; raises InvalidPrompt with the file and the reason."""
    root = _parse(path)
    if root.tag != "tool":
        raise _invalid(path, f"the outermost element is <{root.tag}>, not <tool>")
    if root.get("name", name) != name:
        raise _invalid(path, f'it is for tool "{root.get("name")}", not "{name}"')
    description: str | None = None
    parameters: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for element in root:
        text = _normalised("".join(element.itertext()))
        if element.tag == "description" and description is None:
            description = text
        elif element.tag == "param" and (parameter := element.get("name")) and parameter not in parameters:
            parameters[parameter] = text
            aliases.update(dict.fromkeys(element.get("aliases", "").split(), parameter))
        else:
            shown = f' name="{element.get("name")}"' if element.get("name") else ""
            raise _invalid(path, f"<{element.tag}{shown}> is unknown, is there twice or has no name")
    if not description:
        raise _invalid(path, "it has no <description>")
    return Prompt(description, root.get("title"), parameters, aliases, path)


def prompt_of_docstring(function: Callable[..., Any], parameters: Iterable[str]) -> Prompt:
    """Make a prompt of a docstring: what stands before the first section, and what `Args:` says of `parameters`."""
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    section = ""
    words: dict[str, list[str]] = {"": []}
    entry = ""
    for line in lines:
        if header := _SECTION.fullmatch(line):
            section, entry = header.group(1), ""
        elif not section:
            words[""].append(line)
        elif section in ("Args", "Arguments", "Parameters"):
            indented = line[:1].isspace()
            deep = len(line) - len(line.lstrip()) > 4
            if indented and not deep and (found := _ENTRY.fullmatch(line.strip())):
                entry = found.group(1)
                words[entry] = [found.group(2)]
            elif entry:
                words[entry].append(line)
    described = {key: _normalised("\n".join(text)) for key, text in words.items()}
    return Prompt(described[""], parameters={name: described[name] for name in parameters if described.get(name)})


def _parse(path: Path) -> ElementTree.Element:
    try:
        with path.open("rb") as file:
            data = file.read(limits.PROMPT_FILE_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _invalid(path, str(error)) from error
    if len(data) > limits.PROMPT_FILE_BYTES:
        raise _invalid(path, f"it is larger than {limits.PROMPT_FILE_BYTES} bytes")
    if "<!doctype" in text.lower() or "<!entity" in text.lower():
        raise _invalid(path, "a document type or entity declaration is not allowed")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise _invalid(path, f"it is not well-formed XML: {error}") from error


def _invalid(path: Path, reason: str) -> InvalidPrompt:
    return InvalidPrompt.of(f'prompt file "{path}": {reason}', path=str(path), reason=reason)


def _normalised(text: str) -> str:
    """Join the lines of a paragraph or list item; keep blank lines between paragraphs and one item a line."""
    paragraphs: list[str] = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines: list[str] = []
        for line in (" ".join(raw.split()) for raw in block.splitlines()):
            if not line:
                continue
            if lines and not _LIST_ITEM.match(line):
                lines[-1] += " " + line
            else:
                lines.append(line)
        if lines:
            paragraphs.append("\n".join(lines))
    return "\n\n".join(paragraphs)
