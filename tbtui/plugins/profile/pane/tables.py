"""The tables of the Profile tab as sources of a `DataGrid`: operators, kernels, and calls of the runtime."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_size
from tbtui.charts.styled_text import Cell, Row
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.summary import format_change, format_milliseconds, format_percent
from tbtui.plugins.profile.tables import KernelRow, OperatorRow, shorten_kernel_name
from tbtui.view.row_order import ASCENDING, DESCENDING
from tbtui.widgets.grid_viewport import ColumnHead

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from tbtui.plugins.profile.communication import CollectiveRow
    from tbtui.plugins.profile.comparison import ComparedRow
    from tbtui.plugins.profile.memory import MemoryRow
    from tbtui.widgets.grid_viewport import CellsOfColumn

AnyRow: TypeAlias = "OperatorRow | KernelRow | MemoryRow | CollectiveRow | ComparedRow"
TableName: TypeAlias = Literal["operators", "kernels", "runtime", "memory", "input", "communication", "comparison"]

NOUNS = {
    "operators": "operator",
    "kernels": "kernel",
    "runtime": "call",
    "memory": "operator",
    "input": "stage",
    "communication": "collective",
    "comparison": "operator",
}


BAR_WIDTH = 12
"""Columns of the bar of the greatest share."""


class Column(NamedTuple):
    """A column of a table."""

    key: str
    title: str
    value: Callable[[Any], float]
    text: Callable[[float], str]
    width: int = 8
    group: str = ""
    ink: Callable[[Any], int] | None = None
    """Ink of a row; None: that of text."""


def _count_text(value: float) -> str:
    return f"{value:,.0f}"


def _format_microseconds(value: float) -> str:
    return f"{value:,.1f}"


def _format_occupancy(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0f} %"


def _draw_bar(share: float, max_share: float) -> str:
    """Return a bar; the greatest share takes the whole width."""
    return ("▇" * (round(BAR_WIDTH * share / max_share) if max_share > 0 else 0)).ljust(BAR_WIDTH)


MANY_MS = 999.9995e3
"""Time in µs from which on `format_milliseconds` leaves out decimals."""

MS_DECIMALS = 3


def _align_ms(value: float) -> str:
    """Return milliseconds with blanks for the decimals that a long time lacks, so that the points are in line."""
    text = format_milliseconds(value)
    _, point, decimals = text.partition(".")
    return text + " " * (MS_DECIMALS + 1 - len(point + decimals))


def _build_ms_column(key: str, title: str, value: Callable[[Any], float], group: str = "", *, max_ms: float) -> Column:
    """Return a column of times; it is wider if any of them has fewer decimals than the others."""
    if max_ms < MANY_MS:
        return Column(key, title, value, _align_ms, group=group)
    return Column(key, title, value, _align_ms, max(len(_align_ms(max_ms)), 10), group)


def _choose_columns(
    name: TableName, *, has_device: bool, total: float, max_share: float, max_ms: float
) -> tuple[Column, ...]:
    """Return the columns of a table, the most important first.

    Args:
        name: Kind of the rows.
        has_device: Operators have device time.
        total: µs that are 100 %.
        max_share: Greatest share of a row, 0 to 1.
        max_ms: Greatest time of a row in µs.
    """
    if name == "kernels":
        return (
            _build_ms_column("total", "total ms", lambda row: row.total, max_ms=max_ms),
            Column("share", "% device", lambda row: row.share, format_percent, 8),
            Column("calls", "calls", lambda row: row.calls, _count_text, 7),
            Column("mean", "mean µs", lambda row: row.mean, _format_microseconds, 9),
            Column("greatest", "max µs", lambda row: row.greatest, _format_microseconds, 9),
            Column("occupancy", "occup.", lambda row: row.occupancy, _format_occupancy, 7),
            Column(
                "bar",
                "",
                lambda row: row.share,
                lambda share: _draw_bar(share, max_share),
                BAR_WIDTH,
                "",
                _choose_kernel_ink,
            ),
        )
    if name in _OTHER_COLUMNS:
        return _OTHER_COLUMNS[name]
    own = _build_ms_column("own", "self ms", lambda row: row.host_own, "host", max_ms=max_ms)
    host = _build_ms_column("host", "total ms", lambda row: row.host_total, "host", max_ms=max_ms)
    calls = Column("calls", "calls", lambda row: row.calls, _count_text, 7)
    if name == "operators" and has_device:
        return (
            _build_ms_column("device_own", "self ms", lambda row: row.device_own, "device", max_ms=max_ms),
            Column("share", "of all", lambda row: row.device_own / total, format_percent, 7, group="device"),
            _build_ms_column("device", "total ms", lambda row: row.device_total, "device", max_ms=max_ms),
            own,
            host,
            calls,
            _build_bar_column(lambda row: row.device_own / total, max_share, "compute"),
        )
    share = Column("share", "of all", lambda row: row.host_own / total, format_percent, 7, group="host")
    ink = {"runtime": "launch", "input": "input"}.get(name, "operators")
    return own, share, host, calls, _build_bar_column(lambda row: row.host_own / total, max_share, ink)


def _build_bar_column(share: Callable[[Any], float], max_share: float, kind: str) -> Column:
    return Column(
        "bar", "", share, lambda value: _draw_bar(value, max_share), BAR_WIDTH, "", lambda _row: CLASS_INKS[kind]
    )


def _choose_kernel_ink(row: KernelRow) -> int:
    if row.is_collective:
        return CLASS_INKS["communication"]
    return CLASS_INKS["copies" if row.name.startswith(("Memcpy", "Memset")) else "compute"]


def _format_ratio(value: float) -> str:
    return "new" if math.isinf(value) else f"{value:.2f}x" if value else "gone"


def _format_bandwidth(value: float) -> str:
    return "–" if math.isnan(value) else f"{format_size(value)}/s"


def _format_bytes(value: float) -> str:
    return "–" if math.isnan(value) else format_size(value) if value >= 0 else f"-{format_size(-value)}"


def _format_ms(value: float) -> str:
    return "–" if math.isnan(value) else _align_ms(value)


_OTHER_COLUMNS: dict[str, tuple[Column, ...]] = {
    "memory": (
        Column("peak", "at peak", lambda row: row.at_peak, _format_bytes),
        Column("allocated", "allocated", lambda row: row.allocated, _format_bytes, 9),
        Column("freed", "freed", lambda row: row.freed, _format_bytes),
        Column("net", "net", lambda row: row.net, _format_bytes),
        Column("calls", "allocs", lambda row: row.calls, _count_text, 7),
    ),
    "communication": (
        Column("total", "total ms", lambda row: row.total, _align_ms),
        Column("calls", "calls", lambda row: row.calls, _count_text, 6),
        Column("mean", "mean µs", lambda row: row.mean, _format_microseconds, 9),
        Column("exposed", "exposed", lambda row: row.exposed, _align_ms),
        Column("wait", "wait ms", lambda row: row.wait, _format_ms),
        Column("bytes", "bytes", lambda row: row.nbytes, _format_bytes),
        Column("bandwidth", "bus", lambda row: row.bandwidth, _format_bandwidth, 10),
    ),
    "comparison": (
        Column("difference", "diff ms", lambda row: row.difference, format_change, group="a step"),
        Column("now", "this ms", lambda row: row.now, _align_ms, group="a step"),
        Column("before", "baseline", lambda row: row.before, _align_ms, group="a step"),
        Column("ratio", "ratio", lambda row: row.ratio, _format_ratio, 7, group="a step"),
        Column("calls", "calls", lambda row: row.calls, lambda value: f"{value:,.1f}", 8),
    ),
}
"""Columns of the tables that do not depend on the capture."""


class ProfileTable:
    """A `GridSource` of operators, kernels or calls of the runtime.

    Args:
        name: Kind of the rows.
        rows: All rows.
        key: Identity of the capture, the step and the grouping of the rows.
        has_device: Operators have device time.
        noun: Noun for one row.
        scope: Part of the capture that the numbers are about; empty: not shown.
        sort: Key of the column that sorts; empty: the order of `rows`.
        descending: The greatest value comes first.
        matches: Returns True if rows of a name are shown.
    """

    def __init__(
        self,
        name: TableName,
        rows: Sequence[AnyRow],
        key: Hashable,
        *,
        has_device: bool,
        noun: str,
        scope: str = "",
        sort: str = "",
        descending: bool = True,
        matches: Callable[[str], bool] = lambda name: True,  # noqa: ARG005
    ) -> None:
        self.name: TableName = name
        self._noun, self._scope = noun, scope
        if name == "kernels":
            total = 1.0  # the share is that of the row itself
            max_share = max((row.share for row in rows if isinstance(row, KernelRow)), default=0.0)
        else:
            uses_device_time = has_device and name == "operators"
            times = [
                row.device_own if uses_device_time else row.host_own for row in rows if isinstance(row, OperatorRow)
            ]
            total = max(sum(times), 1e-9)
            max_share = max(times, default=0.0) / total
        max_ms = max((_find_longest(row) for row in rows), default=0.0)
        columns = _choose_columns(name, has_device=has_device, total=total, max_share=max_share, max_ms=max_ms)
        self._columns = {column.key: column for column in columns}
        self.row_count = len(rows)
        """Number of all rows, also those that do not match."""

        matching = [row for row in rows if matches(row.name)]
        if sort in self._columns:
            value = self._columns[sort].value

            def sort_key(row: AnyRow) -> float:
                number = value(row)
                return -math.inf if math.isnan(number) else number

            matching.sort(key=sort_key, reverse=descending)
        self.sort, self.descending = sort, descending
        self.matching_rows = matching
        self._key = key
        self._rows = tuple(Row(str(index), (), _label(row), Ink.TEXT) for index, row in enumerate(matching))

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def corner(self) -> str:
        """`operator, all 3 steps`, or `12 of 89 operators` if the others are filtered."""
        if len(self._rows) != self.row_count:
            return f"{len(self._rows):,} of {self.row_count:,} {self._noun}s"
        return f"{self._noun}, {self._scope}" if self._scope else self._noun

    @property
    def meaning(self) -> Hashable:
        return self._key, self.name, self.sort, self.descending, len(self._rows)

    def head(self, column: str) -> ColumnHead:
        shown = self._columns[column]
        sign = (DESCENDING if self.descending else ASCENDING) if column == self.sort else ""
        return ColumnHead(shown.title, shown.width, shown.group, sign)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:  # noqa: ARG002 - all rows
        for key in columns:
            yield key, self._cells(self._columns[key])

    def _cells(self, column: Column) -> Mapping[str, Cell]:
        cells: dict[str, Cell] = {}
        for index, row in enumerate(self.matching_rows):
            value = column.value(row)
            text = column.text(value).rjust(column.width)
            ink = int(Ink.TEXT if value else Ink.FAINT) if column.ink is None else column.ink(row)
            cells[str(index)] = ((text, ink),)
        return cells


def _find_longest(row: AnyRow) -> float:
    """Return the greatest time of a row in µs."""
    if isinstance(row, OperatorRow):
        return max(row.host_total, row.device_total)
    return row.total if isinstance(row, KernelRow) else 0.0


def _label(row: AnyRow) -> str:
    if isinstance(row, OperatorRow):
        return f"{row.name}  {row.group}" if row.group else row.name
    return shorten_kernel_name(row.name) if isinstance(row, KernelRow) else row.name
