"""Noise of the file: it has drifted, or has another form than the model thinks. What no edit touches stays as it is."""

from __future__ import annotations

import difflib

from benches.editgold.blocks import kept, runs, sole, worded
from benches.editgold.decidable import Undecidable, drifted_twin
from benches.editgold.draft import Draft, Line
from benches.editgold.wording import has_words, material

__all__ = ["comment_differs", "context_drifted", "crlf", "curly", "decomposed"]

_COMMENT_SIGNS = {
    ".py": "  # ",
    ".pyi": "  # ",
    ".js": " // ",
    ".ts": " // ",
    ".go": " // ",
    ".rs": " // ",
    ".c": " /* ",
}
_REMARKS = ("noqa: keep", "checked twice", "see the changelog", "type: ignore")
_ALIKE = 0.8  # two forms of one line, not two lines
_MAYBE_ALIKE = 0.5  # may be two forms of one line
_CURLY = {'"': "\u201c\u201d", "'": "\u2018\u2019", "-": "\u2013\u2013"}


def crlf(draft: Draft) -> str | None:
    """06: the file ends its lines with CRLF; the call does not. New lines get the file's ends."""
    draft.ends = (["\r\n"] * len(draft.head), "\r\n", ["\r\n"] * len(draft.tail))
    return "all lines"


def curly(draft: Draft) -> str | None:
    """07: typographic quotes and dashes in the file, plain ones in the call. Untouched ones stay.

    In a changed line only those in what its old and new form share at the start and at the end are made so: what must
    become of others is not decided. Nor is it for a removed line of which another added line may be made.
    """
    done = False
    for i in filter(lambda at: sole(draft, at), kept(draft)):
        line = draft.block[i]
        changed = _curl(line.file or "")
        if changed != line.file and draft.rng.random() < 0.8:
            line.drift(changed)
            done = True
    for run in runs(draft):
        if not run.added:
            for line in run.removed:
                if not _comes_back(draft, line):
                    line.file = _curl(line.file or "")
                    done = done or line.file != line.old
        elif len(run.added) == len(run.removed):
            pairs = [
                (a, b) for a, b in zip(run.removed, run.added, strict=True) if not _comes_back(draft, a, besides=b)
            ]
            done = any([_curl_pair(a, b) for a, b in pairs]) or done
    return "quotes and dashes" if done else None


def _comes_back(draft: Draft, removed: Line, besides: Line | None = None) -> bool:
    """Tell whether an added line is like this one, so that it may have moved there, or a kept one is the same."""
    text = (removed.file or "").strip()
    added = [(line.gold or "").strip() for line in draft.block if line.kind == "+" and line is not besides]
    return any(line.kind == "=" and (line.file or "").strip() == text for line in draft.block) or any(
        difflib.SequenceMatcher(None, text, other, autojunk=False).ratio() >= _MAYBE_ALIKE for other in added
    )


def _curl_pair(removed: Line, added: Line) -> bool:
    old, new = removed.file or "", added.gold or ""
    if difflib.SequenceMatcher(None, old, new, autojunk=False).ratio() < _ALIKE:
        return False
    shared = min(len(old), len(new))
    lead = next((i for i in range(shared) if old[i] != new[i]), shared)
    trail = next((i for i in range(shared - lead) if old[-1 - i] != new[-1 - i]), shared - lead)
    lead, trail = (
        size if has_words(part) else 0 for size, part in ((lead, old[:lead]), (trail, old[len(old) - trail :]))
    )
    curled = _curl(old)
    start, end = curled[:lead], curled[len(old) - trail :]
    removed.file = start + old[lead : len(old) - trail] + end
    added.gold = start + new[lead : len(new) - trail] + end
    return removed.file != old


def _curl(text: str) -> str:
    """Replace quotes by opening and closing ones in turn, and a dash between spaces by a longer one."""
    made, opened = [], {'"': 0, "'": 0, "-": 0}
    for i, char in enumerate(text):
        if char not in _CURLY or (char == "-" and text[i - 1 : i + 2] != " - "):
            made.append(char)
            continue
        made.append(_CURLY[char][opened[char] % 2])
        opened[char] += 1
    return "".join(made)


def context_drifted(draft: Draft) -> str | None:
    """25: somebody has changed a kept line in the file since the model read it. The change must live."""
    places = [i for i in worded(draft, "=") if sole(draft, i)]
    if len(worded(draft, "=-")) < 2:
        return None  # nothing else to know the place by
    old = [(line.kind, line.old) for line in draft.block if line.old is not None]
    if places and any(drifted_twin(old, lines) for lines in (draft.head, draft.tail)):
        raise Undecidable
    draft.rng.shuffle(places)
    for at in places:
        changed = material(draft.block[at].file or "", draft.rng)
        if changed is not None:
            draft.block[at].drift(changed)
            return f"{sum(line.old is not None for line in draft.block)} lines"
    return None


def comment_differs(draft: Draft) -> str | None:
    """A comment at the end of a kept line that the call does not have, or has in other words. The file's stays."""
    draft.must_differ = True
    sign = _COMMENT_SIGNS.get(draft.base.type)
    places = [
        i for i in worded(draft, "=") if sole(draft, i) and sign and sign.strip() not in (draft.block[i].file or "")
    ]
    if not places or sign is None or len(worded(draft, "=-")) < 2:
        return None
    line = draft.block[draft.rng.choice(places)]
    end = " */" if sign == " /* " else ""
    text = line.file or ""
    if text.rstrip().endswith(("\\", '"""', "'''", ",\\")):
        return None
    ours, theirs = draft.rng.sample(_REMARKS, 2)
    line.drift(text + sign + ours + end)
    if draft.rng.random() < 0.4:
        line.model(text + sign + theirs + end)
        return "other words"
    return "missing in call"


def decomposed(draft: Draft) -> str | None:
    """Accented letters composed in the call and decomposed in the file, or the other way about. The file's stay."""
    places = [i for i in worded(draft, "=") if sole(draft, i) and any(c in (draft.block[i].file or "") for c in "eaou")]
    if not places:
        return None
    line = draft.block[draft.rng.choice(places)]
    text = line.file or ""
    at = draft.rng.choice([i for i, c in enumerate(text) if c in "eaou"])
    one = text[:at] + {"e": "\u00e9", "a": "\u00e4", "o": "\u00f6", "u": "\u00fc"}[text[at]] + text[at + 1 :]
    two = text[: at + 1] + {"e": "\u0301"}.get(text[at], "\u0308") + text[at + 1 :]
    in_file, in_call = (two, one) if draft.rng.random() < 0.7 else (one, two)
    line.drift(in_file)
    line.model(in_call)
    return "file decomposed" if in_file is two else "call decomposed"
