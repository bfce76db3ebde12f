"""Write event files with every kind of value."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tests.helpers.log_directory import START, LogDirectory

if TYPE_CHECKING:
    from pathlib import Path


class ValueLogs(LogDirectory):
    """Writer that appends values with plugin metadata to runs."""

    def add(self, run: str, tag: str, plugin: str, *tensors: Any, first_step: int = 0) -> Path:
        """Append one tensor per step, or a given `SummaryValue`."""
        path = self.path(run)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for step, held in enumerate(tensors, first_step):
                value = get_message_class("SummaryValue")()
                if isinstance(held, np.ndarray):
                    value.tensor.CopyFrom(make_tensor(held))
                else:
                    value.CopyFrom(held)
                value.tag = tag
                value.metadata.plugin_data.plugin_name = plugin
                event = get_message_class("Event")(wall_time=START + step, step=step)
                event.summary.value.append(value)
                writer.event(event)
        return path


def strings(*texts: bytes, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
    """Return a tensor of strings."""
    held = np.empty(len(texts), object)
    held[:] = texts
    return held if shape is None else held.reshape(shape)


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    """Return an encoded image."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def plain(red: int, width: int = 4, height: int = 3) -> bytes:
    """Return an image of one colour."""
    return png(np.full((height, width, 3), (red, 0, 0), np.uint8))


def pictures(*encoded: bytes) -> np.ndarray[Any, Any]:
    """Return several images of a step in the form of TensorFlow 2."""
    return strings(b"4", b"3", *encoded)
