"""Write event files in the format of TensorFlow 2 or PyTorch, for the demo and for tests."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.tfrecord.framing import frame_record

if TYPE_CHECKING:
    from types import TracebackType

    import numpy.typing as npt
    from typing_extensions import Self

WRITER = "tbtui"
FILE_VERSION = "brain.Event:2"
BUCKETS = 30
"""Buckets of a histogram, as in TensorBoard."""


class EventFileWriter:
    """Writes one event file. Each flush appends complete records in one call, so a reader never sees a partial one.

    The first value of a tag carries the metadata that names its plugin, later ones do not, as in TensorFlow 2.
    """

    def __init__(self, path: str, *, wall_time: float | None = None, like_pytorch: bool = False) -> None:
        """Open a file, and write the version event if it is empty.

        Args:
            path: The file; it is created if it does not exist, its directory is not. TensorBoard finds files with
                `tfevents` in their name.
            wall_time: Wall time of the version event, seconds since the epoch (default: now).
            like_pytorch: Write scalars as `simple_value` and histograms as `HistogramProto`, both without metadata.

        Raises:
            OSError: The file cannot be written.
        """
        self.path = path
        self._like_pytorch = like_pytorch
        self._tags: set[str] = set()
        self._waiting: list[bytes] = []
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        if os.fstat(self._descriptor).st_size == 0:
            event = get_message_class("Event")(wall_time=time.time() if wall_time is None else wall_time)
            event.file_version = FILE_VERSION
            event.source_metadata.writer = WRITER
            self.event(event)

    def scalar(self, tag: str, value: float, step: int, wall_time: float) -> None:
        """Add one number as a 32-bit float; `wall_time` is in seconds since the epoch."""
        if self._like_pytorch:
            self._add(get_message_class("SummaryValue")(tag=tag, simple_value=value), step, wall_time)
        else:
            with np.errstate(over="ignore"):
                array = np.array(value, np.float64).astype(np.float32)
            self.tensor(tag, array, "scalars", step, wall_time)

    def histogram(self, tag: str, values: npt.ArrayLike, step: int, wall_time: float) -> None:
        """Add a histogram of an array; its buckets cover the finite values.

        Raises:
            ValueError: The values are too far apart, or too close together, for buckets.
        """
        numbers = np.asarray(values, np.float64).reshape(-1)
        if self._like_pytorch:
            self._add(get_message_class("SummaryValue")(tag=tag, histo=_build_histogram(numbers)), step, wall_time)
        else:
            self.tensor(tag, _count_buckets(numbers), "histograms", step, wall_time)

    def image(self, tag: str, encoded: bytes, width: int, height: int, step: int, wall_time: float) -> None:
        """Add one encoded image (such as PNG) of `width` times `height` pixels."""
        vector = np.array([b"%d" % width, b"%d" % height, encoded], object)
        self.tensor(tag, vector, "images", step, wall_time)

    def text(self, tag: str, markdown: str, step: int, wall_time: float) -> None:
        """Add one Markdown document."""
        self.tensor(tag, np.array(markdown.encode(), object), "text", step, wall_time)

    def tensor(self, tag: str, array: npt.NDArray[Any], plugin_name: str, step: int, wall_time: float) -> None:
        """Add one tensor for any plugin; `plugin_name` names it in the metadata of the tag.

        `array` has numbers, or is an object array of bytes, which becomes a tensor of strings.
        """
        value = get_message_class("SummaryValue")(tag=tag, tensor=make_tensor(array))
        if tag not in self._tags:
            self._tags.add(tag)
            value.metadata.plugin_data.plugin_name = plugin_name
        self._add(value, step, wall_time)

    def event(self, event: Any) -> None:
        """Add an `Event` unchanged."""
        self._waiting.append(frame_record(event.SerializeToString()))

    def flush(self) -> None:
        """Append all waiting events to the file.

        Raises:
            OSError: The file cannot be written; unwritten bytes are kept for the next flush.
        """
        rest = b"".join(self._waiting)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        finally:
            self._waiting = [rest] if rest else []

    def close(self) -> None:
        """Flush and close the file. A second call does nothing."""
        if self._descriptor < 0:
            return
        try:
            self.flush()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add(self, value: Any, step: int, wall_time: float) -> None:
        event = get_message_class("Event")(wall_time=wall_time, step=step)
        event.summary.value.append(value)
        self.event(event)


def _build_histogram(values: npt.NDArray[np.float64]) -> Any:
    """Return buckets of equal width by their upper limits, preceded by an empty one.

    The statistics include NaN and infinite values, as in PyTorch.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        histogram = get_message_class("HistogramProto")(num=len(values), sum=values.sum(), sum_squares=values @ values)
    if len(values):
        histogram.min, histogram.max = values.min(), values.max()
    finite = values[np.isfinite(values)]
    if len(finite):
        counts, edges = np.histogram(finite, BUCKETS)
        histogram.bucket_limit.extend(edges.tolist())
        histogram.bucket.extend([0, *counts.tolist()])
    return histogram


def _count_buckets(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return left edge, right edge and count of buckets of equal width; equal values are all in the last one."""
    values = values[np.isfinite(values)]
    if not len(values):
        return np.zeros((BUCKETS, 3))
    low, high = values.min(), values.max()
    if low == high:
        counts = np.zeros(BUCKETS)
        counts[-1] = len(values)
        return np.column_stack([np.full((BUCKETS, 2), low), counts])
    heights, edges = np.histogram(values, BUCKETS)
    return np.column_stack([edges[:-1], edges[1:], heights])
