"""The table of all points as a source of a `DataGrid`: metadata, norm, distances, neighbours and moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_number
from tbtui.charts.styled_text import Cell, Row
from tbtui.charts.text import cell_width, fit, safe
from tbtui.plugins.projector.files.metadata import to_natural_key
from tbtui.plugins.projector.point_lists import format_distance
from tbtui.plugins.projector.scene import mark_point
from tbtui.view.row_order import ASCENDING, DESCENDING
from tbtui.widgets.grid_viewport import ColumnHead, UniformRows

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.projector.scene import Scene
    from tbtui.widgets.grid_viewport import CellsOfColumn

    Values = npt.NDArray[np.floating]

METADATA = "m:"
"""Prefix of the keys of columns of the metadata."""

MAX_TEXT_WIDTH = 24
MAX_METADATA_COLUMNS = 200
MEASURED_ROWS = 2000
"""Number of evenly spread rows whose texts decide the width of a column."""

NUMBER_WIDTH = 8


class PointColumn(NamedTuple):
    """A column of the table; it has texts or numbers."""

    title: str
    width: int
    text: Callable[[int], str]
    values: Values | None = None
    """float[n], by which the table is sorted, NaN last; None: by the texts in natural order."""

    group: str = ""


class LazyCells(Mapping[str, Cell]):
    """The cells of a column, built when they are shown."""

    def __init__(self, rows: Sequence[str], build_cell: Callable[[str], Cell]) -> None:
        self._rows, self._build_cell = rows, build_cell

    def __getitem__(self, key: str) -> Cell:
        return self._build_cell(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class PointTable:
    """Rows are the points that the map shows, or the matches of a search; the key of a row is its number."""

    def __init__(self, scene: Scene) -> None:
        session = scene.session
        self._scene = scene
        self._columns = dict(_iter_columns(scene))
        order = _order(scene, self._columns.get(session.sort), descending=session.is_descending)
        self.points: npt.NDArray[np.intp] = order
        self._digits = len(str(max(scene.points.count - 1, 0)))
        self._rows = UniformRows(tuple(map(str, order.tolist())), self._digits + 4, self._build_row)
        self._order_key = order.tobytes() if len(order) < 1 << 16 else hash(order.tobytes())

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def corner(self) -> str:
        return "point"

    @property
    def meaning(self) -> Hashable:
        return self._scene.source.key, self._scene.version, self._order_key

    def head(self, column: str) -> ColumnHead:
        shown, session = self._columns[column], self._scene.session
        sign = (DESCENDING if session.is_descending else ASCENDING) if column == session.sort else ""
        return ColumnHead(shown.title, shown.width, shown.group, sign, at_right=shown.values is not None)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:  # noqa: ARG002 - made when shown
        for key in columns:
            yield key, LazyCells(self._rows.keys, _build_cell_builder(self._columns[key]))

    def _build_row(self, index: int) -> Row:
        point = int(self.points[index])
        mark = "✓" if point in self._scene.session.selected else "◎" if point == self._scene.session.centre else " "
        prefix = ((mark, Ink.ACCENT), mark_point(self._scene, point))
        return Row(str(point), prefix, str(point).rjust(self._digits))


def _build_cell_builder(column: PointColumn) -> Callable[[str], Cell]:
    def build_cell(key: str) -> Cell:
        text = fit(column.text(int(key)), column.width)
        if column.values is not None:
            text = text.rjust(column.width)
        return ((text, Ink.FAINT if text.strip() in ("", "–") else Ink.TEXT),)

    return build_cell


def _iter_columns(scene: Scene) -> Iterator[tuple[str, PointColumn]]:
    """Yield keys and columns, that of the labels first."""
    points, session = scene.points, scene.session
    columns = list(points.metadata.columns[:MAX_METADATA_COLUMNS])
    label = points.metadata.label if session.label is None else points.metadata.column(session.label)
    columns.sort(key=lambda column: column is not label)
    for number, column in enumerate(columns):
        texts, sampled = column.texts, column.texts[:: max(1, points.count // MEASURED_ROWS)]
        widest = max((cell_width(safe(text)) for text in sampled), default=1)
        width = max(min(max(widest, cell_width(safe(column.name)) + 2), MAX_TEXT_WIDTH), 3)
        text = create_safe_formatter(texts)
        yield f"{METADATA}{number}:{column.name}", PointColumn(column.name, width, text, column.numbers)
    yield "norm", _build_number_column("norm", points.index.lengths, format_number)
    point = session.centre
    if point is not None:
        distances = points.index.measure_distances(point, session.metric).astype(np.float64)
        distances[~np.isfinite(distances)] = np.nan
        distances[point] = 0
        yield "distance", _build_number_column(f"to {point}", distances, format_distance, group=session.metric)
    nearest = scene.nearest
    if nearest is not None and nearest.nearest.shape[1]:
        first, distances = np.full(points.count, -1, np.int64), np.full(points.count, np.nan)
        first[nearest.rows], distances[nearest.rows] = nearest.nearest[:, 0], nearest.distances[:, 0]

        def nearest_label(row: int) -> str:
            return scene.label(int(first[row])) if first[row] >= 0 else "–"

        yield "nearest", PointColumn("label", 12, nearest_label, None, "nearest")
        yield "nearest_away", _build_number_column("away", distances, format_distance, group="nearest")
    if scene.agreement is not None:
        group = f"{scene.agreement.neighbours}-NN"
        yield "alike", _build_number_column("alike", scene.agreement.shares, lambda value: f"{value:.0%}", group=group)
    if scene.comparison is not None:
        yield "moved", _build_number_column("moved", scene.comparison.distances, format_distance, group="compared")
        yield (
            "kept",
            _build_number_column("kept", scene.comparison.kept_shares, lambda value: f"{value:.0%}", group="compared"),
        )


def create_safe_formatter(texts: Sequence[str]) -> Callable[[int], str]:
    """Return a function from the number of a point to its text, safe for a terminal."""
    return lambda row: safe(texts[row]) or "–"


def _build_number_column(title: str, values: Values, text: Callable[[float], str], group: str = "") -> PointColumn:
    def number_text(row: int) -> str:
        value = float(values[row])
        return text(value) if np.isfinite(value) else "–"

    return PointColumn(title, max(NUMBER_WIDTH, cell_width(title) + 2), number_text, values, group)


def _order(scene: Scene, column: PointColumn | None, *, descending: bool) -> npt.NDArray[np.intp]:
    """Return the listed points in the order of a column; equal ones by number, missing values last."""
    session = scene.session
    is_shown = np.ones(scene.points.count, np.bool_) if session.isolated is None else session.visible(scene.points)
    if session.query:
        is_match = np.zeros_like(is_shown)
        is_match[list(scene.matches)] = True
        is_shown = is_shown & is_match
    listed = np.flatnonzero(is_shown)
    if column is None:
        return listed
    if column.values is not None:
        values = np.asarray(column.values[listed], np.float64)
        missing = np.isnan(values)
        return np.asarray(listed[np.lexsort((-values if descending else values, missing))])
    texts = [column.text(row) for row in listed.tolist()]
    ranks = {text: rank for rank, text in enumerate(sorted(set(texts), key=to_natural_key))}
    codes = np.array([ranks[text] for text in texts], np.int64)
    missing = np.array([text == "–" for text in texts], np.bool_)
    return np.asarray(listed[np.lexsort((-codes if descending else codes, missing))])
