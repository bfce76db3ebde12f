"""Columns of the Compare tab that are no scalars: hyperparameters of runs, and attributes that the settings choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import count_max_decimals, pad_to_point, shorten
from tbtui.frozen import frozen
from tbtui.plugins.comparison.columns import SPARSE_DIVISOR, ColumnOrder
from tbtui.plugins.hparams.table import format_hparams
from tbtui.view.attributes import NO_ATTRIBUTES, AttributeColumn, sort_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.charts.styled_text import Cell
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import AttributeValue, RunAttributes
    from tbtui.view.view import View

ATTRIBUTE = "\0attribute:"
"""Prefix of the keys of columns that show attributes, such as hyperparameters."""

MAX_WORD = 18
"""Terminal columns that a word may widen its column to."""


def build_attribute_key(name: str) -> str:
    """Return the key of the column of an attribute."""
    return ATTRIBUTE + name


@frozen(eq=False)
class TableAttributes:
    """The attributes that a table may have as columns."""

    chosen: tuple[str, ...] = ()
    """Keys of the columns that the settings of the app choose."""

    sources: tuple[RunAttributes, ...] = ()
    """All attributes, as far as the app has read them, then the hyperparameters."""

    @classmethod
    def of(cls, view: View, hparams: RunAttributes = NO_ATTRIBUTES) -> TableAttributes:
        """Return the attributes of a view, and the hyperparameters that the tab has read."""
        settings, run_attributes = view.settings, view.attributes or NO_ATTRIBUTES
        names = dict.fromkeys(filter(None, (*settings.run_columns, settings.colour_by)))
        chosen = tuple(build_attribute_key(name) for name in names if run_attributes.find(name) is not None)
        return cls(chosen, (run_attributes, hparams))

    def values(self, key: str, runs: Iterable[str]) -> dict[str, AttributeValue | None]:
        """Return the value of an attribute of each run; None if it has none."""
        name = key[len(ATTRIBUTE) :]
        for attributes in self.sources:
            if (column := attributes.find(name)) is not None:
                rows = attributes.row_of_run
                return {run: column.value(rows[run]) if run in rows else None for run in runs}
        return dict.fromkeys(runs)

    def sort(self, runs: Sequence[RunSnapshot], key: str, *, descending: bool) -> Sequence[RunSnapshot]:
        """Return the runs sorted by an attribute: numbers, then words, then NaN, then those without a value."""
        values = self.values(key, [run.name for run in runs])
        order = sort_values(AttributeColumn.of_values(values[run.name] for run in runs), descending=descending)
        return [runs[index] for index in order.tolist()]

    def cells(self, key: str, runs: Sequence[str]) -> tuple[dict[str, Cell], int]:
        """Return the cells of an attribute by run, and the width of the widest."""
        values = self.values(key, runs)
        texts = dict(zip(values, format_hparams([*values.values()], MISSING), strict=True))
        are_numbers = all(value is None or isinstance(value, float) for value in values.values())
        decimals = count_max_decimals(texts.values()) if are_numbers else 0
        cells: dict[str, Cell] = {
            run: (
                (
                    pad_to_point(text, decimals, 0) if are_numbers else shorten(text, MAX_WORD),
                    Ink.FAINT if values[run] is None else Ink.TEXT,
                ),
            )
            for run, text in texts.items()
        }
        return cells, max(map(pieces_width, cells.values()), default=0)


MISSING = "–"


def order_hparams(hparams: RunAttributes, runs: Sequence[str]) -> ColumnOrder:
    """Return the keys of hyperparameters that differ between runs; sparse are those that few have, or that are equal.

    Args:
        hparams: Hyperparameters of the sessions.
        runs: Runs of the table.
    """
    rows = [hparams.row_of_run[run] for run in runs if run in hparams.row_of_run]
    usual: list[str] = []
    sparse: list[str] = []
    for name, column in (hparams.columns or {}).items():
        present = int(column.present[rows].sum())
        if not present:
            continue
        differs = len(rows) < 2 or len(np.unique(column.level_codes[rows])) > 1
        (usual if differs and present * SPARSE_DIVISOR >= len(runs) else sparse).append(build_attribute_key(name))
    return ColumnOrder(tuple(usual), tuple(sparse))
