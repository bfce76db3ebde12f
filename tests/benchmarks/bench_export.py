"""10,000,000 scalars out of event files, as a whole process, beside what pandas takes to write the same table as CSV.

    python tests/benchmarks/bench_export.py [--pandas PYTHON] [--runs N] [--tags N] [--steps N] [--rounds N] [LOGDIR]

Without LOGDIR, 20 runs of 50 tags x 10,000 steps are written, one event a value, float32 values and wall times some
tenths of a millisecond apart. PYTHON is one that can import pandas; it has the table in memory before its time begins.
The programs take turns; each figure is the median. What pyarrow writes is measured where this Python has it.

Goal: CSV with less than 200 MB, and at least as fast as pandas.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from harness import keep_bytecode

from tbtui.tfrecord.framing import frame_record

_PANDAS = """
import resource, sys, time
import pandas
table = pandas.read_csv(sys.argv[1], dtype={"run": "category", "tag": "category"} if sys.argv[3] == "category" else {})
wall, cpu = time.perf_counter(), time.process_time()
table.to_csv(sys.argv[2], index=False)
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class Taken(NamedTuple):
    """What a process took."""

    wall: float
    cpu: float
    memory: float
    """The greatest, in MB."""


def write_run(folder: Path, run: int, tags: int, steps: int) -> None:
    """One event a value, as PyTorch's writer has them."""
    random = np.random.default_rng(run)
    start = 1.7e9 + 1000 * run
    wall_times = start + np.cumsum(random.exponential(1e-4, steps * tags))
    values = random.lognormal(0, 2, steps * tags).astype("<f4")
    path = folder / f"exp{run % 4}" / f"run{run:02d}"
    path.mkdir(parents=True)
    names = [f"{('train', 'val', 'grads')[tag % 3]}/metric_{tag:02d}".encode() for tag in range(tags)]
    heads = [b"\x0a" + bytes((len(name),)) + name + b"\x15" for name in names]
    with (path / "events.out.tfevents.1700000000.bench").open("wb") as file:
        file.write(frame_record(struct.pack("<Bd", 9, start) + b"\x1a\x0dbrain.Event:2"))
        for number in range(steps * tags):
            step, tag = divmod(number, tags)
            value = heads[tag] + values[number].tobytes()
            summary = b"\x0a" + bytes((len(value),)) + value
            event = b"\x09" + wall_times[number].tobytes() + b"\x10" + _varint(step)
            file.write(frame_record(event + b"\x2a" + bytes((len(summary),)) + summary))


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes((number & 127 | 128,))
        number >>= 7
    return out + bytes((number,))


def until_it_ends(words: list[str]) -> Taken:
    """A process of this program's."""
    began, memory, ended = time.perf_counter(), 0.0, 0
    process = subprocess.Popen([sys.executable, "-m", "tbtui", "export", *words], stderr=subprocess.DEVNULL)
    while not ended:
        time.sleep(0.01)
        lines = Path(f"/proc/{process.pid}/status").read_text("ascii", "replace").splitlines()
        memory = max([memory, *(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))])
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"export {' '.join(words)} failed")
    return Taken(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, memory)


def pandas(python: str, table: Path, out: Path, kind: str) -> Taken:
    """What `to_csv` alone takes, and the memory of its process."""
    command = [python, "-c", f"{_PANDAS}print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"]
    said = subprocess.run([*command, str(table), str(out), kind], check=True, capture_output=True, text=True).stdout
    return Taken(*map(float, said.split()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", metavar="LOGDIR", nargs="?")
    parser.add_argument("--pandas", metavar="PYTHON")
    for name, default in (("runs", 20), ("tags", 50), ("steps", 10_000), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
        folder = Path(name)
        keep_bytecode(folder)
        logs = arguments.logs or str(folder / "logs")
        if not arguments.logs:
            with ProcessPoolExecutor() as pool:
                runs = range(arguments.runs)
                list(pool.map(write_run, repeat(Path(logs)), runs, repeat(arguments.tags), repeat(arguments.steps)))
        common = [logs, "--no-cache", "--force", "-o"]
        table = folder / "long.csv"
        measured = {"CSV": lambda: until_it_ends([*common, str(table)])}
        if arguments.pandas:
            measured["pandas to_csv"] = lambda: pandas(arguments.pandas, table, folder / "pandas.csv", "")
            measured["pandas to_csv, categories"] = lambda: pandas(
                arguments.pandas, table, folder / "pandas.csv", "category"
            )
        measured["CSV, one process"] = lambda: until_it_ends([*common, str(table), "--jobs", "1"])
        measured["JSON lines"] = lambda: until_it_ends([*common, str(folder / "long.jsonl")])
        measured["CSV, wide"] = lambda: until_it_ends([*common, str(folder / "wide.csv"), "--wide"])
        if find_spec("pyarrow"):
            measured["Parquet"] = lambda: until_it_ends([*common, str(folder / "long.parquet")])
            measured["Arrow"] = lambda: until_it_ends([*common, str(folder / "long.arrow")])
        taken: dict[str, list[Taken]] = {kind: [] for kind in measured}
        for _ in range(arguments.rounds):
            for kind, measure in measured.items():
                taken[kind].append(measure())
        print(f"{'':28}{'wall':>10}{'CPU':>10}{'memory':>10}")
        for kind, rounds in taken.items():
            wall, cpu, memory = (statistics.median(column) for column in zip(*rounds, strict=True))
            print(f"{kind:28}{wall:8.1f} s{cpu:8.1f} s{memory:7.0f} MB", flush=True)


if __name__ == "__main__":
    main()
