"""The keys of the Histograms tab, its forms and the mouse: in the grid and in an opened chart."""

from __future__ import annotations

import csv
import random
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual.events import MouseScrollUp

from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.pane.forms import HistogramExport
from tbtui.plugins.histograms.pictures import bin_edges
from tbtui.plugins.histograms.settings import BUCKET_ROWS, HEAT_SCALE, STYLE
from tbtui.settings.settings import FULL_RANGE, ChartSettings, Settings
from tbtui.view.card_painter import Painter
from tbtui.view.cards import make_card_key
from tbtui.widgets import worker as worker_module
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.form_fields import FieldError
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, growing
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.view.painted_cards import OpenedCard


FIRST = make_card_key("adam", "grads/1")


@pytest.fixture
def logs(tmp_path: Path) -> HistogramLogs:
    """Two runs with two layers each."""
    made = HistogramLogs(tmp_path / "logs")
    for run, scale in (("adam", 0.1), ("sgd", 0.2)):
        made.add(run, {tag: growing(20, scale) for tag in ("grads/1", "weights/1")})
    return made


# Looks and scales


async def test_histogram_keys_switch_view_colours_and_rows(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        for keys, look in (("m", "ridges"), ("m", "overlay"), ("m", "heat map, colours log")):
            await pressed(pilot, keys)
            assert app.pane.status().startswith(look)
        await pressed(pilot, "D")
        assert app.pane.status().startswith("heat map, colours linear")
        await pressed(pilot, "D B O")
        assert (HEAT_SCALE.value(app.settings), BUCKET_ROWS.value(app.settings), app.settings.outliers) == (
            "log",
            True,
            "ignore",
        )
        assert "outliers ignored" in app.pane.status()
        await pressed(pilot, "B O O")
        assert app.settings == Settings()


async def test_histogram_keys_without_effect_show_a_reason(logs: HistogramLogs) -> None:
    app = logs.app(histogram_look="ridges")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "D")
        assert app.said == ["only heat maps have a scale of colours"]
        await pressed(pilot, "R m D")
        assert app.said[1:] == [
            "runs together are drawn as lines; R separates them",
            "only heat maps have a scale of colours",
        ]
        assert (STYLE.value(app.settings), HEAT_SCALE.value(app.settings)) == ("ridges", "log")


async def test_colour_scale_key_changes_only_colours(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        before = app.chart._cells
        inks, legend = before.inks.copy(), screen_lines(app)[1].split()[-2:]
        await pressed(pilot, "D")
        assert not np.array_equal(app.chart._cells.inks, inks)
        assert screen_lines(app)[-2:] != []
        assert legend[-1] == "%"


async def test_scale_keys_change_one_chart_or_all(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter Y")
        assert app.settings.charts == {FIRST: ChartSettings(y_scale="log")}
        await pressed(pilot, "Y X")
        assert app.settings.charts == {FIRST: ChartSettings(y_scale="symlog")}
        assert app.settings.x_scale == "log"
        assert "y symlog · x step log" in screen_lines(app)[0]


@pytest.mark.parametrize("x_axis", ["relative", "wall"])
async def test_x_axis_key_switches_axes(logs: HistogramLogs, x_axis: Any) -> None:
    app = logs.app(x_axis=x_axis)
    async with app.run_test(size=(120, 40)) as pilot:
        for keys in ("enter left", "m", "m"):
            await pressed(pilot, keys)
            assert "step 180" in screen_lines(app)[0]
        await pressed(pilot, "left m")
        assert f"x {x_axis}" in app.pane.status()
        assert "step 170" in screen_lines(app)[0]


async def test_cursor_is_shared_by_all_cards(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        await pressed(pilot, "comma comma")
        assert app.settings.cursor == 170.0
        assert app.pane.status().endswith("@ step 170")
        titles = [line for line in screen_lines(app) if line.startswith("╭")]
        assert titles[0].count("± ") == 2
        before = titles
        await pressed(pilot, "comma")
        assert [line for line in screen_lines(app) if line.startswith("╭")] != before
        await pressed(pilot, "backspace")
        assert app.settings.cursor is None


async def test_neighbour_keys_follow_the_order_of_cards(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter n")
        assert app.chart.key == make_card_key("sgd", "grads/1")
        await pressed(pilot, "n N N")
        assert app.chart.key == FIRST
        await pressed(pilot, "escape")
        assert app.chart.key is None


async def test_joining_runs_keeps_the_selected_tag(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right right right R")
        assert app.grid.focused_key == "weights/1"
        await pressed(pilot, "enter R")
        assert app.chart.key == app.grid.focused_key == make_card_key("adam", "weights/1")
        await pressed(pilot, "n R")
        assert app.chart.key == "weights/1"
        await pressed(pilot, "escape")
        assert app.grid.focused_key == "weights/1"


async def test_table_keys_act_on_runs(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down down d")
        assert (app.settings.focus, app.settings.baseline) == ("sgd", "sgd")
        assert "Δ mean" in screen_lines(app)[-3]
        assert "Δ0" in screen_lines(app)[-1]
        await pressed(pilot, "t")
        assert "adam" in screen_lines(app)[-2]
        await pressed(pilot, "t")
        assert "sgd" in screen_lines(app)[-2]
        await pressed(pilot, "t t d s")
        assert app.settings.solo == "sgd"
        assert app.chart.key == make_card_key(
            "sgd", "grads/1"
        )  # what is opened is off: its tag is shown of another run
        await pressed(pilot, "s")
        assert app.settings.solo is None
        assert app.chart.key == make_card_key("sgd", "grads/1")


async def test_hiding_the_opened_run_shows_another_or_the_grid(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down space")
        assert app.settings.hidden_runs == {"adam"}
        assert app.chart.key == make_card_key("sgd", "grads/1")
        await pressed(pilot, "space")
        assert app.settings.hidden_runs == {"adam", "sgd"}
        assert app.chart.key is None


async def test_pinned_cards_are_first(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right right right p")
        assert app.grid.keys[0] == make_card_key("sgd", "weights/1")


# Zoom


@pytest.mark.parametrize("look", ["heat", "ridges", "overlay"])
async def test_zoom_in_and_out_returns(logs: HistogramLogs, look: Any) -> None:
    app = logs.app(histogram_look=look)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        first = app.chart._cells.text()
        for keys in ("z", "L", "shift+up", "Z", "H", "shift+down"):
            await pressed(pilot, keys)
        own = app.settings.chart(FIRST)
        assert (own.x_range if look == "heat" else own.y_range) != FULL_RANGE
        assert app.chart._cells.text() != first
        await pressed(pilot, "f")
        assert app.settings == settings_of(histogram_look=look)
        assert app.chart._cells.text() == first


async def test_interval_is_zoomed_into(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter home right right v right right right right enter")
        low, high = app.settings.chart(FIRST).x_range
        assert (low, high) == (20.0, 60.0)
        assert app.settings.mark is None


async def test_linked_charts_zoom_together(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "S z")
        assert app.settings.x_range != FULL_RANGE
        assert app.settings.charts == {}
        await pressed(pilot, "F S")
        assert app.settings == Settings()


KEYS = ("m", "D", "B", "O", "R", "A", "Y", "X", "u", "t", "z", "Z", "H", "L", "shift+up", "shift+down", "S", "comma")
OTHERS = (
    "full_stop",
    "v",
    "enter",
    "escape",
    "n",
    "N",
    "left",
    "right",
    "up",
    "down",
    "home",
    "end",
    "d",
    "backspace",
    "less_than_sign",
)


@pytest.mark.parametrize("seed", range(4))
async def test_any_keys_are_undone_by_default_settings(logs: HistogramLogs, seed: int) -> None:
    moments = random.Random(seed)
    app = logs.app()
    async with app.run_test(size=(110, 36)) as pilot:
        await pressed(pilot, "right left")
        first = app.grid.get_text()
        for _ in range(4):
            await pilot.press(*moments.choices((*KEYS, *OTHERS), k=12))  # faster than pictures come
            await pressed(pilot, "")
            assert "cannot be drawn: " not in screen_text(app)
        for _ in range(5):
            if app.chart.key is not None:
                await pressed(pilot, "escape")
        app.settings = Settings()
        app.look()
        await pressed(pilot, "g")
        assert app.grid.get_text() == first


# The mouse


async def test_click_selects_the_step(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        await pilot.click(app.chart, offset=(plot.left + plot.width // 2, plot.top + 3))
        await pressed(pilot, "G")
        assert app.settings.cursor in (90.0, 100.0)
        assert app.settings.focus == "adam"
        await pressed(pilot, "m")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        await pilot.click(app.chart, offset=(plot.left + 3, plot.top + plot.height - 1))
        await pressed(pilot, "G")
        assert app.settings.cursor == 190.0


async def test_click_selects_the_run_after_a_slow_lookup(logs: HistogramLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    clicked, find = threading.Event(), Painter.pick

    def find_late(painter: Painter[Any], opened: OpenedCard, column: int, row: int) -> str | None:
        assert clicked.wait(30)
        return find(painter, opened, column, row)

    monkeypatch.setattr(Painter, "pick", find_late)
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        await pilot.click(app.chart, offset=(plot.left + plot.width // 2, plot.top + 3))
        assert app.settings.focus is None
        clicked.set()
        await until(pilot, lambda: app.settings.focus is not None)
        assert app.settings.focus == "adam"


async def test_click_on_a_line_selects_its_run(logs: HistogramLogs) -> None:
    app = logs.app(runs_together=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        source = app.pane.shown.painter.source  # type: ignore[union-attr]
        chart = source.data.chart(source.view, "grads/1")
        edges = bin_edges(chart)
        counts = source.renderer.bins.counts(chart.series[1], edges)[-1]
        peak = int(np.argmax(np.where(edges[:-1] < -5, counts, 0)))  # where the other has no values
        middle = edges[peak] / 2 + edges[peak + 1] / 2
        await pilot.click(app.chart, offset=(plot.column(middle), plot.row(counts[peak])))
        await pressed(pilot, "G")
        await until(pilot, lambda: app.settings.focus is not None)
        assert app.settings.focus == "sgd"  # only its values reach so far


async def test_wheel_and_dragged_box_zoom(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        await pilot._post_mouse_events([MouseScrollUp], ChartView, offset=(40, 10))
        await pressed(pilot, "G")
        assert app.settings.chart(FIRST).x_range != FULL_RANGE
        await pressed(pilot, "f")
        await pilot.mouse_down(ChartView, offset=(plot.left + 5, plot.top + 2))
        await pilot.hover(ChartView, offset=(plot.left + 30, plot.top + 12))
        await pilot.mouse_up(ChartView, offset=(plot.left + 30, plot.top + 12))
        await pressed(pilot, "G")
        own = app.settings.chart(FIRST)
        assert own.x_range != FULL_RANGE
        assert own.y_range != FULL_RANGE
        assert own.y_range[0] < own.y_range[1]  # type: ignore[operator]


# Forms


async def test_options_form_applies_to_all_charts(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "o")
        assert {"view", "colours", "runs", "overview", "table"} <= {*"\n".join(app.lines()).split()}
        await pressed(pilot, "right down right enter")
        assert (STYLE.value(app.settings), HEAT_SCALE.value(app.settings)) == ("ridges", "linear")


async def test_ranges_form_applies_to_one_chart(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "e")
        assert "chart grads/1 of adam" in screen_text(app)
        await pressed(pilot, "down 5 0 down 9 0 down minus 1 down 1 enter")
        assert app.settings.charts == {FIRST: ChartSettings(x_range=(50.0, 90.0), y_range=(-1.0, 1.0))}


async def test_about_key_describes_a_tag(logs: HistogramLogs) -> None:
    logs.add("adam", {"grads/1": {50: NORMAL, 60: np.array([np.nan])}}, start=1_790_000_500)
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "i")
        text = screen_text(app)
        assert "about grads/1 of adam" in text
        assert "plugin histograms" in text
        assert "adam: 22 histograms at steps 0–60, 15 superseded" in text
        assert "30 buckets each, as stored; 19 values" in text
        assert "✗ step 60: a NaN is among the values of this step" in text
        assert "sgd: " not in text
        await pressed(pilot, "escape R i")
        assert "sgd: 20 histograms at steps 0–190" in screen_text(app)


# Writing


async def test_write_key_writes_buckets(logs: HistogramLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "w")
        assert "write the histograms of grads/1 of adam" in screen_text(app)
        await pressed(pilot, "enter")
        await until(pilot, lambda: app.said)
        assert app.said == [f"600 rows in {tmp_path}/adam-grads-1.csv"]
    written = list(csv.DictReader((tmp_path / "adam-grads-1.csv").read_text().splitlines()))
    assert [*written[0]] == ["run", "tag", "step", "wall_time", "left", "right", "count"]
    assert {(row["run"], row["tag"]) for row in written} == {("adam", "grads/1")}
    assert sum(float(row["count"]) for row in written) == 20 * len(NORMAL)


def test_write_key_writes_quantiles_of_visible_steps(logs: HistogramLogs, tmp_path: Path) -> None:
    logs.add("adam", {"grads/1": {200: np.array([np.nan])}})
    view = logs.view(charts={FIRST: ChartSettings(x_range=(150.0, 250.0))})
    writing = HistogramExport(Payloads(), view, FIRST)
    entered = {"path": tmp_path / "q.csv", "format": None, "quantiles": True, "stored": False, "force": False}
    written = writing(entered)
    assert written is not None
    assert (written.rows, writing.skipped.count) == (5, 1)
    read = list(csv.DictReader((tmp_path / "q.csv").read_text().splitlines()))
    assert [row["step"] for row in read] == ["150", "160", "170", "180", "190"]
    assert read[0]["count"] == "19.0"
    assert float(read[0]["max"]) == pytest.approx(4.8)


def test_write_key_writes_all_stored_steps_and_all_runs(logs: HistogramLogs, tmp_path: Path) -> None:
    logs.add("adam", {"grads/1": {0: NORMAL, 1: NORMAL}}, start=1_790_000_900)
    entered: dict[str, Any] = {
        "path": tmp_path / "all.csv",
        "format": None,
        "quantiles": True,
        "stored": True,
        "force": False,
    }
    assert HistogramExport(Payloads(), logs.view(), FIRST)(entered).rows == 22  # type: ignore[union-attr]
    together = HistogramExport(Payloads(), logs.view(runs_together=True), "grads/1")
    assert together({**entered, "path": tmp_path / "both.csv"}).rows == 42  # type: ignore[union-attr]
    assert (
        HistogramExport(Payloads(), logs.view(), FIRST)({**entered, "path": tmp_path / "now.csv", "stored": False}).rows
        == 2
    )  # type: ignore[union-attr]


def test_write_key_without_data_shows_a_reason(logs: HistogramLogs, tmp_path: Path) -> None:
    writing = HistogramExport(Payloads(), logs.view(skip_steps=9999), FIRST)
    entered = {"path": tmp_path / "q.csv", "format": None, "quantiles": False, "stored": False, "force": False}
    with pytest.raises(FieldError, match="are skipped") as refused:
        writing(entered)
    assert refused.value.name == "stored"
    assert not (tmp_path / "q.csv").exists()
    writing.stop()
    assert HistogramExport(Payloads(), logs.view(), FIRST)({**entered, "stored": True}) is not None
