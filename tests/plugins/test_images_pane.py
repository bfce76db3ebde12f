"""The Images tab as a user sees it: colours of cells, words, keys."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual.events import MouseScrollUp

from tbtui.plugins.images.pane.view import ImageView
from tbtui.plugins.images.settings import BRIGHTNESS, COMPARISON, CONTRAST, VIEWPORTS
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.image_grid import ImageGrid, StepBarView
from tests.helpers.image_logs import BLACK, BLUE, GREEN, RED, WHITE, ImageLogs, encoded, gif, plain
from tests.helpers.log_directory import START
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import screen_lines, until
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from textual.pilot import Pilot

STEPS = {0: plain(RED), 10: plain(GREEN), 20: plain(BLUE)}


@pytest.fixture(autouse=True)
def true_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def logs(tmp_path: Path) -> ImageLogs:
    return ImageLogs(tmp_path / "logs")


def colours(app: PaneApp) -> set[tuple[int, int, int]]:
    """The plain colours that stand anywhere on the screen: those of test pictures, whatever the theme has."""
    known = {RED, GREEN, BLUE, WHITE, BLACK, (255, 255, 0), (128, 0, 0), (127, 0, 0)}
    found = set()
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None and colour.triplet is not None:
                    found.add(tuple(colour.triplet))
    return found & known


def columns_of(app: PaneApp, colour: tuple[int, int, int]) -> int:
    """Of how many cells the ground has this colour."""
    return sum(
        len(segment.text)
        for strip in app.screen._compositor.render_strips()
        for segment in strip
        if segment.style and segment.style.bgcolor and segment.style.bgcolor.triplet == colour
    )


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    app = pilot.app
    assert isinstance(app, PaneApp)
    await app.pane.idle()
    await pilot.pause()


def said(app: PaneApp) -> str:
    return "\n".join(app.lines())


# The grid


async def test_cards_show_newest_step_and_follow_new_data(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert colours(app) == {BLUE}
        assert "● a · step 20" in said(app)
        assert "step 20" in app.lines()[-1]
        assert "3 of 3 steps, newest" in app.lines()[-1]
        logs.add("a", {"x": {30: plain(WHITE)}})
        app.store = logs.load()
        app.look()
        await settled(pilot)
        assert colours(app) == {WHITE}
        assert "● a · step 30" in said(app)


async def test_cursor_moves_all_cards_to_nearest_step(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    logs.add("b", {"x": {0: plain(BLACK), 21: plain(WHITE)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert colours(app) == {BLUE, WHITE}
        await pressed(pilot, "comma")
        assert app.settings.cursor == 10
        assert colours(app) == {GREEN, BLACK}
        assert "step 10" in said(app)
        await pressed(pilot, "comma")
        assert colours(app) == {RED, BLACK}
        await pressed(pilot, "backspace")
        assert app.settings.cursor is None
        assert colours(app) == {BLUE, WHITE}


async def test_own_step_moves_one_card_only(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    logs.add("b", {"x": {0: plain(BLACK), 21: plain(WHITE)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pressed(pilot, "left_square_bracket left_square_bracket")
        assert colours(app) == {RED, WHITE}
        assert "● a · step 0 alone" in said(app)
        assert app.settings.cursor is None
        await pressed(pilot, "comma")
        assert app.settings.cursor == 10
        assert colours(app) == {RED, BLACK}
        await pressed(pilot, "right_square_bracket")
        assert GREEN in colours(app)
        await pressed(pilot, "backspace")
        assert colours(app) == {BLUE, WHITE}


async def test_step_with_several_pictures_has_a_card_each(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: [plain(RED), plain(GREEN)], 1: [plain(WHITE), plain(BLACK), plain(BLUE)]}})
    app = logs.app()
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        assert colours(app) == {WHITE, BLACK, BLUE}
        assert all(f"x · {number} of 3" in said(app) for number in (1, 2, 3))
        await pressed(pilot, "comma")
        assert colours(app) == {RED, GREEN}
        assert "step 0 has 2 images only, not 3" in said(app)


async def test_brightness_and_contrast_match_tensorboard(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pressed(pilot, "minus minus minus minus minus")
        assert BRIGHTNESS.value(app.settings) == 0.5
        assert colours(app) == {(128, 0, 0)}
        assert "brightness 0.5" in app.pane.status()
        await pressed(pilot, "backspace")
        assert colours(app) == {RED}
        await pressed(pilot, " ".join(["left_parenthesis"] * 10))
        assert CONTRAST.value(app.settings) == 0
        assert colours(app) == set()


def odd_pictures() -> dict[str, tuple[bytes, str]]:
    """What may stand in place of a picture, and what is said of it."""
    huge = bytearray(encoded(plain(RED)))
    huge[16:24] = (60_000).to_bytes(4, "big") * 2
    huge[29:33] = zlib.crc32(huge[12:29]).to_bytes(4, "big")
    return {
        "empty": (b"", "empty"),
        "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "an SVG drawing"),
        "huge": (bytes(huge), "60,000 × 60,000"),
        "garbage": (b"\x89PNG\r\n\x1a\nno picture follows", "no image follows"),
    }


@pytest.mark.parametrize("kind", odd_pictures())
async def test_bad_picture_shows_reason_and_others_stay(logs: ImageLogs, kind: str) -> None:
    data, why = odd_pictures()[kind]
    logs.add("a", {"good": {0: plain(GREEN)}, "odd": {0: plain(RED), 1: data}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert colours(app) == {GREEN}
        assert why in " ".join(said(app).replace("│", " ").split())
        assert "✗ no image" in said(app)
        await pressed(pilot, "right enter")
        assert why in " ".join(said(app).split())
        await pressed(pilot, "left_square_bracket")
        assert colours(app) == {RED}
        await pressed(pilot, "z z H plus d d f greater_than_sign P i escape escape escape escape")
        assert app.query_one(CardGrid).has_focus


async def test_truncated_picture_is_shown_with_a_note(logs: ImageLogs) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    logs.add("a", {"x": {0: encoded(noise)[:9000]}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "⚠ cut short · 64×64" in said(app)


async def test_hidden_cards_are_not_decoded(logs: ImageLogs) -> None:
    logs.add("a", {f"tag{number:03}": {step: plain(RED) for step in range(3)} for number in range(60)})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        in_sight = len(app.grid.keys_in_sight)
        assert 0 < in_sight < 10
        assert app.pane.pixels.decodings == in_sight  # type: ignore[attr-defined]
        await pressed(pilot, "right left right")
        assert app.pane.pixels.decodings == in_sight  # type: ignore[attr-defined]


async def test_long_run_name_in_caption_is_shortened(logs: ImageLogs) -> None:
    logs.add(f"{'a' * 40}/{'b' * 40}", {"x": {7: plain(RED)}})
    app = logs.app()
    async with app.run_test(size=(45, 20)) as pilot:
        await settled(pilot)
        assert "aaa…" in said(app)
        assert "bbb · step 7 " in said(app)
        await pressed(pilot, "enter")
        assert "…" in app.lines()[0]
        assert "step 7" in app.lines()[0]


# In full size


async def test_enter_opens_picture_in_full_size(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    logs.add("b", {"x": {0: plain(WHITE)}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert colours(app) == {BLUE}
        title, *_, header, first, second = app.lines()
        assert title.startswith("‹ x  a · step 20 · 8×8 PNG · ")
        assert header.split()[:3] == ["run", "step", "steps"]
        assert first.split()[:4] == ["●", "a", "20", "3"]
        assert second.split()[:4] == ["●", "b", "0", "1"]
        await pressed(pilot, "left")
        assert colours(app) == {GREEN}
        await pressed(pilot, "home")
        assert colours(app) == {RED}
        await pressed(pilot, "n")
        assert colours(app) == {WHITE}
        await pressed(pilot, "escape escape")
        assert app.query_one(CardGrid).has_focus


async def test_zoom_and_pan_show_a_part_of_the_picture(logs: ImageLogs) -> None:
    quarters = np.zeros((64, 64, 3), np.uint8)
    quarters[:32, :32], quarters[:32, 32:], quarters[32:, :32], quarters[32:, 32:] = RED, GREEN, BLUE, WHITE
    logs.add("a", {"x": {0: quarters}})
    app = logs.app()
    async with app.run_test(size=(70, 40)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert colours(app) == {RED, GREEN, BLUE, WHITE}
        await pressed(pilot, "z z H H H H H H H H")
        assert colours(app) == {RED, BLUE}
        await pressed(pilot, " ".join(["shift+up"] * 8))
        assert colours(app) == {RED}
        assert "4×" in app.lines()[0]
        await pressed(pilot, "f")
        assert colours(app) == {RED, GREEN, BLUE, WHITE}
        assert VIEWPORTS.value(app.settings) == {}


async def test_actual_size_key_shows_one_dot_per_pixel(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED, 200, 8)}})
    logs.add("b", {"x": {0: plain(RED, 10, 8)}})
    app = logs.app()
    async with app.run_test(size=(70, 40)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter f")
        assert "actual size" in app.lines()[0]
        assert columns_of(app, RED) == 69 * 4
        await pressed(pilot, "n f")
        assert columns_of(app, RED) == 10 * 4
        await pressed(pilot, "f")
        assert VIEWPORTS.value(app.settings).keys() == {"a\0x"}


async def test_marked_step_is_compared_side_by_side_and_subtracted(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter home v end")
        assert colours(app) == {RED, BLUE}
        assert "● a · step 0" in app.lines()[1]
        assert "● a · step 20" in app.lines()[1]
        await pressed(pilot, "d")  # they are beside each other already
        assert COMPARISON.value(app.settings) == "difference"
        assert "difference: 100 % of pixels, at most 255 of 255  step 20 and step 0" in app.lines()[1]
        await pressed(pilot, "home")
        assert "step 0 and step 10" in app.lines()[1]  # the marked step is compared with its neighbour, not itself
        assert BLACK not in colours(app)
        await pressed(pilot, "escape")
        assert app.settings.mark is None


async def test_stretch_key_shows_another_step_or_run_at_once(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS, "once": {0: plain(RED)}})
    logs.add("b", {"once": {0: plain(BLUE)}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "G enter end v")
        assert colours(app) == {GREEN, BLUE}
        assert "● a · step 10" in app.lines()[1]
        await pressed(pilot, "escape escape escape g enter v")
        assert colours(app) == {RED, BLUE}
        assert "● b · step 0" in app.lines()[1]


async def test_comparison_uses_baseline_or_another_run(logs: ImageLogs) -> None:
    for run, colour in (("a", RED), ("b", GREEN), ("c", BLUE)):
        logs.add(run, {"x": {0: plain(colour)}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter d")
        assert colours(app) == {RED, GREEN}
        app.settings = settings_of(image_comparison="beside", baseline="c")
        app.look()
        await settled(pilot)
        assert colours(app) == {RED, BLUE}
        await pressed(pilot, "d")
        assert "a and c, step 0" in app.lines()[1]


async def test_difference_of_unequal_sizes_resizes_one(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED, 4, 4), 1: plain(RED, 8, 8)}})
    app = logs.app(image_comparison="difference")
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert "the same · 8×8 beside 4×4" in app.lines()[1]


async def test_small_difference_is_drawn_brighter_and_says_how_much(logs: ImageLogs) -> None:
    second = plain((100, 100, 100))
    second[:4, :, 0] = 101
    logs.add("a", {"x": {0: plain((100, 100, 100)), 1: second}})
    app = logs.app(image_comparison="difference")
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert "difference ×128: 50 % of pixels, at most 1 of 255" in app.lines()[1]
        assert (128, 0, 0) in colours(app)


async def test_comparison_of_single_picture_finds_nothing(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED)}})
    app = logs.app(image_comparison="beside")
    async with app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        assert "nothing to compare with" in app.lines()[0]
        assert colours(app) == {RED}


async def test_animation_keys_step_through_frames(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN, BLUE])}})
    app = logs.app()
    async with app.run_test(size=(100, 15)) as pilot:
        await settled(pilot)
        assert colours(app) == {RED}
        assert "3 frames, 300ms, 10 fps · 8×8" in said(app)
        await pressed(pilot, "enter greater_than_sign")
        assert colours(app) == {GREEN}
        assert "frame 2 of 3" in app.lines()[0]
        await pressed(pilot, "less_than_sign less_than_sign")
        assert colours(app) == {BLUE}
        await pressed(pilot, "escape enter")
        assert colours(app) == {RED}


async def test_opened_animation_has_a_strip_of_frames(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN, BLUE])}, "still": {0: plain(RED)}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "right enter")
        assert colours(app) == {RED, GREEN, BLUE}
        assert any(line.split() == ["frame", "1", "frame", "2", "frame", "3"] for line in app.lines())
        await pressed(pilot, "escape left enter")
        assert colours(app) == {RED}


async def test_animation_plays_on_request_and_stops(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: gif([RED, GREEN, BLUE], duration=60)}})
    app = logs.app()
    async with app.run_test(size=(100, 15)) as pilot:
        await settled(pilot)
        pane: Any = app.pane
        await pressed(pilot, "enter")
        assert not pane.player.state.is_playing
        await pressed(pilot, "P")
        seen: set[tuple[int, int, int]] = set()
        await until(pilot, lambda: seen.update(colours(app)) or len(seen) == 3)
        assert seen == {RED, GREEN, BLUE}
        await pressed(pilot, "P")
        assert not pane.player.state.is_playing
        await pressed(pilot, "P escape")
        assert not pane.player.state.is_playing
        await pressed(pilot, "enter P")
        assert pane.player.state.is_playing
        pane.display = False
        await until(pilot, lambda: not pane.player.state.is_playing)
        assert not pane.player.state.is_playing


async def test_about_key_shows_details_of_picture(logs: ImageLogs) -> None:
    data = encoded(plain(RED, 12, 6))
    logs.add("a", {"x": {7: data}})
    app = logs.app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pressed(pilot, "i")
        shown = said(app)
        assert "step 7, logged 2026-" in shown
        assert f"{len(data)} bytes encoded" in shown
        assert "8 × 8 pixels according to the writer" in shown
        assert "12 × 6 pixels, PNG, RGB of 8 bits" in shown


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (45, 45), (40, 12), (20, 5), (3, 2)])
async def test_images_pane_of_every_size_is_drawn(logs: ImageLogs, size: tuple[int, int]) -> None:
    logs.add("a", {"x": STEPS, "gif": {0: gif([RED, GREEN])}})
    app = logs.app()
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        if size[0] >= 40:
            assert "step" in said(app)
            assert colours(app)
        await pressed(pilot, "enter")
        if size[0] >= 40:
            assert colours(app)
        await pressed(pilot, "c z c v left z escape escape escape escape")


async def test_few_colour_terminals_show_pictures(logs: ImageLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    logs.add("a", {"x": {0: plain(WHITE)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "█" in said(app)


# The mouse


async def test_step_bar_click_and_wheel_move_cursor(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        knob = app.lines()[-1].index("┼")
        await pilot.click(StepBarView, offset=(knob + 1, 0))
        await settled(pilot)
        assert app.settings.cursor == 0
        assert colours(app) == {RED}
        bar = app.query_one(StepBarView)
        bar.scroll_by_wheel(1)
        await settled(pilot)
        assert app.settings.cursor == 10
        await pressed(pilot, "enter")
        row, bar_line = next((y, line) for y, line in enumerate(screen_lines(app)) if line.startswith("step 10"))
        await pilot.click(ImageView, offset=(bar_line.rindex("┼"), row))
        await settled(pilot)
        assert app.settings.cursor == 20
        assert colours(app) == {BLUE}


async def test_wheel_over_picture_zooms_at_pointer(logs: ImageLogs) -> None:
    halves = np.zeros((64, 64, 3), np.uint8)
    halves[:, :32], halves[:, 32:] = RED, GREEN
    logs.add("a", {"x": {0: halves}})
    app = logs.app()
    async with app.run_test(size=(70, 40)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        view = app.chart
        assert isinstance(view, ImageView)
        for _ in range(12):
            event = MouseScrollUp(view, 8, 12, 0, 0, 0, False, False, False, screen_x=8, screen_y=12)
            view.on_mouse_scroll_up(event)
            await settled(pilot)
        assert colours(app) == {RED}
        await pilot.click(ImageView, offset=(20, 10), times=2)
        await settled(pilot)
        assert colours(app) == {RED, GREEN}


async def test_mouse_sets_no_chart_options(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.mouse_down(ImageGrid, offset=(5, 5))
        await pilot.hover(ImageGrid, offset=(40, 10))
        await pilot.mouse_up(ImageGrid, offset=(40, 10))
        await pressed(pilot, "enter")
        await pilot.mouse_down(ImageView, offset=(5, 18))
        await pilot.hover(ImageView, offset=(40, 18))
        await pilot.mouse_up(ImageView, offset=(40, 18))
        await settled(pilot)
        assert app.settings.charts == {}


# What was logged


async def test_superseded_pictures_are_shown_on_request(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED), 10: plain(GREEN)}})
    logs.add("a", {"x": {5: plain(WHITE), 7: plain(BLUE)}}, start=START + 100)
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert colours(app) == {BLUE}
        assert "3 steps" in said(app)
        await pressed(pilot, "u")
        assert "4 steps" in said(app)
        assert colours(app) == {GREEN}


async def test_skipped_steps_are_hidden_and_empty_card_says_so(logs: ImageLogs) -> None:
    logs.add("a", {"x": STEPS, "y": {0: plain(WHITE)}})
    app = logs.app(skip_steps=15)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert colours(app) == {BLUE}
        assert "all images are at steps below 15" in said(app)


@pytest.mark.parametrize(("axis", "word"), [("relative", "step 20 at 20"), ("wall", "step 20 at 2026-")])
async def test_cards_show_steps_on_every_x_axis(logs: ImageLogs, axis: Any, word: str) -> None:
    logs.add("a", {"x": STEPS})
    app = logs.app(x_axis=axis)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert word in said(app)
        await pressed(pilot, "comma")
        assert colours(app) == {GREEN}


async def test_enormous_steps_are_distinguished(logs: ImageLogs) -> None:
    first = 2**62
    logs.add("a", {"x": {first: plain(RED), first + 4096: plain(GREEN)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert colours(app) == {GREEN}
        await pressed(pilot, "left_square_bracket")
        assert colours(app) == {RED}
        assert f"step {first} alone" in said(app)


async def test_empty_and_folded_lists_show_messages(logs: ImageLogs) -> None:
    logs.add("a", {"group/x": {0: plain(RED)}})
    app = logs.app(hidden_groups=frozenset({"group"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "▸ group ─" in said(app)
        await pressed(pilot, "i w left_square_bracket comma z a")


async def test_opened_picture_of_hidden_run_shows_message(logs: ImageLogs) -> None:
    logs.add("a", {"x": {0: plain(RED)}})
    logs.add("b", {"x": {0: plain(BLUE)}})
    app = logs.app()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pressed(pilot, "enter")
        app.settings = replace(app.settings, hidden_runs=frozenset({"a"}))
        app.look()
        await pressed(pilot, "i w")
        assert "no visible run has this image" in said(app)
        assert len(app.screen_stack) == 1
