"""Encoded pictures, read again from their files when they are to be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.images import ImageError, Pictures, read_pictures
from tbtui.events.values import Moment, ValueGone, stored_value
from tbtui.loading.byte_cache import ByteCache
from tbtui.loading.payload_block import too_large

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

MOST_BYTES = 32 << 20
"""Of encoded pictures that are kept: those on the screen, and some that were."""

LARGEST = 256 << 20
"""Bytes of a value that is read to be shown, twice what the pixels of the largest picture take: reading takes three
times as many in memory, and a file may claim gigabytes that take no place on the disk."""

_OF_A_REASON = 200


class ImageReader:
    """Reads pictures, and keeps those that were asked for last. Any thread may ask it.

    Args:
        payloads: Reads the files.
        most_bytes: Of pictures that are kept.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MOST_BYTES) -> None:
        self._payloads = payloads
        self._kept: ByteCache[Pictures | str | None] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self._kept.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, point: int) -> Pictures:
        """The pictures of one step.

        Args:
            run: The run that holds the series, of the same snapshot.
            series: Of a tag with pictures.
            point: Index into the series.

        Raises:
            ImageError: There are none, or they cannot be read.
        """
        place = place_of(run, series, point)
        known = self._kept.get(place, _nothing)
        if known is None:
            known = self._read(place, run, series, point)
        if isinstance(known, str):
            raise ImageError(known)
        return known

    def _read(self, place: Hashable, run: RunSnapshot, series: ReferenceSeries, point: int) -> Pictures | str:
        length = int(series.lengths[point])
        if length > LARGEST:
            return too_large(length)
        block = self._payloads.read(run, series, [point])
        if point in block.refused:
            reason = block.refused[point]
            if not block.may_pass:
                self._kept.put(place, reason, _OF_A_REASON)
            return reason
        moment = Moment(int(series.steps[point]), float(series.wall_times[point]))
        try:
            pictures = read_pictures(stored_value(block.payload(0), int(series.indices[point]), moment))
        except (ImageError, ValueGone) as error:
            self._kept.put(place, str(error), _OF_A_REASON)
            return str(error)
        self._kept.put(place, pictures, pictures.nbytes + _OF_A_REASON)
        return pictures


def place_of(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """What tells one value from all others, also from the one that takes its place in a file that is replaced."""
    columns: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in columns)


def _nothing() -> None:
    return None
