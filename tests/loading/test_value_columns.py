"""Decoded values of any kind, which `Payloads.values` caches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import TensorError, read_strings
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import FILE, START, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


def add(logs: LogDirectory, steps: Iterable[int], values: Iterable[Any], *, delay: float = 0.0) -> None:
    path = logs.path("run", FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for step, value in zip(steps, values, strict=True):
            writer.tensor("todo", value, "checklists", step, START + step + delay)


def texts(*lines: str) -> Any:
    return np.array([line.encode() for line in lines], object)


def latest(loader: Loader) -> tuple[RunSnapshot, ReferenceSeries]:
    run = loader.load_all().snapshot.runs["run"]
    series = run.references("todo", "checklists")
    assert series is not None
    return run, series


class Reader:
    """Read strings, and count the values."""

    def __init__(self) -> None:
        self.count = 0

    def read(self, value: Any) -> list[bytes]:
        self.count += 1
        strings: list[bytes] = read_strings(value, "a checklist").tolist()
        return strings


def test_values_of_a_grown_series_reads_only_new_points(logs: LogDirectory) -> None:
    loader, payloads, reader = Loader(parse_sources([str(logs.root)])), Payloads(), Reader()
    add(logs, [0, 1], [texts("a", "b"), np.ones(2, np.float32)])
    first = payloads.values(reader.read, *latest(loader))
    assert payloads.values(reader.read, *latest(loader)) is first
    add(logs, [2], [texts("c")])
    grown = payloads.values(reader.read, *latest(loader))
    assert reader.count == 3
    assert grown.values == {0: [b"a", b"b"], 2: [b"c"]}
    assert grown.errors == {1: "a tensor of type float instead of a checklist"}
    assert first.values == {0: [b"a", b"b"]}
    assert payloads.nbytes > 600


def test_values_after_a_restart_drops_superseded_points(logs: LogDirectory) -> None:
    loader, payloads, reader = Loader(parse_sources([str(logs.root)])), Payloads(), Reader()
    add(logs, [0, 1, 2], map(texts, "abc"))
    run, series = latest(loader)
    payloads.values(reader.read, run, series.current)
    add(logs, [1, 2], map(texts, "de"), delay=10.0)
    run, series = latest(loader)
    assert payloads.values(reader.read, run, series.current).values == {0: [b"a"], 1: [b"d"], 2: [b"e"]}
    assert payloads.values(reader.read, run, series).values == {n: [b"abcde"[n : n + 1]] for n in range(5)}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (get_message_class("SummaryValue")(simple_value=1.0), "a single number instead of a checklist"),
        (get_message_class("SummaryValue")(), "an empty value instead of a checklist"),
    ],
)
def test_read_strings_other_value_raises(value: Any, reason: str) -> None:
    with pytest.raises(TensorError, match=f"^{reason}$"):
        read_strings(value, "a checklist")
