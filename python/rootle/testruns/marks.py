"""The lines of a runner's output that can mean something, found in one pass.

An output may be large and hostile. It is gone through once, with an expression that looks at each line's start only;
what the parsers of the runners then look at is few lines, cut to a length. Nothing here backtracks over more than one
line's start, so that time grows with the text and not with its square.
"""

from __future__ import annotations

import re
from collections import deque

from rootle import limits

__all__ = ["Mark", "between", "find_marks", "plain_text"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Mark: TypeAlias = "tuple[int, str]"
"""Where a line starts, and the line, cut to `limits.TESTS_LINE_CHARS`."""

# CSI sequences, OSC and other strings with their end, and two-character escapes; in 7-bit form and as C1 controls. Each
# alternative stops at the next escape character, so that unterminated ones cost no second pass.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
)

_MARKS = re.compile(
    r"\n((?:"
    r"={1,200} |_{3,200} |!{3,200} |\d{1,9} |no tests |FAILED|ERROR|SUBFAIL|[.FEsxXuU,\-]{1,200} *\[ *\d"  # pytest
    r"|[^\s]{1,200} (?:[.FEsxXuU,\-]{1,200}|[A-Z]{4,8}) *(?:\([^()\n]{0,200}\) *)?\[ *\d"  # pytest, with names of files
    r"|Ran \d|OK\b|NO TESTS|Test Suites:|Tests:|Snapshots:|Time:| ?PASS |FAIL|No test| {2}● | {1,20}●"  # unittest, jest
    r"| Test Files | {6}Tests | {5}Errors | {3}Duration | RUN | FAIL | {1,10}❯ |⎯"  # vitest
    r"|running \d|test |---- |failures:|error| {3,6}Running | {3}Doc-tests |thread '"  # cargo
    r"| {3,12}Summary \[| {2,12}(?:FAIL|SIG[A-Z]+|TIMEOUT|LEAK-FAIL|ABORT) \[| {3,8}(?:Starting|Cancel)"  # nextest
    r"|=== | {0,200}--- |ok {2}\t|\?   \t|panic: |# "  # go
    r"| {2}\d{1,9} (?:passing|failing|pending)|[#ℹ] "  # mocha, node
    rf")[^\n]{{0,{limits.TESTS_LINE_CHARS}}})"
)
_ENDS = re.compile(r"\r+\n?|[\x0b\x0c\x85\u2028\u2029]")


def plain_text(output: str | bytes) -> str:
    r"""Give an output without colours and other escape sequences, its lines ended by `\n`."""
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    if "\x1b" in text or not text.isascii():
        text = _ESCAPES.sub("", text)
    if not text.isascii() or any(end in text for end in "\r\x0b\x0c"):
        text = _ENDS.sub("\n", text)
    return text


def find_marks(text: str) -> tuple[list[Mark], bool]:
    """Give the lines of `plain_text` that a runner may have written, and whether that is all of them.

    Of too many, the first quarter and the last three quarters of `limits.TESTS_MARKS` are kept.
    """
    most = limits.TESTS_MARKS
    head: list[Mark] = []
    tail: deque[Mark] = deque(maxlen=most - most // 4)
    found = 0
    for match in _MARKS.finditer("\n" + text):
        mark = (match.start(), match[1].rstrip())
        found += 1
        if len(head) < most // 4:
            head.append(mark)
        else:
            tail.append(mark)
    return [*head, *tail], found <= most


def between(text: str, start: int, end: int | None, *, last: bool = False) -> str:
    """Give the text of a block without its first line, at most `limits.TESTS_BLOCK_CHARS` of its start or its end."""
    stop = len(text) if end is None else end
    start = text.find("\n", start, stop) + 1
    if start == 0:
        return ""
    most = limits.TESTS_BLOCK_CHARS
    return text[max(start, stop - most) : stop] if last else text[start : min(stop, start + most)]
