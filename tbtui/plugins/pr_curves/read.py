"""Precision-recall curves in event files: tensors of six rows, the same from all writers.

Source: TensorBoard `plugins/pr_curve/summary.py` (meaning of the rows), `metadata.py` (their order); PyTorch and
tensorboardX `summary.py` `pr_curve`, `pr_curve_raw`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.events.tensors import TensorError, describe_tensor, read_real_array
from tbtui.frozen import frozen
from tbtui.loading.payloads import MAX_PAYLOAD_BYTES, ByteCache, decode_block, format_too_large

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Rows: TypeAlias = npt.NDArray[np.float64]
    Floats: TypeAlias = npt.NDArray[np.float64]

PLUGIN_NAME = "pr_curves"
"""Name of the plugin in event files."""

TRUE_POSITIVES, FALSE_POSITIVES, TRUE_NEGATIVES, FALSE_NEGATIVES, PRECISION, RECALL = range(6)
"""The rows of a curve."""

ROWS = 6

MAX_THRESHOLDS = 1 << 20
"""TensorFlow writes 201, PyTorch 127 at most; a shape in a file may be wrong."""


def read_curve(value: Any) -> npt.NDArray[np.float64]:
    """Return the curve that a `SummaryValue` holds.

    Returns:
        float64[6, T], T >= 1: the rows as numbered above, one column per threshold, as stored: counts may be fractions,
        and any number may be NaN.

    Raises:
        TensorError: It holds something else, or a tensor that cannot be read.
    """
    sizes = [int(dim.size) for dim in value.tensor.tensor_shape.dim]
    if len(sizes) == 2 and sizes[1] > MAX_THRESHOLDS:
        raise TensorError(f"a PR curve of {sizes[1]:,} thresholds is too large to show")
    array = read_real_array(value, "a PR curve")
    if array.ndim != 2 or array.shape[0] != ROWS:
        raise TensorError(f"{describe_tensor(array.shape)} instead of a PR curve, which has {ROWS} rows")
    if not array.shape[1]:
        raise TensorError("a PR curve without thresholds")
    rows = array.astype(np.float64)
    rows.flags.writeable = False
    return rows


MAX_CACHE_BYTES = 32 << 20
"""Maximum bytes of cached curves: about 5,000 of PyTorch's."""


@frozen(eq=False)
class Curves:
    """Curves of some points of a series."""

    rows: Mapping[int, Rows] = field(default_factory=dict)
    """Index of the point to its curve: float64[6, T] as `read_curve` returns it, read-only."""

    errors: Mapping[int, str] = field(default_factory=dict)
    """Index of the point to the reason why it has none: one plain sentence."""

    is_retryable: bool = False
    """Some could not be read now, and perhaps can be later."""


class CurveReader:
    """Reads curves, and caches the most recently used ones. Any thread may use it.

    Args:
        payloads: Reader of the event files.
        max_bytes: Maximum size of the cached curves in bytes.
    """

    def __init__(self, payloads: Payloads, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._cache: ByteCache[Rows | str] = ByteCache(max_bytes)

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
            Each point as one of `rows` or of `errors`; the same arrays as long as they are cached.
        """
        rows_at = {point: self._cache.get(_cache_key(run, series, point)) for point in dict.fromkeys(points)}
        for point in rows_at:
            if (length := int(series.lengths[point])) > MAX_PAYLOAD_BYTES:
                rows_at[point] = format_too_large(length)
        missing = [point for point, cached in rows_at.items() if cached is None]
        is_retryable = False
        if missing:
            block = self._payloads.read(run, series, missing)
            curves, errors = decode_block(block, series, read_curve)
            rows_at |= {**curves, **errors}
            for point in missing:
                cached = rows_at[point]
                if cached is not None and point not in block.errors:
                    self._cache.put(_cache_key(run, series, point), cached, _get_size(cached))
            is_retryable = block.is_retryable
        return Curves(
            {point: cached for point, cached in rows_at.items() if isinstance(cached, np.ndarray)},
            {point: cached for point, cached in rows_at.items() if isinstance(cached, str)},
            is_retryable,
        )


def _cache_key(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """Return the identity of a value, which differs for a value at the same offset of a replaced file."""
    position_columns: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in position_columns)


def _get_size(value: Rows | str) -> int:
    return len(value) if isinstance(value, str) else value.nbytes
