"""Test the rows and columns of the table of sessions."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.plugins.hparams.documents import format_table
from tbtui.plugins.hparams.grid import NOISE_KEY, CellCache, build_detail_pieces, build_table_rows
from tbtui.plugins.hparams.metric import MAX_SHORT_CURVE, _find_extremes
from tbtui.plugins.hparams.rows import ENDED, SessionRows
from tbtui.settings.column_choice import ColumnChoice
from tbtui.view.attributes import AttributeColumn, sort_values
from tests.helpers.property_examples import examples
from tests.helpers.sessions import prepared, search_store, session_run
from tests.helpers.snapshots import store


def rows_of(*runs: Any, **changes: Any) -> SessionRows:
    return prepared(store(*runs), **changes).rows


def texts(rows: SessionRows, key: str) -> list[str]:
    cells = CellCache().cells(rows, key)
    return ["".join(text for text, _ in cells[name]).strip() for name in rows.shown_names]


VALUES = st.none() | st.floats() | st.booleans() | st.sampled_from(["adam", "", "1e-3", "a|b"])
METRIC = st.none() | st.floats(width=32)


@settings(max_examples=examples(40))
@given(
    st.lists(st.tuples(VALUES, VALUES, METRIC, METRIC), min_size=1, max_size=8),
    st.sampled_from(["", "h/a", "h/b", "m/loss", ENDED]),
    st.booleans(),
    st.sampled_from(["last", "best", "min", "max", "end", "at"]),
)
def test_rows_no_session_is_ever_absent(sessions: Any, sort: str, descending: bool, figure: str) -> None:
    runs = [
        session_run(
            f"t{number}", {"a": a, "b": b}, {"loss": [] if x is None else [1.0, x], "acc": [] if y is None else [y]}
        )
        for number, (a, b, x, y) in enumerate(sessions)
    ]
    names = {run.name for run in runs}
    for grouped in (False, True):
        made = prepared(store(*runs), sort=sort, descending=descending, figure=figure, grouped=grouped)
        members = [made.table.sessions[index].name for row in made.rows.members for index in row]
        assert sorted(members) == sorted(names)
        assert sorted(made.rows.order.tolist()) == list(range(len(made.rows.members)))
        shown = [row.key for row in build_table_rows(made) if row.key != NOISE_KEY]
        assert sorted(shown) == sorted(made.rows.names)
        for key in made.rows.keys:
            assert set(CellCache().cells(made.rows, key)) == set(made.rows.names)
        assert all(build_detail_pieces(made, name) for name in made.rows.names)


def test_rows_are_sorted_by_the_main_metric_the_best_first() -> None:
    rows = prepared(search_store()).rows
    values = [rows.column("m/val/loss").values.value(row) for row in rows.order.tolist()]
    assert rows.metric is not None
    assert rows.metric.title == "val/loss"
    finite = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    assert finite == sorted(finite)
    assert math.isnan(values[-2])  # type: ignore[arg-type]
    assert values[-1] is None
    assert rows.shown_names[-1] == "without"


def test_rows_columns_begin_with_the_metric_then_by_share_and_end() -> None:
    made = prepared(search_store(40))
    assert made.importance is not None
    assert made.rows.keys == ("m/val/loss", "m/acc", "h/lr", "h/opt", ENDED)


def test_rows_columns_are_chosen_moved_and_hidden() -> None:
    rows = prepared(
        search_store(), columns=ColumnChoice(("h/opt",), hidden=frozenset({"m/acc"}), shown=frozenset({"h/same"}))
    ).rows
    assert rows.keys == ("h/opt", "m/val/loss", "h/lr", ENDED, "h/same")


@pytest.mark.parametrize(
    ("figure", "expected"), [("last", "3"), ("best", "1"), ("min", "1"), ("max", "5"), ("end", "3"), ("at", "3")]
)
def test_rows_figure_selects_the_point_of_each_curve(figure: str, expected: str) -> None:
    rows = rows_of(
        session_run("a", {"lr": 1.0}, {"val/loss": [5.0, 1.0, 3.0], "acc": [0.1, 0.2, 0.9]}), figure=figure, at="acc"
    )
    assert texts(rows, "m/val/loss") == [expected]


def test_rows_groups_have_means_spreads_and_common_values() -> None:
    runs = [
        session_run(f"t{number}", {"lr": 0.1, "seed": float(number)}, {"loss": [value]})
        for number, value in enumerate((1.0, 2.0, 3.0))
    ]
    rows = rows_of(*runs, session_run("other", {"lr": 0.2, "seed": 0.0}, {"loss": [5.0]}), grouped=True)
    assert rows.seeds == ("seed",)
    assert [len(members) for members in rows.members] == [1, 3]
    assert texts(rows, "m/loss") == ["2 ±1", "5"]
    assert texts(rows, "h/seed") == ["3 values", "0"]
    assert texts(rows, "h/lr") == ["0.1", "0.2"]


def test_rows_differences_from_the_baseline() -> None:
    runs = [session_run(name, {"lr": value}, {"loss": [value]}) for name, value in (("a", 1.0), ("b", 1.5))]
    assert texts(rows_of(*runs, baseline="a", deltas=True), "m/loss") == ["1", "+0.5"]
    assert texts(rows_of(*runs, baseline="a"), "m/loss") == ["1", "1.5"]


def test_rows_within_the_noise_of_seeds_are_above_a_line() -> None:
    rng = np.random.default_rng(0)
    runs = [
        session_run(
            f"t{setting}{seed}", {"lr": float(setting), "seed": float(seed)}, {"loss": [setting + rng.normal(0, 0.1)]}
        )
        for setting in range(6)
        for seed in range(3)
    ]
    keys = [row.key for row in build_table_rows(prepared(store(*runs)))]
    assert 1 < keys.index(NOISE_KEY) <= 5
    sorted_otherwise = [row.key for row in build_table_rows(prepared(store(*runs), sort="h/lr"))]
    assert NOISE_KEY not in sorted_otherwise


def test_sort_values_numbers_words_nan_missing_in_both_directions() -> None:
    column = AttributeColumn.of_values([None, "b10", 2.0, math.nan, "b9", 1.0, math.inf])
    assert [column.value(row) for row in sort_values(column, descending=False).tolist()][:5] == [
        1.0,
        2.0,
        math.inf,
        "b9",
        "b10",
    ]
    descending = sort_values(column, descending=True).tolist()
    assert [column.value(row) for row in descending][:5] == [math.inf, 2.0, 1.0, "b10", "b9"]
    assert descending[-2:] == [3, 0]


def test_table_text_csv_and_json_have_all_digits_and_session_names() -> None:
    rows = prepared(search_store(3), sort="h/lr").rows
    lines = list(csv.DictReader(io.StringIO("".join(format_table(rows, "csv")))))
    assert [line["session"] for line in lines] == list(rows.shown_names)
    documents = json.loads("".join(format_table(rows, "json")))
    assert [document["lr"] for document in documents] == [float(line["lr"]) for line in lines]
    assert {document["session"]: document["val/loss"] for document in documents}["t02"] == "NaN"


def test_table_text_markdown_and_latex_are_escaped() -> None:
    rows = rows_of(
        session_run("a_b", {"x|y": "50%", "lr": 1e-5}, {"loss": [1.0]}), session_run("c", {"x|y": "&", "lr": 1.0})
    )
    markdown = "".join(format_table(rows, "markdown"))
    assert "x\\|y" in markdown
    latex = "".join(format_table(rows, "latex"))
    assert "a\\_b" in latex
    assert "50\\%" in latex
    assert "$1\\cdot 10^{-5}$" in latex
    assert latex.endswith("\\end{tabular}\n")


@settings(max_examples=examples(40))
@given(st.lists(st.floats() | st.sampled_from([0.0, -0.0, 1.0]), min_size=1, max_size=MAX_SHORT_CURVE))
def test_extremes_of_a_short_curve_equal_those_of_a_long_one(values: list[float]) -> None:
    short = np.array(values)
    padded = np.concatenate((short, np.full(MAX_SHORT_CURVE, np.nan)))
    assert _find_extremes(short) == _find_extremes(padded)
