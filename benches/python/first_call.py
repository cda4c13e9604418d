"""The very first search of a process: rootle and ripgrep each in a fresh interpreter that has imported what it needs.

What later calls may owe to earlier ones (warm allocators, started threads, compiled patterns) is not there yet.
"""

from __future__ import annotations

import json
import subprocess
import sys

from rootle.bench.clock import Sample
from rootle.bench.queries import Query
from rootle.bench.searchers import rg_command

from benches.python.peers import find_rg

__all__ = ["first_call"]

_SCRIPT = """
import json, sys
request = json.loads(sys.argv[1])
import subprocess
import rootle
from rootle.bench.clock import measure
search = rootle.grep
def ours():
    return len(search(request["pattern"], request["tree"], skip_dirs=(), **request["keywords"]).matches)
def theirs():
    done = subprocess.run(request["rg"], cwd=request["tree"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return len(done.stdout.splitlines())
count, sample = measure(theirs if request["peer"] else ours)
print(json.dumps([sample.wall_s, sample.cpu_s, count]))
"""


def first_call(tree: str, query: Query, *, peer: bool) -> Sample:
    """Time the first search of a fresh process, by ripgrep as a subprocess (`peer`) or by rootle."""
    request = {
        "tree": tree,
        "pattern": query.pattern,
        "keywords": {"fixed": query.fixed, "ignore_case": query.ignore_case, "word": query.word},
        "rg": rg_command(find_rg(), query),
        "peer": peer,
    }
    output = subprocess.run(
        [sys.executable, "-c", _SCRIPT, json.dumps(request)], stdout=subprocess.PIPE, check=True
    ).stdout
    wall_s, cpu_s, _ = json.loads(output)
    return Sample(wall_s, cpu_s)
