"""The grid of cards, by keys and mouse, with a painter that writes its arguments."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App, ComposeResult
from textual.events import Click, MouseScrollDown, MouseScrollUp, MouseUp

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.settings.settings import ChartSettings, Settings
from tbtui.view.painted_cards import PaintedCard
from tbtui.widgets import worker as worker_module
from tbtui.widgets.card_grid import CardGrid, CardOpened, JoinRequested
from tbtui.widgets.pane import Choose
from tbtui.widgets.worker import Worker
from tests.helpers.charts import LEFT, TOP, MadeCharts
from tests.helpers.screen_text import screen_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from textual.geometry import Region


class Labels:
    """Draws a card as its key, size and look; counts."""

    def __init__(self, looks: dict[str, str] | None = None) -> None:
        self.looks = looks or {}
        self.painted: list[str] = []
        self.outlined: list[str] = []

    def paint_key(self, key: str) -> Hashable:
        return self.looks.get(key, "")

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        self.painted.append(key)
        look = self.looks.get(key, "")
        if look == "broken":
            raise ValueError("cannot draw this")
        return PaintedCard(self._card(f"{key}{'*' if focused else ''} {width}x{height}", look, width, height))

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        self.outlined.append(key)
        return self._card(f"{key} ...", "", width, height)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        return self._card(f"{key} {error}", "", width, height)

    def _card(self, first: str, second: str, width: int, height: int) -> Cells:
        cells = Cells.blank(height, width)
        write(cells, 0, 0, first, Ink.TEXT)
        write(cells, 1, 0, second, Ink.TEXT)
        return cells


class Grid(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.worker = Worker(lambda: self.call_later(self.worker.drain))
        self.opened: list[str] = []
        self.joined: list[tuple[str, ...]] = []

    def compose(self) -> ComposeResult:
        yield CardGrid(self.worker, joins=True)

    @property
    def grid(self) -> CardGrid:
        return self.query_one(CardGrid)

    def on_card_opened(self, message: CardOpened) -> None:
        self.opened.append(message.key)

    def on_join_requested(self, message: JoinRequested) -> None:
        self.joined.append(message.keys)

    def on_unmount(self) -> None:
        self.worker.close()

    def rows(self) -> list[str]:
        return [line.rstrip() for line in self.grid.get_text().splitlines() if line.strip()]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


def keys(count: int) -> tuple[str, ...]:
    return tuple(f"t{index:04}" for index in range(count))


async def test_whole_cards_fill_the_room() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.focus()
        await pilot.pause()
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        assert app.grid.keys_in_sight == keys(4)
        assert app.rows()[0].split() == ["t0000*", "39x12", "t0001", "40x12"]


async def test_five_thousand_cards_cost_those_in_sight() -> None:
    app = Grid()
    async with app.run_test(size=(120, 40)) as pilot:
        painter = Labels()
        app.grid.show(painter, keys(5000))
        await pilot.pause()
        assert sorted(painter.painted) == list(keys(6))
        await pilot.press("G")
        await pilot.pause()
        assert app.grid.focused_key == "t4999"
        assert len(painter.painted) <= 13


@pytest.mark.parametrize(
    ("presses", "focused"),
    [
        ("right", "t0001"),
        ("l l", "t0002"),
        ("down", "t0002"),
        ("j j k", "t0002"),
        ("left", "t0000"),
        ("up", "t0000"),
        ("G", "t0008"),
        ("G up g", "t0000"),
        ("right down down down", "t0007"),
        ("right down down down down down", "t0008"),
        ("pagedown", "t0004"),
        ("pagedown pagedown pagedown", "t0008"),
        ("pagedown pageup", "t0000"),
        ("end home", "t0000"),
    ],
)
async def test_keys_move_the_focus_and_keep_it_in_sight(presses: str, focused: str) -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(9))
        await pilot.press(*presses.split())
        await pilot.pause()
        assert app.grid.focused_key == focused
        assert focused in app.grid.keys_in_sight
        assert f"{focused}*" in app.grid.get_text()
        assert app.grid.get_text().count("*") == 1


async def test_one_card_fills_a_small_panel_and_page_keys_walk() -> None:
    app = Grid()
    async with app.run_test(size=(40, 12)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(9))
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert app.grid.keys_in_sight == ("t0002",)
        assert app.rows() == ["t0002* 39x12"]


@pytest.mark.parametrize("key", ["pagedown", "down", "end"])
async def test_key_that_scrolls_requests_frames_once(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = Grid()
    async with app.run_test(size=(40, 12)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        requests = []
        ask = app.worker.ask

        def count(kind: str, *arguments: Any) -> None:
            requests.append(kind)
            ask(kind, *arguments)

        monkeypatch.setattr(app.worker, "ask", count)
        await pilot.press(key)
        await pilot.pause()
        assert requests == ["frames"]
        assert app.grid.get_text().count("*") == 1


async def test_enter_opens_the_focused_card() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(9))
        await pilot.press("right", "enter")
        await pilot.pause()
        assert app.opened == ["t0001"]


async def test_no_card_looks_focused_while_the_keys_go_elsewhere() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        assert "t0000*" in app.grid.get_text()
        app.set_focus(None)
        await pilot.pause()
        assert "*" not in app.grid.get_text()
        app.grid.focus()
        await pilot.pause()
        assert "t0000*" in app.grid.get_text()


async def test_a_click_focuses_and_a_double_click_opens() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        await pilot.click(CardGrid, offset=(50, 15))
        await pilot.click(CardGrid, offset=(50, 15))
        assert (app.grid.focused_key, app.opened) == ("t0003", [])
        await pilot.double_click(CardGrid, offset=(10, 15))
        await pilot.pause()
        assert (app.grid.focused_key, app.opened) == ("t0002", ["t0002"])


async def test_the_wheel_scrolls_by_rows_of_cards_and_leaves_the_focus() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        await pilot._post_mouse_events([MouseScrollDown], CardGrid)
        await pilot.pause()
        assert app.grid.keys_in_sight == ("t0002", "t0003", "t0004", "t0005")
        assert app.grid.focused_key == "t0000"


async def test_focus_and_place_are_kept_when_cards_appear_before_them() -> None:
    app = Grid()
    async with app.run_test(size=(40, 24)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(9))
        await pilot.press("pagedown", "down")
        await pilot.pause()
        seen = app.grid.keys_in_sight
        assert app.grid.focused_key == "t0003"
        app.grid.show(Labels(), ("a", "b", "c", *keys(9), "z"))
        await pilot.pause()
        assert app.grid.focused_key == "t0003"
        assert app.grid.keys_in_sight == seen


async def test_before_the_first_move_the_grid_stays_at_its_first_card() -> None:
    app = Grid()
    async with app.run_test(size=(40, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        app.grid.show(Labels(), ("a", "b", *keys(9)))
        await pilot.pause()
        assert app.grid.focused_key == "a"
        assert app.grid.keys_in_sight == ("a", "b")


async def test_the_neighbour_takes_the_focus_of_a_card_that_goes() -> None:
    app = Grid()
    async with app.run_test(size=(40, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.press("G")
        app.grid.show(Labels(), keys(8))
        await pilot.pause()
        assert app.grid.focused_key == "t0007"
        app.grid.show(Labels(), ())
        await pilot.pause()
        assert app.grid.focused_key is None
        assert app.rows() == []


async def test_the_cache_hits_when_nothing_that_alters_the_look_changed() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels(), keys(9))
        await pilot.pause()
        again = Labels()
        app.grid.show(again, keys(9))
        await pilot.press("G", "g")
        await pilot.pause()
        app.grid.show(again, keys(9))
        await pilot.pause()
        assert again.painted == ["t0008", "t0006", "t0007"]  # the focused one first


async def test_change_of_one_card_repaints_its_changed_row_only() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels({"t0001": "aaa"}), keys(4))
        await pilot.pause()
        refreshed: list[Region] = []
        app.grid.refresh = spy(refreshed)  # type: ignore[method-assign]
        painter = Labels({"t0001": "aba"})
        app.grid.show(painter, keys(4))
        await pilot.pause()
        assert painter.painted == ["t0001"]
        assert [(region.y, region.width, region.height) for region in refreshed] == [(1, 1, 1)]


async def test_a_grid_of_the_size_it_had_repaints_nothing() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels({"t0001": "aaa"}), keys(40))
        await pilot.pause()
        text = app.grid.get_text()
        refreshed: list[Region] = []
        app.grid.refresh = spy(refreshed)  # type: ignore[method-assign]
        app.grid.on_resize()
        await pilot.pause()
        assert (refreshed, app.grid.get_text()) == ([], text)


def spy(refreshed: list[Region]) -> Callable[..., None]:
    def refresh(*regions: Region, **_: bool) -> None:
        refreshed.extend(regions)

    return refresh


async def test_a_card_that_cannot_be_drawn_says_so_and_the_others_stay() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels({"t0001": "broken"}), keys(4))
        await pilot.pause()
        text = app.grid.get_text()
        assert "t0001 cannot draw this" in text
        assert "t0003 40x12" in text


async def test_until_the_new_frame_is_painted_the_former_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        first = Labels({"t0000": "old"})
        app.grid.show(first, keys(4))
        await app.worker.idle()
        # Before the first frames there were outlines, never a blank.
        assert set(first.outlined) == set(keys(4))
        second = Labels({"t0000": "new"})
        app.grid.show(second, keys(4))
        assert "old" in app.grid.get_text() or "new" in app.grid.get_text()
        await app.worker.idle()
        await pilot.pause()
        assert "new" in app.grid.get_text()
        assert second.outlined == []


async def test_a_key_moves_the_accent_before_anything_is_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Framed(), keys(4))
        await pilot.pause()
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.grid._fail)
        await pilot.press("right")
        assert accents(app) == ["t0001"]
        gate.set()
        await app.worker.idle()
        assert accents(app) == ["t0001"]
        assert "t0001* 40x12" in app.grid.get_text()


class Framed(Labels):
    """Draws its cards with the ink of the frame in the upper left cell."""

    def _card(self, first: str, second: str, width: int, height: int) -> Cells:
        cells = super()._card(f" {first}", second, width, height)
        cells.inks[0, 0] = Ink.ACCENT if "*" in first else Ink.FAINT
        return cells


def accents(app: Grid) -> list[str]:
    """Keys of the cards in sight whose frame has the accent."""
    grid = app.grid
    places = {key: grid._layout_now.locate(grid.keys.index(key), grid._top) for key in grid.keys_in_sight}
    return [key for key, (y, x, _) in places.items() if grid._cells.inks[y, x] == Ink.ACCENT]


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (1, 1), (250, 70)])
async def test_any_size(size: tuple[int, int]) -> None:
    app = Grid()
    async with app.run_test(size=size) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(50))
        await pilot.press("G", "k", "pageup", "l")
        await pilot.pause()
        assert app.grid.focused_key in app.grid.keys_in_sight


async def test_a_resize_keeps_the_focused_card_in_sight() -> None:
    app = Grid()
    async with app.run_test(size=(120, 40)) as pilot:
        app.grid.focus()
        app.grid.show(Labels(), keys(50))
        await pilot.press("pagedown", "pagedown", "right")
        focused = app.grid.focused_key
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert app.grid.focused_key == focused
        assert app.grid.keys_in_sight == (focused,)


# Marks and columns


def marked(app: Grid) -> list[str]:
    """What stands at the corners of cards with the sign of a mark."""
    return [word for row in app.rows() for word in row.split() if "◆" in word]


async def test_space_marks_cards_and_escape_unmarks_all() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.focus()
        app.grid.show(Framed(), keys(9))
        await pilot.press("space", "right", "right", "right", "space", "left")
        await pilot.pause()
        assert marked(app) == ["◆t0000", "◆t0003"]
        await pilot.press("M")
        await pilot.pause()
        assert app.joined == [("t0000", "t0003")]
        await pilot.press("right", "space", "G", "g")
        await pilot.pause()
        assert marked(app) == ["◆t0000*"]
        app.grid.show(Framed({"t0000": "new"}), keys(9))
        await pilot.pause()
        assert marked(app) == ["◆t0000*"]
        assert app.screen.active_bindings["escape"].enabled
        await pilot.press("escape")
        await pilot.pause()
        assert marked(app) == []
        await pilot.press("M")
        assert len(app.joined) == 1
        assert "escape" not in app.screen.active_bindings or not app.screen.active_bindings["escape"].enabled


async def test_a_mark_is_kept_while_its_card_is_away() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Framed(), keys(4))
        await pilot.press("G", "space")
        app.grid.show(Framed(), keys(3))
        await pilot.press("M")
        app.grid.show(Framed(), keys(4))
        await pilot.press("M")
        await pilot.pause()
        assert app.joined == [("t0003",)]


async def test_pinned_cards_have_a_sign_that_a_mark_covers() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.focus()
        app.grid.show(Framed(), keys(4), 0, ("t0001", "t0000"))
        await pilot.press("space")
        await pilot.pause()
        assert app.rows()[0].split()[::2] == ["◆t0000*", "↑t0001"]
        app.grid.show(Framed(), keys(4))
        await pilot.press("space")
        await pilot.pause()
        assert app.rows()[0].split()[::2] == ["t0000*", "t0001"]


async def test_an_expected_card_comes_into_sight_with_the_focus() -> None:
    app = Grid()
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.show(Labels(), keys(40))
        app.grid.expect_card("t0021a")
        app.grid.show(Labels(), keys(41))
        await pilot.pause()
        assert app.grid.keys_in_sight == keys(4)
        app.grid.show(Labels(), (*keys(22), "t0021a", *keys(41)[22:]))
        await pilot.pause()
        assert app.grid.focused_key == "t0021a"
        assert "t0021a" in app.grid.keys_in_sight


async def test_chosen_columns_are_kept_to_and_the_heights_follow() -> None:
    app = Grid()
    async with app.run_test(size=(120, 40)) as pilot:
        app.grid.show(Labels(), keys(50))
        await pilot.press("pagedown", "right")
        await pilot.pause()
        assert app.rows()[0].split() == ["t0006", "59x13", "t0007*", "60x13"]
        app.grid.show(Labels(), keys(50), 4)
        await pilot.pause()
        assert app.rows()[0].split()[:2] == ["t0004", "29x10"]
        assert len(app.grid.keys_in_sight) == 16
        app.grid.show(Labels(), keys(50), 1)
        await pilot.pause()
        assert [row.split() for row in app.rows()] == [["t0006", "119x20"], ["t0007*", "119x20"]]
        assert app.grid.columns == 1


# Charts in the cards


class Charts(Grid):
    """A grid of made-up charts, with the part of the app that it speaks to."""

    def __init__(self, count: int = 4) -> None:
        super().__init__()
        self.settings = Settings()
        self.count = count
        self.painter = MadeCharts()

    def look(self) -> None:
        self.painter = MadeCharts(self.settings)
        self.grid.show(self.painter, keys(self.count))

    def on_mount(self) -> None:
        self.look()

    def on_choose(self, message: Choose) -> None:
        self.settings = message.of(self.settings)
        self.look()

    def titles(self) -> list[str]:
        return [title for row in self.rows() for title in row.split("t000") if title.strip()]


async def test_a_click_into_the_focused_card_puts_the_cursor_there_in_all_cards() -> None:
    app = Charts()
    async with app.run_test(size=(81, 24)) as pilot:
        await pilot.click(CardGrid, offset=(40 + LEFT + 4, 3))
        assert (app.grid.focused_key, app.settings.cursor) == ("t0001", None)
        await pilot.click(CardGrid, offset=(40 + LEFT + 4, 3))
        await pilot.pause()
        assert [title.split()[-1] for title in app.titles()] == ["4"] * 4
        await pilot.click(CardGrid, offset=(40 + LEFT + 4, 0))  # its title
        await pilot.pause()
        assert app.settings.cursor == 4


async def test_a_box_over_any_card_zooms_it() -> None:
    app = Charts()
    async with app.run_test(size=(81, 24)) as pilot:
        await pilot.mouse_down(CardGrid, offset=(40 + LEFT + 5, 12 + TOP + 1))
        await pilot.hover(CardGrid, offset=(40 + LEFT + 15, 12 + TOP + 4))
        assert screen_lines(app)[12 + TOP + 1][40 + LEFT :] == f"{' ' * 5}┌{'─' * 9}┐"
        await pilot._post_mouse_events([MouseUp, Click], CardGrid, offset=(40 + LEFT + 15, 12 + TOP + 4), button=1)
        await pilot.pause()
        # The plot has 10 rows: the second from above is value 8.
        assert app.settings.charts == {"t0003": ChartSettings(x_range=(5, 15), y_range=(5, 8))}
        assert app.grid.focused_key == "t0000"
        assert "x 5-15 y 5-8" in app.grid.get_text()


@pytest.mark.parametrize("held", [{"control": True}, {"meta": True}])
async def test_with_a_key_held_the_wheel_zooms_the_card_under_the_mouse(held: dict[str, bool]) -> None:
    app = Charts(9)
    async with app.run_test(size=(81, 24)) as pilot:
        await pilot._post_mouse_events([MouseScrollUp], CardGrid, offset=(40 + LEFT + 10, 3), **held)
        await pilot.pause()
        assert list(app.settings.charts) == ["t0001"]
        assert app.grid.keys_in_sight == keys(4)
        await pilot._post_mouse_events([MouseScrollDown], CardGrid, offset=(40 + LEFT + 10, 3))
        await pilot.pause()
        assert app.grid.keys_in_sight[0] == "t0002"


async def test_the_focused_card_is_painted_before_all_others() -> None:
    app = Charts(9)
    async with app.run_test(size=(81, 36)) as pilot:
        await pilot.press("right", "down")
        await pilot.pause()
        app.post_message(Choose(cursor=2.0))
        await pilot.pause()
        assert app.painter.painted[0] == app.grid.focused_key == "t0003"
        assert sorted(app.painter.painted) == list(keys(6))
        assert app.grid.plotted is not None
        assert app.grid.plotted.key == "t0003"


async def test_a_hidden_grid_paints_nothing_and_catches_up_when_it_is_shown() -> None:
    app = Charts()
    async with app.run_test(size=(81, 24)) as pilot:
        app.grid.display = False
        await pilot.pause()
        app.post_message(Choose(cursor=2.0))
        await pilot.pause()
        assert app.painter.painted == []
        app.grid.display = True
        await pilot.pause()
        assert sorted(app.painter.painted) == list(keys(4))
