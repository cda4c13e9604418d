"""A tour of the tools on this repository: what each answers, how long it took, and what a refusal looks like."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from rootle import Toolbox
from rootle.errors import RootleError

REPOSITORY = Path(__file__).resolve().parent.parent

CALLS: list[tuple[str, str, dict[str, object]]] = [
    ("The repository, two levels deep", "list_dir", {"depth": 2, "max_entries": 40}),
    ("The newest Rust files", "glob", {"pattern": "rust/**/*.rs", "max_results": 5}),
    (
        "Where the resolver asks the kernel",
        "grep",
        {"pattern": r"RESOLVE_|ResolveFlags::", "type": ["rust"], "max_matches": 5},
    ),
    (
        "Look-behind, which the linear engine does not have",
        "grep",
        {"pattern": r"(?<=pub )fn open_\w+", "glob": ["*.rs"], "max_matches": 5},
    ),
    (
        "How many public functions each file has",
        "grep",
        {"pattern": "pub fn", "mode": "count", "max_matches": 10},
    ),
    ("Nothing matches, and why", "grep", {"pattern": "no such words " + "anywhere"}),
    ("A part of a file", "read_file", {"path": "Cargo.toml", "start_line": 1, "max_lines": 8}),
    ("Its last three lines", "read_file", {"path": "Cargo.toml", "start_line": -3}),
    ("A misspelt path", "read_file", {"path": "rust/rootle-bse/src/lib.rs"}),
    ("A path outside the root", "read_file", {"path": "../../etc/passwd"}),
    ("A pattern that does not parse", "grep", {"pattern": "(unclosed"}),
]


def main() -> None:
    """Make every call, then time searches against the other searchers of this machine."""
    box = Toolbox(REPOSITORY)
    print(f"Tools: {', '.join(tool['name'] for tool in box.tools_for('mcp'))}\n")
    for title, tool, arguments in CALLS:
        started = time.perf_counter()
        try:
            answer = str(box.call(tool, arguments))
        except RootleError as error:
            answer = f"{type(error).__name__}: {error}"
        took = (time.perf_counter() - started) * 1_000
        print(f"== {title}\n>> {tool} {arguments}   ({took:.1f} ms)\n{answer}\n")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "rootle", "bench", str(REPOSITORY)], check=True)


if __name__ == "__main__":
    main()
