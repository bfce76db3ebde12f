"""What is written: columns under names, mostly of one tag of one run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.payloads import read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


KEY_COLUMNS = ("run", "tag")
"""What a table can have in front of its columns, the same in all its rows."""

INTEGER_COLUMNS = frozenset(
    (
        *("sample", "width", "height", "bytes", "rate", "channels", "row", "column"),
        *("points", "superseded", "first_step", "last_step", "records"),
    )
)
"""Columns of objects that are whole numbers where they are anything."""

FLOAT_COLUMNS = frozenset(("duration", "first_wall_time", "last_wall_time", "number"))
"""Likewise floats; all other columns of objects are texts."""


@frozen(eq=False)
class Table:
    """Rows of one tag of one run, or of all of them."""

    run: str
    """Empty where rows are of no single run, as is `tag`."""

    tag: str
    columns: Mapping[str, npt.NDArray[Any]]
    """By name: int64[n], float64[n], such a one `with_gaps`, or an object array of n strings, or of numbers where some
    rows have None; n is the same for all."""

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def object_column(cells: Sequence[str | float | None]) -> npt.NDArray[Any]:
    """A column of texts, or of numbers where some rows have none."""
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


def mask_missing(values: npt.NDArray[Any], there: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """A column in which some rows have no value.

    Args:
        values: Numbers, one for each row; where there is none it does not count.
        there: Which rows have one, bool[n].
    """
    # Some releases of numpy type this call, which leaves the first ignore unused.
    column: npt.NDArray[Any] = np.ma.MaskedArray(values, mask=~there)  # type: ignore[no-untyped-call, unused-ignore]
    return column


def missing_rows(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Which rows of a column of numbers have no value, bool[n]; None when all have one."""
    if not isinstance(column, np.ma.MaskedArray):
        return None
    missing: npt.NDArray[np.bool_] = np.broadcast_to(np.asarray(column.mask, np.bool_), len(column))
    return missing


# Which series of some runs are wanted.


def match_all(_name: str) -> bool:
    """Matches every name."""
    return True


def select_references(
    runs: Iterable[RunSnapshot], plugin: str, tag_matches: Callable[[str], bool] = match_all, *, current: bool = False
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    """The series of a plugin that hold anything and whose values lie in files, run by run, tag by tag.

    Args:
        runs: Those that are wanted.
        plugin: Its name.
        tag_matches: Whether the tag is wanted.
        current: Without points that a restart superseded, instead of every stored point in arrival order.
    """
    for run in runs:
        for tag in filter(tag_matches, run.series):
            series = run.references(tag, plugin)
            if series is not None:
                # Asked of a copy, because a series keeps its answer: by and by that would be all points a second time.
                yield run, replace(series).current if current else series


# Values of a series, read from its files part by part for tables.


Value = TypeVar("Value")


def read_values(
    run: RunSnapshot,
    series: ReferenceSeries,
    values_in: Callable[[PayloadBlock, ReferenceSeries], Mapping[int, Value | str]],
    refusals: SkippedValues,
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


# What is left out of tables, and why.


class SkippedValue(NamedTuple):
    """A value that cannot be written."""

    run: str
    tag: str
    step: int | None
    """None where it is of no step."""

    reason: str
    """One plain sentence."""


@dataclass(slots=True)
class SkippedValues:
    """Counts values while they are read for tables."""

    asked: int = 0
    """Values that were to be written."""

    count: int = 0
    """Those of them that cannot be."""

    first: SkippedValue | None = None

    def add(self, series: ReferenceSeries, reasons: Mapping[int, str], asked: int | None = None) -> None:
        """Tell of a series that was read.

        Args:
            series: Of one tag of one run.
            reasons: The points that are left out, and why.
            asked: Values that were to be written, where that is not one a point.
        """
        self.asked += len(series) if asked is None else asked
        self.count += len(reasons)
        if reasons and self.first is None:
            point = min(reasons)
            self.first = SkippedValue(series.run, series.tag, int(series.steps[point]), reasons[point])

    def add_reasons(self, run: str, tag: str, asked: int, reasons: Sequence[str]) -> None:
        """Tell of values of no single step: so many were to be written beside those that are left out."""
        self.asked += asked + len(reasons)
        self.count += len(reasons)
        if reasons and self.first is None:
            self.first = SkippedValue(run, tag, None, reasons[0])
