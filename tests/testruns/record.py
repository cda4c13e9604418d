"""Records what the runners print, for the tests of the text parsers: `python -m tests.testruns.record`.

Each runner is run on the project of its tests of real runs, plain and in colours; names of directories of this machine
are replaced. Needs all runners; those that are missing keep their recordings.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.testruns import test_cargo_runs, test_go_runs, test_node_runs, test_pytest_runs
from tests.testruns.conftest import NODE_RUNNERS

RECORDED = Path(__file__).parent / "recorded"
INNER = "import subprocess, sys\n\n\ndef test_a():\n    argv = [sys.executable, '-m', 'pytest', 'inner.py']\n"
INNER += (
    "    print(subprocess.run(argv, capture_output=True).stdout.decode())\n    assert 0\n\n\ndef test_b():\n    pass\n"
)
PYTHON = {"test_a.py": test_pytest_runs.OUTCOMES}
GO = {
    **test_go_runs.FILES,
    "broken/b_test.go": test_go_runs.BROKEN,
    "p/p_test.go": test_go_runs.PANICS.replace("package a", "package p"),
}
CARGO = test_cargo_runs.FILES
UNITTEST = (
    "import unittest\n\n\nclass T(unittest.TestCase):\n"
    "    def test_ok(self): pass\n    def test_no(self): self.fail('no')\n"
    "    def test_error(self): raise ValueError\n    @unittest.skip('later')\n    def test_later(self): pass\n"
    "    @unittest.expectedFailure\n    def test_expected(self): self.fail()\n"
)
NODE = (
    "const { test, describe } = require('node:test')\n"
    "describe('s', () => { test('a', () => {}); test('b', () => { throw 1 }) })\n"
    "test('c', { skip: true }, () => {})\ntest('d', { todo: true }, () => {})\n"
)


def node(runner: str, extra: dict[str, str] | None = None) -> dict[str, str]:
    files = {"src/a.test.js": test_node_runs.OUTCOMES, "src/b.test.js": "test('fine', () => {})\n", **(extra or {})}
    return {
        "package.json": '{"type": "module"}' if runner == "vitest" else "{}",
        **{name: test_node_runs.IMPORT[runner] + text for name, text in files.items()},
    }


BROKEN = {"src/c.test.js": "test('x', () => {\n"}
# Name of the recording, files, command, and the variable that asks for colours.
RUNS: list[tuple[str, dict[str, str], str]] = [
    ("pytest", PYTHON, "python -m pytest {color}"),
    ("pytest-quiet", PYTHON, "python -m pytest -q {color}"),
    ("pytest-very-quiet", PYTHON, "python -m pytest -qq"),
    ("pytest-verbose", PYTHON, "python -m pytest -vv --tb=short {color}"),
    ("pytest-passed", {"test_a.py": "def test_a(): pass\n"}, "python -m pytest {color}"),
    ("pytest-none", {"test_a.py": ""}, "python -m pytest {color}"),
    (
        "pytest-import",
        {"test_a.py": "import nothing_there\n", "test_b.py": "def test_b(): pass\n"},
        "python -m pytest {color}",
    ),
    ("pytest-deselected", {"test_a.py": "def test_a(): pass\ndef test_b(): pass\n"}, "python -m pytest -k _b {color}"),
    (
        "pytest-inner",
        {"test_a.py": INNER, "inner.py": "def test_x(): pass\ndef test_y(): assert 0\n"},
        "python -m pytest {color}",
    ),
    ("pytest-missing", {}, "python -I -S -m pytest"),
    ("unittest", {"test_a.py": UNITTEST}, "python -m unittest"),
    ("jest", node("jest"), "{force} node_modules/.bin/jest"),
    ("jest-broken", node("jest", BROKEN), "{force} node_modules/.bin/jest"),
    ("jest-none", {"package.json": "{}"}, "node_modules/.bin/jest"),
    ("vitest", node("vitest"), "{force} node_modules/.bin/vitest run"),
    ("vitest-broken", node("vitest", BROKEN), "{force} node_modules/.bin/vitest run"),
    ("vitest-none", {"package.json": "{}"}, "node_modules/.bin/vitest run"),
    ("node", {"a.test.js": NODE}, "{force} node --test"),
    ("go", GO, "go test ./..."),
    ("go-verbose", GO, "go test -v ./..."),
    ("go-passed", {"go.mod": GO["go.mod"], "b/b_test.go": GO["b/b_test.go"]}, "go test ./..."),
    ("go-none", {"go.mod": GO["go.mod"], "none/none.go": GO["none/none.go"]}, "go test ./..."),
    ("cargo", CARGO, "cargo test --no-fail-fast {color} -- {color}"),
    ("cargo-first", CARGO, "cargo test"),
    ("cargo-broken", {"Cargo.toml": CARGO["Cargo.toml"], "src/lib.rs": 'fn a() -> u8 { "" }\n'}, "cargo test {color}"),
    (
        "cargo-abort",
        {"Cargo.toml": CARGO["Cargo.toml"], "src/lib.rs": "#[test]\nfn a() { std::process::abort() }\n"},
        "cargo test",
    ),
    ("nextest", CARGO, "cargo nextest run --no-fail-fast {color}"),
]


def record(name: str, files: dict[str, str], command: str, *, colours: bool) -> None:
    """Run a command in a new directory and keep what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        root.mkdir(exist_ok=True)
        if "node_modules" in command:
            (root / "node_modules").symlink_to(NODE_RUNNERS / "node_modules")
        option = "--color=yes" if "pytest" in name else "--color=always"
        line = command.format(color=option if colours else "", force="FORCE_COLOR=1" if colours else "NO_COLOR=1")
        env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ["HOME"],
            "CARGO_TARGET_DIR": f"{folder}/target",
            "CARGO_NET_OFFLINE": "true",
            "GOFLAGS": "-mod=mod",
            "GOPROXY": "off",
            "LANG": "C.UTF-8",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        done = subprocess.run(["sh", "-c", f"{line} 2>&1"], cwd=root, env=env, stdout=subprocess.PIPE, check=False)
        text = done.stdout.decode()
        if done.returncode == 127:
            print(f"{name}: {text.strip()}")
            return
        for real, shown in (
            (str(root), "/project"),
            (folder, "/build"),
            (str(NODE_RUNNERS), "/project"),
            (os.path.relpath(NODE_RUNNERS, root), "."),
            (str(Path(sys.executable).parent), "/usr/bin"),
            (os.path.dirname(os.path.dirname(shutil.which("go") or "/usr/local/go/bin/go")), "/usr/local/go"),
        ):
            text = text.replace(real, shown)
        text = re.sub(r"(/[\w.-]+)+/(site-packages|lib/python3\.\d+)/", r"/usr/lib/python3/\2/", text)
        (RECORDED / f"{name}{'.colours' if colours else ''}.txt").write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    for run_name, run_files, run_command in RUNS:
        record(run_name, run_files, run_command, colours=False)
        if "{" in run_command:
            record(run_name, run_files, run_command, colours=True)
