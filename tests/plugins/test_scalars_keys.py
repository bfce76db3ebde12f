"""Keys of the Scalars tab, in the grid and in an opened chart."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tbtui.settings.settings import FULL_RANGE, ChartSettings, Settings, TagMerge
from tbtui.view.descriptions import format_range
from tbtui.widgets import worker as worker_module
from tests.helpers.pane_app import pressed
from tests.helpers.scalars_app import RUNS, TAGS, ScalarsApp
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from tbtui.settings.settings import Range
    from tbtui.widgets.pane import AboutRunRequested


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def span(ends: Range) -> float:
    low, high = ends
    assert low is not None
    assert high is not None
    return high - low


# Zoom


@pytest.mark.parametrize("opened", [False, True])
async def test_zoom_keys_act_on_focused_and_opened_cards(opened: bool) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right enter" if opened else "right")
        await pressed(pilot, "z")
        first = app.settings.chart("loss/train").x_range
        assert span(first) == pytest.approx(50, rel=0.1)
        await pressed(pilot, "z Z")
        assert app.settings.chart("loss/train").x_range == first
        await pressed(pilot, "L")
        moved = app.settings.chart("loss/train").x_range
        assert moved[0] == pytest.approx((first[0] or 0) + span(first) / 4, abs=0.02)
        await pressed(pilot, "shift+left")
        assert app.settings.chart("loss/train").x_range == pytest.approx(first, abs=0.02)
        await pressed(pilot, "shift+up")
        assert app.settings.chart("loss/train").y_range != FULL_RANGE
        await pressed(pilot, "f")
        assert app.settings.charts == {}


async def test_zoomed_card_shows_its_range_in_the_status() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter home . . . v . . . enter")
        assert format_range(app.settings.chart("acc").x_range, "step") in app.pane.status()
        assert app.settings.chart("acc").x_range != FULL_RANGE
        assert app.settings.mark is None


async def test_zoom_key_scrolls_its_card_into_view() -> None:
    app = ScalarsApp({"a": {f"t{index:02}": (1.0, 2.0, 3.0) for index in range(40)}})
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "right")
        app.grid.scroll_by_wheel(5)
        await pressed(pilot, "z")
        assert "t01" in app.grid.keys_in_sight
        assert list(app.settings.charts) == ["t01"]


async def test_linked_charts_zoom_and_fit_together() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "z")
        alone = app.settings.chart("acc").x_range
        await pressed(pilot, "S right")
        assert (app.settings.x_range, app.settings.charts) == (alone, {})
        await pressed(pilot, "z")
        assert span(app.settings.x_range) == pytest.approx(span(alone) / 2, rel=0.01)
        assert "linked" in app.pane.status()
        await pressed(pilot, "F S")
        assert app.settings == Settings(smoothing=0.0)


KEYS = (
    "z",
    "Z",
    "H",
    "L",
    "shift+left",
    "shift+up",
    "shift+down",
    "S",
    "comma",
    "full_stop",
    "v",
    "enter",
    "escape",
    "n",
)


@pytest.mark.parametrize("seed", range(6))
async def test_any_keys_are_undone_by_fit_and_clear(seed: int) -> None:
    moments = random.Random(seed)
    app = ScalarsApp()
    async with app.run_test(size=(110, 36)) as pilot:
        await pressed(pilot, "right left")
        first = app.grid.get_text()
        for _ in range(4):
            await pressed(pilot, " ".join(moments.choices(KEYS, k=12)))
            for ends in (
                app.settings.x_range,
                *(e for c in app.settings.charts.values() for e in (c.x_range, c.y_range)),
            ):
                assert ends == FULL_RANGE or span(ends) > 0
        await pressed(pilot, "F backspace escape" if app.chart.key is not None else "F backspace")
        app.settings = replace(app.settings, linked=False)
        app.look()
        await pressed(pilot, "g")
        assert app.settings == Settings(smoothing=0.0)
        assert app.grid.get_text() == first


# Cursor


async def test_cursor_is_shared_and_cleared() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "comma comma comma comma comma")
        cursor = app.settings.cursor
        assert cursor is not None
        assert 90 < cursor < 99
        assert f"@ step {cursor:g}" in app.pane.status()
        assert sum(line.count("╎") >= 2 for line in app.lines()) > 5  # a line in both cards of a row
        await pressed(pilot, "enter full_stop right")
        assert (app.settings.cursor or 0) >= cursor + 2
        await pressed(pilot, "backspace")
        assert app.settings.cursor is None
        assert app.chart.key == "acc"


async def test_keys_after_enter_wait_for_the_opened_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.pane.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.pane.show_error)
        await pilot.press("enter", "comma", "z", "down")
        await pilot.pause()
        assert app.settings.cursor is None
        gate.set()
        await pressed(pilot, "")
        assert app.settings.cursor is not None
        assert app.settings.focus is not None
        assert app.settings.get_x_range("acc") != FULL_RANGE


def hold_worker(app: ScalarsApp, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let the worker draw nothing until the returned event is set."""
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    gate = threading.Event()
    app.pane.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.pane.show_error)
    return gate


@pytest.mark.parametrize("opens", [False, True])
async def test_keys_act_in_the_order_in_which_they_were_pressed(monkeypatch: pytest.MonkeyPatch, opens: bool) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        gate = hold_worker(app, monkeypatch)
        await pilot.resize_terminal(90, 40)  # cards of another size have no frame yet
        await pilot.press(*(["enter"] if opens else []), "z", "f")
        await pilot.pause()
        gate.set()
        await pressed(pilot, "")
        assert app.settings.get_x_range("acc") == FULL_RANGE


async def test_escape_drops_keys_that_wait_for_the_opened_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "comma")
        assert app.settings.cursor is not None
        gate = hold_worker(app, monkeypatch)
        await pilot.press("enter", "full_stop", "escape")
        await pilot.pause()
        gate.set()
        await pressed(pilot, "")
        assert app.settings.cursor is None


async def test_keys_of_a_card_that_is_scrolled_away_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScalarsApp({"a": {f"t{number:02}": [1.0, 2, 3, 4] for number in range(60)}})
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        gate = hold_worker(app, monkeypatch)
        await pilot.resize_terminal(90, 40)
        await pilot.press("comma", "z", "G")
        gate.set()
        await pressed(pilot, "")
        await pressed(pilot, "g")
        assert app.settings.cursor is None
        assert app.settings.get_x_range("t00") == FULL_RANGE


async def test_keys_before_the_first_frame_of_a_card_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.pane.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.pane.show_error)
        await pilot.resize_terminal(90, 40)  # cards of another size have no frame yet
        await pilot.press("comma", "z")
        await pilot.pause()
        assert app.settings.cursor is None
        gate.set()
        await pressed(pilot, "")
        assert app.settings.cursor is not None
        assert app.settings.get_x_range("acc") != FULL_RANGE


async def test_keys_during_drawing_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter home")
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.pane.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.pane.show_error)
        for _ in range(3):
            await pilot.press("E", "u", "t", "p", "right", "down", "Y", "greater_than_sign")
        await pilot.pause()
        gate.set()
        await pressed(pilot, "full_stop")
        chosen = app.settings
        assert (chosen.extremes, chosen.superseded, chosen.row_order, chosen.pinned) == (
            True,
            True,
            "nearest",
            ("acc",),
        )
        assert (chosen.cursor, chosen.focus, chosen.charts) == (4.0, "c", {})
        assert chosen.columns == 5


# Scales and looks


async def test_scale_keys_change_one_chart_or_all() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right enter Y")
        assert app.settings.charts == {"loss/train": ChartSettings(y_scale="log")}
        await pressed(pilot, "Y Y X escape Y")
        assert (app.settings.charts, app.settings.x_scale) == ({}, "log")
        app.settings = replace(app.settings, x_axis="wall")
        app.look()
        await pressed(pilot, "X")
        assert (app.settings.x_scale, app.said) == ("log", ["the time of day has a linear scale only"])


async def test_view_keys_switch_views() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "E u O t")
        chosen = app.settings
        assert (chosen.extremes, chosen.superseded) == (True, True)
        assert (chosen.outliers, chosen.row_order) == ("ignore", "ascending")
        await pressed(pilot, "E u O O t t t")
        assert app.settings == Settings(smoothing=0.0)


async def test_pinned_cards_are_first() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "G p")
        assert app.grid.keys == ("lr", "acc", "loss/train", "loss/val")
        assert app.grid.focused_key == "lr"
        await pressed(pilot, "right p")
        assert app.grid.keys == ("lr", "acc", "loss/train", "loss/val")
        await pressed(pilot, "left p")
        assert app.settings.pinned == ("acc",)
        assert app.grid.keys[0] == "acc"


async def test_column_keys_change_cards_per_row() -> None:
    app = ScalarsApp({"a": {f"t{index}": (1.0, 2.0) for index in range(30)}})
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "greater_than_sign greater_than_sign")
        assert (app.settings.columns, app.grid.columns) == (4, 4)
        await pressed(pilot, "less_than_sign less_than_sign less_than_sign less_than_sign")
        assert (app.settings.columns, app.grid.columns) == (1, 1)
        await pressed(pilot, " ".join(["greater_than_sign"] * 9))
        assert app.grid.columns == 8


# Runs of the table


async def test_run_keys_select_compare_solo_and_hide() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down down")
        assert app.settings.focus == "b"
        await pressed(pilot, "d")
        assert app.settings.baseline == "b"
        await pressed(pilot, "d s")
        assert (app.settings.baseline, app.settings.solo) == (None, "b")
        await pressed(pilot, "s space")
        assert (app.settings.hidden_runs, app.settings.focus) == ({"b"}, "c")
        await pressed(pilot, "space")
        assert (app.settings.hidden_runs, app.settings.focus) == ({"b", "c"}, "a")
        assert sum(line.startswith("●") for line in app.lines()) == 1


async def test_bracket_keys_walk_the_legend_of_the_focused_card() -> None:
    asked: list[str] = []

    class Asked(ScalarsApp):
        def on_about_run_requested(self, message: AboutRunRequested) -> None:
            asked.append(message.run)

    app = Asked()
    async with app.run_test(size=(40, 24)) as pilot:
        await pressed(pilot, "right_square_bracket right_square_bracket")
        assert app.settings.focus == "b"
        assert any(line.startswith("╰ ▸b a c ─") for line in app.lines())
        await pressed(pilot, "i")
        assert asked == ["b"]
        await pressed(pilot, "d")
        assert (app.settings.baseline, app.said) == ("b", ["baseline of all tabs: b (d takes it back)"])
        await pressed(pilot, "left_square_bracket s")
        assert (app.settings.focus, app.settings.solo) == ("a", "a")
        await pressed(pilot, "escape i")
        assert app.settings.focus is None
        assert asked == ["b"]
        assert any("about acc" in line for line in app.lines())


async def test_bracket_keys_select_rows_of_an_opened_chart() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter right_square_bracket right_square_bracket left_square_bracket")
        assert app.settings.focus == "a"


async def test_baseline_key_of_a_card_without_selection_takes_its_first_run() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "d")
        assert (app.settings.baseline, app.settings.focus) == ("a", "a")
        assert app.said == ["baseline of all tabs: a (d takes it back)"]


async def test_averaged_row_acts_on_its_runs() -> None:
    app = ScalarsApp(dict.fromkeys(("x/0", "x/1", "y/0", "y/1"), RUNS["a"]), group_level=1)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down s")
        assert app.settings.solo == "x/"
        await pressed(pilot, "s space")
        assert app.settings.hidden_runs == {"x/0", "x/1"}
        assert app.settings.focus == "y"


# Joining


async def test_marked_cards_are_joined_and_separated() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right space M")
        assert app.said == ["select another card with space to merge the two"]
        await pressed(pilot, "right space M")
        assert app.settings.joints == (TagMerge(tags=("loss/train", "loss/val")),)
        assert len(app.grid.keys) == 3
        assert "◆" not in screen_text(app)
        assert any("╭ {train,val} " in line for line in app.lines())
        assert app.grid.focused_key == app.grid.keys[1]
        await pressed(pilot, "g")
        app.pane.reveal("loss/val")
        assert app.grid.focused_key == app.grid.keys[1]
        await pressed(pilot, "enter M")
        assert (app.settings.joints, app.chart.key, app.grid.keys) == ((), None, TAGS)
        assert app.grid.focused_key == "loss/train"


async def test_joined_cards_join_with_more() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "space right space M")
        await pressed(pilot, "g space right right space M")
        (joint,) = app.settings.joints
        assert set(joint.tags) == {"acc", "loss/train", "lr"}


async def test_pattern_form_joins_tags() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "M n o p e enter")
        assert "✗ merges no two tags" in screen_text(app)
        await pressed(pilot, "ctrl+u left_parenthesis enter")
        assert "✗ missing )" in screen_text(app)
        await pressed(pilot, "ctrl+u l o s s enter")
        assert app.settings.joints == (TagMerge(pattern="loss"),)
        assert any("╭ {train,val} " in line for line in app.lines())


async def test_pattern_form_shows_the_merged_charts_while_typing() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "M l o s s")
        assert app.settings.joints == (TagMerge(pattern="loss"),)
        await pressed(pilot, "left_parenthesis")
        assert app.settings.joints == (), "no pattern yet"
        await pressed(pilot, "backspace")
        assert app.settings.joints == (TagMerge(pattern="loss"),)
        await pressed(pilot, "escape")
        assert app.settings.joints == ()


async def test_joined_charts_are_limited_to_fifty() -> None:
    app = ScalarsApp(joints=tuple(TagMerge(tags=(f"t{index}", f"u{index}")) for index in range(50)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "M space right space M")
        assert app.said == ["50 merged charts are the maximum"] * 2
        assert len(app.settings.joints) == 50


async def test_footer_offers_fit_while_zoomed() -> None:
    app = ScalarsApp()
    async with app.run_test(size=(120, 40)) as pilot:

        def offered() -> bool:
            return any(active.binding.action == "fit" for active in app.screen.active_bindings.values())

        await pressed(pilot, "right")
        assert not offered()
        await pressed(pilot, "z")
        assert offered()
        await pressed(pilot, "left")
        assert not offered()
        await pressed(pilot, "right f")
        assert not offered()
