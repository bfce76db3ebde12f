"""The Scalars tab, driven by keys over synthetic views."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.scalars.pane.pane import ScalarsPane
from tbtui.widgets import worker as worker_module
from tests.helpers.pane_app import PaneAlone
from tests.helpers.screen_text import screen_text
from tests.helpers.snapshots import run
from tests.helpers.views import FALLING, plain_view, run_of, series, view

if TYPE_CHECKING:
    from tbtui.view.view import View
    from tbtui.widgets.card_grid import CardGrid

TAGS = ("acc", "loss/train", "loss/val", "lr")
TITLES = ("acc", "train", "val", "lr")
"""Titles of the cards of `TAGS`: those of `loss` are below its heading."""


class Shown(PaneAlone):
    """The pane alone."""

    def __init__(self) -> None:
        super().__init__(ScalarsPane())


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def shown(**settings: Any) -> View:
    return plain_view({name: dict.fromkeys(TAGS, FALLING) for name in ("a", "b")}, **settings)


async def test_scalars_pane_before_the_first_view_shows_reading() -> None:
    app = Shown()
    async with app.run_test(size=(60, 20)):
        assert "reading the logs" in screen_text(app)
        assert app.pane.status() == ""


async def test_scalars_pane_view_before_mount_is_shown() -> None:
    app = Shown()
    app.pane.show(shown())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert all(f"╭ {title} ─" in screen_text(app) for title in TITLES)


async def test_scalars_pane_has_one_card_per_tag() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.pause()
        assert app.grid.keys == TAGS
        assert all(f"╭ {title} ─" in screen_text(app) for title in TITLES)
        assert app.pane.status() == "smooth .60 · x step"


async def test_scalars_pane_without_cards_shows_a_reason_until_they_return() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.press("right")
        app.pane.show(shown(hidden_groups=frozenset({"loss", "lr", "acc"})))
        await pilot.pause()
        assert [group for group in ("acc", "loss", "lr") if f"▸ {group} ─" in screen_text(app)] == ["acc", "loss", "lr"]
        assert "╭" not in screen_text(app)
        app.pane.show(shown())
        await pilot.pause()
        assert app.grid.focused_key == "loss/train"
        assert "▸" not in screen_text(app)


async def test_scalars_pane_enter_opens_a_card_and_escape_returns() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.press("right", "enter")
        await pilot.pause()
        text = screen_text(app)
        assert text.splitlines()[0].split() == ["‹", "loss/train", "smooth", ".60", "·", "x", "step", "esc", "back"]
        assert text.count("●") == 2
        assert "╭" not in text
        assert app.pane.status() == "smooth .60 · x step"
        await pilot.press("escape")
        await pilot.pause()
        assert app.grid.focused_key == "loss/train"
        assert "╭ train" in screen_text(app)
        assert app.focused is app.grid


async def test_scalars_pane_n_opens_neighbouring_cards() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.press("enter", "n", "n", "N")
        await pilot.pause()
        assert "‹ loss/train" in screen_text(app)
        await pilot.press("n", "n", "n", "escape")
        await pilot.pause()
        assert app.grid.focused_key == "lr"


async def test_scalars_pane_opened_card_follows_the_view() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.press("enter")
        app.pane.show(view(run_of(series("acc", (*FALLING, 123.5), revision=2))))
        await pilot.pause()
        assert "123.5" in screen_text(app)
        assert app.chart.key == "acc"


async def test_scalars_pane_opened_card_without_runs_is_reported() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.press("enter")
        app.pane.show(view(run("a", {"other": FALLING}, revision=2)))
        await pilot.pause()
        assert "no visible run has a value of this tag" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "╭ other" in screen_text(app)


async def test_scalars_pane_reveal_scrolls_to_a_card_or_switches_the_opened() -> None:
    app = Shown()
    async with app.run_test(size=(45, 12)) as pilot:
        app.pane.show(shown())
        app.pane.reveal("loss/val")
        await pilot.pause()
        assert app.grid.keys_in_sight == ("loss/val",)
        app.pane.reveal("unheard of")
        assert app.grid.focused_key == "loss/val"
        await pilot.press("enter")
        app.pane.reveal("lr")
        await pilot.pause()
        assert "‹ lr" in screen_text(app)


async def test_scalars_pane_live_value_repaints_few_cells_of_its_card() -> None:
    values = tuple(1 - index / 500 for index in range(399))
    other = run("b", {"other": values})
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(view(run_of(series("loss", values)), other))
        await pilot.pause()
        cells = 0

        def count(*regions: Any, **_: Any) -> CardGrid:
            nonlocal cells
            cells += sum(region.width * region.height for region in regions) if regions else 10_000
            return app.grid

        app.grid.refresh = count  # type: ignore[method-assign]
        app.pane.show(view(run_of(series("loss", (*values, 0.201), revision=2)), other))
        await pilot.pause()
        assert 0 < cells < 30


async def test_scalars_pane_unchanged_view_repaints_nothing() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.pause()
        painted = app.grid.cache.painted
        app.pane.show(replace(shown(), tag_matches=lambda tag: True))
        await pilot.pause()
        assert app.grid.cache.painted == painted == len(TAGS)


async def test_scalars_pane_five_thousand_tags_paint_only_visible_cards() -> None:
    app = Shown()
    async with app.run_test(size=(120, 40)) as pilot:
        app.pane.show(plain_view({"a": {f"layer{index}/norm": (1.0, 2.0) for index in range(5000)}}))
        await pilot.pause()
        assert len(app.grid.keys) == 5000
        assert app.grid.cache.painted == len(app.grid.keys_in_sight) == 6


async def test_scalars_pane_slow_work_shows_outlines_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await app.pane.idle()
        await pilot.pause()
        assert all(f"╭ {title} ─" in screen_text(app) for title in TITLES)
        assert "⠉" in screen_text(app) or "⠒" in screen_text(app)


async def test_scalars_pane_results_appear_without_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        while app.grid.keys != TAGS or app.grid.cache.painted < len(TAGS):
            await pilot.pause()
        await pilot.pause()
        assert screen_text(app).count("╭") == len(TAGS)


async def test_scalars_pane_listing_error_is_shown_until_the_next_view(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:

        def fail(tag: str) -> bool:
            raise RuntimeError("out of luck")

        app.pane.show(replace(shown(), tag_matches=fail))
        await pilot.pause()
        assert "the charts cannot be listed" in screen_text(app)
        assert "out of luck" in screen_text(app)
        app.pane.show(shown())
        await pilot.pause()
        assert "╭ acc" in screen_text(app)


async def test_scalars_pane_thread_ends_with_the_pane() -> None:
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(shown())
        await pilot.pause()
        assert any(thread.name == "tbtui-worker" for thread in threading.enumerate())
    assert not any(thread.name == "tbtui-worker" for thread in threading.enumerate())


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (45, 45), (1, 1), (300, 90)])
async def test_scalars_pane_draws_any_size(size: tuple[int, int]) -> None:
    app = Shown()
    async with app.run_test(size=size) as pilot:
        app.pane.show(shown())
        await pilot.press("pagedown", "enter", "down", "right", "escape", "G")
        await pilot.pause()
        assert app.grid.focused_key == "lr"


async def test_scalars_pane_markup_and_escapes_in_tags_are_literal() -> None:
    evil = "[bold red]x[/] \x1b[2J\x1b]0;owned\x07\u202e"
    app = Shown()
    async with app.run_test(size=(100, 30)) as pilot:
        app.pane.show(plain_view({evil: {evil: FALLING, "y" * 4000: FALLING}}, tag_filter=""))
        await pilot.press("enter", "escape")
        await pilot.pause()
        text = screen_text(app)
        assert "[bold red]x[/]" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
        for key, said in (("e", "chart [bold red]x[/]"), ("i", "about [bold red]x[/]"), ("w", "write the data of")):
            await pilot.press(key)
            await app.pane.idle()
            await pilot.pause()
            text = screen_text(app)
            assert f" {said}" in text
            assert not {"\x1b", "\x07", "\u202e"} & set(text)
            await pilot.press("escape")
