"""Read rate, channels and duration of compressed sounds from their headers; no sample is decoded.

Sources: RFC 3533 (Ogg), Vorbis I specification 4.2.2, RFC 7845 (Opus), the Speex manual 5.2, RFC 9639 (FLAC); ISO/IEC
11172-3 2.4.2.3 and 13818-3 (MP3), ID3v2.4.0 3.1, the tag of Xing and LAME as in LAME 3.100 `VbrTag.c`; Apple AIFF 1.3;
Sun `audio_filehdr.h`. Few bytes are read of a long sound: its first ones, and of Ogg the last page.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD_BYTES = 1 << 16
"""Bytes in which a header is looked for."""

TAIL_BYTES = 1 << 17
"""Bytes at the end that hold the header of the last Ogg page: a page has at most 65,307."""

MAX_WALKED_BYTES = 1 << 20
"""Bytes of an MP3 without a number of frames whose frames are counted; of a longer one the rest is estimated."""

MAX_CHANNELS, MAX_RATE = 1024, 10_000_000
"""Larger numbers come from damaged headers."""

MAX_SECONDS = 10 * 365 * 86400.0
"""A longer duration comes from a damaged header."""


@frozen
class SoundHeader:
    """Facts from the header of a sound; None for those that it does not contain."""

    encoding: str = ""
    """Name of the codec, such as `Vorbis`."""

    rate: int | None = None
    """Frames per second."""

    channels: int | None = None
    seconds: float | None = None
    is_estimate: bool = False
    """True if the duration follows from the size and the bit rate of the first frames."""

    notes: tuple[str, ...] = ()
    """Defects, one plain sentence each."""


class Bytes:
    """Bytes of a sound that are read where they are needed.

    Args:
        read: Returns some bytes from an offset on; fewer at the end.
        size: Bytes of the sound.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self.read = read
        self.size = size


def read_sound_header(name: str, sound: Bytes) -> SoundHeader:
    """Return the header of a sound; an empty one if it cannot be read.

    Args:
        name: Name of the format, from `detect_format`.
        sound: Its bytes.
    """
    begin = _count_id3_bytes(sound)
    readers = {"Ogg": _read_ogg, "FLAC": _read_flac, "MP3": _read_mp3, "AIFF": _read_aiff, "AU": _read_au}
    if begin and sound.read(begin, 4) == b"fLaC":
        name = "FLAC"
    try:
        header = readers[name](sound, begin) if name in readers else SoundHeader()
    except (struct.error, IndexError, ZeroDivisionError):
        return SoundHeader()
    return header if _is_possible(header) else SoundHeader()


def _is_possible(header: SoundHeader) -> bool:
    rate, channels, seconds = header.rate, header.channels, header.seconds
    return (
        (rate is None or 0 < rate <= MAX_RATE)
        and (channels is None or 0 < channels <= MAX_CHANNELS)
        and (seconds is None or 0 <= seconds <= MAX_SECONDS)
    )


def _count_id3_bytes(sound: Bytes) -> int:
    """Return the size of an ID3v2 tag before the sound."""
    tag = sound.read(0, 10)
    if len(tag) < 10 or tag[:3] != b"ID3":
        return 0
    size = 0
    for byte in tag[6:10]:  # seven bits each
        size = size << 7 | byte & 0x7F
    return 10 + size + (10 if tag[5] & 0x10 else 0)


# Ogg

_PAGE = struct.Struct("<4sBBqIIIB")


def _read_ogg(sound: Bytes, _begin: int) -> SoundHeader:
    head = sound.read(0, HEAD_BYTES)
    serial, segments = _PAGE.unpack_from(head)[4], head[26]
    packet = head[27 + segments :]
    clock, skipped = 0, 0
    if packet.startswith(b"\x01vorbis"):
        name, (channels, rate) = "Vorbis", struct.unpack_from("<BI", packet, 11)
    elif packet.startswith(b"OpusHead"):
        name, (channels, skipped, rate) = "Opus", struct.unpack_from("<BHI", packet, 9)
        clock, rate = 48_000, rate or 48_000  # Opus counts in 48 kHz, whatever the rate of its input
    elif packet.startswith(b"\x7fFLAC"):
        name, (rate, channels, _) = "FLAC", _stream_info(packet[17:])
    elif packet.startswith(b"Speex   "):
        name, rate, channels = "Speex", *(struct.unpack_from("<I", packet, offset)[0] for offset in (36, 48))
    else:
        return SoundHeader()
    last = _find_last_granule(sound, serial)
    notes = ("cut off: it has no last page",) if last is None else ()
    seconds = None if last is None else max(last - skipped, 0) / (clock or rate)
    return SoundHeader(name, rate, channels, seconds, notes=notes)


def _find_last_granule(sound: Bytes, serial: int) -> int | None:
    """Return the number of frames at the end of the last page that has one."""
    begin = max(sound.size - TAIL_BYTES, 0)
    tail = sound.read(begin, TAIL_BYTES)
    offset = tail.rfind(b"OggS")
    while offset >= 0:
        if offset + _PAGE.size <= len(tail):
            page = _PAGE.unpack_from(tail, offset)
            if page[4] == serial and page[3] > 0:
                return int(page[3])
        offset = tail.rfind(b"OggS", 0, offset)
    return None


# FLAC


def _read_flac(sound: Bytes, begin: int) -> SoundHeader:
    rate, channels, frames = _stream_info(sound.read(begin + 8, 34))
    return SoundHeader("FLAC", rate, channels, frames / rate if frames else None)


def _stream_info(block: bytes) -> tuple[int, int, int]:
    """Return rate, channels and frames (0: unknown) of a STREAMINFO block."""
    packed = struct.unpack_from(">Q", block, 10)[0]
    return packed >> 44, (packed >> 41 & 7) + 1, packed & (1 << 36) - 1


# MP3

_BIT_RATES = {
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Bit rates in kbit/s by version (2 also for 2.5) and layer; index 0 and 15 are none."""

_RATES = {0: (11025, 12000, 8000), 2: (22050, 24000, 16000), 3: (44100, 48000, 32000)}
"""Sample rates by the bits of the version."""


@frozen
class _Frame:
    """Header of one MPEG audio frame."""

    layer: int
    rate: int
    channels: int
    samples: int
    nbytes: int
    is_old: bool
    """True for MPEG 1, whose side information is longer."""


def _parse_frame(header: bytes) -> _Frame | None:
    """Return the frame that these four bytes begin; None if they begin none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return None
    version, layer = header[1] >> 3 & 3, 4 - (header[1] >> 1 & 3)
    bit_rate, rate = header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or layer == 4 or bit_rate in (0, 15) or rate == 3:
        return None
    frequency = _RATES[version][rate]
    kbits = _BIT_RATES[1 if version == 3 else 2, layer][bit_rate - 1]
    samples = 384 if layer == 1 else 576 if layer == 3 and version != 3 else 1152
    padding = header[2] >> 1 & 1
    size = (12_000 * kbits // frequency + padding) * 4 if layer == 1 else 125 * samples * kbits // frequency + padding
    return _Frame(layer, frequency, 1 if header[3] >> 6 == 3 else 2, samples, size, version == 3)


def _find_frames(data: bytes, offset: int) -> Iterator[tuple[int, _Frame]]:
    while (frame := _parse_frame(data[offset : offset + 4])) is not None:
        yield offset, frame
        offset += frame.nbytes


def _read_mp3(sound: Bytes, begin: int) -> SoundHeader:
    data = sound.read(begin, MAX_WALKED_BYTES)
    offset = next((offset for offset in range(min(len(data), HEAD_BYTES)) if _is_frame_start(data, offset)), None)
    if offset is None:
        return SoundHeader()
    _, first = next(_find_frames(data, offset))
    name = "MP3" if first.layer == 3 else f"MPEG layer {'I' * first.layer}"
    counted = _read_sample_count(data[offset : offset + first.nbytes], first)
    if counted is not None:
        return SoundHeader(name, first.rate, first.channels, counted / first.rate)
    walked = list(_find_frames(data, offset))
    end = walked[-1][0] + walked[-1][1].nbytes
    seconds = sum(frame.samples / frame.rate for _, frame in walked)
    is_part = begin + len(data) < sound.size and end >= len(data) - 4
    if is_part:
        seconds *= (sound.size - begin - offset) / (end - offset)
    return SoundHeader(name, first.rate, first.channels, seconds, is_part)


def _is_frame_start(data: bytes, offset: int) -> bool:
    """Return True if a frame begins here, and another one or the end of the data follows it."""
    frame = _parse_frame(data[offset : offset + 4])
    if frame is None:
        return False
    end = offset + frame.nbytes
    return end >= len(data) or _parse_frame(data[end : end + 4]) is not None


def _read_sample_count(data: bytes, first: _Frame) -> int | None:
    """Return the samples of the whole sound that the first frame counts, without those that an encoder adds."""
    if data[36:40] == b"VBRI":
        return int(struct.unpack_from(">I", data, 50)[0]) * first.samples
    stereo = first.channels == 2
    offset = 4 + ((32 if stereo else 17) if first.is_old else (17 if stereo else 9))
    if data[offset : offset + 4] not in (b"Xing", b"Info"):
        return None
    (flags,) = struct.unpack_from(">I", data, offset + 4)
    if not flags & 1:
        return None
    samples = int(struct.unpack_from(">I", data, offset + 8)[0]) * first.samples
    encoder = offset + 8 + sum(size for bit, size in ((1, 4), (2, 4), (4, 100), (8, 4)) if flags & bit)
    gaps = data[encoder + 21 : encoder + 24]
    if data[encoder : encoder + 4] in (b"LAME", b"Lavf", b"Lavc") and len(gaps) == 3:
        packed = int.from_bytes(gaps, "big")
        samples -= (packed >> 12) + (packed & 0xFFF)
    return max(samples, 0)


# AIFF and AU


def _read_aiff(sound: Bytes, _begin: int) -> SoundHeader:
    head = sound.read(0, HEAD_BYTES)
    offset = 12
    while offset + 8 <= len(head):
        name, size = struct.unpack_from(">4sI", head, offset)
        if name == b"COMM":
            channels, frames, bits, exponent, mantissa = struct.unpack_from(">HIHHQ", head, offset + 8)
            rate = round(mantissa * 2.0 ** (exponent - 16383 - 63)) if exponent < 16383 + 32 else 0
            return SoundHeader(f"{bits}-bit AIFF", rate, channels, frames / rate)
        offset += 8 + size + size % 2
    return SoundHeader()


_AU_SAMPLE_BYTES = {1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1}
"""Bytes of a sample by encoding: µ-law, linear of 8 to 32 bits, floats, A-law."""


def _read_au(sound: Bytes, _begin: int) -> SoundHeader:
    offset, size, encoding, rate, channels = struct.unpack(">5I", sound.read(4, 20))
    available = max(sound.size - offset, 0)
    size = available if size == 0xFFFFFFFF else min(size, available)
    frame = _AU_SAMPLE_BYTES.get(encoding, 0) * channels
    return SoundHeader("AU", rate, channels, size / frame / rate if frame else None)
