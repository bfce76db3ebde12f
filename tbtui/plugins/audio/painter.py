"""Draw the sounds of one view: cards, one sound in full size, and the table below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import (
    SEPARATOR,
    compute_body_size,
    draw_card,
    draw_error_card,
    draw_placeholder_card,
    draw_title_line,
    stack_cells,
)
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import NAN_SIGN
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.step_slider import draw_step_slider, iter_slider_labels
from tbtui.charts.text import cell_width, fit, format_run_name
from tbtui.frozen import frozen
from tbtui.plugins.audio.facts import rate_text
from tbtui.plugins.audio.labels import (
    choose_note,
    format_channels,
    format_decibels,
    format_decode_error,
    format_defects,
    format_header,
    format_seconds,
    format_settings_label,
    label_text,
    step_text,
)
from tbtui.plugins.audio.read import MAX_HELD_BYTES, PLUGIN_NAME, SoundReadError
from tbtui.plugins.audio.settings import STEP_ROWS, STYLE
from tbtui.plugins.audio.waveform import create_empty_plot, draw_message, draw_sound
from tbtui.plugins.shown_steps import NoValueError, ShownStep
from tbtui.view.cards import shorten_tag
from tbtui.view.chart_axes import AXIS_KINDS
from tbtui.view.painted_cards import OpenedCard, PaintedCard
from tbtui.view.run_names import fit_names, shorten_to_distinct
from tbtui.view.run_table import NO_VALUE, TableColumn, TableRow, create_column, draw_run_table
from tbtui.view.tag_tree import cut_heading

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.step_slider import StepSlider
    from tbtui.plugins.audio.read import LoadedSound, SoundCache
    from tbtui.plugins.sample_cards import CardSample, SampleCards
    from tbtui.plugins.shown_steps import ShownSteps
    from tbtui.view.view import View


STEP = "step"

MAX_ROWS_READ = 24
"""Rows whose sounds are read; other rows show what is known without reading."""


def run_rows(
    sounds: SoundCache, runs: Sequence[ShownSteps], number: int, cursor: float | None, focus: str | None, width: int
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return one row per run at the step nearest to the cursor: header, rows, and the run of each.

    Args:
        sounds: Cache that reads the sounds.
        runs: Sounds of the runs that hold the tag, in the order of the run tree.
        number: Index among the sounds of a step.
        cursor: Position on the x axis.
        focus: The highlighted run.
        width: Columns.
    """
    names = [steps.run.name for steps in runs]
    rows = [
        TableRow(name, short, steps.ink, name == focus)
        for name, short, steps in zip(names, shorten_to_distinct(names), runs, strict=True)
    ]
    stops = [steps.nearest(cursor) for steps in runs]
    visible_rows = range(min(MAX_ROWS_READ, len(stops)))
    step_column = create_column(STEP, [str(stop.step) for stop in stops], 9)
    header, body = draw_run_table(rows, [step_column, *_build_columns(sounds, stops, visible_rows, number)], width)
    return header, body, tuple(names)


def step_rows(sounds: SoundCache, shown: ShownStep, number: int, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return one row per step of one run, the newest first: header, rows, and no selectable runs."""
    stops = list(shown.steps)[::-1]
    step_texts = [str(stop.step) for stop in stops]
    names = [name.rjust(max(len(STEP), *map(len, step_texts))) for name in step_texts]
    rows = [
        TableRow(name, name, shown.steps.ink, stop.index == shown.index)
        for name, stop in zip(names, stops, strict=True)
    ]
    first = max(min(len(stops) - 1 - shown.index - MAX_ROWS_READ // 2, len(stops) - MAX_ROWS_READ), 0)
    visible_rows = range(first, min(first + MAX_ROWS_READ, len(stops)))
    return *draw_run_table(rows, _build_columns(sounds, stops, visible_rows, number), width, title=STEP), ()


def _build_columns(
    sounds: SoundCache, stops: Sequence[ShownStep], visible_rows: range, number: int
) -> list[TableColumn]:
    value_rows = [
        _format_values(sounds, stop, number) if index in visible_rows else (NO_VALUE,) * len(_TITLES)
        for index, stop in enumerate(stops)
    ]
    columns = [
        _build_right_aligned_column(title, [row[index] for row in value_rows], priority)
        for index, (title, priority) in enumerate(_TITLES)
    ]
    size = create_column("bytes", [f"{stop.nbytes:,}" for stop in stops], 3)
    wall = create_column("wall time", [numbers.format_clock(stop.wall_time) for stop in stops], 2)
    return [*columns, size, wall]


_TITLES = (("duration", 10), ("rate", 7), ("channels", 6), ("encoding", 4), ("peak", 8), ("RMS", 8))
"""Columns whose values must be read, and the priority of each."""


def _format_values(sounds: SoundCache, stop: ShownStep, number: int) -> tuple[str, ...]:
    """Return texts for these columns; a sign where there is no sound."""
    try:
        sound = sounds.of(stop, number)
    except SoundReadError:
        return (f"{NAN_SIGN} no sound", *(NO_VALUE for _ in _TITLES[1:]))
    header, summed = sound.facts.header, sound.summed
    if header.rate is None:
        return (f"{NAN_SIGN} no WAV", *(NO_VALUE for _ in _TITLES[1:]))
    levels = (NO_VALUE, NO_VALUE) if summed is None else (format_decibels(summed.peak), format_decibels(summed.rms))
    return (
        NO_VALUE if header.seconds is None else f"{'~' if header.is_estimate else ''}{format_seconds(header.seconds)}",
        rate_text(header.rate),
        NO_VALUE if header.channels is None else format_channels(header.channels),
        header.encoding or NO_VALUE,
        *levels,
    )


def _build_right_aligned_column(title: str, texts: Sequence[str], priority: int) -> TableColumn:
    """Return a column of texts, aligned at the right."""
    column_width = max(map(len, texts), default=0)
    return TableColumn(title, tuple(text.rjust(column_width) for text in texts), priority)


MIN_TABLE_HEIGHT, MIN_SLIDER_HEIGHT = 14, 8
"""Minimum rows of an opened sound with a table, and with a bar of steps."""

READING = "reading …"
"""Shown on the card of a long sound until it is drawn."""

LEGEND_NAME = 24
"""Columns of a run's name in the frame of a card at most."""


@frozen(eq=False)
class ShownSound:
    """The sound that a card shows now."""

    sample: CardSample
    stop: ShownStep
    sound: LoadedSound | None
    """The sound; None where it cannot be read."""

    why: str = ""
    """The reason if it cannot be read."""

    @property
    def title(self) -> str:
        """Title of the card: the display name of the tag, or the tag; not yet safe for a terminal."""
        series = self.stop.steps.series
        return self.sample.numbered(format_run_name(series.metadata.display_name or shorten_tag(series.tag)))


@frozen(eq=False)
class OpenedSound(OpenedCard):
    """A sound in full size."""

    bar: PlotArea | None = None
    """Position of the bar of steps; None without a bar."""


def find_sound_at_cursor(sounds: SoundCache, view: View, sample: CardSample) -> ShownSound:
    """Return the sound that a card shows at the cursor.

    Raises:
        NoValueError: Its run holds no sound of the tag any more, or all are skipped.
    """
    stop = sounds.steps.get(view, sample.run, sample.tag).nearest(view.settings.cursor)
    try:
        return ShownSound(sample, stop, sounds.of(stop, sample.index))
    except SoundReadError as error:
        return ShownSound(sample, stop, None, str(error))


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

    def paint_key(self, key: str) -> Hashable:
        settings, sample = self._view.settings, self._sample(key)
        series_keys = tuple(
            (run.name, self._sounds.steps.paint_key(self._view, run.name, sample.tag))
            for run, _ in self._view.references(sample.tag, PLUGIN_NAME)
        )
        display_settings = STYLE.value(settings), STEP_ROWS.value(settings), settings.chart(key).y_range, settings.focus
        return sample, series_keys, display_settings, settings.cursor, self._runs

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        shown_sound = find_sound_at_cursor(self._sounds, self._view, self._sample(key))
        body, plot = self._draw_sound(shown_sound, key, *compute_body_size(width, height))
        title = cut_heading(shown_sound.title, heading)
        cells = draw_card(
            title,
            body,
            width,
            height,
            focused=focused,
            note=choose_note(shown_sound.sound, title, width),
            note_ink=Ink.WARN if shown_sound.sound is None or shown_sound.sound.is_damaged else Ink.DIM,
            legend=self._build_legend(shown_sound, width),
        )
        return PaintedCard(cells, plot.translate(1, 1), shown_sound.stop.steps.stops)

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        """Draw the frame of a card; a sound that takes long to read says that it is being read."""
        title = cut_heading(self._cards.title_of(key), heading)
        if not self._is_long(key):
            return draw_placeholder_card(title, width, height, focused=focused)
        return draw_card(title, Cells.blank(0, 0), width, height, focused=focused, note=READING)

    def _is_long(self, key: str) -> bool:
        """Return True if the newest sound of a card is too long to be held in memory."""
        sample = self._cards.samples.get(key)
        run = None if sample is None else self._view.snapshot.runs.get(sample.run)
        series = None if sample is None or run is None else run.references(sample.tag, PLUGIN_NAME)
        return series is not None and int(series.lengths[-1]) > MAX_HELD_BYTES

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        title = cut_heading(self._cards.title_of(key), heading)
        return draw_error_card(title, format_decode_error(error), width, height, focused=focused)

    def open(self, key: str, width: int, height: int) -> OpenedCard:
        shown_sound = find_sound_at_cursor(self._sounds, self._view, self._sample(key))
        header, rows, runs = self._build_table(shown_sound, width)
        table_height = min(rows.height + 1, height * 2 // 5) if height >= MIN_TABLE_HEIGHT else 0
        with_slider = height >= MIN_SLIDER_HEIGHT and len(shown_sound.stop.steps) > 1
        picture_height = max(height - table_height - 1 - with_slider, 1)
        picture, plot = self._draw_sound(shown_sound, key, width, picture_height, both=True)
        bar = self._step_bar(shown_sound, width) if with_slider else None
        track = None
        if bar is not None:
            track = None if bar.plot is None else bar.plot.translate(1 + picture.height, 0)
            picture = stack_cells(picture, bar.cells)
        title = draw_title_line(
            shown_sound.title, self._title_details(shown_sound, key), width, prefer_side_text=not table_height
        )
        stops = shown_sound.stop.steps.stops
        return OpenedSound(key, stack_cells(title, picture), header, rows, plot.translate(1, 0), stops, runs, bar=track)

    def pick(self, opened: OpenedCard, _column: int, _row: int) -> str | None:
        """Return the run of the sound, whichever cell is clicked."""
        sample = self._cards.samples.get(opened.key)
        return None if sample is None else sample.run

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedCard:
        body = draw_message(format_decode_error(error), width, max(height - 1, 0))
        title = draw_title_line(self._cards.title_of(key), format_settings_label(self._view.settings, key), width)
        return OpenedCard(key, stack_cells(title, body), Cells.blank(0, width), Cells.blank(0, width))

    def _sample(self, key: str) -> CardSample:
        sample = self._cards.samples.get(key)
        if sample is None:
            raise NoValueError("no visible run has this sound")
        return sample

    def _draw_sound(
        self, shown_sound: ShownSound, key: str, width: int, height: int, *, both: bool = False
    ) -> tuple[Cells, PlotArea]:
        if width <= 0 or height <= 0:
            return Cells.blank(max(height, 0), max(width, 0)), create_empty_plot(width, height)
        if shown_sound.sound is None:
            return draw_message(shown_sound.why, width, height), create_empty_plot(width, height)
        settings = self._view.settings
        return draw_sound(
            shown_sound.sound,
            STYLE.value(settings),
            width,
            height,
            shown_sound.stop.steps.ink,
            settings.chart(key).y_range,
            both=both,
        )

    def _build_legend(self, shown_sound: ShownSound, width: int) -> list[tuple[str, int]]:
        """Return the line below a card: its run if there are several, its step, oddities and the label."""
        stop = shown_sound.stop
        ink = stop.steps.ink
        legend: list[tuple[str, int]] = []
        if name := self._run_name(shown_sound.sample):
            legend.append((f"{get_series_marker(ink)} {name}", ink))
        legend.append((stop.label, Ink.DIM))
        if stop.left_out:
            legend.append((f"· {stop.left_out}", Ink.ACCENT))
        if shown_sound.sound is None:
            return legend
        available_width = width - 4 - sum(cell_width(text) + 1 for text, _ in legend)
        odd = "; ".join(format_defects(shown_sound.sound))
        for text, ink in ((f"⚠ {odd}" if odd else "", Ink.WARN), (label_text(shown_sound.sound), Ink.TEXT)):
            if text and available_width > 0:
                legend.append((fit(text, max(available_width, 1)), ink))
                available_width -= cell_width(legend[-1][0]) + 1
        return legend

    def _run_name(self, sample: CardSample) -> str:
        """Return the shortest distinct name of a run; empty if there is one run only."""
        if len(self._runs) < 2:
            return ""
        return dict(zip(self._runs, fit_names(shorten_to_distinct(self._runs), LEGEND_NAME), strict=True))[sample.run]

    def _step_bar(self, shown_sound: ShownSound, width: int) -> StepSlider:
        stop = shown_sound.stop
        steps = stop.steps
        words = iter_slider_labels(stop.label, stop.index + 1, len(steps), is_newest=stop.is_newest, noun=steps.noun)
        return draw_step_slider(words, steps.stops, stop.stop, None, AXIS_KINDS[self._view.settings.x_axis], width)

    def _build_table(self, shown_sound: ShownSound, width: int) -> tuple[Cells, Cells, tuple[str, ...]]:
        settings, sample = self._view.settings, shown_sound.sample
        if STEP_ROWS.value(settings):
            return step_rows(self._sounds, shown_sound.stop, sample.index, width)
        all_steps = self._sounds.steps.get_by_tag(self._view, sample.tag)
        return run_rows(self._sounds, all_steps, sample.index, settings.cursor, settings.focus, width)

    def _title_details(self, shown_sound: ShownSound, key: str) -> str:
        """Return the text beside the title of an opened sound."""
        settings, sound = self._view.settings, shown_sound.sound
        texts = [step_text(shown_sound.stop, settings.cursor), shown_sound.stop.left_out]
        if name := self._run_name(shown_sound.sample):
            texts.insert(0, name)
        if sound is not None:
            texts += [*format_header(sound.facts.header), sound.facts.header.encoding]
        if sound is not None:
            texts += [label_text(sound), *format_defects(sound)]
        return SEPARATOR.join(filter(None, (*texts, format_settings_label(settings, key))))
