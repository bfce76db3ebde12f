"""Precision-recall curves, read again from their files when they are to be seen."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.events.pr_curves import CurveError, read_curve
from tbtui.events.tensors import TensorError
from tbtui.events.values import Moment, ValueGone, stored_value
from tbtui.frozen import frozen
from tbtui.loading.byte_cache import ByteCache
from tbtui.loading.payload_block import too_large

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payload_block import PayloadBlock
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Rows: TypeAlias = npt.NDArray[np.float64]

LARGEST = 64 << 20
"""Bytes of a value that is read to be shown: more than those of a curve of the most thresholds."""
MOST_BYTES = 32 << 20
"""Of curves that are kept: five thousand of PyTorch's."""


@frozen(eq=False)
class Curves:
    """Curves of some points of a series."""

    rows: Mapping[int, Rows] = field(default_factory=dict)
    """Index of the point to its curve: float64[6, T] as `events.pr_curves` has it, read-only."""

    refused: Mapping[int, str] = field(default_factory=dict)
    """Index of the point to the reason why it has none: one plain sentence."""

    may_pass: bool = False
    """Some could not be read now, and perhaps can be later."""


class CurveReader:
    """Reads curves, and keeps those that were asked for last. Any thread may ask it.

    Args:
        payloads: Reads the files.
        most_bytes: Of curves that are kept.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MOST_BYTES) -> None:
        self._payloads = payloads
        self._kept: ByteCache[Rows | str | None] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self._kept.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> Curves:
        """The curves of some points.

        Args:
            run: The run that holds the series, of the same snapshot.
            series: Of a tag with PR curves.
            points: Indices into the series.

        Returns:
            Each point as one of `rows` or of `refused`; the same arrays as long as they are kept.
        """
        held = {point: self._kept.get(_place(run, series, point), _nothing) for point in dict.fromkeys(points)}
        for point in held:
            if (length := int(series.lengths[point])) > LARGEST:
                held[point] = too_large(length)
        missing = [point for point, known in held.items() if known is None]
        may_pass = False
        if missing:
            block = self._payloads.read(run, series, missing)
            held.update(curves_in(block, series))
            for point in missing:
                known = held[point]
                if known is not None and point not in block.refused:
                    self._kept.put(_place(run, series, point), known, _size(known))
            held.update(block.refused)
            may_pass = block.may_pass
        return Curves(
            {point: known for point, known in held.items() if isinstance(known, np.ndarray)},
            {point: known for point, known in held.items() if isinstance(known, str)},
            may_pass,
        )


def curves_in(block: PayloadBlock, series: ReferenceSeries) -> dict[int, Rows | str]:
    """The curves of payloads by the points that they are of, or the reasons why they are none."""
    return {point: _curve(block.payload(place), series, point) for place, point in enumerate(block.points.tolist())}


def _curve(payload: bytes, series: ReferenceSeries, point: int) -> Rows | str:
    moment = Moment(int(series.steps[point]), float(series.wall_times[point]))
    try:
        rows = read_curve(stored_value(payload, int(series.indices[point]), moment))
    except (CurveError, TensorError, ValueGone) as error:
        return str(error)
    rows.flags.writeable = False
    return rows


def _place(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """What tells one value from all others, also from the one that takes its place in a file that is replaced."""
    places: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in places)


def _size(known: Rows | str) -> int:
    return len(known) if isinstance(known, str) else known.nbytes


def _nothing() -> None:
    return None
