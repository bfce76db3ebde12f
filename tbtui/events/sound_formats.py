"""Which format a sound is in, told by its first bytes: what a writer says of it is not believed."""

from __future__ import annotations

from tbtui.frozen import frozen


@frozen
class SoundFormat:
    """A format that writers use."""

    name: str
    """As people call it."""

    ending: str
    """Of the names of its files, such as `.wav`."""

    begins: tuple[bytes, ...]
    """How its files may begin."""


WAV = SoundFormat("WAV", ".wav", (b"RIFF", b"RIFX", b"RF64"))

OTHERS = (
    SoundFormat("MP3", ".mp3", (b"ID3", b"\xff\xfb", b"\xff\xf3")),
    SoundFormat("Ogg", ".ogg", (b"OggS",)),
    SoundFormat("FLAC", ".flac", (b"fLaC",)),
    SoundFormat("AIFF", ".aiff", (b"FORM",)),
    SoundFormat("AU", ".au", (b".snd",)),
)


def sound_format(data: bytes) -> SoundFormat | None:
    """The format of a sound, of which the first 12 bytes are enough; None for anything else."""
    if data.startswith(WAV.begins):
        return WAV if data[8:12] == b"WAVE" else None
    return next((found for found in OTHERS if data.startswith(found.begins)), None)
