"""What histograms say where the user looks: at the cursor, at the marked step, or at their newest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import MIN_TITLE_COLUMNS, SEPARATOR
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.colours import marker
from tbtui.charts.line_chart import ABOVE_SIGN, BASELINE_SIGN, BELOW_SIGN, NAN_SIGN
from tbtui.charts.numbers import format_distinct as numbers_told_apart
from tbtui.charts.text import align_numbers, cell_width, fit, safe, write
from tbtui.events.histogram import HAS_INFINITE
from tbtui.frozen import frozen
from tbtui.maths.axes import start_time
from tbtui.maths.statistics import BASIS_POINTS, quantiles
from tbtui.plugins.histograms.chart import ChartCache, HistogramAxes, chart_title, visible_rows
from tbtui.plugins.histograms.series import OUTLIER_SHARE, NothingRecordedError
from tbtui.settings.settings import FULL_RANGE, SETTINGS, usable_range
from tbtui.view.axes import axes_hold_key, axes_settings_of, sort_rows, title_with_order
from tbtui.view.descriptions import range_phrase, x_axis_labels, y_axis_label
from tbtui.view.run_names import distinct_names, fit_names
from tbtui.view.run_table import NO_VALUE, TableRow, run_table, table_column

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from tbtui.export.output import SavedFile
    from tbtui.export.table import SkippedValues
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.chart import Axes
    from tbtui.plugins.histograms.series import Floats, HistogramSeries
    from tbtui.settings.settings import HeatScale, HistogramStyle, Settings
    from tbtui.settings.zoom import CursorState
    from tbtui.view.axes import AxesSettings
    from tbtui.view.run_table import TableColumn
    from tbtui.view.view import View


MEDIAN = len(BASIS_POINTS) // 2


@frozen
class StepReadout:
    """One histogram of one run. Figures are NaN where nothing is in it, or it is refused."""

    series: HistogramSeries
    index: int

    @property
    def step(self) -> int:
        """Its step."""
        return int(self.series.steps[self.index])

    @property
    def x(self) -> float:
        """Where it stands on the x axis."""
        return float(self.series.x[self.index])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.series.wall_times[self.index])

    @property
    def count(self) -> float:
        """How many values; may be a fraction, NaN only where it is refused."""
        return float(self.series.moments.count[self.index])

    @property
    def mean(self) -> float:
        """Of all values; see `is_exact`."""
        return float(self.series.moments.mean[self.index])

    @property
    def std(self) -> float:
        """Likewise."""
        return float(self.series.moments.std[self.index])

    @property
    def is_exact(self) -> bool:
        """Whether mean and deviation are those of the values, not of buckets."""
        return bool(self.series.moments.exact[self.index])

    @property
    def least(self) -> float:
        """Where the first bucket with a count begins."""
        return float(self.series.moments.least[self.index])

    @property
    def greatest(self) -> float:
        """Where the last one ends."""
        return float(self.series.moments.greatest[self.index])

    @property
    def median(self) -> float:
        """Interpolated, as TensorBoard does."""
        if not self.count:
            return float("nan")
        if self.series.statistics.has_quantiles:
            return float(self.series.quantiles[self.index, MEDIAN])
        return float(quantiles(self.series.some(np.array([self.index])), BASIS_POINTS[MEDIAN : MEDIAN + 1])[0, 0])

    @property
    def refused(self) -> str:
        """Why it cannot be drawn; empty when it can."""
        return self.series.refused.get(self.index, "")


def cursor_readout(series: HistogramSeries, pointer: CursorState) -> StepReadout:
    """The histogram at the cursor; without one the newest."""
    return StepReadout(series, series.nearest(pointer.cursor))


def mark_readout(series: HistogramSeries, pointer: CursorState) -> StepReadout | None:
    """The one that it is compared with; None where none is marked, or it is the same."""
    if pointer.mark is None:
        return None
    index = series.nearest(pointer.mark)
    return None if index == series.nearest(pointer.cursor) else StepReadout(series, index)


def focused_index(series: Sequence[HistogramSeries], focus: str | None) -> int | None:
    """Index of the run that stands out; None where none does."""
    return next((index for index, each in enumerate(series) if each.run == focus), None)


# The buckets of one histogram as a table, exact as they are stored.


TITLES = ("from", "to", "count", "share", "up to here")
GAP = 2

DIGITS = (5, 7, 9, 12, 17)
"""Significant digits of edges: the fewest that tell all of them apart. The last are all that a float has."""

MAX_BUCKET_ROWS = 20_000
"""Buckets beyond are counted, not listed; no writer makes nearly as many."""

BAR = " ▏▎▍▌▋▊▉█"
"""A cell filled from the left, in eighths."""

EIGHTHS, MAX_BAR_COLUMNS = 8, 60


def bucket_table(reading: StepReadout, width: int) -> tuple[Cells, Cells]:
    """The table's header (one row) and its body, a row a bucket, the least values first.

    Args:
        reading: The histogram.
        width: Columns of the terminal; where there are too few the bars go first, then the columns at the right.
    """
    buckets = reading.series.some(np.array([reading.index]))
    counts = buckets.counts[:MAX_BUCKET_ROWS]
    whole = float(buckets.totals[0]) or 1.0
    columns = [
        *_edges(buckets.lefts[:MAX_BUCKET_ROWS], buckets.rights[:MAX_BUCKET_ROWS]),
        [_count(count) for count in counts.tolist()],
        [_percent(share) for share in (counts / whole).tolist()],
        [_percent(share) for share in (np.cumsum(counts) / whole).tolist()],
    ]
    texts = [_column(title, column) for title, column in zip(TITLES, columns, strict=True)]
    while texts and sum(len(column[0]) + GAP for column in texts) > width:
        texts.pop()
    used = sum(len(column[0]) + GAP for column in texts)
    header, body = Cells.blank(1, max(width, 0)), Cells.blank(len(counts), max(width, 0))
    write(header, 0, 0, "".join(" " * GAP + column[0] for column in texts), Ink.DIM)
    rows = ["".join(" " * GAP + column[row] for column in texts) for row in range(1, len(counts) + 1)]
    _put(body, 0, rows, Ink.TEXT)
    body.inks[counts == 0, :used] = Ink.DIM
    room = min(width - used - GAP, MAX_BAR_COLUMNS)
    if room > 0:
        _put(body, used + GAP, _bars(counts, room), reading.series.ink)
    more = len(buckets.counts) - len(counts)
    return header, _with_last(body, f"⋯ and {more:,} more buckets") if more else body


def _edges(lefts: Floats, rights: Floats) -> tuple[list[str], list[str]]:
    """Both columns of edges in digits that tell them apart."""
    distinct = len(np.unique(np.concatenate([lefts, rights])))
    for digits in DIGITS:
        columns = tuple([_number(edge, digits) for edge in edges.tolist()] for edges in (lefts, rights))
        if len({*columns[0], *columns[1]}) >= distinct:
            break
    return columns[0], columns[1]


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return text.replace("e-0", "e-").replace("e+0", "e+").replace("e+", "e") if "e" in text else text


def _count(count: float) -> str:
    return f"{count:.0f}" if count == int(count) and count < 1e12 else numbers.short(count)


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 5e-5 else "<.01 %" if share else "0 %"


def _column(title: str, texts: Sequence[str]) -> list[str]:
    """The title and the texts below it, all of one width."""
    lined = texts if texts and texts[0].endswith("%") else align_numbers(texts)
    width = max(map(len, (title, *lined)))
    return [title.rjust(width), *(text.rjust(width) for text in lined)]


def _bars(counts: Floats, room: int) -> list[str]:
    """A bar a row; whatever is in a bucket is seen."""
    lengths = np.rint(counts / (counts.max(initial=0) or 1.0) * (EIGHTHS * room)).astype(int)
    lengths[counts > 0] = np.maximum(lengths[counts > 0], 1)
    return [
        (BAR[-1] * (eighths // EIGHTHS) + BAR[eighths % EIGHTHS])[:room].ljust(room) for eighths in lengths.tolist()
    ]


def _put(cells: Cells, left: int, rows: Sequence[str], ink: int) -> None:
    """Put rows of texts of one width, all of it printable and narrow, at once."""
    if rows and rows[0]:
        glyphs = np.frombuffer("".join(rows).encode("utf-32-le"), "<u4").reshape(len(rows), -1)
        area = (slice(None), slice(left, left + glyphs.shape[1]))
        cells.glyphs[area], cells.inks[area] = glyphs, ink


def _with_last(body: Cells, text: str) -> Cells:
    last = Cells.blank(1, body.width)
    write(last, 0, GAP, fit(text, body.width - GAP), Ink.DIM)
    return Cells(np.vstack((body.glyphs, last.glyphs)), np.vstack((body.inks, last.inks)))


# The runs of one tag as a table: the figures of one step of each, and how they differ from those of another.


ROUGHLY = "≈"
"""In front of what was worked out from buckets, not by the writer from all values."""

STATISTIC_COLUMNS: tuple[tuple[str, Callable[[StepReadout], float], int, int], ...] = (
    ("mean", lambda reading: reading.mean, 10, 9),
    ("std", lambda reading: reading.std, 9, 8),
    ("min", lambda reading: reading.least, 5, 0),
    ("max", lambda reading: reading.greatest, 5, 0),
    ("median", lambda reading: reading.median, 6, 4),
)
"""Titles, what stands below, and what it and its difference are worth where there is too little room for all; a
difference that is worth nothing is not told."""

STEP_WORTH, COUNT_WORTH, TIME_WORTH, WALL_WORTH = 8, 7, 2, 1


def step_table(
    sharing: Sequence[HistogramSeries], width: int, pointer: CursorState, first: str | None = None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body, and the run of each of its rows.

    Args:
        sharing: What runs have series, in the order of the run tree; at least one.
        width: Columns.
        pointer: Where the user looks.
        first: The run whose row comes first while runs are in their own order; None: they stay in it.
    """
    if len(sharing) > 1:  # the histograms of many runs may be more than is kept: none is to be read again for a median
        for each in sharing:
            _ = each.quantiles
    held = [cursor_readout(each, pointer) for each in sharing]
    runs = [each.run for each in sharing]
    names = zip(runs, distinct_names(runs), sharing, strict=True)
    rows = [TableRow(run, short, each.ink, run == pointer.focus) for run, short, each in names]
    focus = next((index for index, run in enumerate(runs) if run == pointer.focus), None)
    order = sort_rows([reading.mean for reading in held], pointer.order, focus)
    if pointer.order == "runs" and first in runs:
        order = [runs.index(first), *(index for index in order if runs[index] != first)]
    header, body = run_table(rows, _columns(held, pointer), width, order)
    return header, body, tuple(runs[index] for index in order)


def _columns(held: Sequence[StepReadout], pointer: CursorState) -> list[TableColumn]:
    marked = [mark_readout(reading.series, pointer) for reading in held]
    base = next((reading for reading in held if reading.series.run == pointer.baseline), None)
    columns = [
        table_column("step", [str(reading.step) for reading in held], STEP_WORTH),
        table_column(
            "count", [NAN_SIGN if reading.refused else numbers.short(reading.count) for reading in held], COUNT_WORTH
        ),
    ]
    for title, figure, worth, delta_worth in STATISTIC_COLUMNS:
        texts = numbers_told_apart([figure(reading) for reading in held])
        if title in ("mean", "std"):
            texts = [text if reading.is_exact else ROUGHLY + text for text, reading in zip(texts, held, strict=True)]
        texts = [
            text if math.isfinite(figure(reading)) else NO_VALUE for text, reading in zip(texts, held, strict=True)
        ]
        shown = title_with_order(title, pointer.order, pointer.focus) if title == "mean" else title
        columns.append(table_column(shown, texts, worth))
        if delta_worth and any(marked):
            columns.append(table_column(f"Δ {title}", _deltas(held, marked, figure), delta_worth))
        elif delta_worth and base is not None:
            columns.append(table_column(f"Δ {title}", _deltas(held, [base] * len(held), figure), delta_worth))
    return [
        *columns,
        table_column("time", [time_label(reading) for reading in held], TIME_WORTH),
        table_column("wall time", [numbers.clock(reading.wall_time) for reading in held], WALL_WORTH),
    ]


def _deltas(
    held: Sequence[StepReadout], bases: Sequence[StepReadout | None], figure: Callable[[StepReadout], float]
) -> list[str]:
    """How far each is from another; the one that it is compared with has its sign."""
    apart = [
        math.nan if base is None else figure(reading) - figure(base) for reading, base in zip(held, bases, strict=True)
    ]
    return [
        BASELINE_SIGN if base == reading else text if math.isfinite(delta) else NO_VALUE
        for reading, base, delta, text in zip(
            held, bases, apart, numbers_told_apart(apart, numbers.signed), strict=True
        )
    ]


def time_label(reading: StepReadout) -> str:
    """Since the run's first histogram of the tag that is known here."""
    return numbers.duration(reading.wall_time - start_time(reading.series.wall_times))


# What the Histograms tab says about itself, and why it is empty when it is.


OUTLIERS = {"auto": "", "ignore": "outliers ignored", "keep": "outliers kept"}


def style_label(choices: Settings) -> str:
    """`heat map, colours log`, `ridges`, `runs together`."""
    if choices.runs_together:
        return "runs together"
    word = SETTINGS["histogram_look"].labels[choices.histogram_look]
    return f"{word}, colours {choices.heat_scale}" if choices.histogram_look == "heat" else word


def settings_label(choices: Settings, key: str | None = None, look: str | None = None) -> str:
    """How the charts are drawn, or one of them: `heat map, colours log · y symlog · x step`. Only what matters is told.

    Args:
        choices: What is chosen.
        key: Card of the one chart; None is all of them.
        look: Of the charts; None: as histograms look.
    """
    told = (
        style_label(choices) if look is None else look,
        overview_label(choices) if key is None else "",
        y_axis_label(choices, key),
        OUTLIERS[choices.outliers],
        *x_axis_labels(choices, key),
    )
    return SEPARATOR.join(filter(None, told))


def overview_label(choices: Settings) -> str:
    """`overview of 98 % of values`: what small cards leave out is told for all of them."""
    if not choices.overview:
        return ""
    return (
        f"overview of {round(100 * (1 - 2 * OUTLIER_SHARE))} % of values" if choices.outliers == "auto" else "overview"
    )


def step_label(series: Sequence[HistogramSeries], pointer: CursorState, *, brief: bool = False) -> str:
    """Which histograms the user looks at: `step 440, the newest`, `step 312`, `step 312 beside 100`.

    Of several runs it is the greatest, which most of them have.
    """
    chosen = max((cursor_readout(each, pointer) for each in series), key=lambda reading: reading.step)
    marked = mark_readout(chosen.series, pointer)
    word = f"step {chosen.step}"
    if marked is not None:
        return f"{word} beside {marked.step}"
    return word if brief or pointer.cursor is not None else f"{word}, the newest"


def anomaly_labels(series: HistogramSeries) -> tuple[str, ...]:
    """What happened to the values by the newest step, in ever fewer words; nothing where nothing did.

    `✗ NaN from 120`, `▼ collapsed from 300`, `▲ exploded from 40`.
    """
    found = series.anomaly
    if found is None:
        return ()
    lost = "Inf" if series.refused.get(found.since) == HAS_INFINITE else "NaN"
    sign, word = {
        "lost": (NAN_SIGN, lost),
        "collapsed": (BELOW_SIGN, "collapsed"),
        "exploded": (ABOVE_SIGN, "exploded"),
    }[found.kind]
    since = numbers.step(int(series.steps[found.since]))
    return f"{sign} {word} from {since}", f"{sign} {word}", sign


def run_anomaly_labels(series: Sequence[HistogramSeries]) -> Iterator[str]:
    """What happened to the values of each run that anything happened to; where there are several, with its name."""
    names = distinct_names([each.run for each in series])
    for each, name in zip(series, names, strict=True):
        for word in anomaly_labels(each)[:1]:
            yield f"{name} {word}" if len(series) > 1 else word


def refused_label(series: HistogramSeries) -> str:
    """`3 of 300 steps cannot be drawn`; empty where all can."""
    count = len(series.refused)
    return f"{count:,} of {len(series):,} steps cannot be drawn" if count else ""


def outside_label(outside: float) -> str:
    """`12 values outside`, in few words; empty without any. Fractions of buckets are told as one value at least."""
    if outside < MIN_OUTSIDE_VALUES:
        return ""
    count = max(round(outside), 1)
    return f"{count if count < 10_000 else numbers.brief(count)} value{'' if count == 1 else 's'} outside"


def export_message(written: SavedFile, refusals: SkippedValues) -> str:
    """`1,200 rows in /home/me/histograms.csv; 3 steps left out that cannot be drawn`."""
    word = f"{numbers.counted(written.rows, 'row')} in {written.path}"
    count = refusals.count
    return f"{word}; {numbers.counted(count, 'step')} left out that cannot be drawn" if count else word


MIN_OUTSIDE_VALUES = 1e-6
"""Values; what is less is left over from adding up fractions."""


def error_text(error: Exception) -> str:
    """An error in words for people."""
    if isinstance(error, NothingRecordedError):
        return str(error)
    return f"cannot be drawn: {type(error).__name__}: {error}"


def empty_message(own: Sequence[HistogramSeries], axes: Axes, chosen: AxesSettings) -> str:
    """Why nothing of a chart can be seen; empty when something can."""
    filled = [each for each in own if each.value_range.limits is not None]
    if not filled:
        refused = [reason for each in own for reason in each.refused.values()]
        return refused[-1] if len(refused) == sum(map(len, own)) else "no values in any histogram"
    if not any(bool(np.isfinite(each.x).any()) for each in filled):
        return "no histogram of this tag has a time"
    greatest = max(each.value_range.limits[1] for each in filled if each.value_range.limits is not None)
    if axes.values.scale == "log" and greatest <= 0:
        return "all values ≤ 0: none fits a log axis"
    if axes.along.scale == "log" and not any(bool((each.x > 0).any()) for each in filled):
        return f"every {chosen.x_axis if chosen.x_axis == 'step' else 'time'} is ≤ 0: none fits a log axis"
    whole_x = usable_range(chosen.x_range, axes.along.scale, axes.along.origin) == FULL_RANGE
    if whole_x and usable_range(chosen.y_range, axes.values.scale) == FULL_RANGE:
        return ""
    rows = [slice(None) if whole_x else visible_rows(each, axes.along) for each in filled]
    if not any(each.x[at].size for each, at in zip(filled, rows, strict=True)):
        return f"no histogram {range_phrase(*chosen.x_range, chosen.x_axis)}"
    low, high = axes.values.low, axes.values.high
    for each, at in zip(filled, rows, strict=True):
        if bool(((each.moments.least[at] <= high) & (each.moments.greatest[at] >= low)).any()):
            return ""
    return f"no value here between {numbers.short(low)} and {numbers.short(high)}"


# From a view to what its charts show: frozen, and worked out anew only where something changed.


@frozen(slots=False)
class HistogramChart:
    """What the chart of one card shows. Equal ones look the same."""

    key: str
    """Of the card."""

    tag: str
    title: str
    """Not yet made safe for a terminal; neither is any run name."""

    series: tuple[HistogramSeries, ...]
    """Of one run, or of all that are drawn, in the order of the run tree; at least one."""

    together: bool
    """Whether the card is for all runs: curves of one step of each lie over one another."""

    axes: Axes
    look: HistogramStyle
    colours: HeatScale
    may_leave_out: bool
    """Whether values may lie outside the axis although nobody set its ends."""

    blank: str = ""
    """Why nothing can be seen; empty when something can."""


class HistogramChartCache(ChartCache[HistogramChart]):
    """The charts of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes histograms.
    """

    def __init__(self, payloads: Payloads) -> None:
        super().__init__(payloads)
        self._axes = HistogramAxes()

    def drawn(self, choices: Settings) -> Hashable:
        """How charts look."""
        return choices.histogram_look, choices.heat_scale

    def make(self, view: View, key: str) -> HistogramChart:
        """The chart of card `key`."""
        choices = view.choices
        series, chosen = self.histograms.load(view, key), axes_settings_of(choices, key)
        sharing = self.sharing(view, key)
        held = axes_hold_key(view, (each.run for each in sharing))
        shown = choices.skip_steps, choices.superseded, tuple(each.run for each in series), held
        axes = self._axes.axes(key, series, sharing, chosen, shown, glance=choices.overview)
        return HistogramChart(
            key,
            series[0].tag,
            chart_title(series),
            series,
            choices.runs_together,
            axes,
            "overlay" if choices.runs_together else choices.histogram_look,
            choices.heat_scale,
            chosen.y_scale == "log"
            or (chosen.outliers != "keep" and None in usable_range(chosen.y_range, chosen.y_scale)),
            empty_message(series, axes, chosen),
        )


# What the frame of a card says: where its runs stand, what has become of them, and who they are.


MIN_NAME_COLUMNS, MAX_NAME_COLUMNS = 8, 32
"""Columns of a run's name in a legend."""

BULLET, CORNERS = 3, 4
"""Columns that stand in front of each name, and at the ends of the legend."""

FRAME = 7
"""Columns of a card that neither its title nor its note can have."""


def fit_note(stands: Sequence[str], series: Sequence[HistogramSeries], title: str, width: int) -> str:
    """What stands at the right of a card's title: what happened to the values, and where they stand.

    Args:
        stands: Where they stand, in ever fewer words.
        series: What the card shows.
        title: Of the card, which is not cut for it.
        width: Columns of the card.
    """
    whole = width - FRAME - cell_width(safe(title))
    room = width - FRAME - min(MIN_TITLE_COLUMNS, cell_width(safe(title)))
    options = list(_options(stands, series))
    fitting = [note for note in options if cell_width(note) <= whole] or options[-1:]
    return next((note for note in fitting if cell_width(note) <= room), "")


def _options(stands: Sequence[str], series: Sequence[HistogramSeries]) -> Iterator[str]:
    """The note in ever fewer words; that something happened is told last of all."""
    happened = next(filter(None, map(anomaly_labels, series)), ())
    for stand in stands:
        if not (happened and stand.startswith(NAN_SIGN)):
            yield " ".join((*happened[:1], stand)).strip()
    yield from happened or ("",)


def has_anomaly(series: Sequence[HistogramSeries]) -> bool:
    """Whether anything has happened to the values of any run."""
    return any(each.anomaly is not None for each in series)


def summary_text(series: Sequence[HistogramSeries], pointer: CursorState) -> str:
    """`-.0012 ± .051`: mean and deviation where the user looks; of several runs the least and the greatest mean."""
    held = [cursor_readout(each, pointer) for each in series]
    counted = [reading for reading in held if math.isfinite(reading.mean)]
    if not counted:
        return f"{NAN_SIGN} no histogram" if any(reading.refused for reading in held) else "empty"
    if len(held) > 1:
        means = [reading.mean for reading in counted]
        return " – ".join(dict.fromkeys(map(numbers.brief, (min(means), max(means)))))
    return f"{numbers.brief(counted[0].mean)} ± {numbers.brief(counted[0].std)}"


def legend(
    series: Sequence[HistogramSeries], runs: Sequence[str], width: int, focus: str | None = None
) -> list[tuple[str, int]]:
    """The runs of a chart with their inks, the focused one first; nothing where only one run is drawn anywhere.

    Args:
        series: What the chart shows.
        runs: All that are drawn, in the order of the run tree.
        width: Columns of the card.
        focus: The run that stands out.
    """
    if len(runs) < 2:
        return []
    room = min(max((width - CORNERS) // len(series) - BULLET, MIN_NAME_COLUMNS), MAX_NAME_COLUMNS)
    names = dict(zip(runs, fit_names(distinct_names(runs), room), strict=True))
    shown = sorted(series, key=lambda each: each.run != focus)
    return [(f"{marker(each.ink)} {names.get(each.run, each.run)}", each.ink) for each in shown]
