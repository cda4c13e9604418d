"""The environment that commands get: this process's own without secrets and traps, and nothing that waits for a person.

>>> policy = Environment(source={"PATH": "/bin", "API_TOKEN": "x", "BASH_ENV": "/tmp/a", "GIT_DIR": "/b"})
>>> env = policy.build({"MODE": "test"})
>>> env["PATH"], env["MODE"], env["PAGER"]
('/bin', 'test', 'cat')
>>> [name for name in ("API_TOKEN", "BASH_ENV", "GIT_DIR") if name in env]
[]
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import translate

__all__ = ["QUIET", "SECRETS", "TRAPS", "Environment"]

QUIET: Mapping[str, str] = {
    "CLICOLOR": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "EDITOR": "true",
    "GCM_INTERACTIVE": "never",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "MANPAGER": "cat",
    "NO_COLOR": "1",
    "NPM_CONFIG_COLOR": "false",
    "NPM_CONFIG_FUND": "false",
    "NPM_CONFIG_PROGRESS": "false",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "PAGER": "cat",
    "PIP_NO_INPUT": "1",
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUTF8": "1",
    "SSH_ASKPASS_REQUIRE": "never",
    "SYSTEMD_PAGER": "cat",
    "TERM": "dumb",
    "VISUAL": "true",
}
"""No pager, no prompt, no colour, UTF-8."""

SECRETS: tuple[str, ...] = ("*KEY*", "*SECRET*", "*TOKEN*", "*PASSWORD*", "*PASSWD*", "*CREDENTIAL*")
"""Names, in capitals, of what a command has no business with."""

TRAPS: tuple[str, ...] = (
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "GIT_*",
    "LD_AUDIT",
    "LD_PRELOAD",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONSTARTUP",
    "SHELLOPTS",
    "SSH_ASKPASS",
)
"""Names of what makes a program run other code, or git work elsewhere."""

PLACES: tuple[str, ...] = ("OLDPWD", "PWD", "_")
"""Names of what is true of this process and not of the command."""

HARMLESS: tuple[str, ...] = ("GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
"""Names that the patterns above mean to let through: who commits, and which certificates count."""


class Environment:
    """What is taken over from this process, and what is set.

    Args:
        source: The variables to start from; by default this process's own, as they are when a command starts.
        keep: Patterns of names that are taken over although they look like secrets or traps.
        scrub: Further patterns of names that are not.
        set: Variables that are set for every command, above rootle's own.
    """

    def __init__(
        self,
        *,
        source: Mapping[str, str] | None = None,
        keep: Iterable[str] = (),
        scrub: Iterable[str] = (),
        set: Mapping[str, str] | None = None,
    ) -> None:
        self._source = source
        self._keep = _any_of((*HARMLESS, *keep))
        self._scrub = _any_of((*SECRETS, *TRAPS, *PLACES, *scrub))
        self._set = dict(set or {})
        self._known: dict[str, bool] = {}

    def scrubbed(self, name: str) -> bool:
        """Whether a variable of that name is not taken over."""
        if (verdict := self._known.get(name)) is None:
            verdict = self._scrub.match(name) is not None and self._keep.match(name) is None
            self._known[name] = verdict
        return verdict

    def build(self, own: Mapping[str, str] | None = None) -> dict[str, str]:
        """Give the environment of one command; `own` are its own variables, which are set whatever their names."""
        source = os.environ if self._source is None else self._source
        env = {name: value for name, value in source.items() if not self.scrubbed(name)}
        if not _is_utf8(env):
            env["LC_ALL"] = env["LANG"] = "C.UTF-8"
        return {**env, **QUIET, **self._set, **(own or {})}


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern) for pattern in patterns), re.IGNORECASE)


def _is_utf8(env: Mapping[str, str]) -> bool:
    """Whether the locale that the variables name has UTF-8 text; the first that is set counts."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if value := env.get(name):
            return value.lower().replace("-", "").endswith("utf8")
    return False
