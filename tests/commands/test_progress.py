"""Output while it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from rootle import Toolbox
from rootle.contracts import ExecResult, SandboxClient, SupportsStreaming

pytestmark = pytest.mark.usefixtures("outputs")

Reports = list[tuple[float, float | None, str | None]]


@pytest.mark.parametrize("tool", ["bash", "run_python", "auto_background"])
def test_output_is_reported_as_it_comes(tmp_path: Path, tool: str) -> None:
    """Whole lines, each once, soon after they were printed, harmless; the result has all of it too."""
    came: list[tuple[float, str]] = []
    reports: Reports = []
    begun = time.monotonic()

    def progress(done: float, total: float | None, message: str | None) -> None:
        came.append((time.monotonic() - begun, message or ""))
        reports.append((done, total, message))

    if tool == "run_python":
        code = (
            "import time\nfor i in range(4): print(f'\\x1b[1mline {i}\\x1b[0m'); time.sleep(0.3)\nprint('end', end='')"
        )
        call: tuple[str, dict[str, object]] = ("run_python", {"code": code})
    else:
        command = "for i in 0 1 2 3; do printf '\\033[1mline %s\\033[0m\\n' $i; sleep 0.3; done; printf end"
        call = ("bash", {"command": command, "auto_background": tool == "auto_background"})
    answer = Toolbox(tmp_path).call(*call, progress=progress)
    assert "".join(text for _, text in came) == answer.data.output == "line 0\nline 1\nline 2\nline 3\nend"
    assert len(came) >= 4
    assert came[0][0] < 2.5
    assert came[-1][0] - came[0][0] > 0.6
    assert [done for done, _, _ in reports] == sorted(done for done, _, _ in reports)
    assert (reports[-1][0], reports[-1][1]) == (answer.data.output_total, None)
    assert answer.data.stdout == answer.data.output
    assert answer.data.id is None


def test_flood_is_reported_in_parts(tmp_path: Path) -> None:
    """Reports stay small and few; the result is exact."""
    reports: Reports = []
    answer = Toolbox(tmp_path).call("bash", {"command": "seq 3000000"}, progress=lambda *report: reports.append(report))
    assert answer.data.output_total == 22_888_896
    assert answer.data.output.endswith("\n3000000\n")
    assert max(len(text or "") for _, _, text in reports) <= 10_100
    assert len(reports) < 100
    assert Path(answer.data.output_file).stat().st_size == 22_888_896


def test_no_file_is_left_of_short_output(tmp_path: Path, outputs: Path) -> None:
    """What is shown whole needs none."""
    Toolbox(tmp_path).call("bash", {"command": "echo x"}, progress=lambda *_: None)
    assert list(outputs.iterdir()) == []


class Streaming:
    """A client that hands over output while it comes."""

    async def exec(self, argv: Sequence[str], **_: object) -> ExecResult:
        raise AssertionError("not streamed")

    async def exec_streaming(
        self,
        argv: Sequence[str],
        *,
        on_output: Callable[[bytes], object],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_output_bytes: int | None = None,
    ) -> ExecResult:
        for piece in (b"one\ntw", b"o\nth", b"ree"):
            on_output(piece)
            await asyncio.sleep(0.15)
        return ExecResult(exit_code=0, stdout=b"one\ntwo\nthree")

    async def read_file(self, path: str) -> bytes:
        raise NotImplementedError

    async def write_file(self, path: str, data: bytes) -> None:
        raise NotImplementedError


def test_streaming_client(tmp_path: Path) -> None:
    """Its pieces are reported, and its result is the answer."""
    client: SandboxClient = Streaming()
    assert isinstance(client, SupportsStreaming)
    reports: Reports = []
    answer = Toolbox(tmp_path, sandbox=client).call(
        "bash", {"command": "x"}, progress=lambda *report: reports.append(report)
    )
    assert [text for _, _, text in reports] == ["one\n", "two\n", "three"]
    assert answer.data.output == "one\ntwo\nthree"
