"""Layouts of custom scalars: both JSON forms, their errors, and merging."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.custom_scalars import layout as layouts
from tbtui.plugins.custom_scalars.layout import (
    BandTags,
    Category,
    Layout,
    LayoutChart,
    LayoutError,
    merge_layouts,
    read_layout_text,
)

LINES = LayoutChart("lines", "multiline", ("loss/train", "loss/val"))
BAND = LayoutChart("band", "margin", bands=(BandTags("a", "lo", "hi"),))
EMPTY = LayoutChart("empty", "empty")

names = st.text(max_size=4)
charts = st.one_of(
    st.builds(LayoutChart, names, st.just("multiline"), st.lists(names, max_size=3).map(tuple)),
    st.builds(
        LayoutChart,
        names,
        st.just("margin"),
        bands=st.lists(st.builds(BandTags, names, names, names), max_size=2).map(tuple),
    ),
    st.builds(LayoutChart, names, st.just("empty")),
)
categories = st.builds(Category, names, st.lists(charts, max_size=3).map(tuple), st.booleans())
all_layouts = st.builds(Layout, st.lists(categories, max_size=3).map(tuple))


@given(all_layouts)
def test_layout_written_as_json_reads_back(layout: Layout) -> None:
    assert read_layout_text(layout.to_json()) == layout


def test_simple_layout_is_written_in_the_form_of_pytorch() -> None:
    document = json.loads(Layout((Category("losses", (LINES, BAND)),)).to_json())
    assert document == {
        "losses": {"lines": ["Multiline", ["loss/train", "loss/val"]], "band": ["Margin", ["a", "lo", "hi"]]}
    }


def test_json_with_a_title_twice_keeps_both_charts() -> None:
    text = '{"c": {"t": ["Multiline", ["a"]], "t": ["Multiline", ["b"]]}, "c": {"t": ["Multiline", ["a"]]}}'
    layout = read_layout_text(text)
    assert [category.title for category in layout.categories] == ["c", "c"]
    assert [chart.tags for chart in layout.charts] == [("a",), ("b",), ("a",)]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ([], "it must be an object of categories"),
        ({"c": []}, "category 'c' must be an object of charts"),
        ({"c": {"t": "loss"}}, "chart 'c/t' must be"),
        ({"c": {"t": ["Line", ["a"]]}}, "chart 'c/t' is a 'Line'"),
        ({"c": {"t": ["Multiline", "a"]}}, "tags of chart 'c/t' must be a list"),
        ({"c": {"t": ["Multiline", [1]]}}, "each of the tags of chart 'c/t' must be a text"),
        ({"c": {"t": ["Margin", ["a", "b"]]}}, "chart 'c/t' has 2 tags; a margin chart has three"),
        ({"category": [{"titel": "c"}]}, "category has the unknown field 'titel'; known are chart, closed, title"),
        ({"category": [{"title": "c", "closed": 1}]}, "closed of category 'c' must be true or false"),
        ({"category": [{"chart": [{"multiline": {}, "margin": {}}]}]}, "is both multiline and margin"),
    ],
)
def test_json_that_is_no_layout_is_refused_with_the_place(document: Any, reason: str) -> None:
    with pytest.raises(LayoutError, match=reason.replace("[", r"\[").replace("(", r"\(")):
        read_layout_text(json.dumps(document))


def test_text_that_is_no_json_is_refused_with_its_line() -> None:
    with pytest.raises(LayoutError, match="line 2, column 1: expecting"):
        read_layout_text('{"c":\n')


def test_deeply_nested_json_is_refused() -> None:
    with pytest.raises(LayoutError, match=r"nested too deeply|must be an object"):
        read_layout_text("[" * 100_000 + "]" * 100_000)


def test_layout_with_too_many_charts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "MAX_CHARTS", 2)
    with pytest.raises(LayoutError, match="it has 3 charts, more than 2"):
        read_layout_text(json.dumps({"c": {str(n): ["Multiline", ["a"]] for n in range(3)}}))


@given(all_layouts)
def test_merging_a_layout_with_itself_changes_nothing(layout: Layout) -> None:
    assert merge_layouts([layout, layout]) == layout


@given(st.lists(all_layouts, max_size=4))
def test_merged_layout_loses_no_chart(several: list[Layout]) -> None:
    merged = merge_layouts(several)
    expected = {
        (category.title, chart) for layout in several for category in layout.categories for chart in category.charts
    }
    assert {(category.title, chart) for category in merged.categories for chart in category.charts} == expected


def test_merged_category_is_closed_where_it_comes_first_as_closed() -> None:
    merged = merge_layouts([Layout((Category("c", (LINES,), True),)), Layout((Category("c", (BAND, LINES), False),))])
    assert merged == Layout((Category("c", (LINES, BAND), True),))


@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_a_layout_or_refused(data: bytes) -> None:
    with suppress(LayoutError):
        assert isinstance(layouts.parse_layout(data), Layout)
