"""The `run_python` tool: what the program finds, and what no file of the root can change."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rootle import Toolbox
from rootle.errors import InvalidArgument

pytestmark = pytest.mark.usefixtures("outputs")


@pytest.mark.parametrize(
    ("arguments", "output", "code"),
    [
        ({"code": "print('hi')"}, "hi\n", 0),
        ({"source": "import sys; sys.exit(4)"}, "", 4),
        ({"code": "import sys\nprint(sys.argv[1:])", "args": ["a b", "--x", ""]}, "['a b', '--x', '']\n", 0),
        ({"code": "print(input(), input())", "stdin": "one\ntwo\n"}, "one two\n", 0),
        ({"code": "import sys; print(repr(sys.stdin.read()))"}, "''\n", 0),
        ({"code": "print('ä€😀')"}, "ä€😀\n", 0),
        (
            {"code": "import os; print(os.environ['A'], os.path.basename(os.getcwd()))", "env": ["A=1"], "cwd": "sub"},
            "1 sub\n",
            0,
        ),
        ({"code": "print(__name__, '_start' in globals())"}, "__main__ False\n", 0),
        ({"code": "class A: pass\nimport pickle; print(type(pickle.loads(pickle.dumps(A()))) is A)"}, "True\n", 0),
        (
            {"code": "from __future__ import annotations\ndef f(x: nowhere): ...\nprint(f.__annotations__)"},
            "{'x': 'nowhere'}\n",
            0,
        ),
        ({"code": "raise SystemExit('over')"}, "over\n", 1),
        ({"code": "x = '" + "a" * 300_000 + "'\nprint(len(x))"}, "300000\n", 0),
        ({"code": "import sys; print(sys.flags.isolated, sys.flags.safe_path)"}, "1 True\n", 0),
        ({"code": "import sys; print(sys.executable)"}, f"{sys.executable}\n", 0),
    ],
)
def test_program_runs(tmp_path: Path, arguments: dict[str, Any], output: str, code: int) -> None:
    """With its arguments, input, variables and directory."""
    (tmp_path / "sub").mkdir()
    data = Toolbox(tmp_path).call("run_python", arguments).data
    assert (data.output, data.exit_code) == (output, code)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f():\n    return 1 / 0\nf()", '  File "<program>", line 3, in <module>\n    f()\n'),
        ("x = (1,\n", '  File "<program>", line 1\n    x = (1,\n'),
    ],
)
def test_errors_show_the_program_s_lines(tmp_path: Path, code: str, said: str) -> None:
    """And nothing of how it was started."""
    answer = Toolbox(tmp_path).call("run_python", {"code": code})
    assert said in answer
    assert "_start" not in answer
    assert "<string>" not in answer
    assert answer.is_error


# Each leaves a file behind when it is imported.
TRAP = "open(__file__ + '.was-imported', 'w')\ndef dumps(x): return 'hijacked'\n"
TRAPS = (
    "json.py",
    "sitecustomize.py",
    "usercustomize.py",
    "linecache.py",
    "traceback.py",
    "os.py",
    "encodings/__init__.py",
)


@pytest.mark.parametrize("import_root", [False, True])
def test_files_of_the_root_take_no_module_s_place(
    tmp_path: Path, import_root: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by lying there, nor through variables."""
    for name in TRAPS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TRAP)
    (tmp_path / "own.py").write_text("value = 7\n")
    for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"):
        monkeypatch.setenv(name, str(tmp_path))
    arguments = {
        "code": "import json; print(json.dumps(1))",
        "env": [f"PYTHONPATH={tmp_path}"],
        "import_root": import_root,
    }
    box = Toolbox(tmp_path)
    assert box.call("run_python", arguments).data.output == "1\n"
    own = box.call("run_python", {"code": "import own; print(own.value)", "import_root": import_root})
    assert (own.data.exit_code, "No module named 'own'" in own) == ((0, False) if import_root else (1, True))
    assert not list(tmp_path.rglob("*.was-imported"))
    assert not list(tmp_path.rglob("__pycache__"))


def test_time_limit_keeps_what_was_printed(tmp_path: Path) -> None:
    """Output is not held back in a buffer."""
    begun = time.monotonic()
    code = "import subprocess, time\nprint('partial')\nsubprocess.Popen(['sleep', '600'])\ntime.sleep(600)"
    answer = Toolbox(tmp_path).call("run_python", {"code": code, "timeout_s": 1})
    assert time.monotonic() - begun < 1.6
    assert answer.startswith("TIME LIMIT of 1 s reached")
    assert "\npartial\n" in answer
    assert "run_in_background" not in answer
    assert answer.data.survivors_left == 0


def test_arguments_that_no_process_can_have(tmp_path: Path) -> None:
    """With the parameter's name."""
    with pytest.raises(InvalidArgument) as caught:
        Toolbox(tmp_path).call("run_python", {"code": "1", "args": ["a\0"]})
    assert caught.value.details["name"] == "argv"
    data = Toolbox(tmp_path).call("run_python", {"code": "print(1)\0"}).data
    assert data.exit_code == 1
    assert "null bytes" in data.output
