"""What the whole-product benchmarks share: logs to look at, a product under a terminal, figures.

Run them one at a time on a machine that does nothing else: `python tests/benchmarks/bench_start.py`.
"""

from __future__ import annotations

import math
import os
import random
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tbtui.events.writer import EventFileWriter  # noqa: E402 - the checkout's, installed or not
from tests.helpers.pty_app import PtyApp, product  # noqa: E402 - found only now

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "EventFileWriter",
    "PtyApp",
    "burst",
    "cpu_seconds",
    "environment",
    "figure",
    "keep_bytecode",
    "product",
    "temporary",
    "thread_seconds",
    "write_run",
]


@contextmanager
def temporary() -> Iterator[Path]:
    """A directory whose `logs` is empty; removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
        (Path(name) / "logs").mkdir()
        yield Path(name)


def environment(directory: Path) -> dict[str, str | None]:
    """The product's environment: its own state directory, and bytecode kept as in an installed copy."""
    return {"XDG_STATE_HOME": str(directory / "state"), **_bytecode(directory)}


def _bytecode(directory: Path) -> dict[str, str | None]:
    return {"PYTHONDONTWRITEBYTECODE": None, "PYTHONPYCACHEPREFIX": str(directory / "bytecode")}


def keep_bytecode(directory: Path) -> None:
    """Have all processes begun from now on keep their bytecode, as installed copies do, whatever this shell says.

    Without it a program of many modules is compiled again each time, which counts as its own time.
    """
    for name, value in _bytecode(directory).items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def write_run(directory: Path, tags: Sequence[str], steps: int, seed: int = 0) -> None:
    """Write one run of falling, noisy scalars, a value a second, the last one now."""
    directory.mkdir(parents=True, exist_ok=True)
    noise = random.Random(seed)
    began = time.time() - steps
    writer = EventFileWriter(str(directory / f"events.out.tfevents.{int(began)}.bench"))
    for step in range(steps):
        for number, tag in enumerate(tags):
            value = 2 * math.exp(-step / steps * (3 + number % 5)) + noise.gauss(0, 0.05)
            writer.scalar(tag, value, step, began + step)
    writer.close()


def cpu_seconds(app: PtyApp) -> float:
    """User and system seconds of the program and its children so far."""
    process = psutil.Process(app.process.pid)
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def thread_seconds(app: PtyApp) -> tuple[float, float]:
    """Return the CPU seconds so far of the UI thread and of all threads, in nanoseconds' resolution; Linux only."""
    taken = {int(task.name): _scheduled(task) for task in Path(f"/proc/{app.pid}/task").iterdir()}
    return taken.get(app.pid, 0.0), sum(taken.values())


def _scheduled(task: Path) -> float:
    with suppress(OSError):  # a thread that has ended meanwhile
        return int((task / "schedstat").read_text().split()[0]) / 1e9
    return 0.0


def burst(app: PtyApp, quiet: float, patience: float = 10.0) -> tuple[float, float, int]:
    """Read what is written next, until nothing comes for `quiet` seconds.

    Returns:
        When it began and when it ended (`time.perf_counter`), and how many bytes it was; zeros when nothing came.
    """
    count = app.pump(patience)
    if not count:
        return 0.0, 0.0, 0
    first = last = time.perf_counter()
    while more := app.pump(quiet):
        count += more
        last = time.perf_counter()
    return first, last, count


def figure(name: str, values: Sequence[float], unit: str, goal: str = "") -> None:
    """Print median and range of what was measured."""
    middle = statistics.median(values)
    spread = f"{min(values):.4g} to {max(values):.4g}, n={len(values)}"
    print(f"{name:<46} {middle:8.4g} {unit:<6} ({spread}){'  goal ' + goal if goal else ''}", flush=True)
