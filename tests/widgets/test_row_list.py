from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row, pieces_width, row_pieces
from tbtui.widgets.row_list import RowList
from tests.helpers.screen_text import widget_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.geometry import Region


def drawn(row: Row, width: int) -> str:
    return "".join(text for text, _ in row_pieces(row, width))


@pytest.mark.parametrize(
    ("row", "width", "text"),
    [
        (Row("k", (("● ", 0),), "seed0", right=(("440", Ink.DIM),)), 16, "● seed0      440"),
        (Row("k", (("● ", 0),), "adam_lr1e-3_h64_seed0", right=(("440", Ink.DIM),)), 16, "● adam_…eed0 440"),
        (Row("k", (), "a sentence that is long", cut_end=True), 10, "a sentenc…"),
        (Row("k", (), "表表表表"), 5, "表…表"),
        (Row("k", (), "a\x1b[2Jb"), 8, "a·[2Jb  "),
        (Row("k", (("● ", 0),), "x"), 0, "● "),
    ],
)
def test_row_pieces_fit_the_width(row: Row, width: int, text: str) -> None:
    assert drawn(row, width) == text


def test_row_pieces_dim_the_shared_part() -> None:
    pieces = row_pieces(Row("k", (), "seed12", dim_characters=4), 10)
    assert [(text, ink) for text, ink in pieces if text.strip()] == [("seed", Ink.DIM), ("12", Ink.TEXT)]
    # of a shortened name only what is left of the start
    pieces = row_pieces(Row("k", (), "abcdefghij_1", dim_characters=11), 7)
    assert [(text, ink) for text, ink in pieces if text.strip()] == [("abc", Ink.DIM), ("…j_1", Ink.TEXT)]


@given(st.text(max_size=30), st.integers(0, 12), st.integers(10, 40))
def test_row_pieces_have_exactly_the_width(label: str, faded: int, width: int) -> None:
    row = Row("k", (("● ", 0),), label, dim_characters=faded, right=(("12k", Ink.DIM),))
    assert pieces_width(row_pieces(row, width)) == width


class Host(App[None]):
    """A list of ten lines."""

    CSS = "RowList { height: 10; width: 20; }"
    AUTO_FOCUS = "RowList"

    def __init__(self) -> None:
        super().__init__()
        self.list = RowList(empty="nothing here")
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.list

    def on_row_list_chosen(self) -> None:
        self.said.append(f"chose {self.list.cursor_key}")

    def on_row_list_moved(self) -> None:
        self.said.append(f"moved {self.list.cursor_key}")


def rows(keys: Iterable[object]) -> list[Row]:
    return [Row(f"{key}", (), f"row {key}") for key in keys]


def lines(host: Host) -> list[str]:
    return [line.rstrip("▏▌ ") for line in widget_lines(host.list)]


async def test_row_list_keys_keep_the_cursor_visible() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(100)))
        for key, cursor, top in [
            ("j", 1, 0),
            ("down", 2, 0),
            ("k", 1, 0),
            ("pagedown", 10, 1),
            ("pagedown", 19, 10),
            ("pageup", 10, 10),
            ("up", 9, 9),
            ("G", 99, 90),
            ("down", 99, 90),
            ("g", 0, 0),
            ("up", 0, 0),
            ("end", 99, 90),
            ("home", 0, 0),
        ]:
            await pilot.press(key)
            assert (host.list.cursor_key, lines(host)[0]) == (f"{cursor}", f"row {top}"), key


async def test_row_list_cursor_keeps_row_and_line_when_rows_change() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(50)))
        await pilot.press("pagedown", "pagedown", "up")
        before = lines(host)
        assert host.list.cursor_key == "17"
        at = before.index("row 17")
        host.list.show_rows(rows([*(f"new{i}" for i in range(7)), *range(50)]))
        assert lines(host) == before  # seven rows above came in out of sight
        host.list.show_rows(rows(i for i in range(50) if i not in (3, 4, 12)))
        assert (host.list.cursor_key, lines(host).index("row 17")) == ("17", at)
        host.list.show_rows(rows(i for i in range(50) if i != 17))
        assert host.list.cursor_key == "18"  # the next one, where the old one stood
        host.list.show_rows(rows(range(3)))
        assert (host.list.cursor_key, lines(host)[:4]) == ("2", ["row 0", "row 1", "row 2", ""])
        host.list.show_rows([])
        assert (host.list.cursor_key, lines(host)[0]) == (None, "")
        await pilot.press("down", "G", "pageup")
        host.list.show_rows([], "nothing matches")
        await pilot.pause()
        assert lines(host)[0] == " nothing matches"


async def test_row_list_untouched_stays_at_the_first_row() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(50, 60)))
        host.list.show_rows(rows(range(60)))
        assert (host.list.cursor_key, lines(host)[0]) == ("0", "row 0")
        await pilot.press("up")  # a key, even one that leads nowhere, is a choice
        host.list.show_rows(rows(range(-3, 60)))
        assert host.list.cursor_key == "0"


async def test_row_list_keeps_its_scroll_position_when_rows_are_added() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(50)))
        for _ in range(5):
            await pilot._post_mouse_events([_scroll_down()], widget=host.list)
        before = lines(host)
        assert before[0] == "row 15"
        assert host.list.cursor_key == "0"
        host.list.show_rows(rows(["new", *range(50)]))
        assert lines(host) == before


def _scroll_down() -> type:
    from textual.events import MouseScrollDown

    return MouseScrollDown


async def test_row_list_repaints_only_changed_lines() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(100_000)))
        await pilot.pause()
        repainted: list[int] = []

        def note(*regions: Region, **_: object) -> None:
            repainted.extend(region.y for region in regions)

        host.list.refresh = note  # type: ignore[method-assign,assignment]
        host.list.show_rows(rows(range(100_000)))
        assert repainted == []
        changed = rows(range(100_000))
        changed[3] = Row("3", (), "row 3", right=(("441", Ink.DIM),))
        changed[500] = Row("500", (), "out of sight")
        host.list.show_rows(changed)
        assert repainted == [3]
        repainted.clear()
        host.list.action_move(1)
        assert repainted == [0, 1]


async def test_row_list_click_chooses_only_rows() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(3)))
        await pilot.click(RowList, offset=(2, 1))
        await pilot.click(RowList, offset=(2, 1))
        await pilot.click(RowList, offset=(2, 7))
        assert host.said == ["moved 1", "chose 1", "chose 1"]


async def test_row_list_edge_shows_the_scroll_position() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(10)))
        assert {line[-1] for line in widget_lines(host.list)} == {"▏"}
        host.list.show_rows(rows(range(20)))
        assert "".join(line[-1] for line in widget_lines(host.list)) == "▌▌▌▌▌▏▏▏▏▏"
        await pilot.press("G")
        assert "".join(line[-1] for line in widget_lines(host.list)) == "▏▏▏▏▏▌▌▌▌▌"
        host.list.show_rows(rows(range(10_000)))
        assert "".join(line[-1] for line in widget_lines(host.list)).count("▌") == 1


async def test_row_list_unknown_key_moves_nothing() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.list.show_rows(rows(range(30)))
        host.list.move_to_key("25")
        host.list.move_to_key("gone")
        assert (host.list.cursor_key, lines(host)[-1]) == ("25", "row 25")
        await pilot.resize_terminal(40, 30)
