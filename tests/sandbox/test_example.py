"""The example's ten calls answer the same in every place that can be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/sandboxes.py"


def test_ten_calls_answer_the_same_everywhere() -> None:
    """In a process of its own, as a reader runs it."""
    pytest.importorskip("asyncssh")
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, timeout=55, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert list(said) == ["local", "bubblewrap", "ssh"]
    assert "the same results" in said["local"]
    for line in said.values():
        assert "the same results" in line or "cannot be had here" in line
