"""Real runs of jest and vitest, through package.json and by commands of one's own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.testruns.conftest import counts, told

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.testruns.conftest import Call

pytestmark = pytest.mark.timeout(300)  # the first test installs the runners

IMPORT = {"jest": "", "vitest": "import { describe, expect, test } from 'vitest'\n"}
SCRIPT = {"jest": "jest", "vitest": "vitest run"}
OUTCOMES = """\
describe('outer', () => {
  describe('inner', () => {
    test('adds', () => { expect(1 + 1).toBe(2) })
    test('fails', () => {
      console.log('Tests:       999 passed, 999 total')
      expect(1 + 1).toBe(3)
    })
  })
  test.skip('later', () => {})
  test.todo('to be written')
  test.each([[1, 2], [2, 3]])('each %i -> %i', (a, b) => { expect(b).toBe(a + 1) })
  test('throws', () => { throw new Error('boom \\u001b[31mred') })
})
test('takes too long', () => new Promise(() => {}), 50)
"""
FAILED = {"outer > inner > fails": "toBe(3)", "outer > throws": "boom", "takes too long": "too long"}
BOTH = pytest.mark.parametrize("runner", ["jest", "vitest"])
WAIT = "while (true) {}"


@pytest.fixture
def project(tree: Tree, node_modules: Path) -> Any:
    """Make a package whose test script is one of the two."""

    def make(runner: str, files: dict[str, str], script: str | None = None) -> Path:
        package = {"private": True, "scripts": {"test": script or SCRIPT[runner]}, "devDependencies": {runner: "*"}}
        if runner == "vitest":
            package["type"] = "module"
        root = tree(
            {"package.json": json.dumps(package), **{name: IMPORT[runner] + text for name, text in files.items()}}
        )
        (root / "node_modules").symlink_to(node_modules)
        return root

    return make


def place(runner: str, text: str) -> tuple[str, int]:
    lines = (IMPORT[runner] + OUTCOMES).splitlines()
    return "src/a.test.js", next(at for at, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize(
    ("runner", "command"),
    [
        ("jest", None),
        ("jest", "FORCE_COLOR=1 npx jest src 2>&1 | tail -2"),
        ("vitest", None),
        ("vitest", "FORCE_COLOR=1 npx vitest run --reporter=verbose || true"),
    ],
)
def test_every_outcome_is_counted(project: Any, run: Call, runner: str, command: str | None) -> None:
    """From the report, with the places of the failures; a file that does not load is an error besides."""
    files = {
        "src/a.test.js": OUTCOMES,
        "src/b.test.js": "test('fine', () => {})\n",
        "src/c.test.js": "test('x', () => {\n",
    }
    data = run(project(runner, files), command=command)
    assert (data.status, data.source, data.runner, data.complete) == ("collection_error", "report", runner, True)
    assert counts(data) == {"passed": 4, "failed": 3, "skipped": 1, "errors": 1, "todo": 1}
    assert told(data, "failed") == {name: place(runner, text) for name, text in FAILED.items()}
    (broken,) = (failure for failure in data.failures if failure.kind == "error")
    assert (broken.name, broken.file) == ("src/c.test.js", "src/c.test.js")
    assert broken.message
    messages = {failure.name: failure.message for failure in data.failures}
    assert "boom red" in messages["outer > throws"]
    assert "eceived" in messages["outer > inner > fails"]
    assert "rootle-tests" not in data.output
    assert "50" in messages["takes too long"]


@BOTH
def test_tests_are_chosen(project: Any, run: Call, runner: str) -> None:
    """By file and by name."""
    root = project(
        runner, {"a.test.js": "test('one', () => {})\ntest('two', () => {})\n", "b.test.js": "test('one', () => {})\n"}
    )
    data = run(root, paths=["a.test.js"], filter="one")
    assert (data.status, data.passed, data.failed, data.skipped) == ("passed", 1, 0, 1)


@BOTH
def test_expectations_of_the_directory(project: Any, run: Call, runner: str) -> None:
    """No tests, and a script that runs something else first."""
    root = project(runner, {}, script=f"node -e 0 && {SCRIPT[runner]}")
    data = run(root)
    assert (data.status, counts(data), data.passed) == ("no_tests", {}, None)
    (root / "a.test.js").write_text(IMPORT[runner] + "test('one', () => {})\n")
    assert counts(run(root)) == {"passed": 1}


@BOTH
def test_test_that_ends_the_process_or_takes_for_ever(project: Any, run: Call, runner: str) -> None:
    """Neither reads as passed."""
    root = project(runner, {"a.test.js": f"test('one', () => {{ {WAIT} }})\n"})
    start = time.monotonic()
    data = run(root, timeout_s=3)
    assert time.monotonic() - start < 8
    assert (data.status, data.passed, data.complete) == ("timeout", None, False)
    (root / "a.test.js").write_text(IMPORT[runner] + "test('one', () => { process.exit(0) })\n")
    data = run(root)
    assert data.status in ("error", "failed", "collection_error")
    assert not data.passed


@pytest.mark.parametrize(
    ("runner", "arguments"),
    [
        ("jest", {}),
        ("vitest", {}),
        ("jest", {"command": "npx --no-install jest"}),
        ("vitest", {"command": "node_modules/.bin/vitest run"}),
        ("jest", {"command": "node node_modules/jest/bin/jest.js"}),
    ],
)
def test_missing_runner(tree: Tree, run: Call, node_modules: Path, runner: str, arguments: dict[str, Any]) -> None:
    """The package was never installed."""
    root = tree({"package.json": json.dumps({"scripts": {"test": SCRIPT[runner]}}), "a.test.js": ""})
    data = run(root, **arguments)
    assert (data.status, data.source, counts(data)) == ("runner_missing", None, {})


def test_jest_that_fails_without_a_failing_test(project: Any, run: Call) -> None:
    """A threshold of coverage that is missed: the worse counts, and it is told."""
    root = project("jest", {"a.test.js": "test('one', () => { require('./a') })\n", "a.js": "exports.f = () => 1\n"})
    data = run(root, command='npx jest --coverage --coverageThreshold \'{"global": {"functions": 90}}\'')
    assert (data.status, data.passed, data.failed) == ("failed", 1, 0)
    assert "No test failed, but jest says that the run did." in data.notes


def test_vitest_error_outside_of_tests(project: Any, run: Call) -> None:
    """A promise that nobody waits for is rejected: every test passes, the run fails."""
    root = project("vitest", {"a.test.js": "test('one', () => { Promise.reject(new Error('lost')) })\n"})
    data = run(root)
    assert (data.status, data.passed, data.failed, data.errors) == ("failed", 1, 0, 1)
    assert data.notes[-1] == "1 error happened outside of the tests."
