"""The Custom tab: headings that fold, the list of charts in the sidebar, and layouts from and to files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from textual._context import active_message_pump

from tbtui.plugins.custom_scalars.layout import build_exact_pattern, build_scalars_layout, merge_in_scalars
from tbtui.plugins.custom_scalars.pane.pane import CustomPane
from tbtui.plugins.custom_scalars.settings import LAYOUT, TOGGLED
from tbtui.plugins.scalars.cards import CardCache
from tbtui.settings.kinds import MAX_LINES, TextFile
from tbtui.settings.persistence import SavedState, build_state_document, read_state
from tbtui.settings.settings import Settings, TagMerge
from tbtui.widgets.pane import Outline, OutlineRow
from tests.helpers.custom_corpus import case_snapshot
from tests.helpers.screen_text import screen_lines, screen_text, until
from tests.helpers.scripted_dashboard import FakeLoader, dashboard
from tests.helpers.snapshots import run, store
from tests.helpers.views import plain_view

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.app.app import Dashboard
    from tbtui.store.snapshot import StoreSnapshot

SIZE = (120, 40)
TWO_RUNS = store(run("a", {"loss/train": (3.0, 2.0), "loss/val": (4.0, 3.0)}), run("b", {"loss/train": (1.0, 2.0)}))


def app_of(snapshot: StoreSnapshot, **settings: Any) -> Dashboard:
    return dashboard(FakeLoader(snapshot), plugins=None, settings=Settings(tab="custom_scalars", **settings))


def with_layout(document: object, **settings: Any) -> dict[str, Any]:
    return {"plugin_settings": {LAYOUT: TextFile("mine.json", json.dumps(document))}, **settings}


def headings(app: Dashboard) -> list[str]:
    """Return the lines of headings, without rules."""
    lines = (line[24:].lstrip("▏▌│ ") for line in screen_lines(app))
    return [" ".join(line.replace("─", " ").split()) for line in lines if line.startswith(("▾ ", "▸ "))]


async def test_custom_tab_shows_charts_below_the_headings_of_their_categories() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "missing upper" in screen_text(app) and "⚠ no 'acc_nowhere'" in screen_text(app))
        assert headings(app) == ["▾ losses 4 charts", "▾ bands ⚠ 2 · 5 charts"]
        assert "3 Custom" in screen_text(app)


async def test_sidebar_lists_charts_in_the_order_of_the_layout() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "all missing" in screen_text(app))
        side = [line[:23].strip() for line in screen_lines(app)]
        words = [" ".join(line.split()) for line in side]
        first = words.index("▾ losses 4")
        assert words[first + 1 : first + 8] == [
            *("train and val", "by pattern", "prefix takes more", "special"),
            *("▾ bands 5", "acc ± std", "missing upper ⚠"),
        ]
        assert "/ charts…" in side


async def test_sidebar_lists_what_a_callback_of_the_parent_shows() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "all missing" in screen_text(app))
        pane = app.query_one(CustomPane)
        parent = pane.parent
        assert parent is not None
        token = active_message_pump.set(parent)
        try:
            pane.show_outline(Outline((OutlineRow("late", "late chart"),), ("late chart",), ("late chart",)))
        finally:
            active_message_pump.reset(token)
        await until(pilot, lambda: any("late chart" in line[:23] for line in screen_lines(app)))


async def test_space_folds_the_category_of_the_focused_card_and_keeps_it() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "train and val" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("space")
        await until(pilot, lambda: "▸ losses 4 charts" in headings(app))
        assert "│ by pattern" not in screen_text(app)
        document = json.loads(json.dumps(build_state_document(SavedState(settings=app.settings))))
        state = read_state(document, (TOGGLED,))
        assert TOGGLED.value(state.settings) == TOGGLED.value(app.settings) != frozenset()
        await pilot.press("enter")
        await until(pilot, lambda: "▾ losses 4 charts" in headings(app))


async def test_closed_category_is_folded_at_first() -> None:
    app = app_of(case_snapshot("edge"))
    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: "either" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("end")
        await until(pilot, lambda: "▸ closed 1 chart" in headings(app))
        assert "▾ no charts 0 charts" in headings(app)


async def test_group_of_the_sidebar_folds_and_a_chart_leads_to_its_card() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "all missing" in screen_text(app))
        app.query_one("TagList").focus()
        await pilot.press("space")
        await until(pilot, lambda: "▸ losses 4 charts" in headings(app))
        await pilot.press("end", "enter")
        await until(pilot, lambda: "CardGrid" in type(app.focused).__name__)
        pane = app.query_one(CustomPane)
        assert pane.shown is not None
        assert pane.shown.cards.title_of(pane.grid.focused_key or "") == "crossed and NaN"


async def test_filter_keeps_charts_whose_title_or_tag_matches() -> None:
    app = app_of(case_snapshot("torch"), tag_filter="^loss/val$|crossed")
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "crossed and NaN" in screen_text(app))
        assert headings(app) == ["▾ losses 2 charts", "▾ bands 1 chart"]
        assert "/ ^loss/val$|crossed" in screen_text(app)
        app.choose(tag_filter="nothing of that")
        await until(pilot, lambda: "no chart matches “nothing of that”" in screen_text(app))


async def test_opened_chart_says_below_it_what_it_lacks_and_n_skips_headings() -> None:
    app = app_of(case_snapshot("torch"), tag_filter="special|missing upper")
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "missing upper" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("enter")
        await until(pilot, lambda: "‹ special" in screen_text(app))
        await pilot.press("n")
        await until(pilot, lambda: "‹ missing upper" in screen_text(app))
        assert "⚠ no 'acc_nowhere': lower bound alone" in screen_text(app)
        await pilot.press("n")
        await pilot.pause()
        assert "‹ missing upper" in screen_text(app)


async def test_page_of_a_chart_lists_what_matches_and_where_the_layout_is_from() -> None:
    app = app_of(case_snapshot("tbx"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "untitled" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("i")
        await until(pilot, lambda: "layout of the log directory, step 0, 3 layouts merged" in screen_text(app))
        assert "'a': a tag" in screen_text(app)


async def test_layout_of_a_hidden_run_arranges_the_others() -> None:
    app = app_of(case_snapshot("elsewhere"), hidden_runs=frozenset({"layout"}))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "▾ only one 1 chart" in headings(app))
        assert "● train" in screen_text(app)


async def test_layout_file_gives_a_log_without_layouts_the_tab() -> None:
    app = app_of(TWO_RUNS, **with_layout({"mine": {"both": ["Multiline", ["loss/.*", "acc"]]}}))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "⚠ no tag matches 'acc'" in screen_text(app))
        assert headings(app) == ["▾ mine ⚠ 1 · 1 chart"]
        app.query_one("CardGrid").focus()
        await pilot.press("i")
        await until(pilot, lambda: "arranged by the file mine.json" in screen_text(app))


async def test_layout_file_is_followed_while_it_changes_breaks_and_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"

    def write(title: str) -> str:
        path.write_text(json.dumps({title: {"both": ["Multiline", ["loss/.*"]]}}))
        return path.read_text()

    file = TextFile(str(path), write("first"))
    app = app_of(TWO_RUNS, plugin_settings={LAYOUT: file})
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: headings(app) == ["▾ first 1 chart"])
        write("second")
        await pilot.press("r")
        await until(pilot, lambda: headings(app) == ["▾ second 1 chart"])
        path.write_text('{"third": ')
        await pilot.press("r")
        await until(pilot, lambda: not app._text_files.is_reading)
        await pilot.press("r")
        await until(pilot, lambda: "unreadable layouts" in screen_text(app))
        assert headings(app) == ["▾ second 1 chart", "▾ unreadable layouts ⚠ 1 · 1 chart"]
        await pilot.press("exclamation_mark")
        await until(pilot, lambda: "1 unusable value, no damage" in screen_text(app))
        assert "  line 1, column 11: expecting value; its last good content is shown" in screen_text(app)
        await pilot.press("escape")
        write("fourth")
        await pilot.press("r")
        await until(pilot, lambda: headings(app) == ["▾ fourth 1 chart"])


async def test_damage_list_names_layouts_that_cannot_be_read() -> None:
    app = app_of(case_snapshot("damaged"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "unreadable layouts" in screen_text(app))
        await pilot.press("exclamation_mark")
        await until(pilot, lambda: "custom_scalars__config__" in screen_text(app))
        assert "the layout at step 0 cannot be read: its bytes are no layout" in screen_text(app)
        assert "1 unusable value, no damage" in screen_text(app)


async def test_capital_w_writes_a_layout_that_is_read_again(tmp_path: Path) -> None:
    document = {"mine": {"both": ["Multiline", ["loss/.*"]]}}
    app = app_of(TWO_RUNS, **with_layout(document))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "both" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("W")
        await until(pilot, lambda: "write a layout of 1 chart" in screen_text(app))
        await pilot.press("ctrl+u", *(str(tmp_path / "out.json")), "enter")
        await until(pilot, (tmp_path / "out.json").exists)
    assert json.loads((tmp_path / "out.json").read_text()) == document


async def test_capital_m_merges_the_tags_of_the_category_in_scalars() -> None:
    document = {"mine": {"both": ["Multiline", ["loss/.*"]], "one": ["Multiline", ["loss/val"]]}}
    app = app_of(TWO_RUNS, **with_layout(document))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "both" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("M")
        await until(pilot, lambda: app.settings.joints)
        assert [each.message for each in app._notifications] == ["1 chart of several tags merged in Scalars"]
    assert app.settings.joints == (TagMerge(tags=("loss/train", "loss/val")),)


async def test_pinned_chart_stands_before_all_categories() -> None:
    app = app_of(case_snapshot("torch"))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "train and val" in screen_text(app))
        app.query_one("CardGrid").focus()
        await pilot.press("right", "p")
        await until(pilot, lambda: headings(app)[:2] == ["▾ pinned 1 chart", "▾ losses 3 charts"])


def test_layout_of_pinned_and_merged_charts_selects_their_tags_alone() -> None:
    values = dict.fromkeys(("acc(top1)", "loss", "loss/train", "loss/val"), (1.0, 2.0))
    view = plain_view({"a": values}, pinned=("loss", "gone"), joints=(TagMerge(tags=("loss/train", "acc(top1)")),))
    layout = build_scalars_layout(CardCache().of(view), view.settings.pinned, tuple(values))
    assert [(category.title, [chart.tags for chart in category.charts]) for category in layout.categories] == [
        ("pinned", [("loss$",)]),
        ("merged", [(r"acc\(top1\)$", "loss/train")]),
    ]


@pytest.mark.parametrize(
    ("tag", "pattern"), [("loss", "loss$"), ("acc", "acc"), ("acc+ema", r"acc\+ema$"), ("lr.0", r"lr\.0$")]
)
def test_pattern_of_a_tag_selects_no_other_tag(tag: str, pattern: str) -> None:
    assert build_exact_pattern(tag, ("loss", "loss/val", "acc", "acc+ema")[: 2 if tag == "acc" else 4]) == pattern


def test_merging_charts_in_scalars_keeps_what_is_merged_and_the_bound() -> None:
    settings = Settings(joints=(TagMerge(pattern="x"),))
    merged = merge_in_scalars(settings, [("a", "b"), ("c",), ("a", "b")])
    assert merged.joints == (TagMerge(pattern="x"), TagMerge(tags=("a", "b")))
    assert len(merge_in_scalars(settings, [(str(n), "b") for n in range(99)]).joints) == MAX_LINES
