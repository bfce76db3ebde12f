"""Counts, films and reasons of pictures and sounds: `print`, `export` and `inspect` say the same."""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from tbtui.cli.main import main
from tbtui.terminal_images.header import read_header
from tests.helpers.audio_logs import AudioLogs, old
from tests.helpers.image_logs import BLUE, GREEN, RED, ImageLogs, plain
from tests.helpers.print_command import printed
from tests.helpers.sounds import sine, wav
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from pathlib import Path

EMPTY = "nothing was logged at this step"


def film(form: str, durations: list[int]) -> bytes:
    frames = [Image.fromarray(plain(colour, 16, 8)) for colour in (RED, GREEN, BLUE)]
    file = io.BytesIO()
    frames[0].save(file, form, save_all=True, append_images=frames[1:], duration=durations, lossless=True)
    return file.getvalue()


def output(*words: object) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([*map(str, words)])
    return out.getvalue()


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_header_of_film_has_frames_and_seconds(form: str) -> None:
    header = read_header(film(form, [200, 300, 500]))
    assert (header.frames, header.seconds) == (3, pytest.approx(1.0))


def test_header_of_film_short_durations_are_shown_longer() -> None:
    assert read_header(film("GIF", [0, 10, 100])).seconds == pytest.approx(0.3)


def test_film_print_export_and_inspect_say_the_same(tmp_path: Path) -> None:
    ImageLogs(tmp_path).add("run", {"film": {0: film("GIF", [200, 300, 500])}})
    assert "16 x 8 GIF, 3 frames, 1s, 3 fps, " in printed(tmp_path, "--plugin", "images").out
    assert "16×8 GIF, 3 frames, 1s, 3 fps" in output("inspect", tmp_path)
    header, row = output("export", tmp_path, "--plugin", "images", "--format", "csv").splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=True))
    assert (cells["frames"], cells["duration"]) == ("3", "1.0")


def test_dark_mask_print_and_inspect_give_its_range(tmp_path: Path) -> None:
    mask = np.zeros((8, 8), np.uint8)
    mask[:, 4:] = 2
    ImageLogs(tmp_path).add("run", {"mask": {0: mask}})
    assert "values 0–2 of 255" in printed(tmp_path, "--plugin", "images").out
    assert "8×8 PNG, values 0–2 of 255" in output("inspect", tmp_path)


def test_picture_cut_short_print_and_inspect_say_so(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 60, 3)).astype(np.uint8)).save(file, "PNG")
    ImageLogs(tmp_path).add("run", {"cut": {0: file.getvalue()[:500]}})
    assert "500 bytes; cut short" in printed(tmp_path, "--plugin", "images").out
    assert "60×40 PNG, cut short" in output("inspect", tmp_path)


def test_empty_batch_print_export_and_inspect_give_one_reason(tmp_path: Path) -> None:
    ImageLogs(tmp_path).add("run", {"none": {0: []}})
    assert EMPTY in printed(tmp_path, "--plugin", "images").out
    assert EMPTY in output("inspect", tmp_path)
    assert EMPTY in output("export", tmp_path, "--plugin", "images", "--format", "csv")


def test_undrawn_sound_print_export_and_inspect_give_one_reason(tmp_path: Path) -> None:
    AudioLogs(tmp_path).add("run", {"tone": {0: b"OggS" + bytes(60)}})
    reason = "it is Ogg, which can be played and written to a file, but not drawn"
    assert reason in printed(tmp_path, "--plugin", "audio", "--width", "120").out
    assert reason in " ".join(output("inspect", tmp_path).split())
    assert reason in output("export", tmp_path, "--plugin", "audio", "--format", "csv")


def test_rates_that_differ_print_and_inspect_say_so(tmp_path: Path) -> None:
    value = old(wav(sine(440, 0.1, 8000), rate=8000))
    value.audio.sample_rate = 16000.0
    AudioLogs(tmp_path).add("run", {"tone": {0: value}})
    reason = "its header says 8 kHz, its writer logged 16 kHz"
    assert reason in " ".join(printed(tmp_path, "--plugin", "audio", "--width", "120").out.split())
    assert reason in " ".join(output("inspect", tmp_path).split())


def test_print_clipped_samples_are_counted(tmp_path: Path) -> None:
    samples = np.zeros(100)
    samples[10:20] = 1.0
    AudioLogs(tmp_path).add("run", {"tone": {0: wav(samples)}})
    assert "run · step 0: 10 samples clipped" in printed(tmp_path, "--plugin", "audio").lines


def test_print_values_of_one_step_are_counted_and_on_request_printed(tmp_path: Path) -> None:
    for number in range(3):
        ImageLogs(tmp_path).add("run", {"picture": {0: plain((number, 0, 0))}})
        AudioLogs(tmp_path).add("run", {"tone": {0: wav(sine(300 + number))}})
        TextLogs(tmp_path).add("run", {"words": {0: f"text {number}"}})
    for plugin in ("images", "text"):
        assert "step 0 · 2 more at this step (--superseded)" in printed(tmp_path, "--plugin", plugin).out
        assert "step 0, 2 of 3 (3 values in all)" in printed(tmp_path, "--plugin", plugin, "--superseded").out
    assert "run · step 0: 2 more at this step" in printed(tmp_path, "--plugin", "audio").out
    assert printed(tmp_path, "--plugin", "audio", "--superseded").out.count("8,000 Hz") == 3
    some = printed(tmp_path, "--plugin", "text", "--superseded", "--max-runs", "2")
    assert some.lines[-1] == "1 more value (--max-runs 0: all)"


def test_print_film_is_a_strip_of_its_frames(tmp_path: Path) -> None:
    ImageLogs(tmp_path).add("run", {"film": {0: film("GIF", [200, 300, 500])}})
    coloured = printed(
        tmp_path, "--plugin", "images", "--color", "always", COLORTERM="truecolor", TERM="xterm-256color"
    )
    first = next(line for line in coloured.lines if "48;2;" in line)
    colours = [f"48;2;{red};{green};{blue}" for red, green, blue in (RED, GREEN, BLUE)]
    places = [first.find(colour) for colour in colours]
    assert -1 not in places
    assert places == sorted(places)
