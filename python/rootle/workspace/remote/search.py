"""grep in a sandbox: its own `rg` or `grep` finds the files that may match; those are fetched and searched by the core.

What those programs are asked for matches wherever the pattern does, and maybe elsewhere. So they decide nothing: which
lines match, where, and what is shown of them is decided here, by the same engine as anywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rootle import _core, limits
from rootle.workspace.remote import scripts
from rootle.workspace.remote.bridge import Stopped
from rootle.workspace.remote.contents import path_of, read_files, stdin_of
from rootle.workspace.remote.entries import Fields, Malformed
from rootle.workspace.remote.station import Deadline, Station

__all__ = ["Candidates", "fetch", "narrowed"]

_DENIED = re.compile(r"^(?:grep: |rg: )?(?P<path>\./.*?): Permission denied", re.MULTILINE)
_HIGH = r"(?-u:[\x80-\xFF])"
_HIGH_POSIX = "[^[:cntrl:][:print:]]"


@dataclass(slots=True)
class Candidates:
    """The files that may match.

    Attributes:
        paths: Of those asked about.
        engine: Who found them: "rg", "grep", or "rootle" when all are candidates.
        patterns: The options with which its lines in one file are found; none where they cannot be.
        denied: Files that could not be read.
        stopped: Why they are not all.
    """

    paths: list[str]
    engine: str
    patterns: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    stopped: str | None = None


def narrowed(
    station: Station, files: Sequence[str], patterns: Sequence[str], options: dict[str, Any], deadline: Deadline
) -> Candidates:
    """Find the files that may match, with one command.

    Args:
        station: The sandbox.
        files: Which files are searched, relative to the root.
        patterns: The patterns.
        options: Those of the search.
        deadline: When to give up.
    """
    ways = _ways(station, patterns, options, deadline)
    features = station.features(deadline)
    for tool, arguments, separator in ways:
        output = station.run(
            scripts.SEARCH,
            [tool, *arguments],
            deadline=deadline,
            stdin=stdin_of(files),
            max_bytes=sum(len(os.fsencode(path)) + 3 for path in files) + 100_000,
        )
        if output.cut:
            raise station.incomplete(output)
        ended = output.data.endswith(b"end\0")
        names = output.data.removesuffix(b"end\0").split(separator)
        found = {path_of(os.fsdecode(name)) for name in names[:-1]}
        denied = [path_of(match["path"]) for match in _DENIED.finditer(output.error)]
        if not output.stopped and (not ended or (output.error and not denied and not found)):
            continue  # It understands something else by the pattern, or by an option.
        if separator == b"\n":
            # Such names cannot be told in that output.
            found |= {path for path in files if "\n" in path}
        chosen = [path for path in files if path in found]
        return Candidates(chosen, tool, _for_lines(features.can, tool, arguments, options), denied, output.stopped)
    return Candidates(list(files), "rootle")


def _for_lines(can: frozenset[str], tool: str, arguments: list[str], options: dict[str, Any]) -> list[str]:
    """Give what finds the lines that may match in one file; nothing where more than lines is needed."""
    whole = options["multiline"] or options["guess_encoding"] or options["encoding"] is not None
    # busybox's grep tells no offsets.
    if whole or (tool == "grep" and "grep -Z" not in can):
        return []
    first = arguments.index("-e")
    return arguments[first:]


def _ways(
    station: Station, patterns: Sequence[str], options: dict[str, Any], deadline: Deadline
) -> list[tuple[str, list[str], bytes]]:
    """Give the programs that can be asked, the better one first, with their arguments."""
    rust, posix = _core.outside_patterns(
        patterns=list(patterns),
        step_limit=limits.REGEX_STEPS,
        size_limit=limits.REGEX_BYTES,
        **{name: options[name] for name in ("fixed", "ignore_case", "smart_case", "multiline", "dotall")},
    )
    features = station.features(deadline)
    ways: list[tuple[str, list[str], bytes]] = []
    if options["invert"] or "xargs -0" not in features.can:
        return ways
    encoding = (options["encoding"] or "utf-8").lower()
    plain = encoding in ("utf-8", "utf8")
    if features.rg and rust and not any("\n" in pattern for pattern in rust):
        arguments = ["--no-config", "-l", "-0", "--no-ignore", "--hidden", "--color", "never"]
        arguments += ["--regex-size-limit", str(limits.REGEX_BYTES)]
        if options["multiline"]:
            arguments.append("-U")
        if not plain:
            arguments += ["-E", encoding]
        if options["guess_encoding"]:
            arguments += ["-e", _HIGH]
        ways.append(("rg", arguments + [part for pattern in rust for part in ("-e", pattern)], b"\0"))
    if posix is not None and plain and "grep -E" in features.can:
        with_nul = "grep -Z" in features.can
        arguments = ["-l", *(["-Z"] if with_nul else []), "-e", posix]
        if options["guess_encoding"]:
            arguments += ["-e", _HIGH_POSIX]
        ways.append(("grep", arguments, b"\0" if with_nul else b"\n"))
    return ways


def fetch(station: Station, paths: Sequence[str], deadline: Deadline, size: int) -> tuple[dict[str, bytes], list[str]]:
    """Fetch files, of which `size` bytes are expected, and say which could not be read; those that went are left out.

    Raises:
        Stopped: When the time was over.
        SandboxUnavailable: When the sandbox cut what it gave.
    """
    if not paths:
        return {}, []
    cap = 2 * size + 1_000 * len(paths) + 1_000_000
    output = station.run(
        scripts.FETCH, [scripts.SEND_READABLE], deadline=deadline, stdin=stdin_of(paths), max_bytes=cap
    )
    if output.stopped:
        raise Stopped(output.stopped)
    if output.cut:
        raise station.incomplete(output)
    contents: dict[str, bytes] = {}
    denied: list[str] = []
    fields = Fields(output.data)
    try:
        while (word := fields.next()) != b"end":
            if word == b"denied":
                denied.append(path_of(fields.text()))
            elif word == b"files":
                contents.update(read_files(fields))
            else:
                raise Malformed(f"{word!r} was not expected")
    except Malformed:
        # One of them changed meanwhile; it is found by halves.
        if len(paths) == 1:
            return {}, list(paths)
        middle = len(paths) // 2
        first, denied = fetch(station, paths[:middle], deadline, size)
        second, also = fetch(station, paths[middle:], deadline, size)
        return first | second, denied + also
    return contents, denied
