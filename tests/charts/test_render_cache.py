"""Pictures that are kept are those that would be drawn, and of each chart there are few."""

from __future__ import annotations

import gc
import weakref

from tbtui.charts.card import MAX_SIZES, RenderCache


class Chart:
    """Whatever is drawn."""


class Drawer:
    """Counts what is drawn."""

    def __init__(self) -> None:
        self.kept: RenderCache[Chart, str] = RenderCache()
        self.drawn: list[str] = []

    def picture(self, chart: Chart, width: int, asked: object = None) -> str:
        def draw() -> str:
            self.drawn.append(f"{width} {asked}")
            return self.drawn[-1]

        return self.kept.picture(chart, width, 9, asked, draw)


def test_what_was_drawn_is_drawn_again_only_for_another_wish() -> None:
    drawer, chart = Drawer(), Chart()
    asked = ["a", "a", "b", "b", "a"]
    assert [drawer.picture(chart, 1, each) for each in asked] == [f"1 {each}" for each in asked]
    assert drawer.drawn == ["1 a", "1 b", "1 a"]
    drawer.picture(Chart(), 1, "a")
    assert len(drawer.drawn) == 4


def test_the_size_that_was_not_asked_for_longest_is_given_up() -> None:
    drawer, chart = Drawer(), Chart()
    for width in (*range(MAX_SIZES), 0, MAX_SIZES):  # the last one in place of 1: 0 was asked for again
        drawer.picture(chart, width)
    before = len(drawer.drawn)
    drawer.picture(chart, 0)
    assert len(drawer.drawn) == before
    drawer.picture(chart, 1)
    assert len(drawer.drawn) == before + 1


def test_a_chart_that_is_gone_is_kept_no_longer() -> None:
    drawer, chart = Drawer(), Chart()
    drawer.picture(chart, 1)
    gone = weakref.ref(chart)
    del chart
    gc.collect()
    assert gone() is None
