"""Test the terms of a filter over attributes of runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.view.attributes import AttributeColumn, RunAttributes
from tbtui.view.terms import (
    TermError,
    are_terms,
    check_terms,
    format_range_terms,
    format_run_term,
    format_value_terms,
    match_rows,
    match_runs,
    quote_term,
    replace_terms,
    select_terms,
)

COLUMNS = {
    "lr": AttributeColumn.of_values([0.1, 0.01, None, math.inf]),
    "opt": AttributeColumn.of_values(["adam", "sgd", "Adam", None]),
    "val/loss": AttributeColumn.of_values([1.0, math.nan, 3.0, None]),
    "batch size": AttributeColumn.of_values([True, False, None, 2.0]),
    "mixed": AttributeColumn.of_values([1.0, "1.0", "two", None]),
}
SESSIONS = RunAttributes((("t0",), ("t1", "t1/val"), ("x|y",), ("t3",)), COLUMNS, ("t0", "t1", "x|y", "t3"))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("lr>=0.1", [0, 3]),
        ("lr>.01", [0, 3]),
        ("lr<=1e-2", [1]),
        ("lr=0.1", [0]),
        ("lr=inf", [3]),
        ("lr!=0.1", [1, 2, 3]),
        ("lr=none", [2]),
        ("lr?", [0, 1, 3]),
        ("-lr?", [2]),
        ("opt=adam", [0, 2]),
        ("opt=ADAM|sgd", [0, 1, 2]),
        ("-opt=adam", [1, 3]),
        ("opt~^s", [1]),
        ("val/loss=nan", [1]),
        ("val/loss<2 lr>0", [0]),
        ('"batch size"=true', [0]),
        ('"batch size">1', [3]),
        ("mixed=1.0", [0, 1]),
        ("mixed=two", [2]),
        ("run~^t lr?", [0, 1, 3]),
        ("run=t1/val", [1]),
        ('run="x|y"', [2]),
        ("-val", [0, 2, 3]),
        ("LR>1", [3]),
        ("", [0, 1, 2, 3]),
    ],
)
def test_matching_rows_selects_what_all_terms_select(text: str, rows: list[int]) -> None:
    assert match_rows(text, SESSIONS).nonzero()[0].tolist() == rows


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("lrr>1", "no 'lrr' here; lr?"),
        ("lr>fast", "lr>fast: fast is no number"),
        ("lr>", "lr>: nothing is no number"),
        ("run>3", "run>3: run names have no order"),
        ("opt~(", "opt~(: missing )"),
    ],
)
def test_check_terms_says_what_is_wrong(text: str, error: str) -> None:
    assert check_terms(text, SESSIONS) == error


@pytest.mark.parametrize(
    ("text", "is_term"),
    [("lr>1", True), ("run~x", True), ("t0", False), ("a.*b", False), ("x=1", False), ("opt", False), ("(?i)a", False)],
)
def test_are_terms_needs_a_word_that_names_an_attribute(text: str, is_term: bool) -> None:
    assert are_terms(text, SESSIONS) == is_term
    assert not are_terms(text, None)


def test_matching_runs_has_all_runs_of_a_session_and_others_by_name() -> None:
    names = ("t0", "t1", "t1/val", "other")
    assert match_runs("lr<.05", names, SESSIONS) == ("t1", "t1/val")
    assert match_runs("-lr<.05", names, SESSIONS) == ("t0", "other")
    assert match_runs("run~^o", names, SESSIONS) == ("other",)


def test_replace_terms_changes_one_attribute_alone() -> None:
    assert replace_terms("lr>=1 opt=adam lr<2", "lr", format_range_terms("lr", 0.001, None)) == "opt=adam lr>=0.001"
    assert replace_terms("lr>=1", "lr", "") == ""
    assert select_terms("lr>=1 opt=adam lr<2", "lr") == "lr>=1 lr<2"


@given(st.text(min_size=1).filter(lambda text: '"' not in text and text.strip()))
def test_run_term_of_any_name_selects_that_run_alone(name: str) -> None:
    if any(ord(letter) < 32 for letter in name):
        return
    attributes = RunAttributes(
        ((name,), (f"{name}2",)), {"lr": COLUMNS["lr"].part(np.array([0, 1]))}, (name, f"{name}2")
    )
    assert match_rows(format_run_term(name), attributes).tolist() == [True, False]


@given(st.floats(1e-12, 1e12))
def test_range_terms_include_the_value_that_they_were_made_of(value: float) -> None:
    attributes = RunAttributes((("a",),), {"x y": AttributeColumn.of_values([float(f"{value:.5g}")])}, ("a",))
    assert match_rows(format_range_terms("x y", value, value), attributes).all()


def test_value_terms_with_odd_words_are_quoted() -> None:
    attributes = RunAttributes((("a",), ("b",)), {"o": AttributeColumn.of_values(["a b|c", "d"])}, ("a", "b"))
    assert format_value_terms("o", ["a b|c"]) == 'o="a b|c"'
    assert match_rows(format_value_terms("o", ["a b|c"]), attributes).tolist() == [True, False]
    assert quote_term("-x") == '"-x"'


def test_matching_rows_raises_for_an_unknown_name() -> None:
    with pytest.raises(TermError, match="no 'x' here"):
        match_rows("x>1", SESSIONS)
