"""Input fields reject characters that no keyboard types."""

from __future__ import annotations

from textual import events
from textual.app import App
from textual.widgets import Input

from tbtui.widgets.textual_patches.input_filter import TYPED, typeable


async def pasted(text: str, restrict: str | None) -> str:
    """Return the value of a field after a paste."""
    async with App[None]().run_test() as pilot:
        field = Input(restrict=restrict)
        await pilot.app.mount(field)
        field.focus()
        await pilot.pause()
        field.post_message(events.Paste(text))
        await pilot.pause()
        return field.value


async def test_input_restricted_refuses_an_escape_sequence() -> None:
    assert await pasted("a\x1b]0;t\x07", TYPED) == ""
    assert await pasted("loss/é字", TYPED) == "loss/é字"


async def test_canary_plain_input_takes_an_escape_sequence() -> None:
    assert "\x1b" in await pasted("a\x1b]0;t\x07", None)


def test_typeable_removes_controls() -> None:
    assert typeable("a\x1b\u200bb\U0010eeee é") == "ab é"
