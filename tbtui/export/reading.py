"""Values of a series, read from its files part by part for tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tbtui.loading.payload_block import read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tbtui.export.refusals import Refusals
    from tbtui.loading.payload_block import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

Value = TypeVar("Value")


def read_values(
    run: RunSnapshot,
    series: ReferenceSeries,
    values_in: Callable[[PayloadBlock, ReferenceSeries], Mapping[int, Value | str]],
    refusals: Refusals,
) -> Iterator[dict[int, Value]]:
    """Everything that a series holds.

    Args:
        run: The run that holds the series.
        series: Which.
        values_in: What the payloads of a block hold, by points of the series, or why they hold nothing.
        refusals: Told of every value that cannot be read, when all have been.

    Yields:
        The values of a part of the points, by point, at least one.
    """
    refused: dict[int, str] = {}
    for block in read_payloads(run, series, np.arange(len(series))):
        refused |= block.refused
        values: dict[int, Value] = {}
        for point, value in values_in(block, series).items():
            if isinstance(value, str):
                refused[point] = value
            else:
                values[point] = value
        if values:
            yield values
    refusals.add(series, refused)
