"""Order of the runs, cached columns, and details of one cell."""

from __future__ import annotations

import math

import pytest

from tbtui.plugins.comparison.comparison import ComparisonCache, Point, Points, list_compared_runs, read_detail
from tbtui.settings.settings import ChartSettings
from tests.helpers.views import FALLING, plain_view

NAN = math.nan
VALUES = {
    "a": {"loss": (3.0,), "acc": (0.5,)},
    "b": {"loss": (1.0,), "acc": (0.9,)},
    "c": {"loss": (NAN,)},
    "d": {"acc": (0.9,)},
    "e": {"loss": (2.0,), "acc": (-math.inf,)},
    "f": {"loss": (1.0,)},
}


@pytest.mark.parametrize(
    ("settings", "order"),
    [
        pytest.param({}, "abcdef", id="as in the run tree"),
        pytest.param({"sort_tag": "loss"}, "bfeacd", id="ascending; equal ones as in the tree; NaN, then nothing last"),
        pytest.param({"sort_tag": "loss", "sort_descending": True}, "aebfcd", id="descending: those last all the same"),
        pytest.param({"sort_tag": "acc", "sort_descending": True}, "bdaecf", id="infinities are numbers here"),
        pytest.param({"sort_tag": "acc"}, "eabdcf", id="either way"),
        pytest.param({"sort_tag": "unheard of"}, "abcdef", id="by nothing"),
        pytest.param({"sort_tag": "loss", "tag_filter": "acc"}, "bead", id="by a column that is filtered away"),
        pytest.param({"tag_filter": "^loss"}, "abcef", id="one that has none of the tags has no row"),
        pytest.param({"hidden_groups": frozenset({"loss", "acc"})}, "abcdef", id="all columns folded"),
        pytest.param({"sort_tag": "loss", "skip_steps": 1}, "abcdef", id="no values from that step on"),
        pytest.param({"sort_tag": "loss", "hidden_runs": frozenset("be")}, "facd", id="drawn ones only"),
    ],
)
def test_rows_follow_the_order_of_runs(settings: dict[str, object], order: str) -> None:
    assert "".join(run.name for run in ComparisonCache().table(plain_view(VALUES, **settings)).runs) == order


def test_rows_are_sorted_by_their_cells() -> None:
    runs = {"a": {"loss": (1.0, 5.0)}, "b": {"loss": (2.0, 4.0)}}
    data = ComparisonCache()
    assert [run.name for run in data.table(plain_view(runs, sort_tag="loss")).runs] == ["b", "a"]
    assert [run.name for run in data.table(plain_view(runs, sort_tag="loss", figure="best")).runs] == ["a", "b"]


def test_best_direction_is_derived_from_the_tag_or_chosen() -> None:
    data = ComparisonCache()
    assert data.column(plain_view(VALUES), "acc").request.best == "max"
    assert data.column(plain_view(VALUES), "loss").request.best == "min"
    assert data.column(plain_view(VALUES), "lr").request.best is None


def test_unknown_best_direction_shows_the_last_value() -> None:
    runs = {"a": {"lr": (1.0, 5.0, 3.0)}, "b": {"lr": (2.0, 4.0, 2.5)}}
    chosen = {"lr": ChartSettings(best="max")}
    for settings, order, told in (({}, "ba", Point(3.0, 2)), ({"charts": chosen}, "ba", Point(5.0, 1))):
        shown = plain_view(runs, sort_tag="lr", figure="best", **settings)
        data = ComparisonCache()
        assert "".join(run.name for run in data.table(shown).runs) == order
        assert data.column(shown, "lr").points["a"] == told
        assert read_detail(shown, "a", "lr").point == told


def test_column_cache_drops_the_least_recently_seen() -> None:
    data = ComparisonCache(max_points=0)
    shown = plain_view({"a": {f"t{number}": FALLING for number in range(100)}})
    kept = [data.column(shown, f"t{number}") for number in range(41)]
    assert data.column(shown, "t1") is kept[1]
    assert data.column(shown, "t0") is not kept[0]
    assert data.column(shown, "t1") is kept[1]


def test_column_differs_by_figure() -> None:
    data, shown = ComparisonCache(), plain_view(VALUES)
    column = data.column(shown, "loss")
    assert data.column(plain_view(VALUES, baseline="a"), "loss") is column
    assert data.column(plain_view(VALUES, figure="min"), "loss") is not column


def test_baseline_not_drawn_is_compared_with() -> None:
    names = [run.name for run in list_compared_runs(plain_view(VALUES, baseline="b", hidden_runs=frozenset("b")))]
    assert names == ["b", "a", "c", "d", "e", "f"]
    assert [run.name for run in list_compared_runs(plain_view(VALUES, baseline="gone"))] == list("abcdef")
    assert [run.name for run in list_compared_runs(plain_view(VALUES, baseline="b"))] == list("abcdef")


def test_cell_details_are_complete() -> None:
    runs = {"x/a": {"loss": (3.0, 1.0, 2.0)}, "x/b": {"loss": (4.0, 0.5, 6.0)}}
    detail = read_detail(plain_view(runs, baseline="x/b", figure="best"), "x/a", "loss")
    assert (detail.name, detail.tag, detail.best) == ("x/a", "loss", "min")
    assert detail.points == Points(last=Point(2.0, 2), least=Point(1.0, 1), greatest=Point(3.0, 0))
    assert (detail.point, detail.base) == (Point(1.0, 1), Point(0.5, 1))
    assert read_detail(plain_view(runs, baseline="x/b"), "x/b", "loss").base is None
    assert read_detail(plain_view(runs, baseline="gone"), "x/b", "loss").base is None
    assert read_detail(plain_view(runs), "x/b", "unheard of").points is None
    assert read_detail(plain_view(runs), "gone", "loss").points is None
