"""Many runs growing at once for minutes, their writers killed and their files replaced, and what tbtui needs meanwhile.

`python tests/drills/growing.py --minutes 10 --runs 300` prints memory, open files, CPU and the time a key takes, and at
the end whether a loader that followed everything shows what a new one reads. It exits with 1 when something is not as
it should be.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tbtui.events.writer import EventFileWriter  # noqa: E402
from tbtui.loading.loader import Loader  # noqa: E402
from tbtui.loading.logdir import VANISHED_SECONDS  # noqa: E402
from tbtui.loading.sources import parse_sources  # noqa: E402
from tbtui.store.snapshot import ScalarSeries  # noqa: E402
from tests.helpers.pty_app import PtyApp, product  # noqa: E402 - found only now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.store.snapshot import Series

TAGS = ("loss/train", "loss/val")
KEYS = (("+", b"smooth .55"), ("-", b"smooth .50"))
WRITERS = 2
REPORT_SECONDS = 15.0
POINT_BYTES = 24

MOST_GROWTH_BYTES = 48 << 20
"""What memory may grow by, beyond the points themselves, from the end of the first minute to the last."""

MOST_MORE_DESCRIPTORS = 4
"""One read may be under way, and the files of a log are opened for nothing else."""


def write(directory: Path, names: Sequence[str], seed: int) -> None:
    """Log one value a tag and run each second until killed, now and then half a record first and its rest later.

    A run that has a file already is gone on with as trainers do it: at times in the same file, at times in a new one,
    from a step back.
    """
    noise = random.Random(seed)
    writers: dict[str, EventFileWriter] = {}
    steps: dict[str, int] = {}
    while True:
        began = time.monotonic()
        for name in names:
            with suppress(OSError):  # its directory was taken away just now; it comes back
                _log(directory / name, name, writers, steps, noise)
        time.sleep(max(0.0, 1 - (time.monotonic() - began)))


def _log(
    run: Path, name: str, writers: dict[str, EventFileWriter], steps: dict[str, int], noise: random.Random
) -> None:
    if name not in writers or not Path(writers[name].path).exists():
        if name in writers:
            writers[name].close()
        run.mkdir(parents=True, exist_ok=True)
        there = sorted(run.iterdir())
        again = there and noise.random() < 0.5
        path = there[-1] if again else run / f"events.out.tfevents.{time.time_ns() // 1000}.drill"
        writers[name] = EventFileWriter(str(path))
        steps[name] = noise.randrange(20)
    for tag in TAGS:
        writers[name].scalar(tag, noise.random(), steps[name], time.time())
    steps[name] += 1
    if noise.random() < 0.02:
        torn = b"".join(writers[name]._waiting)
        writers[name]._waiting = [torn[: len(torn) // 2]]
        writers[name].flush()
        time.sleep(0.01)  # so a kill finds it here at times
        writers[name]._waiting = [torn[len(torn) // 2 :]]
    writers[name].flush()


class Writers:
    """The processes that log, and what is done to them and to their files."""

    def __init__(self, directory: Path, runs: int, *, calm: bool) -> None:
        self.directory = directory
        self.names = [f"sweep/run{number:03d}" for number in range(runs)]
        self.done: dict[str, int] = {}
        """What was done, and how often."""

        self.history: list[str] = []
        """What was done to which file, in order."""

        self._calm = calm
        self._noise = random.Random(0)
        self._processes = [self._start(number) for number in range(WRITERS)]

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        seed = str(self._noise.random())
        words = ["--write", str(self.directory), "--seed", seed, *self.names[number::WRITERS]]
        return subprocess.Popen([sys.executable, __file__, *words])

    def disturb(self) -> None:
        """One thing that happens to real logs, unless it is to be calm."""
        if self._calm:
            return
        what = self._noise.choice([self.kill, self.truncate, self.replace, self.delete, self.move, self.make])
        run = self.directory / self._noise.choice(self.names)
        files = sorted(run.glob("*tfevents*"))
        if not files:
            return
        with suppress(FileNotFoundError):
            self.history.append(f"{time.time():.3f} {what.__name__} {files[-1]} of {files[-1].stat().st_size} bytes")
            what(run, files[-1])
            self.done[what.__name__] = self.done.get(what.__name__, 0) + 1

    def kill(self, run: Path, file: Path) -> None:
        """A writer dies in the middle of whatever it does; another goes on."""
        number = self._noise.randrange(WRITERS)
        self._processes[number].kill()
        self._processes[number].wait()
        self._processes[number] = self._start(number)

    def truncate(self, run: Path, file: Path) -> None:
        """A file loses its end."""
        os.truncate(file, self._noise.randrange(file.stat().st_size + 1))

    def replace(self, run: Path, file: Path) -> None:
        """A copy of a part of the file takes its place, as `rsync` does it."""
        copy = file.with_name(".copy")
        copy.write_bytes(file.read_bytes()[: self._noise.randrange(1, 5000)])
        copy.replace(file)

    def delete(self, run: Path, file: Path) -> None:
        """A directory goes; its writer makes it again."""
        shutil.rmtree(run, ignore_errors=True)

    def move(self, run: Path, file: Path) -> None:
        """A run gets another name; its writer begins again under the old one."""
        run.rename(self.directory / f"moved{sum(self.done.values())}")

    def make(self, run: Path, file: Path) -> None:
        """A directory with nothing in it, and one with an empty file."""
        empty = self.directory / f"empty{sum(self.done.values())}"
        empty.mkdir()
        (empty / "events.out.tfevents.1.none").touch()

    def end(self) -> None:
        """No more is written."""
        for process in self._processes:
            process.kill()
            process.wait()


def content(loader: Loader) -> dict[str, Any]:
    """What a loader shows of runs that are there, but for how often one stretch of damage was met."""
    return {
        name: (
            [replace(file, problems=()) for file in run.files],
            {tag: (series.steps.tolist(), _stored(series)) for tag, series in run.series.items()},
        )
        for name, run in loader.state.snapshot.runs.items()
        if not run.vanished
    }


def differences(followed: dict[str, Any], told: dict[str, Any], history: Sequence[str]) -> list[str]:
    """In which runs the one that followed differs from a new one, and what was done to them."""
    lines = []
    for run in sorted(name for name in followed.keys() | told.keys() if followed.get(name) != told.get(name)):
        lines += [run, *(f"  {line}" for line in history if f"/{run}/" in line)]
        for who, runs in (("followed", followed), ("new", told)):
            files, series = runs.get(run, ((), {}))
            steps = {tag: stored[0][-5:] for tag, stored in series.items()}
            lines += [f"  {who}: last steps {steps}", *(f"    {file}" for file in files)]
    return lines


def _stored(series: Series) -> list[Any]:
    """Values, or where they lie: of a record that was half overwritten it may not be told that it was a scalar's."""
    return (series.values if isinstance(series, ScalarSeries) else series.offsets).tolist()


def points(loader: Loader) -> int:
    """All that are held."""
    return sum(len(series.steps) for run in loader.state.snapshot.runs.values() for series in run.series.values())


def key_seconds(app: PtyApp, key: str, answer: bytes) -> float:
    """How long the app takes to answer a key with something in its status line."""
    before = len(app.raw)
    began = time.perf_counter()
    app.send(key)
    while answer not in app.raw[before:]:
        if not app.pump(10):
            return 10.0
    return time.perf_counter() - began


def drill(minutes: float, runs: int, directory: Path, *, calm: bool) -> bool:
    """Run it; whether all was well."""
    logs = directory / "logs"
    logs.mkdir()
    writers = Writers(logs, runs, calm=calm)
    follower = Loader(parse_sources([str(logs)]))
    follower.start()
    env: dict[str, str | None] = {f"XDG_{kind}_HOME": str(directory / kind) for kind in ("STATE", "CACHE")}
    noise = random.Random(1)
    figures: list[tuple[int, int]] = []
    waits: list[float] = []
    try:
        with PtyApp(product(str(logs), "--smoothing", ".5"), (160, 50), env=env) as app:
            app.until(f"{runs} runs", 120)
            process = psutil.Process(app.process.pid)
            began = report = disturbed = time.monotonic()
            cpu = 0.0
            print(
                f"{'min':>5} {'RSS MB':>7} {'files':>6} {'CPU %':>6} {'key ms':>7} {'MB read':>8} {'points':>9} events"
            )
            while (now := time.monotonic()) < began + 60 * minutes:
                app.pump(0.1)
                if now > disturbed + noise.uniform(1, 4):
                    disturbed = now
                    writers.disturb()
                if now > report:
                    report = now + REPORT_SECONDS
                    waits.append(key_seconds(app, *KEYS[len(waits) % 2]))
                    spent = sum(process.cpu_times()[:2])
                    rss, files = process.memory_info().rss, process.num_fds()
                    figures.append((rss - POINT_BYTES * points(follower), files))
                    share = 100 * (spent - cpu) / REPORT_SECONDS
                    cpu = spent
                    print(
                        f"{(now - began) / 60:5.1f} {rss / 1e6:7.1f} {files:6} {share:6.1f} {1000 * waits[-1]:7.0f} "
                        f"{follower.state.bytes_read / 1e6:8.1f} {points(follower):9,} {sum(writers.done.values())}",
                        flush=True,
                    )
            writers.end()
            app.send("q")
            code = app.wait()
    finally:
        writers.end()
    print("done to them:", ", ".join(f"{what} {times}" for what, times in sorted(writers.done.items())))
    time.sleep(VANISHED_SECONDS + 12)
    fresh = Loader(parse_sources([str(logs)]))
    fresh.load_all()
    told = content(fresh)
    with PtyApp(product(str(logs), "--fresh", "--no-cache"), (160, 50), env=env) as app:
        app.until(f"{len(told)} runs", 120)
        while app.pump(3):
            pass
        print(f"a new tbtui over the same files: {psutil.Process(app.process.pid).memory_info().rss / 1e6:.1f} MB")
    same = _shows(follower, told, writers.history)
    follower.stop()
    return _judge(figures, waits, code, same, len(told))


def _shows(follower: Loader, told: dict[str, Any], history: Sequence[str]) -> bool:
    """Whether the loader that followed shows what a new one has told; prints where not, and whether it was late."""
    found = differences(content(follower), told, history)
    if found:
        print("\n".join(found), flush=True)
        time.sleep(60)
        print(f"a minute later it {'is the same' if content(follower) == told else 'still differs'}", flush=True)
    return not found


def _judge(figures: list[tuple[int, int]], waits: list[float], code: int, same: bool, runs: int) -> bool:
    settled = figures[min(len(figures) - 1, int(60 // REPORT_SECONDS)) :]
    grown = settled[-1][0] - settled[0][0]
    more = max(files for _, files in settled) - settled[0][1]
    waits.sort()
    print(f"memory beyond the points, from the first minute on: {grown / 1e6:+.1f} MB")
    print(f"open files: {min(files for _, files in settled)} to {max(files for _, files in settled)}")
    print(f"a key: {1000 * waits[len(waits) // 2]:.0f} ms, {1000 * waits[-1]:.0f} at worst")
    print(f"exit code {code}; {runs} runs, {'the same' if same else 'NOT THE SAME'} as a new loader reads")
    return grown <= MOST_GROWTH_BYTES and more <= MOST_MORE_DESCRIPTORS and code == 0 and same


def main() -> None:
    """Drill, or write when asked to by a drill."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--calm", action="store_true", help="the runs grow, and nothing else happens")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", default="", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.write is not None:
        write(asked.write, asked.names, hash(asked.seed))
    with tempfile.TemporaryDirectory(prefix="tbtui-drill-") as name:
        sys.exit(not drill(asked.minutes, asked.runs, Path(name), calm=asked.calm))


if __name__ == "__main__":
    main()
