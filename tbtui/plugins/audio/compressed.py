"""Decode compressed sounds with libsndfile, where the package soundfile is installed (`pip install 'tbtui[audio]'`)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from tbtui.plugins.audio.wav import Wav

if TYPE_CHECKING:
    from tbtui.plugins.audio.facts import SoundFacts

MAX_DECODED_BYTES = 96 << 20
"""Bytes of decoded samples: 9 minutes of stereo at 44.1 kHz. A longer sound is not drawn."""

SAMPLE_BYTES = 2

HINT = "(its waveform needs: pip install 'tbtui[audio]')"
TOO_LONG = "(too long for its waveform)"


def decode_compressed(data: bytes) -> Wav | str:
    """Return the samples of a sound that is no WAV, as 16-bit PCM; or a hint why there are none, which may be empty."""
    try:
        import soundfile
    except (ImportError, OSError):  # OSError: the package is there without its library
        return HINT
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate, channels, frames = file.samplerate, file.channels, file.frames
            if not 0 < frames * channels * SAMPLE_BYTES <= MAX_DECODED_BYTES:
                return TOO_LONG if frames > 0 else ""
            samples = file.read(dtype="int16", always_2d=True)
    except (soundfile.SoundFileError, RuntimeError, ValueError, OSError, MemoryError):
        return ""
    return Wav(rate, channels, "pcm", SAMPLE_BYTES, 8 * SAMPLE_BYTES, len(samples), (), samples) if len(samples) else ""


def decode_samples(facts: SoundFacts, data: bytes | None) -> tuple[Wav | None, str]:
    """Return the samples of a sound and the reason if it has none.

    Args:
        facts: What its header says.
        data: All its bytes; None if it is too long to be held in memory.
    """
    if facts.wav is not None or facts.is_damaged or facts.format is None:
        return facts.wav, facts.error
    samples = TOO_LONG if data is None else decode_compressed(data)
    if isinstance(samples, Wav):
        return samples, ""
    return None, f"{facts.error} {samples}".rstrip()
