"""The Distributions tab over real event files, driven by keys and mouse."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.distributions.chart import CURVE_LABELS
from tbtui.plugins.distributions.pane.pane import DistributionsPane
from tbtui.settings.settings import FULL_RANGE, Settings
from tbtui.view.card_groups import MIN_HEADINGS_HEIGHT
from tbtui.view.cards import make_card_key
from tbtui.widgets import worker as worker_module
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.chart_view import ChartView
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, growing, old, rows
from tests.helpers.log_directory import START
from tests.helpers.pane_app import PaneApp, pressed
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = ("layer2/weights", "layer2/grads", "layer1/weights", "layer1/grads")
"""In the order in which they were written."""

SIZES = ((120, 40), (80, 24), (45, 45), (40, 12))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def logs(tmp_path: Path) -> HistogramLogs:
    """Two runs of four tags, twenty steps each."""
    made = HistogramLogs(tmp_path / "logs")
    for run, scale in (("net/a", 0.1), ("net/b", 0.2)):
        made.add(run, {tag: growing(20, scale) for tag in LAYERS})
    return made


def app_of(logs: HistogramLogs, **settings: Any) -> PaneApp:
    return logs.app(DistributionsPane(Payloads()), **settings)


def opened_table(app: PaneApp) -> list[str]:
    """The header and the rows of the table below an opened chart."""
    lines = app.lines()
    header = next(index for index, line in enumerate(lines) if line.startswith("run "))
    return lines[header:]


# The grid


def title_in(size: tuple[int, int]) -> str:
    """Return the title of the card of `layer1/grads`: below the heading of its group if the grid is high enough."""
    return "grads" if size[1] >= MIN_HEADINGS_HEIGHT else "layer1/grads"


@pytest.mark.parametrize("size", SIZES)
async def test_distributions_pane_one_fan_per_run_and_tag(logs: HistogramLogs, size: tuple[int, int]) -> None:
    app = app_of(logs)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "")
        assert app.grid.keys[:4] == (
            make_card_key("net/a", "layer1/grads"),
            make_card_key("net/b", "layer1/grads"),
            make_card_key("net/a", "layer1/weights"),
            make_card_key("net/b", "layer1/weights"),
        )
        text = screen_text(app)
        assert f"╭ {title_in(size)} ─" in text
        assert "● a ─" in text
        assert any(glyph in text for glyph in "▁▂▃▄▅▆▇")
        assert any(0x2800 < ord(glyph) < 0x2900 for glyph in text)
        assert app.pane.status() == "x step"


async def test_distributions_pane_before_the_first_view_shows_reading(logs: HistogramLogs) -> None:
    app = PaneApp(DistributionsPane(Payloads()), logs.load())
    app.look = lambda: None  # type: ignore[method-assign]
    async with app.run_test(size=(60, 20)):
        assert "reading the logs" in screen_text(app)
        assert app.pane.status() == ""


async def test_distributions_pane_cursor_is_shared_by_all_cards(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "comma")
        assert app.settings.cursor == 180.0
        assert app.pane.status() == "x step · @ step 180"
        assert sum(line.count("╎") == 2 for line in app.lines()) > 5
        before = screen_text(app)
        await pressed(pilot, "full_stop")
        assert app.settings.cursor == 190.0
        assert screen_text(app) != before
        await pressed(pilot, "backspace")
        assert "╎" not in screen_text(app)


async def test_distributions_pane_overview_shows_layers_in_written_order(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        shown = len(app.grid.keys_in_sight)
        await pressed(pilot, "A")
        assert app.settings.overview
        assert [key.partition("\0")[2] for key in app.grid.keys[::2]] == list(LAYERS)
        assert len(app.grid.keys_in_sight) >= max(shown, 8)
        assert app.pane.status().startswith("overview")
        await pressed(pilot, "A")
        assert not app.settings.overview


async def test_distributions_pane_overview_marks_problems_of_layers(logs: HistogramLogs) -> None:
    lost = {step: NORMAL if step < 30 else np.append(NORMAL, np.nan) for step in range(40)}
    logs.add("net/c", {"layer1/weights": lost})
    app = app_of(logs, overview=True, solo="net/c")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        assert "✗ NaN from 30" in screen_text(app)


async def test_distributions_pane_empty_filter_result_is_reported(logs: HistogramLogs) -> None:
    app = app_of(logs, hidden_groups=frozenset({"layer1", "layer2"}))
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "▸ layer1 ─" in screen_text(app)
        assert "▸ layer2 ─" in screen_text(app)


# Opened


@pytest.mark.parametrize("size", SIZES)
async def test_distributions_pane_enter_opens_a_card_with_all_runs(logs: HistogramLogs, size: tuple[int, int]) -> None:
    app = app_of(logs)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "enter")
        assert app.lines()[0].startswith("‹ layer1/grads")
        if size[1] > 14:
            table = opened_table(app)
            assert "median" in table[0]
            assert [line.split()[1] for line in table[1:3]] == ["net/a", "net/b"]
        await pressed(pilot, "escape")
        assert f"╭ {title_in(size)} ─" in screen_text(app)


async def test_distributions_pane_table_has_quantiles_at_the_cursor(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(160, 40)) as pilot:
        await pressed(pilot, "enter home right")
        assert app.settings.cursor == 10.0
        header, first, second = opened_table(app)[:3]
        titles = header.replace(" %", "%").split()
        assert titles[1:10] == [
            "min",
            *(f"~{word}".replace(" %", "%") for word in CURVE_LABELS[1:-1]),
            "max",
        ]
        of_a = dict(zip(titles, first.split()[1:], strict=False))
        assert (of_a["min"], of_a["max"], of_a["step"]) == ("-0.4", "0.6", "10")
        of_b = dict(zip(titles, second.split()[1:], strict=False))
        assert (of_b["min"], of_b["max"]) == ("-0.8", "1.2")
        await pressed(pilot, "end")
        assert opened_table(app)[1].split()[2] == "-4"


async def test_distributions_pane_interval_compares_two_steps_per_run(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(160, 40)) as pilot:
        await pressed(pilot, "enter home v end")
        table = opened_table(app)
        assert "Δ ~median" in table[0]
        assert [line.split()[1] for line in table[1:5]] == ["net/a", "net/a", "net/b", "net/b"]
        await pressed(pilot, "left enter")
        x_range = app.settings.chart(make_card_key("net/a", "layer1/grads")).x_range
        assert x_range == (0.0, 180.0)
        assert app.settings.mark is None


async def test_distributions_pane_run_keys_select_compare_solo_and_hide(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(160, 40)) as pilot:
        await pressed(pilot, "enter down down d")
        assert (app.settings.focus, app.settings.baseline) == ("net/b", "net/b")
        assert "Δ ~median" in opened_table(app)[0]
        assert "Δ0" in opened_table(app)[2]
        await pressed(pilot, "d up s")
        assert app.settings.solo == "net/a"
        assert len(opened_table(app)) == 2
        await pressed(pilot, "s down space")
        assert app.settings.hidden_runs == {"net/b"}


async def test_distributions_pane_rows_sort_by_median(logs: HistogramLogs) -> None:
    logs.add("net/c", {"layer1/grads": {0: NORMAL - 9}})
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter t")
        assert app.settings.row_order == "ascending"
        assert "median ▲" in opened_table(app)[0]
        assert opened_table(app)[1].split()[1] == "net/c"


async def test_distributions_pane_neighbour_keys_open_other_cards(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter n")
        assert app.chart.key == make_card_key("net/b", "layer1/grads")
        assert "‹ layer1/grads  net/b" in screen_text(app)
        await pressed(pilot, "N escape")
        assert app.grid.focused_key == make_card_key("net/a", "layer1/grads")


# Runs together


async def test_distributions_pane_runs_are_overlaid_and_separated(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "right R")
        assert app.grid.keys == ("layer1/grads", "layer1/weights", "layer2/grads", "layer2/weights")
        assert app.grid.focused_key == "layer1/grads"
        assert "● a ● b" in screen_text(app)
        assert app.pane.status() == "runs together · x step"
        await pressed(pilot, "enter")
        assert [line.split()[1] for line in opened_table(app)[1:3]] == ["net/a", "net/b"]
        await pressed(pilot, "R")
        assert app.chart.key == make_card_key("net/a", "layer1/grads")
        await pressed(pilot, "R escape")
        assert app.grid.focused_key == "layer1/grads"


# Axes and zoom


async def test_distributions_pane_zoom_scale_and_fit_keys(logs: HistogramLogs) -> None:
    app, key = app_of(logs), make_card_key("net/a", "layer1/grads")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "z")
        low, high = app.settings.chart(key).x_range
        assert low is not None
        assert high is not None
        assert high - low == pytest.approx(95, abs=8)
        await pressed(pilot, "shift+up L enter Y")
        assert app.settings.chart(key).y_range != FULL_RANGE
        assert app.settings.get_y_scale(key) == "log"
        await pressed(pilot, "Y")
        assert app.settings.get_y_scale(key) == "symlog"
        await pressed(pilot, "Y f escape")
        assert app.settings.charts == {}
        await pressed(pilot, "X")
        assert app.settings.x_scale == "log"
        await pressed(pilot, "X X S z")
        assert app.settings.linked
        assert app.settings.x_range != FULL_RANGE
        await pressed(pilot, "F S")
        assert app.settings == Settings()


async def test_distributions_pane_log_axis_without_values_is_reported(logs: HistogramLogs) -> None:
    logs.add("neg", {"w": {step: -np.abs(NORMAL) - 1 for step in range(3)}})
    app = app_of(logs, y_scale="log", solo="neg")
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "")
        assert "all values ≤ 0: none fits a log axis" in screen_text(app)


async def test_distributions_pane_view_keys_switch_views(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "u O t p greater_than_sign")
        chosen = app.settings
        assert (chosen.superseded, chosen.outliers, chosen.row_order) == (True, "ignore", "ascending")
        assert chosen.pinned == (make_card_key("net/a", "layer1/grads"),)
        assert "outliers ignored" in app.pane.status()
        assert app.grid.columns == 3
        await pressed(pilot, "u O O t t t p less_than_sign")
        assert replace(app.settings, columns=0) == Settings()


async def test_distributions_pane_ignores_histogram_keys(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "m D B enter m D B")
        assert app.settings == Settings()


async def test_distributions_pane_restarts_are_marked_superseded_on_request(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w": dict.fromkeys(range(20), NORMAL)})
    logs.add("a", {"w": dict.fromkeys(range(10, 30), NORMAL + 9)}, start=START + 100)
    app = app_of(logs)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        assert screen_text(app).count("↻") == 1
        before = screen_text(app)
        await pressed(pilot, "u")
        assert screen_text(app) != before


# Forms and pages


async def test_distributions_pane_options_of_all_charts(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 50)) as pilot:
        await pressed(pilot, "o")
        text = screen_text(app)
        assert "options of all charts" in text
        assert all(label in text for label in ("x axis", "y scale", "outliers", "skip steps below", "runs", "overview"))
        assert "smoothing" not in text
        assert "look" not in text
        await pressed(pilot, "right enter")
        assert app.settings.x_axis == "relative"


async def test_distributions_pane_ranges_of_one_chart(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 50)) as pilot:
        await pressed(pilot, "enter e")
        assert "chart layer1/grads of net/a" in screen_text(app)
        await pressed(pilot, "down 5 0 down 1 0 0 enter")
        assert app.settings.chart(make_card_key("net/a", "layer1/grads")).x_range == (50.0, 100.0)


async def test_distributions_pane_about_describes_a_tag(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 50)) as pilot:
        await pressed(pilot, "i")
        text = screen_text(app)
        assert "about layer1/grads of net/a" in text
        assert "20 histograms at steps 0–190" in text


async def test_distributions_pane_quantiles_are_written_to_a_file(logs: HistogramLogs, tmp_path: Path) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 50)) as pilot:
        await pressed(pilot, "w")
        assert "net-a-layer1-grads.csv" in screen_text(app)
        path = tmp_path / "out.csv"
        await pressed(pilot, " ".join(["ctrl+u", *(f"{char}" for char in _typed(str(path))), "enter"]))
        for _ in range(200):
            if app.said:
                break
            await pilot.pause(0.01)
    assert "20 rows in" in app.said[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "run,tag,step,wall_time,count,min,p6.68,p15.87,p30.85,median,p69.15,p84.13,p93.32,max"
    assert len(lines) == 21


def _typed(text: str) -> list[str]:
    """The names of the keys that type a text."""
    names = {"/": "slash", ".": "full_stop", "-": "minus", "_": "underscore", "[": "left_square_bracket"}
    return [names.get(char, char) for char in text]


# The mouse


async def test_distributions_pane_click_sets_the_cursor_and_selects_the_run(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        plotted = app.chart.plotted
        assert plotted is not None
        plot = plotted.plot
        await pilot.click(ChartView, offset=(plot.left + plot.width // 2, plot.top + 3))
        await pressed(pilot, "")
        assert app.settings.cursor is not None
        assert abs(app.settings.cursor - 95) < 15
        assert app.settings.focus == "net/a"


async def test_distributions_pane_wheel_zooms_and_double_click_fits(logs: HistogramLogs) -> None:
    from textual.events import MouseScrollUp

    app, key = app_of(logs), make_card_key("net/a", "layer1/grads")
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        await pilot._post_mouse_events([MouseScrollUp], ChartView, offset=(40, 10))
        await pressed(pilot, "")
        assert app.settings.chart(key).x_range != FULL_RANGE
        await pilot.click(ChartView, offset=(40, 10), times=2)
        await pressed(pilot, "")
        assert app.settings.chart(key).x_range == FULL_RANGE


async def test_distributions_pane_dragged_box_zooms_both_axes(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "")
        await pilot.mouse_down(CardGrid, offset=(20, 3))
        await pilot.hover(CardGrid, offset=(40, 6))
        await pilot.mouse_up(CardGrid, offset=(40, 6))
        await pressed(pilot, "")
        own = app.settings.chart(make_card_key("net/a", "layer1/grads"))
        assert own.x_range != FULL_RANGE
        assert own.y_range != FULL_RANGE


# Runs that grow, and odd ones


async def test_distributions_pane_new_steps_appear_unless_zoomed(logs: HistogramLogs) -> None:
    app = app_of(logs)
    async with app.run_test(size=(120, 40)) as pilot:
        await pressed(pilot, "enter")
        assert "step 190, the newest" in screen_text(app)
        logs.add("net/a", {"layer1/grads": dict.fromkeys(range(200, 300, 10), NORMAL)})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "")
        assert "step 290, the newest" in screen_text(app)
        plotted = app.chart.plotted
        assert plotted is not None
        assert plotted.plot.x_axis.high >= 290
        await pressed(pilot, "z")
        zoomed = app.settings.chart(make_card_key("net/a", "layer1/grads")).x_range
        logs.add("net/a", {"layer1/grads": dict.fromkeys(range(300, 900, 10), NORMAL)})
        app.store = logs.load()
        app.look()
        await pressed(pilot, "")
        plotted = app.chart.plotted
        assert plotted is not None
        assert (plotted.plot.x_axis.low, plotted.plot.x_axis.high) == zoomed


ODD: tuple[tuple[str, str, dict[int, Any]], ...] = (
    ("empty", "no values in any histogram", dict.fromkeys(range(3), rows())),
    ("no counts", "no values in any histogram", dict.fromkeys(range(3), rows((0, 1, 0), (1, 2, 0)))),
    ("constant", "─ median 3.25 ╮", dict.fromkeys(range(3), np.full(20, 3.25))),
    ("backwards", "its buckets overlap", dict.fromkeys(range(3), rows((1, 0, 5), (0, 2, 5)))),
    ("overlapping", "its buckets overlap", dict.fromkeys(range(3), rows((0, 2, 5), (1, 3, 5)))),
    ("NaN counts", "a count of its buckets is not a number", dict.fromkeys(range(3), rows((0, 1, np.nan), (1, 2, 5)))),
    ("infinite", "an infinite value is among the values", dict.fromkeys(range(3), np.array([1.0, np.inf, 2.0]))),
    ("huge", "min -2e300, max 3e300", dict.fromkeys(range(3), NORMAL * 1e300)),
    ("tiny", "min -2e-300, max 3e-300", dict.fromkeys(range(3), NORMAL * 1e-300)),
    ("wrong shape", "a tensor of shape 2x2 instead of", dict.fromkeys(range(3), np.zeros((2, 2)))),
    (
        "old writer",
        "median ~0.125, min -0.500, max 0.750",
        {step: old([-1.0, 0.0, 1.0, 1.797e308], [0, 2, 3, 0], -0.5, 0.75) for step in range(3)},
    ),
    ("buckets that change", "min -2, max 3", {0: rows((0, 1, 1)), 1: rows((0, 1, 1), (1, 2, 3)), 2: NORMAL}),
)
"""What is odd, what a card says of it, and the histograms."""

BESIDE = "just numbers"


@pytest.mark.parametrize(("name", "said", "steps"), ODD, ids=[name for name, *_ in ODD])
@pytest.mark.parametrize("together", [False, True])
async def test_distributions_pane_odd_histograms_are_drawn_or_reported(
    tmp_path: Path, name: str, said: str, steps: dict[int, Any], together: bool
) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {BESIDE: dict.fromkeys(range(3), NORMAL), name: steps})
    app = app_of(logs, runs_together=together)
    async with app.run_test(size=(120, 30)) as pilot:
        await pressed(pilot, "")
        text = screen_text(app)
        assert f"╭ {BESIDE} ─" in text
        assert "median ~0.0833, min -2, max 3" in text
        assert said in text
        await pressed(pilot, "right enter left v left n")
        assert "Error" not in screen_text(app)


async def test_distributions_pane_escapes_names_from_files(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path / "logs")
    logs.add("a", {"w\x1b[31m[bold]\u202e/x": dict.fromkeys(range(3), NORMAL)})
    app = app_of(logs)
    async with app.run_test(size=(100, 30)) as pilot:
        await pressed(pilot, "enter")
        text = screen_text(app)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[bold]" in text
