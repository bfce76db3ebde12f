"""Texts of the Audio tab: labels of sounds, status and error messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.card import SEPARATOR
from tbtui.charts.numbers import format_count, trim_zeros
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.audio.facts import rate_text
from tbtui.plugins.audio.read import FileCutError, SoundReadError
from tbtui.plugins.audio.settings import STYLE
from tbtui.plugins.shown_steps import NoValueError
from tbtui.settings.settings import FULL_RANGE
from tbtui.view.descriptions import format_cursor

if TYPE_CHECKING:
    from tbtui.maths.sound import Envelope
    from tbtui.plugins.audio.headers import SoundHeader
    from tbtui.plugins.audio.read import LoadedSound
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings


FRAME = 7
"""Columns of a card that neither its title nor its note can use."""

NO_SOUND = "✗ no sound"

MAX_LABEL_CHARACTERS = 200
"""Maximum characters of a label next to a sound."""


def format_seconds(seconds: float) -> str:
    """Return `0.5s`, `1.25s`, `3m12s`: like all durations, but with fractions of a second."""
    if 0.01 <= seconds < 10:
        return trim_zeros(f"{seconds:.2f}") + "s"
    return numbers.format_duration(seconds)


def format_channels(channels: int) -> str:
    """Return `mono`, `stereo`, `6 channels`."""
    return {1: "mono", 2: "stereo"}.get(channels, f"{channels} channels")


def label_text(sound: LoadedSound) -> str:
    """Return the label of a sound in one line; empty without one."""
    return " ".join(safe(sound.label[:MAX_LABEL_CHARACTERS]).split())


def format_header(header: SoundHeader) -> tuple[str, ...]:
    """Return duration, rate and channels, as far as the header says; an estimated duration begins with `~`."""
    seconds, rate, channels = header.seconds, header.rate, header.channels
    estimated = "~" if header.is_estimate else ""
    return (
        *([] if seconds is None else [f"{estimated}{format_seconds(seconds)}"]),
        *([] if rate is None else [rate_text(rate)]),
        *([] if channels is None else [format_channels(channels)]),
    )


def format_decibels(value: float) -> str:
    """Return a magnitude against full scale: `-6.0 dB`; silence is `-∞ dB`."""
    return f"{round(20 * math.log10(value), 1) + 0.0:.1f} dB" if value > 0 else "-∞ dB"


def choose_note(sound: LoadedSound | None, title: str, width: int) -> str:
    """Return the note at the right of a card's title, as long as there is room for.

    Args:
        sound: The sound; None where it cannot be had.
        title: Title of the card.
        width: Its columns.
    """
    available_width = width - FRAME - min(cell_width(safe(title)), max(width // 2, 8))
    options: tuple[str, ...] = ()
    if sound is None or sound.is_damaged:
        options = (NO_SOUND, NO_SOUND[0])
    else:
        texts = format_header(sound.facts.header)
        options = tuple(SEPARATOR.join(texts[:count]) for count in (3, 2, 1))
    return next((note for note in options if cell_width(note) <= available_width), "")


def step_text(stop: ShownStep, cursor: float | None) -> str:
    """Return `step 312`, `step 440, the newest`."""
    return stop.label if cursor is not None else f"{stop.label}, the newest"


def format_defects(sound: LoadedSound) -> tuple[str, ...]:
    """Return the defects of a sound that can be used all the same."""
    return (*sound.facts.notes, *([] if sound.summed is None else sample_defects(sound.summed)))


def sample_defects(summed: Envelope) -> tuple[str, ...]:
    """Return the defects of the samples of a sound: `12 samples clipped`."""
    invalid_count, clipped = summed.invalid, summed.clipped
    return (
        *(
            [f"{invalid_count:,} sample{' is not a number' if invalid_count == 1 else 's are not numbers'}"]
            if invalid_count
            else []
        ),
        *([f"{format_count(clipped, 'sample')} clipped"] if clipped else []),
    )


def format_settings_label(settings: Settings, key: str | None = None) -> str:
    """Return the settings of all sounds: `waveform · 0.2s–0.4s · @ step 312`; default settings are left out."""
    low, high = FULL_RANGE if key is None else settings.chart(key).y_range
    ends = tuple("" if end is None else format_seconds(end) for end in (low, high))
    texts = (
        "view: auto" if STYLE.value(settings) == "auto" else STYLE.value(settings),
        f"{ends[0]}–{ends[1]}" if any(ends) else "",
        f"from step {settings.skip_steps:,} on" if settings.skip_steps else "",
        format_cursor(settings),
    )
    return SEPARATOR.join(filter(None, texts))


def format_decode_error(error: Exception) -> str:
    """Return an error as a sentence for the user."""
    if isinstance(error, (NoValueError, SoundReadError, FileCutError)):
        return str(error)
    if isinstance(error, OSError):
        return f"the file cannot be read: {(error.strerror or str(error)).lower()}"
    return f"cannot be drawn: {type(error).__name__}: {error}"
