"""Real runs of go test: events, subtests, packages that do not build."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.testruns.conftest import counts, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Tree
    from tests.testruns.conftest import Call

# The first build of all takes long: Go compiles its library.
pytestmark = [pytest.mark.usefixtures("go"), pytest.mark.timeout(180)]

MODULE = "module example.com/m\n\ngo 1.18\n"
OUTCOMES = """\
package a

import (
	"fmt"
	"testing"
)

func TestOk(t *testing.T) {}

func TestFail(t *testing.T) {
	fmt.Println("ok  \\texample.com/m/a\\t0.1s")
	fmt.Println("--- PASS: TestForged (0.00s)")
	t.Errorf("got %d,\\nwant %d", 1, 2)
}

func TestSkip(t *testing.T) { t.Skip("later") }

func TestTable(t *testing.T) {
	for _, name := range []string{"x y", "z/w", "é"} {
		t.Run(name, func(t *testing.T) {
			if name == "z/w" {
				t.Run("deep", func(t *testing.T) { t.Fatal("no") })
			}
		})
	}
}

func TestParentFails(t *testing.T) {
	t.Run("fine", func(t *testing.T) {})
	t.Error("parent")
}
"""
PANICS = """\
package p

import "testing"

func TestBefore(t *testing.T) {}

func TestPanic(t *testing.T) {
	var none map[string]int
	none["a"] = 1
}

func TestAfter(t *testing.T) {}
"""
FILES = {
    "go.mod": MODULE,
    "a/a_test.go": OUTCOMES,
    "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestB(t *testing.T) {}\n',
    "none/none.go": "package none\n",
}
FAILED = {
    "TestFail": ("a/a_test.go", 13),
    "TestTable/z/w/deep": ("a/a_test.go", 22),
    "TestParentFails": ("a/a_test.go", 30),
}
BROKEN = 'package broken\n\nimport "testing"\n\nfunc TestX(t *testing.T) { x := 1 }\n'
VETTED = 'package vetted\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestV(t *testing.T) { fmt.Printf("%d", "s") }\n'


@pytest.fixture
def run(run: Call, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the tool, with the network out of Go's reach."""
    for name, value in {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}.items():
        monkeypatch.setenv(name, value)
    return run


def test_every_outcome_is_counted(tree: Tree, run: Call) -> None:
    """Subtests instead of their parents; what a test prints is its output; packages that do not build are errors."""
    root = tree({**FILES, "broken/b_test.go": BROKEN, "vetted/v_test.go": VETTED})
    data = run(root)
    assert (data.status, data.source, data.command) == ("build_failed", "report", "go test ./...")
    assert counts(data) == {"passed": 5, "failed": 3, "skipped": 1, "errors": 2}
    assert told(data, "failed") == FAILED
    assert told(data, "error") == {
        "example.com/m/broken": ("broken/b_test.go", 5),
        "example.com/m/vetted": ("vetted/v_test.go", 8),
    }
    messages = {failure.name: failure.message for failure in data.failures}
    assert messages["TestFail"].endswith("got 1,\nwant 2")
    assert "declared and not used" in messages["example.com/m/broken"]
    assert "--- FAIL: TestFail" in data.output
    assert '"Action"' not in data.output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"paths": ["b"]}, ("passed", {"passed": 1}, "report")),
        ({"paths": ["b/b_test.go"], "filter": "TestB"}, ("passed", {"passed": 1}, "report")),
        ({"filter": "TestNothing"}, ("no_tests", {}, "report")),
        ({"command": "go test ./none"}, ("no_tests", {}, "report")),
        (
            {"command": "cd a && go test -count=1 -run 'TestOk|TestSkip' . 2>&1"},
            ("passed", {"passed": 1, "skipped": 1}, "report"),
        ),
        ({"command": "go test ./a ./b | tail -50"}, ("failed", {"failed": 3}, "text")),
        ({"command": "go test -v ./b | cat"}, ("passed", {"passed": 1}, "text")),
        ({"command": ["go", "test", "./b"]}, ("passed", {"passed": 1}, "report")),
        ({"command": "go test ./nowhere"}, ("build_failed", {"errors": 1}, "report")),
        ({"command": "go test -count x ./b"}, ("error", {}, None)),
    ],
)
def test_commands(tree: Tree, run: Call, arguments: dict[str, Any], expected: tuple[str, dict[str, int], str]) -> None:
    """Chosen ones and given ones; a pipe leaves the text."""
    data = run(tree(FILES), **arguments)
    assert (data.status, counts(data), data.source) == expected


def test_file_is_named_from_the_root(tree: Tree, run: Call) -> None:
    """Go names it from its package's directory alone."""
    root = tree({f"svc/{name}": text for name, text in FILES.items()})
    data = run(root, cwd="svc", paths=["a"])
    assert told(data)["TestFail"] == ("svc/a/a_test.go", 13)
    data = run(root, cwd="svc/a", command="go test .")
    assert told(data)["TestFail"] == ("svc/a/a_test.go", 13)


def test_panic_ends_a_package(tree: Tree, run: Call) -> None:
    """The test is told with its place; what did not run is in no count."""
    data = run(tree({"go.mod": MODULE, "p/p_test.go": PANICS}))
    assert (data.status, counts(data)) == ("failed", {"passed": 1, "failed": 1})
    assert told(data) == {"TestPanic": ("p/p_test.go", 9)}
    assert "assignment to entry in nil map" in data.failures[0].message


@pytest.mark.parametrize(("ending", "count"), [("os.Exit(0)", 1), ("os.Exit(3)", 1)])
def test_test_that_ends_the_process(tree: Tree, run: Call, ending: str, count: int) -> None:
    """Go calls exit code 0 in a test a panic, and any other a failure."""
    test = f'package p\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestEnds(t *testing.T) {{ {ending} }}\n'
    data = run(tree({"go.mod": MODULE, "p_test.go": test}))
    assert (data.status, counts(data)) == ("failed", {"failed": count})
    assert told(data).keys() == {"TestEnds"}


def test_time_limit_keeps_the_report(tree: Tree, run: Call) -> None:
    """What ended before counts; what was running is named."""
    test = (
        'package p\n\nimport (\n\t"testing"\n\t"time"\n)\n\n'
        "func TestA(t *testing.T) {}\nfunc TestSlow(t *testing.T) { time.Sleep(time.Minute) }\n"
    )
    root = tree({"go.mod": MODULE, "p_test.go": test})
    run(root, command="go vet ./... && go test -count=1 -run TestA .")  # built, so that the time is the test's
    start = time.monotonic()
    data = run(root, timeout_s=4)
    assert time.monotonic() - start < 9
    assert (data.status, data.source, counts(data), data.complete) == ("timeout", "report", {"passed": 1}, False)
    assert "TestSlow (example.com/m) was running when time was up." in data.notes


def test_flood_of_output(tree: Tree, run: Call) -> None:
    """50 MB of text, which are more as events, cost no count."""
    test = (
        'package p\n\nimport (\n\t"fmt"\n\t"strings"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {}\n'
        'func TestB(t *testing.T) {\n\tline := strings.Repeat("x", 199)\n'
        '\tfor i := 0; i < 250000; i++ {\n\t\tfmt.Println(line)\n\t}\n\tt.Error("end")\n}\n'
    )
    data = run(tree({"go.mod": MODULE, "p_test.go": test}))
    assert (data.status, data.source, counts(data)) == ("failed", "report", {"passed": 1, "failed": 1})
    assert told(data).keys() == {"TestB"}


def test_module_is_read_from_its_file(tree: Tree, run: Call, tmp_path: Path) -> None:
    """A package of another name than its directory."""
    root = tree({"go.mod": f"// {json.dumps('x')}\nmodule   example.com/m\n", "b/b_test.go": FILES["b/b_test.go"]})
    assert counts(run(root)) == {"passed": 1}
