"""Precision-recall curves in event files: tensors of six rows, the same from all writers.

Source: TensorBoard `plugins/pr_curve/summary.py` (meaning of the rows), `metadata.py` (their order); PyTorch and
tensorboardX `summary.py` `pr_curve`, `pr_curve_raw`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.events.schema import VALUE_KINDS
from tbtui.events.tensors import TensorError, shape_text, to_array
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache, too_large_message

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import PayloadBlock, Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Rows: TypeAlias = npt.NDArray[np.float64]
    Floats: TypeAlias = npt.NDArray[np.float64]

TRUE_POSITIVES, FALSE_POSITIVES, TRUE_NEGATIVES, FALSE_NEGATIVES, PRECISION, RECALL = range(6)
"""The rows of a curve."""

ROWS = 6

MAX_THRESHOLDS = 1 << 20
"""TensorFlow writes 201, PyTorch 127 at most; a shape in a file may be wrong."""


class CurveError(ValueError):
    """The value cannot be drawn as a precision-recall curve; the message is one plain sentence."""


def read_curve(value: Any) -> npt.NDArray[np.float64]:
    """Return the curve that a `SummaryValue` holds.

    Returns:
        float64[6, T], T >= 1: the rows as numbered above, one column per threshold, as stored: counts may be fractions,
        and any number may be NaN.

    Raises:
        CurveError: It holds something else.
        TensorError: Its tensor cannot be read.
    """
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise CurveError(f"{VALUE_KINDS[kind]} instead of a PR curve")
    sizes = [int(dim.size) for dim in value.tensor.tensor_shape.dim]
    if len(sizes) == 2 and sizes[1] > MAX_THRESHOLDS:
        raise CurveError(f"a PR curve of {sizes[1]:,} thresholds is too large to show")
    array = to_array(value.tensor)
    if array.dtype.kind in "Oc":
        raise CurveError("a tensor without real numbers instead of a PR curve")
    if array.ndim != 2 or array.shape[0] != ROWS:
        what = f"a tensor of shape {shape_text(array.shape)}" if array.ndim else "a single number"
        raise CurveError(f"{what} instead of a PR curve, which has {ROWS} rows")
    if not array.shape[1]:
        raise CurveError("a PR curve without thresholds")
    return array.astype(np.float64)


MAX_PAYLOAD_BYTES = 64 << 20
"""Bytes of a value that is read to be shown: more than those of a curve of the most thresholds."""
MAX_CACHE_BYTES = 32 << 20
"""Maximum bytes of cached curves: about 5,000 of PyTorch's."""


@frozen(eq=False)
class Curves:
    """Curves of some points of a series."""

    rows: Mapping[int, Rows] = field(default_factory=dict)
    """Index of the point to its curve: float64[6, T] as `read_curve` returns it, read-only."""

    refused: Mapping[int, str] = field(default_factory=dict)
    """Index of the point to the reason why it has none: one plain sentence."""

    is_retryable: bool = False
    """Some could not be read now, and perhaps can be later."""


class CurveReader:
    """Read curves, and cache the most recently used ones. Any thread may use it.

    Args:
        payloads: Reader of the event files.
        most_bytes: Maximum size of the cached curves in bytes.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._cache: ByteCache[Rows | str | None] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Size of the cached curves in bytes."""
        return self._cache.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> Curves:
        """Return the curves of some points.

        Args:
            run: The run that holds the series, of the same snapshot.
            series: Series of a tag with PR curves.
            points: Indices into the series.

        Returns:
            Each point as one of `rows` or of `refused`; the same arrays as long as they are kept.
        """
        rows_at = {point: self._cache.get(_cache_key(run, series, point), _nothing) for point in dict.fromkeys(points)}
        for point in rows_at:
            if (length := int(series.lengths[point])) > MAX_PAYLOAD_BYTES:
                rows_at[point] = too_large_message(length)
        missing = [point for point, known in rows_at.items() if known is None]
        is_retryable = False
        if missing:
            block = self._payloads.read(run, series, missing)
            rows_at.update(curves_in(block, series))
            for point in missing:
                known = rows_at[point]
                if known is not None and point not in block.errors:
                    self._cache.put(_cache_key(run, series, point), known, _size(known))
            rows_at.update(block.errors)
            is_retryable = block.is_retryable
        return Curves(
            {point: known for point, known in rows_at.items() if isinstance(known, np.ndarray)},
            {point: known for point, known in rows_at.items() if isinstance(known, str)},
            is_retryable,
        )


def curves_in(block: PayloadBlock, series: ReferenceSeries) -> dict[int, Rows | str]:
    """Return the curves of payloads by point, or the reasons why there are none."""
    return {point: _curve(block.payload(index), series, point) for index, point in enumerate(block.points.tolist())}


def _curve(payload: bytes, series: ReferenceSeries, point: int) -> Rows | str:
    moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
    try:
        rows = read_curve(read_stored_value(payload, int(series.indices[point]), moment))
    except (CurveError, TensorError, StaleValueError) as error:
        return str(error)
    rows.flags.writeable = False
    return rows


def _cache_key(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """Return the identity of a value; a value at the same place of a replaced file has another one."""
    places: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in places)


def _size(known: Rows | str) -> int:
    return len(known) if isinstance(known, str) else known.nbytes


def _nothing() -> None:
    return None


PLUGIN_NAME = "pr_curves"


class NoCurveError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""
