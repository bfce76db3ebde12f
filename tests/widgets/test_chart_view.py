"""A chart in full size: cursor, selection, runs and table, by keys and mouse."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App, ComposeResult
from textual.events import Click, MouseScrollDown, MouseScrollLeft, MouseScrollRight, MouseScrollUp, MouseUp

from tbtui.settings.settings import ChartSettings, Settings
from tbtui.widgets import chart_view
from tbtui.widgets import worker as worker_module
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView, RunSwitched
from tbtui.widgets.worker import Worker
from tests.helpers.charts import LEFT, TOP, MadeCharts
from tests.helpers.screen_text import screen_lines, until

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tbtui.view.painted_cards import OpenedCard
    from tbtui.widgets.pane import Choose

LETTERS = tuple("abcdefghijklmnopqrstuvwxyzABCD")


class Chart(App[None]):
    """A chart alone, with the part of the app that it speaks to."""

    def __init__(self, settings: Settings | None = None, **made: Any) -> None:
        super().__init__()
        self.worker = Worker(lambda: self.call_later(self.worker.drain))
        self.settings = settings or Settings()
        self.made = made
        self.painter = MadeCharts(self.settings, **made)
        self.heard: list[object] = []

    def compose(self) -> ComposeResult:
        yield ChartView(self.worker)

    def on_mount(self) -> None:
        self.open("loss")

    @property
    def chart(self) -> ChartView:
        return self.query_one(ChartView)

    def open(self, key: str, **made: Any) -> None:
        self.made = {**self.made, **made}
        self.painter = MadeCharts(self.settings, **self.made)
        self.chart.show(self.painter, key, self.settings)

    def on_choose(self, message: Choose) -> None:
        self.settings = message.of(self.settings)
        if self.chart.key is not None:
            self.open(self.chart.key)

    def on_chart_closed(self, message: ChartClosed) -> None:
        self.heard.append("closed")

    def on_chart_turned(self, message: ChartTurned) -> None:
        self.heard.append(message.cards)

    def on_run_switched(self, message: RunSwitched) -> None:
        self.heard.append((message.what, message.runs))

    def on_unmount(self) -> None:
        self.worker.close()

    def lines(self) -> list[str]:
        return [line.strip() for line in screen_lines(self) if line.strip()]

    def marked(self) -> list[str]:
        """Rows that are set off from the others."""
        strips = [self.chart.render_line(y) for y in range(self.chart.size.height)]
        plain = self.chart.rich_style.bgcolor
        return [
            strip.text.strip() for strip in strips if any(s.style and s.style.bgcolor != plain for s in list(strip)[:1])
        ]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


async def pressed(pilot: Pilot[None], keys: str) -> None:
    await pilot.press(*keys.split())
    await pilot.pause()


async def test_picture_header_and_all_rows_where_they_fit() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)):
        assert app.lines() == ["loss |", "run", "row 0 a", "row 1 b", "row 2 c"]


# The table


async def test_rows_that_do_not_fit_are_counted_and_reached_by_scrolling() -> None:
    app = Chart(runs=LETTERS)
    async with app.run_test(size=(50, 12)) as pilot:
        assert app.lines()[2:] == ["row 0 a", "row 1 b", "row 2 c", "row 3 d", "⋯ 1–4 of 30, ↑ ↓ for the others"]
        await pressed(pilot, "pagedown")
        assert app.lines()[2] == "row 4 e"
        await pressed(pilot, "G")
        assert app.lines()[-2:] == ["row 29 D", "⋯ 27–30 of 30, ↑ ↓ for the others"]
        await pressed(pilot, "pageup")
        assert app.lines()[2] == "row 22 w"
        await pressed(pilot, "g")
        assert app.lines()[2] == "row 0 a"
        await pilot._post_mouse_events([MouseScrollDown], ChartView, offset=(3, 9))
        await pilot.pause()
        assert app.lines()[2] == "row 1 b"


async def test_scroll_is_kept_through_updates_and_reset_for_another_card() -> None:
    app = Chart(runs=LETTERS)
    async with app.run_test(size=(50, 12)) as pilot:
        await pressed(pilot, "pagedown")
        app.open("loss", looks={"loss": "new"})
        await pilot.pause()
        assert (app.lines()[0], app.lines()[2]) == ("loss | new", "row 4 e")
        app.open("acc")
        await pilot.pause()
        assert (app.lines()[0], app.lines()[2]) == ("acc |", "row 0 a")


async def test_up_and_down_select_a_run_and_keep_it_in_sight() -> None:
    app = Chart(runs=LETTERS)
    async with app.run_test(size=(50, 12)) as pilot:
        assert app.marked() == []
        await pressed(pilot, "down")
        assert (app.settings.focus, app.marked()) == ("a", ["row 0 a"])
        await pressed(pilot, "j j down j up")
        assert (app.settings.focus, app.marked()) == ("d", ["row 3 d"])
        await pressed(pilot, "down")
        assert (app.marked(), app.lines()[2]) == (["row 4 e"], "row 1 b")
        await pressed(pilot, "g")
        assert (app.marked(), app.lines()[2]) == ([], "row 0 a")


async def test_the_selected_run_is_followed_when_rows_change_places() -> None:
    app = Chart(Settings(focus="b"), runs=LETTERS)
    async with app.run_test(size=(50, 12)) as pilot:
        assert app.marked() == ["row 1 b"]
        app.open("loss", runs=LETTERS[::-1])
        await pilot.pause()
        assert app.marked() == ["row 28 b"]
        await pressed(pilot, "g")  # scrolled away by hand, an update of the same rows leaves it so
        app.open("loss", looks={"loss": "new"})
        await pilot.pause()
        assert (app.marked(), app.lines()[2]) == ([], "row 0 D")
        app.open("loss", runs=("x", "y"))
        await pilot.pause()
        assert (app.marked(), app.settings.focus) == ([], "b")


async def test_of_a_run_with_several_rows_all_are_marked() -> None:
    app = Chart(runs=("a", "b", "a", "c"))
    async with app.run_test(size=(50, 20)) as pilot:
        await pressed(pilot, "down")
        assert app.marked() == ["row 0 a", "row 2 a"]
        await pressed(pilot, "down down")
        assert app.marked() == ["row 3 c"]


async def test_a_click_in_the_table_selects() -> None:
    app = Chart(runs=LETTERS)
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.click(ChartView, offset=(5, 8))
        await pilot.pause()
        assert app.marked() == ["row 1 b"]
        for offset in ((5, 6), (5, 11)):  # the header, and the count of the others
            await pilot.click(ChartView, offset=offset)
        await pilot.pause()
        assert app.marked() == ["row 1 b"]


async def test_what_is_asked_of_the_selected_run() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pressed(pilot, "space s d")
        assert app.heard == [(what, ("a", "b", "c")) for what in ("off", "solo", "baseline")]


# Cursor and stretch


@pytest.mark.parametrize(
    ("keys", "first_line"),
    [
        ("right", "loss | 0"),
        ("left", "loss | 8"),
        ("l right l", "loss | 4"),
        ("right right left", "loss | 0"),
        ("end h", "loss | 6"),
        ("left home", "loss | 0"),
        ("right v right right", "loss | 0-4"),
        ("right v right v", "loss | 2"),
        ("v", "loss | 8-8"),
        ("v left left enter", "loss | 4 x 4-8"),
        ("right enter", "loss | 0"),
        ("right v enter", "loss | 0-0"),
        ("right v right escape", "loss | 2"),
        ("right v right escape escape", "loss |"),
    ],
)
async def test_keys_move_the_cursor_and_select_a_stretch(keys: str, first_line: str) -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pressed(pilot, keys)
        assert app.lines()[0] == first_line
        assert app.heard == []


async def test_keys_ask_for_neighbours_and_for_the_way_back() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        await pressed(pilot, "N n right v escape escape escape")
        assert app.heard == [-1, 1, "closed"]


async def test_no_key_is_lost_while_pictures_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Chart(stops=range(40), runs=LETTERS)
    async with app.run_test(size=(60, 12)) as pilot:
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.chart._fail)
        opened = app.painter.opened
        await pressed(pilot, " ".join(["right"] * 20 + ["down"] * 7 + ["v"] + ["left"] * 5))
        assert (app.settings.cursor, app.settings.mark, app.settings.focus) == (14.0, 19.0, "g")
        gate.set()
        await app.worker.idle()
        await pilot.pause()
        assert app.lines()[0] == "loss | 19-14 g"
        assert app.marked() == ["row 6 g"]
        assert app.painter.opened <= opened + 1  # of 33 pictures the last alone was made


async def test_keys_pressed_before_the_first_picture_act_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Chart(stops=range(40), runs=LETTERS)
    async with app.run_test(size=(60, 12)) as pilot:
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.chart._fail)
        app.open("accuracy")
        await pressed(pilot, "right right down down v left space")
        assert app.settings == Settings()
        gate.set()
        await app.worker.idle()
        await pilot.pause()
        assert (app.settings.cursor, app.settings.mark, app.settings.focus) == (0.0, 1.0, "b")
        assert app.heard == [("off", LETTERS)]


async def test_keys_for_a_card_that_was_left_unseen_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Chart()
    async with app.run_test(size=(60, 12)) as pilot:
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        gate = threading.Event()
        app.worker.ask("other", lambda: iter([gate.wait(30)]), lambda _: None, app.chart._fail)
        app.open("accuracy")
        await pressed(pilot, "down space")
        app.open("loss")
        gate.set()
        await app.worker.idle()
        await pilot.pause()
        assert app.lines()[0] == "loss |"
        assert app.settings == Settings()
        assert app.heard == []


async def test_three_escapes_at_once_take_three_layers() -> None:
    app = Chart(Settings(cursor=4.0, mark=2.0))
    async with app.run_test(size=(50, 12)) as pilot:
        for _ in range(3):
            app.chart.action_back()
        await pilot.pause()
        assert (app.settings, app.heard) == (Settings(), ["closed"])


def offered(app: Chart) -> set[str]:
    return {key for key, binding in app.screen.active_bindings.items() if binding.enabled}


async def test_zooming_into_a_stretch_is_offered_while_there_is_one() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        assert "enter" not in offered(app)
        await pressed(pilot, "v")
        assert "enter" not in offered(app)  # a stretch that was just begun has no length
        await pressed(pilot, "left")
        assert "enter" in offered(app)
        await pressed(pilot, "right")
        assert "enter" not in offered(app)


# The mouse


async def test_a_click_puts_the_cursor_at_the_nearest_stop_and_picks_a_run() -> None:
    app = Chart(stops=(0, 4, 8))
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.click(ChartView, offset=(LEFT + 5, TOP + 1))
        await pilot.pause()
        assert app.lines()[0] == "loss | 4 a"
        assert app.marked() == ["row 0 a"]
        await pilot.click(ChartView, offset=(LEFT + 1, TOP + 5))
        await pilot.pause()
        assert app.lines()[0] == "loss | 0 b"
        await pilot.click(ChartView, offset=(LEFT + 8, TOP + 7))  # near no line
        await pilot.pause()
        assert app.lines()[0] == "loss | 8 b"
        await pilot.click(ChartView, offset=(LEFT - 2, TOP + 4))  # beside the plot
        await pilot.pause()
        assert app.lines()[0] == "loss | 8 b"


async def test_a_dragged_box_shows_its_edges_and_is_zoomed_into() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.mouse_down(ChartView, offset=(LEFT + 10, TOP + 2))
        await pilot.hover(ChartView, offset=(LEFT + 20, TOP + 5))
        edges = [line[LEFT:] for line in screen_lines(app)[TOP + 2 : TOP + 6]]
        assert edges == [
            f"{' ' * 10}┌{'─' * 9}┐",
            *[f"{' ' * 10}│{' ' * 9}│"] * 2,
            f"{' ' * 10}└{'─' * 9}┘",
        ]
        # A terminal's driver makes a click of any button that comes up over the widget it went down on.
        await pilot._post_mouse_events([MouseUp, Click], ChartView, offset=(LEFT + 20, TOP + 5), button=1)
        await pilot.pause()
        # Column 10 is step 10; the plot has 8 rows, 7 at the top.
        assert app.settings == Settings(charts={"loss": ChartSettings(x_range=(10, 20), y_range=(2, 5))}, cursor=None)
        assert not any("┌" in line for line in app.lines())


@pytest.mark.parametrize(
    ("to", "chosen"),
    [
        ((20, 2), ChartSettings(x_range=(10, 20))),
        ((20, 3), ChartSettings(x_range=(10, 20))),
        ((11, 6), ChartSettings(y_range=(1, 5))),
        ((2, 0), ChartSettings(x_range=(2, 10), y_range=(5, 7))),
        ((11, 3), None),
    ],
)
async def test_a_drag_in_one_direction_zooms_in_that_one(to: tuple[int, int], chosen: ChartSettings | None) -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.mouse_down(ChartView, offset=(LEFT + 10, TOP + 2))
        await pilot.hover(ChartView, offset=(LEFT + to[0], TOP + to[1]))
        await pilot.mouse_up(ChartView, offset=(LEFT + to[0], TOP + to[1]))
        await pilot.pause()
        assert app.settings.charts == ({} if chosen is None else {"loss": chosen})


async def test_a_drag_beyond_the_plot_ends_at_its_edge() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.mouse_down(ChartView, offset=(LEFT + 10, TOP + 2))
        await pilot.hover(ChartView, offset=(0, 19))
        await pilot.mouse_up(ChartView, offset=(0, 19))
        await pilot.pause()
        assert app.settings.chart("loss") == ChartSettings(x_range=(0, 10), y_range=(0, 5))


async def test_escape_drops_a_box_and_nothing_else() -> None:
    app = Chart(Settings(cursor=2.0))
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.mouse_down(ChartView, offset=(LEFT + 10, TOP + 2))
        await pilot.hover(ChartView, offset=(LEFT + 20, TOP + 5))
        assert any("┌" in line for line in app.lines())
        await pressed(pilot, "escape")
        assert not any("┌" in line for line in app.lines())
        await pilot.mouse_up(ChartView, offset=(LEFT + 20, TOP + 5))
        await pilot.pause()
        assert app.settings == Settings(cursor=2.0)


async def test_a_new_picture_leaves_the_box_on_top() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.mouse_down(ChartView, offset=(LEFT, TOP))
        await pilot.hover(ChartView, offset=(LEFT + 20, TOP + 5))
        before = [line for line in app.lines() if "┌" in line or "│" in line]
        app.open("loss", looks={"loss": "new"})
        await pilot.pause()
        assert app.lines()[0] == "loss | new"
        assert [line for line in app.lines() if "┌" in line or "│" in line] == before
        await pilot.resize_terminal(60, 24)
        await pilot.pause()
        assert not any("┌" in line for line in app.lines())


async def test_the_wheel_zooms_about_the_mouse_and_pans_with_shift() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)) as pilot:
        at = {"widget": ChartView, "offset": (LEFT + 10, TOP + 2)}
        await pilot._post_mouse_events([MouseScrollUp, MouseScrollUp], **at)
        await pilot.pause()
        low, high = app.settings.chart("loss").x_range
        assert low is not None
        assert high is not None
        # 44 columns, of which .64 is left; step 10 is where it was.
        assert high - low == pytest.approx(43.5 * 0.64, rel=1e-3)
        assert (10 - low) / (high - low) == pytest.approx(10.25 / 43.5, rel=1e-3)
        await pilot._post_mouse_events([MouseScrollUp], shift=True, **at)
        await pilot.pause()
        moved = app.settings.chart("loss").x_range[0]
        assert moved == pytest.approx(low - 0.1 * (high - low), rel=1e-2)
        await pilot._post_mouse_events([MouseScrollRight, MouseScrollRight, MouseScrollLeft], **at)
        await pilot.pause()
        assert app.settings.chart("loss").x_range[0] == pytest.approx(low, abs=0.01)


async def test_a_double_click_shows_the_whole_chart() -> None:
    zoomed = Settings(charts={"loss": ChartSettings(x_range=(3, 9), y_range=(0, 1))})
    app = Chart(zoomed)
    async with app.run_test(size=(50, 20)) as pilot:
        await pilot.double_click(ChartView, offset=(LEFT + 10, TOP + 2))
        await pilot.pause()
        assert app.settings.charts == {}


# All the rest


async def test_an_unchanged_look_is_not_drawn_again() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        painter = app.painter
        app.chart.show(painter, "loss", app.settings)
        assert painter.opened == 1
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert painter.opened == 2


async def test_reverted_setting_during_painting_shows_the_former_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
        begun, gate = threading.Event(), threading.Event()

        class Slow(MadeCharts):
            def open(self, key: str, width: int, height: int) -> OpenedCard:
                begun.set()
                gate.wait(30)
                return super().open(key, width, height)

        app.chart.show(Slow(looks={"loss": "other"}), "loss", app.settings)
        assert begun.wait(30)
        app.chart.show(app.painter, "loss", app.settings)
        gate.set()
        await app.worker.idle()
        await pilot.pause()
        assert app.lines()[0] == "loss |"


async def test_a_chart_that_was_closed_is_drawn_when_it_is_opened_again() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        app.chart.forget()
        assert not app.chart.get_text()
        app.chart.show(app.painter, "loss", app.settings)
        await pilot.pause()
        assert app.lines()[0] == "loss |"


async def test_what_cannot_be_drawn_says_so_and_is_tried_again() -> None:
    app = Chart(looks={"loss": "broken"})
    async with app.run_test(size=(50, 12)) as pilot:
        assert app.lines() == ["cannot draw this"]
        await pressed(pilot, "right v enter down z")
        await pilot.click(ChartView, offset=(10, 3))
        app.open("loss", looks={"loss": "fine"})
        await pilot.pause()
        assert app.lines()[0] == "loss | fine"


async def test_a_picture_that_comes_too_late_is_not_shown() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        stale = app.painter.open("acc", 49, 12)
        app.chart._take(stale)
        await pilot.pause()
        assert app.lines()[0] == "loss |"
        app.chart.forget()
        app.chart._take(stale)
        assert app.chart.plotted is None


@pytest.mark.parametrize("size", [(2, 1), (20, 5), (40, 3)])
async def test_any_size(size: tuple[int, int]) -> None:
    app = Chart(runs=LETTERS)
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "G pageup j right v left enter space")
        await pilot.click(ChartView, offset=(0, 0))
        assert app.chart.get_text().strip() != ""


async def test_what_takes_long_says_so_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)
    monkeypatch.setattr(chart_view, "SPINNER_DELAY_SECONDS", 0.01)
    go_on = threading.Semaphore(0)

    class Slow(MadeCharts):
        def open(self, key: str, width: int, height: int) -> OpenedCard:
            assert go_on.acquire(timeout=30)
            return super().open(key, width, height)

    app = Chart()
    async with app.run_test(size=(60, 12)) as pilot:
        await app.worker.idle()
        first = screen_lines(app)
        assert "working" not in "".join(first)
        app.chart.show(Slow(app.settings), "acc", app.settings)
        await until(pilot, lambda: screen_lines(app)[0].rstrip().endswith("working …"))
        assert not "".join(screen_lines(app)[1:]).strip()  # nothing of the chart before
        go_on.release()
        await until(pilot, lambda: "acc" in screen_lines(app)[0])
        assert "working" not in "".join(screen_lines(app))
        app.chart.show(Slow(replace(app.settings, focus="b")), "acc", app.settings)
        await until(pilot, lambda: "working …" in screen_lines(app)[0])
        assert "acc" in screen_lines(app)[0]  # what is there stays
        go_on.release()
        await until(pilot, lambda: "working" not in screen_lines(app)[0])
