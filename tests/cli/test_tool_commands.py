"""`rootle tools` and `rootle call`: what an agent gets, from a shell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from rootle import Toolbox

if TYPE_CHECKING:
    from tests.cli.conftest import Run
    from tests.conftest import Tree


def test_tools_lists_names_words_and_parameters(rootle: Run) -> None:
    """Every built-in tool is there with its parameters; a name chooses one."""
    everything = rootle("tools").stdout.decode()
    one = rootle("tools", "grep").stdout.decode()

    listed = [line for line in everything.splitlines() if line and not line.startswith(" ")]
    assert listed == list(Toolbox(".").names)
    assert "    pattern (required): " in one
    assert "read_file" not in one.splitlines()


def test_tools_json_gives_schemas(rootle: Run) -> None:
    """The schemas are those that `Toolbox.tools_for` gives."""
    (schema,) = json.loads(rootle("tools", "grep", "--json").stdout)
    assert schema["name"] == "grep"
    assert "pattern" in schema["inputSchema"]["properties"]

    (schema,) = json.loads(rootle("tools", "grep", "--json", "--dialect", "openai").stdout)
    assert schema["function"]["name"] == "grep"


def test_call_prints_what_a_model_reads(rootle: Run, tree: Tree) -> None:
    """Arguments are given as JSON or on stdin; `--root` is all that the tool sees."""
    root = tree({"in/a.py": "def main(): ...\n", "out.py": "def main(): ...\n"})

    for done in (
        rootle("call", "grep", '{"pattern": "def main"}', "--root", "in"),
        rootle("call", "grep", "-", text=b'{"pattern": "def main"}', cwd=root / "in"),
    ):
        assert done.returncode == 0
        assert "a.py" in done.stdout.decode()
        assert "out.py" not in done.stdout.decode()


def test_call_json_gives_the_data(rootle: Run, tree: Tree) -> None:
    """`--json` prints the validated data of the result."""
    tree({"a.py": "def main(): ...\n"})

    data = json.loads(rootle("call", "grep", '{"pattern": "def main"}', "--json").stdout)

    assert [(match["path"], match["line"]) for match in data["matches"]] == [("a.py", 1)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grpe", "{}"], "grep"),
        (["grep", "{"], "not JSON"),
        (["grep", "[]"], "JSON object"),
        (["grep", '{"patern": "x"}'], "pattern"),
        (["grep", '{"pattern": "x", "path": "../up"}'], "root"),
        (["read_file", '{"path": "a.pyy"}'], "a.py"),
    ],
)
def test_call_errors(rootle: Run, tree: Tree, arguments: list[str], words: str) -> None:
    """An error is told on stderr with what may have been meant, and the code is 2."""
    tree({"a.py": ""})

    done = rootle("call", *arguments)

    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_call_writes_only_when_told_to(rootle: Run, tree: Tree) -> None:
    """Without `--write` the refusal names it, and the file stays."""
    root = tree({"a.py": "x = 1\n"})
    arguments = ("update_file", '{"path": "a.py", "old": "x = 1", "new": "x = 2"}')

    refused = rootle("call", *arguments)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert "--write" in refused.stderr.decode()
    assert (root / "a.py").read_text() == "x = 1\n"

    assert rootle("call", "--write", *arguments).returncode == 0
    assert (root / "a.py").read_text() == "x = 2\n"
    assert rootle("call", "nothing", "{}").returncode == rootle("call", "--write", "nothing", "{}").returncode == 2
