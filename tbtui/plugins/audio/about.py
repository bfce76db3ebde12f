"""What is known of the sounds of a tag beside their pictures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.audio.heard import UnheardError
from tbtui.plugins.audio.points import PLUGIN_NAME, points_of
from tbtui.plugins.audio.words import decibels_word, oddities, wav_words
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.audio.heard import Heard, HeardSounds
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.viewstate.sample_cards import Place
    from tbtui.viewstate.view import View


def about(sounds: HeardSounds, view: View, place: Place) -> tuple[str, ...]:
    """Lines about a card's tag in its run, as `about_tag` has them, and about the sound that it shows now."""
    held = [series for _, series in view.references(place.tag, PLUGIN_NAME, place.run)]
    return tuple(about_tag(view, PLUGIN_NAME, place.tag, held, partial(_told, sounds, view, place)))


def _told(sounds: HeardSounds, view: View, place: Place, series: ReferenceSeries) -> Iterator[str]:
    yield counted(series, "recording")
    points = points_of(view, place.tag, series.run)[0]
    index = points.chosen(view.choices.cursor)
    number = f", sound {place.sample + 1} of {place.samples}" if place.samples > 1 else ""
    yield f"at step {points.step(index)}{number}:"
    try:
        heard = sounds.of(points, index, place.sample)
    except UnheardError as error:
        yield f"    ✗ {error}"
        return
    yield from (f"    {line}" for line in _of_sound(heard))


def _of_sound(heard: Heard) -> Iterator[str]:
    wav, summed = heard.wav, heard.summed
    kind = f" of {heard.content_type}" if heard.content_type else ""
    yield f"{heard.size:,} bytes{kind}"
    if wav is None or summed is None:
        yield f"✗ {heard.refused}"
    else:
        yield ", ".join((*wav_words(wav), wav.encoding, f"{wav.frames:,} frames"))
        yield f"peak {decibels_word(summed.peak)}, RMS {decibels_word(summed.rms)} of full scale"
        yield from (f"⚠ {word}" for word in oddities(heard))
    if heard.label:
        yield "label:"
        yield from heard.label.splitlines()
