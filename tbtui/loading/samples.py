"""How many pictures or sounds the values of a tag hold, without reading them."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from tbtui.events.heads import HEAD_BYTES
from tbtui.events.images import count_in, was_converted
from tbtui.events.sounds import sound_count, was_single
from tbtui.frozen import frozen
from tbtui.records.source import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


@frozen
class SampleKind:
    """A plugin whose values may hold several of what it shows."""

    plugin: str
    is_single: Callable[[bytes], bool]
    """Whether the metadata of a tag tell that each value holds one."""

    count_in: Callable[[bytes, int], int | None]
    """How many a value of an event holds, from the first bytes of that; None where they do not tell."""


PICTURES = SampleKind("images", was_converted, count_in)
SOUNDS = SampleKind("audio", was_single, sound_count)


def newest_counts(kind: SampleKind, run: RunSnapshot, all_series: Sequence[ReferenceSeries]) -> list[int | None]:
    """How many samples the newest step of each series holds, from the first bytes of its value; None: not told there.

    Nothing is read where the metadata tell, and each file is opened once for series that stand side by side.
    """
    asked = [None if kind.is_single(series.metadata.content) else int(series.files[-1]) for series in all_series]
    counts: list[int | None] = []
    for file, some in groupby(zip(asked, all_series, strict=True), key=itemgetter(0)):
        held = [series for _, series in some]
        counts += [1] * len(held) if file is None else _counts_in(kind, run.files[file].path, held)
    return counts


def _counts_in(kind: SampleKind, path: str, all_series: Sequence[ReferenceSeries]) -> list[int | None]:
    try:
        with open_file(path) as file:
            heads = [
                file.read(int(series.offsets[-1]), min(int(series.lengths[-1]), HEAD_BYTES)).tobytes()
                for series in all_series
            ]
    except OSError:
        return [None] * len(all_series)
    return [kind.count_in(head, int(series.indices[-1])) for head, series in zip(heads, all_series, strict=True)]
