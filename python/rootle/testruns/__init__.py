"""Running a project's tests, and reading what came out.

- `parse_test_runner_output` reads the text of a run.
- `rootle.testruns.run` runs tests over a `SandboxClient`, with the runner's machine report wherever it has one.
"""

from rootle.testruns.summary import FailedTest, RunSummary
from rootle.testruns.texts import parse_test_runner_output

__all__ = ["FailedTest", "RunSummary", "parse_test_runner_output"]
