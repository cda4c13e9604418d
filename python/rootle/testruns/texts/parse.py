"""`parse_test_runner_output`: the text of a run of tests as counts."""

from __future__ import annotations

from dataclasses import replace

from rootle.testruns.marks import find_marks, plain_text
from rootle.testruns.summary import RunSummary, added_up
from rootle.testruns.texts import cargo, go, jest, nextest, pytest, vitest
from rootle.testruns.texts.found import Found
from rootle.testruns.texts.others import find_mocha, find_node, find_unittest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rootle.testruns.marks import Mark

__all__ = ["parse_test_runner_output"]

_FINDERS: dict[str, Callable[[str, list[Mark]], Found | None]] = {
    "pytest": pytest.find,
    "jest": jest.find,
    "vitest": vitest.find,
    "cargo": cargo.find,
    "nextest": nextest.find,
    "go": go.find,
    "unittest": find_unittest,
    "node": find_node,
    "mocha": find_mocha,
}


def parse_test_runner_output(text: str | bytes, *, runner: str | None = None) -> RunSummary:
    r"""Read the counts of a test runner from what it printed; colours and other escapes are ignored.

    Known are pytest, jest, vitest, cargo test, cargo nextest, go test, unittest, node's runner and mocha. When several
    ran one after the other (as `make test` may do), their counts are added up. A summary that a test printed is told
    from the runner's own by its place; where both could be meant, no text can settle it: `run_tests` reads reports.

    Args:
        text: Standard output and error of the run, in the order in which they were written.
        runner: Look for this runner only.

    Returns:
        The counts: None for each that the text does not tell, and for all when no runner is recognised.

    >>> found = parse_test_runner_output("1 failed, 2 passed in 0.12s\n")
    >>> found.runner, found.counts
    ('pytest', {'passed': 2, 'failed': 1})
    >>> parse_test_runner_output("All good.").counts
    {}
    """
    clean = plain_text(text)
    marks, complete = find_marks(clean)
    finders = _FINDERS if runner is None else {runner: _FINDERS[runner]} if runner in _FINDERS else {}
    found = [one for find in finders.values() if (one := find(clean, marks)) is not None]
    if not found:
        return RunSummary()
    outermost = [one for one in found if not any(_inside(one, other) for other in found)]
    total = added_up([one.summary for one in sorted(outermost, key=lambda one: one.end)])
    return total if complete else replace(total, complete=False)


def _inside(one: Found, other: Found) -> bool:
    """Whether a run lies in another one, as the output of a test does, or runs over its end."""
    if one is other:
        return False
    return (other.start <= one.start and one.end <= other.end) or one.start <= other.start <= one.end < other.end
