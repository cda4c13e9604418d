"""The simple commands of a shell command line, and where options can be put into them.

Only what is plain is understood: words, quotes, redirections, and `&&`, `||`, `;`, `|` and line ends between commands.
A line with anything else (substitutions, groups, loops, here-documents, comments) gives None, and then runs unchanged.

>>> [command.words for command in split_commands("cd sub && python -m pytest -q 2>&1 | tail -5")]
[['cd', 'sub'], ['python', '-m', 'pytest', '-q'], ['tail', '-5']]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["ShellCommand", "split_commands"]

_TOKEN = re.compile(
    r"(?P<space>[ \t]+|\\\n)"
    r"|(?P<operator>&&|\|\||;(?!;)|\|(?!&)|\n)"
    r"|(?P<redirect>(?:\d+|&)?>{1,2}(?:&\d+|\|)?|\d*<(?![<(&]))"
    r"|(?P<single>'[^']*')"
    r'|(?P<double>"(?:[^"\\$`]|\\.|\$(?=["\s]))*")'
    r"|(?P<escaped>\\[^\n])"
    r"|(?P<plain>[^\s'\"\\$`&|;<>(){}#!~*?\[\]]+|[{}#!~*?\[\]])",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\([\\"$`])')
# Words that make what follows something else than a simple command.
_RESERVED = frozenset(
    {"!", "{", "}", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in"}
    | {"select", "then", "until", "while"}
)


@dataclass(slots=True)
class ShellCommand:
    """One simple command of a line.

    Attributes:
        words: Its words without quotes; redirections are left out.
        ends: Offset in the line behind each word.
        piped: Its output goes into another command.
        redirected: Its standard output goes into a file.
        operator: What stands after it; empty at the end.
    """

    words: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    piped: bool = False
    redirected: bool = False
    operator: str = ""


def split_commands(line: str) -> list[ShellCommand] | None:
    """Give the simple commands of a line, or None when it holds something else."""
    commands = [ShellCommand()]
    at, word, is_target = 0, None, False
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            return None
        kind = match.lastgroup
        if kind in ("space", "operator", "redirect"):
            if word is not None:
                is_target = _end_word(commands[-1], word, at, is_target)
                word = None
            if kind == "redirect":
                is_target = "&" not in match[0][1:]
                commands[-1].redirected |= match[0].lstrip("&1").startswith(">") and not match[0].endswith("&2")
            elif kind == "operator":
                commands[-1].operator = match[0]
                commands[-1].piped = match[0] == "|"
                commands.append(ShellCommand())
        else:
            if match[0] == "#" and word is None:
                return None
            word = (word or "") + _value(kind, match[0])
        at = match.end()
    if word is not None:
        _end_word(commands[-1], word, at, is_target)
    found = [command for command in commands if command.words]
    return found if found and not any(command.words[0] in _RESERVED for command in found) else None


def _end_word(command: ShellCommand, word: str, end: int, is_target: bool) -> bool:
    """Take a word, unless it is where a redirection leads."""
    if not is_target:
        command.words.append(word)
        command.ends.append(end)
    return False


def _value(kind: str | None, text: str) -> str:
    if kind == "single":
        return text[1:-1]
    if kind == "double":
        return _ESCAPED.sub(r"\1", text[1:-1])
    return text[1:] if kind == "escaped" else text
