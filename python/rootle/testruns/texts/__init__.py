"""Reading what runners print: one module a runner, each with a function `find(text, marks)`."""

from rootle.testruns.texts.found import Found
from rootle.testruns.texts.parse import parse_test_runner_output

__all__ = ["Found", "parse_test_runner_output"]
