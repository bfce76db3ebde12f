"""Values that were all logged at one step: each can be reached, and the cards say what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.distributions.pane.pane import DistributionsPane
from tbtui.plugins.histograms.pane.pane import HistogramsPane
from tbtui.plugins.pr_curves.pane.pane import PrCurvesPane
from tests.helpers.audio_logs import AudioLogs
from tests.helpers.curve_logs import load
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.histogram_logs import NORMAL, HistogramLogs
from tests.helpers.image_logs import ImageLogs, plain
from tests.helpers.log_directory import START
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import screen_text
from tests.helpers.sounds import sine, wav

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

VALUES = 5


def images_app(path: Path, x_axis: str = "step") -> PaneApp:
    logs = ImageLogs(path)
    for number in range(VALUES):
        logs.add("run", {"sample": {0: plain((40 * number, 0, 0))}})
    return logs.app(x_axis=x_axis)


def audio_app(path: Path, x_axis: str = "step") -> PaneApp:
    logs = AudioLogs(path)
    for number in range(VALUES):
        logs.add("run", {"sample": {0: wav(sine(300 + 100 * number, 0.2))}})
    return logs.app(x_axis=x_axis)


def distributions_app(path: Path, x_axis: str = "step") -> PaneApp:
    return histograms_app(path, x_axis, DistributionsPane)


def histograms_app(path: Path, x_axis: str = "step", pane: Callable[..., Any] = HistogramsPane) -> PaneApp:
    logs = HistogramLogs(path)
    for number in range(VALUES):
        logs.add("run", {"sample": {0: NORMAL + number}})
    return logs.app(pane(Payloads()), x_axis=x_axis)


def curves_app(path: Path, x_axis: str = "step") -> PaneApp:
    for number in range(VALUES):
        log_curves(path, "run", {"sample": {0: curve()}}, start=START + number)
    return PaneApp(PrCurvesPane(Payloads()), load(path), x_axis=x_axis)


charts = pytest.mark.parametrize("app_of", [histograms_app, distributions_app, curves_app])


@charts
async def test_charts_of_one_step_card_counts_those_left_out(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "enter")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "u")
        assert "more at this step" not in screen_text(app)
        assert "step 0, 5 of 5" in screen_text(app)


@charts
async def test_charts_of_one_step_keys_reach_each(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter u")
        assert [await shown_number(pilot, ",") for _ in range(5)] == ["4", "3", "2", "1", "1"]
        assert [await shown_number(pilot, ".") for _ in range(5)] == ["2", "3", "4", "5", "5"]


@pytest.mark.parametrize("x_axis", ["relative", "wall", "order", "active"])
@charts
async def test_charts_of_one_step_other_axes_show_all(
    app_of: Callable[..., PaneApp], x_axis: str, tmp_path: Path
) -> None:
    app = app_of(tmp_path, x_axis)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter ,")
        assert "more at this step" not in screen_text(app)
        assert app.chart.plotted is not None


async def test_heat_map_of_one_step_has_a_column_for_each_value(tmp_path: Path) -> None:
    app = histograms_app(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter u")
        plotted = app.chart.plotted
        assert plotted is not None
        places = plotted.plot.x_axis.unit(plotted.stops)
        assert places.tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1])


both = pytest.mark.parametrize("app_of", [images_app, audio_app])


async def shown_number(pilot: Pilot[None], *keys: str) -> str:
    """Press keys; return the number of the value that the opened card shows."""
    await pressed(pilot, " ".join(keys))
    text = screen_text(pilot.app)
    return text[text.index("step 0, ") :].split()[2]


@both
async def test_values_of_one_step_card_counts_those_left_out(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "enter")
        assert "4 more at this step (u)" in screen_text(app)
        await pressed(pilot, "u")
        assert "more at this step" not in screen_text(app)
        assert "5 of 5 values, newest" in screen_text(app)


@both
async def test_values_of_one_step_keys_reach_each(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter u")
        assert [await shown_number(pilot, "left") for _ in range(5)] == ["4", "3", "2", "1", "1"]
        assert [await shown_number(pilot, key) for key in (".", ".", ",", "end", "home", "right")] == [
            *("2", "3", "2", "5", "1", "2"),
        ]


@both
async def test_values_of_one_step_order_axis_shows_all(app_of: Callable[..., PaneApp], tmp_path: Path) -> None:
    app = app_of(tmp_path, "order")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter left")
        assert "4 of 5 steps" in screen_text(app)
