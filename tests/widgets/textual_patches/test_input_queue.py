"""Keys read at once are handled one by one, each with the focus that the previous key left."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from tbtui.widgets.textual_patches import input_queue
from tbtui.widgets.textual_patches.input_queue import InputHandled, PatchedApp
from tbtui.widgets.textual_patches.paste_guard import MAX_PASTE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.pilot import Pilot


class Pressed(Widget, can_focus=True):
    """Hears every key that comes to it, and lets all travel on; a g takes it away."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)
        if event.key == "g":
            event.stop()
            self.remove()


class Asking(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "dismiss")]


class TwoPlaces(PatchedApp[None]):
    AUTO_FOCUS = "Pressed"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter"),
        Binding("o", "ask"),
        Binding("ctrl+l", "filter", priority=True),
    ]

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Pressed()
        yield Input()

    def action_filter(self) -> None:
        self.query_one(Input).focus()

    def action_ask(self) -> None:
        self.push_screen(Asking())


def at_once(app: TwoPlaces, *keys: str | events.Event) -> None:
    """As the driver does with what one read has brought."""
    for key in keys:
        if isinstance(key, str):
            app.post_message(events.Key(key, key if len(key) == 1 else {"slash": "/"}.get(key)))
        else:
            app.post_message(key)


async def all_answered(pilot: Pilot[None]) -> None:
    app = pilot.app
    assert isinstance(app, TwoPlaces)
    while app._marker is not None or app._waiting:
        await pilot.pause()
    await pilot.pause()


@pytest.mark.parametrize("way", ["slash", "ctrl+l"])
async def test_what_is_typed_behind_a_key_that_moves_the_focus_goes_there(way: str) -> None:
    async with TwoPlaces().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        at_once(app, "a", way, *"loss", events.Paste("/x"), "y")
        await all_answered(pilot)
        assert app.query_one(Input).value == "loss/xy"
        assert app.query_one(Pressed).keys == (["a", "slash"] if way == "slash" else ["a"])


async def test_what_is_pasted_and_too_long_is_told_and_not_taken() -> None:
    async with TwoPlaces().run_test(notifications=True) as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        at_once(app, "slash", "x", events.Paste("(" * (MAX_PASTE_CHARACTERS + 1)), "y")
        await all_answered(pilot)
        assert app.query_one(Input).value == "xy"
        (told,) = app._notifications
        assert told.message == "more than 65,536 characters were pasted: none were taken"
        at_once(app, events.Paste("(" * MAX_PASTE_CHARACTERS))
        await all_answered(pilot)
        assert app.query_one(Input).value == "xy" + "(" * MAX_PASTE_CHARACTERS
        assert len(app._notifications) == 1


TYPED = [
    "lossy",
    ["a", "b", "left", "c", "d", "backspace", "end", "e", "f"],
    ["x", "paste me", "y", "z"],
    ["a", "b", "shift+home", "c", "d"],
    ["é", "字", "g", "home", "1", "2"],
    ["a", "b", "escape", "c", "ctrl+u", "d", "e"],
]


@pytest.mark.parametrize("keys", TYPED, ids=str)
async def test_letters_that_wait_together_write_what_they_write_one_by_one(keys: Sequence[str]) -> None:
    written = []
    for together in (True, False):
        async with TwoPlaces().run_test() as pilot:
            app = pilot.app
            assert isinstance(app, TwoPlaces)
            at_once(app, "slash")
            for key in keys:
                at_once(app, events.Paste(key) if " " in key else key)
                if not together:
                    await all_answered(pilot)
            await all_answered(pilot)
            field = app.query_one(Input)
            written.append((field.value, field.selection))
    assert written[0] == written[1]


async def test_many_letters_are_written_in_a_few_steps() -> None:
    async with TwoPlaces().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        values: list[str] = []
        app.watch(app.query_one(Input), "value", lambda value: values.append(value), init=False)  # noqa: PLW0108 - Textual asks for __func__
        at_once(app, "slash", *"ab|" * 1000)
        await all_answered(pilot)
        assert values[-1] == "ab|" * 1000
        assert len(values) < 30


async def test_another_screen_has_the_keys_behind_the_one_that_brought_it() -> None:
    async with TwoPlaces().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        at_once(app, "o", "x", "slash", "b")
        await all_answered(pilot)
        assert app.query_one(Input).value == "b"
        assert app.query_one(Pressed).keys == ["o", "slash"]


async def test_a_widget_that_goes_with_its_key_holds_none_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_queue, "MAX_WAIT_SECONDS", 0.01)
    async with TwoPlaces().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        at_once(app, "g", "b")
        await all_answered(pilot)
        assert not app.query(Pressed)
        assert app.query_one(Input).value == "b"


async def test_nothing_waits_for_an_answer_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_queue, "MAX_WAIT_SECONDS", 0.01)
    arrives = Pressed.post_message
    monkeypatch.setattr(
        Pressed, "post_message", lambda self, message: isinstance(message, InputHandled) or arrives(self, message)
    )
    async with TwoPlaces().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, TwoPlaces)
        at_once(app, "slash", "b")
        await all_answered(pilot)
        assert app.query_one(Input).value == "b"


async def test_canary_plain_textual_gives_typed_ahead_letters_to_the_old_focus() -> None:
    class PlainPlaces(App[None]):
        AUTO_FOCUS = "Pressed"
        BINDINGS: ClassVar[list[BindingType]] = [Binding("slash", "filter")]

        def compose(self) -> ComposeResult:
            yield Pressed()
            yield Input()

        def action_filter(self) -> None:
            self.query_one(Input).focus()

    async with PlainPlaces().run_test() as pilot:
        for key in ("slash", "a", "b"):
            pilot.app.post_message(events.Key(key, None if key == "slash" else key))
        await pilot.pause(0.1)
        assert "a" in pilot.app.query_one(Pressed).keys
