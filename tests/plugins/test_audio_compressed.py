"""Waveforms of compressed sounds, with soundfile and without."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile

import tbtui
from tbtui.plugins.audio import compressed
from tbtui.plugins.audio.compressed import HINT, TOO_LONG, decode_compressed, decode_samples
from tbtui.plugins.audio.decode import Sound
from tbtui.plugins.audio.facts import collect_sound_facts
from tbtui.plugins.audio.wav import Wav
from tests.helpers.audio_logs import AudioLogs
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from pathlib import Path

RATE = 16_000
TONE = 0.5 * np.sin(2 * np.pi * 440 * np.arange(RATE // 2) / RATE)
FORMS = [("FLAC", None), ("OGG", "VORBIS"), ("MP3", None), ("AIFF", None), ("WAV", "ULAW")]


def encoded(form: str, subtype: str | None = None) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, TONE, RATE, format=form, subtype=subtype)
    return file.getvalue()


@pytest.mark.parametrize(("form", "subtype"), FORMS)
def test_compressed_sound_has_samples(form: str, subtype: str | None) -> None:
    data = encoded(form, subtype)
    wav, refused = decode_samples(collect_sound_facts(Sound(data)), data)
    assert wav is not None
    assert (wav.rate, wav.channels, refused) == (RATE, 1, "")
    assert wav.seconds == pytest.approx(0.5, abs=0.1)  # MP3 pads
    assert float(np.abs(wav.at(slice(None))).max()) == pytest.approx(0.5, abs=0.1)


def test_compressed_sound_without_soundfile_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded("FLAC")
    monkeypatch.setitem(sys.modules, "soundfile", None)
    wav, refused = decode_samples(collect_sound_facts(Sound(data)), data)
    assert wav is None
    assert refused == f"it is FLAC, which can be played and written to a file, but not drawn {HINT}"


@pytest.mark.parametrize(
    "data",
    [b"OggS" + bytes(60), b"fLaC" + bytes(60), b"ID3\3" + bytes(200), encoded("OGG")[:200]],
    ids=["ogg", "flac", "mp3", "cut ogg"],  # encoded bytes differ from worker to worker
)
def test_compressed_sound_that_is_damaged_keeps_its_reason(data: bytes) -> None:
    facts = collect_sound_facts(Sound(data))
    assert decode_samples(facts, data) == (None, facts.error)


def test_compressed_sound_that_is_long_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "MAX_DECODED_BYTES", 1000)
    assert decode_compressed(encoded("FLAC")) == TOO_LONG
    assert decode_samples(collect_sound_facts(Sound(encoded("FLAC"))), None)[1].endswith(TOO_LONG)


def test_wav_is_drawn_without_soundfile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    data = encoded("WAV", "PCM_16")
    assert isinstance(decode_samples(collect_sound_facts(Sound(data)), data)[0], Wav)


def test_compressed_sound_in_python_has_samples(tmp_path: Path) -> None:
    AudioLogs(tmp_path).add("run", {"tone": {0: encoded("FLAC")}})
    sound = tbtui.open(tmp_path)["run"].audio("tone")[0]
    assert sound.samples.shape == (RATE // 2, 1)
    assert sound.samples[:, 0] == pytest.approx(TONE, abs=1e-3)


async def test_compressed_sound_has_a_waveform_on_its_card(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {0: encoded("OGG", "VORBIS")}})
    app = logs.app(audio_look="waveform")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        shown = screen_text(app)
    assert "not drawn" not in shown
    assert "⣿" in shown
