"""How many processes read at once when nobody says."""

from __future__ import annotations

import os
from pathlib import Path

SHARE = 4
"""A quarter of the cores: a training has the others."""

FEWEST, MOST = 2, 8
"""The program and one worker read even on two cores: workers are niced, so that a training goes first. And what comes
back from eight is all that one thread can take."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def default_jobs() -> int:
    """A sensible number of processes that read at once, this one among them, beside whatever else the machine does."""
    cores = _cores()
    return 1 if cores < 2 else min(max(FEWEST, cores // SHARE), MOST)


def _cores() -> int:
    """Cores that this process may use, in whole ones."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return cores if quota is None else min(cores, int(quota))


def _quota() -> float | None:
    """Cores whose time a container is granted; None when it is not bounded, or not told (cgroup v2: `cpu.max`)."""
    try:
        granted, period = _QUOTA.read_text("ascii").split()
        return int(granted) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # "max": not a number
        return None
