"""Pasted text presses no key, and fields reject characters that no keyboard types."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.widgets import Input

from tbtui.widgets.textual_patches.driver import _HeardParser
from tbtui.widgets.textual_patches.paste_guard import (
    BEGIN,
    END,
    MAX_PASTE_CHARACTERS,
    TYPED,
    PasteGuard,
    is_too_long,
    remove_untypeable,
)

KEY = "\x1b[A"
PIECES = st.lists(st.sampled_from(["\x1b", "[", "2", "0", "1", "~", "q", "\x1b[A", BEGIN, END, "é"]), max_size=20)


def passed(*pieces: str) -> str:
    guard = PasteGuard()
    return "".join(map(guard.remove_escapes, pieces))


def read(*pieces: str) -> list[Any]:
    parser = _HeardParser(SimpleNamespace(listeners=(), on_input=lambda: None))  # type: ignore[arg-type]
    return [each for piece in pieces for each in parser.feed(piece)]


@pytest.mark.parametrize(
    "text", ["\x1bq", "\x1b[A", "a\x1b\x1bq", "\x1b[200~q", "\x1bOP\x1b]0;t\x07q", "\x1b", "q\x1b["]
)
def test_an_escape_in_a_paste_is_no_key(text: str) -> None:
    data = f"{BEGIN}{text}{END}"
    for pieces in ((data,), tuple(data)):
        (paste,) = [each for each in read(*pieces) if isinstance(each, (events.Paste, events.Key))]
        assert isinstance(paste, events.Paste)
        assert paste.text == text.replace("\x1b", "")


def test_keys_around_a_paste_are_keys() -> None:
    found = read(f"a{KEY}{BEGIN}\x1bq{END}{KEY}b")
    assert [getattr(each, "key", "paste") for each in found] == ["a", "up", "paste", "up", "b"]


def test_what_is_typed_passes_as_it_is_and_at_once() -> None:
    guard = PasteGuard()
    for data in ("\x1b", KEY, "x", "\x1b[20", "\x1b[<0;1;1M", "é", END):
        assert guard.remove_escapes(data) == data


@given(PIECES, st.integers(1, 7))
def test_it_is_the_same_in_any_pieces(parts: list[str], size: int) -> None:
    data = "".join(parts) + END
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert passed(*pieces) == passed(data)


@given(PIECES)
def test_nothing_but_escapes_in_pastes_is_left_out(parts: list[str]) -> None:
    data = "".join(parts) + END
    assert passed(data).replace("\x1b", "") == data.replace("\x1b", "")
    inside = passed(data).split(BEGIN)[1:]
    assert all("\x1b" not in text.partition(END)[0] for text in inside)


@pytest.mark.parametrize("size", [1 << 12, 1 << 20])
def test_too_long_paste_is_reported_and_later_keys_are_keys(size: int) -> None:
    for length in (MAX_PASTE_CHARACTERS, MAX_PASTE_CHARACTERS + 1, 5_000_000):
        data = f"{BEGIN}{'(' * length}{END}{KEY}{BEGIN}next{END}"
        paste, key, after = read(*(data[at : at + size] for at in range(0, len(data), size)))
        assert is_too_long(paste.text) == (length > MAX_PASTE_CHARACTERS)
        assert len(paste.text) == min(length, MAX_PASTE_CHARACTERS + 1)
        assert (key.key, after.text) == ("up", "next")


def test_what_is_left_out_makes_no_paste_too_long() -> None:
    (paste,) = read(BEGIN + "\x1b\0x" * MAX_PASTE_CHARACTERS + END)
    assert paste.text == "x" * MAX_PASTE_CHARACTERS


def test_canary_plain_parser_reads_keys_inside_a_paste() -> None:
    found = [*XTermParser().feed(f"{BEGIN}\x1bq{END}")]
    assert any(isinstance(event, events.Key) for event in found)


async def field_after_paste(text: str, restrict: str | None) -> str:
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
    assert await field_after_paste("a\x1b]0;t\x07", TYPED) == ""
    assert await field_after_paste("loss/é字", TYPED) == "loss/é字"


async def test_canary_plain_input_takes_an_escape_sequence() -> None:
    assert "\x1b" in await field_after_paste("a\x1b]0;t\x07", None)


def test_remove_untypeable_removes_controls() -> None:
    assert remove_untypeable("a\x1b\u200bb\U0010eeee é") == "ab é"
