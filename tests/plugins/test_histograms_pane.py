"""The Histograms tab on the screen: cards, styles, an opened chart and its table."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.cells import HEAT_FROM, WARM_FROM
from tbtui.plugins.histograms.settings import BUCKET_ROWS
from tbtui.settings.settings import ChartSettings
from tbtui.view.cards import make_card_key
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, described, growing, old, rows
from tests.helpers.pane_app import pressed
from tests.helpers.screen_text import screen_lines, screen_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.pane_app import PaneApp

SIZES = ((120, 40), (80, 24), (45, 45), (40, 12))
HEAT = "▀▄"
RIDGES = "▁▂▃▄▅▆▇█"
BRAILLE = re.compile("[⠁-⣿]")


@pytest.fixture
def logs(tmp_path: Path) -> HistogramLogs:
    """Two runs with two layers each."""
    made = HistogramLogs(tmp_path / "logs")
    for run, scale in (("adam", 0.1), ("sgd", 0.2)):
        made.add(run, {tag: growing(20, scale) for tag in ("grads/1", "weights/1")})
    return made


def words(app: PaneApp) -> str:
    """The screen in one line, without the glyphs of pictures."""
    return " ".join(screen_text(app).split())


def heat_levels(app: PaneApp, key: str) -> int:
    """How many different colours the heat map of a card in sight has."""
    cells = app.grid._cells
    del key
    return len(np.unique(cells.inks[(cells.inks >= HEAT_FROM) & (cells.inks < WARM_FROM)]))


def card_lines(app: PaneApp, index: int) -> list[str]:
    """The lines of a card in sight."""
    layout = app.grid._layout_now
    y, x, width = layout.locate(index, app.grid._top)
    return [line[x : x + width] for line in screen_lines(app)[y : y + layout.card_height]]


def said(lines: list[str]) -> str:
    """The words in a card, whose lines may be wrapped."""
    return " ".join(" ".join(lines).replace("│", " ").split())


# The grid


async def test_histograms_pane_one_card_per_run_and_tag(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert app.grid.keys == tuple(
            make_card_key(run, tag) for tag in ("grads/1", "weights/1") for run in ("adam", "sgd")
        )
        first = card_lines(app, 0)
        assert first[0].startswith("╭ grads/1 ─")
        assert first[0].endswith(" 0.105 ± 2.00 ╮")
        assert first[-1].startswith("╰ ● adam ─")
        assert card_lines(app, 1)[-1].startswith("╰ ● sgd ─")
        assert any(glyph in line for line in first for glyph in HEAT)
        assert heat_levels(app, app.grid.keys[0]) > 5
        assert app.pane.status() == "heat map, colours log · x step"


async def test_histograms_pane_runs_of_a_tag_share_a_value_axis(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        source = app.pane.shown.painter.source  # type: ignore[union-attr]
        axes = [source.data.chart(source.view, key).axes.values for key in app.grid.keys]
        assert axes[0] == axes[1] == axes[2]
        assert (axes[0].low, axes[0].high) == (-8.0, 12.0)  # of sgd, which spreads out farther
        own = {
            key: source.renderer.draw_opened(source.data.chart(source.view, key), 80, 20).cells
            for key in app.grid.keys[:2]
        }
        assert len({cells.text() for cells in own.values()}) == 2


async def test_histograms_pane_single_run_is_not_named(logs: HistogramLogs) -> None:
    app = logs.app(solo="adam")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert len(app.grid.keys) == 2
        assert "adam" not in screen_text(app)
        await pressed(pilot, "enter")
        assert "esc back" in screen_text(app)
        assert "adam" in app.lines()[-1]  # the table has it


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", ["heat", "ridges", "overlay"])
async def test_histograms_pane_draws_every_view_at_every_size(
    logs: HistogramLogs, size: tuple[int, int], look: Any
) -> None:
    app = logs.app(histogram_look=look)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "g")
        glyphs = {"heat": HEAT, "ridges": RIDGES, "overlay": None}[look]
        text = screen_text(app)
        assert BRAILLE.search(text) if glyphs is None else any(glyph in text for glyph in glyphs)
        assert "grads/1" in text
        await pressed(pilot, "enter left left")
        assert app.chart.key == app.grid.keys[0]
        text = screen_text(app)
        assert BRAILLE.search(text) if glyphs is None else any(glyph in text for glyph in glyphs)
        assert f"step {app.settings.cursor:g}" in text
        assert all(len(line) <= size[0] for line in screen_lines(app))


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (5, 3), (12, 6), (20, 8), (300, 90)])
async def test_histograms_pane_draws_odd_sizes(logs: HistogramLogs, size: tuple[int, int]) -> None:
    app = logs.app()
    async with app.run_test(size=size) as pilot:
        for keys in ("g", "m", "m", "R", "A", "enter left left v left", "m", "m", "B", "R", "escape escape escape"):
            await pressed(pilot, keys)


async def test_histograms_pane_joined_runs_share_cards(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "R")
        assert app.grid.keys == ("grads/1", "weights/1")
        bottom = card_lines(app, 0)[-1]
        assert "● adam" in bottom
        assert "● sgd" in bottom
        assert BRAILLE.search(screen_text(app))
        assert app.pane.status() == "runs together · x step"
        await pressed(pilot, "enter")
        assert words(app).startswith("‹ grads/1 step 190, the newest · runs together")
        await pressed(pilot, "R")
        assert app.settings.runs_together is False


async def test_histograms_pane_overview_has_small_cards_in_written_order(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    layers = [f"layer{index}/{what}" for index in (10, 2, 1) for what in ("weight", "bias")]
    logs.add("a", {layer: growing(5) for layer in layers})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        assert [key.split("\0")[1] for key in app.grid.keys] == sorted(
            layers, key=lambda tag: (int(tag[5:-7] if tag.endswith("weight") else tag[5:-5]), tag)
        )
        large = app.grid.columns
        await pressed(pilot, "A")
        assert [key.split("\0")[1] for key in app.grid.keys] == layers
        assert app.grid.columns > large
        assert "overview of 98 % of values" in app.pane.status()
        assert len(app.grid.keys_in_sight) == 6


async def test_histograms_pane_small_cards_have_shorter_value_axes(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    generator = np.random.default_rng(0)
    logs.add("a", {"w": {step: generator.normal(0, 1, 2000) for step in range(10)}})
    app = logs.app(overview=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g")
        small = app.grid.plotted.plot.y_axis  # type: ignore[union-attr]
        await pressed(pilot, "enter")
        opened = app.chart.plotted.plot.y_axis  # type: ignore[union-attr]
        assert opened.low < small.low < small.high < opened.high
        assert "overview" not in screen_lines(app)[0]


# An opened chart


async def test_histograms_pane_opened_heat_map_has_bars_and_a_run_table(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        lines = screen_lines(app)
        assert lines[0].startswith("‹ grads/1  adam · step 190, the newest · heat map, colours log · x step")
        assert any("█" in line[80:] for line in lines[1:30])
        assert lines[-3].split()[:8] == ["run", "step", "count", "mean", "std", "min", "max", "median"]
        assert lines[-2].split()[:9] == ["●", "adam", "190", "19", "0.1053", "1.997", "-4", "6", "~0.1667"]
        assert lines[-1].split()[:4] == ["●", "sgd", "190", "19"]


async def test_histograms_pane_selected_and_marked_step_are_side_by_side(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter home v end")
        lines = screen_lines(app)
        assert "step 190 beside 0 ·" in lines[0]
        heads, first = lines[-3].split(), lines[-2].split()
        assert heads[:9] == ["run", "step", "count", "mean", "Δ", "mean", "std", "Δ", "std"]
        assert first[:8] == ["●", "adam", "190", "19", "0.1053", "+0.1", "1.997", "+1.897"]
        assert any("▐" in line or "▕" in line for line in lines[1:30])  # to the left
        await pressed(pilot, "escape")
        assert "beside" not in screen_text(app)


async def test_histograms_pane_narrow_chart_has_no_bars(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(89, 40)) as pilot:
        await pressed(pilot, "enter")
        assert not any("█" in line for line in screen_lines(app)[1:30])


async def test_histograms_pane_status_shows_the_step_at_the_cursor(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter left left")
        assert app.settings.cursor == 170.0
        assert "step 170" in screen_lines(app)[0]
        warm = app.chart._cells.inks
        assert np.count_nonzero((warm >= WARM_FROM) & (warm < WARM_FROM + 48 * 48)) > 3
        app.settings = replace(app.settings, cursor=174.0)  # from another tab
        app.look()
        await pressed(pilot, "down")
        assert "step 170" in screen_lines(app)[0]
        await pressed(pilot, "m")
        assert "step 170 · ridges" in screen_lines(app)[0]
        await pressed(pilot, "m")
        assert "step 170 · overlay" in screen_lines(app)[0]
        assert "170" in [line.split()[-1] for line in screen_lines(app)[1:8] if line.split()]


@pytest.mark.parametrize("look", ["heat", "ridges", "overlay"])
async def test_histograms_pane_cursor_moves_in_every_view(logs: HistogramLogs, look: Any) -> None:
    app = logs.app(histogram_look=look)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter home")
        assert app.settings.cursor == 0.0
        await pressed(pilot, "right right")
        assert (app.settings.cursor or 0) > 0
        await pressed(pilot, "end")
        assert app.settings.cursor == 190.0
        await pressed(pilot, "backspace")
        assert "step 190, the newest" in screen_lines(app)[0]


async def test_histograms_pane_bucket_table_is_exact(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": {0: rows((0, 1, 1), (1, 1.5, 0), (1.5, 1.5000001, 6), (1.5000001, 4, 1))}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter B")
        lines = [line.split() for line in screen_lines(app)[-6:]]
        assert lines[-5] == ["from", "to", "count", "share", "up", "to", "here"]
        assert lines[-4][:7] == ["0", "1", "1", "12.50", "%", "12.50", "%"]
        assert lines[-3][:7] == ["1", "1.5", "0", "0", "%", "12.50", "%"]
        assert lines[-2][:3] == ["1.5", "1.5000001", "6"]
        assert lines[-1][:7] == ["1.5000001", "4", "1", "12.50", "%", "100.00", "%"]
        assert "█" * 10 in screen_lines(app)[-2]
        assert BUCKET_ROWS.value(app.settings)
        await pressed(pilot, "B")
        assert "median" in screen_text(app)


async def test_histograms_pane_long_bucket_table_scrolls(logs: HistogramLogs) -> None:
    app = logs.app(bucket_rows=True)
    async with app.run_test(size=(120, 24)) as pilot:
        await pressed(pilot, "enter")
        assert "⋯ 1–" in screen_lines(app)[-1]
        first = screen_lines(app)[-8:]
        await pressed(pilot, "down")
        assert "⋯ 2–" in screen_lines(app)[-1]
        assert screen_lines(app)[-8:-2] != first[:-2]
        await pressed(pilot, "G")
        assert "–30 of 30" in screen_lines(app)[-1]
        assert app.settings.focus is None


async def test_histograms_pane_joined_bucket_table_is_of_the_selected_run(logs: HistogramLogs) -> None:
    app = logs.app(runs_together=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter down down")
        assert app.settings.focus == "sgd"
        await pressed(pilot, "B")
        assert any("-8" in line.split()[:1] for line in screen_lines(app))


async def test_histograms_pane_missing_sums_use_means_of_buckets(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": {0: rows((0, 2, 1), (2, 4, 1))}})
    logs.add("b", {"w": {0: NORMAL}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert screen_lines(app)[-2].split()[:6] == ["●", "a", "0", "2", "~2", "~1"]
        assert "~" not in "".join(screen_lines(app)[-1].split()[:6])


async def test_histograms_pane_shows_display_names(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w/histogram": {0: described(rows((0, 1, 3)), "Weights of all", "")}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert screen_lines(app)[0].startswith("‹ Weights of all  ")


# Odd and broken


async def test_histograms_pane_undrawable_step_shows_a_reason(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    steps: dict[int, Any] = growing(10)
    steps[40] = rows((0, 1, 1), (0.2, 0.9, 1))
    steps[90] = np.array([1.0, np.nan])
    logs.add("a", {"w": steps, "other": growing(10)})
    app = logs.app()
    async with app.run_test(size=(140, 40)) as pilot:
        await pressed(pilot, "g right")
        assert "✗ NaN from 90" in card_lines(app, 1)[0]
        assert sum(line.count("✗") for line in card_lines(app, 1)) == 3
        await pressed(pilot, "enter")
        head = screen_lines(app)[0]
        assert "step 90, the newest · ✗ NaN from 90 · a NaN is among the values of this step" in head
        assert screen_lines(app)[-1].split()[:4] == ["●", "a", "90", "✗"]
        await pressed(pilot, "end left left left left left")
        assert "step 40 · ✗ NaN from 90 · its buckets overlap" in screen_lines(app)[0]
        await pressed(pilot, "left i")
        assert "✗ step 40: its buckets overlap" in screen_text(app)
        assert "✗ step 90: a NaN is among the values of this step" in screen_text(app)


async def test_histograms_pane_undrawable_tag_shows_reason_and_others_stay(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    bad = {step: np.zeros((2, 2)) for step in range(3)}
    logs.add("a", {"bad": bad, "empty": {0: [], 1: []}, "good": growing(5)})
    app = logs.app()
    async with app.run_test(size=(160, 20)) as pilot:
        await pressed(pilot, "g")
        assert "a tensor of shape 2x2" in said(card_lines(app, 0))
        assert "instead of a histogram" in said(card_lines(app, 0))
        assert any("no values in any histogram" in line for line in card_lines(app, 1))
        assert any(glyph in line for line in card_lines(app, 2) for glyph in HEAT)
        await pressed(pilot, "enter m m")
        assert "a tensor of shape 2x2 instead of a histogram" in screen_text(app)


ODD = {
    "empty": {0: NORMAL, 1: []},
    "all equal": {0: np.full(9, 3.5), 1: np.full(9, 3.5)},
    "all zero": {0: np.zeros(9), 1: np.zeros(9)},
    "zero counts": {0: rows((0, 1, 0), (1, 2, 0)), 1: rows((0, 1, 2), (1, 2, 0))},
    "backwards": {0: old([1.0, 0.5, 2.0], [1, 2, 1], 0.1, 1.9)},
    "infinite edges": {0: old([-1.0, 0.0, 1.7976931348623157e308], [1, 2, 3], -2.0, 5.0)},
    "endless rows": {0: rows((-np.inf, 0, 1), (0, np.inf, 1))},
    "more and fewer buckets": {0: rows((0, 1, 1)), 1: NORMAL, 2: rows((0, 0.5, 1), (0.5, 2, 2))},
    "huge": {0: rows((-1e300, 1e300, 1)), 1: rows((1e299, 1.1e299, 1))},
    "tiny": {0: rows((1e-300, 2e-300, 1)), 1: rows((0, 5e-324, 1))},
    "fractions": {0: rows((0, 1, 0.25), (1, 2, 0.125))},
    "one bucket": {0: rows((2, 3, 1e12))},
}


@pytest.mark.parametrize("name", list(ODD))
@pytest.mark.parametrize("y_scale", ["linear", "log", "symlog"])
async def test_histograms_pane_odd_histograms_are_drawn(tmp_path: Path, name: str, y_scale: Any) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"odd": ODD[name], "plain": growing(3)})
    app = logs.app(y_scale=y_scale)
    async with app.run_test(size=(110, 40)) as pilot:
        for keys in ("g", "m", "m", "m enter", "m", "m", "B", "left", "v", "left", "B", "R"):
            await pressed(pilot, keys)
            assert "cannot be drawn: " not in screen_text(app)


async def test_histograms_pane_outlier_is_reported_not_shown(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    generator = np.random.default_rng(0)
    usual = {step: generator.normal(0, 1, 500) for step in range(40)}
    counts, edges = np.histogram(usual[7], 30)
    far = np.vstack((np.column_stack((edges[:-1], edges[1:], counts)), [[900.0, 901.0, 3.0]]))
    logs.add("a", {"w": {**usual, 7: far}})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "· 3 values outside ·" in screen_lines(app)[0]
        assert screen_lines(app)[1].split()[1][0] == "▲"  # at the upper end of the axis
        assert not any("▼" in line for line in screen_lines(app))
        await pressed(pilot, "m")
        assert sum("▸" in line for line in screen_lines(app)) == 1
        await pressed(pilot, "m m O O")
        assert not any("▲" in line for line in screen_lines(app))
        assert "outside" not in screen_lines(app)[0]
        assert "outliers kept" in screen_lines(app)[0]
        assert any("800" in line for line in screen_lines(app))


async def test_histograms_pane_steps_outside_the_axis_are_marked(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    steps = {step: NORMAL * (1000 if step == 50 else 1) + (7000 if step == 50 else 0) for step in range(300)}
    logs.add("a", {"w": steps})
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert sum(line.count("▲") for line in screen_lines(app)[1:]) == 2  # one at the axis
        assert "19 values outside" in screen_lines(app)[0]
        await pressed(pilot, "escape")
        assert sum(line.count("▲") for line in screen_lines(app)) == 2


async def test_histograms_pane_restarts_are_marked(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": growing(20)})
    logs.add("a", {"w": dict.fromkeys(range(100, 300, 10), NORMAL)}, start=1_790_000_500)
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert sum(line.count("↻") for line in screen_lines(app)) == 1
        await pressed(pilot, "u")
        assert app.settings.superseded


async def test_histograms_pane_many_runs_have_separate_ranges(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    for run in range(33):
        logs.add(f"r{run:02}", {"w": {0: NORMAL * (run + 1)}})
    app = logs.app()
    async with app.run_test(size=(140, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "each run has its own range: more than 32" in screen_lines(app)[0]
        assert len(app.chart._opened.runs) == 1  # type: ignore[union-attr]
        await pressed(pilot, "R")
        assert "its own range" not in screen_lines(app)[0]


# Live


async def test_histograms_pane_new_steps_appear_and_newest_is_followed(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "step 190, the newest" in screen_lines(app)[0]
        logs.add("adam", {"grads/1": {200: NORMAL * 3}})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "G")
        assert "step 200, the newest" in screen_lines(app)[0]
        assert screen_lines(app)[-2].split()[:3] == ["●", "adam", "200"]
        assert screen_lines(app)[-1].split()[:3] == ["●", "sgd", "190"]
        await pressed(pilot, "left left left")
        at = app.settings.cursor
        logs.add("adam", {"grads/1": {210: NORMAL * 3}})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "G")
        assert app.settings.cursor == at
        assert f"step {at:g}" in screen_lines(app)[0]


async def test_histograms_pane_new_run_has_a_card_and_a_row(logs: HistogramLogs) -> None:
    app = logs.app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "g right")
        logs.add("new", {"grads/1": growing(3, 5.0)})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "enter")
        assert make_card_key("new", "grads/1") in app.grid.keys
        assert app.chart.key == make_card_key("sgd", "grads/1")
        assert screen_lines(app)[-3].split()[1] == "sgd"  # the opened run first
        assert {line.split()[1] for line in screen_lines(app)[-3:]} == {"adam", "new", "sgd"}


async def test_histograms_pane_ranges_set_by_hand_apply(logs: HistogramLogs) -> None:
    key = make_card_key("adam", "grads/1")
    app = logs.app(charts={key: ChartSettings(x_range=(50.0, 90.0), y_range=(-1.0, 1.0))})
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plot = app.chart.plotted.plot  # type: ignore[union-attr]
        assert (plot.x_axis.low, plot.x_axis.high, plot.y_axis.low, plot.y_axis.high) == (50, 90, -1, 1)
        assert "outside" not in screen_lines(app)[0]
        assert "y -1 – 1 · x step 50–90" in screen_lines(app)[0]
        await pressed(pilot, "f")
        assert app.settings.charts == {}


async def test_histograms_pane_empty_range_is_reported(logs: HistogramLogs) -> None:
    key = make_card_key("adam", "grads/1")
    app = logs.app(charts={key: ChartSettings(y_range=(100.0, 200.0))})
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "no value here between 100 and 200" in screen_text(app)
        app.settings = replace(app.settings, charts={key: ChartSettings(x_range=(500.0, 600.0))})
        app.look()
        await pressed(pilot, "down")
        assert "no histogram between step 500 and 600" in screen_text(app)
        app.settings = replace(app.settings, charts={}, skip_steps=1000)
        app.look()
        await pressed(pilot, "down")
        assert "all histograms are at steps below 1000, which are skipped" in screen_text(app)
