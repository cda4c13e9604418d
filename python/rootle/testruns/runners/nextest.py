"""cargo-nextest: JUnit XML, which a configuration file of a tool asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rootle.testruns.marks import plain_text
from rootle.testruns.reports import read_junit
from rootle.testruns.runners.base import Runner, Selection, basename
from rootle.testruns.runners.cargo import cargo_select, subcommand
from rootle.testruns.summary import FailedTest, RunSummary, outcome_of
from rootle.testruns.texts.cargo import panic
from rootle.testruns.texts.found import Failures

__all__ = ["NEXTEST"]


def _calls(words: Sequence[str]) -> int | None:
    at = 0 if basename(words[0]) == "cargo-nextest" else subcommand(words)
    if at is None or words[at] not in ("nextest", words[0]):
        return None
    at += 1 if words[at] != "nextest" and words[at + 1 : at + 2] == ["nextest"] else 0
    return at + 1 if words[at + 1 : at + 2] in (["run"], ["r"]) else None


def _read(data: bytes, _ended: bool) -> RunSummary:
    cases, seconds = read_junit(data)
    counts = {"passed": 0, "failed": 0}
    failures = Failures()
    for case in cases:
        bad = [problem for problem in case.problems if problem.tag != "skipped"]
        counts["failed" if bad else "passed"] += 1
        for problem in bad[:1]:
            file, line, message = panic(plain_text(problem.text))
            failures.add(
                FailedTest(
                    name=case.name,
                    classname=case.classname,
                    file=file,
                    line=line,
                    message=message or plain_text(problem.message) or problem.type,
                )
            )
    return RunSummary(
        runner="nextest",
        duration_s=seconds,
        outcome=outcome_of(counts["passed"], counts["failed"], None),
        failures=failures.tests,
        failures_total=failures.total,
    ).with_counts(counts)


def _select(selection: Selection) -> list[str]:
    return cargo_select(selection) + ([selection.filter] if selection.filter else [])


NEXTEST = Runner(
    name="nextest",
    calls=_calls,
    options=lambda _, config: ("--tool-config-file", f"rootle:{config}"),
    taken=("--message-format", "--help", "--no-run"),
    config=lambda path: f"[profile.default.junit]\npath = {json.dumps(path)}\n",
    read=_read,
    fills=("skipped",),
    select=_select,
    missing=re.compile(r"\bcargo(?:-nextest)?: (?:command )?not found|no such command: `nextest`"),
    unloaded=re.compile(r"^error: could not compile `|^error(?:\[E\d+\])?: (?!test run failed|no tests)", re.MULTILINE),
    empty=re.compile(r"^error: no tests to run", re.MULTILINE),
)
