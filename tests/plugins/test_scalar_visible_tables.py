"""Tables of the data of a chart, for files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.export.formats import encode_text
from tbtui.maths.smoothing import smooth
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tbtui.plugins.scalars.export import SMOOTHED_COLUMNS, build_stored_tables, build_visible_tables
from tbtui.settings.settings import TagMerge
from tests.helpers.views import FALLING, plain_view, run_of, series, view

if TYPE_CHECKING:
    from tbtui.view.view import View

RESTARTED = series("t", (9, 8, 7, 6, 5), steps=(0, 10, 20, 10, 20))


def shown(seen: View, key: str = "t") -> dict[tuple[str, str], list[int]]:
    return {
        (table.run, table.tag): table.columns["step"].tolist()
        for table in build_visible_tables(ScalarData(), seen, key)
    }


def test_visible_table_has_the_drawn_points() -> None:
    (table,) = build_visible_tables(ScalarData(), view(run_of(RESTARTED), smoothing=0.5), "t")
    assert (table.columns["step"].tolist(), table.columns["value"].tolist()) == ([0, 10, 20], [9, 6, 5])
    np.testing.assert_allclose(table.columns["smoothed"], smooth(np.array([9.0, 6.0, 5.0]), 0.5))


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({"skip_steps": 5}, [10, 20]),
        ({"x_range": (5.0, 15.0)}, [10]),
        ({"x_range": (None, 15.0)}, [0, 10]),
        ({"x_range": (15.0, 5.0)}, [0, 10, 20]),
    ],
)
def test_visible_table_omits_skipped_and_invisible_points(settings: dict[str, Any], steps: list[int]) -> None:
    assert shown(view(run_of(RESTARTED), **settings)) == {("a", "t"): steps}


def test_visible_table_omits_runs_without_visible_points() -> None:
    assert shown(view(run_of(RESTARTED), x_range=(500.0, 900.0))) == {}


def test_visible_table_of_averages_has_points_of_each_run() -> None:
    runs = {f"adam/s{index}": {"t": FALLING} for index in range(2)}
    assert shown(plain_view(runs, group_level=1)) == {(run, "t"): [0, 1, 2, 3] for run in runs}


def test_visible_table_has_all_joined_tags() -> None:
    seen = plain_view({"a": {"x": FALLING, "y": FALLING}}, joints=(TagMerge(tags=("x", "y")),))
    data = ScalarData()
    assert list(shown(seen, data.cards(seen).keys[0])) == [("a", "x"), ("a", "y")]


def test_stored_table_has_every_point_in_order_of_arrival() -> None:
    (table,) = build_stored_tables(ScalarData(), view(run_of(RESTARTED), smoothing=0.5), "t")
    assert (table.columns["step"].tolist(), table.columns["value"].tolist()) == ([0, 10, 20, 10, 20], [9, 8, 7, 6, 5])
    assert np.isnan(table.columns["smoothed"]).tolist() == [False, True, True, False, False]


@pytest.mark.parametrize("tables", [build_visible_tables, build_stored_tables])
@pytest.mark.parametrize("smoothing", [0.0, 0.6])
def test_tables_can_be_written(tables: Any, smoothing: float) -> None:
    seen = view(run_of(RESTARTED), smoothing=smoothing)
    text = "".join(encode_text(tables(ScalarData(), seen, "t"), "csv", SMOOTHED_COLUMNS))
    assert text.splitlines()[1].startswith("a,t,0,")


def test_tables_of_an_empty_chart_are_none() -> None:
    with pytest.raises(NoPointsError):
        list(build_visible_tables(ScalarData(), view(run_of(RESTARTED), skip_steps=99), "t"))
