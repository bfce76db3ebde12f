"""What is below an opened sound: its steps, or the runs that have recorded the same, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.marks import NAN_SIGN
from tbtui.plugins.audio.heard import UnheardError
from tbtui.plugins.audio.words import channels_word, decibels_word, rate_word, seconds_word
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import NOTHING, Column, Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.audio.heard import HeardSounds
    from tbtui.plugins.audio.points import Points

    Entry = tuple[Points, int]

STEP = "step"

MOST_HEARD = 24
"""Rows whose sounds are read; of others it is told what is known without that."""


def run_rows(
    sounds: HeardSounds, runs: Sequence[Points], number: int, cursor: float | None, focus: str | None, width: int
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """A row a run, each at the step nearest to the cursor: header, rows, and the run of each.

    Args:
        sounds: Reads them.
        runs: Those that hold the tag, in the order of the run tree.
        number: Of the sound among those of a step.
        cursor: Where the user looks.
        focus: The run that stands out.
        width: Columns.
    """
    names = [points.run.name for points in runs]
    rows = [
        Row(name, short, points.ink, name == focus)
        for name, short, points in zip(names, distinct_names(names), runs, strict=True)
    ]
    entries = [(points, points.chosen(cursor)) for points in runs]
    near = range(min(MOST_HEARD, len(entries)))
    steps = column(STEP, [str(points.step(index)) for points, index in entries], 9)
    header, body = run_table(rows, [steps, *_columns(sounds, entries, near, number)], width)
    return header, body, tuple(names)


def step_rows(
    sounds: HeardSounds, points: Points, number: int, chosen: int, width: int
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """A row a step of one run, the newest first: header, rows, and nothing that could be selected."""
    order = range(len(points) - 1, -1, -1)
    entries = [(points, index) for index in order]
    told = [str(points.step(index)) for index in order]
    names = [name.rjust(max(len(STEP), *map(len, told))) for name in told]
    rows = [Row(name, name, points.ink, index == chosen) for name, index in zip(names, order, strict=True)]
    first = max(min(len(points) - 1 - chosen - MOST_HEARD // 2, len(points) - MOST_HEARD), 0)
    near = range(first, min(first + MOST_HEARD, len(points)))
    return *run_table(rows, _columns(sounds, entries, near, number), width, title=STEP), ()


def _columns(sounds: HeardSounds, entries: Sequence[Entry], near: range, number: int) -> list[Column]:
    told = [
        _told(sounds, *entry, number) if place in near else (NOTHING,) * len(_TITLES)
        for place, entry in enumerate(entries)
    ]
    columns = [_words(title, [row[place] for row in told], worth) for place, (title, worth) in enumerate(_TITLES)]
    size = column("bytes", [f"{points.nbytes(index):,}" for points, index in entries], 3)
    wall = column("wall time", [numbers.clock(points.wall_time(index)) for points, index in entries], 2)
    return [*columns, size, wall]


_TITLES = (("duration", 10), ("rate", 7), ("channels", 6), ("encoding", 4), ("peak", 8), ("RMS", 8))
"""Columns of what has to be read, and what each is worth."""


def _told(sounds: HeardSounds, points: Points, index: int, number: int) -> tuple[str, ...]:
    """Texts for these columns; a sign where the sound cannot be had."""
    try:
        heard = sounds.of(points, index, number)
    except UnheardError:
        return (f"{NAN_SIGN} no sound", *(NOTHING for _ in _TITLES[1:]))
    wav, summed = heard.wav, heard.summed
    if wav is None or summed is None:
        return (f"{NAN_SIGN} no WAV", *(NOTHING for _ in _TITLES[1:]))
    return (
        seconds_word(wav.seconds),
        rate_word(wav.rate),
        channels_word(wav.channels),
        wav.encoding,
        decibels_word(summed.peak),
        decibels_word(summed.rms),
    )


def _words(title: str, texts: Sequence[str], worth: int) -> Column:
    """A column of words, all at its right."""
    room = max(map(len, texts), default=0)
    return Column(title, tuple(text.rjust(room) for text in texts), worth)
