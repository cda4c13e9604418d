"""The tools that rootle is compared with: ripgrep as a subprocess, and Python packages in environments of their own.

Each package runs in a worker (`worker.py`) that times it from inside: neither its import nor our pipe is counted.

    python -m benches.python.peers      # build ripgrep and install the packages, where they are not there yet
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from rootle.bench.clock import Sample

from benches.python.corpora import cache_dir

__all__ = ["PACKAGES", "Package", "Worker", "environment", "find_rg", "install", "rg_version"]

_OLDEST_RG = (15,)


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the index, pinned, and what it is asked to do in each scenario (names in `worker.py`)."""

    name: str
    version: str
    search: str | None = None
    listing: str | None = None
    glob: str | None = None
    slow: bool = False


PACKAGES = (
    Package("python-ripgrep", "0.0.9", search="python-ripgrep search", listing="python-ripgrep files"),
    Package("rignore", "0.8.1", listing="rignore walk"),
    Package("tunacode-cli", "0.1.70", search="tunacode grep", glob="tunacode glob", slow=True),
    Package("ygg", "0.8.81", search="ygg grep", glob="ygg find", slow=True),
)


def environment(package: Package) -> Path:
    """Give the interpreter of the package's own environment, made where it is not there yet."""
    folder = cache_dir() / "peers" / f"{package.name}-{package.version}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        print(f"installing {package.name} {package.version} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, f"{package.name}=={package.version}"], check=True)
        (folder / "ready").touch()
    return python


class Worker:
    """A peer at work in a tree."""

    def __init__(self, python: Path | str, tree: str) -> None:
        script = str(Path(__file__).with_name("worker.py"))
        path = os.pathsep.join([str(Path(find_rg()).parent), os.environ.get("PATH", os.defpath)])
        self._process = subprocess.Popen(
            [str(python), script],
            cwd=tree,
            env={**os.environ, "PATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(self, work: str, **arguments: Any) -> tuple[Sample, int]:
        """Run one work; gives its time and how much it found (-1: it gave up)."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"work": work, **arguments}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the worker ended"}
        if "error" in answer:
            raise RuntimeError(f"{work}: {answer['error']}")
        return Sample(answer["wall_s"], answer["cpu_s"]), answer["count"]


def install() -> None:
    """Build ripgrep into the cache unless a current one is found, and make every package's environment."""
    try:
        find_rg()
    except SystemExit:
        root = str(cache_dir() / "ripgrep")
        subprocess.run(["cargo", "install", "ripgrep", "--locked", "--quiet", "--root", root], check=True)
    for package in PACKAGES:
        environment(package)


@cache
def find_rg() -> str:
    """Find a current ripgrep: `$ROOTLE_BENCH_RG`, else the one built into the cache, else the one on the PATH."""
    candidates = [os.environ.get("ROOTLE_BENCH_RG"), str(cache_dir() / "ripgrep" / "bin" / "rg"), shutil.which("rg")]
    for program in candidates:
        if program and os.access(program, os.X_OK) and rg_version(program) >= _OLDEST_RG:
            return program
    raise SystemExit(
        "ripgrep 15 or newer is needed: run `python -m benches.python.peers` to build it, or set ROOTLE_BENCH_RG"
    )


def rg_version(program: str) -> tuple[int, ...]:
    """Give the version of a ripgrep as numbers."""
    output = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    number = re.search(r"ripgrep (\d+)\.(\d+)\.(\d+)", output)
    return tuple(map(int, number.groups())) if number else ()


if __name__ == "__main__":
    install()
