r"""The configuration that git gets in place of a repository's own.

Only what says how files are stored and compared is taken over, and only as a word or a number: no key that names a
program, a file or a place is on the list, so that one which is not thought of here has no effect.

>>> print(settings_for({"core.autocrlf": "input", "core.fsmonitor": "touch x", "diff.external": "sh"}))
[core]
    bare = false
    ...
    autocrlf = input
<BLANKLINE>
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["parse_config", "settings_for"]

_BASE = """\
[core]
    bare = false
    attributesFile = /dev/null
    excludesFile = /dev/null
    fsmonitor = false
    hooksPath = /dev/null
    quotePath = false
    safecrlf = false
[diff]
    renames = true
[gc]
    auto = 0
[maintenance]
    auto = false
[protocol]
    allow = never
"""

# Keys in lower case, as git lists them.
_TAKEN_OVER = (
    "core.autocrlf",
    "core.checkstat",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.symlinks",
    "core.trustctime",
    "extensions.compatobjectformat",
    "extensions.objectformat",
    "extensions.refstorage",
)
_WORD = re.compile(r"[A-Za-z0-9]{0,16}", re.ASCII)


def parse_config(listed: bytes) -> dict[str, str]:
    """Read what `git config --list -z` wrote; of a key that is there twice the last value counts.

    Sections and variables are in lower case, names of subsections as they are.
    """
    found = {}
    for record in listed.split(b"\0"):
        key, equals, value = record.decode("utf-8", "surrogateescape").partition("\n")
        if key:
            found[key] = value if equals else "true"
    return found


def settings_for(config: Mapping[str, str]) -> str:
    """Give the text of the configuration to use for a repository with this one."""
    text = _BASE
    for key in _TAKEN_OVER:
        value = config.get(key)
        if value is not None and _WORD.fullmatch(value):
            section, _, name = key.partition(".")
            text += f"[{section}]\n    {name} = {value}\n"
    return text
