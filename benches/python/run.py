"""Measures rootle on real trees and writes the report.

    python -m benches.python.run                                   # everything: flask, django, linux
    python -m benches.python.run --tree flask --only search        # one tree, the scenarios whose names begin so

Run it on an idle machine. Equal answers are checked first; a wrong answer ends the run.
"""

from __future__ import annotations

import argparse
import datetime
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rootle.bench.measure import Tree

from benches.python import listings, scenarios
from benches.python.corpora import CORPORA, corpus_path
from benches.python.equality import check_tree
from benches.python.machine import facts, machine_name
from benches.python.report import write_report
from benches.python.rows import Row
from benches.python.setting import Setting

__all__ = ["SCENARIOS", "main"]

SCENARIOS: dict[str, Callable[[Setting], Iterator[Row]]] = {
    "search": scenarios.first_search,
    "first": scenarios.first_in_process,
    "path": scenarios.path_order,
    "newest": scenarios.newest_first,
    "stop": scenarios.early_stop,
    "toolbox": scenarios.toolbox,
    "listing": listings.listing,
    "glob": listings.globs,
    "peers": listings.peers,
    "memory": listings.memory,
}

_RESULTS = Path(__file__).parent.parent / "results"
_DEFAULT_TREES = ["flask", "django", "linux"]


def main() -> int:
    """Measure; exit code 1 when a goal is missed or an answer differs."""
    args = _arguments()
    rows: list[Row] = []
    checks = []
    sizes: dict[str, int] = {}
    for name in args.tree or _DEFAULT_TREES:
        setting = Setting(name, Tree(str(corpus_path(name))), args.rounds)
        sizes[name] = len(setting.tree.paths)
        if args.equality:
            for check in check_tree(name):
                checks.append(check)
                _say(check.row())
        for scenario in args.only or SCENARIOS:
            for row in SCENARIOS[scenario](setting):
                rows.append(row)
                _say(_brief(row))
    if not args.dry:
        folder = args.output or _RESULTS / f"{datetime.date.today().isoformat()}-{machine_name()}"
        command = shlex.join(["python", "-m", "benches.python.run", *sys.argv[1:]])
        write_report(folder, command=command, facts=facts(sizes), rounds=args.rounds, rows=rows, checks=checks)
        _say(f"written to {folder}")
    return int(any(row.verdict == "MISSED" for row in rows) or any(check.words for check in checks))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", action="append", choices=sorted(CORPORA), help="a tree; may be given several times")
    parser.add_argument(
        "--only", action="append", choices=list(SCENARIOS), help="a scenario; may be given several times"
    )
    parser.add_argument("--rounds", type=int, default=9, help="how often each work is timed (default 9)")
    parser.add_argument("--equality", action="store_true", help="compare the answers of all patterns first")
    parser.add_argument("--dry", action="store_true", help="write no report")
    parser.add_argument("--output", type=Path, help="the folder to write; the default is named after date and machine")
    return parser.parse_args()


def _brief(row: Row) -> str:
    times = "" if row.time is None else f"{row.time.wall_s * 1e3:9.2f} ms {row.time.cpu_s * 1e3:9.2f} ms cpu"
    ratios = "" if row.ratio is None else f"{row.ratio.wall_s:6.2f} {row.ratio.cpu_s:6.2f}"
    goal = f"[{row.goal}: {row.verdict}]" if row.verdict else ""
    return f"{row.tree:<8} {row.scenario:<32} {row.subject:<28} {times} {ratios} {goal} {row.note}".rstrip()


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
