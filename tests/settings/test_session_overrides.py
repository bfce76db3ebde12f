"""What a command line said is for its session; what the user did is kept."""

from __future__ import annotations

from dataclasses import replace

from tbtui.settings.persistence import SessionOverrides
from tbtui.settings.settings import ChartSettings, Settings
from tbtui.view.changes import with_x_axis

KEPT = Settings(
    smoothing=0.5,
    run_filter="adam",
    x_range=(10.0, 20.0),
    charts={"loss": ChartSettings(x_range=(0.0, 5.0)), "acc": ChartSettings(y_scale="log")},
)


def test_what_was_not_touched_is_kept_as_it_was() -> None:
    begun = replace(KEPT, smoothing=0.9, run_filter="sgd")
    given = SessionOverrides(KEPT, begun)
    assert given.select_kept(begun) == KEPT
    later = replace(begun, smoothing=0.95, baseline="a")
    assert given.record_change(begun, later)
    assert given.select_kept(later) == replace(KEPT, smoothing=0.95, baseline="a")
    back = replace(later, smoothing=0.9)  # by hand, to what the command line had said
    given.record_change(later, back)
    assert given.select_kept(back).smoothing == 0.9


def test_where_one_looks_is_not_worth_keeping() -> None:
    given = SessionOverrides(KEPT, KEPT)
    assert not given.record_change(KEPT, replace(KEPT, cursor=3.0, mark=1.0, focus="a"))
    assert given.record_change(KEPT, replace(KEPT, cursor=3.0, tab="images"))


def test_ranges_of_an_axis_that_is_not_kept_are_not_kept_either() -> None:
    begun = with_x_axis(KEPT, "wall")
    given = SessionOverrides(KEPT, begun)
    assert given.select_kept(begun) == KEPT
    zoomed = replace(begun, charts=begun.with_chart("loss", x_range=(1e9, 2e9), y_range=(0.0, 1.0)), x_range=(1e9, 2e9))
    given.record_change(begun, zoomed)
    kept = given.select_kept(zoomed)
    assert (kept.x_axis, kept.x_range) == ("step", (10.0, 20.0))
    assert kept.charts == {
        "loss": ChartSettings(x_range=(0.0, 5.0), y_range=(0.0, 1.0)),
        "acc": ChartSettings(y_scale="log"),
    }
    chosen = with_x_axis(zoomed, "relative")
    given.record_change(zoomed, chosen)
    assert given.select_kept(chosen) == replace(chosen, smoothing=0.5)
