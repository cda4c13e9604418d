"""Reading the machine reports of runners.

A report is written by the runner in the same process as the tests, so it is not trusted: what is no whole report of the
expected shape is not taken at all.
"""

from rootle.testruns.reports.go_json import printed_by_go, read_go_events
from rootle.testruns.reports.invalid import InvalidReport
from rootle.testruns.reports.jest_json import read_jest_json
from rootle.testruns.reports.junit import Case, Problem, read_junit

__all__ = ["Case", "InvalidReport", "Problem", "printed_by_go", "read_go_events", "read_jest_json", "read_junit"]
