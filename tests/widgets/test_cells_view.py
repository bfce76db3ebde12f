"""A cells view repaints the changed cells only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App, ComposeResult
from textual.geometry import Region

from tbtui.charts.cells import Cells, Ink, colour_pairs, to_heat_inks
from tbtui.charts.text import cell_width, write
from tbtui.widgets.cells_view import CellsView, find_changed_spans

if TYPE_CHECKING:
    from rich.segment import Segment


def cells(*rows: str, ink: int = Ink.TEXT) -> Cells:
    picture = Cells.blank(len(rows), max(cell_width(row) for row in rows))
    for y, row in enumerate(rows):
        write(picture, y, 0, row, ink)
    return picture


def spans(old: Cells, new: Cells) -> list[tuple[int, int, int]]:
    return list(find_changed_spans(old, new))


def test_equal_pictures_differ_nowhere() -> None:
    assert spans(cells("abc", "def"), cells("abc", "def")) == []


def test_a_span_reaches_from_the_first_to_the_last_difference_of_its_row() -> None:
    assert spans(cells("abcdef", "abcdef"), cells("abcdef", "aXcdXf")) == [(1, 1, 5)]


def test_differences_far_apart_are_two_spans() -> None:
    assert spans(cells("a" + "-" * 20 + "b"), cells("A" + "-" * 20 + "B")) == [(0, 0, 1), (0, 21, 22)]


def test_another_ink_is_a_difference() -> None:
    new = cells("abc")
    new.inks[0, 2] = Ink.BAD
    assert spans(cells("abc"), new) == [(0, 2, 3)]


def test_a_span_does_not_end_within_a_wide_glyph() -> None:
    assert spans(cells("世 a"), cells("界 a")) == [(0, 0, 2)]
    assert spans(cells("世x"), cells("abx "[:3])) == [(0, 0, 2)]


def test_a_span_does_not_begin_within_a_wide_glyph() -> None:
    new = cells("世x")
    new.inks[0, 1] = Ink.BAD
    assert spans(cells("世x"), new) == [(0, 0, 2)]


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield CellsView()


async def test_put_refreshes_only_the_cells_that_changed() -> None:
    app = Shown()
    async with app.run_test(size=(12, 4)) as pilot:
        picture = app.query_one(CellsView)
        picture.clear(4, 12)
        picture.put(0, 0, cells("one", "two", "six"))
        await pilot.pause()
        refreshed: list[Region] = []
        picture.refresh = lambda *regions, **_: refreshed.extend(regions) or picture  # type: ignore[method-assign,assignment]
        picture.put(0, 0, cells("one", "twX", "six"))
        assert refreshed == [Region(2, 1, 1, 1)]
        assert picture.get_text().split() == ["one", "twX", "six"]


async def test_put_cuts_off_what_lies_outside() -> None:
    app = Shown()
    async with app.run_test(size=(4, 2)):
        picture = app.query_one(CellsView)
        picture.clear(2, 4)
        picture.put(1, 2, cells("abc", "def"))
        picture.put(5, 5, cells("never"))
        assert picture.get_text() == "    \n  ab"


def coloured(width: int, over: int = 0xFF0000) -> Cells:
    picture = Cells.blank(1, width, coloured=True)
    assert picture.colours is not None
    picture.glyphs[:] = ord("▀")
    picture.colours[:] = colour_pairs(over, 0x0000FF)
    return picture


def test_another_colour_is_a_difference() -> None:
    new = coloured(4)
    assert new.colours is not None
    new.colours[0, 2] = colour_pairs(0xFF0001, 0x0000FF)
    assert spans(coloured(4), new) == [(0, 2, 3)]
    assert spans(new, new) == []


def test_a_colour_where_there_was_none_is_a_difference() -> None:
    assert spans(cells("▀▀▀", ink=Ink.NONE), coloured(3)) == [(0, 0, 3)]
    assert spans(coloured(3), cells("▀▀▀", ink=Ink.NONE)) == [(0, 0, 3)]
    assert spans(cells("▀▀▀"), cells("▀▀▀")) == []


async def test_a_picture_in_colours_is_repainted_where_it_changed_and_goes_again() -> None:
    app = Shown()
    async with app.run_test(size=(6, 2)) as pilot:
        picture = app.query_one(CellsView)
        picture.clear(2, 6)
        picture.put(0, 0, cells("text"))
        picture.put(0, 1, coloured(2))
        assert [(segment.text, colours_of(segment)) for segment in picture.render_line(0)][1:2] == [
            ("▀▀", ("#ff0000", "#0000ff"))
        ]
        await pilot.pause()
        refreshed: list[Region] = []
        picture.refresh = lambda *regions, **_: refreshed.extend(regions) or picture  # type: ignore[method-assign,assignment]
        picture.put(0, 1, coloured(2))
        assert refreshed == []
        picture.put(0, 2, coloured(1, over=0x00FF00))
        picture.put(0, 1, cells("e"))
        assert refreshed == [Region(2, 0, 1, 1), Region(1, 0, 1, 1)]
        texts = [(segment.text, colours_of(segment)) for segment in picture.render_line(0)]
        assert [text for text, _ in texts] == ["te", "▀", "t  "]
        assert texts[1][1] == ("#00ff00", "#0000ff")


def colours_of(segment: Segment) -> tuple[str, str]:
    style = segment.style
    assert style is not None
    assert style.color is not None
    assert style.bgcolor is not None
    return style.color.get_truecolor().hex, style.bgcolor.get_truecolor().hex


async def test_rows_below_the_picture_are_blank() -> None:
    app = Shown()
    async with app.run_test(size=(4, 3)):
        picture = app.query_one(CellsView)
        picture.clear(1, 4)
        picture.put(0, 0, cells("abcd"))
        assert [picture.render_line(y).text for y in range(3)] == ["abcd", "    ", "    "]


async def test_marked_rows_are_set_off_and_alone_repainted() -> None:
    app = Shown()
    async with app.run_test(size=(12, 4)) as pilot:
        picture = app.query_one(CellsView)
        picture.clear(4, 12)
        picture.put(0, 0, cells("one", "two", "six"))
        picture.mark_rows([1])
        await pilot.pause()
        assert [set_off(picture, y) for y in range(4)] == [False, True, False, False]
        refreshed: list[int] = []
        picture.refresh = lambda *regions: refreshed.extend(r.y for r in regions)  # type: ignore[method-assign]
        picture.mark_rows(iter([1, 2]))
        assert refreshed == [2]
        assert [set_off(picture, y) for y in range(4)] == [False, True, True, False]
        picture.mark_rows([])
        assert sorted(refreshed) == [1, 2, 2]
        assert not any(set_off(picture, y) for y in range(4))


async def test_a_marked_row_is_one_reversed_piece_in_the_colours_of_the_terminal() -> None:
    app = Shown()
    app.theme = "ansi-dark"
    async with app.run_test(size=(12, 1)):
        picture = app.query_one(CellsView)
        picture.clear(1, 12)
        picture.put(0, 0, cells("abc", ink=Ink.BAD))
        picture.mark_rows([0])
        (segment,) = picture.render_line(0)
        assert segment.style is not None
        assert segment.style.reverse


async def test_areas_of_colour_are_glyphs_in_a_row_that_is_reversed() -> None:
    app = Shown()
    app.theme = "ansi-dark"
    async with app.run_test(size=(4, 1)):
        picture = app.query_one(CellsView)
        picture.clear(1, 4)
        coloured = cells("▀  x")
        coloured.inks[0, :3] = to_heat_inks([47, 20, 0], [47, 20, 0])
        picture.put(0, 0, coloured)
        picture.mark_rows([0])
        (segment,) = picture.render_line(0)
        assert segment.text == "█▒ x"


async def test_a_row_set_off_by_its_ground_keeps_its_areas_of_colour() -> None:
    app = Shown()
    async with app.run_test(size=(3, 1)):
        picture = app.query_one(CellsView)
        picture.clear(1, 3)
        coloured = cells("▀  ")
        coloured.inks[0] = [*to_heat_inks([9, 5], [5, 5]), Ink.NONE]
        picture.put(0, 0, coloured)
        before, last = picture.render_line(0)
        picture.mark_rows([0])
        marked, end = picture.render_line(0)
        assert (marked.text, end.text) == (before.text, last.text) == ("▀ ", " ")
        assert marked.style is not None
        assert before.style is not None
        assert marked.style.bgcolor == before.style.bgcolor
        assert end.style is not None
        assert last.style is not None
        assert end.style.bgcolor != last.style.bgcolor


def set_off(picture: CellsView, y: int) -> bool:
    return any(segment.style is not None and bool(segment.style.bold) for segment in picture.render_line(y))
