"""Outputs that are kept lie in the test's own directory, not in the user's."""

from __future__ import annotations

from pathlib import Path

import pytest
from rootle.sandbox import spill


@pytest.fixture(autouse=True)
def outputs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the directory in which whole outputs are kept."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr(spill, "_users", None)
    return state / "rootle" / "output"
