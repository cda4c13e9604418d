"""The examples in docstrings run and give what they say."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "rootle.contracts.context",
    "rootle.contracts.read_state",
    "rootle.errors",
    "rootle.framework.decorators",
    "rootle.git.numstat",
    "rootle.git.raw",
    "rootle.git.redacting",
    "rootle.git.settings",
    "rootle.git.urls",
    "rootle.web.addresses",
    "rootle.web.hosts",
    "rootle.web.ranges",
    "rootle.web.urls",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_module_run(name: str) -> None:
    """There is at least one, and none fails."""
    result = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0
