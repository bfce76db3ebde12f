"""Cards and opened charts of quantile curves on the screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.cells import SHADE_FROM, Ink, to_faint_ink
from tbtui.plugins.distributions.chart import MAX_OUTLINED_RUNS, DistributionChartCache
from tbtui.plugins.distributions.painter import DistributionRenderer, DistributionSource
from tbtui.plugins.histograms.series import NothingRecordedError
from tbtui.view.card_painter import Painter
from tbtui.view.cards import make_card_key
from tests.helpers.histogram_payloads import Made, MadePayloads, normal, run_with, steps_of
from tests.helpers.views import picture, view

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.charts.cells import Cells
    from tbtui.plugins.distributions.chart import DistributionChart
    from tbtui.view.painted_cards import OpenedCard
    from tbtui.view.view import View

HAS_NAN = "a NaN is among the values of this step"
ONE = {"a": {"w": steps_of(40)}}
TWO = {"net/a": {"w": steps_of(40)}, "net/b": {"w": steps_of(40, lambda step: normal(4.0, 1 + step / 40))}}
A = make_card_key("a", "w")


def painter_of(data: DistributionChartCache, renderer: DistributionRenderer, shown: View) -> Painter[DistributionChart]:
    cards = data.cards(shown)
    return Painter(DistributionSource(data, renderer, shown, cards), cards)


def painter(runs: Mapping[str, Mapping[str, Made]] = ONE, **settings: Any) -> Painter[DistributionChart]:
    shown = view(*(run_with(name, tags) for name, tags in runs.items()), **settings)
    data = DistributionChartCache(MadePayloads(runs))
    return painter_of(data, DistributionRenderer(), shown)


def card(
    runs: Mapping[str, Mapping[str, Made]] = ONE, key: str = A, width: int = 60, height: int = 12, **settings: Any
) -> Cells:
    cells = painter(runs, **settings).paint(key, width, height, focused=False).cells
    assert (cells.width, cells.height) == (width, height)
    return cells


def opened(
    runs: Mapping[str, Mapping[str, Made]] = ONE, key: str = A, width: int = 100, height: int = 30, **settings: Any
) -> OpenedCard:
    found = painter(runs, **settings).open(key, width, height)
    assert found.picture.width == width
    return found


def shades(cells: Cells) -> set[int]:
    """Inks of areas in shades of a run's colour."""
    return {int(ink) for ink in np.unique(cells.inks) if ink >= SHADE_FROM}


# Cards


def test_card_shows_title_newest_median_extremes_and_fan() -> None:
    cells = card()
    top = cells.get_row_text(0)
    assert top.startswith("╭ w ──")
    assert top.endswith("── median ~0.390, min -5.40, max 6.17 ╮")
    assert len(shades(cells)) > 4
    assert any(0x2800 < glyph < 0x2900 for glyph in np.unique(cells.glyphs).tolist())


def test_card_shows_the_step_at_the_cursor() -> None:
    assert "median ~0, min -3.25, max 3.25" in card(cursor=0.0).get_row_text(0)
    assert "~0.100, min" in card(cursor=10.4).get_row_text(0)


def test_card_narrow_keeps_its_title_and_drops_words() -> None:
    runs = {"a": {"layer1/weights": steps_of(40)}}
    key = make_card_key("a", "layer1/weights")
    tops = [card(runs, key, width).get_row_text(0) for width in (60, 36, 28, 22, 12)]
    assert ["min -5.40" in top for top in tops] == [True, False, False, False, False]
    assert ["0.390" in top for top in tops] == [True, True, False, False, False]
    assert all("layer1/weights" in top for top in tops[:4])


def test_card_several_runs_are_named_at_the_bottom() -> None:
    assert "●" not in card().get_row_text(11)
    cells = card(TWO, make_card_key("net/b", "w"))
    bottom = cells.get_row_text(11)
    assert "● b" in bottom
    assert cells.inks[11, bottom.index("b")] == 1


def test_card_note_starts_with_the_highlighted_problem() -> None:
    lost = Made([normal()] * 20 + [HAS_NAN] * 5)
    cells = card({"a": {"w": lost}})
    top = cells.get_row_text(0)
    assert "✗ NaN from 20" in top
    assert cells.inks[0, top.index("✗")] == Ink.WARN
    assert "✗ NaN from 20" in card({"a": {"w": lost}}, width=26).get_row_text(0)
    assert "✗" in card({"a": {"w": lost}}, width=14).get_row_text(0)
    collapsed = steps_of(40, lambda step: normal(0, 1 if step < 30 else 1e-5))
    assert "▼ collapsed from 30" in card({"a": {"w": collapsed}}).get_row_text(0)


def test_card_refused_histograms_are_a_marked_gap() -> None:
    gap = picture(card({"a": {"w": Made([normal()] * 10 + [HAS_NAN] * 10 + [normal()] * 10)}}))
    assert gap.count("✗") == 1
    assert "cannot" not in gap


def test_card_restart_is_marked_and_superseded_drawn_on_request() -> None:
    made = Made([normal(0.0)] * 20 + [normal(2.0)] * 20, steps=(*range(20), *range(10, 30)))
    plain, more = card({"a": {"w": made}}), card({"a": {"w": made}}, superseded=True)
    assert "↻" in picture(plain)
    assert picture(plain) != picture(more)
    dots = [np.count_nonzero((cells.glyphs > 0x2800) & (cells.glyphs < 0x2900)) for cells in (plain, more)]
    assert dots[1] > dots[0]


def test_card_without_data_shows_a_reason() -> None:
    assert HAS_NAN in picture(card({"a": {"w": Made([HAS_NAN] * 3)}}))
    assert "no histogram between step 90 and 95" in picture(card(x_range=(90.0, 95.0)))


def test_card_errors_are_shown_in_words() -> None:
    made = painter(skip_steps=500)
    with pytest.raises(NothingRecordedError) as error:
        made.paint(A, 60, 10, focused=True)
    text = picture(made.paint_error(A, 60, 10, error.value, focused=True))
    assert "╭ w ─" in text
    assert "all histograms are at steps below 500" in text
    assert "cannot be drawn: ValueError: odd" in picture(made.paint_error(A, 60, 10, ValueError("odd"), focused=True))
    assert "╭ w ─" in picture(made.paint_outline(A, 60, 10, focused=False))


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (3, 3), (5, 4), (9, 5), (20, 4), (200, 60)])
@pytest.mark.parametrize("together", [False, True])
def test_card_draws_any_size(width: int, height: int, together: bool) -> None:
    key = "w" if together else make_card_key("net/a", "w")
    card(TWO, key, width, height, runs_together=together, cursor=3.0, mark=9.0)
    opened(TWO, key, width, max(height, 2), runs_together=together, cursor=3.0, mark=9.0)


# Opened


def test_opened_fan_names_curves_and_lists_all_runs() -> None:
    found = opened(TWO, make_card_key("net/b", "w"))
    text = picture(found.picture)
    assert text.splitlines()[0].startswith("‹ w  net/b · step 39, the newest · x step")
    names = ["max", "93.3 %", "84.1 %", "69.1 %", "median", "30.9 %", "15.9 %", "6.7 %", "min"]
    assert found.plot is not None
    ends = [line[found.plot.left + found.plot.width :].strip() for line in text.splitlines()[1:]]
    assert [end for end in ends if end] == names
    assert found.runs == ("net/b", "net/a")
    assert found.rows.height == 2
    assert found.stops is not None
    assert found.stops.tolist() == list(range(40))


def test_opened_chart_title_shows_details() -> None:
    lost = Made([normal()] * 20 + [HAS_NAN] * 5)
    top = picture(opened({"a": {"w": lost}}, width=160).picture).splitlines()[0]
    assert "step 24, the newest · ✗ NaN from 20 · a NaN is among the values of this step · 5 of 25 steps" in top
    top = picture(opened(cursor=3.0).picture).splitlines()[0]
    assert top.count("step 3") == 1
    assert "the newest" not in top


def test_opened_chart_names_the_run_with_a_problem() -> None:
    lost = Made([normal()] * 20 + [HAS_NAN] * 5)
    top = opened({**TWO, "net/c": {"w": lost}}, "w", width=160, runs_together=True).picture.get_row_text(0)
    assert "· c ✗ NaN from 20 ·" in top


def test_opened_chart_interval_shows_both_steps_once() -> None:
    top = opened(width=160, cursor=30.0, mark=3.0).picture.get_row_text(0)
    assert "step 30 beside 3 · x step  " in top


def test_opened_chart_reports_values_outside_the_axis() -> None:
    far = normal()
    far[-1, 1] = 900.0
    made = Made([normal()] * 60 + [far] + [normal()] * 60)
    assert "values up to 900 not shown" in picture(opened({"a": {"w": made}}, width=160).picture)
    assert "not shown" not in picture(opened({"a": {"w": made}}, width=160, outliers="keep").picture)


def test_opened_chart_low_pane_shows_values_in_the_title() -> None:
    found = opened(width=60, height=12)
    assert found.picture.height == 12
    top = found.picture.get_row_text(0)
    assert top.startswith("‹ w  median ~0.390 · step 39, the newest")
    assert opened(width=30, height=12).picture.get_row_text(0).startswith("‹ w  median ~0.390")


def test_opened_chart_error_is_shown_in_its_place() -> None:
    found = painter(TWO).open_error(make_card_key("net/a", "w"), 80, 20, NothingRecordedError("nothing there"))
    assert found.picture.get_row_text(0).startswith("‹ w  net/a · x step")
    assert "nothing there" in picture(found.picture)


# Runs together


def test_overlaid_runs_are_medians_between_faint_outlines() -> None:
    cells = card(TWO, "w", runs_together=True)
    assert not shades(cells)
    assert {0, 1, to_faint_ink(0), to_faint_ink(1)} <= set(np.unique(cells.inks).tolist())
    assert "~0.390 – 4" in cells.get_row_text(0)
    assert "● a ● b" in cells.get_row_text(11)


def test_overlaid_crowd_outlines_only_the_focused_run() -> None:
    count = MAX_OUTLINED_RUNS + 1
    runs = {f"r{index}": {"w": steps_of(20, lambda step, at=index: normal(3.0 * at))} for index in range(count)}
    faint_inks = {to_faint_ink(index) for index in range(count)}
    for focus, outlined in ((None, set()), ("r2", {to_faint_ink(2)})):
        found = opened(runs, "w", height=60, runs_together=True, focus=focus)
        assert set(np.unique(found.picture.inks).tolist()) & faint_inks == outlined


def test_overlaid_opened_runs_are_named_at_line_ends() -> None:
    found = opened(TWO, "w", runs_together=True)
    ends = [line for line in picture(found.picture).splitlines() if line.endswith(("a ~0.390", "b ~4"))]
    assert len(ends) == 2
    assert found.runs == ("net/a", "net/b")


# Which run a click means


def test_overlaid_pick_selects_the_nearest_line() -> None:
    made = painter(TWO, runs_together=True)
    found = made.open("w", 100, 30)
    assert found.plot is not None
    column = found.plot.column(20.0)
    assert column is not None
    for height, run in ((4.0, "net/b"), (0.2, "net/a")):
        row = found.plot.row(height)
        assert row is not None
        assert made.pick(found, column, row) == run


def test_fan_pick_selects_its_run() -> None:
    made = painter(TWO)
    found = made.open(make_card_key("net/b", "w"), 100, 30)
    assert found.plot is not None
    assert made.pick(found, found.plot.left + 3, found.plot.top + 2) == "net/b"


# What is kept


def test_cursor_is_drawn_over_the_cached_chart(monkeypatch: pytest.MonkeyPatch) -> None:
    from tbtui.plugins.distributions import painter as module

    drawn: list[int] = []
    draw = module.draw_fan
    monkeypatch.setattr(module, "draw_fan", lambda *args: drawn.append(1) or draw(*args))
    data, drawing = DistributionChartCache(MadePayloads(ONE)), DistributionRenderer()
    for cursor in (None, 3.0, 4.0, None):
        shown = view(run_with("a", ONE["a"]), cursor=cursor)
        painter_of(data, drawing, shown).paint(A, 60, 12, focused=False)
    assert len(drawn) == 1


def centred(centre: float, _step: int) -> Any:
    return normal(centre, 1.0)


def test_crowd_of_runs_together_is_a_bundle_with_named_highlights() -> None:
    centres = [index / 100 for index in range(MAX_LINES_IN_COLOUR + 1)]
    centres[3], centres[7] = 9.0, -9.0
    runs = {f"r{index:02}": {"w": steps_of(4, partial(centred, centre))} for index, centre in enumerate(centres)}
    shown = painter(runs, runs_together=True, focus="r05").paint("w", 90, 20, focused=True).cells
    assert shown.get_row_text(19).startswith("╰ selected r05 lowest r07 highest r03 ")
    inks = set(shown.inks[1:-1, 7:-1].ravel().tolist())
    assert 5 in inks
    assert not inks & {1, 2, 4, 6}  # of runs in the bundle
