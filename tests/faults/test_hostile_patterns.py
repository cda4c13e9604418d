"""Patterns and globs made to take for ever or to fill the memory."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from rootle import Toolbox
from rootle.errors import InvalidArgument, InvalidGlob, InvalidPattern, PatternTooLarge

if TYPE_CHECKING:
    from tests.conftest import Tree
    from tests.faults.conftest import Child, Within

_MIB = 1024 * 1024

_GLOBS = {
    "braces": "{a,b}" * 22,
    "nested braces": "{a,{b," * 15 + "c" + "}}" * 15,
    "open braces": "{" * 100_000,
    "any depth": "**/" * 200 + "x",
    "stars": "*a" * 34 + "X",
    "plain stars": "*" * 34 + "X",
    "stars in many names": "*a*/" * 30 + "X",
    "open class": "[" * 50_000,
    "long class": "[" + "a-z" * 30_000 + "]",
    "long alternatives": "{" + ",".join(f"n{index}*" for index in range(20_000)) + "}",
    "backslashes": "\\" * 9_999,
    "nul": "a\0b",
    "long text": "a" * 1_000_000,
}


@pytest.mark.parametrize("name", list(_GLOBS))
def test_globs(tree: Tree, within: Within, name: str) -> None:
    """A hostile glob gives its answer or a refusal within a second, as pattern and as filter (CVE-2026-26996)."""
    files: dict[str, Any] = {f"{'a' * 120}{index}/{'a' * 200}": "x\n" for index in range(50)}
    box = Toolbox(tree(files))
    for tool, arguments in (
        ("glob", {"pattern": _GLOBS[name]}),
        ("grep", {"pattern": "x", "glob": [_GLOBS[name]]}),
        ("grep", {"pattern": "x", "exclude": [_GLOBS[name]], "mode": "files"}),
    ):
        refusal, complete = "", True
        with within(1):
            try:
                complete = box.call(tool, arguments).data.complete
            except (InvalidGlob, PatternTooLarge) as error:
                refusal = str(error)
        assert complete
        assert len(refusal) < 2000
    assert box.call("grep", {"pattern": "x", "mode": "files"}).data.total_files == 50


@pytest.mark.parametrize("length", [40, 1_000_000])
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*c", "(.*.*)*=", "(?:a?){60}a{60}"])
def test_exponential_for_backtracking_engines(tree: Tree, within: Within, pattern: str, length: int) -> None:
    """Patterns that ruin a backtracking engine take linear time."""
    box = Toolbox(tree({"f": "a" * length + "!\n", "g": "b\n"}))
    with within(1):
        found = box.call("grep", {"pattern": pattern}).data
    assert found.complete
    assert found.engine == "regex"
    assert found.coverage["step_limited"] == 0


@pytest.mark.parametrize("length", [40, 1_000_000])
@pytest.mark.parametrize("pattern", [r"(?=a)(a+)+$", r"(a+)+\1!!", r"(?<=a)(a|a)*b", r"(a*)*\1c", r"^(?:(a)|\1b)+$"])
def test_step_bound_of_the_backtracking_engine(tree: Tree, within: Within, pattern: str, length: int) -> None:
    """Look-around and back-references end too; where the bound was hit the answer says so, and others are found."""
    box = Toolbox(tree({"f": "a" * length + "!\n", "g": "aab aaaa!! \n"}))
    with within(1.5):
        answer = box.call("grep", {"pattern": pattern, "timeout_s": 1})
    data = answer.data
    assert data.engine.startswith("fancy")
    if not any(hit.path == "f" for hit in data.matches):
        limited = data.coverage["step_limited"] == 1 and "step limit" in answer
        plain = data.complete and data.coverage["step_limited"] == 0
        assert limited or plain or "INCOMPLETE" in answer
    if pattern == r"(a+)+\1!!":
        assert "g" in {hit.path for hit in data.matches}


def test_step_bound_is_reported_and_not_waited_out(tree: Tree, within: Within) -> None:
    """A pattern that certainly explodes ends at the step bound, long before the time limit."""
    box = Toolbox(tree({"f": "a" * 5_000 + "!\n", "g": "xx\n"}))
    with within(1):
        answer = box.call("grep", {"pattern": r"(a+)+(?=b)\1$"})
    assert answer.data.coverage["step_limited"] == 1
    assert "given up at the step limit" in answer


def refused_pattern(root: str, pattern: str) -> list[Any]:
    """Search for it and give the error's class and how long it took."""
    import time

    from rootle import Toolbox
    from rootle.errors import RootleError

    box = Toolbox(root)
    begin = time.perf_counter()
    try:
        box.call("grep", {"pattern": pattern})
    except RootleError as error:
        return [error.code, isinstance(error, ValueError), len(str(error)), time.perf_counter() - begin]
    return ["found", True, 0, time.perf_counter() - begin]


@pytest.mark.parametrize(
    ("pattern", "codes"),
    [
        ("(?:a{1000}){1000}", {"pattern_too_large"}),
        (r"\w{500}{500}", {"pattern_too_large"}),
        (r"(?=x)(?:\w{500}){500}", {"pattern_too_large"}),
        ("(?:){4294967295}x", {"pattern_too_large", "invalid_pattern", "found"}),
        ("((((a{30}){30}){30}){30}){30}", {"pattern_too_large"}),
        ("(" * 100_000, {"invalid_pattern", "pattern_too_large"}),
        ("(" * 100_000 + ")" * 100_000, {"invalid_pattern", "pattern_too_large"}),
        ("(?=" * 50_000 + ")" * 50_000, {"invalid_pattern", "pattern_too_large"}),
        ("[" * 100_000, {"invalid_pattern", "pattern_too_large"}),
        ("a|" * 500_000, {"pattern_too_large", "invalid_pattern", "found"}),
    ],
    ids=range(10),
)
def test_patterns_that_are_too_large(tree: Tree, child: Child, pattern: str, codes: set[str]) -> None:
    """What cannot be compiled in bounded memory is refused within a second (CVE-2022-24713)."""
    (code, is_value_error, length, taken), growth = child(refused_pattern, tree({"f": "x\n"}), pattern)
    assert code in codes
    assert is_value_error
    assert length < 2000
    assert taken < 1
    assert growth < 64 * _MIB


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[z-a]", r"\p{Nope}", "*", "(?<name", "(?P<a>x)(?P<a>y)", r"\1"])
def test_patterns_that_do_not_parse(tree: Tree, within: Within, pattern: str) -> None:
    """A broken pattern is an error that the model can mend, with the pattern in it."""
    with within(1), pytest.raises(InvalidPattern) as caught:
        Toolbox(tree({"f": "x\n"})).call("grep", {"pattern": pattern})
    assert caught.value.code == "invalid_pattern"
    assert caught.value.details["pattern"] == pattern


@pytest.mark.parametrize("pattern", ["a\nb", r"a\nb", "a\0b", "\ud800"])
def test_patterns_that_cannot_be_in_a_line(tree: Tree, within: Within, pattern: str) -> None:
    """A line feed, a NUL or half a character in a pattern is refused or finds nothing; nothing panics."""
    box = Toolbox(tree({"f": "a\nb\n"}))
    total = 0
    with within(1), suppress(InvalidPattern, InvalidArgument):
        total = box.call("grep", {"pattern": pattern}).data.total
    assert total == 0
