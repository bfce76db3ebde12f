"""The process that writes the simulated trainings of the demo, and deletes their files when it ends.

It is forked before the dashboard has threads, and lives as long as the pipe that the dashboard holds open: however
the dashboard dies, the pipe closes, the process removes the log directory and ends.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from PIL import Image as Picture

from tbtui.cli.demo.simulation import (
    RECIPES,
    STEPS_PER_TICK,
    Histogram,
    Image,
    Measurement,
    Recipe,
    Scalar,
    Text,
    is_resumed_at,
    measure,
    own_tick,
)
from tbtui.events.writer import EventFileWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self


TICK_SECONDS = 0.2
"""Seconds between two ticks."""

HISTORY_TICKS = 400
"""Ticks that are written at the start, so that the first screen already shows curves."""

LAST_TICK = 9000
"""Half an hour; then the trainings end, and the files no longer grow (some 80 MB)."""

MAX_REASON_BYTES = 1000
"""Bytes of the reason why the simulation stopped."""


class Demo:
    """A simulated training in a process of its own, as a context manager."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="tbtui-demo-"))
        """The log directory, empty at first."""

        self._pid = 0
        self._lifeline = -1
        self._reason = -1

    def __enter__(self) -> Self:
        """Begin training. Call it while the process has a single thread."""
        end_here, self._lifeline = os.pipe()
        self._reason, told_here = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._lifeline)
            os.close(self._reason)
            _run_simulation(self.directory, end_here, told_here)
        os.close(end_here)
        os.close(told_here)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the training and delete its files."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.close(self._lifeline)
        os.close(self._reason)

    def get_complaint(self) -> str | None:
        """Return the reason why the simulation stopped early (a full disk, for example); None if it did not."""
        if not select.select([self._reason], [], [], 0)[0]:
            return None
        return os.read(self._reason, MAX_REASON_BYTES).decode(errors="replace") or "it ended unexpectedly"


def _run_simulation(directory: Path, end_here: int, told_here: int) -> NoReturn:
    """Run the simulating process to its end.

    Args:
        directory: The log directory.
        end_here: Descriptor that becomes readable when the dashboard is gone.
        told_here: Descriptor for the reason when the simulation cannot go on.
    """
    try:
        os.setsid()  # Ctrl-C and a terminal that hangs up are for the dashboard to answer
        _leave_terminal()
        _simulate(directory, end_here)
    except (OSError, ImportError, MemoryError) as error:
        os.write(told_here, str(error).encode()[:MAX_REASON_BYTES])
        select.select([end_here], [], [])
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(0)  # nothing of the dashboard that was forked with this process may run here


def _leave_terminal() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _simulate(directory: Path, end_here: int) -> None:
    """Write the history, then a tick every `TICK_SECONDS`, until the dashboard is gone."""
    writer = DemoWriter(directory)
    writer.write_history(HISTORY_TICKS, TICK_SECONDS, time.time())
    began = time.monotonic()
    for tick in range(HISTORY_TICKS, LAST_TICK):
        due = began + (tick - HISTORY_TICKS) * TICK_SECONDS
        if select.select([end_here], [], [], max(0.0, due - time.monotonic()))[0]:
            return
        writer.write(tick, time.time())
    writer.close()
    select.select([end_here], [], [])


class TrainingWriter:
    """Writes the event files of one simulated training."""

    def __init__(self, directory: Path, recipe: Recipe) -> None:
        """Create a writer; no directory or file is created before the training runs.

        Args:
            directory: The log directory; the run becomes a directory below it.
            recipe: The training to simulate.
        """
        self._directory = directory / recipe.run
        self._recipe = recipe
        self._file: EventFileWriter | None = None

    def write(self, tick: int, wall_time: float) -> None:
        """Write the measurements at `tick` of the demo, if the training runs then.

        Args:
            tick: Turn of the simulation.
            wall_time: When that is, seconds since the epoch.
        """
        own = own_tick(self._recipe, tick)
        if own is None:
            return
        if is_resumed_at(self._recipe, tick):
            self.close()
        if self._file is None:
            self._file = self._open(wall_time)
        for measurement in measure(self._recipe, own):
            _write(self._file, measurement, own * STEPS_PER_TICK, wall_time)

    def flush(self) -> None:
        """Flush the event file, so that readers see all events."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Flush and close the event file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self, wall_time: float) -> EventFileWriter:
        self._directory.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{int(wall_time):010d}.demo.{self._recipe.seed}.0"
        return EventFileWriter(str(self._directory / name), wall_time=wall_time, like_pytorch=True)


class DemoWriter:
    """Writes the event files of all simulated trainings, one directory per run."""

    def __init__(self, directory: Path, recipes: Sequence[Recipe] = RECIPES) -> None:
        """See `TrainingWriter`.

        Args:
            directory: The log directory.
            recipes: The trainings to simulate.
        """
        self._trainings = [TrainingWriter(directory, recipe) for recipe in recipes]

    def write(self, tick: int, wall_time: float) -> None:
        """Write and flush one tick of every training.

        Args:
            tick: Turn of the simulation.
            wall_time: When that is, seconds since the epoch.
        """
        for training in self._trainings:
            training.write(tick, wall_time)
            training.flush()

    def write_history(self, ticks: int, period: float, now: float) -> None:
        """Write the first `ticks` ticks, one training after another, so that the first one is complete early.

        Args:
            ticks: Number of turns since the start.
            period: Seconds from one to the next.
            now: When the turn after the last of them is, seconds since the epoch.
        """
        for training in self._trainings:
            for tick in range(ticks):
                training.write(tick, now - (ticks - tick) * period)
            training.flush()

    def close(self) -> None:
        """Flush and close every event file."""
        for training in self._trainings:
            training.close()


def _write(file: EventFileWriter, measurement: Measurement, step: int, wall_time: float) -> None:
    match measurement:
        case Scalar(tag, value):
            file.scalar(tag, value, step, wall_time)
        case Histogram(tag, values):
            file.histogram(tag, values, step, wall_time)
        case Image(tag, pixels):
            height, width = pixels.shape[:2]
            file.image(tag, _encode_png(pixels), width, height, step, wall_time)
        case Text(tag, markdown):
            file.text(tag, markdown, step, wall_time)


def _encode_png(pixels: npt.NDArray[np.uint8]) -> bytes:
    encoded = BytesIO()
    Picture.fromarray(pixels).save(encoded, "PNG")
    return encoded.getvalue()
