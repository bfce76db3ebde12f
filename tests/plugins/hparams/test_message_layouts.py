"""Starts of sessions that equal a known one but for numbers are decoded as protobuf decodes them."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from tbtui.events.schema import get_message_class
from tbtui.plugins.hparams import start_layouts
from tbtui.plugins.hparams.decode import SessionStartInfo, read_hparams
from tbtui.plugins.hparams.start_layouts import StartLayouts

if TYPE_CHECKING:
    from collections.abc import Mapping


def start(values: Mapping[str, object], seconds: float = 1.7e9, group: str = "") -> bytes:
    """Return a serialized start of a session."""
    data = get_message_class("HParamsPluginData")(version=0)
    info = data.session_start_info
    for name, value in values.items():
        entry = info.hparams[name]
        if isinstance(value, bool):
            entry.bool_value = value
        elif isinstance(value, str):
            entry.string_value = value
        elif isinstance(value, list):
            for part in value:
                entry.list_value.values.add(number_value=part)
        elif value is None:
            entry.null_value = 0
        else:
            entry.number_value = value
    info.group_name = group
    info.start_time_secs = seconds
    return bytes(data.SerializeToString())


def decoded(content: bytes) -> SessionStartInfo:
    """Return what protobuf decodes, whatever is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tbtui.plugins.hparams.decode._layouts", StartLayouts())
        found = read_hparams.__wrapped__(content)
    assert isinstance(found, SessionStartInfo)
    return found


def assert_same(found: object, expected: SessionStartInfo) -> None:
    """Compare all that is read, NaN and the order of the names among it."""
    assert isinstance(found, SessionStartInfo)
    assert repr(found) == repr(expected)
    assert [*map(type, found.hparams.values())] == [*map(type, expected.hparams.values())]


def test_a_start_that_differs_in_numbers_is_read_as_protobuf_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known: StartLayouts[SessionStartInfo] = StartLayouts()
    monkeypatch.setattr("tbtui.plugins.hparams.decode._layouts", known)
    chance = random.Random(0)
    numbers = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 3.0]
    for number in range(60):
        values = {
            "lr": chance.choice(numbers) if number % 2 else chance.random(),
            "solver": chance.choice(["adam", "sgd", "lion"]),
            "is_nested": bool(number % 3),
            "sizes": [1.0, 2.0],
            "nothing": None,
            "width": float(chance.randrange(9)),
        }
        content = start(values, 1.7e9 + number if number % 7 else 0.0, group="a" * (number % 2))
        assert_same(read_hparams.__wrapped__(content), decoded(content))
    assert sum(known.find(start(values, 1.5e9 + more)) is not None for more in range(3)) == 3


def test_every_other_byte_is_compared() -> None:
    known: StartLayouts[SessionStartInfo] = StartLayouts()
    content = start({"lr": 0.5, "solver": "adam"})
    known.learn(content, decoded(content))
    found = known.find(content)
    assert found is not None
    assert sorted(found[1]) == [0.5, 1.7e9]
    numbers = {
        place for number in start_layouts._find_numbers(content) for place in range(number.offset, number.offset + 8)
    }
    assert len(numbers) == 16
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        assert (known.find(bytes(changed)) is not None) == (place in numbers), place


def _with_field(content: bytes, field: bytes) -> bytes:
    """Return a message whose session has a further field."""
    assert content[2:3] == b"\x1a"
    assert content[3] + len(field) < 0x80
    return content[:3] + bytes([content[3] + len(field)]) + content[4:] + field


_ENTRY = b"\x0a\x0f\x0a\x02lr\x12\x09\x11" + b"\0" * 8


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (_with_field(start({"lr": 0.5}), _ENTRY), "a name twice"),
        (_with_field(start({"lr": 0.5}), b"\x29" + b"\0" * 8), "a time twice"),
        (_with_field(start({"momentum": 0.5}), _ENTRY.replace(b"lr", b"l\xff")), "a name that is not UTF-8"),
        (_with_field(start({"lr": 0.5}), b"\x30\x01"), "a field that is not known"),
        (start({"lr": 0.5})[:-1], "it ends too early"),
        (start({"lr": 0.5}) + b"\x08\x00", "it goes on"),
    ],
)
def test_an_odd_start_has_no_layout(content: bytes, reason: str) -> None:
    known: StartLayouts[SessionStartInfo] = StartLayouts()
    known.learn(content, SessionStartInfo())
    assert known.find(content) is None, reason


def test_layouts_that_serve_no_other_start_are_not_made_for_ever() -> None:
    known: StartLayouts[SessionStartInfo] = StartLayouts()
    contents = [start({f"name{number:04}": 0.5}) for number in range(2 * start_layouts.MAX_USELESS)]
    for content in contents:
        known.learn(content, SessionStartInfo())
    assert known.find(contents[start_layouts.MAX_USELESS]) is None
    assert known.find(contents[0]) is not None
    known.learn(contents[-1], SessionStartInfo())
    assert known.find(contents[-1]) is not None
