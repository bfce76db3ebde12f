"""Tables: named columns, usually of one tag of one run, and the values that are left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from tbtui.frozen import frozen
from tbtui.loading.payloads import decode_block, read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, ScalarSeries

    AnySeries = TypeVar("AnySeries", bound=ScalarSeries | ReferenceSeries)


KEY_COLUMNS = ("run", "tag")
"""Key columns of a table, constant in all its rows."""

INTEGER_COLUMNS = frozenset(
    (
        *("sample", "width", "height", "frames", "bytes", "rate", "channels", "row", "column"),
        *("points", "superseded", "first_step", "last_step", "records", "step", "correlation"),
    )
)
"""Object columns that hold integers or None."""

FLOAT_COLUMNS = frozenset(("duration", "first_wall_time", "last_wall_time", "number"))
"""Object columns that hold floats or None; all other object columns hold texts."""


@frozen(eq=False)
class Table:
    """Rows of one tag of one run, or of all of them."""

    run: str
    """Name of the run; empty, like `tag`, if rows belong to several."""

    tag: str
    columns: Mapping[str, npt.NDArray[Any]]
    """Columns by name, all of length n: int64, float64 or bool, each also with `mask_missing`, or objects (strings, or
    numbers with None).
    """

    def __post_init__(self) -> None:
        """Refuse columns that the formats would write wrongly.

        Raises:
            TypeError: A column has another dtype.
        """
        for name, column in self.columns.items():
            if column.dtype.kind not in "biuO" and column.dtype != np.float64:
                raise TypeError(
                    f"column {name!r} of a table is {column.dtype}: convert it to int64, float64, bool or objects"
                )

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def build_object_column(cells: Sequence[str | float | None]) -> npt.NDArray[Any]:
    """Return a column of texts, or of numbers that may be None."""
    column = np.empty(len(cells), object)
    column[:] = cells
    return column


def mask_missing(values: npt.NDArray[Any], has_value: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return a column in which some rows have no value.

    Args:
        values: Numbers, one per row; ignored in rows without a value.
        has_value: bool[n]: True for rows with a value.
    """
    # Some releases of numpy type this call, which leaves the first ignore unused.
    column: npt.NDArray[Any] = np.ma.MaskedArray(values, mask=~has_value)  # type: ignore[no-untyped-call, unused-ignore]
    return column


def concatenate_columns(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Concatenate parts of a column; rows without a value stay masked."""
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        column: npt.NDArray[Any] = np.ma.concatenate(parts)  # type: ignore[no-untyped-call, unused-ignore]
        return column
    return np.concatenate(parts)


def find_missing_rows(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Return True for each row of a number column without a value, bool[n]; None if all rows have one."""
    if not isinstance(column, np.ma.MaskedArray):
        return None
    missing: npt.NDArray[np.bool_] = np.broadcast_to(np.asarray(column.mask, np.bool_), len(column))
    return missing


def match_all(_name: str) -> bool:
    """Return True for every name."""
    return True


def select_references(
    runs: Iterable[RunSnapshot],
    plugin: str,
    tag_matches: Callable[[str], bool] = match_all,
    *,
    current: bool = False,
    skipped: SkippedValues | None = None,
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    """Yield the series of a plugin that are stored in files and not empty, run by run, tag by tag.

    Args:
        runs: Runs to search.
        plugin: Plugin name.
        tag_matches: Returns True for the tags to include.
        current: Leave out superseded points.
        skipped: Counts the superseded points that are left out.
    """
    for run in runs:
        for tag in filter(tag_matches, run.series):
            series = run.references(tag, plugin)
            if series is not None:
                yield run, select_current(series, skipped) if current else series


def select_current(series: AnySeries, skipped: SkippedValues | None = None) -> AnySeries:
    """Return the current points of a series, and count the superseded ones.

    `current` is read from a copy, because a series caches it, which would double the memory of all points.
    """
    uncached = replace(series)
    if skipped is not None:
        skipped.superseded += uncached.superseded
    return cast("AnySeries", uncached.current)


Value = TypeVar("Value")


def read_values(
    run: RunSnapshot, series: ReferenceSeries, read: Callable[[Any], Value], skipped: SkippedValues
) -> Iterator[dict[int, Value]]:
    """Read all values of a series, block by block.

    Args:
        run: Run that holds the series.
        series: Series to read.
        read: Returns what a `SummaryValue` holds, or raises a ValueError with the reason, as for `decode_block`.
        skipped: Collects unreadable values after the last block.

    Yields:
        Values by point, at least one.
    """
    all_errors: dict[int, str] = {}
    for block in read_payloads(run, series, np.arange(len(series))):
        values, errors = decode_block(block, series, read)
        all_errors |= errors
        if values:
            yield values
    skipped.add(series, all_errors)


class SkippedValue(NamedTuple):
    """A value that cannot be written."""

    run: str
    tag: str
    step: int | None
    """None if the value has no step."""

    reason: str
    """One plain sentence."""


@dataclass(slots=True)
class SkippedValues:
    """Counts values while they are read for tables."""

    requested: int = 0
    """Number of values that were requested."""

    count: int = 0
    """Number of those that cannot be written."""

    first: SkippedValue | None = None

    superseded: int = 0
    """Number of points that were left out because later ones superseded them."""

    same_x: int = 0
    """Number of points that were left out of a wide table because a later one of its column has the same x value."""

    without_x: int = 0
    """Number of points that were left out of a wide table because they have no x value."""

    notes: dict[tuple[str, str, str], None] = field(default_factory=dict)
    """Run, tag and defect of values that are written nevertheless, in the order of reading."""

    reasons: dict[str, None] = field(default_factory=dict)
    """Sentences about missing parts of a table, such as the shares of a search that is too small for them."""

    def add(self, series: ReferenceSeries, reasons: Mapping[int, str], requested: int | None = None) -> None:
        """Add the result of reading a series.

        Args:
            series: Series of one tag of one run.
            reasons: Reasons by skipped point.
            requested: Number of requested values, if not one per point.
        """
        self.requested += len(series) if requested is None else requested
        self.count += len(reasons)
        if reasons and self.first is None:
            point = min(reasons)
            self.first = SkippedValue(series.run, series.tag, int(series.steps[point]), reasons[point])

    def add_reasons(self, run: str, tag: str, requested: int, reasons: Sequence[str]) -> None:
        """Add values without a single step: `requested` readable ones, and one skipped value per reason."""
        self.requested += requested + len(reasons)
        self.count += len(reasons)
        if reasons and self.first is None:
            self.first = SkippedValue(run, tag, None, reasons[0])
