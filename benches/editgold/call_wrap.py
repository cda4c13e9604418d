"""Noise of the call: the text as a whole in the form of something else (a listing, a fence, JSON, HTML, a diff)."""

from __future__ import annotations

import json

from benches.editgold.draft import Draft, Lines

__all__ = ["diff_signs", "escaped_newlines", "escaped_quotes", "fenced", "html_entities", "line_numbers"]

_FORMATS = ("{n:>6}\t{line}", "{n:>5}\u2192{line}", "{n}: {line}", "{n:>4} | {line}", "{n}\t{line}")
_LANGUAGE = {
    ".py": "python",
    ".js": "javascript",
    ".ts": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    ".md": "markdown",
}


def line_numbers(draft: Draft) -> str | None:
    """08: the numbers of a listing before each line of `old`, and mostly of `new` too."""
    form = draft.rng.choice(_FORMATS)
    first = len(draft.head) + 1

    def number(lines: Lines) -> Lines:
        return [form.format(n=first + i, line=line) for i, line in enumerate(lines)]

    draft.old_lines.append(number)
    if draft.rng.random() < 0.6:
        draft.new_lines.append(number)
        return "both"
    return "old only"


def escaped_quotes(draft: Draft) -> str | None:
    r"""09: quotes as `\"`, in `old` and `new`."""
    old, new = draft.old(), draft.new()
    if "\\" in old + new:
        return None
    marks = '"' if '"' in old and draft.rng.random() < 0.7 else "'\""
    if not any(mark in old for mark in marks):
        return None
    draft.texts.append(lambda text: "".join("\\" + c if c in marks else c for c in text))
    return "double" if marks == '"' else "both kinds"


def escaped_newlines(draft: Draft) -> str | None:
    r"""The text escaped once too often, as in JSON: one line with `\n` in it."""
    old, new = draft.old(), draft.new()
    if "\\" in old + new or "\n" not in old.strip("\n"):
        return None
    draft.texts.append(lambda text: json.dumps(text, ensure_ascii=False)[1:-1])
    return "json"


def fenced(draft: Draft) -> str | None:
    """19: a Markdown fence around `old` and `new`."""
    if not any(line.new is not None for line in draft.block) or "```" in draft.old() + draft.new():
        return None
    language = draft.rng.choice((_LANGUAGE.get(draft.base.type, ""), ""))
    end = "```" if draft.trailing else "\n```"
    draft.texts.append(lambda text: f"```{language}\n{text}{end}")
    return "with language" if language else "plain"


def html_entities(draft: Draft) -> str | None:
    """`&lt;` for `<` and so on, in `old` and `new`."""
    old, new = draft.old(), draft.new()
    marks = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
    if draft.rng.random() < 0.3:
        marks.append(('"', "&quot;"))
    if not any(mark in old for mark, _ in marks) or any(entity in old + new for _, entity in marks):
        return None

    def escape(text: str) -> str:
        for mark, entity in marks:
            text = text.replace(mark, entity)
        return text

    draft.texts.append(escape)
    return "quotes too" if len(marks) > 3 else "angle brackets"


def diff_signs(draft: Draft) -> str | None:
    """The signs of a diff pasted before the lines: `-` and ` ` in `old`, `+` and ` ` in `new`; or one sign on all."""
    if draft.rng.random() < 0.5:
        draft.old_lines.append(lambda lines: ["-" + line for line in lines])
        draft.new_lines.append(lambda lines: ["+" + line for line in lines])
        return "all lines"
    for line in draft.block:
        if line.old is not None:
            line.old = ("-" if line.kind == "-" else " ") + line.old
        if line.new is not None:
            line.new = ("+" if line.kind == "+" else " ") + line.new
    if not any(line.kind == "-" for line in draft.block):
        return None  # spaces alone are not the signs of a diff
    return "as in the diff"
