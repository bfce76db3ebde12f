"""A modal screen is dismissed once, however many events ask for it."""

from __future__ import annotations

from asyncio import InvalidStateError
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from textual.app import App, ScreenError, ScreenStackError
from textual.events import Key
from textual.screen import ModalScreen

from tbtui.widgets.form import FormScreen
from tbtui.widgets.form_fields import Text
from tests.helpers.screen_text import until

if TYPE_CHECKING:
    from collections.abc import Iterator

FIELD = Text("name", "name", "a", str)


class Forms(App[None]):
    """Opens forms and keeps what they come to."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: list[Any] = []

    def open(self, *args: Any, **how: Any) -> FormScreen:
        form = FormScreen("form", [FIELD], *args, **how)
        self.push_screen(form, self.outcomes.append)
        return form

    def type(self, *keys: str) -> None:
        """Faster than anything is answered."""
        assert self._driver is not None
        for key in keys:
            self._driver.send_message(Key(key, None))


@pytest.fixture
def released() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


async def test_enter_twice_applies_once() -> None:
    app = Forms()
    async with app.run_test() as pilot:
        app.open()
        await pilot.pause()
        app.type("enter", "enter", "enter")
        await pilot.pause()
        assert app.outcomes == [{"name": "a"}]
        assert len(app.screen_stack) == 1


async def test_work_that_ends_after_escape_takes_nothing_away(released: Event) -> None:
    app = Forms()
    async with app.run_test() as pilot:
        below = app.open()
        left = app.open(lambda _: released.wait(20), slow=True)
        await pilot.pause()
        await pilot.press("enter")
        work = left._work
        assert work is not None
        await pilot.press("escape")
        released.set()
        await left._finish_slow_work(work)  # what the worker does when it is not ended in time
        assert app.outcomes == [None]
        assert app.screen is below


async def test_form_finished_while_covered_closes_when_uncovered(released: Event) -> None:
    app = Forms()
    async with app.run_test() as pilot:
        form = app.open(lambda _: released.wait(20) and "done", slow=True)
        await pilot.pause()
        await pilot.press("enter")
        cover: ModalScreen[None] = ModalScreen()
        await app.push_screen(cover)
        released.set()
        await until(pilot, lambda: form._work is None)
        assert app.screen is cover
        app.pop_screen()
        await until(pilot, lambda: app.outcomes)
        assert app.outcomes == ["done"]
        assert len(app.screen_stack) == 1


async def test_canary_plain_modal_dismissed_twice_fails_or_pops_another() -> None:
    app = Forms()
    async with app.run_test() as pilot:
        below: ModalScreen[None] = ModalScreen()
        await app.push_screen(below)
        above: ModalScreen[None] = ModalScreen()
        await app.push_screen(above)
        try:
            above.dismiss()
            above.dismiss()
        except (InvalidStateError, ScreenError, ScreenStackError):
            return
        await pilot.pause()
        assert app.screen is not below
