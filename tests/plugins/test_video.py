"""Animations in the Images dashboard: strips, comparison frame by frame, and steps played like a film."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.cells import Ink
from tbtui.cli.main import main
from tbtui.plugins.images.detail import draw_changes_line, strip_layout
from tbtui.plugins.images.settings import FILMS
from tests.helpers.image_logs import BLACK, BLUE, GREEN, RED, ImageLogs, gif, plain
from tests.helpers.inspect_command import inspected
from tests.helpers.pane_app import pressed
from tests.helpers.print_command import printed
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.plugins.test_images_pane import colours, settled, true_colours  # noqa: F401 - a fixture for all tests

if TYPE_CHECKING:
    from tests.helpers.pane_app import PaneApp

CORPUS = Path(__file__).parents[1] / "tensorboard" / "video" / "logs"

FACTS = {
    "apng": "32×24 PNG, 8 frames, 800ms, 10 fps",
    "cut_in_the_middle": "32×24 GIF, 4 frames, 750ms, 5.33 fps",
    "many_frames": "16×16 GIF, 600 frames, 12s, 50 fps",
    "mp4": "this is not an image of a known format but a film",
    "no_delay": "32×24 GIF, 8 frames, 800ms, 10 fps",
    "plays_twice": "32×24 GIF, 8 frames, 800ms, 10 fps",
    "single_frame": "32×24 GIF",
    "transparent_disposal": "32×24 GIF, 4 frames, 800ms, 5 fps",
    "uneven_durations": "32×24 GIF, 8 frames, 1.9s, 4.21 fps",
    "webp": "32×24 WebP, 8 frames, 800ms, 10 fps",
}
"""What is known of each film of the corpus: size, format, frames, duration, frames per second."""

NEAR_RED = (254, 0, 0)
"""Equal frames would be written as one."""

NO_PICTURE = "an empty value: PyTorch's add_video writes one with moviepy 2"


@pytest.fixture
def logs(tmp_path: Path) -> ImageLogs:
    return ImageLogs(tmp_path / "logs")


def images_of(app: PaneApp) -> str:
    return "\n".join(screen_lines(app))


def test_inspect_tells_frames_seconds_and_rate_of_every_film() -> None:
    _, out = inspected(CORPUS / "edge", width=120)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for tag, facts in FACTS.items():
        assert any(line.startswith(tag) and line.endswith(facts) for line in lines), tag


def test_export_has_frames_and_duration_of_every_film(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--no-cache", "--plugin", "images", str(CORPUS / "edge")]) == 0
    rows = {row["tag"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert (rows["uneven_durations"]["frames"], rows["uneven_durations"]["duration"]) == ("8", "1.9")
    assert (rows["many_frames"]["frames"], rows["many_frames"]["duration"]) == ("600", "12.0")
    assert rows["single_frame"]["duration"] == ""
    assert rows["mp4"]["problem"] == FACTS["mp4"]


def test_print_tells_frames_seconds_and_rate() -> None:
    shown = printed("--no-cache", "--plugin", "images", "--max-tags", 0, CORPUS / "edge").lines
    assert any(line.startswith("32 x 24 GIF, 8 frames, 1.9s, 4.21 fps") for line in shown)


@pytest.mark.parametrize("words", [("print", "--plugin", "images"), ("inspect",)])
def test_value_of_a_failed_add_video_says_why(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--no-cache", str(CORPUS / "torch_moviepy2")]) == 0
    assert NO_PICTURE in capsys.readouterr().out


async def test_card_of_a_failed_add_video_says_why(logs: ImageLogs) -> None:
    from tbtui.loading.loader import Loader
    from tbtui.loading.payloads import Payloads
    from tbtui.loading.sources import parse_sources
    from tbtui.plugins.images.pane.pane import ImagesPane
    from tests.helpers.pane_app import PaneApp

    snapshot = Loader(parse_sources([str(CORPUS / "torch_moviepy2")]), reload_seconds=0).load_all().snapshot
    app = PaneApp(ImagesPane(Payloads()), snapshot)
    async with app.run_test(size=(100, 15)) as pilot:
        await settled(pilot)
        assert NO_PICTURE in " ".join(screen_text(app).replace("│", " ").split())


@pytest.mark.parametrize(
    ("columns", "rows", "frames", "layout"),
    [(44, 10, 8, (3, 2)), (44, 5, 8, (3, 1)), (44, 10, 2, (2, 1)), (11, 3, 8, (1, 1)), (120, 24, 600, (10, 1))],
)
def test_strip_of_a_card_uses_its_room(columns: int, rows: int, frames: int, layout: tuple[int, int]) -> None:
    assert strip_layout(columns, rows, frames) == layout


async def test_films_as_strips_show_their_changes_in_cards(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, NEAR_RED, RED, GREEN, BLUE])}})
    app = logs.app()
    async with app.run_test(size=(60, 15)) as pilot:
        await settled(pilot)
        assert colours(app) == {RED}
        app.settings = FILMS.with_value(app.settings, "strip")
        app.look()
        await settled(pilot)
        assert colours(app) == {RED, GREEN, BLUE}
        assert "frame 5" in images_of(app)


async def test_strip_of_an_opened_film_skips_frames_that_repeat(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, NEAR_RED] * 6 + [GREEN, BLUE, BLACK] + [RED, NEAR_RED] * 6)}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        words = " ".join(images_of(app).split())
        assert all(f"frame {frame}" in words for frame in (1, 13, 14, 15, 27))


async def test_films_of_two_runs_play_side_by_side(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN])}})
    logs.add("b", {"x": {0: gif([BLUE, BLACK, RED])}})
    app = logs.app(image_comparison="beside")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert colours(app) >= {RED, BLUE}
        await pressed(pilot, "greater_than_sign")
        assert colours(app) >= {GREEN, BLACK}
        assert "frame 2 of 3" in app.lines()[0]


async def test_difference_of_two_films_is_that_of_the_shown_frame(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN, BLUE])}})
    logs.add("b", {"x": {0: gif([RED, BLACK, BLUE])}})
    app = logs.app(image_comparison="difference")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert "the same" in app.lines()[1]
        assert "frames differ most at 2 ·█·" in images_of(app)
        await pressed(pilot, "greater_than_sign")
        assert "difference: 100 % of pixels, at most 255 of 255" in app.lines()[1]
        assert colours(app) == {GREEN}


async def test_film_beside_a_still_compares_every_frame_with_it(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN])}})
    logs.add("b", {"x": {0: plain(GREEN)}})
    app = logs.app(image_comparison="difference")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert "frames differ most at 1 █·" in images_of(app)
        await pressed(pilot, "greater_than_sign")
        assert "the same" in app.lines()[1]


def test_bars_of_many_frames_keep_the_greatest_difference() -> None:
    apart = np.zeros(600)
    apart[431] = 9.0
    cells = draw_changes_line(apart, 431, 60)
    row = cells.get_row_text(0)
    assert row.startswith("frames differ most at 432 ")
    assert row.count("█") == 1
    assert cells.inks[0, row.index("█")] == Ink.ACCENT


async def test_capital_p_plays_the_steps_of_a_tag_like_a_film(logs: ImageLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.plugins.images.pane.pane.STEP_SECONDS", 0.06)
    logs.add("a", {"x": {0: plain(RED), 10: plain(GREEN), 20: plain(BLUE)}})
    app = logs.app()
    async with app.run_test(size=(100, 15)) as pilot:
        await settled(pilot)
        pane: Any = app.pane
        seen: set[tuple[int, int, int]] = set()
        await pressed(pilot, "P")
        assert "playing (P stops)" in pane.status()
        await until(pilot, lambda: seen.update(colours(app)) or seen == {RED, GREEN, BLUE})
        await pressed(pilot, "P")
        assert not pane.film.is_playing
        await pressed(pilot, "enter P")
        assert pane.film.is_playing
        pane.display = False
        await until(pilot, lambda: not pane.film.is_playing)


async def test_capital_p_on_a_single_step_says_that_there_is_nothing_to_play(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED)}})
    app = logs.app()
    async with app.run_test(size=(100, 15)) as pilot:
        await settled(pilot)
        pane: Any = app.pane
        await pressed(pilot, "P")
        assert not pane.film.is_playing
