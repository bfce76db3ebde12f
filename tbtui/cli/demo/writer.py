"""Writes what the simulated trainings measure into event files, as their writers would: one directory a run."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image as Picture

from tbtui.cli.demo.simulation import (
    RECIPES,
    STEPS_A_TICK,
    Histogram,
    Image,
    Measurement,
    Recipe,
    Scalar,
    Text,
    measure,
    own_tick,
    resumes,
)
from tbtui.events.writer import EventFileWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt


class TrainingWriter:
    """The event files of one simulated training."""

    def __init__(self, directory: Path, recipe: Recipe) -> None:
        """Nothing is written, and no directory made, before the training runs.

        Args:
            directory: The log directory; the run becomes a directory below it.
            recipe: What is trained.
        """
        self._directory = directory / recipe.run
        self._recipe = recipe
        self._file: EventFileWriter | None = None

    def write(self, tick: int, wall_time: float) -> None:
        """Write what is measured at `tick` of the demo, if the training runs then.

        Args:
            tick: Turn of the simulation.
            wall_time: When that is, seconds since the epoch.
        """
        own = own_tick(self._recipe, tick)
        if own is None:
            return
        if resumes(self._recipe, tick):
            self.close()
        if self._file is None:
            self._file = self._open(wall_time)
        for measurement in measure(self._recipe, own):
            _write(self._file, measurement, own * STEPS_A_TICK, wall_time)

    def flush(self) -> None:
        """Make everything written visible to readers."""
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
    """The event files of all simulated trainings."""

    def __init__(self, directory: Path, recipes: Sequence[Recipe] = RECIPES) -> None:
        """See `TrainingWriter`.

        Args:
            directory: The log directory.
            recipes: What is trained.
        """
        self._trainings = [TrainingWriter(directory, recipe) for recipe in recipes]

    def write(self, tick: int, wall_time: float) -> None:
        """Write and flush one turn of every training.

        Args:
            tick: Turn of the simulation.
            wall_time: When that is, seconds since the epoch.
        """
        for training in self._trainings:
            training.write(tick, wall_time)
            training.flush()

    def write_history(self, ticks: int, period: float, now: float) -> None:
        """Write the first `ticks` turns, training by training, so that the first is whole as early as can be.

        Args:
            ticks: How many turns lie behind.
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
            file.image(tag, _png(pixels), width, height, step, wall_time)
        case Text(tag, markdown):
            file.text(tag, markdown, step, wall_time)


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    encoded = BytesIO()
    Picture.fromarray(pixels).save(encoded, "PNG")
    return encoded.getvalue()
