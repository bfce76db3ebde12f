"""Print audio: a table of the sounds of each tag, one step of each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count, format_duration
from tbtui.charts.text import safe, shorten
from tbtui.events.values import EventTime, StaleValueError
from tbtui.export.media import NOTHING_LOGGED
from tbtui.maths.sound import compute_envelope
from tbtui.plugins.audio.decode import SoundsError, read_sounds
from tbtui.plugins.audio.facts import collect_sound_facts
from tbtui.plugins.audio.labels import sample_defects
from tbtui.report.blocks import Column, Heading, InkText, Notes, Table
from tbtui.report.options import MAX_ROWS, note_left_out, select_points
from tbtui.view.cards import ShownTags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.audio.decode import Sound
    from tbtui.plugins.audio.facts import SoundFacts
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


def build_audio_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield a table for each matching tag."""
    tags = ShownTags("audio").of(view)
    max_tags = options.tags(len(tags))
    for tag in tags[:max_tags]:
        points = select_points(view, tag, "audio", options)
        shown = options.runs(len(points), MAX_ROWS)
        yield Heading(tag, format_count(len({chosen.run.name for chosen in points}), "run"))
        rows, problems = [], []
        for chosen in points[:shown]:
            sounds, problem = _read_sounds(chosen, options)
            problems += [f"{chosen.note}: {safe(problem)}"] if problem else []
            for sound in sounds:
                facts = collect_sound_facts(sound)
                rows.append(_build_row(chosen, sound, facts))
                problems += [f"{chosen.note}: {safe(defect)}" for defect in _format_defects(facts)]
        if rows:
            yield Table(_COLUMNS, tuple(rows))
        if problems:
            yield Notes(tuple(problems), Ink.WARN)
        if left_out := [f"{chosen.note}: {chosen.left_out}" for chosen in points[:shown] if chosen.left_out]:
            yield Notes((*left_out, "--superseded prints them"))
        if elsewhere := options.format_nearest_note(chosen.step for chosen in points[:shown]):
            yield Notes(elsewhere)
        if note := note_left_out([each.run.name for each in points], shown, "run", options.target.width):
            yield Notes((note,))
    if note := note_left_out(tags, max_tags, "tag", options.target.width):
        yield Notes((note,), has_blank_line=True)


def _read_sounds(chosen: ChosenPoint, options: PrintOptions) -> tuple[tuple[Sound, ...], str]:
    """Return the sounds of one point, or none and the reason."""
    series, point = chosen.series, chosen.point
    block = options.cache.payloads.read(chosen.run, series, [point])
    if point in block.errors:
        return (), block.errors[point]
    moment = EventTime(chosen.step, float(series.wall_times[point]))
    try:
        sounds = read_sounds(block.payload(0), int(series.indices[point]), moment)
    except (SoundsError, StaleValueError) as error:
        return (), str(error)
    return sounds, "" if sounds else NOTHING_LOGGED


def _format_defects(facts: SoundFacts) -> tuple[str, ...]:
    """Return all that is to be said of a sound, one sentence each."""
    defects = () if facts.wav is None else sample_defects(compute_envelope(facts.wav))
    return (*([facts.error] if facts.error else []), *facts.notes, *defects)


def _build_row(chosen: ChosenPoint, sound: Sound, facts: SoundFacts) -> tuple[InkText, ...]:
    header = facts.header
    estimated = "~" if header.is_estimate else ""
    return (
        InkText(chosen.run.name, chosen.ink),
        InkText(str(chosen.step), Ink.DIM),
        InkText("–" if header.seconds is None else f"{estimated}{format_duration(header.seconds)}"),
        InkText("–" if header.rate is None else f"{header.rate:,} Hz"),
        InkText("–" if header.channels is None else str(header.channels)),
        InkText("unknown" if facts.format is None else facts.format.name),
        InkText(f"{len(sound.data):,}"),
        InkText(shorten(sound.label, LABEL_WIDTH)),
    )
