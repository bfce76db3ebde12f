"""Follow many growing runs for minutes, while their writers are killed and their files replaced.

`python tests/drills/growing.py --minutes 10 --runs 300` prints memory, open files, CPU and the time of a key press. At
the end it compares what the following loader shows with what a new loader reads. Exits with 1 if they differ, or if a
limit was exceeded.
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
from tests.helpers.pty_app import PtyApp, product  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.store.snapshot import Series

TAGS = ("loss/train", "loss/val")
KEYS = (("+", "smooth .55"), ("-", "smooth .50"))
MAX_KEY_SECONDS = 10.0
WRITERS = 2
REPORT_SECONDS = 15.0
POINT_BYTES = 24

MAX_GROWTH_BYTES = 48 << 20
"""Growth of memory beyond the points themselves, from the end of the first minute to the last."""

MAX_MORE_DESCRIPTORS = 4
"""Growth of the number of open files: event files are open only while they are read."""


def write(directory: Path, names: Sequence[str], seed: int) -> None:
    """Log one value per tag, run and second until killed; sometimes flush half a record first.

    A run that already has a file continues as trainings do: in the same file or in a new one, from an earlier step.
    """
    noise = random.Random(seed)
    writers: dict[str, EventFileWriter] = {}
    steps: dict[str, int] = {}
    while True:
        started = time.monotonic()
        for name in names:
            with suppress(OSError):  # the drill has just deleted its directory
                _log(directory / name, name, writers, steps, noise)
        time.sleep(max(0.0, 1 - (time.monotonic() - started)))


def _log(
    run: Path, name: str, writers: dict[str, EventFileWriter], steps: dict[str, int], noise: random.Random
) -> None:
    if name not in writers or not Path(writers[name].path).exists():
        if name in writers:
            writers[name].close()
        run.mkdir(parents=True, exist_ok=True)
        files = sorted(run.iterdir())
        is_continued = files and noise.random() < 0.5
        path = files[-1] if is_continued else run / f"events.out.tfevents.{time.time_ns() // 1000}.drill"
        writers[name] = EventFileWriter(str(path))
        steps[name] = noise.randrange(20)
    for tag in TAGS:
        writers[name].scalar(tag, noise.random(), steps[name], time.time())
    steps[name] += 1
    if noise.random() < 0.02:
        record = b"".join(writers[name]._waiting)
        writers[name]._waiting = [record[: len(record) // 2]]
        writers[name].flush()
        time.sleep(0.01)  # so that it is sometimes killed here
        writers[name]._waiting = [record[len(record) // 2 :]]
    writers[name].flush()


class Writers:
    """The processes that log, and the disturbances of them and their files."""

    def __init__(self, directory: Path, runs: int, *, calm: bool) -> None:
        self.directory = directory
        self.names = [f"sweep/run{number:03d}" for number in range(runs)]
        self.counts: dict[str, int] = {}
        """Number of disturbances of each kind."""

        self.history: list[str] = []
        """One line per disturbance: time, kind and file."""

        self._calm = calm
        self._noise = random.Random(0)
        self._processes = [self._start(number) for number in range(WRITERS)]

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        seed = str(self._noise.random())
        words = ["--write", str(self.directory), "--seed", seed, *self.names[number::WRITERS]]
        return subprocess.Popen([sys.executable, __file__, *words])

    def disturb(self) -> None:
        """Do one thing that happens to real logs, unless the drill is calm."""
        if self._calm:
            return
        disturb = self._noise.choice([self.kill, self.truncate, self.replace, self.delete, self.move, self.make])
        run = self.directory / self._noise.choice(self.names)
        files = sorted(run.glob("*tfevents*"))
        if not files:
            return
        with suppress(FileNotFoundError):
            self.history.append(f"{time.time():.3f} {disturb.__name__} {files[-1]} of {files[-1].stat().st_size} bytes")
            disturb(run, files[-1])
            self.counts[disturb.__name__] = self.counts.get(disturb.__name__, 0) + 1

    def kill(self, run: Path, file: Path) -> None:
        """Kill a writer, and start another one."""
        number = self._noise.randrange(WRITERS)
        self._processes[number].kill()
        self._processes[number].wait()
        self._processes[number] = self._start(number)

    def truncate(self, run: Path, file: Path) -> None:
        """Truncate a file."""
        os.truncate(file, self._noise.randrange(file.stat().st_size + 1))

    def replace(self, run: Path, file: Path) -> None:
        """Replace the file by a copy of its first part, as `rsync` does."""
        copy = file.with_name(".copy")
        copy.write_bytes(file.read_bytes()[: self._noise.randrange(1, 5000)])
        copy.replace(file)

    def delete(self, run: Path, file: Path) -> None:
        """Delete a directory; its writer makes it again."""
        shutil.rmtree(run, ignore_errors=True)

    def move(self, run: Path, file: Path) -> None:
        """Rename a run; its writer continues under the old name."""
        run.rename(self.directory / f"moved{sum(self.counts.values())}")

    def make(self, run: Path, file: Path) -> None:
        """Make a directory with an empty file."""
        empty = self.directory / f"empty{sum(self.counts.values())}"
        empty.mkdir()
        (empty / "events.out.tfevents.1.none").touch()

    def end(self) -> None:
        """Stop all writers."""
        for process in self._processes:
            process.kill()
            process.wait()


def content(loader: Loader) -> dict[str, Any]:
    """Return what a loader shows of existing runs, except how often the same damage was read."""
    return {
        name: (
            [replace(file, problems=()) for file in run.files],
            {tag: (series.steps.tolist(), _stored(series)) for tag, series in run.series.items()},
        )
        for name, run in loader.state.snapshot.runs.items()
        if not run.vanished
    }


def differences(followed: dict[str, Any], expected: dict[str, Any], history: Sequence[str]) -> list[str]:
    """Return lines about the runs in which a following loader differs from a new one, with their disturbances."""
    lines = []
    for run in sorted(name for name in followed.keys() | expected.keys() if followed.get(name) != expected.get(name)):
        lines += [run, *(f"  {line}" for line in history if f"/{run}/" in line)]
        for loader, runs in (("following", followed), ("new", expected)):
            files, series = runs.get(run, ((), {}))
            steps = {tag: stored[0][-5:] for tag, stored in series.items()}
            lines += [f"  {loader}: last steps {steps}", *(f"    {file}" for file in files)]
    return lines


def _stored(series: Series) -> list[Any]:
    """Return values, or offsets: a reader cannot know that a half overwritten record held a scalar."""
    return (series.values if isinstance(series, ScalarSeries) else series.offsets).tolist()


def points(loader: Loader) -> int:
    """Return the number of points in the store."""
    return sum(len(series.steps) for run in loader.state.snapshot.runs.values() for series in run.series.values())


def drill(minutes: float, runs: int, directory: Path, *, calm: bool) -> bool:
    """Run the drill; return True if all limits were kept."""
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
            started = report = disturbed = time.monotonic()
            cpu = 0.0
            print(
                f"{'min':>5} {'RSS MB':>7} {'files':>6} {'CPU %':>6} {'key ms':>7} {'MB read':>8} {'points':>9} events"
            )
            while (now := time.monotonic()) < started + 60 * minutes:
                app.pump(0.1)
                if now > disturbed + noise.uniform(1, 4):
                    disturbed = now
                    writers.disturb()
                if now > report:
                    report = now + REPORT_SECONDS
                    waits.append(app.seconds_to_answer(*KEYS[len(waits) % 2], MAX_KEY_SECONDS))
                    spent = sum(process.cpu_times()[:2])
                    rss, files = process.memory_info().rss, process.num_fds()
                    figures.append((rss - POINT_BYTES * points(follower), files))
                    share = 100 * (spent - cpu) / REPORT_SECONDS
                    cpu = spent
                    print(
                        f"{(now - started) / 60:5.1f} {rss / 1e6:7.1f} {files:6} {share:6.1f} {1000 * waits[-1]:7.0f} "
                        f"{follower.state.bytes_read / 1e6:8.1f} {points(follower):9,} {sum(writers.counts.values())}",
                        flush=True,
                    )
            writers.end()
            app.send("q")
            code = app.wait()
    finally:
        writers.end()
    print("disturbances:", ", ".join(f"{kind} {count}" for kind, count in sorted(writers.counts.items())))
    time.sleep(VANISHED_SECONDS + 12)
    fresh = Loader(parse_sources([str(logs)]))
    fresh.load_all()
    expected = content(fresh)
    with PtyApp(product(str(logs), "--fresh", "--no-cache"), (160, 50), env=env) as app:
        app.until(f"{len(expected)} runs", 120)
        while app.pump(3):
            pass
        print(f"a new tbtui over the same files: {psutil.Process(app.process.pid).memory_info().rss / 1e6:.1f} MB")
    same = _shows(follower, expected, writers.history)
    follower.stop()
    return _judge(figures, waits, code, same, len(expected))


def _shows(follower: Loader, expected: dict[str, Any], history: Sequence[str]) -> bool:
    """Return True if the following loader shows what a new one shows; print differences, and again after a minute."""
    lines = differences(content(follower), expected, history)
    if lines:
        print("\n".join(lines), flush=True)
        time.sleep(60)
        print(f"a minute later it {'is the same' if content(follower) == expected else 'still differs'}", flush=True)
    return not lines


def _judge(figures: list[tuple[int, int]], waits: list[float], code: int, same: bool, runs: int) -> bool:
    settled = figures[min(len(figures) - 1, int(60 // REPORT_SECONDS)) :]
    growth = settled[-1][0] - settled[0][0]
    more_files = max(files for _, files in settled) - settled[0][1]
    waits.sort()
    print(f"memory beyond the points, from the first minute on: {growth / 1e6:+.1f} MB")
    print(f"open files: {min(files for _, files in settled)} to {max(files for _, files in settled)}")
    print(f"a key: {1000 * waits[len(waits) // 2]:.0f} ms, {1000 * waits[-1]:.0f} at worst")
    print(f"exit code {code}; {runs} runs, {'the same' if same else 'NOT THE SAME'} as a new loader reads")
    return growth <= MAX_GROWTH_BYTES and more_files <= MAX_MORE_DESCRIPTORS and code == 0 and same


def main() -> None:
    """Run the drill, or one of its writers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--calm", action="store_true", help="do not disturb the writers")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", default="", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write, arguments.names, hash(arguments.seed))
    with tempfile.TemporaryDirectory(prefix="tbtui-drill-") as name:
        sys.exit(not drill(arguments.minutes, arguments.runs, Path(name), calm=arguments.calm))


if __name__ == "__main__":
    main()
