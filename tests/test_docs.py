"""What the documents say is run and compared: every Python block, the README's table, the options."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rootle import options, primitives
from rootle.tools import BUILTIN
from rootle.workspace import LocalBackend

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENTS = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{path.name}:{number}")
    for path in DOCUMENTS
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL), 1)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_python_block_runs(block: str, tmp_path: Path) -> None:
    """As a reader would run it: in a process of its own, in a small project."""
    (tmp_path / "main.py").write_text("def main() -> None: ...  # TODO\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_links_lead_somewhere() -> None:
    """Relative links of the documents name files that exist."""
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
            assert "://" in target or (path.parent / target).exists(), f"{path.name}: {target}"


def test_readme_names_every_tool() -> None:
    """The table has one row a built-in tool, in order."""
    rows = re.findall(r"^\| `(\w+)` \|", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(tool.name for tool in BUILTIN)


def test_readme_names_the_commands() -> None:
    """The two commands of a clone are there, and the Makefile has them."""
    readme, makefile = ((REPOSITORY / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    for command in ("demo", "test"):
        assert f"make {command}" in readme
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("grep", options.GrepKeywords),
        ("glob", options.GlobKeywords),
        ("walk", options.WalkKeywords),
        ("list_dir", options.ListKeywords),
        ("read", options.ReadKeywords),
    ],
)
def test_options_are_the_same_everywhere(name: str, keywords: type) -> None:
    """Function, backend and keyword type have the same options, and the first two the same defaults."""
    function, method = (
        {
            parameter.name: parameter.default
            for parameter in inspect.signature(holder).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        for holder in (getattr(primitives, name), getattr(LocalBackend, name))
    )
    assert function == method
    assert set(function) == set(keywords.__annotations__)


@pytest.mark.parametrize("name", primitives.__all__)
def test_every_option_is_described(name: str) -> None:
    """Each parameter has its line in the docstring."""
    function = getattr(primitives, name)
    described = set(re.findall(r"^        ([a-z_]+): ", function.__doc__, re.MULTILINE))
    assert described == set(inspect.signature(function).parameters)


def test_import_is_light() -> None:
    """Importing rootle and searching load neither pydantic nor asyncio."""
    code = (
        "import sys, rootle; rootle.grep('x', '.'); rootle.glob('*', '.'); rootle.walk('.'); rootle.read('f');"
        "print(sorted({'pydantic', 'asyncio', 'typing', 'logging'} & set(sys.modules)))"
    )
    folder = os.path.dirname(__file__)
    done = subprocess.run(
        [sys.executable, "-c", code.replace("'f'", repr(__file__))],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
