"""Writes trials as JSON lines, one file a perturbation, for a look at them or for tuning.

python -m benches.editgold.export --split tuning --bases 300 --out DIR
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from benches.editgold.bases import bases
from benches.editgold.perturbations import PERTURBATIONS, trials_of
from benches.editgold.trial import Trial

__all__ = ["main"]

_README = """# Trials

One file a perturbation, one trial a line (JSON). `file` and `gold` are base64 of the bytes before and after. `edits` is
what the model sends: old, new, near_line (from 1, or null); or `patch` is set instead. `expect`: "apply" = gold;
"choose" = gold although the file has look-alikes; "refuse" = the file must stay (gold = file); "either" = gold or
refused. `block` is the byte range of the true place in `file`. `codec` is the file's encoding. `group`: "first" or
"add" list.

"""


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=["tuning", "held-out"], default="tuning")
    parser.add_argument("--bases", type=int, default=300, help="how many base edits (default 300)")
    parser.add_argument("--only", action="append", help="a perturbation, by the start of its name")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    chosen = tuple(p for p in PERTURBATIONS if not args.only or p.name.startswith(tuple(args.only)))
    counts: Counter[str] = Counter()
    undecided: Counter[str] = Counter()
    files = {p.name: (args.out / f"{p.name}.jsonl").open("w", encoding="utf-8") for p in chosen}
    for base in bases(args.split, args.bases):
        for trial in trials_of(base, chosen):
            if isinstance(trial, Trial):
                counts[trial.perturbation] += 1
                files[trial.perturbation].write(json.dumps(trial.row()) + "\n")
            else:
                undecided[trial[0]] += 1
    for file in files.values():
        file.close()
    rows = [f"| {p.name} | {counts[p.name]} | {undecided[p.name]} |" for p in chosen]
    table = ["| perturbation | trials | undecidable |", "|---|--:|--:|", *rows]
    (args.out / "README.md").write_text(_README + "\n".join(table) + "\n", encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
