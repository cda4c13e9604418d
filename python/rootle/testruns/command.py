"""A command to run, with the options that make its runners write reports.

A command is a list of words, run as it is, or a line, run by a shell. In a line only what `split_commands` understands
gets options; each runner in it gets a report of its own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rootle.testruns.recognise import Recognised, recognise
from rootle.testruns.runners import Runner
from rootle.testruns.shell import ShellCommand, split_commands

__all__ = ["Prepared", "Report", "prepare"]

# Standard error joins standard output in the order of writing; a stream of events goes into its file instead.
_RUN = 'exec 2>&1; exec "$@"'
_RUN_STREAM = 'f=$1; shift; exec "$@" 2>&1 >"$f"'
_RUN_LINE = 'exec 2>&1; if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'


@dataclass(frozen=True, slots=True)
class Report:
    """A report that a runner writes to `path`; `config` is the text of a file that must be at `config_path` before."""

    runner: Runner
    path: str
    config_path: str = ""
    config: str = ""


@dataclass(slots=True)
class Prepared:
    """What is executed.

    Attributes:
        argv: For the sandbox.
        shown: The command as a person would write it, without the options for reports.
        runners: Those that were recognised, in order.
        reports: Those that will be written.
        textual: Names of runners that were recognised and get no report.
        folder: Where the last of them runs, relative to the directory of the run; None when that is not known.
    """

    argv: list[str]
    shown: str
    runners: list[Runner] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    textual: list[str] = field(default_factory=list)
    folder: str | None = "."


class _Reports:
    """Gives each runner its files in the directory that nobody else knows."""

    def __init__(self, prepared: Prepared, temp: str | None, token: str) -> None:
        self._prepared = prepared
        self._temp = temp
        self._token = token

    def wanted(self, found: Recognised, words: Sequence[str]) -> Report | None:
        """Note the runner, and give its report unless it has none."""
        runner = found.runner
        self._prepared.runners.append(runner)
        if runner.options is None or self._temp is None or runner.has_own_report(words):
            self._prepared.textual.append(runner.name)
            return None
        stem = f"{self._temp}/{self._token}-{len(self._prepared.reports)}"
        config = runner.config(f"{stem}.report") if runner.config else ""
        report = Report(runner, f"{stem}.report", f"{stem}.config" if config else "", config)
        self._prepared.reports.append(report)
        return report


def prepare(command: str | Sequence[str], scripts: Mapping[str, str], *, temp: str | None, token: str) -> Prepared:
    """Make a command ready.

    Args:
        command: Words, or a line for a shell.
        scripts: Those of the package.json in the directory of the run.
        temp: The directory for reports; None for none.
        token: A word that nobody can guess, for the names of the files in it.
    """
    if isinstance(command, str):
        return _line(command, scripts, temp, token)
    words = list(command)
    prepared = Prepared(["sh", "-c", _RUN, "sh", *words], shlex.join(words))
    found = recognise(words, scripts)
    if found is None:
        return prepared
    report = _Reports(prepared, temp, token).wanted(found, words)
    if report is not None:
        assert report.runner.options is not None
        place = found.place()
        options = found.options(report.runner.options(report.path, report.config_path))
        words[place:place] = options
        stream = ["-c", _RUN_STREAM, "sh", report.path] if report.runner.stream else ["-c", _RUN, "sh"]
        prepared.argv = ["sh", *stream, *words]
    return prepared


def _line(line: str, scripts: Mapping[str, str], temp: str | None, token: str) -> Prepared:
    prepared = Prepared([], line)
    reports = _Reports(prepared, temp, token)
    put: list[tuple[int, str]] = []
    here = True
    for command in split_commands(line) or []:
        if command.words[0] == "cd":
            prepared.folder = _folder(prepared.folder, command)
            here = False
            continue
        found = recognise(command.words, scripts if here else {})
        if found is None:
            continue
        if found.runner.stream and (command.piped or command.redirected):
            prepared.runners.append(found.runner)
            prepared.textual.append(found.runner.name)
            continue
        report = reports.wanted(found, command.words)
        if report is None:
            continue
        assert report.runner.options is not None
        options = found.options(report.runner.options(report.path, report.config_path))
        put.append((command.ends[found.place() - 1], " " + shlex.join(options)))
        if report.runner.stream:
            put.append((command.ends[-1], f" > {shlex.quote(report.path)}"))
    for offset, text in sorted(put, key=lambda one: one[0], reverse=True):
        line = line[:offset] + text + line[offset:]
    prepared.argv = ["sh", "-c", _RUN_LINE, "sh", line]
    return prepared


def _folder(folder: str | None, command: ShellCommand) -> str | None:
    """Follow a `cd` to a plain relative path; what stands behind any other is not known."""
    if folder is None or len(command.words) != 2 or not re.fullmatch(r"[\w.][\w./ -]*", command.words[1]):
        return None
    return command.words[1] if folder == "." else f"{folder}/{command.words[1]}"
