"""Values that are one or a few numbers, such as a level and a temperature, drawn over steps as scalars are.

A dashboard of such values declares a `NumberKind` with its decoder. Lines, axes, cursor, table, legend, smoothing and
averages of its charts are those of the Scalars tab.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.loading.payloads import decode_block
from tbtui.plugins.scalars.cards import Cards, JoinedCard
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.store.columns import Columns
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.cards import ShownRunCards, shorten_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import PayloadBlock, Payloads
    from tbtui.settings.declaration import Setting
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_REASONS = 3
"""Unreadable values of a chart whose reasons are named; the others are counted."""


@frozen(eq=False)
class Numbers:
    """The numbers of all points of a series."""

    columns: Mapping[str, Floats]
    """float64[n] by the name of the number, read-only; NaN for an unreadable value."""

    errors: Mapping[int, str]
    """Reasons by unreadable point, one plain sentence each."""


@frozen(eq=False)
class NumberKind:
    """Declaration of a plugin name whose values hold the same few numbers each. Kept as a constant of its module."""

    plugin: str
    """Plugin name in event files."""

    noun: str
    """Singular noun of a value, for messages: `weather report`."""

    columns: tuple[str, ...]
    """Names of the numbers, in the order of `read`."""

    read: Callable[[Any], Sequence[float]]
    """Returns the numbers of a `SummaryValue`, one per column, or raises a ValueError with one plain sentence."""

    shown: Setting[Any] | None = None
    """Setting whose value is the column that charts show; None: the first."""

    def get_shown_column(self, settings: Settings) -> str:
        """Return the column that charts show."""
        return self.columns[0] if self.shown is None else str(self.shown.value(settings))

    def numbers(self, payloads: Payloads, run: RunSnapshot, series: ReferenceSeries) -> Numbers:
        """Return the numbers of a series; `payloads` caches them, so that the next call reads only new points."""
        return payloads.decoded(self._create_columns, run, series)

    def _create_columns(self) -> NumberColumns:
        return NumberColumns(self)


class NumberColumns:
    """Numbers of one series in growing columns (`SeriesColumns`)."""

    def __init__(self, kind: NumberKind) -> None:
        self._kind = kind
        self._columns = Columns((np.float64,) * len(kind.columns))
        self._errors: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(column.nbytes for column in self._columns.create_views())

    def add(self, block: PayloadBlock, series: ReferenceSeries) -> None:
        """Append the points of a block; an unreadable one has NaN."""
        first, count = len(self), len(block) + len(block.errors)
        values, errors = decode_block(block, series, self._kind.read)
        rows = np.full((len(self._kind.columns), count), np.nan)
        if values:
            rows[:, np.array(list(values)) - first] = np.array(list(values.values())).T
        self._columns.append(*rows)
        self._errors |= errors

    def first(self, count: int) -> NumberColumns:
        """Return the first `count` points in columns of their own."""
        shorter = NumberColumns(self._kind)
        shorter._columns.append(*(column[:count] for column in self._columns.create_views()))
        shorter._errors = {point: reason for point, reason in self._errors.items() if point < count}
        return shorter

    def view(self, series: ReferenceSeries) -> Numbers:
        """Return the numbers of the first points."""
        count = len(series)
        columns = (column[:count] for column in self._columns.create_views())
        errors = {point: reason for point, reason in self._errors.items() if point < count}
        return Numbers(MappingProxyType(dict(zip(self._kind.columns, columns, strict=True))), MappingProxyType(errors))


class NumberCards:
    """Lists one card per tag; its chart shows one column."""

    def __init__(self, kind: NumberKind) -> None:
        self._kind = kind
        self._tags = ShownRunCards(kind.plugin, together=True)
        self._inputs: tuple[object, ...] = ()
        self._cards = Cards()

    def of(self, view: View) -> Cards:
        """Return the cards in order; the same object as long as nothing changes."""
        inputs = self._tags.of(view), self._kind.get_shown_column(view.settings)
        if inputs != self._inputs:
            self._inputs = inputs
            tags, column = inputs
            self._cards = Cards(tags.keys, {tag: self._build_card(tag, column) for tag in tags.keys})
        return self._cards

    def _build_card(self, tag: str, column: str) -> JoinedCard:
        if len(self._kind.columns) == 1:
            return JoinedCard(tag, (tag,), None, shorten_tag(tag))
        return JoinedCard(tag, (f"{tag}/{column}",), None, f"{column} · {shorten_tag(tag)}")


class NumberCharts(ScalarData):
    """The charts of all views of a kind of numbers: the shown column of each series as if it were logged as scalars.

    Unreadable values are no points of a line, unlike NaN; the notes of a chart count them. Used by one thread.

    Args:
        kind: The kind of numbers.
        payloads: Reads and caches the values.
    """

    def __init__(self, kind: NumberKind, payloads: Payloads) -> None:
        super().__init__(cards=NumberCards(kind))
        self._kind = kind
        self._payloads = payloads

    def find_series(self, view: View, key: str) -> Iterator[ScalarSeries]:
        """Yield the shown column of the drawn series of card `key` with a readable point. Reads files."""
        return filter(len, self._columns(view, key))

    def _columns(self, view: View, key: str) -> Iterator[ScalarSeries]:
        column, (tag,) = self._kind.get_shown_column(view.settings), self.cards(view).list_tags(key)
        for run, series in view.references(key, self._kind.plugin):
            numbers = self._kind.numbers(self._payloads, run, series)
            columns = series.steps, series.wall_times, numbers.columns[column]
            scalars = ScalarSeries(run.name, tag, series.metadata, series.revision, *columns)
            yield scalars.part(~np.isin(np.arange(len(series)), list(numbers.errors))) if numbers.errors else scalars

    def notes(self, view: View, key: str) -> tuple[str, ...]:
        """Return sentences about the unreadable values of card `key`."""
        noun = self._kind.noun
        reasons = [
            f"{run.name}, step {series.steps[point]}: {reason}"
            for run, series in view.references(key, self._kind.plugin)
            for point, reason in sorted(self._kind.numbers(self._payloads, run, series).errors.items())
        ]
        more = len(reasons) - MAX_REASONS
        return (*reasons[:MAX_REASONS], *([f"{format_count(more, f'more unreadable {noun}')}"] if more > 0 else ()))
