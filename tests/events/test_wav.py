"""WAV files, by what of them is heard: every encoding, and headers that are wrong in any way."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tbtui.plugins.audio.wav import MAX_CHUNKS, WavError, read_wav
from tests.helpers.sounds import RATE, chunk, fmt, riff, sine, stored, wav

TOLERANCES = {"u8": 1 / 128, "s16": 1e-4, "s24": 1e-6, "s32": 1e-6, "f32": 1e-6, "f64": 1e-6}
BIG = ("s16>", "s24>", "s32>", "f32>", "f64>")


@pytest.mark.parametrize("code", [*TOLERANCES, *BIG])
@pytest.mark.parametrize("extensible", [False, True])
def test_wav_every_encoding_gives_the_stored_samples(code: str, extensible: bool) -> None:
    left, right = sine(440), -sine(200, loudness=0.9)
    read = read_wav(wav(np.stack((left, right), axis=1), code, extensible=extensible))
    assert (read.rate, read.channels, read.frames, read.notes) == (RATE, 2, len(left), ())
    assert read.seconds == 0.5
    assert read.bits == int(code[1:].rstrip(">"))
    assert read.encoding.endswith("float" if code[0] == "f" else "PCM")
    heard = read.at(slice(None))
    assert heard.dtype == np.float32
    np.testing.assert_allclose(heard, np.stack((left, right), axis=1), atol=TOLERANCES[code.rstrip(">")])
    np.testing.assert_array_equal(read.at(np.array([7, 3, 3])), heard[[7, 3, 3]])


def test_wav_files_of_the_standard_library_are_read() -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(44_100)
        writer.writeframes(np.array([0, 16384, -32768], "<i2").tobytes())
    read = read_wav(file.getvalue())
    assert (read.rate, read.encoding) == (44_100, "16-bit PCM")
    assert read.at(slice(None)).ravel().tolist() == [0, 0.5, -1]


def test_wav_24_bit_full_scale_keeps_its_sign() -> None:
    data = bytes.fromhex("000080 ffff7f ffffff 000000")
    read = read_wav(riff(fmt("s24"), chunk(b"data", data)))
    assert read.at(slice(None)).ravel().tolist() == pytest.approx([-1, 1, 0, 0], abs=2e-7)


def test_wav_invalid_floats_are_nan_and_loud_ones_are_kept() -> None:
    read = read_wav(wav([0.5, np.nan, np.inf, 1e300, 3.0], "f64"))
    heard = read.at(slice(None)).ravel()
    assert np.isnan(heard[1:4]).all()
    assert heard[[0, 4]].tolist() == [0.5, 3.0]


DATA = stored(sine(), "s16")


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (riff(chunk(b"LIST", b"INFOabc"), fmt("s16"), chunk(b"data", DATA), chunk(b"LIST", b"x")), None),
        (riff(chunk(b"data", DATA), fmt("s16")), None),
        (riff(fmt("s16"), chunk(b"junk", b""), chunk(b"data", DATA)), None),
        (riff(b"bext" + b"\3\0\0\0abc", fmt("s16"), chunk(b"data", DATA)), None),
        (riff(fmt("s16"), chunk(b"data", DATA), size=0), None),
        (riff(fmt("s16"), chunk(b"data", DATA), size=2**32 - 1), None),
        (riff(fmt("s16"), chunk(b"data", DATA, 0)), "its header says that it has no samples, but it has"),
        (riff(fmt("s16"), chunk(b"data", DATA, 2**32 - 1)), "its header was written before its length was known"),
        (riff(fmt("s16"), chunk(b"data", DATA, 16_000)), "cut off: it has 8,000 of 16,000 bytes of samples"),
        (riff(fmt("s16", block=77), chunk(b"data", DATA)), "its header says that a frame has 77 bytes: 2 are read"),
        (riff(fmt("s16", bits=0), chunk(b"data", DATA)), None),
        (riff(fmt("s16", bits=12), chunk(b"data", DATA)), None),
    ],
)
def test_wav_headers_in_any_order_with_wrong_lengths_are_read(data: bytes, note: str | None) -> None:
    read = read_wav(data)
    assert read.notes == (() if note is None else (note,))
    np.testing.assert_allclose(read.at(slice(None)).ravel(), sine(), atol=1e-4)


def test_wav_64_bit_length_is_in_its_own_chunk() -> None:
    sizes = chunk(b"ds64", (0).to_bytes(8, "little") + len(DATA).to_bytes(8, "little") + bytes(12))
    data = riff(sizes, fmt("s16"), chunk(b"data", DATA, 2**32 - 1) + chunk(b"LIST", b"xy"), form=b"RF64")
    assert read_wav(data).frames == len(DATA) // 2


def test_wav_partial_last_frame_is_dropped() -> None:
    read = read_wav(riff(fmt("s16", 2), chunk(b"data", DATA + b"abc")))
    assert read.frames == len(DATA) // 4
    assert read.notes == ("its last frame is cut off",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it holds no bytes"),
        (b"not a sound at all", "it does not begin like a WAV file"),
        (b"RIFF", "it ends within its header"),
        (b"RIFF\0\0\0\0AVI LIST", "it is RIFF, but no WAV"),
        (b"ID3\3whatever", "it is MP3, which can be played and written to a file, but not drawn"),
        (b"OggS", "it is Ogg, which can be played and written to a file, but not drawn"),
        (riff(chunk(b"data", DATA)), "its header does not say how samples are stored: there is no fmt chunk"),
        (riff(fmt("s16")), "it has a header, but no data chunk"),
        (riff(fmt("s16"), chunk(b"data", b"")), "it holds no sound: it ends after its header"),
        (riff(chunk(b"fmt ", b"\1\0"), chunk(b"data", DATA)), "its fmt chunk is cut off"),
        (riff(fmt("s16", channels=0, block=2), chunk(b"data", DATA)), "its header says that it has 0 channels"),
        (riff(fmt("s16", rate=0), chunk(b"data", DATA)), "its header says that its sample rate is 0 Hz"),
        (riff(fmt("s64"), chunk(b"data", DATA)), "samples of 64 bits cannot be read as PCM"),
        (riff(fmt("f16"), chunk(b"data", DATA)), "samples of 16 bits cannot be read as floats"),
        (
            riff(fmt("u8", number=7), chunk(b"data", DATA)),
            "its samples are µ-law, which can be played and written to a file, but not drawn",
        ),
        (
            riff(fmt("s16", number=1234), chunk(b"data", DATA)),
            "its samples are format 1234, which can be played and written to a file, but not drawn",
        ),
        (
            riff(fmt("s16", extensible=True)[:-1] + b"x", chunk(b"data", DATA)),
            "it is stored in a private format of its writer",
        ),
        (
            riff(chunk(b"junk", b"") * MAX_CHUNKS, fmt("s16"), chunk(b"data", DATA)),
            "its header does not say how samples are stored: there is no fmt chunk",
        ),
    ],
)
def test_wav_invalid_file_is_refused_with_a_message(data: bytes, reason: str) -> None:
    with pytest.raises(WavError) as refusal:
        read_wav(data)
    assert str(refusal.value) == reason


def _read_or_refused(data: bytes) -> None:
    try:
        read = read_wav(data)
    except WavError:
        return
    samples = read.at(slice(None))
    assert samples.shape == (read.frames, read.channels)
    assert read.frames > 0
    assert read.seconds > 0
    assert not np.isinf(samples).any()


@given(st.binary(max_size=300))
def test_wav_garbage_is_read_or_refused(data: bytes) -> None:
    _read_or_refused(data)
    _read_or_refused(b"RIFF\0\0\0\0WAVE" + data)


@pytest.mark.parametrize("code", [*TOLERANCES, *BIG])
@given(st.data())
def test_wav_truncated_or_bit_flipped_is_read_or_refused(code: str, data: st.DataObject) -> None:
    whole = bytearray(wav(np.stack((sine(seconds=0.01),) * 2, axis=1), code, extensible=data.draw(st.booleans())))
    for place in data.draw(st.lists(st.integers(0, 8 * min(len(whole), 90) - 1), max_size=6)):
        whole[place // 8] ^= 1 << place % 8
    _read_or_refused(bytes(whole[: data.draw(st.integers(0, len(whole)))]))


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
@example(0, 0)
def test_wav_claimed_lengths_are_not_trusted(riff_size: int, data_size: int) -> None:
    read = read_wav(riff(fmt("s16"), chunk(b"data", DATA, data_size), size=riff_size)) if data_size != 1 else None
    assert read is None or 0 < read.frames <= len(DATA) // 2
