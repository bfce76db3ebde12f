"""Long sounds are read piece by piece from their files, and are the same as if they were held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.maths.sound import compute_spectrogram, find_column_extremes
from tbtui.plugins.audio import painter as painter_module
from tbtui.plugins.audio import read as heard_module
from tbtui.plugins.audio.painter import AudioPainter
from tbtui.plugins.audio.read import PLUGIN_NAME, FileCutError, LoadedSound, SoundCache, SoundReadError
from tbtui.plugins.sample_cards import SOUNDS, ShownSampleCards
from tbtui.plugins.shown_steps import StepsCache
from tests.helpers.audio_logs import TONE, AudioLogs, new
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_text
from tests.helpers.sounds import chunk, fmt, riff, sine, stored, wav

if TYPE_CHECKING:
    from pathlib import Path

STEREO = np.stack((sine(300, 2.0), sine(700, 2.0)), axis=1)


def heard_in(logs: AudioLogs, tag: str, number: int = 0) -> LoadedSound:
    stop = StepsCache(PLUGIN_NAME, "sound").get_by_tag(logs.view(), tag)[0].nearest(None)
    return SoundCache(Payloads()).of(stop, number)


@pytest.fixture
def logs(tmp_path: Path) -> AudioLogs:
    made = AudioLogs(tmp_path / "logs")
    made.add("run", {code: {3: wav(STEREO, code)} for code in ("u8", "s16", "s24", "s32", "f32", "f64", "s24>")})
    made.add("run", {"new": {3: new((TONE, "first"), (wav(STEREO), "second"))}, "old": {3: TONE}})
    return made


@pytest.mark.parametrize("tag", ["u8", "s16", "s24", "s32", "f32", "f64", "s24>", "new", "old"])
def test_streamed_sound_equals_sound_in_memory(logs: AudioLogs, tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    number = 1 if tag == "new" else 0
    held = heard_in(logs, tag, number)
    monkeypatch.setattr(heard_module, "MAX_HELD_BYTES", 0)
    monkeypatch.setattr(Payloads, "read", None)
    far = heard_in(logs, tag, number)
    assert far.data == held.data
    assert far.head == held.head
    assert (far.label, far.size, far.error) == (held.label, held.size, "")
    assert far.nbytes < held.nbytes
    assert held.wav is not None
    assert far.wav is not None
    assert held.summed is not None
    assert far.summed is not None
    np.testing.assert_array_equal(far.wav.at(slice(3, 50)), held.wav.at(slice(3, 50)))
    np.testing.assert_array_equal(far.wav.at(np.array([9, 10, 3, 3])), held.wav.at(np.array([9, 10, 3, 3])))
    np.testing.assert_array_equal(far.summed.highs, held.summed.highs)
    edges = np.linspace(0.01, 0.4, 30)
    for one, other in zip(
        find_column_extremes(far.summed, far.wav, edges, 0),
        find_column_extremes(held.summed, held.wav, edges, 0),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(compute_spectrogram(far.wav, edges, 64), compute_spectrogram(held.wav, edges, 64))


def test_unusual_long_record_is_read_whole_up_to_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = AudioLogs(tmp_path)
    odd = new((TONE, ""))
    odd.tensor.tensor_shape.dim[1].size = 1
    del odd.tensor.string_val[1]
    logs.add("run", {"odd": {0: odd}})
    monkeypatch.setattr(heard_module, "MAX_HELD_BYTES", 0)
    assert heard_in(logs, "odd").data == TONE
    monkeypatch.setattr(heard_module, "MAX_READ_BYTES", 100)
    with pytest.raises(SoundReadError, match="is more than the 100 B that are read"):
        heard_in(logs, "odd")


def test_streamed_header_far_behind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"late": {0: riff(chunk(b"data", stored(sine(seconds=10), "s16")), fmt("s16"))}})
    assert heard_in(logs, "late").error == ""
    monkeypatch.setattr(heard_module, "MAX_HELD_BYTES", 0)
    assert "no fmt chunk" in heard_in(logs, "late").error


async def test_streamed_file_cut_while_read_is_reported(logs: AudioLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heard_module, "MAX_HELD_BYTES", 0)
    app = logs.app(tag_filter="old")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "g")
        assert "0.5s · 8 kHz" in screen_text(app)
        path = logs.path("run")
        path.write_bytes(path.read_bytes()[: path.stat().st_size - 5000])
        await pressed(pilot, "m")
        assert "the file has become shorter" in screen_text(app)
        path.unlink()
        await pressed(pilot, "z P w")
        assert app.said[-1] == "the file cannot be read: no such file or directory"


def test_long_sound_card_shows_reading(logs: AudioLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    view = logs.view(tag_filter="old")
    cards = ShownSampleCards(SOUNDS).of(view)
    painter = AudioPainter(SoundCache(Payloads()), view, cards)
    assert "reading" not in painter.paint_outline(cards.keys[0], 40, 6, focused=False).text()
    monkeypatch.setattr(painter_module, "MAX_HELD_BYTES", 0)
    assert "reading …" in painter.paint_outline(cards.keys[0], 40, 6, focused=False).text()


def test_streamed_file_cut_raises_file_error(logs: AudioLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heard_module, "MAX_HELD_BYTES", 0)
    heard = heard_in(logs, "old")
    path = logs.path("run")
    path.write_bytes(path.read_bytes()[:2000])
    assert heard.wav is not None
    with pytest.raises(FileCutError):
        heard.wav.at(slice(0, 100))
