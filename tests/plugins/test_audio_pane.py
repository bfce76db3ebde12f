"""The Audio tab as a user sees it: cards, an opened sound, its steps and its table, and sounds that are none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.charts.cells import HEAT_FROM
from tbtui.plugins.audio.settings import STYLE
from tbtui.plugins.sample_cards import sample_key
from tbtui.settings.settings import FULL_RANGE, ChartSettings
from tbtui.widgets import worker as worker_module
from tests.helpers.audio_logs import TONE, AudioLogs, new
from tests.helpers.log_directory import START
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text
from tests.helpers.sounds import RATE, chunk, fmt, riff, sine, stored, wav

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.pane_app import PaneApp

SIZES = ((120, 40), (80, 24), (45, 45), (40, 12), (12, 5), (1, 1))
BRAILLE = re.compile("[⠁-⣿]")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> AudioLogs:
    """Two runs with one tag of three steps; the sounds of each grow longer and higher."""
    made = AudioLogs(tmp_path / "logs")
    for run, loudness in (("adam", 1.0), ("sgd", 0.1)):
        made.add(run, {"tone": {10 * k: wav(sine(400 * k, 0.25 * k, loudness=loudness)) for k in (1, 2, 3)}})
    return made


def words(app: PaneApp) -> str:
    """The screen in one line, without the dots of pictures and without frames."""
    return " ".join(BRAILLE.sub("", re.sub("[│╭╮╰╯─▀▄]", " ", screen_text(app))).split())


def is_spectrogram(app: PaneApp) -> bool:
    return bool((app.grid._cells.inks >= HEAT_FROM).any())


# The grid


async def test_audio_pane_card_per_run_shows_the_newest_sound_and_its_format(logs: AudioLogs) -> None:
    app = logs.app(audio_look="waveform")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert app.grid.keys == (sample_key("adam", "tone"), sample_key("sgd", "tone"))
        assert words(app).count("tone 0.75s · 8 kHz · mono") == 2
        assert "● adam step 30" in words(app)
        assert "● sgd step 30" in words(app)
        assert BRAILLE.search(screen_text(app))
        assert "600ms" in words(app)


async def test_audio_pane_shared_cursor_moves_all_cards(logs: AudioLogs) -> None:
    app = logs.app(audio_look="waveform")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "comma")
        assert app.settings.cursor == 20
        assert words(app).count("0.5s · 8 kHz") == 2
        assert words(app).count("step 20") == 2
        await pressed(pilot, "comma comma comma")
        assert words(app).count("step 10") == 2
        await pressed(pilot, "full_stop")
        assert app.settings.cursor == 20
        await pressed(pilot, "backspace")
        assert words(app).count("step 30") == 2


async def test_audio_pane_cursor_of_another_tab_selects_the_nearest_step(logs: AudioLogs) -> None:
    app = logs.app(cursor=17.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert words(app).count("step 20") == 2


async def test_audio_pane_new_sounds_are_followed_without_a_cursor(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        logs.add("adam", {"tone": {40: wav(sine(100, 2.0))}})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "g")
        assert "2s · 8 kHz" in words(app)
        assert "● adam step 40" in words(app)
        await pressed(pilot, "comma")
        logs.add("adam", {"tone": {50: wav(sine(100, 3.0))}})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "g")
        assert "● adam step 30" in words(app)


async def test_audio_pane_view_key_switches_waveform_and_spectrogram(logs: AudioLogs) -> None:
    app = logs.app(audio_look="waveform")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert not is_spectrogram(app)
        await pressed(pilot, "m")
        assert STYLE.value(app.settings) == "spectrogram"
        assert app.pane.status() == "spectrogram"
        assert is_spectrogram(app)
        assert not BRAILLE.search(screen_text(app))
        assert "Hz" in words(app)
        await pressed(pilot, "m m")
        assert not is_spectrogram(app)


async def test_audio_pane_several_sounds_have_numbered_labelled_cards(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    both = [(TONE, "*clean*"), (wav(sine(100, 1.0)), "noisy\x1b[31m")]
    logs.add("run", {"speech": {0: both, 1: both[:1]}})
    app = logs.app(cursor=0.0)
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "g")
        assert len(app.grid.keys) == 1  # the newest value has one
        logs.add("run", {"speech": {2: both}})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "g")
        assert app.grid.keys == (sample_key("run", "speech", 0), sample_key("run", "speech", 1))
        assert "speech · 1 of 2" in words(app)
        assert "speech · 2 of 2" in words(app)
        assert "step 0 *clean*" in words(app)
        assert "step 0 noisy" in words(app)
        assert "\x1b" not in screen_text(app)
        await pressed(pilot, "full_stop")
        assert "this step has 1 sound: none is number 2" in words(app)


async def test_audio_pane_stereo_channels_are_stacked_if_there_is_room(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"both": {0: wav(np.stack((sine(400), 0 * sine(400)), axis=1))}})
    app = logs.app()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "g")
        assert "0.5s · 8 kHz · stereo" in words(app)
        lines = [line for line in app.lines() if "L" in line or "R" in line]
        assert len(lines) == 2
        await pilot.resize_terminal(40, 9)
        await pressed(pilot, "g")
        assert not [line for line in app.lines() if "L" in line]


# Bad input


BAD = {
    "cut": riff(fmt("s16"), chunk(b"data", stored(sine(), "s16"), 80_000)),
    "mp3": b"ID3\3\0nothing",
    "no header": b"abc",
    "nothing": b"",
    "rate": riff(fmt("s16", rate=0), chunk(b"data", b"abcd")),
    "tone": TONE,
    "wide": wav(sine(), "s24"),
    "float": wav(np.append(sine(), np.nan), "f32"),
}


async def test_audio_pane_undrawable_sound_shows_reason_and_others_stay(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {tag: {0: data} for tag, data in BAD.items()})
    logs.add("run", {"number": {0: new((b"", ""))}}, file="events.out.tfevents.2.host")
    app = logs.app(columns=3)
    async with app.run_test(size=(180, 60)) as pilot:
        await pressed(pilot, "g")
        said = words(app)
        assert "it is MP3, which can be played and written" in said
        assert "it does not begin like a WAV file" in said
        assert said.count("it holds no bytes") == 2
        assert "its header says that its sample rate is 0 Hz" in said
        assert "⚠ cut off: it has" in said
        assert "⚠ 1 sample is not a number" in said
        assert said.count("0.5s · 8 kHz · mono") == 4


async def test_audio_pane_removed_file_is_reported(logs: AudioLogs) -> None:
    app = logs.app()
    logs.path("sgd").unlink()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert "the file is gone" in words(app)
        assert words(app).count("0.75s · 8 kHz") == 1


async def test_audio_pane_undrawable_step_leaves_the_others(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {0: TONE, 1: b"broken", 2: TONE}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter left")
        assert "it does not begin like a WAV file" in words(app)
        assert "✗ no WAV" in words(app)
        await pressed(pilot, "left")
        assert app.settings.cursor == 0
        assert "-6.0 dB" in words(app)


# Opened


async def test_audio_pane_opened_sound_shows_pictures_slider_and_all_runs(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        said = words(app)
        assert "tone adam · step 30, the newest · 0.75s · 8 kHz · mono · 16-bit PCM" in said
        assert "step 30 10 ┼ ┼ ● 30 3 of 3 steps, newest" in said
        assert "run step duration rate channels encoding peak RMS" in said
        assert "adam 30 0.75s 8 kHz mono 16-bit PCM 0.0 dB -3.0 dB" in said
        assert "sgd 30 0.75s 8 kHz mono 16-bit PCM -20.0 dB -23.0 dB" in said
        assert BRAILLE.search(screen_text(app))
        assert "▀" in screen_text(app) or "▄" in screen_text(app)
        assert "0dB" in said
        assert "−70dB" in said
        await pressed(pilot, "left")
        said = words(app)
        assert "adam · step 20 · 0.5s" in said
        assert "step 20 10 ┼ ● ┼ 30 2 of 3 steps" in said
        assert "sgd 20 0.5s" in said
        await pressed(pilot, "home")
        assert "step 10 10 ● ┼ ┼ 30 1 of 3 steps" in words(app)
        await pressed(pilot, "n")
        assert "tone sgd · step 10" in words(app)
        await pressed(pilot, "escape escape")
        assert app.settings.cursor is None
        assert "step 30" in words(app)


async def test_audio_pane_table_has_a_row_per_step_on_request(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter B")
        said = words(app)
        assert "step duration rate channels encoding peak RMS bytes" in said
        assert said.index("30 0.75s 8 kHz") < said.index("20 0.5s 8 kHz") < said.index("10 0.25s 8 kHz")


async def test_audio_pane_spectrogram_shows_a_tone_at_its_frequency(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {0: wav(sine(3000, 1.0))}})
    app = logs.app(audio_look="spectrogram")
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "enter")
        plotted = app.chart.plotted
        assert plotted is not None
        cells = app.chart._cells
        rows = range(plotted.plot.top, plotted.plot.top + plotted.plot.height)
        bright = [y for y in rows if (cells.inks[y, 20:60] >= HEAT_FROM).all()]
        assert bright
        label = next(y for y, line in enumerate(app.lines()) if line.lstrip("│ ").startswith("3000"))
        assert any(abs(y - label) <= 1 for y in bright)


async def test_audio_pane_silence_is_a_zero_line_without_colour(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {0: wav(np.zeros(RATE))}})
    app = logs.app(audio_look="spectrogram")
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "g")
        plotted = app.grid.plotted
        assert plotted is not None
        assert not (app.grid._cells.inks[plotted.plot.area] >= HEAT_FROM).any()
        assert is_spectrogram(app)  # the legend has colours
        assert "1s · 8 kHz" in words(app)
        await pressed(pilot, "enter")
        assert "-∞ dB" in words(app)
        dotted = [line for line in app.lines() if len(BRAILLE.findall(line)) > 50]
        assert len(dotted) == 1


async def test_audio_pane_zoom_shows_part_of_one_sound_only(logs: AudioLogs) -> None:
    app = logs.app(audio_look="waveform")
    key = sample_key("adam", "tone")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter z")
        low, high = app.settings.chart(key).y_range
        assert low == pytest.approx(0.1875, abs=0.01)
        assert high == pytest.approx(0.5625, abs=0.01)
        assert app.settings.x_range == FULL_RANGE
        assert list(app.settings.charts) == [key]
        assert app.pane.status() == "waveform · 0.19s–0.56s"
        await pressed(pilot, "L")
        moved = app.settings.chart(key).y_range
        assert (moved[0] or 0) > low
        assert app.settings.cursor is None
        await pressed(pilot, "f")
        assert app.settings.charts == {}


async def test_audio_pane_time_range_can_be_typed(logs: AudioLogs) -> None:
    app = logs.app(audio_look="waveform")
    key = sample_key("adam", "tone")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g e")
        assert "part of tone of adam" in screen_text(app)
        await pressed(pilot, "full_stop 2 down full_stop 4 enter")
        assert app.settings.chart(key).y_range == (0.2, 0.4)
        assert list(app.settings.charts) == [key]
        assert app.pane.status() == "waveform"
        await pressed(pilot, "e")
        assert "0.2s" in screen_text(app)
        await pressed(pilot, "ctrl+u full_stop 5 enter")
        assert "✗ the lower end must be below the upper" in screen_text(app)
        await pressed(pilot, "ctrl+u minus 1 enter")
        assert "✗ a sound begins at 0" in screen_text(app)
        await pressed(pilot, "ctrl+u down ctrl+u enter")
        assert app.settings.charts == {}


async def test_audio_pane_dragged_box_zooms_into_its_time(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        await pilot.mouse_down(app.chart, offset=(40, 5))
        await pilot.hover(app.chart, offset=(80, 25))
        await pilot.mouse_up(app.chart, offset=(80, 25))
        await pressed(pilot, "up")
        low, high = app.settings.chart(sample_key("adam", "tone")).y_range
        assert low is not None
        assert high is not None
        assert 0.1 < low < 0.35 < high < 0.65
        await pilot.click(app.chart, offset=(60, 10))
        assert app.settings.cursor is None


async def test_audio_pane_step_bar_click_and_drag_select_a_step(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        row = next(y for y, line in enumerate(screen_lines(app)) if "3 of 3 steps, newest" in line)
        line = screen_lines(app)[row]
        first, last = line.index("┼"), line.index("●")
        await pilot.click(app.chart, offset=(first + 2, row))
        await pressed(pilot, "")
        assert app.settings.cursor == 10
        assert "step 10 10 ● ┼ ┼ 30 1 of 3 steps" in words(app)
        assert app.settings.charts == {}
        seen = []
        await pilot.mouse_down(app.chart, offset=(first, row))
        for x, y in ((first + 1, row), ((first + last) // 2, row - 3), (119, row + 2), (0, row)):
            await pilot.hover(app.chart, offset=(x, y))
            await pressed(pilot, "")
            seen.append(app.settings.cursor)
        await pilot.mouse_up(app.chart, offset=(0, row))
        await pilot.hover(app.chart, offset=(last, row))
        await pressed(pilot, "")
        assert seen == [10, 20, 30, 10]
        assert app.settings.cursor == 10
        assert app.settings.charts == {}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", ["waveform", "spectrogram"])
async def test_audio_pane_draws_every_size(logs: AudioLogs, size: tuple[int, int], look: str) -> None:
    logs.add("both", {"tone": {0: wav(np.stack((sine(), sine(900)), axis=1))}})
    app = logs.app(audio_look=look)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "g")
        if size[0] >= 40:
            assert "tone" in words(app)
            assert is_spectrogram(app) is (look == "spectrogram")
        await pressed(pilot, "enter left left n")
        if size[0] >= 40:
            assert "‹ tone" in words(app)
            assert "cannot be drawn" not in words(app)


# What is kept, and what other tabs have chosen


async def test_audio_pane_filters_runs_and_tags_and_pins_cards(logs: AudioLogs) -> None:
    logs.add("adam", {"other": {0: TONE}})
    app = logs.app(run_filter="adam", runs_together=True, overview=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert app.grid.keys == (sample_key("adam", "other"), sample_key("adam", "tone"))
        await pressed(pilot, "right p")
        assert app.settings.pinned == (sample_key("adam", "tone"),)
        assert app.grid.keys[0] == sample_key("adam", "tone")


async def test_audio_pane_skipped_and_superseded_steps_are_hidden(logs: AudioLogs) -> None:
    again = {20: wav(sine(100, 1.5)), 30: wav(sine(100, 1.5))}
    logs.add("adam", {"tone": again}, file="events.out.tfevents.2.host", start=START + 100)
    app = logs.app(run_filter="adam")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "30 3 of 3 steps, newest" in words(app)
        await pressed(pilot, "u")
        assert "5 of 5" in words(app)
        app.settings = type(app.settings)(skip_steps=100, run_filter="adam")
        app.look()
        await pressed(pilot, "up")
        assert "all sounds are at steps below 100, which are skipped" in words(app)


async def test_audio_pane_enormous_steps_are_distinguished(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {2**62: TONE, 2**62 + 1: wav(sine(400, 1.0))}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        assert f"step {2**62 + 1}, the newest" in words(app)
        assert "2 of 2" in words(app)


async def test_audio_pane_saved_range_is_restored(logs: AudioLogs) -> None:
    charts = {sample_key("adam", "tone"): ChartSettings(y_range=(0.2, 0.3))}
    app = logs.app(charts=charts)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "0.2s–0.3s" in words(app)
        assert "260ms" in words(app)


async def test_audio_pane_about_describes_a_sound(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"tone": {3: new((TONE, "a *label*"), (b"?", ""), description="What it **is**")}})
    app = logs.app()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "i")
        said = words(app)
        for expected in (
            "plugin audio, data class blob sequence",
            "What it **is**",
            "run: 1 recording at step 3",
            "at step 3, sound 1 of 2, logged ",
            f"0.5s, 8 kHz, mono, 16-bit PCM, {RATE // 2:,} frames",
            "peak -6.0 dB, RMS -9.0 dB of full scale",
            "a *label*",
        ):
            assert expected in said
        await pressed(pilot, "escape right i")
        assert "✗ it does not begin like a WAV file" in words(app)


async def test_audio_pane_options_apply_to_all_sounds(logs: AudioLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(100, 40)) as pilot:
        await pressed(pilot, "o right right enter")
        assert STYLE.value(app.settings) == "spectrogram"
        assert app.settings.x_axis == "step"


async def test_audio_pane_auto_view_shows_the_spectrogram_of_a_block(tmp_path: Path) -> None:
    logs = AudioLogs(tmp_path)
    logs.add("run", {"a tone": {0: wav(sine(400))}, "fading": {0: wav(sine(400) * np.linspace(1, 0, len(sine(400))))}})
    app = logs.app()
    async with app.run_test(size=(60, 40)) as pilot:
        await pressed(pilot, "g")
        tone, fading = app.lines()[: len(app.lines()) // 2], app.lines()[len(app.lines()) // 2 :]
        assert "Hz" in " ".join(tone)
        assert not BRAILLE.search(" ".join(tone))
        assert BRAILLE.search(" ".join(fading))
