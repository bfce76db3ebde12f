"""Test bit-exact Parquet and Arrow tables, and the one-line refusal without pyarrow."""

from __future__ import annotations

import builtins
import math
import struct
import sys
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.export import arrow
from tbtui.export.arrow import ArrowFormat, check_arrow, encode_arrow
from tbtui.export.output import OutputError
from tbtui.export.table import KEY_COLUMNS, Table, mask_missing
from tbtui.plugins.scalars.export import SCALAR_COLUMNS
from tests.helpers.property_examples import examples
from tests.helpers.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = st.text(st.characters(codec=None), max_size=6)
POINTS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.floats(), st.floats()), max_size=6)


def read(
    form: ArrowFormat,
    tables: Sequence[Table],
    columns: Sequence[str] = SCALAR_COLUMNS,
    key_columns: Sequence[str] = KEY_COLUMNS,
) -> Any:
    """Return the table that pyarrow reads."""
    pa = pytest.importorskip("pyarrow")
    data = b"".join(encode_arrow(tables, form, columns, key_columns))
    if form == "arrow":
        return pa.ipc.open_file(data).read_all()
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(data))


def bits(number: float) -> bytes:
    return b"NaN" if math.isnan(number) else struct.pack("<d", number)


def escaped(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("form", get_args(ArrowFormat))
def test_flags_are_booleans_in_arrow_tables(form: ArrowFormat) -> None:
    flags = np.array([True, False, True])
    columns = {"is_done": flags, "is_known": mask_missing(flags, np.array([True, True, False]))}
    written = read(form, [Table("net", "todo", columns)], tuple(columns))
    assert [str(written.schema.field(name).type) for name in columns] == ["bool", "bool"]
    assert written.column("is_done").to_pylist() == [True, False, True]
    assert written.column("is_known").to_pylist() == [True, False, None]


@pytest.mark.parametrize("form", get_args(ArrowFormat))
@settings(max_examples=examples(40))
@given(held=st.lists(st.tuples(NAMES, NAMES, POINTS), max_size=4), cells=st.sampled_from([1, 15, 1 << 20]))
def test_arrow_table_round_trips(
    form: ArrowFormat, held: list[tuple[str, str, list[tuple[int, float, float]]]], cells: int
) -> None:
    tables, expected = [], []
    for run, tag, points in held:
        steps, wall_times, values = zip(*points, strict=True) if points else ((), (), ())
        tables.append(table(values, run=run, tag=tag, steps=steps, wall_times=wall_times))
        expected += [(escaped(run), escaped(tag), step, bits(wall), bits(value)) for step, wall, value in points]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(arrow, "BATCH_CELLS", cells)
        found = read(form, tables)
    rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
    assert [(run, tag, step, bits(wall), bits(value)) for run, tag, step, wall, value in rows] == expected
    assert found.column_names == ["run", "tag", "step", "wall_time", "value"]
    assert list(map(str, found.schema.types))[2:] == ["int64", "double", "double"]


@pytest.mark.parametrize("form", get_args(ArrowFormat))
def test_arrow_names_share_one_dictionary_across_batches(form: ArrowFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow, "BATCH_CELLS", 10)
    found = read(form, [table([1, 2, 3], run=run, tag="t") for run in "abca"])
    assert str(found.schema.field("run").type).startswith("dictionary<values=string, indices=int32")
    assert found.column("run").to_pylist() == list("aaabbbcccaaa")
    assert found.column("run").num_chunks > 1 or form == "parquet"


@pytest.mark.parametrize("form", get_args(ArrowFormat))
def test_arrow_missing_value_is_null_and_not_nan(form: ArrowFormat) -> None:
    texts = np.array(["a", None, "\udcff"], object)
    numbers, floats = np.array([1, None, 3], object), np.array([None, 0.5, math.nan], object)
    gaps = mask_missing(np.array([1.0, math.nan, 3.0]), np.array([False, True, True]))
    made = Table("r", "t", {"problem": texts, "width": numbers, "duration": floats, "gap": gaps})
    found = read(form, [made, made], ("problem", "width", "duration", "gap"))
    assert found.column("problem").to_pylist() == ["a", None, "\\udcff"] * 2
    assert found.column("width").to_pylist() == [1, None, 3] * 2
    assert found.column("duration").is_null().to_pylist() == [True, False, False] * 2
    assert found.column("gap").is_null().to_pylist() == [True, False, False] * 2
    assert math.isnan(found.column("gap").to_pylist()[1])


@pytest.mark.parametrize("form", get_args(ArrowFormat))
def test_arrow_table_without_name_columns_or_rows(form: ArrowFormat) -> None:
    found = read(form, [Table("", "", {"step": np.arange(3), "a/b": np.arange(3.0)})], ("step", "a/b"), ())
    assert found.to_pydict() == {"step": [0, 1, 2], "a/b": [0.0, 1.0, 2.0]}
    hurt = Table("", "", {"step": np.arange(1), "not utf-8 \udcff/失": np.arange(1.0)})
    assert read(form, [hurt], tuple(hurt.columns), ()).column_names == ["step", "not utf-8 \\udcff/失"]
    assert read(form, []).num_rows == read(form, [table([])]).num_rows == 0


@pytest.mark.parametrize("form", get_args(ArrowFormat))
def test_arrow_columns_of_different_lengths_raise(form: ArrowFormat) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="smoothed"):
        read(form, [table([1])], (*SCALAR_COLUMNS, "smoothed"))
    with pytest.raises(ValueError, match="differ in length"):
        read(form, [table([1, 2], steps=[1], wall_times=[1, 2])])


def test_arrow_memory_does_not_grow_with_the_rows() -> None:
    pa = pytest.importorskip("pyarrow")
    one = table([index / 7 for index in range(50_000)])
    before = pa.total_allocated_bytes()
    held = []
    for number, _piece in enumerate(encode_arrow((one for _ in range(40)), "parquet", SCALAR_COLUMNS)):
        if number % 8 == 0:
            held.append(pa.total_allocated_bytes() - before)
    assert max(held) < 40 << 20


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pyarrow", "parquet needs pyarrow: pip install 'tbtui\\[parquet\\]'"),
        ("numpy.elsewhere", "parquet needs pyarrow, which cannot be imported: broken"),
    ],
)
def test_arrow_without_pyarrow_raises_one_sentence(monkeypatch: pytest.MonkeyPatch, name: str, words: str) -> None:
    real = builtins.__import__

    def absent(module: str, *rest: Any, **others: Any) -> Any:
        if module == "pyarrow":
            raise ImportError("broken", name=name)
        return real(module, *rest, **others)

    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(OutputError, match=words):
        check_arrow("parquet")
