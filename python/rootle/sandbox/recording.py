"""`RecordingSandbox`: writes down what is asked of a sandbox and what it answers, and answers so again without it."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rootle.contracts import ExecResult, SandboxClient
from rootle.options import PathArg
from rootle.sandbox.error_words import from_words, to_words

__all__ = ["Call", "RecordingSandbox", "ReplayMismatch"]


class ReplayMismatch(AssertionError):
    """Something else was asked than what was recorded; not an error that a tool would take for the sandbox's own."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call and its answer.

    Attributes:
        method: "exec", "read_file" or "write_file".
        arguments: All arguments by name, with those that were left out as None.
        result: What came back; None for `write_file` and for a call that raised.
        error: What was raised.
    """

    method: str
    arguments: Mapping[str, Any]
    result: ExecResult | bytes | None = None
    error: Exception | None = None


@dataclass
class RecordingSandbox:
    """A `SandboxClient` that passes every call on to another one and keeps it in `calls`.

    For tests of code that works on a sandbox: record once, store with `save`, and answer from the file ever after.
    A cancelled call is not recorded: there was no answer.

        box = RecordingSandbox(LocalSandbox("."))
        ...
        box.save("calls.json")
        again = RecordingSandbox.replay("calls.json")

    Attributes:
        inner: Where calls go. None when they are answered from `script`.
        calls: What was called, in the order of the answers.
    """

    inner: SandboxClient | None
    calls: list[Call] = field(default_factory=list)
    script: list[Call] = field(default_factory=list)
    ordered: bool = True

    @classmethod
    def replay(cls, source: PathArg | Sequence[Call], *, ordered: bool = True) -> RecordingSandbox:
        """Answer from recorded calls, without any sandbox; `calls` has again what was asked.

        Args:
            source: A file that `save` wrote, or the calls.
            ordered: Calls must come in the order in which they were answered. Otherwise each gets the first answer
                that is left for just these arguments, as concurrent calls need it.

        Raises:
            ReplayMismatch: From a call that was not recorded, with what was expected.
        """
        script = _load(source) if isinstance(source, str | os.PathLike) else list(source)
        return cls(None, script=script, ordered=ordered)

    @property
    def left(self) -> list[Call]:
        """Recorded calls that nobody asked for yet."""
        return list(self.script)

    def save(self, path: PathArg) -> None:
        """Write the calls into a file, as JSON."""
        text = json.dumps({"version": 1, "calls": [_encode(call) for call in self.calls]}, indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8")

    async def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        """Pass it on, or answer as recorded."""
        options = {
            "cwd": cwd,
            "env": None if env is None else dict(env),
            "stdin": stdin,
            "timeout_s": timeout_s,
            "max_output_bytes": max_output_bytes,
        }
        result = await self._call("exec", {"argv": list(argv), **options})
        assert isinstance(result, ExecResult)
        return result

    async def read_file(self, path: str) -> bytes:
        """Pass it on, or answer as recorded."""
        result = await self._call("read_file", {"path": path})
        assert isinstance(result, bytes)
        return result

    async def write_file(self, path: str, data: bytes) -> None:
        """Pass it on, or answer as recorded."""
        await self._call("write_file", {"path": path, "data": data})

    async def _call(self, method: str, arguments: dict[str, Any]) -> ExecResult | bytes | None:
        if self.inner is None:
            call = self._recorded(method, arguments)
        else:
            try:
                call = Call(method=method, arguments=arguments, result=await getattr(self.inner, method)(**arguments))
            except Exception as error:
                call = Call(method=method, arguments=arguments, error=error)
        self.calls.append(call)
        if call.error is not None:
            raise call.error
        return call.result

    def _recorded(self, method: str, arguments: dict[str, Any]) -> Call:
        choices = self.script[:1] if self.ordered else self.script
        for call in choices:
            if call.method == method and dict(call.arguments) == arguments:
                self.script.remove(call)
                return call
        expected = f"expected {choices[0].method} {dict(choices[0].arguments)}" if choices else "nothing is left"
        raise ReplayMismatch(f"not recorded: {method} {arguments}; {expected}")


def _encode(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {"method": call.method, "arguments": {k: _value(v) for k, v in call.arguments.items()}}
    if isinstance(call.result, ExecResult):
        # Only the contract's fields: a client may give more, which is for who knows the client.
        names = [one.name for one in dataclasses.fields(ExecResult)]
        found["result"] = {name: _value(getattr(call.result, name)) for name in names}
    elif call.result is not None:
        found["result"] = _value(call.result)
    if call.error is not None:
        found["error"] = to_words(call.error)
    return found


def _value(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _plain(value: Any) -> Any:
    return base64.b64decode(value["base64"]) if isinstance(value, dict) and set(value) == {"base64"} else value


def _load(path: PathArg) -> list[Call]:
    calls = []
    for one in json.loads(Path(path).read_text(encoding="utf-8"))["calls"]:
        arguments = {name: _plain(value) for name, value in one["arguments"].items()}
        result = _plain(one.get("result"))
        if isinstance(result, dict):
            result = ExecResult(**{name: _plain(value) for name, value in result.items()})
        error = None
        if (raised := one.get("error")) is not None:
            error = from_words(raised)
        calls.append(Call(method=one["method"], arguments=arguments, result=result, error=error))
    return calls
