"""Curves of a series of histograms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.axis import Axis
from tbtui.plugins.distributions.chart import make_curves
from tbtui.plugins.histograms.readout import MEDIAN
from tbtui.plugins.histograms.series import SeriesCache
from tests.helpers.histogram_payloads import Made, MadePayloads, normal, run_with, steps_of
from tests.helpers.snapshots import START
from tests.helpers.views import view

if TYPE_CHECKING:
    from tbtui.plugins.distributions.chart import Curves

NAN = math.nan


def curves(made: Made, **settings: Any) -> Curves:
    runs = {"a": {"w": made}}
    data, shown = SeriesCache(MadePayloads(runs)), view(run_with("a", runs["a"]), **settings)
    (held,) = data.load(shown, "w")
    (_, series) = data.series(shown, "w")[0]
    return make_curves(held, series if shown.settings.superseded else None, shown.settings.skip_steps)


def moved(*centres: float, **more: Any) -> Made:
    return Made([normal(centre) for centre in centres], **more)


def test_curves_have_nine_ordered_values_per_step() -> None:
    found = curves(moved(0.0, 1.0, 5.0))
    assert found.x.tolist() == [0, 1, 2]
    assert found.values.shape == (3, 9)
    assert (np.diff(found.values) >= 0).all()
    ends = [[centre - 3.25, centre, centre + 3.25] for centre in (0, 1, 5)]
    np.testing.assert_allclose(found.values[:, [0, MEDIAN, 8]], ends, atol=1e-12)
    assert found.curve(MEDIAN).tolist() == found.values[:, MEDIAN].tolist()


def test_curves_refused_histogram_is_a_gap() -> None:
    found = curves(Made([normal(), "a NaN is among the values of this step", normal()]))
    assert np.isnan(found.values).all(axis=1).tolist() == [False, True, False]


def test_curves_empty_histogram_has_zeros_like_tensorboard() -> None:
    found = curves(Made([normal(4.0), np.zeros((0, 3))]))
    assert found.values[1].tolist() == [0.0] * 9


def test_curves_points_without_x_are_dropped() -> None:
    found = curves(moved(0.0, 1.0, 2.0, wall_times=(START, NAN, START + 2)), x_axis="wall")
    assert found.x.tolist() == [START, START + 2]
    assert found.curve(MEDIAN).tolist() == pytest.approx([0, 2])
    assert len(curves(moved(0.0, wall_times=(NAN,)), x_axis="wall").x) == 0


RESTARTED = moved(0.0, 1.0, 2.0, 3.0, 11.0, 12.0, 13.0, 14.0, steps=(0, 1, 2, 3, 1, 2, 3, 4))


def test_curves_superseded_points_are_a_separate_line() -> None:
    assert curves(RESTARTED).superseded is None
    found = curves(RESTARTED, superseded=True)
    assert found.x.tolist() == [0, 1, 2, 3, 4]
    assert found.curve(MEDIAN).tolist() == pytest.approx([0, 11, 12, 13, 14])
    assert found.superseded is not None
    x, median = found.superseded
    assert x.tolist() == [0, 1, 2, 3]
    assert median.tolist() == pytest.approx([0, 1, 2, 3])


def test_curves_consecutive_superseded_stretches_are_separate() -> None:
    twice = moved(*range(7), steps=(0, 1, 2, 1, 2, 1, 2))
    found = curves(twice, superseded=True)
    assert found.superseded is not None
    np.testing.assert_allclose(found.superseded[0], [0, 1, 2, NAN, 1, 2])
    np.testing.assert_allclose(found.superseded[1], [0, 1, 2, NAN, 3, 4], atol=1e-12)


def test_curves_skipped_steps_are_neither_drawn_nor_superseded() -> None:
    found = curves(RESTARTED, superseded=True, skip_steps=2)
    assert found.x.tolist() == [2, 3, 4]
    assert found.superseded is not None
    assert found.superseded[0].tolist() == [2, 3]


def test_curves_without_a_restart_have_no_superseded_points() -> None:
    assert curves(steps_of(5), superseded=True).superseded is None


# What an x axis shows


def test_curves_are_clipped_at_the_edges_of_the_axis() -> None:
    found = curves(moved(0.0, 10.0, 20.0, 30.0))
    assert found.select_visible_values(None) is found.values
    seen = found.select_visible_values(Axis(0.5, 2.0, kind="step"))[:, MEDIAN]
    assert sorted(seen.tolist()) == pytest.approx([5, 10, 20, 20])
    between = found.select_visible_values(Axis(1.25, 1.75, kind="step"))[:, MEDIAN]
    assert sorted(between.tolist()) == pytest.approx([12.5, 17.5])
    assert len(found.select_visible_values(Axis(7, 9, kind="step"))) == 0


def test_curves_are_straight_between_steps_on_the_axis_scale() -> None:
    found = curves(moved(0.0, 0.0, 30.0, steps=(0, 1, 1000)))
    seen = found.select_visible_values(Axis(10, 100, "log", "step"))[:, MEDIAN]
    assert sorted(seen.tolist()) == pytest.approx([10, 20])
