"""Exit codes that are answers and no failures: of `grep`, `diff`, `test` and the like, when they end a command.

>>> benign_code("cat log | grep -c error", 1, quiet=True)
'grep: no match'
>>> benign_code("make", 1, quiet=True) is None
True
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from rootle import limits

__all__ = ["benign_code"]

_NO_MATCH, _DIFFERENT, _FALSE, _NONE = "no match", "they differ", "it is false", "none was found"
_MEANINGS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"), _NO_MATCH),
    **dict.fromkeys(("diff", "cmp", "colordiff", "zdiff", "zcmp"), _DIFFERENT),
    **dict.fromkeys(("test", "[", "[["), _FALSE),
    **dict.fromkeys(("pgrep", "pkill", "pidof", "which", "type", "hash"), _NONE),
    "expr": "the result is 0 or empty",
}
_GIT = {"grep": _NO_MATCH, "diff": _DIFFERENT, "check-ignore": _NONE, "merge-base": _FALSE}
_XARGS_CODE = 123
# They run the command that is named after them and end with its code.
_WRAPPERS = {"command", "env", "exec", "nice", "nohup", "stdbuf", "sudo", "time", "timeout"}
_WRAPPER_ARGUMENT = re.compile(r"-.*|\w+=.*|[\d.]+[smhd]?")
_ASSIGNMENT = re.compile(r"\w+\+?=.*", re.DOTALL)
_OPERATORS = ";()<>|&\n"


def benign_code(script: str, exit_code: int | None, *, quiet: bool) -> str | None:
    """Say what an exit code means that is no failure of the command in `script`; None for any other.

    The last command of the last pipeline decides. Where another one may have given the code, because it stands before
    an `&&` or under `xargs`, the code counts as an answer only if nothing was printed on standard error (`quiet`):
    these programs print nothing there when they answer.
    """
    if exit_code not in (1, _XARGS_CODE) or len(script) > limits.BENIGN_SCRIPT_CHARS:
        return None
    words, alone = _last_command(script)
    if not words or not (alone or quiet):
        return None
    if words[0] == "!":
        return "what was negated succeeded" if exit_code == 1 else None
    words = ["[["] if words[-1] == "]]" else _unwrapped(words)
    if words[:1] == ["xargs"]:
        inner = [word for word in words[1:] if _program(word) in _MEANINGS]
        return _said(inner) if exit_code == _XARGS_CODE and quiet else None
    return _said(words) if exit_code == 1 else None


def _said(words: Sequence[str]) -> str | None:
    if not words:
        return None
    name = _program(words[0])
    if name == "git":
        inner = next((word for word in words[1:] if word in _GIT), None)
        return None if inner is None else f"git {inner}: {_GIT[inner]}"
    if name == "command":
        return f"command -v: {_NONE}"
    if name == "jq" and {"-e", "--exit-status"} & set(words):
        return "jq: the last result is null or false"
    meaning = _MEANINGS.get(name)
    return None if meaning is None else f"{name}: {meaning}"


def _program(word: str) -> str:
    return word.rpartition("/")[2]


def _last_command(script: str) -> tuple[list[str], bool]:
    """Give the words of the last command, and whether no other command could have given the code."""
    lexer = shlex.shlex(script.rstrip("; \t\r\n"), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    words: list[str] = []
    alone = True
    try:
        for token in lexer:
            if token and not set(token) <= set(_OPERATORS):
                words.append(token)
            elif set(token) & set("<>"):
                continue
            elif set(token) & set("()"):
                return [], False  # A subshell, a function, a substitution: who gave the code is not looked for.
            else:
                words = []
                alone = "&&" not in token and (alone or token != "|")
    except ValueError:
        return [], False  # Quotes that are not closed, as in a here-document.
    return words, alone


def _unwrapped(words: list[str]) -> list[str]:
    words = list(words)
    while words and _ASSIGNMENT.fullmatch(words[0]):
        del words[0]
    while words and words[0] in _WRAPPERS and words[1:2] not in (["-v"], ["-V"]):
        del words[0]
        while words and _WRAPPER_ARGUMENT.fullmatch(words[0]):
            del words[0]
    return words
