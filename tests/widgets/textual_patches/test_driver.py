"""Unknown terminal input neither ends the app nor leaves characters behind."""

from __future__ import annotations

import inspect
import os
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key

from tbtui.widgets.textual_patches.driver import _HeardParser

SENT = st.text("\x1b[]_P\\OM<>?;:$u~tymcRHIf0123456789 a\x07\x9b漢", min_size=1, max_size=40)


def read(sent: str) -> list[Any]:
    """What a parser makes of it and of the letter behind it."""
    parser = _HeardParser(SimpleNamespace(listeners=(), on_input=lambda: None))  # type: ignore[arg-type]
    return [*parser.feed(sent), *parser.feed("z")]


def test_parser_reports_input_before_it_reads_it() -> None:
    heard: list[str] = []
    listener = SimpleNamespace(feed=lambda data: heard.append(data) or data)
    driver: Any = SimpleNamespace(listeners=(listener,), on_input=lambda: heard.append("input"))
    assert [*_HeardParser(driver).feed("z")]
    assert heard == ["input", "z"]


@pytest.mark.parametrize("digits", ["1114112", "2147483648", "9" * 20, "55296", "57343"])
def test_a_key_of_a_character_that_there_is_not_is_none(digits: str) -> None:
    for sent in (f"\x1b[{digits}u", f"\x1b[{digits};5u"):
        keys = [event for event in read(sent) if isinstance(event, Key)]
        assert [key.key for key in keys if key.character] == ["z"]


@given(st.lists(SENT.map("\x1b[".__add__) | SENT, min_size=1, max_size=4).map("".join))
@example("\x1b[<99999999999;9999999999;9999999999M")
@example("\x1b[48;0;0;0;0t")
@example("\x1b[97;1;1114112u")  # a text behind a key, of which Textual 8.2.5 knows nothing
@example("\x1b[97;1;55296u")
@example("\x1b[?2048;9999999999$y")
def test_nothing_that_is_sent_ends_the_reading(sent: str) -> None:
    for event in read(sent):
        if isinstance(event, Key):
            (event.character or "").encode()


def test_canary_plain_parser_fails_on_a_code_beyond_unicode() -> None:
    with pytest.raises(ValueError, match="chr"):
        [*XTermParser().feed("\x1b[1114112u")]


def test_canary_plain_driver_fails_on_invalid_utf_8() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\xff")
    os.close(writer)
    driver: Any = SimpleNamespace(fileno=reader, exit_event=Event(), _debug=False)
    try:
        with pytest.raises(UnicodeDecodeError):
            LinuxDriver.run_input_thread(driver)
    finally:
        os.close(reader)


def test_canary_plain_driver_handles_signals_between_any_two_instructions() -> None:
    assert "signal.signal(signal.SIGTSTP" in inspect.getsource(LinuxDriver.__init__)
