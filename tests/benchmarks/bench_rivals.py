"""CPU and memory of whole processes that read a log directory: `tbtui inspect --json` and others, side by side.

    python tests/benchmarks/bench_rivals.py [--tensorboard PYTHON] [--terminalboard COMMAND] [--events N]

PYTHON is one that can import tensorboard: its data server (all points kept) and its EventAccumulator are measured, as
far as they are installed. Programs take turns; each figure is the median of five runs, or of one that takes long.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

sys.path.insert(0, str(Path(__file__).parent))

from bench_read import KINDS, events
from harness import keep_bytecode

from tbtui.events.writer import EventFileWriter
from tbtui.tfrecord.framing import frame_record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PICTURES, PICTURE_BYTES = 2000, 500_000
RUNS = 5
SLOW_SECONDS = 3.0
"""What takes longer is run once."""
PATIENCE_SECONDS = 1.0
"""A server that has taken no CPU for so long has read everything."""

_ACCUMULATE = """
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
EventAccumulator(sys.argv[1], size_guidance=dict.fromkeys(("scalars", "tensors"), 0)).Reload()
"""
_HAS_ACCUMULATOR = "import tensorboard.backend.event_processing.event_accumulator"
_SERVER = "import tensorboard_data_server; print(tensorboard_data_server.server_binary())"


def until_it_ends(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and the greatest memory in MB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory, ended = 0.0, 0
    while not ended:
        time.sleep(0.005)
        # What the system says of an ended process counts this one's memory, too, from which it was begun.
        memory = max(memory, _peak(process.pid))
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, memory


def _peak(pid: int) -> float:
    """The greatest memory of a process so far, in MB; 0 when it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def until_it_rests(command: Sequence[str]) -> tuple[float, float]:
    """Likewise of a server, from its start until it takes no more CPU."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        process, cpu, since = psutil.Process(server.pid), -1.0, time.monotonic()
        while time.monotonic() - since < PATIENCE_SECONDS:
            time.sleep(0.05)
            times = process.cpu_times()
            if times.user + times.system != cpu:
                cpu, since = times.user + times.system, time.monotonic()
        memory = _peak(server.pid)
        server.kill()
    return cpu, memory


def programs(arguments: argparse.Namespace) -> dict[str, Callable[[str], tuple[float, float]]]:
    """What is measured, by name."""
    inspect = [sys.executable, "-m", "tbtui", "inspect", "--json", "--no-cache"]
    found: dict[str, Callable[[str], tuple[float, float]]] = {"tbtui": lambda logs: until_it_ends([*inspect, logs])}
    if python := arguments.tensorboard:
        binary = subprocess.run([python, "-c", _SERVER], check=False, capture_output=True, text=True).stdout.strip()
        if binary:
            options = ["--reload", "once", "--samples-per-plugin", "scalars=all", "--port", "0", "--die-after-stdin"]
            found["data server"] = lambda logs: until_it_rests([binary, *options, "--logdir", logs])
        if subprocess.run([python, "-c", _HAS_ACCUMULATOR], check=False, capture_output=True).returncode == 0:
            found["EventAccumulator"] = lambda logs: until_it_ends([python, "-c", _ACCUMULATE, logs])
    if command := arguments.terminalboard:
        found["terminalboard"] = lambda logs: until_it_ends([command, "--list", logs])
    return found


def write_logs(folder: Path, count: int) -> dict[str, Path]:
    """A log directory for each kind of event."""
    logs = {"nothing": folder / "nothing"}
    logs["nothing"].mkdir()
    EventFileWriter(str(logs["nothing"] / "events.out.tfevents.1")).close()
    for number, (name, (build, per_event)) in enumerate(KINDS.items()):
        logs[name] = folder / str(number)
        logs[name].mkdir()
        with (logs[name] / "events.out.tfevents.1").open("wb") as file:
            file.writelines(map(frame_record, events(build, count, per_event)))
    logs["pictures, 1 GB"] = folder / "pictures"
    logs["pictures, 1 GB"].mkdir()
    with EventFileWriter(str(logs["pictures, 1 GB"] / "events.out.tfevents.1")) as writer:
        for step in range(PICTURES):
            writer.image("picture", os.urandom(PICTURE_BYTES), 512, 512, step, 1.7e9 + step)
            if step % 20 == 0:
                writer.flush()
    return logs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorboard", metavar="PYTHON")
    parser.add_argument("--terminalboard", metavar="COMMAND")
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    measured = programs(arguments)
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as folder:
        keep_bytecode(Path(folder))
        logs = write_logs(Path(folder), arguments.events)
        for measure in measured.values():
            measure(str(logs["nothing"]))  # which writes the bytecode
        print(f"{'':28}" + "".join(f"{name:>22}" for name in measured))
        for kind, directory in logs.items():
            taken: dict[str, list[tuple[float, float]]] = {name: [] for name in measured}
            for _ in range(RUNS):
                for name, measure in measured.items():
                    if not (taken[name] and taken[name][0][0] > SLOW_SECONDS):
                        taken[name].append(measure(str(directory)))
            medians = [[statistics.median(column) for column in zip(*runs, strict=True)] for runs in taken.values()]
            cells = [f"{cpu:.2f} s {memory:5.0f} MB" for cpu, memory in medians]
            print(f"{kind:28}" + "".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
