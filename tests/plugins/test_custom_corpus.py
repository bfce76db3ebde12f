"""Each layout of the corpus against TensorBoard's answer, or against the sentence that says why that is wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tbtui.plugins.custom_scalars.arrangement import NO_TITLE
from tbtui.plugins.custom_scalars.layout import Layout, merge_layouts, read_layout_text
from tbtui.plugins.scalars.chart import NoPointsError, ScalarData
from tests.helpers.custom_corpus import CASES, ArrangementCache, case_arrangement, case_view, expected_answers

Place = tuple[str, str, str]

OTHER_TAGS: dict[Place, tuple[set[str], str]] = {
    ("edge", "good", ""): ({"a"}, "a name that is a tag means that tag: TensorBoard also takes ab"),
    ("edge", "bad", "one of three is bad"): ({"a", "c"}, "one bad pattern silences TensorBoard's whole chart"),
    ("torch", "losses", "special"): (
        {"acc(top1)", "acc+ema", "f1[macro]"},
        "PyTorch's users write tags, which as patterns match nothing in TensorBoard",
    ),
}
"""Charts whose tags differ from TensorBoard's, with the reason."""

OTHER_LAYOUTS = {
    "damaged": "one layout that cannot be decoded ends TensorBoard's dashboard",
    "later_layout": "each short call writes a whole layout, of which TensorBoard keeps the last alone",
    "tbx": "each short call writes a whole layout, of which TensorBoard keeps the last alone",
    "merge3": "TensorBoard loses what a third run adds to a category of the second",
}
"""Cases whose merged layout differs from TensorBoard's, with the reason."""


def chart_names(case: str) -> list[tuple[str, str]]:
    return [(each.title, chart.chart.title) for each in case_arrangement(case).categories for chart in each.charts]


def merged_layout(case: str) -> Layout:
    return merge_layouts([source.layout for source in case_arrangement(case).sources])


@pytest.mark.parametrize("case", [case for case in CASES if case not in OTHER_LAYOUTS])
def test_merged_layout_equals_that_of_tensorboard(case: str) -> None:
    answer = expected_answers()[case]["layout"]
    expected = read_layout_text(json.dumps({"category": answer["category"]}))
    assert merged_layout(case) == expected


def test_three_short_calls_of_one_run_leave_three_charts() -> None:
    assert chart_names("tbx") == [("first", "one"), ("second", "two"), ("default", "untitled")]


def test_later_layout_of_one_file_is_merged_with_the_first() -> None:
    assert chart_names("later_layout") == [
        ("shared", "same"),
        ("shared", "other"),
        ("shared", "other"),
        ("only one", "x"),
        ("only two", "y"),
    ]


def test_third_run_adds_a_chart_to_a_category_of_the_second() -> None:
    assert chart_names("merge3") == [("first", "p"), ("second", "q"), ("second", "added by the third")]


def test_unreadable_layout_has_a_card_and_leaves_the_others() -> None:
    assert chart_names("damaged") == [
        ("shared", "same"),
        ("shared", "other"),
        ("only one", "x"),
        ("unreadable layouts", "layout of broken"),
    ]
    arrangement = case_arrangement("damaged")
    view, data = case_view("damaged"), ScalarData(cards=ArrangementCache())
    with pytest.raises(NoPointsError, match="layout at step 0 cannot be read: its bytes are no layout"):
        data.chart(view, arrangement.cards.keys[-1])


@pytest.mark.parametrize("case", CASES)
def test_multiline_charts_select_the_tags_of_tensorboard(case: str) -> None:
    answers = [chart for chart in expected_answers()[case]["charts"] if chart.get("kind") == "multiline"]
    charts = {
        (category.title.replace(NO_TITLE, ""), chart.chart): chart
        for category in case_arrangement(case).categories
        for chart in category.charts
    }
    for answer in answers:
        expected = {tag for run in answer["runs"].values() for tag in run["tags"]}
        place = case, answer["category"], answer["title"]
        if place in OTHER_TAGS:
            expected, _ = OTHER_TAGS[place]
        found = [
            set(chart.card.tags)
            for (category, _), chart in charts.items()
            if (category, chart.chart.title) == place[1:] and chart.chart.kind == "multiline"
        ]
        # A chart that TensorBoard has may stand beside one that only tbtui keeps.
        assert expected in found, place


@pytest.mark.parametrize("case", [case for case in CASES if case not in {"damaged", "no_scalars"}])
def test_lines_have_the_points_of_tensorboard(case: str) -> None:
    view, cache = case_view(case, superseded=True), ArrangementCache()
    data, by_title = ScalarData(cards=cache), {}
    for category in cache.get_arrangement(view).categories:
        for chart in category.charts:
            by_title.setdefault((category.title, chart.chart.title, chart.chart.kind), chart)
    for answer in expected_answers()[case]["charts"]:
        found = by_title.get((answer["category"] or NO_TITLE, answer["title"], answer.get("kind")))
        lines = drawn_lines(data, view, found.card.key) if found is not None else {}
        for run, series in answer.get("runs", {}).items():
            for tag, points in series["tags"].items():
                if (run, tag) in lines:
                    values = lines[run, tag]
                    assert len(values) == points["n"]
                    assert np.float32(values[-1]) == np.float32(points["last"])


def drawn_lines(data: ScalarData, view: Any, key: str) -> dict[tuple[str, str], Any]:
    try:
        lines = data.chart(view, key).lines
    except NoPointsError:
        return {}
    return {(line.key.run, line.key.tag): line.values for line in lines}


def notes_of(data: ScalarData, view: Any, key: str) -> tuple[str, ...]:
    """Return the notes of a chart, or the sentence in its place."""
    try:
        return data.chart(view, key).notes
    except NoPointsError as error:
        return (str(error),)


NOTES = {
    ("good", "no match"): "no tag matches 'zzz'",
    ("good", "case"): "no tag matches 'A'",
    ("bad", "bad alone"): "'a(' is neither a tag nor a pattern: missing )",
    ("bad", "one of three is bad"): "'b[' is neither a tag nor a pattern: missing ]",
    ("bad", "no patterns"): "the layout names no tags for this chart",
    ("bad", "empty pattern"): "an empty name selects nothing",
    ("bad", "no content"): "the layout gives this chart no content",
    ("bad", "no series"): "the layout gives this margin chart no series",
    ("bad", "empty names"): "no lower bound: upper bound alone",
}


def test_every_odd_chart_says_what_is_wrong_on_its_card() -> None:
    view, cache = case_view("edge"), ArrangementCache()
    data = ScalarData(cards=cache)
    found = {}
    for category in cache.get_arrangement(view).categories:
        for chart in category.charts:
            notes = notes_of(data, view, chart.card.key)
            if notes and chart.has_problem:
                found[category.title, chart.chart.title] = "; ".join(notes)
    assert found == NOTES


def test_bands_of_the_corpus_say_what_they_lack() -> None:
    view, cache = case_view("torch"), ArrangementCache()
    data = ScalarData(cards=cache)
    (bands,) = (each for each in cache.get_arrangement(view).categories if each.title == "bands")
    assert {chart.chart.title: notes_of(data, view, chart.card.key) for chart in bands.charts} == {
        "acc ± std": (),
        "missing upper": ("no 'acc_nowhere': lower bound alone",),
        "all missing": ("no 'x', 'y' or 'z'",),
        "other steps": ("bounds interpolated at 8 points", "no bounds at 2 points"),
        "crossed and NaN": (
            "bounds crossed at 18 points",
            "no bounds at 2 points",
        ),
    }


def test_layout_without_scalars_names_what_it_waits_for() -> None:
    view, cache = case_view("no_scalars"), ArrangementCache()
    with pytest.raises(NoPointsError, match="no tag matches 'a'"):
        ScalarData(cards=cache).chart(view, cache.of(view).keys[0])
