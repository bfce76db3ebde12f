"""CPU and memory of `tbtui inspect --json` on logs of very many series, files and runs, beside TensorBoard's server.

    python tests/benchmarks/bench_wide.py [--tensorboard PYTHON] [--rounds N] [--logs DIRECTORY] [NAME …]

PYTHON is one that can import tensorboard_data_server. NAME is one of `wide_logs.LOGS` (default: all). The logs are
written into DIRECTORY and kept there, or into a temporary one. CPU counts beyond what starting takes: a log directory
with one event file of one value. Programs take turns; each figure is the least of the rounds, because other programs on
the machine only add to it. `inspect` reads and reports everything without cache and workers; `cached` is a second
`inspect` with the cache; `print` draws the first charts, and `print cached` the same with the cache.

Goal: half of the server's CPU and no more than its memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from bench_rivals import until_it_ends, until_it_rests
from harness import EventFileWriter, keep_bytecode
from wide_logs import LOGS

if TYPE_CHECKING:
    from collections.abc import Callable

_SERVER = "import tensorboard_data_server; print(tensorboard_data_server.server_binary())"


def programs(python: str | None) -> dict[str, Callable[[str], tuple[float, float]]]:
    """Return what is measured, by name: a function from log directory to CPU seconds and MB."""
    tbtui = [sys.executable, "-m", "tbtui"]
    measured: dict[str, Callable[[str], tuple[float, float]]] = {}
    if python is not None:
        command = [python, "-c", _SERVER]
        binary = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        options = ["--reload", "once", "--samples-per-plugin", "scalars=all", "--port", "0", "--die-after-stdin"]
        measured["data server"] = lambda logs: until_it_rests([binary, *options, "--logdir", logs])
    measured["inspect"] = lambda logs: until_it_ends([*tbtui, "inspect", "--json", "--no-cache", "--jobs", "1", logs])
    measured["cached"] = lambda logs: until_it_ends([*tbtui, "inspect", "--json", "--jobs", "1", logs])
    measured["print"] = lambda logs: until_it_ends([*tbtui, "print", "--no-cache", "--jobs", "1", logs])
    measured["print cached"] = lambda logs: until_it_ends([*tbtui, "print", "--jobs", "1", logs])
    return measured


def main() -> None:
    """Measure and print one line for each log."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorboard", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--logs", metavar="DIRECTORY", type=Path)
    parser.add_argument("--only", metavar="PROGRAM", action="append")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *LOGS])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as folder:
        keep_bytecode(Path(folder))
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        nothing = Path(folder) / "nothing"
        nothing.mkdir()
        with EventFileWriter(str(nothing / "events.out.tfevents.1")) as writer:
            writer.scalar("loss", 0.5, 0, 1.7e9)
        measured = {
            name: measure
            for name, measure in programs(arguments.tensorboard).items()
            if not arguments.only or name in arguments.only
        }
        starting = {name: min(measure(str(nothing))[0] for _ in range(4)) for name, measure in measured.items()}
        print("starting    " + "".join(f"{name} {cpu:.2f} s   " for name, cpu in starting.items()), flush=True)
        for name in arguments.names or LOGS:
            directory = (arguments.logs or Path(folder)) / name
            if not directory.exists():
                LOGS[name](directory)
            taken: dict[str, list[tuple[float, float]]] = {}
            for _ in range(arguments.rounds):
                for program, measure in measured.items():
                    taken.setdefault(program, []).append(measure(str(directory)))
            cells = []
            for program, results in taken.items():
                cpu = min(seconds for seconds, _ in results) - starting[program]
                memory = min(megabytes for _, megabytes in results)
                cells.append(f"{program} {cpu:.2f} s {memory:.0f} MB")
            print(f"{name:12}" + "   ".join(f"{cell:26}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
