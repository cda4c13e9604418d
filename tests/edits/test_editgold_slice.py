"""A small slice of EditGold in the suite: synthetic changes of the running interpreter's own standard library."""

import sysconfig
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random

import pytest

from benches.editgold.answer import COSMETIC, WRONG, classify
from benches.editgold.bases import Base, hunks_of
from benches.editgold.perturbations import PERTURBATIONS, trials_of
from benches.editgold.subjects import Rootle
from benches.editgold.trial import Trial
from benches.editgold.wording import has_words, indent_of, material

_SEED = 7
_FILES = ("argparse.py", "bisect.py", "calendar.py", "csv.py", "fractions.py", "gettext.py", "heapq.py", "textwrap.py")
_HUNKS = 2  # of each file


def test_no_edit_of_the_slice_is_wrong_and_most_are_gold() -> None:
    """Of a few hundred trials none may be wrong, and at least nine in ten of those that should apply give gold."""
    counts, wrong = _answers()
    apply = sum((counter for (expect, _), counter in counts.items() if expect in ("apply", "choose")), Counter())

    assert wrong == []
    assert apply.total() > 400
    assert apply["ok"] / apply.total() >= 0.90, apply
    assert sum(apply[kind] for kind in COSMETIC) / apply.total() <= 0.02, apply


def test_what_must_be_refused_is_refused() -> None:
    """A target that is gone, changed, done or there twice leaves the file as it is."""
    counts, _ = _answers()
    refuse = sum((counter for (expect, _), counter in counts.items() if expect == "refuse"), Counter())

    assert refuse.total() > 80
    assert refuse["ok"] == refuse.total(), refuse


@pytest.mark.parametrize("name", ["00_none", "43_utf_16", "44_byte_order_mark", "47_several_edits"])
def test_what_has_no_noise_is_always_gold(name: str) -> None:
    """Where the call fits the text exactly, nothing but gold will do, whatever the encoding."""
    counts, _ = _answers()
    found = sum((counter for (_, which), counter in counts.items() if which == name), Counter())

    assert found["ok"] == found.total(), found


@cache
def _answers() -> tuple[dict[tuple[str, str], Counter[str]], list[str]]:
    """Give counts of classes by what was expected and perturbation, and the trials that went wrong."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    wrong = []
    rootle = Rootle()
    for base in _bases():
        for trial in trials_of(base, tuple(PERTURBATIONS), _SEED):
            if not isinstance(trial, Trial) or not rootle.takes(trial):
                continue
            answer = rootle.apply(trial)
            kind = classify(trial, answer)
            counts.setdefault((trial.expect, trial.perturbation), Counter())[kind] += 1
            if kind in WRONG:
                wrong.append(f"{trial.id} ({trial.variant}): {kind}, tier {answer.tier}")
    return counts, wrong


def _bases() -> list[Base]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    found: list[Base] = []
    for name in _FILES:
        text = (folder / name).read_text(encoding="utf-8")
        rng = Random(f"{_SEED} {name}")
        hunks = hunks_of(text, _changed(text, rng), rng)[:_HUNKS]
        found += Base.each(hunks, source="stdlib", split="slice", path=name, folder=str(folder))
    return found


def _changed(text: str, rng: Random) -> str:
    """Change a dozen places of a text as a programmer might: a line altered, added with its like, or removed."""
    lines = text.split("\n")
    for at in sorted(rng.sample(range(len(lines)), 24), reverse=True):
        line = lines[at]
        if not has_words(line):
            continue
        kind = rng.randrange(3)
        if kind == 0:
            lines[at] = material(line, rng) or line
        elif kind == 1:
            lines[at + 1 : at + 1] = [f"{indent_of(line)}checked = verify({at})", f"{indent_of(line)}record(checked)"]
        else:
            del lines[at]
    return "\n".join(lines)
