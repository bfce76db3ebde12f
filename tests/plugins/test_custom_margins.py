"""Bounds of margin charts: joined by step, interpolated within their ends, marked where they cross."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.maths.smoothing import smooth
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.painter import CROSSED_SIGN, ScalarRenderer, build_line_chart
from tbtui.plugins.scalars.readout_table import build_line_table
from tests.helpers.layouts import layout_view
from tests.helpers.views import picture, run_of, series

if TYPE_CHECKING:
    from tbtui.plugins.scalars.chart import Chart
    from tbtui.store.snapshot import RunSnapshot

MARGIN = {"c": {"t": ["Margin", ["m", "lo", "hi"]]}}


def run(name: str = "a", **tags: dict[int, float]) -> RunSnapshot:
    return run_of(
        *(series(tag, list(points.values()), steps=list(points), run_name=name) for tag, points in tags.items())
    )


TWO_BANDS = {
    "category": [
        {
            "title": "c",
            "chart": [
                {
                    "title": "t",
                    "margin": {
                        "series": [
                            {"value": "m", "lower": "lo", "upper": "hi"},
                            {"value": "m", "lower": "least", "upper": "greatest"},
                        ]
                    },
                }
            ],
        }
    ]
}


def chart(*runs: RunSnapshot, document: Any = MARGIN, **settings: Any) -> Chart:
    view, cache = layout_view(document, *runs, **{"smoothing": 0.0, **settings})
    return ScalarData(cards=cache).chart(view, cache.of(view).keys[0])


def bounds(drawn: Chart) -> tuple[list[float], list[float]]:
    margin = drawn.lines[0].margin
    assert margin is not None
    return margin.lower.tolist(), margin.upper.tolist()


NAN = float("nan")
SEEDS = (("seed0", 1.0), ("seed1", 3.0))


@pytest.mark.parametrize(
    ("low", "expected"),
    [
        ({0: 0.0, 1: 1.0, 2: 2.0}, [0.0, 1.0, 2.0]),
        ({0: 0.0, 2: 2.0}, [0.0, 1.0, 2.0]),
        ({1: 1.0, 2: 2.0}, [NAN, 1.0, 2.0]),
        ({0: 0.0, 1: 1.0}, [0.0, 1.0, NAN]),
        ({0: 0.0, 1: NAN, 2: 2.0}, [0.0, NAN, 2.0]),
        ({5: 0.0}, [NAN, NAN, NAN]),
    ],
)
@pytest.mark.parametrize("axis", ["step", "relative", "wall", "order", "active"])
def test_bound_is_joined_by_step_on_every_axis(axis: Any, low: dict[int, float], expected: list[float]) -> None:
    values = {0: 1.0, 1: 2.0, 2: 3.0}
    drawn = chart(run(m=values, lo=low, hi=dict.fromkeys(values, 9.0)), x_axis=axis)
    np.testing.assert_equal(bounds(drawn), (expected, [9.0] * 3))


def test_bounds_are_smoothed_like_their_value() -> None:
    values, low, high = [1.0, 5.0, 2.0, 4.0], [0.0, 3.0, 1.0, 0.0], [2.0, 6.0, 9.0, 5.0]
    steps = range(4)
    drawn = chart(
        run(**{tag: dict(zip(steps, each, strict=True)) for tag, each in (("m", values), ("lo", low), ("hi", high))}),
        smoothing=0.6,
    )
    lower, upper = bounds(drawn)
    np.testing.assert_array_equal(lower, smooth(np.array(low), 0.6))
    np.testing.assert_array_equal(upper, smooth(np.array(high), 0.6))
    assert all(lo <= y <= hi for lo, y, hi in zip(lower, drawn.lines[0].smoothed, upper, strict=True))


def test_points_that_a_restart_superseded_have_the_bounds_of_their_time() -> None:
    steps = [0, 1, 2, 3, 1, 2, 3]
    held = run_of(
        *(series(tag, [at + base for at in range(7)], steps=steps) for tag, base in (("m", 0), ("lo", -1), ("hi", 1)))
    )
    assert bounds(chart(held, x_axis="order"))[0] == [-1, 0, 1, 2, 3, 4, 5]
    assert bounds(chart(held))[0] == [-1, 3, 4, 5]


def test_superseded_point_without_its_own_bound_has_none() -> None:
    value = series("m", list(range(7)), steps=[0, 1, 2, 3, 1, 2, 3])
    held = run_of(value, *(series(tag, [5, 6, 7], steps=[1, 2, 3]) for tag in ("lo", "hi")))
    np.testing.assert_equal(bounds(chart(held, x_axis="order"))[0], [NAN, NAN, NAN, NAN, 5, 6, 7])


def test_crossed_bounds_are_drawn_between_and_marked() -> None:
    drawn = chart(run(m={0: 1.0, 1: 1.0, 2: 1.0}, lo={0: 0.0, 1: 3.0, 2: 3.0}, hi={0: 2.0, 1: 0.5, 2: 0.5}))
    margin = drawn.lines[0].margin
    assert margin is not None
    assert (margin.low.tolist(), margin.high.tolist()) == ([0.0, 0.5, 0.5], [2.0, 3.0, 3.0])
    lines = build_line_chart(drawn, 60, 10)
    assert [(sign.x, sign.glyph) for sign in lines.signs] == [(1.0, CROSSED_SIGN)]
    (band,) = lines.bands
    assert band.low.tolist() == margin.low.tolist()


def test_lone_bound_is_a_faint_line_and_makes_no_band() -> None:
    drawn = chart(run(m={0: 1.0, 1: 2.0}, lo={0: 0.0, 1: 1.0}))
    lines = build_line_chart(drawn, 60, 10)
    assert [trace.y.tolist() for trace in lines.traces if trace.is_faint] == [[0.0, 1.0]]
    assert not np.isfinite(lines.bands[0].low).any()
    assert drawn.notes == ("no 'hi': lower bound alone",)


def test_table_of_a_margin_chart_has_bounds_and_width() -> None:
    drawn = chart(run(m={0: 1.0, 1: 2.0}, lo={0: 0.5, 1: 1.0}, hi={0: 2.0, 1: 4.0}))
    header, rows = build_line_table(drawn, 120)
    words = dict(zip(picture(header).split(), picture(rows).split()[1:], strict=False))
    assert (words["value"], words["lower"], words["upper"], words["width"]) == ("2", "1", "4", "3")


def test_run_without_bounds_is_drawn_beside_runs_with_them() -> None:
    drawn = chart(run(m={0: 1.0, 1: 2.0}, lo={0: 0.0, 1: 1.0}, hi={0: 2.0, 1: 3.0}), run("b", m={0: 1.5, 1: 1.5}))
    assert [line.margin is None for line in drawn.lines] == [False, True]


def test_new_point_of_a_bound_alone_redraws_the_chart() -> None:
    values, low = {0: 1.0, 1: 2.0}, {0: 0.0}
    held = run(m=values, lo=low, hi={0: 3.0, 1: 3.0})
    view, cache = layout_view(MARGIN, held, smoothing=0.0)
    data = ScalarData(cards=cache)
    key = cache.of(view).keys[0]
    np.testing.assert_equal(data.chart(view, key).lines[0].margin.lower, [0.0, NAN])  # type: ignore[union-attr]
    longer = replace(series("lo", [0.0, 1.0], steps=[0, 1]), revision=2)
    view, _ = layout_view(MARGIN, replace(held, series={**held.series, "lo": longer}, revision=2), smoothing=0.0)
    assert data.chart(view, key).lines[0].margin.lower.tolist() == [0.0, 1.0]  # type: ignore[union-attr]


def test_card_names_what_is_missing_in_its_frame() -> None:
    drawn = chart(run(m={0: 1.0, 1: 2.0}, lo={0: 0.0, 1: 1.0}))
    cells = ScalarRenderer().card(drawn, 70, 10, focused=False).cells
    assert "⚠ no 'hi': lower bound alone" in picture(cells).splitlines()[-1]


def test_second_band_of_a_value_is_drawn_as_dotted_edges() -> None:
    values = {0: 1.0, 1: 2.0}
    held = run(m=values, lo={0: 0.5, 1: 1.0}, hi={0: 2.0, 1: 4.0}, least={0: 0.3, 1: 0.4}, greatest={0: 2.5, 1: 4.2})
    drawn = chart(held, document=TWO_BANDS)
    lines = build_line_chart(drawn, 60, 10)
    assert [band.low.tolist() for band in lines.bands] == [[0.5, 1.0]]
    dotted = [trace.y.tolist() for trace in lines.traces if trace.is_faint and np.isfinite(trace.x).any()]
    assert dotted == [[0.3, 0.4], [2.5, 4.2]]
    assert drawn.notes == ()


def test_table_of_two_bands_has_the_bounds_of_both() -> None:
    values = {0: 1.0, 1: 2.0}
    held = run(m=values, lo={0: 0.5, 1: 1.0}, hi={0: 2.0, 1: 4.0}, least={0: 0.3, 1: 0.4}, greatest={0: 2.5, 1: 4.2})
    header, rows = build_line_table(chart(held, document=TWO_BANDS), 160)
    shown = " ".join(picture(header).split())
    assert shown.index("lower upper width") < shown.index("lower 2 upper 2 width 2")
    assert " 1 4 3 0.4 4.2 3.8 " in " ".join(picture(rows).split())


def test_crossed_bounds_of_a_second_band_are_counted() -> None:
    held = run(m={0: 1.0}, lo={0: 0.5}, hi={0: 2.0}, least={0: 3.0}, greatest={0: -3.0})
    assert chart(held, document=TWO_BANDS).notes == ("bounds crossed at 1 point",)


def test_average_of_runs_has_the_band_of_the_runs_and_says_so() -> None:
    runs = [run(name, m={0: value, 1: value}, lo={0: -9.0, 1: -9.0}, hi={0: 9.0, 1: 9.0}) for name, value in SEEDS]
    drawn = chart(*runs, group_pattern="seed.*", spread="minmax")
    assert drawn.notes == ("the band is that of the averaged runs, not the logged bounds",)
    (line,) = drawn.lines
    assert line.edges is not None
    assert [edge.tolist() for edge in line.edges] == [[1.0, 1.0], [3.0, 3.0]]


def test_warning_stands_before_superseded_points_on_a_narrow_card() -> None:
    drawn = replace(chart(run(m={1: 0.5, 2: 0.6}, lo={1: 0.4, 2: 0.5})), superseded=100, time_outliers=3)
    foot = picture(ScalarRenderer().card(drawn, 46, 12, focused=True).cells).splitlines()[-1]
    assert "⚠ no 'hi': lower bound alone" in foot
