"""The JSON lines of `rootle grep --json`, one message a line, named and nested as those of `rg --json`.

They are not ripgrep's byte for byte. `path` and `lines` are `{"text": ...}`, or `{"bytes": base64}` for a name that is
not UTF-8. The text of `lines` is decoded, always ends with one line feed whatever the file has, and may be clipped:
then `match` has `clipped`; it has `lossy` where bytes could not be decoded. Offsets of `submatches` are in bytes of
that text. `context` has no `absolute_offset`. `end` has `binary` as true or false, `encoding`, `lossy`, `more`, and
only `matched_lines` among its `stats`. `summary` has no times; it has `complete`, `stop`, `cursor`, `coverage`,
`warnings`, `engine`, `freshness` and `totals_exact`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rootle.cli.terminal import Output

if TYPE_CHECKING:
    from rootle.results import ContextLine, GrepFile, GrepMatch, GrepResult

__all__ = ["text_or_bytes", "write_json", "write_message"]


def text_or_bytes(text: str) -> dict[str, str]:
    """Wrap text as ripgrep does; a name with undecodable bytes is given whole in base64."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        from base64 import b64encode

        return {"bytes": b64encode(os.fsencode(text)).decode("ascii")}
    return {"text": text}


def write_message(output: Output, kind: str, data: dict[str, Any]) -> None:
    """Write one message."""
    output.line(json.dumps({"type": kind, "data": data}, ensure_ascii=False, separators=(",", ":")))


def write_json(output: Output, result: GrepResult, shown: Callable[[str], str]) -> None:
    """Write all that was found, file by file, then the summary."""
    matches = iter(result.matches)
    match = next(matches, None)
    for file in result.files:
        path = text_or_bytes(shown(file.path))
        write_message(output, "begin", {"path": path})
        while match is not None and match.path == file.path:
            _write_match(output, match, path)
            match = next(matches, None)
        write_message(output, "end", _end(file, path))
    write_message(output, "summary", _summary(result, shown))


def _write_match(output: Output, match: GrepMatch, path: dict[str, str]) -> None:
    for near in match.before:
        write_message(output, "context", _context(near, path))
    data = {
        "path": path,
        "lines": text_or_bytes(match.text + "\n"),
        "line_number": match.line,
        "absolute_offset": match.byte_offset,
        "submatches": [_submatch(match.text, start, end) for start, end in match.spans],
    }
    if match.clipped:
        data["clipped"] = True
    if match.lossy:
        data["lossy"] = True
    write_message(output, "match", data)
    for near in match.after:
        write_message(output, "context", _context(near, path))


def _context(near: ContextLine, path: dict[str, str]) -> dict[str, Any]:
    return {"path": path, "lines": text_or_bytes(near.text + "\n"), "line_number": near.line, "submatches": []}


def _submatch(text: str, start: int, end: int) -> dict[str, Any]:
    begin = len(text[:start].encode("utf-8", "surrogateescape"))
    length = len(text[start:end].encode("utf-8", "surrogateescape"))
    return {"match": text_or_bytes(text[start:end]), "start": begin, "end": begin + length}


def _end(file: GrepFile, path: dict[str, str]) -> dict[str, Any]:
    return {
        "path": path,
        "binary": file.binary,
        "encoding": file.encoding,
        "lossy": file.lossy,
        "stats": {"matched_lines": file.count},
        "more": file.more,
    }


def _summary(result: GrepResult, shown: Callable[[str], str]) -> dict[str, Any]:
    return {
        "stats": {
            "matched_lines": result.total,
            "searches": result.coverage.files,
            "searches_with_match": result.total_files,
            "bytes_searched": result.coverage.bytes,
        },
        "totals_exact": result.totals_exact,
        "complete": result.complete,
        "stop": result.stop,
        "cursor": result.cursor,
        "engine": result.engine,
        "freshness": result.freshness,
        "coverage": result.coverage.as_dict(),
        "warnings": [
            {"path": text_or_bytes(shown(warning.path)), "code": warning.code, "message": warning.message}
            for warning in result.warnings
        ],
    }
