from __future__ import annotations

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.view.natural_order import make_natural_key


@pytest.mark.parametrize(
    "names",
    [
        ["layer2", "layer10"],
        ["step1eval", "step2eval", "step10eval"],  # an `e` that no digits follow is no exponent
        ["lr1e-4", "lr1e-3", "lr0.01", "lr1e+1", "lr20"],
        ["v1.10", "v1.9"],  # numbers are read as decimals
        ["a/a", "a+/a"],
        ["a", "a/b", "a1", "ab"],
        ["1", "1.0", "2", "b"],
        ["1/a", "1/c", "1.0/b"],  # equal numbers written differently do not mix their content
        ["", "0", "a"],
        [".", "Z", "a"],
    ],
)
def test_natural_order(names: list[str]) -> None:
    assert sorted(set(names), key=make_natural_key) == names


NAMES = st.text("ab/.e-+01", max_size=12)


@given(st.lists(NAMES, max_size=8))
def test_the_order_is_total_and_keeps_directories_together(names: list[str]) -> None:
    ordered = sorted(set(names), key=make_natural_key)
    assert ordered == sorted(set(ordered), key=make_natural_key)
    for depth in range(1, 4):
        directories = [tuple(name.split("/")[:depth]) for name in ordered if name.count("/") >= depth]
        seen = list(dict.fromkeys(directories))
        assert functools.reduce(lambda n, d: n + directories.count(d), seen, 0) == len(directories)
        firsts = [directories.index(d) for d in seen]
        assert [d for i, d in enumerate(directories) if i in firsts] == seen


def test_numbers_too_large_for_a_float_still_have_an_order() -> None:
    assert sorted(["x" + "9" * 400, "x1"], key=make_natural_key) == ["x1", "x" + "9" * 400]
