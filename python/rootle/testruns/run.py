"""Running tests over a `SandboxClient`, with its three methods alone."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rootle import limits
from rootle.contracts import ExecResult, SandboxClient
from rootle.rendering import count_of
from rootle.sandbox import LocalSandbox
from rootle.testruns.choose import Choice, choose
from rootle.testruns.command import Prepared, Report, prepare
from rootle.testruns.marks import plain_text
from rootle.testruns.probe import Facts, look
from rootle.testruns.reports import InvalidReport, printed_by_go
from rootle.testruns.runners import Selection
from rootle.testruns.summary import COUNTS, OUTCOMES, FailedTest, RunSummary, added_up
from rootle.testruns.texts import parse_test_runner_output
from rootle.testruns.verdict import Status, judge

__all__ = ["TestRun", "run_tests"]

# Prints a regular file; a link or a pipe that a test put in its place is not followed or waited for.
_SHOW = 'if [ -f "$1" ] && [ ! -L "$1" ]; then exec cat -- "$1"; fi; exit 3'
_SAVE = 'umask 077; cat > "$1"'


@dataclass(slots=True, kw_only=True)
class TestRun:
    """What a run came to.

    Attributes:
        status: How it ended; see `rootle.testruns.verdict.Verdict`.
        summary: Counts and failed tests; empty when nothing tells them.
        source: Where they come from: the runners' machine reports, or what they printed.
        command: What was run, without the options for reports.
        choice: Why this command, when none was given.
        done: How the command ended.
        output: The end of what it printed, without escape sequences.
        truncated: Something before it is missing.
        base: The absolute path of the directory of the run.
        folder: Where below it relative names of files belong; None when that is not known.
    """

    __test__ = False

    status: Status
    summary: RunSummary
    source: Literal["report", "text"] | None
    command: str
    choice: Choice | None
    done: ExecResult
    output: str
    truncated: bool
    base: str
    folder: str | None
    notes: list[str] = field(default_factory=list)


async def run_tests(
    client: SandboxClient,
    *,
    command: str | Sequence[str] | None = None,
    selection: Selection | None = None,
    runner: str | None = None,
    cwd: str = ".",
    above: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    timeout_s: float = limits.TESTS_TIMEOUT_S,
    own_python: str | None = None,
) -> TestRun:
    """Run tests and wait for their end.

    Args:
        client: Where.
        command: What to run: words, or a line for a shell. By default it is chosen by what the directory holds.
        selection: The part of the tests that is to run, when the command is chosen.
        runner: The runner to choose, or the one to look for in what the command prints.
        cwd: The directory to run in, relative to the client's own.
        above: The directories between it and the root, as paths like "..", the nearest first.
        env: Variables on top of the client's.
        timeout_s: Seconds until the command is ended; what it printed until then is kept.
        own_python: An interpreter with pytest to fall back on.

    Raises:
        NoTestRunner: When no command is given and nothing tells how the tests are run.
        InvalidArgument: When the runner cannot choose tests in this way.
        SandboxUnavailable, PathNotFound, NotADirectory, PathEscapesRoot: As the client raises them.
    """
    facts = await look(client, cwd, above, pythons=command is None)
    try:
        choice = None
        if command is None:
            choice = choose(facts, selection or Selection(), runner=runner, own_python=own_python)
            command = choice.argv
        prepared = prepare(command, facts.scripts, temp=facts.temp, token=secrets.token_hex(8))
        for report in prepared.reports:
            if report.config:
                await client.exec(["sh", "-c", _SAVE, "sh", report.config_path], stdin=report.config.encode())
        done = await client.exec(
            prepared.argv, cwd=cwd, env=env, timeout_s=timeout_s, max_output_bytes=limits.TESTS_OUTPUT_BYTES
        )
        return await _result(client, facts, prepared, choice, done, runner)
    finally:
        await _remove(client, facts)


async def _remove(client: SandboxClient, facts: Facts) -> None:
    """Remove the reports; on this machine also when the call was aborted, which ends every command at once."""
    if facts.temp is None:
        return
    if isinstance(client, LocalSandbox):
        shutil.rmtree(facts.temp, ignore_errors=True)
    else:
        await client.exec(["rm", "-rf", "--", facts.temp], timeout_s=limits.TESTS_PROBE_TIMEOUT_S)


async def _result(
    client: SandboxClient,
    facts: Facts,
    prepared: Prepared,
    choice: Choice | None,
    done: ExecResult,
    runner: str | None,
) -> TestRun:
    notes: list[str] = []
    output = done.stdout if not done.stderr else done.stdout + b"\n" + done.stderr
    read: list[RunSummary] = []
    for report in prepared.reports:
        summary, printed = await _read(client, report, done, notes)
        if summary is not None:
            read.append(summary)
        output = printed.encode("utf-8", "replace") + output
    text = plain_text(output)
    said = _said(text, prepared, runner, cut=done.truncated, reported=bool(read))
    report_sum = added_up(read) if read else None
    if report_sum is not None:
        report_sum = _filled(report_sum, said, prepared)
        if len(read) < len(prepared.reports):
            report_sum = replace(report_sum, complete=False)
            notes.append(f"Only {len(read)} of {len(prepared.reports)} runners wrote a report.")
    others = [name for name in prepared.textual if prepared.reports]
    rest = [one for name in others if (one := parse_test_runner_output(text, runner=name)).outcome is not None]
    known = added_up([report_sum, *rest]) if report_sum is not None else said
    tail = text[-limits.TESTS_PROBE_BYTES :]
    verdict = judge(done, prepared.runners, known if report_sum is not None else None, said, tail)
    known = _without_nothing(known, verdict.status)
    source: Literal["report", "text"] | None = None
    if known.counts or verdict.status in OUTCOMES:
        source = "report" if report_sum is not None and not rest else "text"
    return TestRun(
        status=verdict.status,
        summary=replace(known, failures=_placed(known, facts), complete=known.complete and not done.timed_out),
        source=source,
        command=prepared.shown,
        choice=choice,
        done=done,
        output=_end(text, facts),
        truncated=done.truncated or len(text) > limits.TESTS_TAIL_CHARS,
        base=facts.directory,
        folder=prepared.folder,
        notes=[*verdict.notes, *known.notes, *notes],
    )


def _end(text: str, facts: Facts) -> str:
    """Give the end of a text without the lines in which runners say where they wrote their reports."""
    lines = text[-limits.TESTS_TAIL_CHARS - limits.TESTS_LINE_CHARS :].rstrip().split("\n")
    if facts.temp is not None:
        name = facts.temp.rpartition("/")[2]
        lines = [line for line in lines if name not in line]
    return "\n".join(lines).rstrip()[-limits.TESTS_TAIL_CHARS :]


def _without_nothing(summary: RunSummary, status: Status) -> RunSummary:
    """Take the zeros out of a run in which no test ran: they count nothing."""
    if status != "no_tests" and any(summary.counts.get(name) for name in COUNTS if name != "errors"):
        return summary
    return summary.with_counts({name: None for name, value in summary.counts.items() if not value})


def _said(text: str, prepared: Prepared, runner: str | None, *, cut: bool, reported: bool) -> RunSummary:
    """Read the text: as that of the runner in the command, or that was named, where there is one."""
    names = list(dict.fromkeys(one.name for one in prepared.runners))
    name = names[0] if len(names) == 1 else runner if not names else None
    said = parse_test_runner_output(text, runner=name)
    if said.outcome is None and runner is not None and not reported:
        said = parse_test_runner_output(text)
    if cut and said.runner not in ("pytest", "jest", "vitest", "nextest"):
        # Summaries that are added up, or tests that are counted one by one, are missing with the middle of the text.
        lost = dict.fromkeys(
            name for name, value in said.counts.items() if name not in ("failed", "errors") or not value
        )
        said = replace(said, complete=False).with_counts(lost)
    return said


def _filled(report: RunSummary, said: RunSummary, prepared: Prepared) -> RunSummary:
    """Add the counts that a report has not, and the text has."""
    if len(prepared.reports) != 1 or said.runner != prepared.reports[0].runner.name:
        return report
    counts: dict[str, int] = {}
    for name in prepared.reports[0].runner.fills:
        value = getattr(said, name)
        if value is not None and getattr(report, name) is None:
            counts[name] = value
            if name != "skipped" and report.passed is not None:
                # The report counts them among those that passed.
                counts["passed"] = max(0, counts.get("passed", report.passed) - value)
    told = report.failures
    notes = report.notes
    if report.runner == "vitest":
        if (outside := (said.errors or 0) - (report.errors or 0)) > 0:
            counts["errors"] = said.errors or 0
            notes = (*notes, f"{count_of(outside, 'error')} happened outside of the tests.")
        told = tuple(_with_words(test, said.failures) for test in told)
    return replace(report, failures=told, notes=notes).with_counts(counts)


def _with_words(test: FailedTest, said: Sequence[FailedTest]) -> FailedTest:
    """Give a failure of vitest's report with what its text says: the report has no differences and no time limits."""
    for other in said:
        same = test.name == other.name or test.name == test.file == test.classname
        if same and other.classname and (test.classname or "").endswith("/" + other.classname):
            return replace(test, message=other.message or test.message, line=test.line or other.line)
    return test


async def _read(
    client: SandboxClient, report: Report, done: ExecResult, notes: list[str]
) -> tuple[RunSummary | None, str]:
    """Read a report; give what it says, and what its runner would have printed when the report took its place."""
    shown = await client.exec(
        ["sh", "-c", _SHOW, "sh", report.path],
        timeout_s=limits.TESTS_PROBE_TIMEOUT_S,
        max_output_bytes=limits.TESTS_REPORT_BYTES,
    )
    if not shown.ok:
        return None, ""
    data, name = shown.stdout, report.runner.name
    printed = printed_by_go(data, limits.TESTS_PROBE_BYTES) if report.runner.stream else ""
    if shown.truncated:
        shorter = await _without_output(client, report)
        if shorter is None:
            notes.append(f"The report of {name} is too large to be read.")
            return None, printed
        data = shorter
    assert report.runner.read is not None
    try:
        return report.runner.read(data, not done.timed_out), printed
    except InvalidReport as error:
        if data.strip():
            notes.append(f"The report of {name} was not taken: {error}.")
        return None, printed


def _placed(summary: RunSummary, facts: Facts) -> tuple[FailedTest, ...]:
    """Give the failures with the names of Go's files made whole: go gives them without their package's directory."""

    def whole(test: FailedTest) -> FailedTest:
        package = test.classname or ""
        if test.file is None or "/" in test.file or facts.module is None or not test.file.endswith(".go"):
            return test
        if package == facts.module or not package.startswith(facts.module + "/"):
            return test
        return replace(test, file=f"{package[len(facts.module) + 1 :]}/{test.file}")

    return tuple(map(whole, summary.failures))


async def _without_output(client: SandboxClient, report: Report) -> bytes | None:
    """Read a long stream of events without what tests printed."""
    if not report.runner.stream:
        return None
    shown = await client.exec(
        ["grep", "-av", '"Action":"output"', report.path],
        timeout_s=limits.TESTS_PROBE_TIMEOUT_S,
        max_output_bytes=limits.TESTS_REPORT_BYTES,
    )
    return shown.stdout if shown.ok and not shown.truncated else None
