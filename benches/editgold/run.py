"""Runs the trials and writes the results.

python -m benches.editgold.run                                  # rootle and the baseline on everything
python -m benches.editgold.run --peers 100                      # and the peers on 100 of the base edits
python -m benches.editgold.run --split tuning --bases 300 --only 13 --subject rootle --dry --show 20
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from benches.editgold.answer import classify
from benches.editgold.bases import SEED, Base, bases
from benches.editgold.peers import PEERS, PeerSubject, missing, prove
from benches.editgold.perturbations import PERTURBATIONS, Perturbation, trials_of
from benches.editgold.report import write_report
from benches.editgold.subjects import Exact, Rootle, Subject
from benches.editgold.tables import brief
from benches.editgold.tally import Tally
from benches.editgold.times import measure_times
from benches.editgold.trial import Trial

__all__ = ["main", "measure", "select"]

_CHUNK = 20  # base edits
_OURS: dict[str, Callable[[], Subject]] = {"rootle": Rootle, "exact match": Exact}
_PEERS = {peer.name: peer for peer in PEERS}


def measure(subject: str, chosen: Sequence[Base], names: Sequence[str], seed: int, processes: int) -> Tally:
    """Give every trial of these base edits to a tool."""
    whole = Tally()
    size = min(_CHUNK, max(1, len(chosen) // (2 * processes)))
    chunks = [list(chosen[i : i + size]) for i in range(0, len(chosen), size)]
    if processes == 1:
        for chunk in chunks:
            whole.merge(_chunk(subject, chunk, names, seed))
        return whole
    with ProcessPoolExecutor(processes) as pool:
        count = len(chunks)
        for part in pool.map(_chunk, [subject] * count, chunks, [names] * count, [seed] * count):
            whole.merge(part)
    return whole


def _chunk(name: str, chunk: list[Base], names: Sequence[str], seed: int) -> Tally:
    subject = _subject(name)
    tally = Tally()
    perturbations = select(names)
    for base in chunk:
        for trial in trials_of(base, perturbations, seed):
            if not isinstance(trial, Trial):
                tally.undecidable[base.split, trial[0]] += 1
            elif subject.takes(trial):
                answer = subject.apply(trial)
                tally.add(base.split, trial, answer, classify(trial, answer))
    return tally


@cache
def _subject(name: str) -> Subject:
    """Give the tool; one of each in a process, ended with it."""
    if name in _OURS:
        return _OURS[name]()
    peer = PeerSubject(_PEERS[name])
    prove(peer)
    return peer


def select(names: Sequence[str]) -> tuple[Perturbation, ...]:
    """Give the perturbations whose names begin so; all where no name is given."""
    return tuple(p for p in PERTURBATIONS if not names or p.name.startswith(tuple(names)))


def main() -> int:
    """Run; exit code 1 where a gate is missed."""
    args = _arguments()
    chosen = bases(args.split, args.bases, args.seed)
    tallies: dict[str, Tally] = {}
    for subject in args.subject or _OURS:
        tallies[subject] = _timed(subject, chosen, args)
    compared, left_out = {}, {}
    if args.peers:
        some = chosen[: args.peers]
        for name, peer in _PEERS.items():
            why = missing(peer)
            if why:
                left_out[name] = why
            else:
                compared[name] = _timed(name, some[: peer.most], args)
        compared = {name: _timed(name, some, args) for name in _OURS} | compared
    if args.dry:
        return 0
    timings = measure_times() if args.times else []
    command = shlex.join(["python", "-m", "benches.editgold.run", *sys.argv[1:]])
    met = write_report(
        args.output,
        command=command,
        chosen=chosen,
        tallies=tallies,
        compared=compared,
        left_out=left_out,
        compared_on=min(args.peers, len(chosen)),
        timings=timings,
        seed=args.seed,
    )
    return int(not met)


def _timed(subject: str, chosen: Sequence[Base], args: argparse.Namespace) -> Tally:
    started = time.monotonic()
    tally = measure(subject, chosen, args.only or [], args.seed, args.processes)
    print(f"\n{subject}: {time.monotonic() - started:.0f} s\n" + "\n".join(brief(tally)), flush=True)
    for residual in [r for r in tally.residuals if r.kind != "refused" or args.refused][: args.show]:
        print(residual)
    return tally


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=["tuning", "held-out"], help="one split only")
    parser.add_argument("--bases", type=int, help="at most so many base edits")
    parser.add_argument("--only", action="append", help="perturbations whose names begin so")
    parser.add_argument("--subject", action="append", choices=list(_OURS), help="default: all of these")
    parser.add_argument("--peers", type=int, default=0, help="compare with the peers on so many base edits")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--show", type=int, default=0, help="print so many answers that were wrong")
    parser.add_argument("--refused", action="store_true", help="print refusals too")
    parser.add_argument("--times", action="store_true", help="measure times on a file of 100,000 lines too")
    parser.add_argument("--dry", action="store_true", help="write no report")
    parser.add_argument("--output", type=Path, help="the folder to write; the default is named after the date")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
