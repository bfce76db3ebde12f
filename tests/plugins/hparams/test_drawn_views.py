"""Test parallel coordinates, slices and heat maps: every session has a place in each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.cells import Ink
from tbtui.loading.payloads import Payloads
from tbtui.maths.rank_anova import Levels
from tbtui.plugins.hparams.axes import ColumnAxis
from tbtui.plugins.hparams.grid import CellCache
from tbtui.plugins.hparams.parallel import (
    ParallelCache,
    ParallelState,
    compute_axis_dots,
    compute_line_dots,
    draw_parallel,
    find_bright_sessions,
    find_visible_axes,
    list_axis_keys,
    make_axis,
)
from tbtui.plugins.hparams.session_cache import SessionCache
from tbtui.plugins.hparams.settings import SESSIONS, SessionSettings
from tbtui.plugins.hparams.slices import (
    SliceState,
    _format_levels,
    build_metric_axis,
    draw_pair,
    draw_slices,
    slice_names,
    split_sessions,
)
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.painter import ScalarRenderer, ScalarSource
from tbtui.run_health.summaries import SummaryCache
from tbtui.settings.settings import ChartSettings, Settings
from tbtui.view.attributes import AttributeColumn
from tbtui.view.run_names import RunColours
from tbtui.view.view import build_view
from tests.helpers.pane_app import pressed
from tests.helpers.property_examples import examples
from tests.helpers.sessions import prepared, search_store, session_run
from tests.helpers.snapshots import store
from tests.plugins.hparams.test_hparams_pane import HParamsApp

SIZES = [(118, 34), (78, 18), (43, 38), (38, 8), (12, 3), (1, 1)]
VALUES = st.none() | st.floats() | st.booleans() | st.sampled_from(["adam", "", "ü😀", "a|b"])
SESSIONS_OF = st.lists(st.tuples(VALUES, VALUES, st.none() | st.floats(width=32)), min_size=1, max_size=10)


def stored(sessions: Any) -> Any:
    return store(
        *(
            session_run(f"t{number}", {"a": a, "b": b}, {"loss": [] if loss is None else [loss]})
            for number, (a, b, loss) in enumerate(sessions)
        )
    )


@settings(max_examples=examples(40))
@given(SESSIONS_OF, st.sampled_from(["linear", "log", "rank"]), st.integers(3, 20))
def test_parallel_no_session_is_ever_absent(sessions: Any, scale: str, rows: int) -> None:
    made = prepared(stored(sessions), axis_scales={"h/a": scale, "m/loss": scale})
    axes = [make_axis(made, key) for key in list_axis_keys(made)]
    if len(axes) < 2:
        return
    dots = compute_axis_dots(axes, rows)
    assert dots.shape == (len(sessions), len(axes))
    assert np.isfinite(dots).all()
    assert (dots >= 0).all()
    assert (dots < (rows + 3) * 4).all()
    for axis, column in zip(axes, dots.T, strict=True):
        outside = column > rows * 4 - 1
        assert outside.tolist() == (axis.is_nan | axis.is_missing).tolist()
    for row in range(len(sessions)):
        lit, _ = compute_line_dots(dots[[row]], np.linspace(0, 40, len(axes)).astype(int), ((rows + 3) * 4, 60))
        assert lit.any()


@settings(max_examples=examples(40))
@given(SESSIONS_OF)
def test_slices_no_session_is_ever_absent(sessions: Any) -> None:
    made = prepared(stored(sessions))
    metric = build_metric_axis(made)
    if metric is None:
        return
    for name in slice_names(made):
        parts = split_sessions(make_axis(made, f"h/{name}"), metric, made.rows.selected)
        assert sorted(np.concatenate(parts).tolist()) == list(range(len(sessions)))


@settings(max_examples=examples(40))
@given(SESSIONS_OF, st.sampled_from(SIZES))
def test_drawn_views_fill_any_size_with_any_values(sessions: Any, size: tuple[int, int]) -> None:
    made = prepared(stored(sessions))
    width, height = size
    for cells in (
        draw_parallel(made, ParallelState(session="t0"), width, height),
        draw_slices(made, SliceState(session="t0"), width, height),
        draw_slices(made, SliceState(is_opened=True), width, height),
        draw_pair(made, "a", "b", width, height) if {"a", "b"} <= set(made.table.hparams) else None,
    ):
        assert cells is None or (cells.height, cells.width) == (height, width)


def test_parallel_lines_are_straight_between_the_axes() -> None:
    lit, _ = compute_line_dots(np.array([[0.0, 10.0]]), np.array([0, 20]), (12, 24))
    rows, columns = np.nonzero(lit)
    assert np.abs(rows - columns / 2).max() <= 1
    assert set(columns.tolist()) == set(range(21))


def test_parallel_cells_have_the_mean_value_of_their_lines() -> None:
    _, mean = compute_line_dots(np.array([[0.0, 0.0], [0.0, 0.0]]), np.array([0, 9]), (4, 10), np.array([10.0, 30.0]))
    assert mean[0].tolist() == [20] * 5


@pytest.mark.parametrize(
    ("numbers", "scale"), [([1e-4, 1e-1, 1e-2], "log"), ([1.0, 2.0, 3.0], "linear"), ([-1.0, 100.0, 3.0], "linear")]
)
def test_axis_scale_is_chosen_by_the_data(numbers: list[float], scale: str) -> None:
    values = [*numbers, *(number * 1.1 for number in numbers), *(number * 1.2 for number in numbers)]
    made = prepared(store(*(session_run(f"t{n:02}", {"a": value}, {"loss": [n]}) for n, value in enumerate(values))))
    axis = make_axis(made, "h/a")
    assert axis.present_scale == scale
    assert not axis.is_even


def test_axis_of_few_values_and_words_is_even() -> None:
    made = prepared(store(*(session_run(f"t{n}", {"a": 2.0**n, "b": "xyz"[n]}, {"loss": [n]}) for n in range(3))))
    for key in ("h/a", "h/b"):
        assert make_axis(made, key).positions.tolist() == [0.0, 0.5, 1.0]
    assert make_axis(made, "m/loss").positions.tolist() == [1.0, 0.5, 0.0]  # the least loss is at the top


def test_visible_axes_always_end_with_the_metric() -> None:
    keys = [f"h/{n}" for n in range(12)] + ["m/loss"]
    assert find_visible_axes(keys, 0, 60) == (0, 1, 2, 3, 12)
    assert find_visible_axes(keys, 9, 60) == (9, 10, 11, 12)


def test_bright_sessions_are_the_best_tenth_or_the_selected_ones() -> None:
    made = prepared(search_store(100))
    bright, words = find_bright_sessions(made)
    assert words == "the best 10 of 101 sessions"
    losses = made.rows.values["val/loss"].values.numbers
    assert losses[bright].max() <= np.nanmin(losses[~bright])


async def test_parallel_brush_becomes_terms_of_the_filter() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 36)) as pilot:
        await pressed(pilot, "m m")
        assert SESSIONS.value(app.settings).view == "parallel"
        assert any("lr log" in line for line in app.lines())
        await pressed(pilot, "v down down down enter")
        assert app.settings.run_filter.startswith("lr>=")
        assert "lr<=" in app.settings.run_filter
        await pressed(pilot, "f")
        assert app.settings.run_filter == ""
        await pressed(pilot, "right v down enter")
        assert app.settings.run_filter.startswith("opt=")


async def test_parallel_keys_scale_move_and_colour_axes() -> None:
    app = HParamsApp(store(*(session_run(f"t{n:02}", {"a": n + 1.0, "b": n**2.0}, {"loss": [n]}) for n in range(20))))
    async with app.run_test(size=(110, 36)) as pilot:
        await pressed(pilot, "m m")
        first = app.pane.query_one("ParallelView").axis.key  # type: ignore[attr-defined]
        await pressed(pilot, "Y")
        assert SESSIONS.value(app.settings).axis_scales == {first: "log"}
        await pressed(pilot, "greater_than_sign")
        assert SESSIONS.value(app.settings).axes[1] == first
        await pressed(pilot, "c")
        assert SESSIONS.value(app.settings).colour == first
        await pressed(pilot, "enter")
        assert app.lines()[0].startswith("‹ t")
        await pressed(pilot, "escape")
        assert not app.lines()[0].startswith("‹ t")


async def test_slices_open_a_card_and_mark_two_for_a_heat_map() -> None:
    app = HParamsApp()
    async with app.run_test(size=(110, 36)) as pilot:
        await pressed(pilot, "m m m")
        assert sum(line.count("╭") for line in app.lines()) == 2
        await pressed(pilot, "enter")
        assert any("lower quartile" in line for line in app.lines())
        await pressed(pilot, "escape space right space")
        assert SESSIONS.value(app.settings).pair == ("lr", "opt")
        assert any("lr × opt: median of val/loss" in line for line in app.lines())
        await pressed(pilot, "escape")
        assert SESSIONS.value(app.settings).pair == ()


def test_parallel_picture_with_a_cache_equals_one_without() -> None:
    cache, made = ParallelCache(), search_store(20)
    names = sorted(made.runs)
    for hidden, scale in ((0, "log"), (8, "log"), (15, "rank"), (0, "linear")):
        chosen = Settings(hidden_runs=frozenset(names[:hidden]))
        shown = prepared(made, settings=chosen, axis_scales={"h/lr": scale})
        for width in (60, 61):
            kept = draw_parallel(shown, ParallelState(session="t03"), width, 20, cache)
            fresh = draw_parallel(shown, ParallelState(session="t03"), width, 20)
            assert (kept.glyphs == fresh.glyphs).all()
            assert (kept.inks == fresh.inks).all()


def test_filter_is_answered_with_the_former_shares_and_then_with_its_own() -> None:
    made, cache = search_store(40), SessionCache(Payloads())

    def prepare(hidden: int, **how: Any) -> Any:
        chosen = Settings(hidden_runs=frozenset(sorted(made.runs)[:hidden]))
        return cache.prepare(build_view(made, chosen, RunColours(), SummaryCache()), **how)

    whole = prepare(0, keeps_shares=True)
    assert not whole.has_former_shares
    quick = prepare(20, keeps_shares=True)
    assert quick.has_former_shares
    assert quick.importance is whole.importance
    assert len(quick.rows.members) == 21
    exact = prepare(20)
    assert not exact.has_former_shares
    assert exact.importance.sessions == 20
    assert exact.rows is quick.rows
    assert prepare(20, keeps_shares=True).importance is exact.importance


def test_figure_is_answered_with_shares_that_say_what_they_are_of_and_then_with_its_own() -> None:
    made, cache = search_store(40), SessionCache(Payloads())
    names = sorted(made.runs)

    def prepare(figure: str, hidden: int = 0, **how: Any) -> Any:
        settings = Settings(hidden_runs=frozenset(names[:hidden]))
        chosen = SESSIONS.with_value(settings, SessionSettings(figure=figure))  # type: ignore[arg-type]
        return cache.prepare(build_view(made, chosen, RunColours(), SummaryCache()), **how)

    last = prepare("last")
    quick = prepare("max", keeps_shares=True)
    assert quick.has_former_shares
    assert quick.importance is last.importance
    assert (quick.shares_label, quick.rows.figure_label) == ("last", "greatest")
    assert last.current_importance is last.importance
    assert quick.current_importance is None  # slices, pages and explanations name no share of another figure
    assert quick.rows.ordered_hparams == last.rows.ordered_hparams
    assert quick.rows.main_column.values.numbers[0] == 3.0
    exact = prepare("max")
    assert exact.shares_label == "greatest"
    fresh: Any = SessionCache(Payloads()).prepare(exact.view)
    assert exact.importance.hparams[0].share == fresh.importance.hparams[0].share
    assert exact.importance.hparams[0].share != last.importance.hparams[0].share
    filtered = prepare("min", 20, keeps_shares=True)
    assert filtered.rows.ordered_hparams == exact.rows.ordered_hparams
    assert prepare("min", 20).importance.sessions == 20
    assert prepare("min").shares_label == "least"


def test_cells_of_a_column_follow_its_better_end_and_hyperparameters_stay_when_the_figure_changes() -> None:
    made, cells = search_store(20), CellCache()
    least, greatest = (
        Settings(charts={"acc": ChartSettings(best="min")}),
        Settings(charts={"acc": ChartSettings(best="max")}),
    )
    first = prepared(made, settings=least)
    again = replace(first, rows=replace(first.rows, settings=greatest))
    marked = [
        [name for name, cell in cells.cells(shown.rows, "m/acc").items() if cell[0][1] == Ink.BOLD]
        for shown in (first, again)
    ]
    assert marked[0] != marked[1]
    figured = replace(first.rows, settings=SESSIONS.with_value(least, SessionSettings(figure="max")))
    assert cells.cells(first.rows, "h/lr") is cells.cells(figured, "h/lr")


def test_rows_of_a_growing_search_are_shown_before_its_shares() -> None:
    cache = SessionCache(Payloads())

    def prepare(count: int, **how: Any) -> Any:
        return cache.prepare(build_view(search_store(count), Settings(), RunColours(), SummaryCache()), **how)

    few = prepare(20, keeps_shares=True)
    quick = prepare(40, keeps_shares=True)
    assert quick.has_former_shares
    assert quick.importance is few.importance
    assert len(quick.rows.members) == 41
    exact = prepare(40)
    assert not exact.has_former_shares
    assert exact.importance.sessions == 40
    assert not prepare(20, keeps_shares=True).has_former_shares


@pytest.mark.parametrize(("width", "expected"), [(14, "1.3e-4…0.00112"), (13, "1.3e-4…0.0011"), (9, "1.3e-4")])
def test_level_texts_are_all_ranges_or_all_single_numbers(width: int, expected: str) -> None:
    column = AttributeColumn.of_values([1.3e-4, 1.12e-3, 0.0204, 0.0977, 0.384, 2.42])
    axis = ColumnAxis("h/lr", "lr", "lr", column)
    texts = _format_levels(axis, np.arange(6), Levels(np.array([0, 0, 1, 1, 2, 2]), 3), width)
    assert texts[0] == expected
    assert len({"…" in text for text in texts}) == 1
    assert all(len(text) <= width for text in texts)


def test_pair_names_levels_of_narrow_boxes_in_fewer_digits() -> None:
    made = prepared(search_store(40))
    wide, narrow = (draw_pair(made, "lr", "opt", width, 12).text().splitlines() for width in (110, 38))
    names = next(line for line in narrow if line.lstrip().startswith("lr ") and "×" not in line)
    assert "…" in next(line for line in wide if line.lstrip().startswith("lr ") and "×" not in line)
    assert "…" not in names
    assert len(set(names.split())) == 7


def test_pair_names_both_hyperparameters_in_full() -> None:
    runs = [
        session_run(f"t{n}", {"weight_decay": 10.0 ** -(n % 4), "depth": float(n % 3)}, {"loss": [float(n)]})
        for n in range(12)
    ]
    lines = draw_pair(prepared(store(*runs)), "weight_decay", "depth", 60, 16).text().split("\n")
    assert [line.strip() for line in lines].count("weight_decay") == 1
    assert lines[1].strip() == "depth"


def test_slice_names_each_value_if_all_fit_else_both_ends() -> None:
    runs = [
        session_run(f"t{n}", {"act": act}, {"loss": [float(n)]}) for n, act in enumerate(("relu", "tanh", "gelu") * 4)
    ]
    made = prepared(store(*runs))
    wide = [row for row in draw_slices(made, SliceState(), 60, 9).text().split("\n") if "gelu" in row]
    assert [row.split()[1:-1] for row in wide] == [["gelu", "relu", "tanh"]]
    narrow = [row for row in draw_slices(made, SliceState(), 22, 9).text().split("\n") if "gelu" in row]
    assert [row.split()[1:-1] for row in narrow] == [["gelu", "tanh"]]


@pytest.mark.parametrize("width", [95, 56])
def test_parallel_title_of_the_metric_is_whole(width: int) -> None:
    runs = [
        session_run(f"t{n}", {name: float(10**n) for name in ("lr", "alpha", "width", "decay")}, {"val/loss": [0.1**n]})
        for n in range(6)
    ]
    drawn = draw_parallel(prepared(store(*runs)), ParallelState(), width, 20).text()
    assert "▾ val/loss log" in drawn.split("\n")[0]


def test_slice_puts_a_diverged_session_without_the_value_aside() -> None:
    runs = [session_run(f"t{n}", {"act": act}, {"loss": [1.0 + n]}) for n, act in enumerate(("relu", "tanh"))]
    runs.append(session_run("t2", {"lr": 0.1}, {"loss": [float("nan")]}))
    card = draw_slices(prepared(store(*runs)), SliceState(), 40, 9).text().split("\n")[1]
    assert card.count("✗") == 2  # the number of such sessions, and the session
    assert card.rstrip(" │").endswith("✗")
    assert card.rindex("✗") == 40 - 3


def test_axis_with_one_value_names_it_once() -> None:
    runs = [session_run(f"t{n}", {"act": act}, {"loss": [0.5]}) for n, act in enumerate(("relu", "tanh"))]
    runs.append(session_run("t2", {}, {"loss": [0.5]}))
    runs.append(session_run("t3", {"lr": 0.25}, {"loss": [0.5]}))
    made = prepared(store(*runs))
    card = draw_slices(made, SliceState(), 40, 9).text()
    assert card.count("0.5") == 1
    parallel = draw_parallel(made, ParallelState(), 60, 16).text()
    assert parallel.count("0.25") == parallel.count("0.5") == 1


def test_crowded_chart_keeps_the_colours_of_a_hyperparameter() -> None:
    made = search_store(40)
    attributes = prepared(made).attributes
    chosen = Settings(colour_by="opt")
    view = build_view(made, chosen, RunColours(), SummaryCache(), attributes)
    chart = ScalarSource(ScalarData(), ScalarRenderer(), view).chart("val/loss")
    assert [view.inks[line.key.run] for line in chart.lines] == list(chart.inks)
    assert len(set(chart.inks)) == 2
    shared = replace(view, settings=Settings())  # few colours that mean nothing
    recoloured = ScalarSource(ScalarData(), ScalarRenderer(), shared).chart("val/loss")
    assert len(set(recoloured.inks)) > 2
