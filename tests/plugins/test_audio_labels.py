"""A card of Audio says at its title when there is no sound, and takes no header at its word."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tbtui.plugins.audio.decode import Sound
from tbtui.plugins.audio.labels import NO_SOUND, choose_note
from tbtui.plugins.audio.read import LoadedSound
from tests.helpers.sounds import sine, wav

GOOD = wav(sine(0.1))


def heard(data: bytes) -> LoadedSound:
    return LoadedSound(Sound(data))


@pytest.mark.parametrize("data", [b"", b"RIFF", GOOD[:30], b"noise" * 20, GOOD[:44]])
def test_note_of_damaged_bytes_is_marked(data: bytes) -> None:
    assert heard(data).is_damaged
    assert choose_note(heard(data), "tag", 40) == NO_SOUND
    assert choose_note(heard(data), "a/long/name/of/a/tag", 22) == "✗"


def test_note_of_missing_sound_is_marked() -> None:
    assert choose_note(None, "tag", 40) == NO_SOUND


@pytest.mark.parametrize("data", [b"ID3\x04" + bytes(60), b"OggS" + bytes(60), b"fLaC" + bytes(60)])
def test_note_of_undrawn_format_is_not_marked(data: bytes) -> None:
    assert not heard(data).is_damaged
    assert "can be played" in heard(data).error
    assert choose_note(heard(data), "tag", 40) == ""


@pytest.mark.parametrize("claimed", [0xFFFFFFFF, 0xFFFFFFFE, 0x80000000, 0x7FFFFFFF, 1 << 28])
def test_wav_header_claiming_gigabytes_is_bounded(claimed: int) -> None:
    at = GOOD.index(b"data") + 4
    found = heard(GOOD[:at] + struct.pack("<I", claimed) + GOOD[at + 4 :])
    whole = heard(GOOD)
    assert found.wav is not None
    assert whole.wav is not None
    assert found.wav.frames == whole.wav.frames
    assert found.wav.notes
    np.testing.assert_array_equal(found.wav.at(slice(0, None)), whole.wav.at(slice(0, None)))
    assert not found.is_damaged
