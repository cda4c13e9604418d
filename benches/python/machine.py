"""What a result was measured on and with: processor, system, versions, commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import rootle

from benches.python.corpora import CORPORA
from benches.python.peers import PACKAGES, find_rg

__all__ = ["facts", "machine_facts", "machine_name"]


def facts(trees: dict[str, int]) -> dict[str, str]:
    """Give everything that a reader needs to judge the figures; `trees` maps names to counts of files."""
    rg = _output([find_rg(), "--version"]).splitlines()
    found = machine_facts() | {"ripgrep": ", ".join(line.strip() for line in rg if line.strip())[:200]}
    found |= {package.name: package.version for package in PACKAGES}
    found |= {f"tree {name}": f"{CORPORA[name].words}; {count:,} searched" for name, count in trees.items()}
    return found


def machine_facts() -> dict[str, str]:
    """Give what does not depend on what is measured: machine, system, Python, rootle."""
    return {
        "processor": f"{_cpu_model()}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} cores used",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}",
        "python": platform.python_version(),
        "rootle": f"{rootle.__version__}, commit {_commit()}",
    }


def machine_name() -> str:
    """Give a short name of the kind of machine, fit for a folder."""
    model = re.sub(r"\(.*?\)|\bCPU\b|\bprocessor\b|@.*", " ", _cpu_model(), flags=re.IGNORECASE)
    words = re.findall(r"[a-z0-9]+", model.lower())
    return "-".join([*words[:4], f"{len(os.sched_getaffinity(0))}-cores"])


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return model.group(1) if model else platform.machine()


def _commit() -> str:
    here = Path(__file__).parent
    commit = _output(["git", "-C", str(here), "rev-parse", "HEAD"]).strip() or "unknown"
    changed = _output(
        ["git", "-C", str(here), "status", "--porcelain", "--", "rust", "python", ":(top)rust", ":(top)python"]
    )
    return f"{commit} with changes" if changed.strip() else commit


def _output(command: list[str]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout
