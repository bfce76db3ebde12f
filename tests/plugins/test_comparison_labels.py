"""Status of the table and details of one cell."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tbtui.charts.cells import Ink
from tbtui.plugins.comparison.comparison import WIDTH, ComparisonCache, read_detail
from tbtui.plugins.comparison.labels import build_detail_lines, format_status
from tbtui.plugins.comparison.pane.source import ComparisonSource
from tests.helpers.views import FALLING, plain_view, run_of, series, view

NAN = math.nan
RUNS = {
    "adam": {"loss": (3.0, 1.0, 2.0)},
    "sgd": {"loss": (4.0, 0.5, 6.0)},
    "lost": {"loss": (NAN,)},
    "none": {"t": FALLING},
}


@pytest.mark.parametrize(
    ("run", "settings", "width", "told"),
    [
        ("adam", {}, 90, "last 2 @ 2   min ★ 1 @ 1   max 3 @ 0"),
        ("adam", {"baseline": "sgd"}, 90, "last 2 @ 2   min ★ 1 @ 1   max 3 @ 0   Δ -4"),
        ("adam", {"baseline": "sgd", "figure": "max"}, 90, "last 2 @ 2   min ★ 1 @ 1   max 3 @ 0   Δ -3"),
        ("adam", {"baseline": "sgd"}, 35, "last 2 @ 2   min ★ 1 @ 1   Δ -4"),
        ("adam", {"baseline": "sgd"}, 30, "last 2 @ 2   Δ -4"),
        ("adam", {"baseline": "sgd", "figure": "best"}, 30, "min ★ 1 @ 1   Δ +0.5"),
        ("adam", {"baseline": "sgd", "figure": "max"}, 5, "max 3 @ 0"),
        ("adam", {"baseline": "lost"}, 90, "last 2 @ 2   min ★ 1 @ 1   max 3 @ 0   Δ –"),
        ("adam", {"baseline": "none"}, 90, "last 2 @ 2   min ★ 1 @ 1   max 3 @ 0"),
        ("lost", {"figure": "best"}, 90, "last ✗NaN @ 0"),
        ("none", {}, 90, "no value of this tag"),
        ("adam", {"skip_steps": 1000}, 90, "no value of this tag from step 1,000 on"),
    ],
)
def test_cell_is_described_in_words(run: str, settings: dict[str, object], width: int, told: str) -> None:
    pieces = build_detail_lines(read_detail(plain_view(RUNS, **settings), run, "loss"), width)[1]
    assert "".join(text for text, _ in pieces) == told


def test_detail_line_close_least_and_greatest_read_differently() -> None:
    shown = plain_view({"a": {"lr": (1.0000001, 1.0000002, 1.0000003)}})
    pieces = build_detail_lines(read_detail(shown, "a", "lr"), 90)[1]
    text = "".join(text for text, _ in pieces)
    assert text == "last 1.0000003 @ 2   min 1.0000001 @ 0   max 1.0000003 @ 2"


def test_column_long_numbers_widen_it() -> None:
    source = ComparisonSource(ComparisonCache(), plain_view({"a": {"lr": (1.000000001,)}, "b": {"lr": (1.000000002,)}}))
    assert source.head("lr").width == WIDTH
    ((_, cells), *_rest) = list(source.cells(("lr",), ("a", "b")))[::-1]
    texts = {run: "".join(text for text, _ in cell) for run, cell in cells.items()}
    assert {run: text.strip() for run, text in texts.items()} == {"a": "1.000000001", "b": "1.000000002"}
    assert source.head("lr").width == max(map(len, texts.values()))


def test_detail_line_counts_superseded_points() -> None:
    detail = replace(read_detail(plain_view(RUNS), "adam", "loss"), superseded=1200)
    for width in (90, 40, 30):
        assert "".join(text for text, _ in build_detail_lines(detail, width)[0]) == "adam   loss   1,200 superseded"


@pytest.mark.parametrize(("figure", "bold"), [("best", "2"), ("last", "2"), ("min", "1"), ("max", "3")])
def test_unknown_direction_has_no_star_and_no_good_difference(figure: str, bold: str) -> None:
    shown = plain_view({"a": {"lr": (3.0, 1.0, 2.0)}, "b": {"lr": (9.0,)}}, baseline="b", figure=figure)
    pieces = build_detail_lines(read_detail(shown, "a", "lr"), 90)[1]
    assert "".join(text for text, _ in pieces).startswith("last 2 @ 2   min 1 @ 1   max 3 @ 0   Δ -")
    assert [text for text, ink in pieces if ink == Ink.BOLD] == [bold]
    assert not {Ink.GOOD, Ink.BAD} & {ink for _, ink in pieces}


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (60, "sweep_lr1e-3_seed0   loss/validation"),
        (30, "sweep_…_seed0   loss/va…dation"),
        (20, "swee…ed0   loss…tion"),
        (2, ""),
    ],
)
def test_names_share_the_width_of_their_line(width: int, told: str) -> None:
    shown = plain_view({"sweep_lr1e-3_seed0": {"loss/validation": FALLING}})
    pieces = build_detail_lines(read_detail(shown, "sweep_lr1e-3_seed0", "loss/validation"), width)[0]
    assert "".join(text for text, _ in pieces).strip() == told


@pytest.mark.parametrize(
    ("settings", "tags", "told"),
    [
        ({}, 33, "last of 33 tags"),
        ({"figure": "best"}, 1, "best of 1 tag"),
        ({"figure": "min", "skip_steps": 1000}, 5000, "min of 5,000 tags · from step 1,000 on"),
        ({"baseline": "adam"}, 2, "last of 2 tags · Δ to adam"),
        ({"baseline": "adam", "deltas": False}, 2, "last of 2 tags · baseline adam"),
        ({"baseline": "gone"}, 2, "last of 2 tags · Δ to gone (gone)"),
        ({"sort_tag": "loss"}, 2, "last of 2 tags · sorted by loss ▲"),
        ({"sort_tag": "x" * 99, "sort_descending": True}, 2, "last of 2 tags · sorted by xxxxxxxxxxxx…xxxxxxxxxxx ▼"),
    ],
)
def test_table_status_describes_the_table(settings: dict[str, object], tags: int, told: str) -> None:
    assert format_status(plain_view(RUNS, **settings), tags, 96) == told


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (96, "last of 2 tags · from step 9 on · Δ to yyyyyyyy…yyyyyyyy (gone) · sorted by loss/val…tion/top ▲"),
        (70, "last of 2 tags · from step 9 on · sorted by loss/validation/top ▲"),
        (59, "last of 2 tags · from step 9 on · sorted by loss/v…on/top ▲"),
        (56, "last of 2 tags · sorted by loss/validation/top ▲"),
        (41, "last of 2 tags · sorted by loss/v…n/top ▲"),
        (40, "last of 2 tags"),
        (5, "last of 2 tags"),
    ],
)
def test_status_narrow_cuts_names_then_drops_parts(width: int, told: str) -> None:
    shown = plain_view(RUNS, baseline="y" * 99, sort_tag="loss/validation/top", skip_steps=9)
    assert format_status(shown, 2, width) == told


def test_status_restarted_run_describes_current_points() -> None:
    made = run_of(series("loss", (9, 0, 4, 6), steps=(0, 10, 5, 6)))
    names, figures = build_detail_lines(read_detail(view(made), "a", "loss"), 90)
    assert "".join(text for text, _ in figures) == "last 6 @ 6   min ★ 4 @ 5   max 9 @ 0"
    assert "".join(text for text, _ in names).endswith("loss   1 superseded")
