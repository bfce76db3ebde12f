"""Print audio: a table of the sounds of each tag, one step of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted, duration
from tbtui.charts.text import safe, shorten
from tbtui.events.values import EventTime, StaleValueError
from tbtui.plugins.audio.table import sound_sample
from tbtui.report.blocks import Column, Heading, Notes, Piece, Table
from tbtui.report.options import MAX_ROWS, chosen_points, left_out_note
from tbtui.view.cards import ShownTags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.media import Sample
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.view.view import View

LABEL_WIDTH = 24

_COLUMNS = (
    Column("run", "left"),
    Column("step", "right", 6),
    Column("lasts", "right"),
    Column("rate", "right", 5),
    Column("channels", "right", 4),
    Column("format", "left", 3),
    Column("bytes", "right", 2),
    Column("label", "left", 1),
)


def audio_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a table for each matching tag."""
    tags = ShownTags("audio").of(view)
    most = options.tags(len(tags))
    for tag in tags[:most]:
        points = chosen_points(view, tag, "audio", options)
        shown = options.runs(len(points), MAX_ROWS)
        yield Heading(tag, counted(len(points), "run"))
        rows, problems = [], []
        for chosen in points[:shown]:
            samples, problem = _samples(chosen, options)
            rows += [_row(chosen, sample) for sample in samples]
            problems += [f"{chosen.note}: {safe(each)}" for each in (problem, *(s.problem for s in samples)) if each]
        if rows:
            yield Table(_COLUMNS, tuple(rows))
        if problems:
            yield Notes(tuple(problems), Ink.WARN)
        if elsewhere := options.nearest_note(chosen.step for chosen in points[:shown]):
            yield Notes(elsewhere)
        if note := left_out_note([each.run.name for each in points], shown, "run", options.target.width):
            yield Notes((note,))
    if note := left_out_note(tags, most, "tag", options.target.width):
        yield Notes((note,), apart=True)


def _samples(chosen: ChosenPoint, options: PrintOptions) -> tuple[list[Sample], str]:
    """Return the sounds of one point, or none and the reason."""
    from tbtui.plugins.audio.decode import SoundsError, sounds_of

    series, point = chosen.series, chosen.point
    block = options.cache.payloads.read(chosen.run, series, [point])
    if point in block.refused:
        return [], block.refused[point]
    moment = EventTime(chosen.step, float(series.wall_times[point]))
    try:
        sounds = sounds_of(block.payload(0), int(series.indices[point]), moment)
    except (SoundsError, StaleValueError) as error:
        return [], str(error)
    return [sound_sample(sound) for sound in sounds], "" if sounds else "nothing was logged at this step"


def _row(chosen: ChosenPoint, sample: Sample) -> tuple[Piece, ...]:
    facts = dict(sample.facts)
    lasts, rate, channels = (facts.get(name) for name in ("duration", "rate", "channels"))
    return (
        Piece(chosen.run.name, chosen.ink),
        Piece(str(chosen.step), Ink.DIM),
        Piece(duration(lasts) if isinstance(lasts, int | float) else "–"),
        Piece(f"{rate:,} Hz" if isinstance(rate, int | float) else "–"),
        Piece("–" if channels is None else str(channels)),
        Piece(str(facts.get("format") or "unknown")),
        Piece(f"{len(sample.data):,}"),
        Piece(shorten(str(facts.get("label") or ""), LABEL_WIDTH)),
    )
