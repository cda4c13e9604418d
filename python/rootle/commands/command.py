"""`Command`: what a tool runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from rootle.errors import InvalidArgument

__all__ = ["Command", "command_text", "shell", "split_variables", "variables"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a tool.

    Attributes:
        argv: The program and its arguments.
        text: What it is called before people and models.
        script: Text for an `argv` that is a shell.
        cwd: The directory, relative to the root.
        env: Variables above those of the sandbox's policy.
        stdin: What it reads.
        timeout_s: Seconds until it is ended; None for no limit.
        description: What it is for.
    """

    argv: Sequence[str]
    text: str
    script: str | None = None
    cwd: str = "."
    env: Mapping[str, str] | None = None
    stdin: bytes | None = None
    timeout_s: float | None = None
    description: str | None = None


def shell() -> str:
    """Give the shell that runs commands on this machine: bash, else sh."""
    return _shell(os.environ.get("PATH"))


@lru_cache(maxsize=4)
def _shell(path: str | None) -> str:
    return "bash" if shutil.which("bash", path=path) else "sh"


def command_text(value: object) -> object:
    """Take a list of words, which models send as well, for the command that it is."""
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        # A shell with its one argument is what the tool itself makes of the argument.
        if len(value) == 3 and value[0] in ("bash", "sh", "/bin/bash", "/bin/sh") and value[1] in ("-c", "-lc"):
            return value[2]
        return shlex.join(value)
    return value


def variables(value: object) -> object:
    """Take a mapping of names to values, which models send as well, for a list of `NAME=value`."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError):
            value = json.loads(value)
    if not isinstance(value, dict):
        return value
    for name in value:
        if not isinstance(name, str) or not name or "=" in name or "\0" in name:
            raise ValueError(f"{name!r} cannot be the name of a variable")
    return [f"{name}={_plain(each)}" for name, each in value.items()]


def split_variables(given: Sequence[str] | None) -> dict[str, str] | None:
    """Give variables by name; raises InvalidArgument for text that is no `NAME=value`."""
    if not given:
        return None
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals or "\0" in text:
            raise InvalidArgument.of(
                f"env: {text!r} is no variable", name="env", hint='Give each as "NAME=value", without NUL characters.'
            )
        found[name] = value
    return found


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
