"""Rate, channels and duration of compressed sounds, from headers built by hand."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.audio.decode import Sound, detect_format
from tbtui.plugins.audio.facts import collect_sound_facts
from tests.helpers.sounds import sine, wav

if TYPE_CHECKING:
    from tbtui.plugins.audio.headers import SoundHeader


def header_of(data: bytes, rate: float | None = None) -> SoundHeader:
    return collect_sound_facts(Sound(data, logged_rate=rate)).header


def page(granule: int, packet: bytes, serial: int = 7) -> bytes:
    return struct.pack("<4sBBqIIIB", b"OggS", 0, 0, granule, serial, 0, 0, 1) + bytes([len(packet)]) + packet


def vorbis(rate: int, channels: int, *granules: int) -> bytes:
    packet = b"\x01vorbis" + struct.pack("<IBIiii", 0, channels, rate, 0, 0, 0) + b"\xb8\x01"
    return page(0, packet) + b"".join(page(granule, b"x" * 50) for granule in granules)


def stream_info(rate: int, channels: int, frames: int) -> bytes:
    packed = rate << 44 | (channels - 1) << 41 | 15 << 36 | frames
    return bytes(10) + struct.pack(">Q", packed) + bytes(16)


def flac(rate: int, channels: int, frames: int) -> bytes:
    return b"fLaC" + b"\x80\0\0\x22" + stream_info(rate, channels, frames) + b"\xff" * 20


OPUS_HEAD = b"OpusHead\1\1" + struct.pack("<HI", 312, 44100) + bytes(3)

MP3_FRAME = b"\xff\xfb\x90\xc4" + bytes(413)
"""MPEG 1 layer III, 128 kbit/s, 44.1 kHz, mono: 417 bytes of 1,152 samples."""


def mp3_with_tag(frames: int, delay: int, padding: int) -> bytes:
    tag = (
        b"Info" + struct.pack(">II", 1, frames) + b"LAME3.100" + bytes(12) + (delay << 12 | padding).to_bytes(3, "big")
    )
    return MP3_FRAME[:21] + tag + MP3_FRAME[21 + len(tag) :] + MP3_FRAME * 3


def id3(size: int) -> bytes:
    return b"ID3\4\0\0" + bytes([size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127]) + bytes(size)


@pytest.mark.parametrize(
    ("data", "encoding", "rate", "channels", "seconds"),
    [
        (vorbis(16000, 2, 4000, 8000), "Vorbis", 16000, 2, 0.5),
        (page(0, OPUS_HEAD) + page(48312, b"x"), "Opus", 44100, 1, 1.0),
        (page(0, b"\x7fFLAC\1\0\0\1fLaC\0\0\0\x22" + stream_info(8000, 1, 0)) + page(4000, b"x"), "FLAC", 8000, 1, 0.5),
        (flac(44100, 2, 88200), "FLAC", 44100, 2, 2.0),
        (id3(300) + flac(44100, 2, 88200), "FLAC", 44100, 2, 2.0),
        (flac(44100, 2, 0), "FLAC", 44100, 2, None),
        (MP3_FRAME * 10, "MP3", 44100, 1, 11520 / 44100),
        (id3(70_000) + MP3_FRAME * 10, "MP3", 44100, 1, 11520 / 44100),
        (mp3_with_tag(100, 576, 1000), "MP3", 44100, 1, (115200 - 1576) / 44100),
        (b".snd" + struct.pack(">5I", 24, 16000, 3, 8000, 1) + bytes(16000), "AU", 8000, 1, 1.0),
    ],
)  # fmt: skip
def test_sound_header_gives_rate_channels_and_duration(
    data: bytes, encoding: str, rate: int, channels: int, seconds: float | None
) -> None:
    header = header_of(data)
    assert (header.encoding, header.rate, header.channels) == (encoding, rate, channels)
    assert header.seconds == (None if seconds is None else pytest.approx(seconds))
    assert not header.is_estimate


def test_sound_header_of_long_mp3_without_count_is_an_estimate() -> None:
    header = header_of(MP3_FRAME * 5000)
    assert header.is_estimate
    assert header.seconds == pytest.approx(5000 * 1152 / 44100, rel=0.01)


def test_sound_header_of_ogg_without_last_page_has_a_note() -> None:
    header = header_of(vorbis(16000, 1))
    assert (header.rate, header.seconds) == (16000, None)
    assert header.notes == ("cut off: it has no last page",)


def test_sound_header_other_stream_in_ogg_is_left_aside() -> None:
    assert header_of(vorbis(16000, 1, 8000) + page(99_999, b"x", serial=8)).seconds == 0.5


def test_sound_facts_logged_rate_differs_has_a_note() -> None:
    data = wav(sine(440, 0.1))
    assert header_of(data, 8000.0).notes == ()
    assert header_of(data, 44100.0).notes == ("its header says 8 kHz, its writer logged 44.1 kHz",)
    assert header_of(flac(16000, 1, 100), 22050.5).notes == ("its header says 16 kHz, its writer logged 22.0505 kHz",)


def test_sound_facts_compressed_wav_has_rate_and_duration() -> None:
    fmt = struct.pack("<HHIIHH", 17, 1, 8000, 4000, 256, 4)
    data = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", 2000) + bytes(2000)
    facts = collect_sound_facts(Sound(b"RIFF" + struct.pack("<I", len(data)) + data))
    assert (facts.header.encoding, facts.header.rate, facts.header.seconds) == ("IMA ADPCM", 8000, 0.5)
    assert facts.error == "its samples are IMA ADPCM, which can be played and written to a file, but not drawn"


@given(
    st.sampled_from([vorbis(16000, 2, 4000), flac(44100, 2, 88200), mp3_with_tag(9, 1, 1), MP3_FRAME * 3, id3(9)]),
    st.integers(0, 200),
    st.lists(st.tuples(st.integers(0, 199), st.integers(0, 255)), max_size=4),
)
def test_sound_header_damaged_bytes_give_possible_numbers(
    data: bytes, end: int, changes: list[tuple[int, int]]
) -> None:
    damaged = bytearray(data[:end])
    for at, byte in changes:
        if 4 <= at < len(damaged):
            damaged[at] = byte
    header = header_of(bytes(damaged))
    assert detect_format(bytes(damaged)) is None or header.rate is None or 0 < header.rate <= 10_000_000
    assert header.seconds is None or header.seconds >= 0
