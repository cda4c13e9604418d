"""What is known of each runner that has a machine report: one module a runner.

A runner is a `Runner`: how its command is recognised, which options make it write a report, how that is read, and what
its words for "not installed" are.
"""

from rootle.testruns.runners.base import Runner, Selection
from rootle.testruns.runners.cargo import CARGO
from rootle.testruns.runners.go import GO
from rootle.testruns.runners.jest import JEST
from rootle.testruns.runners.nextest import NEXTEST
from rootle.testruns.runners.pytest import PYTEST
from rootle.testruns.runners.vitest import VITEST

__all__ = ["RUNNERS", "Runner", "Selection"]

RUNNERS = {runner.name: runner for runner in (PYTEST, JEST, VITEST, NEXTEST, CARGO, GO)}
"""Each runner by its name; where two could recognise a command, the earlier one does."""
