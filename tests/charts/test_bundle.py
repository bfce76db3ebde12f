from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.axis import Axis
from tbtui.charts.bundle import MAX_CACHED_BUNDLES, BundleCache, LineBundle, compute_density_levels
from tbtui.charts.cells import BUNDLE_INKS, Cells, Ink
from tbtui.charts.line_chart import LineChart, Trace, draw_line_picture

X = np.arange(50.0)
AXES = Axis(0, 49, kind="step"), Axis(-1, 1)
RNG = np.random.default_rng(0)
LINES = [Trace(X, RNG.uniform(-1, 1, 50), int(BUNDLE_INKS[0]), ascending=True) for _ in range(60)]


def cells_of(*bundle: Trace, traces: tuple[Trace, ...] = (), kept: LineBundle | None = None) -> Cells:
    return draw_line_picture(LineChart(traces, *AXES, bundle=bundle), 60, 20, bundle=kept).at()


def bundle_cells(cells: Cells) -> int:
    return int(np.isin(cells.inks, BUNDLE_INKS).sum())


def test_bundle_drawing_after_changes_equals_a_fresh_drawing() -> None:
    @given(st.lists(st.sets(st.integers(0, len(LINES) - 1), min_size=1), min_size=1, max_size=5))
    def check(drawings: list[set[int]]) -> None:
        kept = LineBundle()
        for chosen in drawings:
            shown = [LINES[index] for index in sorted(chosen)]
            drawn, fresh = cells_of(*shown, kept=kept), cells_of(*shown)
            assert drawn.text() == fresh.text()
            assert np.array_equal(drawn.inks, fresh.inks)

    check()


def test_bundle_redrawing_rasterizes_only_changed_lines() -> None:
    kept = LineBundle()
    cells_of(*LINES, kept=kept)
    assert kept.rasterized == len(LINES)
    longer = Trace(X, np.sin(X), LINES[0].ink, ascending=True)
    cells_of(longer, *LINES[1:], kept=kept)
    assert kept.rasterized == len(LINES) + 2  # the former line is taken out, the new one put in


def test_bundle_lines_below_a_line_in_colour_leave_its_cells_alone() -> None:
    line = Trace(X, np.zeros(50), 3, ascending=True)
    alone, together = cells_of(traces=(line,)), cells_of(*LINES, traces=(line,))
    coloured = together.inks == 3
    assert np.array_equal(coloured, alone.inks == 3)
    assert np.array_equal(together.glyphs[coloured], alone.glyphs[coloured])


def test_bundle_cells_with_more_lines_are_brighter() -> None:
    flat = [Trace(X, np.full(50, 0.5), LINES[0].ink, ascending=True) for _ in range(40)]
    once = Trace(X, np.full(50, -0.5), LINES[0].ink, ascending=True)
    inks = cells_of(*flat, once).inks
    rows = [set(row.tolist()) & set(map(int, BUNDLE_INKS)) for row in inks if np.isin(row, BUNDLE_INKS).any()]
    assert rows == [{int(BUNDLE_INKS[-1])}, {int(BUNDLE_INKS[0])}]


def test_bundle_gaps_have_signs_that_leave_with_their_line() -> None:
    broken = Trace(X, np.where(X == 20, np.nan, 0.0), LINES[0].ink, ascending=True)
    kept = LineBundle()
    cells = cells_of(*LINES, broken, kept=kept)
    assert cells.inks[cells.glyphs == ord("✗")].tolist() == [Ink.WARN]
    assert "✗" not in cells_of(*LINES, kept=kept).text()


def test_bundle_without_lines_draws_nothing() -> None:
    assert bundle_cells(cells_of()) == 0
    assert bundle_cells(cells_of(*LINES)) > 100


def test_density_levels_of_equal_counts_are_the_lowest() -> None:
    assert compute_density_levels(np.ones(5, np.int32)).tolist() == [0] * 5
    assert sorted(set(compute_density_levels(np.arange(1, 101, dtype=np.int32)).tolist())) == [0, 1, 2, 3]


def test_bundle_cache_keeps_the_bundles_used_last() -> None:
    cache = BundleCache()
    first = cache.get("first")
    for index in range(MAX_CACHED_BUNDLES):
        assert cache.get("first") is first
        cache.get(index)
    for index in range(MAX_CACHED_BUNDLES):
        cache.get(index)
    assert cache.get("first") is not first
