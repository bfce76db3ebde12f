"""Histograms of many events at once say the same as each of them read alone."""

from __future__ import annotations

import math
import struct
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor, to_array
from tbtui.events.values import read_value
from tbtui.plugins.histograms import decode as histogram_columns
from tbtui.plugins.histograms.decode import MIN_BULK_VALUES, DecodeRequest, HistogramColumns, read_histograms
from tests.helpers.event_bytes import double, event, field, metadata, simple, tensor, varint

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

WALL_TIME = 1.5e9
DOUBLE, FLOAT = 2, 1
GREATEST = 1.7976931348623157e308


def wanted(
    payloads: Sequence[bytes], indices: Sequence[int] | None = None, steps: Sequence[int] | None = None
) -> DecodeRequest:
    lengths = np.array([len(payload) for payload in payloads], np.int64)
    return DecodeRequest(
        np.frombuffer(b"".join(payloads) + bytes(8), np.uint8),
        np.cumsum(lengths) - lengths,
        lengths,
        np.array(indices or [0] * len(payloads), np.int32),
        np.array(steps or [0] * len(payloads), np.int64),
        np.full(len(payloads), WALL_TIME),
    )


@cache
@lru_cache(1000)
def alone(payload: bytes, index: int = 0, step: int = 0) -> HistogramColumns:
    """Return one value as protobuf reads it."""
    return read_histograms(wanted([payload], [index], [step]))


def nothing_singly() -> Any:
    return mock.patch.object(histogram_columns, "_read_one", side_effect=AssertionError("read by protobuf"))


def bars(columns: HistogramColumns, row: int) -> npt.NDArray[np.float64]:
    """Rows of left, right and count."""
    end = int(columns.sizes[: row + 1].sum())
    begin = end - int(columns.sizes[row])
    return np.column_stack([columns.lefts, columns.rights, columns.counts])[begin:end]


def packed(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}d", *numbers)


def old(limits: Sequence[float], counts: Sequence[float], low: float, high: float, **more: float) -> bytes:
    """A value with a `HistogramProto`."""
    histogram = get_message_class("HistogramProto")(min=low, max=high, bucket_limit=limits, bucket=counts, **more)
    return field(1, b"t") + field(5, histogram.SerializeToString())


def of(built: Any) -> bytes:
    """A value with a tensor."""
    return field(1, b"t") + field(8, built.SerializeToString())


def rows(array: npt.ArrayLike, dtype: Any = np.float64) -> bytes:
    """A value with a tensor of these numbers."""
    return of(make_tensor(np.asarray(array, dtype)))


def pytorch(seed: int) -> bytes:
    """Values in buckets that grow by a tenth, cut to those with values and one empty one, as PyTorch does."""
    values = np.random.default_rng(seed).normal(size=500)
    positive = 1e-12 * 1.1 ** np.arange(600)
    edges = np.concatenate([-positive[::-1], [0], positive])
    counts, _ = np.histogram(values, edges)
    first, last = np.flatnonzero(counts)[[0, -1]]
    return old(
        edges[first : last + 2].tolist(),
        [0, *counts[first : last + 1].tolist()],
        values.min(),
        values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values @ values,
    )


USUAL = {
    "PyTorch": pytorch,
    "TF1": lambda seed: old([-1, 0.5, seed + 1, GREATEST], [2, 3, 0, 5], -2, seed + 2, num=10, sum=5, sum_squares=90),
    "TF2": lambda seed: rows([[0, 1, seed], [1, 2, 4], [2, 2, 1]]),
    "TF2, all values equal": lambda seed: rows([[seed, seed, 0]] * 29 + [[seed, seed, 7]]),
    "TF2, no values": lambda seed: rows(np.zeros((30, 3))),
    "float": lambda seed: rows([[0, 1, seed], [1, 2.5, 4]], np.float32),
    "typed doubles": lambda seed: (
        field(1, b"t") + field(8, tensor(DOUBLE, (2, 3), double_val=[0, 1, 2, 1, 5, seed]).SerializeToString())
    ),
    "typed floats": lambda seed: field(8, tensor(FLOAT, (1, 3), float_val=[0, 1, seed]).SerializeToString()),
    "diverged, PyTorch": lambda seed: old([1, 2], [0, 4], math.nan, math.nan, num=5, sum=math.nan),
    "endless, PyTorch": lambda seed: old([1, 2], [0, 4], -math.inf, 3, num=5, sum=-math.inf),
    "diverged, TF2": lambda seed: rows([[math.nan, math.nan, 0]] * 30),
    "metadata": lambda seed: rows([[0, 1, seed]]) + metadata("histograms"),
}


@pytest.mark.parametrize("build", USUAL.values(), ids=USUAL)
def test_histograms_of_common_writers_are_equal_in_bulk(build: Any) -> None:
    payloads = [event(build(seed)) for seed in range(MIN_BULK_VALUES)]
    values = wanted(payloads)
    with nothing_singly():
        columns = read_histograms(values)
    for row, payload in enumerate(payloads):
        one = alone(payload)
        assert np.array_equal(bars(columns, row), bars(one, 0))
        assert columns.errors.get(row) == one.errors.get(0)
        for name in ("totals", "sums", "squares"):
            assert np.array_equal(getattr(columns, name)[row], getattr(one, name)[0], equal_nan=True)
        if row not in columns.errors:
            newest = to_array(read_value(values.payload(row), 0).tensor)
            assert np.array_equal(bars(columns, row), newest)
            assert columns.totals[row] == newest[:, 2].sum()


def test_histograms_of_events_with_many_values_are_read_in_bulk() -> None:
    payloads = [
        event(*(pytorch(seed + n) for n in range(4)), simple("loss", 1), step=seed) for seed in range(MIN_BULK_VALUES)
    ]
    values = wanted(payloads, [seed % 4 for seed in range(MIN_BULK_VALUES)], list(range(MIN_BULK_VALUES)))
    with nothing_singly():
        columns = read_histograms(values)
    for row in range(MIN_BULK_VALUES):
        assert np.array_equal(bars(columns, row), to_array(read_value(payloads[row], row % 4).tensor))


def test_histograms_long_empty_ends_are_trimmed_in_bulk() -> None:
    limits = np.arange(100.0)
    counts = np.zeros(100)
    counts[[40, 60]] = 2, 3
    values = wanted([event(old(limits.tolist(), counts.tolist(), 39.5, 59.5))] * MIN_BULK_VALUES)
    with nothing_singly():
        columns = read_histograms(values)
    assert columns.sizes.tolist() == [21] * MIN_BULK_VALUES
    assert bars(columns, 3)[[0, 1, -1]].tolist() == [[39.5, 40, 2], [40, 41, 0], [59, 59.5, 3]]


OLD, NEW = old([1, 2], [1, 1], 0, 2)[3:], rows([[5, 6, 7]])[3:]
"""Without the tag."""

ODD = {
    "more counts than limits": old([1, 2], [1, 1, 0, 0], 0, 2),
    "counts without a bucket": old([1, 2], [1, 1, 4], 0, 3),
    "more limits than counts": old([1, 2, 3], [1, 1], 0, 2),
    "infinite limits of no values": old([1, 2], [0, 0], math.inf, -math.inf),
    "least and greatest swapped": old([1, 2, 3], [1, 1, 1], 3, 0),
    "limits that run backwards": old([2, 1, 3], [1, 1, 1], 0, 3),
    "limits beyond the greatest": old([1, 8, 9], [1, 1, 1], 0, 3),
    "no greatest value": old([1, 2, 3], [1, 1, 1], 0, GREATEST),
    "an infinite count": old([1, 2], [1, math.inf], 0, 2),
    "counts whose sum is infinite": old([1, 2], [GREATEST, GREATEST], 0, 2),
    "a count below zero": old([1, 2], [1, -1], 0, 2),
    "negative zeros at the ends": old([1, 2, 3], [-0.0, 1, -0.0], 0, 2),
    "an old histogram, then a tensor": OLD + NEW,
    "a tensor, then an old histogram": NEW + OLD,
    "overlapping": rows([[0, 2, 1], [1, 3, 1]]),
    "backwards": rows([[2, 3, 1], [0, 1, 1]]),
    "no lower edge": rows([[-math.inf, 2, 1], [2, 3, 1]]),
    "the least number there is": rows([[-GREATEST, 2, 1], [2, 3, 1]]),
    "the greatest number there is": rows([[1, 2, 1], [2, GREATEST, 1]]),
    "a NaN at one end": rows([[math.nan, 2, 1], [2, 3, 1]]),
    "three dimensions": rows(np.ones((2, 3, 1))),
    "one dimension": rows(np.ones(6)),
    "columns for rows": rows(np.ones((3, 2))),
    "contents and typed values": of(tensor(DOUBLE, (1, 3), double_val=[1, 2, 3], tensor_content=packed(4, 5, 6))),
    "one value for all": of(tensor(DOUBLE, (2, 3), double_val=[1])),
    "values of another type": of(tensor(DOUBLE, (1, 3), float_val=[1, 2, 3])),
    "whole numbers": of(tensor(9, (1, 3), int64_val=[1, 2, 3])),
    "texts": of(tensor(7, (1, 3), string_val=[b"1", b"2", b"3"])),
    "a long number before the shape": field(8, varint(3 << 3) + varint(1 << 52) + NEW[2:]),
    "nothing": b"",
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_histograms_unusual_value_in_bulk_equals_it_alone(odd: bytes) -> None:
    usual = event(pytorch(3))
    everything = wanted([usual] * 5 + [event(odd)] * 2 + [usual] * MIN_BULK_VALUES)
    columns, one, first = read_histograms(everything), alone(event(odd)), alone(usual)
    for row in range(len(everything)):
        expected = one if row in {5, 6} else first
        assert np.array_equal(bars(columns, row), bars(expected, 0))
        assert columns.errors.get(row) == expected.errors.get(0)
        assert np.array_equal(columns.totals[row], expected.totals[0], equal_nan=True)


edges = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, GREATEST, -GREATEST, 1e308])
counts = st.integers(0, 5) | st.floats(0, 9) | st.sampled_from([0.0, 0.0, -0.0, -1.0, math.nan, math.inf, 1e308])


def shuffled(parts: list[bytes]) -> st.SearchStrategy[bytes]:
    return st.just(b"".join(parts)) | st.permutations(parts).map(b"".join)


@st.composite
def histogram_protos(draw: st.DrawFn) -> bytes:
    """A `HistogramProto` as any writer may put it."""
    size = draw(st.integers(0, 12))
    limits = draw(st.lists(edges, min_size=size, max_size=size).map(sorted) | st.lists(edges, max_size=12))
    filled = draw(st.lists(counts, min_size=len(limits), max_size=len(limits)) | st.lists(counts, max_size=12))
    low, high = draw(st.tuples(edges, edges) | st.just((min(limits, default=0) - 1, max(limits, default=0))))
    with np.errstate(all="ignore"):
        num = draw(st.sampled_from([float(np.sum(filled)), 0.0, 3.0]))
    parts = [double(1, low), double(2, high), double(3, num), double(4, draw(edges)), double(5, draw(edges))]
    for number, numbers in ((6, limits), (7, filled)):
        match draw(st.sampled_from(["packed"] * 6 + ["unpacked", "twice", "odd", "missing"])):
            case "packed":
                parts.append(field(number, packed(*numbers)))
            case "unpacked":
                parts += [double(number, each) for each in numbers]
            case "twice":
                parts += [field(number, packed(*numbers[:2])), field(number, packed(*numbers[2:]))]
            case "odd":
                parts.append(field(number, packed(*numbers) + b"\1"))
    parts += draw(st.lists(extras, max_size=1))
    if draw(st.integers(0, 5)) == 0:
        del parts[draw(st.integers(0, len(parts) - 1))]
    return draw(shuffled(parts))


@st.composite
def tensor_protos(draw: st.DrawFn) -> bytes:
    """A `TensorProto`, often of a histogram."""
    size = draw(st.integers(0, 6))
    ascending = sorted(draw(st.lists(st.floats(-9, 9), min_size=size + 1, max_size=size + 1)))
    numbers = [n for i in range(size) for n in (ascending[i], ascending[i + 1], draw(counts))]
    if draw(st.integers(0, 2)) == 0:
        numbers = draw(st.lists(edges, min_size=3 * size, max_size=3 * size))
    shape = draw(st.sampled_from([(size, 3)] * 6 + [(3, size), (size,), (size, 3, 1), (), (size + 1, 3), None]))
    dtype = draw(st.sampled_from([DOUBLE] * 4 + [FLOAT] * 2 + [3, 19, 7, 102, 0, 99]))
    built = tensor(dtype, shape)
    match draw(st.sampled_from(["content"] * 4 + ["typed", "other", "both", "short"])):
        case "content":
            with np.errstate(over="ignore"):
                built.tensor_content = np.array(numbers).astype("<f4" if dtype == FLOAT else "<f8").tobytes()
        case "typed":
            (built.float_val if dtype == FLOAT else built.double_val).extend(np.clip(numbers, -1e30, 1e30))
        case "other":
            (built.double_val if dtype == FLOAT else built.float_val).extend(np.clip(numbers, -1e30, 1e30))
        case "both":
            built.double_val.extend(numbers)
            built.tensor_content = packed(*numbers)
        case "short":
            built.double_val.extend(numbers[:1])
    if draw(st.integers(0, 4)) == 0 and shape:
        built.tensor_shape.dim[0].name = "rows"
    return draw(st.just(built.SerializeToString()) | extras.map(built.SerializeToString().__add__))


extras = st.sampled_from(
    [
        field(12, 7),
        field(20, b"later"),
        double(3, 4.0),
        field(3, 5),
        varint(6 << 3 | 3),
        b"\0",
        b"\x80",
        field(1, b"twice"),
        field(9, b"\xff"),
        field(8, b""),
        field(5, b""),
        field(2, 1.0),
    ]
)
values = st.one_of(
    st.builds(lambda proto: field(1, b"t") + field(5, proto), histogram_protos()),
    st.builds(lambda proto: field(1, b"t") + field(5, proto), histogram_protos()),
    st.builds(lambda proto: field(1, b"t") + field(8, proto), tensor_protos()),
    st.builds(lambda proto, more: field(8, proto) + more, tensor_protos(), extras),
    st.builds(lambda proto: field(1, b"t") + field(5, proto) + metadata("histograms"), histogram_protos()),
    st.integers(0, 99).map(lambda seed: list(USUAL.values())[seed % len(USUAL)](seed)),
    st.just(simple("t", 1.0)),
    st.just(b""),
)


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    """An event, or bytes that are nearly one."""
    step = draw(st.sampled_from([0, 0, 0, None, 7, -1, 1 << 40, 1 << 62]))
    inside = draw(st.lists(values, min_size=1, max_size=3))
    built = event(*inside, step=step, wall_time=draw(st.sampled_from([WALL_TIME] * 6 + [1.0])))
    match draw(st.sampled_from(["whole"] * 6 + ["more", "cut", "changed", "swapped"])):
        case "more":
            return built + draw(extras)
        case "cut":
            return built[: draw(st.integers(0, len(built)))]
        case "changed":
            place = draw(st.integers(0, len(built) - 1))
            return built[:place] + draw(st.binary(max_size=2)) + built[place + 1 :]
        case "swapped":
            return built[9:] + built[:9]
    return built


@given(
    st.lists(st.tuples(payloads(), st.sampled_from([0, 0, 0, 1, 2, -1]), st.sampled_from([0, 0, 7])), max_size=5),
    st.integers(0, MIN_BULK_VALUES),
)
def test_histograms_in_bulk_equal_each_alone(odd: list[tuple[bytes, int, int]], before: int) -> None:
    usual = [(event(build(before)), 0, 0) for build in USUAL.values()] * 2
    everything = [*usual[:before], *odd, *usual[before:]]
    columns = read_histograms(wanted(*(list(column) for column in zip(*everything, strict=True))))
    assert len(columns.lefts) == len(columns.rights) == len(columns.counts) == columns.sizes.sum()
    for row, value in enumerate(everything):
        one = alone(*value)
        found = bars(columns, row)
        assert columns.errors.get(row) == one.errors.get(0)
        assert np.array_equal(found, bars(one, 0))
        for name in ("totals", "sums", "squares"):
            assert np.array_equal(getattr(columns, name)[row], getattr(one, name)[0], equal_nan=True)
        assert np.isfinite(found).all()
        assert (np.diff(found[:, :2].reshape(-1)) >= 0).all()
        assert (found[:, 2] >= 0).all()
        if row in columns.errors:
            assert len(found) == 0
            assert math.isnan(columns.totals[row])
        else:
            assert columns.totals[row] == pytest.approx(found[:, 2].sum(), rel=1e-12)


def test_histograms_few_and_no_values_are_read() -> None:
    assert read_histograms(wanted([])).totals.tolist() == []
    columns = read_histograms(wanted([event(rows([[0, 1, 2]])), b"no event"]))
    assert columns.totals.tolist()[0] == 2
    assert columns.errors == {1: "the file no longer holds an event here"}


def test_histograms_event_of_another_time_is_refused() -> None:
    same = event(rows([[0, 1, 2]]), step=4, wall_time=WALL_TIME)
    later = event(rows([[0, 1, 2]]), step=4, wall_time=WALL_TIME + 1)
    for many in (1, MIN_BULK_VALUES):
        steps = [4, 5, 4] * many
        columns = read_histograms(wanted([same, same, later] * many, None, steps))
        assert set(columns.errors) == {row for row in range(3 * many) if row % 3}
        assert set(columns.errors.values()) == {"the file now holds another event here"}


def test_histograms_event_with_nan_wall_time_is_accepted() -> None:
    payload = event(rows([[0, 1, 2]]), wall_time=math.nan)
    for many in (1, MIN_BULK_VALUES):
        everything = wanted([payload] * many)
        everything.wall_times[:] = math.nan
        assert not read_histograms(everything).errors


@pytest.mark.parametrize(
    ("said", "sums", "squares"),
    [
        pytest.param({"num": 4, "sum": 6, "sum_squares": 10}, 6, 10, id="possible"),
        pytest.param({"num": 4 + 1e-7, "sum": 6, "sum_squares": 10}, 6, 10, id="rounded"),
        pytest.param({"num": 5, "sum": 6, "sum_squares": 10}, math.nan, math.nan, id="another number of values"),
        pytest.param({"num": 4}, math.nan, math.nan, id="no sum, though all values are above 1"),
        pytest.param({"num": 4, "sum": math.nan, "sum_squares": 10}, math.nan, math.nan, id="no number"),
        pytest.param({"num": 4, "sum": 9, "sum_squares": 20}, math.nan, math.nan, id="a mean above the greatest"),
        pytest.param({"num": 4, "sum": 6, "sum_squares": 8}, 6, math.nan, id="a variance below zero"),
        pytest.param({"num": 4, "sum": 6, "sum_squares": 17}, 6, math.nan, id="squares above the greatest"),
        pytest.param({}, math.nan, math.nan, id="nothing"),
    ],
)
def test_histograms_sums_are_kept_if_possible_for_the_buckets(
    said: dict[str, float], sums: float, squares: float
) -> None:
    columns = read_histograms(wanted([event(old([1.2, 2], [1, 3], 1, 2, **said))]))
    assert not columns.errors
    assert columns.totals.tolist() == [4]
    assert np.array_equal([columns.sums[0], columns.squares[0]], [sums, squares], equal_nan=True)


def test_histograms_without_values_have_recorded_zero_sums() -> None:
    nothing = event(old([1, 2], [0, 0], GREATEST, -GREATEST))
    columns = read_histograms(wanted([nothing, event(rows(np.zeros((30, 3)))), event(rows(np.zeros((0, 3))))]))
    assert columns.totals.tolist() == [0, 0, 0]
    assert columns.sizes.tolist() == [0, 30, 0]
    assert columns.sums.tolist()[0] == columns.squares.tolist()[0] == 0
    assert np.isnan(columns.sums[1:]).all()


def test_histograms_refused_and_repaired_keep_the_positions() -> None:
    usual, backwards = event(pytorch(1)), event(rows([[1, 2, 3], [1, 0, 1]]))
    broken = event(rows([[0, 1, -1]]))
    drawn = [usual, usual, backwards, broken, usual, backwards, backwards, usual] * 3
    columns = read_histograms(wanted(drawn))
    expected = {usual: bars(alone(usual), 0).tolist(), backwards: [[0, 1, 1], [1, 2, 3]], broken: []}
    for row, payload in enumerate(drawn):
        assert bars(columns, row).tolist() == expected[payload]
    assert set(columns.errors) == {row for row, payload in enumerate(drawn) if payload is broken}
