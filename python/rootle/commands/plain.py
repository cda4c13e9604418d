"""Commands for which a shell would do nothing but start one program.

Most commands of an agent are such: `git status`, `pytest -q tests`. Starting the program without the shell saves a
third of what a short command costs. When it cannot be started, nothing has run yet, and the shell may try, and say what
is wrong.

>>> plain_words("git log --oneline -5")
['git', 'log', '--oneline', '-5']
>>> [plain_words(text) for text in ("cd src", "ls *.py", "A=1 make", "make &", "echo 'x'")]
[None, None, None, None, None]
"""

from __future__ import annotations

import re

__all__ = ["plain_words"]

# None of these characters means anything to a shell in a word, wherever it stands, but "=" in the first word.
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./:@%+,-]*(?: +[A-Za-z0-9_./:@%+,=-]+)* *\n?")
# What a shell does itself and no program does in its place, or not in the same way: `true` and `false` are the same.
_OWN = re.compile(
    r"\.|:|alias|bg|bind|break|builtin|caller|case|cd|command|compgen|complete|compopt|continue|"
    r"coproc|declare|dirs|disown|do|done|echo|elif|else|enable|esac|eval|exec|exit|export|fc|"
    r"fg|fi|for|function|getopts|hash|help|history|if|in|jobs|kill|let|local|logout|mapfile|"
    r"popd|printf|pushd|pwd|read|readarray|readonly|return|select|set|shift|shopt|source|suspend|"
    r"test|then|time|times|trap|type|typeset|ulimit|umask|unalias|unset|until|wait|while"
)


def plain_words(script: str) -> list[str] | None:
    """Give the program and its arguments when `script` is no more than that; None otherwise."""
    if len(script) > 10_000 or not _PLAIN.fullmatch(script):
        return None
    words = script.split()
    return None if _OWN.fullmatch(words[0]) else words
