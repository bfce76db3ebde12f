"""Form of the Compare tab that writes the table: rows and columns as shown, in their order, with all digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.export.formats import choose_text_format, encode_text
from tbtui.export.table import Table, build_object_column, mask_missing
from tbtui.plugins.comparison.attributes import ATTRIBUTE
from tbtui.plugins.comparison.comparison import ComparisonCache
from tbtui.plugins.hparams.export import build_attribute_cells, make_unique
from tbtui.view.attributes import AttributeColumn
from tbtui.widgets.file_saver import FileSaver, create_file_fields
from tbtui.widgets.form import FormScreen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.export.output import SavedFile
    from tbtui.plugins.comparison.comparison import ComparisonTable
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


class NoRowError(Exception):
    """There is no run to write."""


class ComparisonWriter(FileSaver):
    """Writes values, not differences, under the full names of tags and hyperparameters.

    Args:
        view: The view of the table.
        table: Columns and rows as shown.
    """

    no_data_error = NoRowError
    no_data_field = "path"

    def __init__(self, view: View, table: ComparisonTable) -> None:
        super().__init__()
        self._view, self._table = view, table
        self._cache = ComparisonCache()

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        runs = [run.name for run in self._table.runs]
        if not runs or not self._table.columns:
            raise NoRowError("no run is shown")
        columns: dict[str, npt.NDArray[Any]] = {"run": build_object_column(runs)}
        for key in self._table.columns:
            if key.startswith(ATTRIBUTE):
                values = self._table.attributes.values(key, runs)
                cells = build_attribute_cells(AttributeColumn.of_values(values[run] for run in runs))
                columns[make_unique(key[len(ATTRIBUTE) :], columns)] = cells
            else:
                columns[make_unique(key, columns)] = self._number_column(key, runs)
        tables = self._count_rows([Table("", "", columns)])
        yield from encode_text(tables, entered["format"] or choose_text_format(entered["path"]), tuple(columns), ())

    def _number_column(self, tag: str, runs: list[str]) -> npt.NDArray[Any]:
        column = self._cache.column(self._view, tag)
        for _ in column.fill(self._table.runs):
            pass
        points = [column.points.get(run) for run in runs]
        values = np.array([0.0 if point is None else point.value for point in points], np.float64)
        return mask_missing(values, np.array([point is not None for point in points], np.bool_))


def open_writer(pane: Pane, view: View, table: ComparisonTable) -> None:
    """Open the form that writes the table of a view."""
    writer = ComparisonWriter(view, table)
    title = f"write {format_count(len(table.runs), 'run')}, {format_count(len(table.columns), 'column')} as shown"

    def report(saved: SavedFile | None) -> None:
        if saved is not None:
            pane.notify(f"{format_count(saved.rows, 'row')} in {safe(str(saved.path))}", title="written", markup=False)

    pane.app.push_screen(
        FormScreen(title, create_file_fields("comparison.csv"), writer, slow=True, cancel=writer.stop), report
    )
