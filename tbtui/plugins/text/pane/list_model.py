"""The texts of a view as a list, and its rows: tags, runs and steps. No file is read for it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import RESTART_SIGN
from tbtui.charts.numbers import format_clock, format_count, format_step
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Row
from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen
from tbtui.plugins.text.read import TextPoint
from tbtui.store.snapshot import ReferenceSeries
from tbtui.view.cards import ShownTags
from tbtui.view.comparison_target import choose_comparison_run, find_chosen_run
from tbtui.view.run_names import measure_common_prefix
from tbtui.widgets.grid_viewport import fit_rows, measure_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.view.view import View

SeriesKey: TypeAlias = "tuple[str, str]"
"""Run and tag."""

PYTORCH_SUFFIX = "/text_summary"


class TextKey(NamedTuple):
    """The text that a row of the list shows."""

    run: str
    tag: str
    point: int | None
    """Index into the series; None for its newest text."""

    is_heading: bool = False


def build_heading_key(tag: str) -> str:
    """Return the key of the row of a tag."""
    return f"h{tag}"


def build_series_key(run: str, tag: str) -> str:
    """Return the key of the row of a tag of a run. The name of a run holds no null character."""
    return f"s{run}\0{tag}"


def point_key(run: str, tag: str, point: int) -> str:
    """Return the key of the row of one text."""
    return f"p{run}\0{point}\0{tag}"


@frozen(eq=False)
class TextListing:
    """The texts of one view."""

    view: View
    rows: tuple[Row, ...] = ()
    text_keys: Mapping[str, TextKey] = field(default_factory=dict)
    """Texts by the keys of their rows."""

    points: Mapping[SeriesKey, npt.NDArray[np.int64]] = field(default_factory=dict)
    """Listed points of each series, the newest first; none is empty."""

    tags: int = 0

    def texts(self) -> int:
        """Return the number of texts."""
        return sum(map(len, self.points.values()))

    def is_unfolded(self, series: SeriesKey) -> bool:
        """Return True if the texts of a series are listed one by one."""
        return any(text_key[:2] == series and text_key.point is not None for text_key in self.text_keys.values())

    def at(self, text_key: TextKey) -> TextPoint | None:
        """Return a text; None if it is not listed."""
        points = self.points.get((text_key.run, text_key.tag))
        if points is None:
            return None
        return self._text(text_key, int(points[0]) if text_key.point is None else text_key.point)

    def neighbour(self, text: TextPoint, older: int) -> TextKey | None:
        """Return the text of the same series that is `older` texts older; None if there is none."""
        points = self.points.get((text.run.name, text.series.tag))
        if points is None:
            return None
        indices = np.flatnonzero(points == text.point)
        index = int(indices[0]) + older if len(indices) else 0
        return TextKey(text.run.name, text.series.tag, int(points[index])) if 0 <= index < len(points) else None

    def find_partner(self, text: TextPoint) -> TextKey | None:
        """Return the text that a text is compared with unless another is marked; None if its tag has no other."""
        run, tag, settings = text.run.name, text.series.tag, self.view.settings
        holders = [name for name, other_tag in self.points if other_tag == tag]
        if (chosen := find_chosen_run(run, holders, settings)) is not None:
            return self._find_at_step(chosen, text)
        if (older := self.neighbour(text, 1)) is not None:
            return older
        other = choose_comparison_run(run, holders, settings)
        return self.neighbour(text, -1) if other is None else self._find_at_step(other, text)

    def _find_at_step(self, run: str, text: TextPoint) -> TextKey | None:
        """Return the text of another run at the same step, else at the nearest one."""
        tag = text.series.tag
        points, snapshot = self.points[run, tag], self.view.snapshot.runs.get(run)
        series = None if snapshot is None else snapshot.series.get(tag)
        if not isinstance(series, ReferenceSeries) or int(points.max()) >= len(series):
            return None
        distances = np.abs(series.steps[points] - text.step)
        return TextKey(run, tag, int(points[int(distances.argmin())]))

    def find(self, text: TextPoint) -> TextPoint | None:
        """Return a text of an earlier view as this view has it; None if it is not listed any more."""
        points = self.points.get((text.run.name, text.series.tag))
        if points is None or text.point not in points:
            return None
        moved = self._text(TextKey(text.run.name, text.series.tag, text.point), text.point)
        return moved if moved is not None and moved.identity == text.identity else None

    def _text(self, text_key: TextKey, point: int) -> TextPoint | None:
        run = self.view.snapshot.runs.get(text_key.run)
        series = None if run is None else run.series.get(text_key.tag)
        if run is None or not isinstance(series, ReferenceSeries) or point >= len(series):
            return None
        return TextPoint(run, series, point)


def format_text_title(tag: str) -> str:
    """Return the title of a tag without the suffix that PyTorch and tensorboardX append."""
    return format_run_name(tag.removesuffix(PYTORCH_SUFFIX) or tag)


PLUGIN = "text"
MARK_SIGN = "◆"
FOLDED_SIGN, UNFOLDED_SIGN = " ▸", " ▾"
GONE = "gone"
_WHOLE_TIME = len("2026-11-20 18:23:05")


class TextLister:
    """List the texts of views; unchanged parts are reused. Used by one thread."""

    def __init__(self) -> None:
        self._tags = ShownTags(PLUGIN)
        self._known: dict[SeriesKey, _SeriesRows] = {}
        self._rows: tuple[Row, ...] = ()

    def list(self, view: View, folds: Mapping[SeriesKey, bool], marked: TextKey | None, width: int) -> TextListing:
        """Return the list of a view.

        Args:
            view: The shown view.
            folds: Series that the user has folded or unfolded. Of the others the only one that has several texts is
                unfolded; where there are more of them all are folded.
            marked: The text that others are compared with.
            width: Columns of a row. Names of runs that are longer never read alike below one another.
        """
        known = {
            tag: [self._look_at(series, view) for _, series in view.references(tag, PLUGIN)]
            for tag in self._tags.of(view)
        }
        self._known = {
            rows_of_series.key: rows_of_series for tag_series in known.values() for rows_of_series in tag_series
        }
        several = sum(len(rows_of_series.points) > 1 for rows_of_series in self._known.values())
        listing = _Listing(view, marked, one_run=len({run for run, _ in self._known}) == 1)
        for tag, tag_series in known.items():
            if len(known) > 1 and not listing.one_run:
                listing.add_heading(tag, tag_series)
            held_folds = [
                folds.get(rows_of_series.key, several > 1) if len(rows_of_series.points) > 1 else None
                for rows_of_series in tag_series
            ]
            listing.add_tag(tag_series, held_folds, width)
        points = {key: rows_of_series.points for key, rows_of_series in self._known.items()}
        return TextListing(view, self._reuse_rows(listing.rows), listing.text_keys, points, len(known))

    def _reuse_rows(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return rows in which unchanged ones are the same objects, so that the widget compares them at once."""
        before = {row.key: row for row in self._rows}
        merged = tuple(old if (old := before.get(row.key)) == row and old is not None else row for row in rows)
        if merged != self._rows:
            self._rows = merged
        return self._rows

    def _look_at(self, series: ReferenceSeries, view: View) -> _SeriesRows:
        cached = self._known.get((series.run, series.tag))
        if cached is None or not cached.is_of(series, superseded=view.settings.superseded):
            cached = _SeriesRows(series, superseded=view.settings.superseded)
        return cached


class _SeriesRows:
    """One series and the rows of its texts."""

    def __init__(self, series: ReferenceSeries, *, superseded: bool) -> None:
        self.series, self._superseded = series, superseded
        indices = None if superseded else series.kept
        self.points = (np.arange(len(series)) if indices is None else np.flatnonzero(indices))[::-1]
        self._rows: tuple[Sequence[Row], Mapping[str, TextKey]] | None = None

    @property
    def key(self) -> SeriesKey:
        """Run and tag."""
        return self.series.run, self.series.tag

    def is_of(self, series: ReferenceSeries, *, superseded: bool) -> bool:
        """Return True if it would be built the same again."""
        return self.series is series and self._superseded == superseded

    @property
    def rows(self) -> tuple[Sequence[Row], Mapping[str, TextKey]]:
        """Rows of the texts, the newest first, and the texts by the keys of their rows."""
        if self._rows is None:
            run, tag = self.key
            text_keys = {point_key(run, tag, point): TextKey(run, tag, point) for point in self.points.tolist()}
            rows = [
                _step_row(key, self.series, point) for key, point in zip(text_keys, self.points.tolist(), strict=True)
            ]
            self._rows = rows, text_keys
        return self._rows


class _Listing:
    """Rows of a list while it is built."""

    def __init__(self, view: View, marked: TextKey | None, *, one_run: bool) -> None:
        self._view, self._marked = view, marked
        self.one_run = one_run
        """True if rows are named by their tags, otherwise by their runs."""

        self.rows: list[Row] = []
        self.text_keys: dict[str, TextKey] = {}

    def add_heading(self, tag: str, tag_series: Sequence[_SeriesRows]) -> None:
        texts = sum(len(rows_of_series.points) for rows_of_series in tag_series)
        right = ((f"{format_count(texts, 'text')}  ", Ink.DIM),)
        self.rows.append(Row(build_heading_key(tag), ((" ", Ink.NONE),), format_text_title(tag), Ink.BOLD, right=right))
        self.text_keys[self.rows[-1].key] = TextKey(tag_series[0].key[0], tag, None, is_heading=True)

    def add_tag(self, tag_series: Sequence[_SeriesRows], folds: Sequence[bool | None], width: int) -> None:
        """Add the rows of a tag: one for the newest text of each run, and one for each text unless folded."""
        faded = measure_common_prefix([format_run_name(rows_of_series.key[0]) for rows_of_series in tag_series])
        for word in ("step ", ""):
            rows = [
                self._build_series_row(rows_of_series, faded, fold, word)
                for rows_of_series, fold in zip(tag_series, folds, strict=True)
            ]
            if measure_rows(rows) <= width:
                break
        for rows_of_series, fold, row in zip(tag_series, folds, fit_rows(rows, width), strict=True):
            self.rows.append(row)
            self.text_keys[row.key] = TextKey(*rows_of_series.key, None)
            if fold is False:
                steps, text_keys = rows_of_series.rows
                self.text_keys.update(text_keys)
                self.rows += (
                    steps if self._marked is None else (_mark_row(r, text_keys[r.key] == self._marked) for r in steps)
                )

    def _build_series_row(self, rows_of_series: _SeriesRows, faded: int, fold: bool | None, word: str) -> Row:
        """Return the row of a run or tag, with the newest step at the right after a word."""
        (run, tag), marked = rows_of_series.key, self._marked
        snapshot, ink = self._view.snapshot.runs[run], self._view.inks[run]
        is_marked = marked is not None and marked[:2] == (run, tag) and fold is not False
        sign = "  " if fold is None else FOLDED_SIGN if fold else UNFOLDED_SIGN
        newest = GONE if snapshot.vanished else f"{word}{format_step(int(rows_of_series.series.steps[-1]))}"
        return Row(
            build_series_key(run, tag),
            (_mark(is_marked), (f"{get_series_marker(ink)} ", ink)),
            format_text_title(tag) if self.one_run else format_run_name(run),
            Ink.DIM if snapshot.vanished else Ink.TEXT,
            0 if self.one_run else faded,
            ((newest, Ink.DIM), (sign, Ink.DIM)),
        )


def _step_row(key: str, series: ReferenceSeries, point: int) -> Row:
    is_current = series.kept is None or bool(series.kept[point])
    ink, sign = (Ink.TEXT, "  ") if is_current else (Ink.DIM, f" {RESTART_SIGN}")
    right = ((_time_text(float(series.wall_times[point])), Ink.DIM), (sign, Ink.DIM))
    return Row(key, (_mark(False), ("  ", Ink.NONE)), str(int(series.steps[point])), ink, right=right)


def _time_text(wall_time: float) -> str:
    """Return `11-20 18:23`; empty for a time outside the calendar."""
    text = format_clock(wall_time)
    return text[5:16] if len(text) == _WHOLE_TIME else ""


def _mark(is_marked: bool) -> Piece:
    return (MARK_SIGN, Ink.ACCENT) if is_marked else (" ", Ink.NONE)


def _mark_row(row: Row, is_marked: bool) -> Row:
    return replace(row, prefix=(_mark(True), *row.prefix[1:])) if is_marked else row
