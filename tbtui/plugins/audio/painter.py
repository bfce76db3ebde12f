"""Draw the sounds of one view: cards, one sound in full size, and the table below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR, body_size, draw_card, error_card, placeholder_card, stack_cells, title_line
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.colours import marker
from tbtui.charts.line_chart import NAN_SIGN
from tbtui.charts.step_slider import draw_step_slider, slider_labels
from tbtui.charts.text import cell_width, fit, visible_name
from tbtui.frozen import frozen
from tbtui.plugins.audio.labels import (
    channels_text,
    decibels_text,
    error_text,
    label_text,
    note_of,
    oddities,
    rate_text,
    seconds_text,
    settings,
    step_text,
    wav_texts,
)
from tbtui.plugins.audio.read import MAX_HELD_BYTES, PLUGIN_NAME, NothingRecordedError, UnheardError, points_of
from tbtui.plugins.audio.waveform import draw_sound, no_plot, nothing_to_see
from tbtui.view.axes import AXIS_KINDS
from tbtui.view.cards import card_title
from tbtui.view.painted_cards import OpenedCard, PaintedCard
from tbtui.view.run_names import distinct_names, fit_names
from tbtui.view.run_table import NO_VALUE, TableColumn, TableRow, run_table, table_column

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.layout import PlotArea
    from tbtui.charts.step_slider import StepSlider
    from tbtui.plugins.audio.read import LoadedSound, Points, SoundCache
    from tbtui.plugins.sample_cards import Place, SampleCards
    from tbtui.view.view import View

    Entry = tuple[Points, int]


STEP = "step"

MAX_ROWS_READ = 24
"""Rows whose sounds are read; other rows show what is known without reading."""


def run_rows(
    sounds: SoundCache, runs: Sequence[Points], number: int, cursor: float | None, focus: str | None, width: int
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return one row per run at the step nearest to the cursor: header, rows, and the run of each.

    Args:
        sounds: Reads them.
        runs: Those that hold the tag, in the order of the run tree.
        number: Index among the sounds of a step.
        cursor: Position on the x axis.
        focus: The run that stands out.
        width: Columns.
    """
    names = [points.run.name for points in runs]
    rows = [
        TableRow(name, short, points.ink, name == focus)
        for name, short, points in zip(names, distinct_names(names), runs, strict=True)
    ]
    entries = [(points, points.chosen(cursor)) for points in runs]
    near = range(min(MAX_ROWS_READ, len(entries)))
    steps = table_column(STEP, [str(points.step(index)) for points, index in entries], 9)
    header, body = run_table(rows, [steps, *_columns(sounds, entries, near, number)], width)
    return header, body, tuple(names)


def step_rows(
    sounds: SoundCache, points: Points, number: int, chosen: int, width: int
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return one row per step of one run, the newest first: header, rows, and no selectable runs."""
    order = range(len(points) - 1, -1, -1)
    entries = [(points, index) for index in order]
    told = [str(points.step(index)) for index in order]
    names = [name.rjust(max(len(STEP), *map(len, told))) for name in told]
    rows = [TableRow(name, name, points.ink, index == chosen) for name, index in zip(names, order, strict=True)]
    first = max(min(len(points) - 1 - chosen - MAX_ROWS_READ // 2, len(points) - MAX_ROWS_READ), 0)
    near = range(first, min(first + MAX_ROWS_READ, len(points)))
    return *run_table(rows, _columns(sounds, entries, near, number), width, title=STEP), ()


def _columns(sounds: SoundCache, entries: Sequence[Entry], near: range, number: int) -> list[TableColumn]:
    told = [
        _told(sounds, *entry, number) if place in near else (NO_VALUE,) * len(_TITLES)
        for place, entry in enumerate(entries)
    ]
    columns = [_words(title, [row[place] for row in told], priority) for place, (title, priority) in enumerate(_TITLES)]
    size = table_column("bytes", [f"{points.nbytes(index):,}" for points, index in entries], 3)
    wall = table_column("wall time", [numbers.clock(points.wall_time(index)) for points, index in entries], 2)
    return [*columns, size, wall]


_TITLES = (("duration", 10), ("rate", 7), ("channels", 6), ("encoding", 4), ("peak", 8), ("RMS", 8))
"""Columns whose values must be read, and the priority of each."""


def _told(sounds: SoundCache, points: Points, index: int, number: int) -> tuple[str, ...]:
    """Return texts for these columns; a sign where there is no sound."""
    try:
        heard = sounds.of(points, index, number)
    except UnheardError:
        return (f"{NAN_SIGN} no sound", *(NO_VALUE for _ in _TITLES[1:]))
    wav, summed = heard.wav, heard.summed
    if wav is None or summed is None:
        return (f"{NAN_SIGN} no WAV", *(NO_VALUE for _ in _TITLES[1:]))
    return (
        seconds_text(wav.seconds),
        rate_text(wav.rate),
        channels_text(wav.channels),
        wav.encoding,
        decibels_text(summed.peak),
        decibels_text(summed.rms),
    )


def _words(title: str, texts: Sequence[str], priority: int) -> TableColumn:
    """Return a column of texts, aligned at the right."""
    room = max(map(len, texts), default=0)
    return TableColumn(title, tuple(text.rjust(room) for text in texts), priority)


MIN_TABLE_HEIGHT, MIN_SLIDER_HEIGHT = 14, 8
"""From this many rows on an opened sound has a table; from the second number on a bar of steps."""

READING = "reading …"
"""Shown on the card of a long sound until it is drawn."""

LEGEND_NAME = 24
"""Columns of a run's name in the frame of a card at most."""


@frozen(eq=False)
class ShownSound:
    """The sound that a card shows now."""

    place: Place
    points: Points
    index: int
    """Index into the points."""

    heard: LoadedSound | None
    """The sound; None where it cannot be read."""

    why: str = ""
    """The reason if it cannot be read."""

    @property
    def title(self) -> str:
        """Title of the card: the display name of the tag, or the tag; not yet safe for a terminal."""
        series = self.points.series
        return self.place.numbered(visible_name(series.metadata.display_name or card_title(series.tag)))


@frozen(eq=False)
class OpenedSound(OpenedCard):
    """A sound in full size."""

    bar: PlotArea | None = None
    """Position of the bar of steps; None without a bar."""


def sound_at_cursor(sounds: SoundCache, view: View, place: Place) -> ShownSound:
    """Return the sound that a card shows at the cursor.

    Raises:
        NothingRecordedError: Its run holds no sound of the tag any more, or all are skipped.
    """
    points = points_of(view, place.tag, place.run)[0]
    index = points.chosen(view.choices.cursor)
    try:
        return ShownSound(place, points, index, sounds.of(points, index, place.sample))
    except UnheardError as error:
        return ShownSound(place, points, index, None, str(error))


class AudioPainter:
    """Draw the sounds of one view; implements `CardPainter` and `OpenPainter`.

    Args:
        sounds: Kept from view to view; only `outline` leaves it alone.
        view: The view to draw.
        cards: The cards of the view.
    """

    def __init__(self, sounds: SoundCache, view: View, cards: SampleCards) -> None:
        self._sounds = sounds
        self._view = view
        self._cards = cards
        self._runs = tuple(run.name for run in view.runs)

    def look(self, key: str) -> Hashable:
        choices, place = self._view.choices, self._place(key)
        held = tuple(
            (run.name, series.revision, run.reading, self._view.inks[run.name])
            for run, series in self._view.references(place.tag, PLUGIN_NAME)
        )
        drawn = choices.audio_look, choices.step_rows, choices.chart(key).y_range, choices.focus
        seen = choices.x_axis, choices.skip_steps, choices.superseded, choices.cursor
        return place, held, drawn, seen, self._runs

    def paint(self, key: str, width: int, height: int, *, focused: bool) -> PaintedCard:
        looked = sound_at_cursor(self._sounds, self._view, self._place(key))
        body, plot = self._picture(looked, key, *body_size(width, height))
        cells = draw_card(
            looked.title,
            body,
            width,
            height,
            focused=focused,
            note=note_of(looked.heard, looked.title, width),
            note_ink=Ink.WARN if looked.heard is None or looked.heard.is_damaged else Ink.DIM,
            legend=self._legend(looked, width),
        )
        return PaintedCard(cells, plot.moved(1, 1), looked.points.stops)

    def outline(self, key: str, width: int, height: int, *, focused: bool) -> Cells:
        """Draw the frame of a card; a sound that takes long to read says that it is being read."""
        title = self._cards.title_of(key)
        if not self._is_long(key):
            return placeholder_card(title, width, height, focused=focused)
        return draw_card(title, Cells.blank(0, 0), width, height, focused=focused, note=READING)

    def _is_long(self, key: str) -> bool:
        """Return True if the newest sound of a card is too long to be held in memory."""
        place = self._cards.places.get(key)
        run = None if place is None else self._view.snapshot.runs.get(place.run)
        held = None if place is None or run is None else run.references(place.tag, PLUGIN_NAME)
        return held is not None and int(held.lengths[-1]) > MAX_HELD_BYTES

    def broken(self, key: str, width: int, height: int, error: Exception, *, focused: bool) -> Cells:
        return error_card(self._cards.title_of(key), error_text(error), width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> OpenedCard:
        looked = sound_at_cursor(self._sounds, self._view, self._place(key))
        header, rows, runs = self._table(looked, width)
        table_height = min(rows.height + 1, height * 2 // 5) if height >= MIN_TABLE_HEIGHT else 0
        with_slider = height >= MIN_SLIDER_HEIGHT and len(looked.points) > 1
        room = max(height - table_height - 1 - with_slider, 1)
        picture, plot = self._picture(looked, key, width, room, both=True)
        bar = self._step_bar(looked, width) if with_slider else None
        track = None
        if bar is not None:
            track = None if bar.plot is None else bar.plot.moved(1 + picture.height, 0)
            picture = stack_cells(picture, bar.cells)
        title = title_line(looked.title, self._told(looked, key), width, first=not table_height)
        stops = looked.points.stops
        return OpenedSound(key, stack_cells(title, picture), header, rows, plot.moved(1, 0), stops, runs, bar=track)

    def pick(self, opened: OpenedCard, _column: int, _row: int) -> str | None:
        """Return the run of the sound, whichever cell is clicked."""
        place = self._cards.places.get(opened.key)
        return None if place is None else place.run

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> OpenedCard:
        body = nothing_to_see(error_text(error), width, max(height - 1, 0))
        title = title_line(self._cards.title_of(key), settings(self._view.choices, key), width)
        return OpenedCard(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def _place(self, key: str) -> Place:
        place = self._cards.places.get(key)
        if place is None:
            raise NothingRecordedError("no run that is shown holds this sound")
        return place

    def _picture(
        self, looked: ShownSound, key: str, width: int, height: int, *, both: bool = False
    ) -> tuple[Cells, PlotArea]:
        if width <= 0 or height <= 0:
            return Cells.blank(max(height, 0), max(width, 0)), no_plot(width, height)
        if looked.heard is None:
            return nothing_to_see(looked.why, width, height), no_plot(width, height)
        choices = self._view.choices
        return draw_sound(
            looked.heard,
            choices.audio_look,
            width,
            height,
            looked.points.ink,
            choices.chart(key).y_range,
            both=both,
        )

    def _legend(self, looked: ShownSound, width: int) -> list[tuple[str, int]]:
        """Return the line below a card: its run if there are several, its step, oddities and the label."""
        points = looked.points
        told: list[tuple[str, int]] = []
        if name := self._run_name(looked.place):
            told.append((f"{marker(points.ink)} {name}", points.ink))
        told.append((f"step {points.step(looked.index)}", Ink.DIM))
        if looked.heard is None:
            return told
        room = width - 4 - sum(cell_width(text) + 1 for text, _ in told)
        odd = "; ".join(oddities(looked.heard))
        for text, ink in ((f"⚠ {odd}" if odd else "", Ink.WARN), (label_text(looked.heard), Ink.TEXT)):
            if text and room > 0:
                told.append((fit(text, max(room, 1)), ink))
                room -= cell_width(told[-1][0]) + 1
        return told

    def _run_name(self, place: Place) -> str:
        """Return the shortest distinct name of a run; empty if there is one run only."""
        if len(self._runs) < 2:
            return ""
        return dict(zip(self._runs, fit_names(distinct_names(self._runs), LEGEND_NAME), strict=True))[place.run]

    def _step_bar(self, looked: ShownSound, width: int) -> StepSlider:
        points, index = looked.points, looked.index
        count = len(points)
        words = slider_labels(f"step {points.step(index)}", index + 1, count, is_newest=index + 1 == count)
        return draw_step_slider(
            words, points.stops, points.at(index), None, AXIS_KINDS[self._view.choices.x_axis], width
        )

    def _table(self, looked: ShownSound, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        choices, place = self._view.choices, looked.place
        if choices.step_rows:
            return step_rows(self._sounds, looked.points, place.sample, looked.index, width)
        runs = points_of(self._view, place.tag)
        return run_rows(self._sounds, runs, place.sample, choices.cursor, choices.focus, width)

    def _told(self, looked: ShownSound, key: str) -> str:
        """Return the text beside the title of an opened sound."""
        choices, heard = self._view.choices, looked.heard
        told = [step_text(looked.points, looked.index, choices.cursor)]
        if name := self._run_name(looked.place):
            told.insert(0, name)
        if heard is not None and heard.wav is not None:
            told += [*wav_texts(heard.wav), heard.wav.encoding]
        if heard is not None:
            told += [label_text(heard), *oddities(heard)]
        return SEPARATOR.join(filter(None, (*told, settings(choices, key))))
