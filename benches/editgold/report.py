"""Writes the folder of a run: README.md, results.json, and a plot of tools and of perturbations."""

from __future__ import annotations

import datetime
import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benches.editgold.bases import Base, find_missing
from benches.editgold.gates import Gate, check
from benches.editgold.mixes import names_of
from benches.editgold.peers import PEERS
from benches.editgold.plot import bars
from benches.editgold.sources import manifest
from benches.editgold.tables import by_perturbation, mixes, summary
from benches.editgold.tally import Tally
from benches.editgold.times import Timing, time_tables
from benches.python.machine import machine_facts

__all__ = ["write_report"]

_RESULTS = Path(__file__).parent.parent / "results"
_PEER_WORDS = (
    "Each tool edits a real file through its own public function, in an environment of its own, with 5 s for an edit; "
    "it is given the trials whose form it can take. Tools that take only patches get the same call as a patch, with "
    "the right line number. `must refuse` of a tool that has no such rule is what it does to the file. "
    "Each perturbation: `others.md`.",
)
_SPLITS = {"tuning": "tuning packages", "held-out": "held-out packages", None: "both"}


def write_report(
    folder: Path | None,
    *,
    command: str,
    chosen: Sequence[Base],
    tallies: dict[str, Tally],
    compared: dict[str, Tally],
    left_out: dict[str, str],
    compared_on: int,
    timings: list[Timing],
    seed: int,
) -> bool:
    """Write all files of a run; True where rootle meets every gate."""
    folder = folder or _RESULTS / f"{datetime.date.today().isoformat()}-editgold"
    folder.mkdir(parents=True, exist_ok=True)
    splits = [split for split in _SPLITS if split is None or any(base.split == split for base in chosen)]
    facts = machine_facts() | _cases(chosen, seed)
    ours = tallies.get("rootle")
    gates = {split: check(ours, split) for split in splits} if ours else {}
    parts = [f"# {folder.name}", "", f"    {command}", "", "| | |", "|---|---|"]
    parts += [f"| {name} | {words} |" for name, words in facts.items()]
    parts += _gate_words(gates)
    parts += ["", "## All base edits", "", *summary(tallies, None)]
    if compared:
        parts += [
            "",
            f"## Peers, on {compared_on} of the base edits at most",
            "",
            *_PEER_WORDS,
            "",
            "![tools](tools.svg)",
            "",
        ]
        parts += summary(compared, None)
        parts += ["", *(f"- {name} {_version(name)}".rstrip() for name in compared if name not in tallies)]
        parts += [f"- not compared: {name}: {why}" for name, why in left_out.items()]
    times, in_time = time_tables(timings) if timings else ([], True)
    parts += ["", "## Times", "", *times] if times else []
    if ours:
        parts += ["", "## Perturbations, rootle", "", "![perturbations](perturbations.svg)"]
        for split in splits:
            parts += ["", f"### {_SPLITS[split]}", "", *mixes(ours, split), "", *by_perturbation(ours, split)]
    others = [f"# {folder.name}: the other tools, by perturbation"]
    for name, tally in (tallies | compared).items():
        if name != "rootle":
            others += ["", f"## {name}", "", *by_perturbation(tally, None)]
    (folder / "others.md").write_text("\n".join(others) + "\n", encoding="utf-8")
    (folder / "README.md").write_text("\n".join(parts) + "\n", encoding="utf-8")
    values = {
        "facts": facts,
        "times_ms": timings,
        "all": {name: tally.plain(residuals=name == "rootle") for name, tally in tallies.items()},
        "compared": {name: tally.plain(residuals=False) for name, tally in compared.items()},
    }
    (folder / "results.json").write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _plots(folder, tallies, compared or tallies)
    return in_time and all(gate.met for listed in gates.values() for gate in listed)


def _cases(chosen: Sequence[Base], seed: int) -> dict[str, str]:
    types = Counter(base.type for base in chosen)
    missing = find_missing()
    return {
        "base edits": f"{len(chosen):,} from {len({base.source for base in chosen})} packages, seed {seed}",
        "file types": ", ".join(f"{name} {count}" for name, count in types.most_common()),
        "packages": ", ".join(
            f"{source.name} {source.old} → {source.new} ({source.split})"
            for source in manifest()
            if source.name not in missing
        ),
        "left out": ", ".join(missing) or "none",
    }


def _gate_words(gates: dict[str | None, list[Gate]]) -> list[str]:
    if not gates:
        return []
    rows = ["", "## Gates", "", "| gate | " + " | ".join(_SPLITS[split] for split in gates) + " |"]
    rows.append("|---|" + "---|" * len(gates))
    for same in zip(*gates.values(), strict=True):
        cells = [f"{gate.measured}{'' if gate.met else ' **missed**'}" for gate in same]
        rows.append(f"| {same[0].words} | {' | '.join(cells)} |")
    return rows


def _version(name: str) -> str:
    peer = next(peer for peer in PEERS if peer.name == name)
    if peer.version is not None:
        return peer.version
    said = subprocess.run([peer.program or "", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return said.partition("\n")[0]


def _plots(folder: Path, tallies: dict[str, Tally], compared: dict[str, Tally]) -> None:
    apply = {
        name: tally.total(None, names_of(tally, "first", ("apply", "choose", "refuse")))
        for name, tally in compared.items()
    }
    apply = dict(sorted(apply.items(), key=lambda item: -item[1]["ok"] / max(1, item[1].total())))
    (folder / "tools.svg").write_text(bars("EditGold: first list of perturbations, by tool", apply), encoding="utf-8")
    if "rootle" in tallies:
        ours = tallies["rootle"]
        rows = {name: ours.total(None, [name]) for name in sorted(ours.expect)}
        (folder / "perturbations.svg").write_text(bars("EditGold: rootle, by perturbation", rows), encoding="utf-8")
