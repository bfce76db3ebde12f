"""The form: navigation by keys and mouse, and errors beside their fields."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App
from textual.widgets import Static

from tbtui.settings.entries import read_number
from tbtui.widgets.form import FormScreen
from tbtui.widgets.form_fields import Choice, FieldError, Text, group_fields
from tests.helpers.screen_text import screen_lines, screen_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

FIELDS = (
    Text("smoothing", "smoothing", "0.6", read_number, "a number"),
    Choice("scale", "y scale", (("linear", "linear"), ("log", "logarithmic"), ("symlog", "symlog")), "log", "of y"),
    Choice("marks", "marks", ((True, "yes"), (False, "no")), False),
    Text("skip", "skip steps", "", lambda text: int(text or 0), "a step"),
)
NOTHING = object()


class Host(App[None]):
    """Opens a form and keeps what comes of it."""

    def __init__(self, conclude: Callable[[dict[str, Any]], Any] = dict, **how: Any) -> None:
        super().__init__()
        self.fields = how.pop("fields", FIELDS)
        self.conclude, self.how = conclude, how
        self.outcome: Any = NOTHING

    def on_mount(self) -> None:
        self.push_screen(FormScreen("options of all charts", self.fields, self.conclude, **self.how), self.take)

    def take(self, outcome: Any) -> None:
        self.outcome = outcome


async def pressed(pilot: Pilot[None], keys: str) -> None:
    await pilot.press(*keys.split())
    await pilot.pause()


def form_lines(app: App[Any]) -> list[str]:
    """The lines inside the frame of the dialog."""
    box = app.screen.query_one("#form-box").region
    return [line[box.x + 1 : box.right - 1].rstrip() for line in screen_lines(app)[box.y + 1 : box.bottom - 1]]


def place(app: App[Any], x: int, y: int) -> tuple[int, int]:
    """A cell inside the frame, as a cell of the screen."""
    box = app.screen.query_one("#form-box").region
    return box.x + 1 + x, box.y + 1 + y


async def test_what_is_set_and_the_hint_of_the_field_that_has_the_keys() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "down")
        lines = form_lines(app)
        assert lines[0].split() == ["options", "of", "all", "charts", "⏎", "apply", "esc", "cancel"]
        assert lines[2:6] == [
            " smoothing   0.6",
            " y scale     linear ‹logarithmic› symlog",
            " marks       no",
            " skip steps",
        ]
        assert lines[6:8] == ["", " of y"]


async def test_form_on_a_terminal_background_hides_the_screen_below() -> None:
    app = Host()
    app.theme = "ansi-dark"
    async with app.run_test(size=(60, 20)) as pilot:
        await app.screen_stack[0].mount(Static("\n".join(["below"] * 20)))
        await pilot.pause()
        assert "below" not in "".join(form_lines(app))
        await pilot.press("escape")
        await pilot.pause()
        assert "below" in screen_text(app)


async def test_enter_hands_over_all_values() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "backspace 9 down right down space tab 1 2 enter")
        assert app.outcome == {"smoothing": 0.9, "scale": "symlog", "marks": True, "skip": 12}


@pytest.mark.parametrize("keys", ["escape", "down right escape", "9 x enter escape"])
async def test_escape_hands_over_nothing(keys: str) -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, keys)
        assert app.outcome is None
        assert not isinstance(app.screen, FormScreen)


async def test_options_go_around_and_so_do_fields() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "shift+tab up up left left l l l space up up 7 enter")
        assert app.outcome == {"smoothing": 0.6, "scale": "linear", "marks": False, "skip": 7}


async def test_wrong_entries_are_refused_in_place() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "down right up up a down x enter")
        assert app.outcome is NOTHING
        lines = form_lines(app)
        assert lines[2:8] == [
            " smoothing   0.6x",
            "             ✗ not a number: 0.6x",
            " y scale     symlog",
            " marks       no",
            " skip steps  a",
            "            ✗ invalid literal for int() with base 10: 'a'",
        ]
        assert lines[9] == " a number"  # the first wrong field has the keys
        await pressed(pilot, "backspace")
        assert form_lines(app)[3] == " y scale     symlog"
        await pressed(pilot, "enter backspace 3 enter")
        assert app.outcome == {"smoothing": 0.6, "scale": "symlog", "marks": False, "skip": 3}


async def test_a_reason_changes_with_the_entry() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "x enter y")
        assert form_lines(app)[3] == "             ✗ not a number: 0.6xy"


def refuse(values: dict[str, Any]) -> dict[str, Any]:
    if values["marks"] is False:
        raise FieldError("marks", "they must be on")
    return values


@pytest.mark.parametrize("slow", [False, True])
async def test_what_is_wrong_with_the_whole_stands_at_the_field_it_names(slow: bool) -> None:
    app = Host(refuse, slow=slow)
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert form_lines(app)[4:6] == [" marks       yes ‹no›", "             ✗ they must be on"]
        await pressed(pilot, "right")
        assert "✗" not in screen_text(app)
        await pressed(pilot, "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.outcome["marks"] is True


async def test_slow_work_is_told_and_can_be_called_off() -> None:
    gate, called_off = threading.Event(), threading.Event()

    def work(values: dict[str, Any]) -> str:
        gate.wait(30)
        return "done"

    app = Host(work, slow=True, cancel=called_off.set)
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "enter enter")
        assert "working …" in screen_text(app)
        assert app.outcome is NOTHING
        await pressed(pilot, "escape")
        assert (app.outcome, called_off.is_set()) == (None, True)
        gate.set()


async def test_leaving_the_app_calls_slow_work_off() -> None:
    called_off = threading.Event()
    app = Host(lambda _: called_off.wait(30), slow=True, cancel=called_off.set)
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "enter")
        assert not called_off.is_set()
    assert called_off.is_set()


async def test_the_mouse_chooses_enters_and_leaves() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.click(offset=place(app, 20, 3))
        await pilot.click(offset=place(app, 15, 3))
        await pilot.pause()
        assert form_lines(app)[3] == " y scale    ‹linear› logarithmic  symlog"
        await pilot.click(offset=place(app, 40, 5))
        await pressed(pilot, "5")
        await pilot.click(offset=place(app, 43, 0))
        await pilot.pause()
        assert app.outcome == {"smoothing": 0.6, "scale": "linear", "marks": False, "skip": 5}


async def test_a_click_on_cancel_leaves() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.click(offset=place(app, 55, 0))
        await pilot.pause()
        assert app.outcome is None


async def test_a_narrow_low_terminal_shows_one_option_and_scrolls() -> None:
    fields = (*FIELDS, *(Text(f"n{index}", f"number {index}", str(index), read_number) for index in range(20)))
    app = Host(fields=fields)
    async with app.run_test(size=(40, 12)) as pilot:
        await pressed(pilot, "down")
        assert form_lines(app)[1:3] == [" smoothing   0.6", " y scale    ‹logarithmic›"]
        await pilot.click(offset=place(app, 24, 2))
        await pilot.pause()
        assert form_lines(app)[2] == " y scale    ‹symlog›"
        await pressed(pilot, "up up x enter")
        assert "✗ not a number: 19x" in screen_text(app)
        assert "number 19" in screen_text(app)


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (250, 70)])
async def test_any_size(size: tuple[int, int]) -> None:
    app = Host()
    async with app.run_test(size=size) as pilot:
        await pressed(pilot, "x down right enter backspace enter")
        assert app.outcome["scale"] == "symlog"


async def test_escape_sequences_do_not_come_in() -> None:
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        from textual.events import Paste

        app.screen.focused.post_message(Paste("\x1b[2J\x079"))
        await pilot.pause()
        assert "\x1b" not in screen_text(app)


async def test_live_form_applies_each_valid_entry_and_escape_takes_them_back() -> None:
    applied: list[dict[str, Any]] = []
    app = Host(live=applied.append)
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "x down right")
        assert applied == []  # 0.6x is no number
        await pressed(pilot, "up backspace")
        assert applied[-1] == {"smoothing": 0.6, "scale": "symlog", "marks": False, "skip": 0}
        await pressed(pilot, "escape")
        assert applied[-1] == {"smoothing": 0.6, "scale": "log", "marks": False, "skip": 0}
        assert app.outcome is None


async def test_live_form_enter_keeps_what_was_applied() -> None:
    applied: list[dict[str, Any]] = []
    app = Host(live=applied.append)
    async with app.run_test(size=(60, 20)) as pilot:
        await pressed(pilot, "down right enter")
        assert applied[-1] == app.outcome
        assert app.outcome["scale"] == "symlog"


async def test_form_leaves_what_is_beside_it_in_sight() -> None:
    app = Host()
    async with app.run_test(size=(120, 40)) as pilot:
        await app.screen_stack[0].mount(Static("\n".join(["seen"] * 40)))
        await pilot.pause()
        box = app.screen.query_one("#form-box").region
        assert (box.right, box.bottom) == (120, 40)
        assert box.area < 120 * 40 / 4
        assert screen_lines(app)[0].startswith("seen")


# Groups and defaults

GROUPED = (
    *group_fields("Axes", Choice("scale", "y scale", (("linear", "linear"), ("log", "log")), "log", "of y", "linear")),
    Text("free", "free", "", str, "in no group"),
    *group_fields("Axes", Text("low", "from", "0.50", read_number, "a number", "0.5")),
)


async def test_fields_of_a_group_stand_together_below_its_heading() -> None:
    app = Host(fields=GROUPED)
    async with app.run_test(size=(80, 24)):
        lines = [line.split()[0] for line in form_lines(app) if line.strip()]
        assert lines[1:5] == ["Axes", "•y", "from", "free"]
    app = Host(fields=GROUPED)
    async with app.run_test(size=(40, 12)):
        assert "Axes" not in screen_text(app)


async def test_changed_fields_are_marked_and_get_their_default_back() -> None:
    applied: list[Any] = []
    app = Host(fields=GROUPED, live=applied.append)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "• 1 changed  ^r default: linear" in screen_text(app)
        await pressed(pilot, "ctrl+r")
        assert applied == [{"scale": "linear", "free": "", "low": 0.5}]
        assert "•" not in screen_text(app)
        await pressed(pilot, "down backspace")
        assert any(line.startswith("•from") for line in form_lines(app)) is False  # 0.5 is 0.50
        await pressed(pilot, "7")
        assert any(line.startswith("•from") for line in form_lines(app))
        assert "^r default: 0.5" in screen_text(app)
        await pressed(pilot, "ctrl+r")
        assert applied[-1]["low"] == 0.5
        assert "•" not in screen_text(app)


async def test_entry_that_cannot_be_read_counts_as_changed() -> None:
    app = Host(fields=GROUPED)
    async with app.run_test(size=(80, 24)) as pilot:
        await pressed(pilot, "down x down")
        assert "• 2 changed" in screen_text(app)
        assert "^r" not in screen_text(app)  # the field with the keys has no default


async def test_form_shows_the_heading_of_the_focused_group_though_it_scrolls() -> None:
    names = ("Lines", "Axes", "Points")
    fields = [
        each for name in names for each in group_fields(name, *(Text(f"{name}{n}", f"f{n}", "", str) for n in range(6)))
    ]
    app = Host(fields=tuple(fields))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert " Lines" in form_lines(app)
        await pressed(pilot, "down " * 6)
        assert " Axes" in form_lines(app)
        await pressed(pilot, "up " * 6)
        assert " Lines" in form_lines(app)


async def test_narrow_form_keeps_its_title_and_both_signs_of_a_long_choice() -> None:
    options = (("same", "same as all charts (linear, as the data)"), ("log", "log"))
    app = Host(fields=(Choice("y", "y scale", options, "same"),))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        lines = form_lines(app)
        assert lines[0].split() == ["options", "of", "all", "charts", "⏎", "ok", "esc"]
        value = next(line for line in lines if "y scale" in line)
        assert value.endswith("…›")
        assert "‹same as all" in value
        await pilot.click(offset=place(app, lines[0].index("esc"), 0))
        await pilot.pause()
        assert app.outcome is None
