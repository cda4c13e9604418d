"""What a tool answered, and the class of that answer."""

from __future__ import annotations

from dataclasses import dataclass

from benches.editgold.trial import Trial

__all__ = ["CLASSES", "COSMETIC", "WRONG", "Answer", "classify"]

CLASSES = (
    "ok",
    "ok_verbatim",
    "refused",
    "wrong_blank",
    "wrong_indent",
    "wrong_eol",
    "wrong_text",
    "wrong_place",
    "wrong_applied",
)
WRONG = ("wrong_text", "wrong_place", "wrong_applied")
"""What must not happen at all."""
COSMETIC = ("ok_verbatim", "wrong_blank", "wrong_indent", "wrong_eol")

# Here the call's own context, written over the file's, still is the same lines, only spelt otherwise. Elsewhere it
# would put line numbers, fences or made-up lines into the file, or drop lines of it.
_SPELLING = ("01_", "07_", "13_", "15_", "16_", "25_", "31_", "32_", "38_")
_MAY_BE_DONE = ("21_", "62_")
_NEAR = 3  # lines


@dataclass(frozen=True, slots=True)
class Answer:
    """`content`: the file afterwards, None where the tool refused. `done`: it said that the edit was there already."""

    content: bytes | None
    done: bool = False
    tier: str = ""
    reason: str = ""
    seconds: float = 0.0


def classify(trial: Trial, answer: Answer) -> str:
    """Give the class of an answer."""
    if answer.content is None or answer.content == trial.file:
        return _unchanged(trial, answer)
    if trial.expect == "refuse":
        return "wrong_applied"
    if answer.content == trial.gold:
        return "ok"
    return _nearly(trial, answer.content)


def _unchanged(trial: Trial, answer: Answer) -> str:
    claimed = answer.done and not trial.perturbation.startswith(_MAY_BE_DONE)
    if trial.expect == "refuse":
        return "wrong_applied" if claimed else "ok"
    if claimed:
        return "wrong_text"  # said to be done, and is not
    return "ok" if trial.expect == "either" else "refused"


def _nearly(trial: Trial, content: bytes) -> str:
    result, gold = _text(content, trial.codec), _text(trial.gold, trial.codec)
    if result == gold:
        return "wrong_eol"
    if trial.perturbation.startswith(_SPELLING) and result in _verbatim(trial):
        return "ok_verbatim"
    if _solid(result) == _solid(gold):
        return "wrong_blank"
    if "".join(result.split()) == "".join(gold.split()):
        return "wrong_indent"
    return "wrong_text" if _same_place(trial, result, gold) else "wrong_place"


def _text(content: bytes, codec: str) -> str:
    """Decode, without the byte order mark, the kinds of line ends and the final newline."""
    text = content.decode(codec, errors="replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").rstrip("\n")


def _verbatim(trial: Trial) -> set[str]:
    """Give the file with `new` put in place of the true lines as it was sent."""
    if not trial.edits:
        return set()
    start, stop = trial.block
    before, after = _joined(trial.file[:start], trial.codec), _joined(trial.file[stop:], trial.codec)
    new = trial.edits[0].new
    return {(before + new + end + after).rstrip("\n") for end in ("", "\n")}


def _joined(content: bytes, codec: str) -> str:
    return content.decode(codec, errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _solid(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _same_place(trial: Trial, result: str, gold: str) -> bool:
    """Tell whether the changes of the result and of gold meet, give or take a few lines."""
    lines = _text(trial.file, trial.codec).split("\n")
    ours, theirs = _changed(lines, result.split("\n")), _changed(lines, gold.split("\n"))
    return ours[0] <= theirs[1] + _NEAR and theirs[0] <= ours[1] + _NEAR


def _changed(before: list[str], after: list[str]) -> tuple[int, int]:
    shared = min(len(before), len(after))
    lead = next((i for i in range(shared) if before[i] != after[i]), shared)
    trail = next((i for i in range(shared - lead) if before[-1 - i] != after[-1 - i]), shared - lead)
    return lead, len(before) - trail
