"""Writes the histograms of one chart to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.export.histograms import BUCKETS, QUANTILES, bucket_table, histogram_tables, quantile_table
from tbtui.export.refusals import Refusals
from tbtui.plugins.histograms.axes import rows_in_sight
from tbtui.plugins.histograms.data import ChartData
from tbtui.plugins.histograms.points import PLUGIN_NAME
from tbtui.plugins.histograms.recorded import NothingRecordedError
from tbtui.series.histograms import blocks, part
from tbtui.viewstate.chart_choices import WHOLE
from tbtui.viewstate.ranges import hand_range
from tbtui.widgets.file_writing import FileWriting, file_fields
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.histograms import TableOf
    from tbtui.export.table import Table
    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.view import View
    from tbtui.widgets.form_fields import Field

PIECE = 1 << 16
"""Buckets of a table; so many are made before it is looked whether anybody still wants them."""


def written_fields(*, quantiles: bool = False) -> tuple[Field, ...]:
    """What is asked for; `quantiles` are offered first, or buckets."""
    return file_fields(
        "distributions.csv" if quantiles else "histograms.csv",
        Choice(
            "quantiles",
            "rows",
            ((False, "buckets"), (True, "steps with quantiles")),
            quantiles,
            "a row a bucket; or a row a step, with its count and the values at TensorBoard's basis points",
        ),
        Choice(
            "stored",
            "steps",
            ((False, "in sight"), (True, "all")),
            False,
            "in sight: neither superseded, skipped nor outside a range; all: as stored, in order of arrival",
        ),
    )


class Writing(FileWriting):
    """Of one chart.

    Args:
        payloads: Reads the histograms.
        view: What is shown.
        key: The chart's card.
    """

    nothing = NothingRecordedError, "stored"

    def __init__(self, payloads: Payloads, view: View, key: str) -> None:
        super().__init__()
        self._payloads, self._view, self._key = payloads, view, key
        self.refusals = Refusals()
        """Of all steps that would be written, those that cannot be drawn are not."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """Buckets or quantiles, of the steps in sight or of all."""
        self.refusals = Refusals()
        columns, table_of = (QUANTILES, quantile_table) if entered["quantiles"] else (BUCKETS, bucket_table)
        return columns, self._stored(table_of) if entered["stored"] else self._shown(table_of)

    def _stored(self, table_of: TableOf) -> Iterator[Table]:
        # Made anew, as below: what the pane has is used by its own thread.
        cards = ChartData(self._payloads).cards(self._view)
        run, tag = cards.run_of(self._key), cards.tag_of(self._key)
        yield from histogram_tables(self._view.references(tag, PLUGIN_NAME, run), table_of, self.refusals)

    def _shown(self, table_of: TableOf) -> Iterator[Table]:
        chart = ChartData(self._payloads).chart(self._view, self._key)
        along = chart.axes.along
        is_whole = hand_range(self._view.choices.x_range_of(self._key), along.scale, along.origin) == WHOLE
        for recorded in chart.recorded:
            rows = slice(0, len(recorded)) if is_whole else rows_in_sight(recorded, along)
            refused = {index: why for index, why in recorded.refused.items() if rows.start <= index < rows.stop}
            self.refusals.asked += rows.stop - rows.start
            self.refusals.count += len(refused)
            steps, wall_times = recorded.steps[rows], recorded.wall_times[rows]
            buckets = recorded.some(np.arange(rows.start, rows.stop))
            for block in blocks(buckets, PIECE):
                yield table_of(recorded.run, recorded.tag, steps[block], wall_times[block], part(buckets, block))
