"""Test envelopes and spectrograms: peaks are kept, and tones appear at their time and frequency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.maths import sound as sound_module
from tbtui.maths.sound import (
    MAX_BLOCKS,
    choose_window_frames,
    compute_envelope,
    compute_spectrogram,
    find_column_extremes,
    find_loudest,
)
from tbtui.plugins.audio.wav import read_wav
from tests.helpers.sounds import RATE, sine, wav


class LongSound:
    """Virtual silence with one loud sample; records the maximum number of decoded frames."""

    rate = 44_100
    clip_level, clip_run = 2.0, 1

    def __init__(self, seconds: int, loud: int) -> None:
        self.frames, self.loud, self.most = seconds * self.rate, loud, 0

    def at(self, rows: slice | np.ndarray) -> np.ndarray:
        if not isinstance(rows, slice):
            self.most = max(self.most, len(rows))
            return (rows == self.loud).astype(np.float32)[:, None]
        places = range(*rows.indices(self.frames))
        self.most = max(self.most, len(places))
        numbers = np.zeros((len(places), 1), np.float32)
        if self.loud in places:
            numbers[places.index(self.loud)] = 1
        return numbers


def test_envelope_has_peak_loudness_and_non_finite_samples() -> None:
    summed = compute_envelope(read_wav(wav([0.5, -0.75, np.nan, 0.25], "f32")))
    assert (summed.peak, summed.invalid, summed.block) == (0.75, 1, 1)
    assert summed.rms == pytest.approx(np.sqrt((0.25 + 0.5625 + 0.0625) / 3))
    assert summed.lows.ravel().tolist() == [0.5, -0.75, 0.0, 0.25]


def test_envelope_stereo_has_a_lane_per_channel_and_a_mix() -> None:
    summed = compute_envelope(read_wav(wav([[0.5, -0.5], [1.0, 0.0]], "f32")))
    assert summed.lows.tolist() == [[0.0, 0.5, -0.5], [0.5, 1.0, 0.0]]
    assert compute_envelope(read_wav(wav([[0.5, 0.25, 0.0]], "f32"))).lows.tolist() == [[0.25]]


def test_envelope_of_ten_minutes_shows_a_click_in_little_memory() -> None:
    sound = LongSound(600, loud=20_000_000)
    summed = compute_envelope(sound)
    assert sound.most <= 2 * sound_module.CHUNK_FRAMES
    assert len(summed.highs) <= MAX_BLOCKS
    _, high = find_column_extremes(summed, sound, np.linspace(0, 600, 201), 0)
    assert np.flatnonzero(high == 1).tolist() == [int(20_000_000 / sound.frames * 200)]
    sound.most = 0
    at = sound.loud / sound.rate
    _, high = find_column_extremes(summed, sound, np.linspace(at - 0.01, at + 0.01, 201), 0)
    assert high.max() == 1
    assert sound.most < 3000
    sound.most = 0
    compute_spectrogram(sound, np.linspace(0, 600, 201), 1024)
    assert sound.most <= 1024 * sound_module.WINDOWS_PER_PASS


def test_envelope_columns_hold_the_extremes_of_their_samples() -> None:
    sound = read_wav(wav([0, 0.5, -0.5, 0, 0.25, 0, 0, -1], "f32"))
    low, high = find_column_extremes(compute_envelope(sound), sound, np.array([0, 4, 8]) / RATE, 0)
    assert low.tolist() == [-0.5, -1]
    assert high.tolist() == [0.5, 0.25]


def test_envelope_between_samples_is_a_line_and_outside_empty() -> None:
    sound = read_wav(wav([0, 1], "f32"))
    low, high = find_column_extremes(
        compute_envelope(sound), sound, np.array([-1, -0.5, 0, 0.25, 0.5, 1, 2, 3]) / RATE, 0
    )
    assert low.tolist()[2:5] == [0, 0.25, 0.5]
    assert high.tolist()[2:5] == [0.25, 0.5, 1]
    assert np.isnan(low[[0, 1, 6]]).all()
    assert np.isnan(high[[0, 1, 6]]).all()


@given(st.integers(1, 5000), st.integers(1, 50), st.integers(1, 200))
def test_envelope_summary_never_shows_less_than_the_samples(frames: int, most: int, width: int) -> None:
    samples = np.random.default_rng(frames).uniform(-1, 1, frames)
    sound = read_wav(wav(samples, "f32"))
    held, sound_module.MAX_BLOCKS = sound_module.MAX_BLOCKS, most
    try:
        summed = compute_envelope(sound)
    finally:
        sound_module.MAX_BLOCKS = held
    edges = np.linspace(0, sound.seconds, width + 1)
    low, high = find_column_extremes(summed, sound, edges, 0)
    assert high.max() == pytest.approx(samples.max(), abs=1e-6)
    assert low.min() == pytest.approx(samples.min(), abs=1e-6)
    assert (low <= high).all()


@pytest.mark.parametrize("hertz", [200, 1000, 3000])
@pytest.mark.parametrize("width", [1, 7, 500])
def test_spectrogram_full_scale_sine_is_0_decibels_at_its_frequency(hertz: float, width: int) -> None:
    sound = read_wav(wav(sine(hertz, 1.0, loudness=1.0), "f32"))
    window = choose_window_frames(RATE)
    assert window == 256
    levels = compute_spectrogram(sound, np.linspace(0, 1, width + 1), window)
    assert levels.shape == (width, window // 2 + 1)
    middle = levels[width // 2]
    assert abs(int(middle.argmax()) * RATE / window - hertz) <= RATE / window
    assert middle.max() == pytest.approx(0, abs=1.6)
    far = np.abs(np.arange(len(middle)) * RATE / window - hertz) > 500
    assert middle[far].max() < -40


def test_spectrogram_tone_appears_at_its_time() -> None:
    sound = read_wav(wav(np.concatenate((sine(500, 1.0), np.zeros(RATE), sine(2000, 1.0))), "f32"))
    rows = find_loudest(compute_spectrogram(sound, np.linspace(-1, 4, 51), 256), RATE, np.linspace(0, 4000, 9))
    loudest = rows.argmax(axis=1)
    assert set(loudest[11:19]) <= {0, 1}
    assert set(loudest[31:39]) <= {3, 4}
    assert (rows[22:28] == -100).all()
    assert np.isnan(rows[:10]).all()
    assert np.isnan(rows[41:]).all()


def test_spectrogram_rows_finer_than_bins_repeat_the_nearest() -> None:
    levels = np.array([[0.0, -10.0, -20.0]])
    assert find_loudest(levels, 8, np.linspace(0, 4, 9)).tolist() == [[0, 0, -10, -10, -10, -10, -20, -20]]


@given(st.integers(1, 300), st.integers(1, 40), st.floats(-2, 2), st.floats(1e-6, 5))
def test_sound_any_window_can_be_drawn(frames: int, width: int, start: float, span: float) -> None:
    sound = read_wav(wav(np.ones((frames, 2)), "s16"))
    edges = np.linspace(start, start + span, width + 1) * frames / RATE
    low, high = find_column_extremes(compute_envelope(sound), sound, edges, 2)
    assert low.shape == high.shape == (width,)
    levels = find_loudest(compute_spectrogram(sound, edges, 64), RATE, np.linspace(0, RATE / 2, 13))
    assert levels.shape == (width, 12)
    assert (np.isnan(levels).all(axis=1) == np.isnan(low)).all()


@pytest.mark.parametrize(
    ("loudness", "code", "is_clipped"),
    [(2.0, "s16", True), (2.0, "s24", True), (0.9, "s16", False), (1.0, "f32", False), (2.0, "f32", True)],
)
def test_envelope_counts_clipped_samples(loudness: float, code: str, *, is_clipped: bool) -> None:
    assert (compute_envelope(read_wav(wav(sine(440, loudness=loudness), code))).clipped > 0) == is_clipped


def test_envelope_counts_clipped_samples_across_pieces_once(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = np.zeros((100, 2))
    samples[28:45, 0] = 1.0
    samples[50:52, 1] = -1.0
    whole = compute_envelope(read_wav(wav(samples, "s16"))).clipped
    monkeypatch.setattr(sound_module, "CHUNK_FRAMES", 5)
    assert compute_envelope(read_wav(wav(samples, "s16"))).clipped == whole == 17
