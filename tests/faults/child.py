"""Run one function of a test in a fresh process: for memory, privileges, signals and what may end the process.

Reads a JSON object from standard input: the function's `source`, its `name` and `args`, and the `user` to become after
everything is imported (the interpreter's own files may be closed to that user). Writes one JSON line: the function's
`value` and by how many bytes the resident memory grew at its peak.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def resident(field: str) -> int:
    """Give VmRSS or VmHWM in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split(f"{field}:")[1].split()[0]) * 1024


def warm_up() -> None:
    """Import what a call imports, so that neither its memory nor its time is taken for that of the call."""
    import rootle
    from rootle import Toolbox

    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "f").write_text("x\n", encoding="ascii")
        box = Toolbox(directory)
        box.call("grep", {"pattern": "x"}).to_dict()
        box.call("glob", {"pattern": "*"})
        box.call("read_file", {"path": "f"})
        box.call("list_dir")
        rootle.walk(directory)


def main() -> None:
    """Run what standard input asks for."""
    job: dict[str, Any] = json.load(sys.stdin)
    space: dict[str, Any] = {}
    exec(compile("from __future__ import annotations\n" + job["source"], job["name"], "exec"), space)
    warm_up()
    # Resets the peak; closed to a process that has changed its user.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    if job["user"] is not None:
        os.setgroups([])
        os.setresgid(job["user"], job["user"], job["user"])
        os.setresuid(job["user"], job["user"], job["user"])
    value = space[job["name"]](*job["args"])
    print(json.dumps({"value": value, "growth": resident("VmHWM") - before}))


if __name__ == "__main__":
    main()
