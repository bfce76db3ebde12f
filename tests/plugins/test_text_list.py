"""The list of texts: tags, runs and steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.charts.styled_text import row_pieces
from tbtui.plugins.text.pane.list_model import TextKey, TextLister, build_series_key, format_text_title, point_key
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.text.pane.list_model import TextListing


@pytest.fixture
def logs(tmp_path: Path) -> TextLogs:
    return TextLogs(tmp_path / "logs")


def shown(listed: TextListing, width: int = 39) -> list[str]:
    return ["".join(text for text, _ in row_pieces(row, width)).rstrip() for row in listed.rows]


def test_list_single_run_shows_steps_newest_first(logs: TextLogs) -> None:
    logs.add("run", {"notes/text_summary": {10: "a", 20: "b", 30: "c"}})
    assert shown(logs.listed()) == [
        " ● notes                      step 30 ▾",
        "   30                     09-21 14:13",
        "   20                     09-21 14:13",
        "   10                     09-21 14:13",
    ]


def test_list_many_runs_show_one_row_each(logs: TextLogs) -> None:
    for run in ("seed0", "seed1", "seed2"):
        logs.add(run, {"config": {0: "lr: 1"}})
    assert [row.split() for row in shown(logs.listed())] == [
        ["●", run, "step", "0"] for run in ("seed0", "seed1", "seed2")
    ]


def test_list_several_tags_have_headings(logs: TextLogs) -> None:
    logs.add("a", {"config": {0: "x"}, "notes": {1: "x", 2: "y"}})
    logs.add("b", {"config": {0: "x"}, "notes": {1: "x", 2: "y"}})
    assert shown(logs.listed()) == [
        " config                       2 texts",
        " ● a                           step 0",
        " ● b                           step 0",
        " notes                        4 texts",
        " ● a                           step 2 ▸",
        " ● b                           step 2 ▸",
    ]


def test_list_single_run_names_rows_by_tag(logs: TextLogs) -> None:
    logs.add("run", {"config": {0: "x"}, "notes": {1: "x"}})
    assert [row.split()[1] for row in shown(logs.listed())] == ["config", "notes"]


def test_list_fold_by_user_is_kept(logs: TextLogs) -> None:
    logs.add("a", {"notes": {1: "x", 2: "y"}})
    logs.add("b", {"notes": {1: "x", 2: "y"}})
    view = logs.view()
    rows = [row.split()[1] for row in shown(TextLister().list(view, {("b", "notes"): False}, None, 40))]
    assert rows == ["a", "b", "09-21", "09-21"]
    assert len(TextLister().list(view, {}, None, 40).rows) == 2


def test_list_marked_text_has_sign_when_folded(logs: TextLogs) -> None:
    logs.add("a", {"notes": {1: "x", 2: "y"}})
    marked = TextKey("a", "notes", 0)
    assert [row[0] for row in shown(logs.listed(marked=marked))] == [" ", " ", "◆"]
    folded = TextLister().list(logs.view(), {("a", "notes"): True}, marked, 40)
    assert [row[0] for row in shown(folded)] == ["◆"]


def test_list_superseded_texts_on_request(logs: TextLogs) -> None:
    logs.add("run", {"notes": {1: "a", 2: "b"}})
    logs.add("run", {"notes": {2: "c", 3: "d"}})
    assert [row.split()[0] for row in shown(logs.listed())[1:]] == ["3", "2", "1"]
    every = shown(logs.listed(superseded=True))[1:]
    assert [(row.split()[0], row.endswith("↻")) for row in every] == [
        ("3", False),
        ("2", False),
        ("2", True),
        ("1", False),
    ]


def test_list_long_names_stay_distinct(logs: TextLogs) -> None:
    for number in range(3):
        logs.add(f"a_very_long_name_of_a_run_with_seed_{number}_and_more", {"config": {0: "x"}})
    names = [row.split()[1] for row in shown(logs.listed(width=24), 24)]
    assert len(set(names)) == 3


def test_list_respects_filters(logs: TextLogs) -> None:
    logs.add("a", {"config": {0: "x"}, "notes": {1: "x"}})
    logs.add("b", {"config": {0: "x"}})
    assert logs.listed(tag_filter="notes").tags == 1
    assert list(logs.listed(run_filter="b").points) == [("b", "config")]
    assert logs.listed(hidden_runs=frozenset({"a", "b"})).rows == ()


def test_list_row_gives_its_text(logs: TextLogs) -> None:
    logs.add("run", {"notes": {1: "a", 2: "b", 3: "c"}})
    listed = logs.listed()
    newest = listed.at(listed.text_keys[build_series_key("run", "notes")])
    oldest = listed.at(listed.text_keys[point_key("run", "notes", 0)])
    assert newest is not None
    assert oldest is not None
    assert (newest.step, oldest.step) == (3, 1)
    assert listed.neighbour(newest, 1) == TextKey("run", "notes", 1)
    assert listed.neighbour(newest, -1) is None
    assert listed.neighbour(oldest, 1) is None


def test_list_still_finds_text_in_newer_view(logs: TextLogs) -> None:
    logs.add("run", {"notes": {1: "a", 2: "b"}})
    before = logs.listed()
    text = before.at(before.text_keys[build_series_key("run", "notes")])
    assert text is not None
    logs.add("run", {"notes": {3: "c"}})
    after = logs.listed()
    still = after.find(text)
    assert still is not None
    assert (still.step, still.identity) == (2, text.identity)
    assert logs.listed(run_filter="nothing").find(text) is None


def test_list_unchanged_rows_are_reused(logs: TextLogs) -> None:
    logs.add("a", {"notes": {1: "x", 2: "y"}})
    lister = TextLister()
    view = logs.view()
    first, second = (lister.list(view, {}, None, 40) for _ in range(2))
    assert first.rows[1] is second.rows[1]


@pytest.mark.parametrize(
    ("tag", "title"), [("config/text_summary", "config"), ("text_summary", "text_summary"), ("a/b", "a/b"), ("", "␣")]
)
def test_text_title_drops_suffix_of_writers(tag: str, title: str) -> None:
    assert format_text_title(tag) == title
