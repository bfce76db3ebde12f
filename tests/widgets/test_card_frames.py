"""Cache and order of painted card frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.charts.card import draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.view.painted_cards import CardRequest, PaintedCard
from tbtui.widgets.card_frames import Frame, FrameCache, ShownFrames

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


class Painter:
    """Counts what it paints; a look that is an error cannot be had."""

    def __init__(self, looks: dict[str, Hashable]) -> None:
        self.looks = looks
        self.painted: list[str] = []

    def paint_key(self, key: str) -> Hashable:
        look = self.looks[key]
        if isinstance(look, Exception):
            raise look
        return look

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        self.painted.append(key)
        return PaintedCard(Cells.blank(height, width))

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        return Cells.blank(height, width)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        return draw_card(str(error), Cells.blank(0, 0), width, height)


def card(key: str = "a", width: int = 20, height: int = 5, *, focused: bool = False) -> CardRequest:
    return CardRequest(key, width, height, focused)


class Foreseeing(Painter):
    """Notes what it is told of before it paints."""

    def __init__(self, looks: dict[str, Hashable]) -> None:
        super().__init__(looks)
        self.foreseen: list[list[str]] = []

    def prefetch(self, cards: Sequence[CardRequest]) -> None:
        self.foreseen.append([card.key for card in cards])


def test_painter_prefetches_exactly_the_cards_to_be_painted() -> None:
    painter, cache = Foreseeing({"a": 1, "b": 1, "c": 1, "d": RuntimeError("no luck")}), FrameCache()
    list(cache.frames(painter, [card("b")]))
    assert painter.foreseen == []  # one alone is painted at once
    frames = cache.frames(painter, [card("c"), card("b"), card("d"), card("a")])
    next(frames)
    assert painter.foreseen == [["c", "a"]]
    assert [frame.request.key for frame in frames] == ["b", "d", "a"]


def test_equal_looks_are_painted_once() -> None:
    cache, painter = FrameCache(), Painter({"a": 1, "b": 1})
    first = list(cache.frames(painter, [card("a"), card("b")]))
    second = list(cache.frames(painter, [card("a"), card("b")]))
    assert painter.painted == ["a", "b"]
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert cache.painted == 2


@pytest.mark.parametrize("other", [card(width=21), card(height=6), card(focused=True)])
def test_another_size_or_focus_is_another_frame(other: CardRequest) -> None:
    cache, painter = FrameCache(), Painter({"a": 1})
    assert [frame.request for frame in cache.frames(painter, [card(), other, card()])] == [card(), other, card()]
    assert len(painter.painted) == 2


def test_another_look_is_painted_and_the_former_is_still_there() -> None:
    cache, painter = FrameCache(), Painter({"a": 1})
    for look in (1, 2, 1, 2):
        painter.looks["a"] = look
        list(cache.frames(painter, [card()]))
    assert len(painter.painted) == 2


def test_frames_longest_unseen_are_forgotten() -> None:
    cache, painter = FrameCache(max_frames=2), Painter(dict.fromkeys("abc", 1))
    for key in ("a", "b", "a", "c", "a", "b"):
        list(cache.frames(painter, [card(key)]))
    assert painter.painted == ["a", "b", "c", "b"]


def test_an_error_is_a_frame_and_is_tried_again() -> None:
    cache, painter = FrameCache(), Painter({"a": ValueError("no luck"), "b": 1})
    broken, fine = cache.frames(painter, [card("a"), card("b")])
    assert "no luck" in broken.card.cells.text()
    assert fine.request.key == "b"
    painter.looks["a"] = 1
    assert "no luck" not in next(cache.frames(painter, [card("a")])).card.cells.text()


def framed(*, focused: bool) -> Frame:
    return Frame(card(focused=focused), 1, PaintedCard(draw_card("a", Cells.blank(3, 18), 20, 5, focused=focused)))


@pytest.mark.parametrize("focused", [True, False])
def test_the_border_answers_a_moved_focus_as_the_painted_frame_will(focused: bool) -> None:
    shown = framed(focused=not focused).draw_focus(focused=focused)
    assert (shown.inks == framed(focused=focused).card.cells.inks).all()
    assert (shown.glyphs == framed(focused=focused).card.cells.glyphs).all()


def test_what_is_inside_the_border_keeps_its_inks() -> None:
    body = Cells.blank(3, 18)
    body.inks[:] = Ink.ACCENT
    frame = Frame(card(focused=True), 1, PaintedCard(draw_card("a", body, 20, 5, focused=True)))
    assert (frame.draw_focus(focused=False).inks[1:-1, 1:-1] == Ink.ACCENT).all()


def test_a_frame_of_another_size_is_not_shown() -> None:
    shown = ShownFrames()
    shown.add(framed(focused=False))
    assert shown.of(card()) is not None
    assert shown.of(card(focused=True)) is not None
    assert shown.of(card(width=30)) is None
    assert shown.of(card("b")) is None
    shown.discard_others({"b"})
    assert shown.of(card()) is None


def test_urgency_is_missing_then_focus_then_age() -> None:
    shown = ShownFrames()
    for key in ("old", "young"):
        shown.add(Frame(card(key), 1, PaintedCard(Cells.blank(5, 20))))
    wanted = [card("young"), card("old"), card("young", focused=True), card("missing")]
    assert sorted(wanted, key=shown.urgency) == [wanted[3], wanted[2], wanted[1], wanted[0]]


def test_frames_of_cards_longest_not_painted_are_forgotten() -> None:
    shown = ShownFrames(max_frames=2)
    for key in ("a", "b", "a", "c"):
        shown.add(Frame(card(key), 1, PaintedCard(Cells.blank(5, 20))))
    assert [shown.of(card(key)) is not None for key in "abc"] == [True, False, True]
