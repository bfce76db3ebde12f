"""Test scalars as one wide table: one row per step, one column per run and tag."""

from __future__ import annotations

import csv
import io
import json
import math
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.export import wide as wide_module
from tbtui.export.formats import encode_text
from tbtui.export.wide import build_wide_table, column_names
from tests.helpers.property_examples import examples
from tests.helpers.tables import table

if TYPE_CHECKING:
    from tbtui.export.table import Table

nan = math.nan
SERIES = st.lists(st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.floats(), max_size=6), max_size=4)
NAMES = st.lists(
    st.tuples(st.text("a/", max_size=4), st.text("a/\\udcff\udcff", max_size=4)) | st.just(("", "step")), unique=True
)


def bits(number: float | None) -> bytes | None:
    return None if number is None else b"NaN" if math.isnan(number) else struct.pack("<d", number)


def series(points: dict[int, float], *, run: str = "r", tag: str = "t") -> Table:
    ordered = dict(sorted(points.items()))
    return table(list(ordered.values()), run=run, tag=tag, steps=list(ordered))


def text(*tables: Table, form: str = "csv") -> str:
    made = build_wide_table(tables)
    return "".join(encode_text(made.tables(), form, made.columns, ()))  # type: ignore[arg-type]


def test_wide_csv_is_exact_to_the_byte() -> None:
    written = text(
        series({0: 1, 2: nan, 5: -math.inf}, run="a/b", tag="loss"), series({2: 0.1, 3: 7}, run="c,d", tag='"')
    )
    assert written == 'step,a/b/loss,"c,d/"""\n0,1.0,\n2,NaN,0.1\n3,,7.0\n5,-Infinity,\n'


def test_wide_json_lines_are_exact_to_the_byte() -> None:
    written = text(series({0: 1}, run='a"', tag="%s"), series({1: nan}, run="b", tag="t"), form="jsonl")
    assert written == (
        '{"step": 0, "a\\"/%s": 1.0, "b/t": null}\n'
        '{"step": 1, "a\\"/%s": null, "b/t": "NaN"}\n'
    )  # fmt: skip


@settings(max_examples=examples(40))
@given(held=SERIES, cells=st.sampled_from([1, 1 << 18]))
def test_wide_table_round_trips(held: list[dict[int, float]], cells: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(wide_module, "BLOCK_CELLS", cells)
        patched.setattr(wide_module, "MIN_BLOCK_ROWS", 1)
        written = text(*(series(points, tag=str(number)) for number, points in enumerate(held)))
    header, *rows = csv.reader(io.StringIO(written))
    assert header == ["step", *(f"r/{number}" for number in range(len(held)))]
    found = {int(step): [bits(float(cell)) if cell else None for cell in cells] for step, *cells in rows}
    steps = sorted({step for points in held for step in points})
    assert found == {step: [bits(points.get(step)) for points in held] for step in steps}
    assert list(found) == steps


@given(NAMES)
def test_wide_table_column_names_are_unique_and_not_step(names: list[tuple[str, str]]) -> None:
    made = column_names(names)
    assert len({"step", *(name.encode("utf-8", "backslashreplace") for name in made)}) == len(names) + 1


def test_wide_table_column_names_are_short_if_unique() -> None:
    assert column_names([("a", "b/c"), ("a/b", "c"), ("a", "d")]) == ['["a", "b/c"]', '["a/b", "c"]', "a/d"]
    assert column_names([(".", "loss")]) == ["./loss"]


def test_wide_table_shares_equal_steps_and_keeps_narrow_values() -> None:
    made = build_wide_table([table([0.5, 1.5], tag="a"), table([0.1, nan], tag="b"), table([1e300, 1], tag="c")])
    assert len(made) == 3
    assert len(made._x) == 1
    assert [values.dtype for values in made._values] == [np.float32, np.float64, np.float64]


def test_wide_table_without_columns_has_no_rows() -> None:
    made = build_wide_table([])
    assert (list(made.tables()), made.columns) == ([], ("step",))
    assert json.loads(text(form="json")) == []
