"""The `bash_output` tool: following, waiting, sending input, paging."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from rootle import Toolbox, limits
from rootle.contracts import TextPart
from rootle.errors import InvalidArgument, TooManyJobs, UnknownJob
from rootle.framework import Observation

pytestmark = pytest.mark.usefixtures("outputs")


def test_only_what_is_new(tmp_path: Path) -> None:
    """Each piece once, then the end with its code."""
    with Toolbox(tmp_path) as box:
        job = box.call(
            "bash", {"command": "echo a; read x; echo b$x; read x; exit 4", "run_in_background": True}
        ).data.id
        first = box.call("bash_output", {"id": job, "wait_s": 5})
        assert (first.data.output, first.data.running) == ("a\n", True)
        again = box.call("bash_output", {"id": job})
        assert (again.data.output, again.data.offset, again.data.next_offset) == ("", 2, 2)
        assert "no new output" in again
        second = box.call("bash_output", {"id": job, "stdin": "c\n", "wait_s": 5})
        assert second.data.output == "bc\n"
        last = box.call("bash_output", {"id": job, "end_stdin": True, "wait_s": 5})
        assert (last.data.running, last.data.exit_code, last.is_error) == (False, 4, False)
        assert f'"{job}" has ended. Exit code 4 after' in last


def test_job_starts_at_once(tmp_path: Path) -> None:
    """Its id comes before it has done anything."""
    with Toolbox(tmp_path) as box:
        begun = time.monotonic()
        answer = box.call("bash", {"command": "sleep 5; echo hi", "run_in_background": True})
        assert time.monotonic() - begun < 1.0
        assert answer.startswith(f'Started in the background as "{answer.data.id}".')
        assert answer.data.running
        begun = time.monotonic()
        waited = box.call("bash_output", {"id": answer.data.id, "wait_s": 0.3})
        assert 0.25 < time.monotonic() - begun < 1.0
        assert waited.data.running


@pytest.mark.parametrize("how", ["inline", "on the loop", "awaited"])
def test_end_is_told_once_with_any_answer(tmp_path: Path, how: str) -> None:
    """Of whichever tool comes next, and through the callback."""

    def other() -> Observation:
        if how == "awaited":
            return asyncio.run(box.acall("list_dir", {}))
        return box.call("list_dir", {}) if how == "inline" else box.call("bash", {"command": "echo other"})

    ended: list[str] = []
    called = threading.Event()
    with Toolbox(tmp_path) as box:
        box.jobs.on_end += [lambda job: ended.append(job.id), lambda _: called.set()]
        # It ends after the call that starts it, whose own answer would tell of it otherwise.
        command = "until [ -e go ]; do sleep 0.02; done; echo x; exit 2"
        job = box.call("bash", {"command": command, "run_in_background": True, "description": "fails"}).data.id
        (tmp_path / "go").touch()
        assert called.wait(5)
        answer = other()
        assert f"(Background command {job}, {command}, has ended. Exit code 2 after" in answer
        assert "2 new bytes of output" in answer
        assert answer.data is not None
        assert [part.text for part in answer.parts if isinstance(part, TextPart)] == [str(answer)]
        assert "Background" not in other()
        assert ended == [job]
        assert box.call("bash_output", {"id": job}).data.output == "x\n"


def test_detached_at_the_time_limit(tmp_path: Path) -> None:
    """It goes on, says so, and gives what comes later."""
    with Toolbox(tmp_path) as box:
        begun = time.monotonic()
        command = "echo a; sleep 2; echo b; exit 6"
        answer = box.call("bash", {"command": command, "auto_background": True, "timeout_s": 0.4})
        assert 0.35 < time.monotonic() - begun < 1.5
        assert answer.startswith("Still running after 0.40 s: it goes on in the background")
        assert (answer.data.output, answer.data.running) == ("a\n", True)
        rest = box.call("bash_output", {"id": answer.data.id, "wait_s": 5})
        assert rest.data.output == "b\n"
        assert box.jobs.get(answer.data.id).wait(5)
        assert box.jobs.get(answer.data.id).result.exit_code == 6  # type: ignore[union-attr]
        quick = box.call("bash", {"command": "echo quick; exit 1", "auto_background": True, "timeout_s": 5})
        assert (quick.data.output, quick.data.exit_code, quick.data.id) == ("quick\n", 1, None)


def test_time_limit_of_a_job(tmp_path: Path) -> None:
    """One that is given counts in the background too."""
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "echo a; sleep 60", "run_in_background": True, "timeout_s": 0.3}).data.id
        assert box.jobs.get(job).wait(5)
        answer = box.call("bash_output", {"id": job})
        assert "TIME LIMIT" in answer
        assert (answer.data.timed_out, answer.data.output) == (True, "a\n")


def test_input_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how much was taken; a job that takes none refuses it."""
    monkeypatch.setattr(limits, "JOB_STDIN_S", 0.3)
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "sleep 60", "run_in_background": True}).data.id
        answer = box.call("bash_output", {"id": job, "stdin": "x" * 1_000_000})
        assert "it took only 65,536 of 1,000,000 bytes" in answer
        box.call("bash_kill", {"id": job})
        with pytest.raises(InvalidArgument, match="has ended"):
            box.call("bash_output", {"id": job, "stdin": "x"})
        closed = box.call("bash", {"command": "cat; sleep 60", "run_in_background": True, "stdin": "given"}).data.id
        assert box.call("bash_output", {"id": closed, "wait_s": 5}).data.output == "given"
        with pytest.raises(InvalidArgument, match="its input was closed") as caught:
            box.call("bash_output", {"id": closed, "stdin": "x"})
        assert caught.value.details["name"] == "stdin"


def test_much_input_arrives(tmp_path: Path) -> None:
    """More than a pipe holds."""
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "wc -c", "run_in_background": True}).data.id
        box.call("bash_output", {"id": job, "stdin": "x" * 3_000_000, "end_stdin": True})
        assert box.jobs.get(job).wait(5)
        assert box.call("bash_output", {"id": job, "offset": 0}).data.output == "3000000\n"


@pytest.mark.parametrize(
    ("offset", "output", "said"),
    [
        (0, "one\ntwo\n", "bytes 0 to 8 of 8"),
        (4, "two\n", "bytes 4 to 8 of 8"),
        (-4, "two\n", "bytes 4 to 8 of 8"),
        (-400, "one\ntwo\n", "bytes 0 to 8 of 8"),
        (8, "", "past the end: there are 8 bytes"),
        (10**15, "", "past the end"),
    ],
)
def test_pages(tmp_path: Path, offset: int, output: str, said: str) -> None:
    """From a byte on; what is new stays new."""
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "echo one; echo two", "run_in_background": True}).data.id
        assert box.jobs.get(job).wait(5)
        for _ in range(2):
            answer = box.call("bash_output", {"id": job, "offset": offset})
            assert answer.data.output == output
            assert said in answer
        assert box.call("bash_output", {"id": job}).data.output == "one\ntwo\n"


def test_much_new_output_is_cut(tmp_path: Path) -> None:
    """Beginning and end, and what is left out can be paged."""
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "seq 100000", "run_in_background": True}).data.id
        assert box.jobs.get(job).wait(10)
        answer = box.call("bash_output", {"id": job})
        data = answer.data
        assert data.output.startswith("1\n2\n")
        assert data.output.endswith("\n100000\n")
        assert data.next_offset == 588_895
        assert f'bash_output with id="{job}", offset={data.left_out.first}' in answer


def test_characters_and_sequences_that_come_in_pieces(tmp_path: Path) -> None:
    """What is not whole yet comes with its rest."""
    with Toolbox(tmp_path) as box:
        command = "printf 'a\\xe2\\x82'; read x; printf '\\xac \\033[3'; read x; printf '1mred'; read x"
        job = box.call("bash", {"command": command, "run_in_background": True}).data.id
        seen = [box.call("bash_output", {"id": job, "wait_s": 5}).data.output]
        for _ in range(2):
            seen.append(box.call("bash_output", {"id": job, "wait_s": 5, "stdin": "\n"}).data.output)
        assert seen == ["a", "€ ", "red"]


def test_jobs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In number, with what to do; one that ends makes room."""
    monkeypatch.setattr(limits, "JOBS_MAX", 2)
    with Toolbox(tmp_path) as box:
        jobs = [box.call("bash", {"command": "sleep 60", "run_in_background": True}).data.id for _ in range(2)]
        for name in ("run_in_background", "auto_background"):
            with pytest.raises(TooManyJobs, match="bash_kill"):
                box.call("bash", {"command": "true", name: True})
        assert box.call("bash", {"command": "true"}).data.ok
        box.call("bash_kill", {"id": jobs[0]})
        box.call("bash", {"command": "true", "run_in_background": True})


def test_old_outputs_make_room(tmp_path: Path, outputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is forgotten with its file."""
    monkeypatch.setattr(limits, "JOBS_KEPT", 3)
    with Toolbox(tmp_path) as box:
        ids = [box.call("bash", {"command": "seq 10000"}).data.id for _ in range(6)]
        assert len(box.jobs) == 3
        assert len(list(outputs.iterdir())) == 3
        assert box.call("bash_output", {"id": ids[-1], "offset": -6}).data.output == "10000\n"
        with pytest.raises(UnknownJob):
            box.call("bash_output", {"id": ids[0]})


def test_full_file_keeps_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies between is told as missing, not passed over."""
    monkeypatch.setattr(limits, "EXEC_SPILL_BYTES", 1_000)
    monkeypatch.setattr(limits, "EXEC_OUTPUT_BYTES", 4_000)
    with Toolbox(tmp_path) as box:
        job = box.call("bash", {"command": "seq 10000", "run_in_background": True}).data.id
        assert box.jobs.get(job).wait(10)
        page = box.call("bash_output", {"id": job, "offset": 0}).data
        assert page.output.startswith("1\n2\n")
        assert page.next_offset <= 1_000
        answer = box.call("bash_output", {"id": job, "offset": 20_000})
        assert "could not be kept" in answer
        assert answer.data.output.endswith("9999\n10000\n")
        assert answer.data.next_offset == 48_894
