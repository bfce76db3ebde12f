"""Describe one sound in the same words for the dashboard, `print`, `export`, `inspect` and Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import trim_zeros
from tbtui.frozen import frozen
from tbtui.plugins.audio.decode import WAV, detect_format
from tbtui.plugins.audio.headers import Bytes, SoundHeader, read_sound_header
from tbtui.plugins.audio.wav import UndrawnError, WavError, read_wav

if TYPE_CHECKING:
    from tbtui.plugins.audio.decode import Sound, SoundFormat
    from tbtui.plugins.audio.wav import RowsOf, Wav

RATE_TOLERANCE = 0.5
"""Hz by which the logged rate, a float32, may differ from the one in the file."""


@frozen(eq=False)
class SoundFacts:
    """Facts of one sound file."""

    format: SoundFormat | None
    """None if the bytes are of no known format."""

    header: SoundHeader
    wav: Wav | None = None
    """Samples; None where they cannot be read here."""

    error: str = ""
    """Reason why there are no samples, as a sentence; empty if there are."""

    is_damaged: bool = False
    """True if no program can play it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Defects of a sound that can be used all the same, one plain sentence each."""
        return self.header.notes

    @property
    def problem(self) -> str:
        """All that is to be said of a sound in one line: why it cannot be drawn, and its defects."""
        return "; ".join(filter(None, (self.error, *self.notes)))


def collect_sound_facts(sound: Sound) -> SoundFacts:
    """Return the facts of a sound in memory."""
    data = sound.data
    return read_facts(data, Bytes(lambda begin, count: data[begin : begin + count], len(data)), sound.logged_rate)


def read_facts(head: bytes, source: Bytes, logged_rate: float | None, rows: RowsOf | None = None) -> SoundFacts:
    """Return the facts of a sound.

    Args:
        head: The whole sound, or its first bytes.
        source: All its bytes; few of them are read.
        logged_rate: Sample rate that the writer logged next to it.
        rows: Returns the samples if `head` is only the beginning.
    """
    format_name = detect_format(head)
    try:
        wav = read_wav(head, source.size, rows)
    except WavError as error:
        header = getattr(error, "header", None) or SoundHeader()
        if format_name not in (None, WAV):
            header = read_sound_header(format_name.name, source)
        header = _check_rate(header, logged_rate)
        return SoundFacts(format_name, header, None, str(error), not isinstance(error, UndrawnError))
    header = SoundHeader(wav.encoding, wav.rate, wav.channels, wav.seconds, notes=wav.notes)
    return SoundFacts(format_name, _check_rate(header, logged_rate), wav)


def _check_rate(header: SoundHeader, logged_rate: float | None) -> SoundHeader:
    """Return the header with a note if its rate is not the logged one."""
    if header.rate is None or logged_rate is None or abs(header.rate - logged_rate) <= RATE_TOLERANCE:
        return header
    note = f"its header says {rate_text(header.rate)}, its writer logged {rate_text(logged_rate)}"
    return SoundHeader(
        header.encoding, header.rate, header.channels, header.seconds, header.is_estimate, (*header.notes, note)
    )


def rate_text(rate: float) -> str:
    """Return `44.1 kHz`, `800 Hz`."""
    return f"{rate / 1000:g} kHz" if rate >= 1000 else f"{trim_zeros(f'{rate:.3f}')} Hz"
