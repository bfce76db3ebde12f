"""Write event files with every kind of value."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tbtui.events.schema import message
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import START, LogDirectory

if TYPE_CHECKING:
    from pathlib import Path


class ValueLogs(LogDirectory):
    """Appends values to runs; what tells a plugin is in each."""

    def add(self, run: str, tag: str, plugin: str, *tensors: Any, first_step: int = 0) -> Path:
        """A tensor a step, or a `SummaryValue` as it is."""
        path = self.path(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for step, held in enumerate(tensors, first_step):
                value = message("SummaryValue")()
                if isinstance(held, np.ndarray):
                    value.tensor.CopyFrom(make_tensor(held))
                else:
                    value.CopyFrom(held)
                value.tag = tag
                value.metadata.plugin_data.plugin_name = plugin
                event = message("Event")(wall_time=START + step, step=step)
                event.summary.value.append(value)
                writer.event(event)
        return path


def strings(*texts: bytes, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
    """A tensor of strings."""
    held = np.empty(len(texts), object)
    held[:] = texts
    return held if shape is None else held.reshape(shape)


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    """A picture as a file."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def plain(red: int, width: int = 4, height: int = 3) -> bytes:
    """A picture of one colour."""
    return png(np.full((height, width, 3), (red, 0, 0), np.uint8))


def pictures(*encoded: bytes) -> np.ndarray[Any, Any]:
    """Several pictures of a step, as TensorFlow 2 writes them."""
    return strings(b"4", b"3", *encoded)
