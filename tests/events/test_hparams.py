"""What the metadata of hyperparameters may say, byte by byte, and what may stand in its place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.plugins.hparams.decode import (
    Experiment,
    HParamInfo,
    HParamsError,
    Interval,
    MetricInfo,
    SessionEndInfo,
    SessionStartInfo,
    read_hparams,
)
from tests.helpers.event_bytes import double, field
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from tbtui.plugins.hparams.decode import HParamsData


def number(value: float) -> bytes:
    return double(2, value)


def word(value: str) -> bytes:
    return field(3, value.encode())


def truth(value: bool) -> bytes:
    return field(4, int(value))


def listed(*values: bytes) -> bytes:
    return b"".join(field(1, value) for value in values)


def start(*pairs: tuple[bytes, bytes], rest: bytes = b"") -> bytes:
    return field(3, b"".join(field(1, field(1, name) + field(2, value)) for name, value in pairs) + rest)


def experiment(*parts: bytes) -> bytes:
    return field(2, b"".join(parts))


SAID: dict[str, tuple[bytes, HParamsData]] = {
    "a number": (start((b"lr", number(0.1))), SessionStartInfo({"lr": 0.1})),
    "a word": (start((b"opt", word("adam"))), SessionStartInfo({"opt": "adam"})),
    "a truth": (start((b"bn", truth(True)), (b"aug", truth(False))), SessionStartInfo({"aug": False, "bn": True})),
    "an empty word": (start((b"note", word(""))), SessionStartInfo({"note": ""})),
    "infinity": (start((b"clip", number(math.inf))), SessionStartInfo({"clip": math.inf})),
    "null": (start((b"seed", field(1, 0)), (b"lr", number(1))), SessionStartInfo({"lr": 1.0})),
    "no value": (start((b"seed", b"")), SessionStartInfo()),
    "no name": (start((b"", number(1))), SessionStartInfo({"": 1.0})),
    "a list": (
        start((b"layers", field(6, listed(number(3), word("x"), field(1, 0), truth(True))))),
        SessionStartInfo({"layers": '[3.0, "x", null, true]'}),
    ),
    "a structure": (
        start((b"cfg", field(5, field(1, field(1, b"b") + field(2, number(1))) + field(1, field(1, b"a"))))),
        SessionStartInfo({"cfg": '{"a": null, "b": 1.0}'}),
    ),
    "a name that is no UTF-8": (start((b"a\xff", number(1))), SessionStartInfo({"a�": 1.0})),
    "a word that is no UTF-8": (start((b"opt", field(3, b"\xfe"))), SessionStartInfo({"opt": "�"})),
    "the rest of a start": (
        start(rest=field(2, b"model") + field(3, b"monitor") + field(4, b"group") + double(5, 1.5e9)),
        SessionStartInfo({}, "model", "monitor", "group", 1.5e9),
    ),
    "an empty start": (field(3, b""), SessionStartInfo()),
    "success": (field(4, field(1, 1)), SessionEndInfo("success")),
    "failure": (field(4, field(1, 2) + double(2, 1.5e9)), SessionEndInfo("failure", 1.5e9)),
    "running": (field(4, field(1, 3)), SessionEndInfo("running")),
    "an end without status": (field(4, b""), SessionEndInfo("unknown")),
    "a status of the future": (field(4, field(1, 99)), SessionEndInfo("unknown")),
    "an empty experiment": (experiment(), Experiment()),
    "an experiment": (
        experiment(field(6, b"name"), field(1, b"about"), field(2, b"me"), double(3, 1.5e9)),
        Experiment("name", "about", "me", 1.5e9),
    ),
    "domains": (
        experiment(
            field(4, field(1, b"lr") + field(4, 3) + field(6, double(1, 0.5) + double(2, 2))),
            field(4, field(1, b"opt") + field(4, 1) + field(5, listed(word("a"), word("b"), field(1, 0)))),
            field(4, field(1, b"bn") + field(2, b"Norm") + field(3, b"batch") + field(4, 2) + field(7, 1)),
            field(4, field(4, 77)),
        ),
        Experiment(
            hparam_infos=(
                HParamInfo("lr", type="float64", domain=Interval(0.5, 2.0)),
                HParamInfo("opt", type="string", domain=("a", "b")),
                HParamInfo("bn", "Norm", "batch", "bool", differs=True),
                HParamInfo(""),
            )
        ),
    ),
    "metrics": (
        experiment(
            field(5, field(1, field(2, b"acc"))),
            field(
                5, field(1, field(1, b"val") + field(2, b"acc")) + field(3, b"Acc") + field(4, b"best") + field(5, 2)
            ),
            field(5, field(5, 1)),
        ),
        Experiment(
            metric_infos=(
                MetricInfo("acc"),
                MetricInfo("acc", "val", "Acc", "best", "validation"),
                MetricInfo("", dataset_type="training"),
            )
        ),
    ),
    "another version": (field(1, 7) + start((b"lr", number(1))), SessionStartInfo({"lr": 1.0})),
    "fields of the future": (start((b"lr", number(1))) + field(99, b"new"), SessionStartInfo({"lr": 1.0})),
    "the last of two": (start((b"lr", number(1))) + field(4, field(1, 1)), SessionEndInfo("success")),
}
"""Contents, and what they say."""


@pytest.mark.parametrize(("content", "says"), SAID.values(), ids=SAID)
def test_hparams_content_is_decoded(content: bytes, says: HParamsData) -> None:
    read = read_hparams(content)
    assert read == says
    if isinstance(read, SessionStartInfo) and isinstance(says, SessionStartInfo):
        assert list(map(type, read.hparams.values())) == list(map(type, says.hparams.values()))
        assert list(read.hparams) == sorted(read.hparams)


def test_hparams_nan_is_kept() -> None:
    read = read_hparams(start((b"x", number(math.nan))))
    assert isinstance(read, SessionStartInfo)
    value = read.hparams["x"]
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "says nothing"),
        (b"\x08\x00", "says nothing"),
        (b"{}", "is not a message"),
        (b"\x1a\x05", "is not a message"),
        (start((b"lr", number(1)))[:-3], "is not a message"),
        (b"\xff" * 20, "is not a message"),
    ],
)
def test_hparams_empty_content_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(HParamsError, match=why):
        read_hparams(content)


def test_hparams_nesting_is_bounded() -> None:
    value = number(1)
    for _ in range(5_000):
        value = field(6, field(1, value))
    with pytest.raises(HParamsError):
        read_hparams(start((b"deep", value)))


@settings(deadline=None, max_examples=examples(200))
@given(
    st.sampled_from([content for content, _ in SAID.values()]),
    st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 3), st.binary(max_size=4)), max_size=5),
)
def test_hparams_any_bytes_are_read_or_refused(content: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    for place, count, other in edits:
        at = place % max(len(content), 1)
        content = content[:at] + other + content[at + count :]
    try:
        read = read_hparams(content)
    except HParamsError:
        return
    if isinstance(read, SessionStartInfo):
        for name, value in read.hparams.items():
            assert isinstance(value, bool | float | str)
            f"{name}={value}".encode()
    assert repr(read) == repr(read_hparams(content))
