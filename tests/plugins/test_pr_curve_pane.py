"""The PR curves tab, driven by keys and mouse over curves in real files."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves.painter import OpenedCurves
from tbtui.plugins.pr_curves.pane import forms
from tbtui.plugins.pr_curves.pane.forms import CurveExport, export_message
from tbtui.plugins.pr_curves.pane.pane import CurveView, PrCurvesPane
from tbtui.plugins.pr_curves.settings import SETTINGS, THRESHOLD
from tbtui.settings.chart_navigation import zoom_x
from tbtui.settings.settings import ChartSettings, Settings
from tbtui.widgets import worker as worker_module
from tbtui.widgets.form_fields import FieldError, Text, apply_options
from tests.helpers.curve_logs import PERFECT, POOR, load, log_runs, view_in
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import START
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import screen_text
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.pilot import Pilot

    from tbtui.widgets.form_fields import Field

CAT, DOG = "pr/cat", "pr/dog"
STEPS: dict[str, Any] = {"x_range": (5.0, 6.0), "linked": True}
"""What is chosen for charts of steps; no gesture of this tab touches it."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    root = tmp_path / "logs"
    root.mkdir()
    log_runs(root)
    return root


class CurvesApp(PaneApp):
    """The pane alone over a log directory."""

    def __init__(self, root: Path, **settings: Any) -> None:
        super().__init__(PrCurvesPane(Payloads()), load(root), **settings)

    @property
    def opened(self) -> OpenedCurves:
        shown = self.query_one(CurveView)._opened
        assert isinstance(shown, OpenedCurves)
        return shown


def headline(app: CurvesApp) -> str:
    return app.lines()[0]


def row(app: CurvesApp, run: str) -> list[str]:
    """What stands in the row of a run."""
    found = [line.replace("▸", " ").split() for line in app.lines() if line.startswith("●")]
    return next(words[2:] for words in found if words[1] == run)


# Cards


async def test_pr_curves_pane_one_card_per_tag_with_all_runs(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        assert app.grid.keys == (CAT, DOG)
        assert "steps 20–40 · AUC 0.812–1 ╮" in screen_text(app)
        assert "╰ ● a ● b ─" in screen_text(app)
        assert app.pane.status() == "step: newest"


async def test_pr_curves_pane_keys_move_the_shared_step_from_the_newest(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "full_stop")
        assert app.settings.cursor is None  # there is nothing newer, and the newest goes on to be followed
        await pressed(pilot, "comma")
        assert app.settings.cursor == 20
        assert "step 20 · AUC 0.500–1 ╮" in screen_text(app)
        assert app.pane.status() == "@ step 20"
        await pressed(pilot, "comma comma comma")
        assert app.settings.cursor == 0
        assert "step 0 · AUC 0.500 ╮" in screen_text(app)
        await pressed(pilot, "full_stop")
        assert "steps 0–10 · AUC 0.500–0.812 ╮" in screen_text(app)
        await pressed(pilot, "backspace")
        assert app.settings.cursor is None
        assert "steps 20–40" in screen_text(app)


@pytest.mark.parametrize(("x_axis", "cursor"), [("relative", 10.0), ("wall", START + 1010)])
async def test_pr_curves_pane_keys_move_on_time_axes(logs: Path, x_axis: str, cursor: float) -> None:
    app = CurvesApp(logs, x_axis=x_axis)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "comma")
        assert app.settings.cursor == cursor


async def test_pr_curves_pane_live_follows_newest_and_keeps_a_chosen_step(logs: Path) -> None:
    app, loaded = CurvesApp(logs), LoadedLogs(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        app.store = loaded.load()
        app.look()
        await pressed(pilot, "")
        log_curves(logs, "a", {CAT: {60: POOR}}, start=START + 60)
        app.store = loaded.load()
        app.look()
        await pressed(pilot, "")
        assert "steps 40–60 · AUC 0.500–0.812 ╮" in screen_text(app)
        await pressed(pilot, "comma")
        log_curves(logs, "a", {CAT: {80: PERFECT}}, start=START + 80)
        app.store = loaded.load()
        app.look()
        await pressed(pilot, "")
        assert "step 40–60" not in screen_text(app)
        assert app.settings.cursor == 40
        await pressed(pilot, "full_stop full_stop")
        assert "steps 40–80 · AUC 0.812–1 ╮" in screen_text(app)


async def test_pr_curves_pane_cards_are_pinned_filtered_and_in_overview(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right p")
        assert app.grid.keys == (DOG, CAT)
        await pressed(pilot, "A")
        assert app.settings.overview
        assert "overview" in app.pane.status()
        app.settings = Settings(tag_filter="cat")
        app.look()
        await pressed(pilot, "")
        assert app.grid.keys == (CAT,)


async def test_pr_curves_pane_bad_tensor_breaks_only_its_card(logs: Path) -> None:
    log_curves(logs, "c", {"pr/bad": {0: np.ones((5, 3))}})
    app = CurvesApp(logs)
    async with app.run_test(size=(150, 40)) as pilot:
        await pressed(pilot, "")
        assert "a tensor of shape 5x3 instead of a PR curve" in screen_text(app)
        assert "steps 20–40 · AUC 0.812–1 ╮" in screen_text(app)
        await pressed(pilot, "enter left right z comma escape escape")
        assert app.grid.keys == ("pr/bad", CAT, DOG)


# The opened chart


async def test_pr_curves_pane_keys_move_the_threshold_of_all_runs(logs: Path) -> None:
    app = CurvesApp(logs, cursor=10.0)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert headline(app).startswith("‹ pr/cat  steps 0–10 · ★ at each best F1")
        assert row(app, "a")[1] == "0.5"
        await pressed(pilot, "right")  # further right on the curve is a lower threshold
        assert THRESHOLD.value(app.settings) == 0.25
        assert headline(app).startswith("‹ pr/cat  threshold 0.25 · steps 0–10")
        assert row(app, "a")[1:9] == ["0.25", "0.5", "0.75", "0.6", "3", "3", "1", "1"]
        await pressed(pilot, "left left")
        assert row(app, "a")[1:5] == ["0.75", "1", "0.5", "0.6667"]
        await pressed(pilot, "left left left")
        assert THRESHOLD.value(app.settings) == 0.75  # the last that any curve is drawn of
        await pressed(pilot, "end")
        assert THRESHOLD.value(app.settings) == 0
        await pressed(pilot, "home")
        assert THRESHOLD.value(app.settings) == 0.75


async def test_pr_curves_pane_step_changes_keep_the_threshold(logs: Path) -> None:
    app = CurvesApp(logs, threshold=0.5)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter comma")
        assert (app.settings.cursor, THRESHOLD.value(app.settings)) == (20, 0.5)
        assert row(app, "b")[:4] == ["20", "0.5", "0.5", "0.5"]
        assert "step 20  0 ┼" in screen_text(app)


async def test_pr_curves_pane_escape_closes_one_layer(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter comma v comma")
        await pressed(pilot, "right")  # from where the F1 of what is shown by now is best
        assert (app.settings.mark, app.settings.cursor, THRESHOLD.value(app.settings)) == (20, 10, 0.25)
        left = []
        for _ in range(4):
            await pressed(pilot, "escape")
            left.append((app.settings.mark, THRESHOLD.value(app.settings), app.settings.cursor, app.chart.key))
        assert left == [(None, 0.25, 10, CAT), (None, None, 10, CAT), (None, None, None, CAT), (None, None, None, None)]


async def test_pr_curves_pane_backspace_clears_threshold_and_step(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter right comma backspace")
        assert (app.settings.cursor, THRESHOLD.value(app.settings)) == (None, None)


async def test_pr_curves_pane_second_step_is_compared(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(140, 40)) as pilot:
        await pressed(pilot, "enter comma v comma comma")
        assert "‹ pr/cat  step 0 beside 20" in headline(app)
        assert row(app, "a")[10:13] == ["-0.5", "@", "20"]
        await pressed(pilot, "enter")  # there is no stretch of steps in this chart to be zoomed into
        assert app.settings.charts == {}


async def test_pr_curves_pane_runs_are_selected_hidden_and_compared(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(140, 40)) as pilot:
        await pressed(pilot, "enter down down")
        assert app.settings.focus == "b"
        await pressed(pilot, "d")
        assert row(app, "a")[10] == "+0.1875"
        assert row(app, "b")[10] == "Δ0"
        await pressed(pilot, "s")
        assert app.settings.solo == "b"
        await pressed(pilot, "s space")
        assert app.settings.hidden_runs == {"b"}
        assert "step 20, the newest" in headline(app)


async def test_pr_curves_pane_neighbour_keys_open_other_cards(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter n")
        assert headline(app).startswith("‹ pr/dog")
        await pressed(pilot, "N")
        assert headline(app).startswith("‹ pr/cat")


async def test_pr_curves_pane_has_no_other_scale_and_no_linked_zoom(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "Y X S R")
        assert app.said == [
            "recall and precision have a linear scale only",
            "recall and precision have a linear scale only",
            "charts of PR curves are zoomed one by one",
        ]
        assert app.settings == Settings()


# Zoom


@pytest.mark.parametrize("opened", [False, True])
async def test_pr_curves_pane_keys_zoom_both_axes_of_one_card(logs: Path, opened: bool) -> None:
    app = CurvesApp(logs, **STEPS)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down down z" if opened else "z")
        own = app.settings.chart(CAT)
        about = (0.75, 0.75) if opened else (1.0, 1.0)  # where the F1 of the run that leads is best
        assert own == ChartSettings(
            across_range=(about[0] / 2, about[0] / 2 + 0.5), y_range=(about[1] / 2, about[1] / 2 + 0.5)
        )
        assert "recall " in app.pane.status() or not opened
        await pressed(pilot, "H shift+down")
        moved = app.settings.chart(CAT)
        assert moved.across_range[0] == pytest.approx(about[0] / 2 - 0.125)
        assert moved.y_range[0] == pytest.approx(about[1] / 2 - 0.125)
        await pressed(pilot, "f")
        assert app.settings == settings_of(**STEPS, focus="b" if opened else None)


async def test_pr_curves_pane_fit_all_shows_whole_charts(logs: Path) -> None:
    elsewhere = {"loss": ChartSettings(x_range=(3.0, 4.0))}
    app = CurvesApp(logs, **STEPS, charts=elsewhere)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "z right z")
        assert set(app.settings.charts) == {CAT, DOG, "loss"}
        await pressed(pilot, "F")
        assert app.settings == settings_of(**STEPS, charts=elsewhere)


async def test_pr_curves_pane_mouse_zooms_both_axes_double_click_fits(logs: Path) -> None:
    app = CurvesApp(logs, **STEPS)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.opened.plot
        assert plot is not None
        view, at = app.query_one(CurveView), (plot.left + 60, plot.top + 10)
        wanted = zoom_x(Settings(), CAT, plot, 0.8, plot.get_x(at[0]), plot.get_y(at[1])).chart(CAT)
        await pilot._post_mouse_events([_wheel_up()], widget=view, offset=at)
        await pressed(pilot, "")
        assert app.settings == settings_of(**STEPS, charts={CAT: wanted})
        await pressed(pilot, "f")
        await pilot.mouse_down(view, offset=(plot.left + 20, plot.top + 2))
        await pilot.hover(view, offset=(plot.left + 60, plot.top + 12))
        await pilot.mouse_up(view, offset=(plot.left + 60, plot.top + 12))
        await pressed(pilot, "")
        own = app.settings.chart(CAT)
        assert own.across_range == pytest.approx((plot.get_x(plot.left + 20), plot.get_x(plot.left + 60)), abs=1e-3)
        assert own.y_range == pytest.approx((plot.get_y(plot.top + 12), plot.get_y(plot.top + 2)), abs=1e-3)
        await pilot.click(view, offset=at, times=2)
        await pressed(pilot, "c")
        assert app.settings == settings_of(**STEPS, focus=app.settings.focus)
        await pilot.click(view, offset=at, times=2)
        await pressed(pilot, "")
        assert app.settings.x_range == STEPS["x_range"]


def _wheel_up() -> Any:
    from textual.events import MouseScrollUp

    return MouseScrollUp


# The mouse


async def _clicked(pilot: Pilot[None], app: CurvesApp, column: int | None, row: int | None) -> None:
    assert column is not None
    assert row is not None
    await pilot.click(app.query_one(CurveView), offset=(column, row))
    await pressed(pilot, "")


async def test_pr_curves_pane_curve_click_selects_run_and_threshold(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.opened.plot
        assert plot is not None
        await _clicked(pilot, app, plot.column(0.75), plot.row(0.52))
        assert (app.settings.focus, THRESHOLD.value(app.settings)) == ("b", 0.25)
        await _clicked(pilot, app, plot.column(1.0), plot.row(0.95))
        assert (app.settings.focus, THRESHOLD.value(app.settings)) == ("a", 0.25)
        await _clicked(pilot, app, plot.column(0.1), plot.row(0.1))
        assert (app.settings.focus, THRESHOLD.value(app.settings)) == ("a", 0.25)
        assert app.settings.cursor is None


async def test_pr_curves_pane_slider_click_selects_the_nearest_step(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        slider = app.opened.slider
        assert slider is not None
        await _clicked(pilot, app, slider.column(13.0), slider.top)
        assert (app.settings.cursor, THRESHOLD.value(app.settings)) == (10, None)
        assert "steps 0–10" in headline(app)
        await _clicked(pilot, app, slider.left + slider.width - 1, slider.top)
        assert app.settings.cursor == 40


async def test_pr_curves_pane_row_click_selects_its_run(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        await _clicked(pilot, app, 5, app.opened.picture.height + 2)
        assert app.settings.focus == "b"


async def test_pr_curves_pane_card_click_keeps_the_cursor(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        await pilot.click(app.grid, offset=(20, 5))
        await pressed(pilot, "")
        assert app.settings == Settings()


# Sizes


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (45, 45), (40, 12)])
async def test_pr_curves_pane_cards_and_opened_charts_fit_any_terminal(logs: Path, size: tuple[int, int]) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "")
        assert "╭ pr/cat ─" in screen_text(app)
        assert "★" in screen_text(app)
        await pressed(pilot, "enter left")
        assert "‹ pr/cat  threshold 0.5" in headline(app)
        assert all(len(line) <= size[0] for line in app.lines())
        if size[1] > 12:
            assert row(app, "b")[-1] == "0.8125" or "0.8125" in row(app, "b")
            assert "steps 20–40  " in screen_text(app)


# Forms and pages


def typed(text: str) -> str:
    names = {".": "full_stop", "/": "slash", "_": "underscore"}
    return " ".join(["ctrl+u", *(names.get(letter, letter) for letter in text)])


async def test_pr_curves_pane_threshold_and_others_can_be_typed(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "o")
        await pressed(pilot, typed("2"))
        await pressed(pilot, "enter")
        assert "between 0 and 1" in screen_text(app)
        await pressed(pilot, typed(".5"))
        await pressed(pilot, "enter")
        assert app.settings == settings_of(threshold=0.5)
        await pressed(pilot, "o")
        await pressed(pilot, "ctrl+u enter")
        assert app.settings == Settings()


async def test_pr_curves_pane_options_apply(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "o down right")
        await pressed(pilot, "down")
        await pressed(pilot, typed("15"))
        await pressed(pilot, "enter")
        assert app.settings == Settings(x_axis="relative", skip_steps=15)


async def test_pr_curves_pane_card_ranges_can_be_typed(logs: Path) -> None:
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "e")
        assert "chart pr/cat" in screen_text(app)
        await pressed(pilot, typed(".5"))
        await pressed(pilot, "enter")
        assert app.settings.charts == {CAT: ChartSettings(across_range=(0.5, None))}
        await pressed(pilot, "e down")
        await pressed(pilot, typed(".25"))
        await pressed(pilot, "enter")
        assert "✗ the lower end must be below the upper" in screen_text(app)
        await pressed(pilot, "down ctrl+u down")  # the field that is wrong has the keys
        await pressed(pilot, typed(".75"))
        await pressed(pilot, "enter")
        assert app.settings.charts == {CAT: ChartSettings(across_range=(0.5, None), y_range=(0.75, None))}


async def test_pr_curves_pane_about_describes_a_tag(logs: Path) -> None:
    log_curves(logs, "c", {CAT: {0: curve(), 5: np.ones((5, 3))}}, description="Is it a *cat*?")
    app = CurvesApp(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "i")
        shown = screen_text(app)
        assert "about pr/cat" in shown
        assert "Is it a *cat*?" in shown
        assert "a: 3 curves at steps 0–20" in shown
        assert "step 20: 5 thresholds, 4 of them drawn" in shown
        assert "step 40: average precision 0.8125, best F1 0.75 at threshold 0.5" in shown
        assert "✗ step 5: a tensor of shape 5x3 instead of a PR curve" in shown
        assert "AUC (AP) is average precision" in shown


@pytest.mark.parametrize(
    ("keys", "steps", "count"),
    [
        ("", {("a", 20), ("b", 40)}, 10),
        ("down down right", {("a", 10), ("a", 20), ("b", 20), ("b", 40)}, 20),
        ("down down right right", {(run, step) for run in "ab" for step in (0, 20)} | {("a", 10), ("b", 40)}, 30),
    ],
)
async def test_pr_curves_pane_card_data_is_written(
    logs: Path, tmp_path: Path, keys: str, steps: set[tuple[str, int]], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = CurvesApp(logs, skip_steps=5)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, f"w {keys}")
        await pressed(pilot, "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.said == [f"{count} rows in {tmp_path}/pr-cat.csv"]
    with (tmp_path / "pr-cat.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {(line["run"], int(line["step"])) for line in rows} == steps
    first = next(line for line in rows if line["run"] == "b" and line["threshold"] == "0.5" and line["step"] == "40")
    wanted = {"tag": CAT, "precision": "0.75", "recall": "0.75", "tp": "3.0", "fp": "1.0", "tn": "3.0", "fn": "1.0"}
    assert {name: first[name] for name in wanted} == wanted
    assert float(first["wall_time"]) == START + 1020


def entered(path: Path, **changes: Any) -> dict[str, Any]:
    return {"path": path, "format": None, "steps": "stored", "force": False, **changes}


def test_pr_curves_pane_writing_skips_and_reports_invalid_curves(logs: Path, tmp_path: Path) -> None:
    log_curves(logs, "c", {CAT: {0: np.ones((5, 3)), 5: curve()}})
    writing = CurveExport(view_in(logs), CAT)
    written = writing(entered(tmp_path / "all.json"))
    assert written is not None
    assert export_message(written, writing.skipped) == f"35 rows in {tmp_path}/all.json; 1 step left out, no curve"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"skip_steps": 90}, "nothing to write: no step is in the visible range"),
        ({}, "nothing to write: a tensor of shape 5x3"),
    ],
)
def test_pr_curves_pane_writing_an_empty_card_shows_a_reason(
    tmp_path: Path, settings: dict[str, Any], why: str
) -> None:
    root = tmp_path / "logs"
    root.mkdir()
    log_curves(root, "c", {CAT: {0: np.ones((5, 3))}})
    with pytest.raises(FieldError, match=why) as error:
        CurveExport(view_in(root, **settings), CAT)(entered(tmp_path / "no.csv", steps="drawn"))
    assert error.value.name == "steps"
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


# What is chosen stands in the forms, and what is entered is chosen


ODD = settings_of(
    threshold=0.25, x_axis="wall", skip_steps=9, superseded=True, overview=True, columns=3, row_order="descending"
)


def untouched(fields: Sequence[Field]) -> dict[str, Any]:
    """What a form hands over that nobody has changed."""
    return {field.name: field.read(field.shown) if isinstance(field, Text) else field.current for field in fields}


@pytest.mark.parametrize("settings", [Settings(), ODD])
def test_pr_curves_pane_unchanged_options_change_nothing(settings: Settings) -> None:
    assert apply_options(settings, untouched(forms.build_options_fields(settings)), SETTINGS) == settings
    assert apply_options(Settings(), untouched(forms.build_options_fields(ODD)), SETTINGS) == ODD


def test_pr_curves_pane_unchanged_ranges_change_nothing() -> None:
    own = {CAT: ChartSettings(across_range=(0.1, None), y_range=(None, 0.9), x_range=(3.0, 4.0))}
    settings = settings_of(charts=own, **STEPS)
    fields = forms.build_chart_fields(settings, CAT)
    assert forms.with_chart(settings, CAT, forms.check_chart(settings, untouched(fields))) == settings


async def test_pr_curves_pane_arrow_moves_visibly_and_shift_by_one(tmp_path: Path) -> None:
    scores = np.linspace(0, 1, 400)
    log_curves(tmp_path, "a", {"pr/cat": {0: curve(np.arange(400) % 3 > 0, scores, 5000)}})
    app = CurvesApp(tmp_path, threshold=0.5)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter shift+right")
        before = THRESHOLD.value(app.settings)
        assert before == pytest.approx(0.5 - 1 / 4999, abs=1.01 / 4999)
        await pressed(pilot, "shift+left shift+left")
        assert THRESHOLD.value(app.settings) == pytest.approx(before + 2 / 4999, abs=1e-9)
        for _ in range(10):
            await pressed(pilot, "right")
        assert THRESHOLD.value(app.settings) < 0.5 - 10 / 4999
        await pressed(pilot, "home")
        assert THRESHOLD.value(app.settings) == 1
