"""What an `HttpStreamSandbox` and its server say to each other; `docs/sandboxes.md` has it in full.

Requests are HTTP/1.1 with `Authorization: Bearer TOKEN`. The answer to `POST /v1/exec` is a chunked body of JSON
objects, one a line, each with an `event`; the last one is "exit" or "error". Bytes stand in Base64.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rootle.contracts import ExecResult
from rootle.errors import InvalidArgument

__all__ = ["EXEC_FIELDS", "ExecRequest", "line", "pieces", "result_from_events", "result_to_exit"]

PIECE = 48_000
"""Bytes in one event."""

EXEC_FIELDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "argv": (list,),
    "cwd": (str, type(None)),
    "env": (dict, type(None)),
    "stdin": (str, type(None)),
    "timeout_s": (int, float, type(None)),
    "max_output_bytes": (int, type(None)),
    "stream": (bool,),
}
"""The fields of an exec request and what they hold."""


class ExecRequest:
    """A decoded exec request; everything in it is of the type it must be.

    Raises:
        InvalidArgument: Names the field that is wrong.
    """

    def __init__(self, body: bytes) -> None:
        try:
            given = json.loads(body)
        except ValueError as error:
            raise InvalidArgument.of(f"the body is not JSON: {error}", name="body") from None
        if not isinstance(given, dict):
            raise InvalidArgument.of("the body is not a JSON object", name="body")
        for name, value in given.items():
            kinds = EXEC_FIELDS.get(name)
            # A truth value is an int to Python and nothing of the kind here.
            if kinds is None or not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise InvalidArgument.of(f"{name!r} cannot be {str(value)[:50]!r}", name=name)
        self.id: str = given.get("id", "")
        self.argv = _texts("argv", given.get("argv", []))
        self.cwd: str | None = given.get("cwd")
        env: dict[str, str] | None = given.get("env")
        _texts("env", list((env or {}).values()))
        self.env = env
        try:
            self.stdin = None if given.get("stdin") is None else base64.b64decode(given["stdin"], validate=True)
        except ValueError:
            raise InvalidArgument.of("stdin is not Base64", name="stdin") from None
        self.timeout_s: float | None = given.get("timeout_s")
        if self.timeout_s is not None and not self.timeout_s >= 0:
            raise InvalidArgument.of("timeout_s is negative", name="timeout_s")
        self.max_output_bytes: int | None = given.get("max_output_bytes")
        if self.max_output_bytes is not None and self.max_output_bytes < 0:
            raise InvalidArgument.of("max_output_bytes is negative", name="max_output_bytes")
        self.stream: bool = given.get("stream", False)


def line(event: str, **fields: Any) -> bytes:
    """Give one event. Text that no Unicode has (undecodable names) goes as escapes."""
    return json.dumps({"event": event, **fields}).encode() + b"\n"


def pieces(event: str, data: bytes) -> Iterator[bytes]:
    """Give bytes as events."""
    for at in range(0, len(data), PIECE):
        yield line(event, data=base64.b64encode(data[at : at + PIECE]).decode())


def result_to_exit(result: ExecResult) -> bytes:
    """Give the last event of a command."""
    known = {name: value for name, value in asdict(result).items() if name in ExecResult.__dataclass_fields__}
    return line("exit", **{name: value for name, value in known.items() if not isinstance(value, bytes)})


def result_from_events(last: Mapping[str, Any], stdout: bytes, stderr: bytes) -> ExecResult:
    """Put a result together again. Fields that a newer server adds are left out."""
    fields = {name: value for name, value in last.items() if name in ExecResult.__dataclass_fields__}
    return ExecResult(**{**fields, "stdout": stdout, "stderr": stderr})


def _texts(name: str, values: list[Any]) -> list[str]:
    if not all(isinstance(value, str) for value in values):
        raise InvalidArgument.of(f"{name} holds something that is not text", name=name)
    return values
