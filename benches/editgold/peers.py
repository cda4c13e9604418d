"""The tools that rootle is compared with, each in an environment of its own outside the tree.

    python -m benches.editgold.peers      # install them all, and say which cannot be had

Each runs in a process that is kept alive (`adapters/`) and edits a real file through the tool's own public function.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from benches.editgold.answer import Answer
from benches.editgold.dialects import begin_patch, dialect_of, unified
from benches.editgold.sources import cache_dir
from benches.editgold.trial import Edit, Trial

__all__ = ["PEERS", "Peer", "PeerSubject", "interpreter_of", "missing", "prove"]

_ADAPTERS = Path(__file__).with_name("adapters")


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: a package of the index, pinned, or a program of the system. `dialects`: the patches that it takes."""

    name: str
    adapter: str
    package: str | None = None
    version: str | None = None
    program: str | None = None
    dialects: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)
    most: int | None = None  # base edits: fewer for a tool that takes a second for each


PEERS = (
    Peer("aider-chat", "aider_peer", "aider-chat", "0.86.2", dialects=("search_replace",)),
    Peer("codex-apply-patch", "codex_apply_patch_peer", "codex-apply-patch", "0.4.0", dialects=("begin_patch",)),
    Peer("diff-match-patch", "diff_match_patch_peer", "diff-match-patch", "20241021"),
    Peer("git apply", "git_apply_peer", program="git", dialects=("unified",)),
    Peer("GNU patch", "gnu_patch_peer", program="patch", dialects=("unified",)),
    Peer("hermes-agent", "hermes_peer", "hermes-agent", "0.19.0", most=20),
    Peer("openhands-aci", "openhands_peer", "openhands-aci", "0.3.3", python=(3, 12)),
    Peer("patch-ng", "patch_ng_peer", "patch-ng", "1.19.0", dialects=("unified",)),
    Peer("tunacode-cli", "tunacode_peer", "tunacode-cli", "0.1.70"),
    Peer("whatthepatch", "whatthepatch_peer", "whatthepatch", "1.0.7", dialects=("unified",)),
)


@cache
def missing(peer: Peer) -> str:
    """Say why a tool cannot be had here; empty where it can. Installs it on the first call."""
    if peer.program is not None:
        return "" if shutil.which(peer.program) else f"{peer.program} is not on the PATH"
    folder = _folder(peer)
    if (folder / "ready").exists():
        return ""
    interpreter = _interpreter(peer.python)
    if interpreter is None:
        return f"it needs Python {peer.python[0]}.{peer.python[1]}"
    print(f"installing {peer.package} {peer.version} ...", file=sys.stderr)
    subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)
    pip = [str(interpreter_of(peer)), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = subprocess.run([*pip, f"{peer.package}=={peer.version}"], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2][:200]
    (folder / "ready").touch()
    return ""


def _interpreter(oldest: tuple[int, int]) -> str | None:
    """Find a Python of at least this version: the running one, else the next ones on the PATH or of pyenv."""
    if sys.version_info[:2] >= oldest:
        return sys.executable
    for minor in range(oldest[1], oldest[1] + 3):
        pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
        kept = [str(path / "bin" / "python") for path in sorted(pyenv.glob(f"{oldest[0]}.{minor}.*"))]
        for program in (shutil.which(f"python{oldest[0]}.{minor}"), *kept):
            if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
                return program
    return None


def interpreter_of(peer: Peer) -> Path:
    """Give the Python of a package's own environment."""
    return _folder(peer) / "bin" / "python"


def _folder(peer: Peer) -> Path:
    return cache_dir() / "peers" / f"{peer.package}-{peer.version}"


class PeerSubject:
    """A peer at work."""

    def __init__(self, peer: Peer) -> None:
        self.name = peer.name
        self._peer = peer
        self._process: subprocess.Popen[str] | None = None

    def takes(self, trial: Trial) -> bool:
        """Take one edit at a time, and the dialects of patches that the tool reads."""
        dialect = dialect_of(trial)
        return len(trial.edits) == 1 if dialect == "edit" else dialect in self._peer.dialects

    def apply(self, trial: Trial) -> Answer:
        """Have the tool edit a file; a process that has died is started again, and its trial counts as refused."""
        process = self._running()
        edit = trial.edits[0] if trial.edits else Edit("", "")
        request = {
            "name": str(PurePosixPath(trial.path)),
            "file": base64.b64encode(trial.file).decode(),
            "old": edit.old,
            "new": edit.new,
            "patch": trial.patch,
            "diff": unified(trial) if dialect_of(trial) in ("edit", "unified") else "",
            "begin_patch": begin_patch(trial) if dialect_of(trial) in ("edit", "begin_patch") else "",
        }
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline() or "{}")
        except (BrokenPipeError, json.JSONDecodeError):
            answer = {}
        if not answer:
            self.close()
            return Answer(None, reason="the process died")
        content = None if answer["content"] is None else base64.b64decode(answer["content"])
        return Answer(content, reason=answer["reason"], seconds=answer["seconds"])

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            python = sys.executable if self._peer.package is None else str(interpreter_of(self._peer))
            self._process = subprocess.Popen(
                [python, "-I", "-c", _START, str(_ADAPTERS), self._peer.adapter],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process


_START = "import importlib, sys; sys.path.insert(0, sys.argv[1]); importlib.import_module(sys.argv[2])"


def prove(subject: PeerSubject) -> None:
    """Assert that the tool makes a plain edit rightly, before anything is measured."""
    before = "".join(f"def step_{i}(value):\n    return value + {i}\n\n\n" for i in range(6)).rstrip("\n") + "\n"
    old, new = "def step_3(value):\n    return value + 3", "def step_3(value):\n    return value * 3"
    trial = Trial(
        id="proof",
        perturbation="00_none",
        variant="",
        group="first",
        expect="apply",
        source="proof",
        path="steps.py",
        file=before.encode(),
        gold=before.replace(old, new).encode(),
        edits=(Edit(old, new),),
        block=(before.index(old), before.index(old) + len(old) + 1),
    )
    answer = subject.apply(trial)
    if answer.content != trial.gold:
        raise AssertionError(f"{subject.name} does not make the plain edit: {answer.reason or answer.content!r}")


def main() -> None:
    """Install and prove all."""
    for peer in PEERS:
        why = missing(peer)
        if not why:
            subject = PeerSubject(peer)
            prove(subject)
            subject.close()
        print(f"{peer.name:<20} {peer.version or '':<10} {why or 'ready'}")


if __name__ == "__main__":
    main()
