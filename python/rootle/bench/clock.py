"""Wall and processor time of pieces of work that are run in turn, so that a slow moment of the machine meets them all.

samples = alternate({"rg": run_rg, "rootle": run_rootle}, rounds=7)
ratio = typical(samples["rootle"]).wall_s / typical(samples["rg"]).wall_s
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

__all__ = ["Sample", "alternate", "measure", "typical"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds of one run; `cpu_s` is that of this process's threads and of the children that ended during the run."""

    wall_s: float
    cpu_s: float


def measure(work: Callable[[], T]) -> tuple[T, Sample]:
    """Run `work` once and give what it gave, with its time."""
    children = _children_s()
    cpu, wall = time.process_time(), time.perf_counter()
    value = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return value, Sample(wall, cpu + _children_s() - children)


def alternate(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[Sample]]:
    """Run all works in turn, `rounds` times, after one round that does not count."""
    samples: dict[str, list[Sample]] = {name: [] for name in works}
    for work in works.values():
        work()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                samples[name].append(measure(work)[1])
            gc.collect()
    finally:
        if collecting:
            gc.enable()
    return samples


def typical(samples: list[Sample]) -> Sample:
    """Give the median of wall and of processor time, each by itself."""
    return Sample(median(sample.wall_s for sample in samples), median(sample.cpu_s for sample in samples))


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
