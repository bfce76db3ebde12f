"""CPU of TensorBoard until its hyperparameters page has its data, beside `tbtui print` of the same log directory.

    python tests/benchmarks/bench_hparams_answer.py PYTHON [--logs DIRECTORY] [--runs N]

PYTHON is one that can import tensorboard and tensorboard_data_server. It starts TensorBoard, waits until the server
has read everything, and requests what the page requests: the experiment, and all session groups with their metrics.
CPU counts that of TensorBoard and its data server, without what they take on an empty log directory. `tbtui print`
without and with `--plugin hparams` prints the first charts or the table; its CPU counts beyond a start, too.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parent))

from bench_rivals import until_it_ends
from harness import EventFileWriter, keep_bytecode
from wide_logs import write_hparams

_PATIENCE_SECONDS = 2.0


def _cpu(process: psutil.Process) -> float:
    taken = 0.0
    for each in (process, *process.children(recursive=True)):
        times = each.cpu_times()
        taken += times.user + times.system
    return taken


def _wait_for_rest(process: psutil.Process) -> float:
    """Return the CPU seconds when they do not increase any more."""
    cpu, since = -1.0, time.monotonic()
    while time.monotonic() - since < _PATIENCE_SECONDS:
        time.sleep(0.1)
        now = _cpu(process)
        if now > cpu + 0.03:
            cpu, since = now, time.monotonic()
    return _cpu(process)


def _post(port: int, path: str, body: dict[str, Any]) -> bytes:
    request = urllib.request.Request(
        f"http://localhost:{port}/data/plugin/hparams/{path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        content: bytes = answer.read()
    return content


def answer_of_tensorboard(python: str, logs: str, runs: int) -> tuple[float, float]:
    """Return CPU seconds until everything is read, and those of the two answers."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [python, "-m", "tensorboard.main", "--logdir", logs, "--port", str(port), "--load_fast", "true"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        process = psutil.Process(server.pid)
        try:
            until = time.monotonic() + 120
            while True:
                with socket.socket() as probe:
                    if not probe.connect_ex(("localhost", port)):
                        break
                if time.monotonic() > until:
                    raise SystemExit("TensorBoard does not answer")
                time.sleep(0.1)
            loaded = _wait_for_rest(process)
            if runs:
                experiment = json.loads(_post(port, "experiment", {"experimentName": ""}))
                names = [{"hparam": each["name"]} for each in experiment["hparamInfos"]]
                metrics = [{"metric": each["name"]} for each in experiment["metricInfos"]]
                request = {
                    "experimentName": "",
                    "allowedStatuses": ["STATUS_SUCCESS", "STATUS_RUNNING", "STATUS_UNKNOWN", "STATUS_FAILURE"],
                    "colParams": names + metrics,
                    "startIndex": 0,
                    "sliceSize": runs,
                }
                groups = json.loads(_post(port, "session_groups", request))
                assert len(groups["sessionGroups"]) == runs, len(groups["sessionGroups"])
            return loaded, _cpu(process) - loaded
        finally:
            for each in process.children(recursive=True):
                each.kill()
            server.kill()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--runs", type=int, default=5000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as folder:
        keep_bytecode(Path(folder))
        nothing, logs = Path(folder) / "nothing", arguments.logs or Path(folder) / "hparams"
        nothing.mkdir()
        with EventFileWriter(str(nothing / "events.out.tfevents.1")) as writer:
            writer.scalar("loss", 0.5, 0, 1.7e9)
        if not logs.exists():
            write_hparams(logs, arguments.runs, 40)
        starting = min(answer_of_tensorboard(arguments.python, str(nothing), 0)[0] for _ in range(2))
        loaded, answered = answer_of_tensorboard(arguments.python, str(logs), arguments.runs)
        print(f"TensorBoard: {loaded - starting:.2f} s to load, {answered:.2f} s to answer (starting {starting:.2f} s)")
        command = [sys.executable, "-m", "tbtui", "print", "--no-cache", "--jobs", "1"]
        began = min(until_it_ends([*command, str(nothing)])[0] for _ in range(3))
        for what, words in (("charts", [str(logs)]), ("table", ["--plugin", "hparams", str(logs)])):
            cpu = min(until_it_ends([*command, *words])[0] for _ in range(2))
            print(f"tbtui print, {what}: {cpu - began:.2f} s (starting {began:.2f} s)")


if __name__ == "__main__":
    main()
