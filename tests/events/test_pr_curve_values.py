"""What may stand where a precision-recall curve is expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import BFLOAT16, DOUBLE, FLOAT, HALF, STRING, TensorError, make_tensor
from tbtui.plugins.pr_curves.read import MAX_THRESHOLDS, read_curve
from tests.helpers.event_bytes import tensor

ROWS = np.arange(12.0).reshape(6, 2) / 16
"""Sixteenths, which every float holds exactly."""


def value(made: Any) -> Any:
    return get_message_class("SummaryValue")(tag="pr", tensor=made)


@pytest.mark.parametrize(
    "made",
    [
        make_tensor(ROWS.astype(np.float32)),
        make_tensor(ROWS),
        tensor(FLOAT, (6, 2), float_val=ROWS.reshape(-1).tolist()),
        tensor(DOUBLE, (6, 2), double_val=ROWS.reshape(-1).tolist()),
        tensor(HALF, (6, 2), tensor_content=ROWS.astype("<f2").tobytes()),
        tensor(HALF, (6, 2), half_val=ROWS.astype("<f2").view(np.uint16).reshape(-1).tolist()),
        tensor(BFLOAT16, (6, 2), tensor_content=(ROWS.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()),
    ],
    ids=["float32", "float64", "float_val", "double_val", "float16", "half_val", "bfloat16"],
)
def test_pr_curve_floats_of_any_width_are_read(made: Any) -> None:
    rows = read_curve(value(made))
    assert rows.dtype == np.float64
    assert rows.tolist() == ROWS.tolist()


def test_pr_curve_integers_and_a_single_threshold_are_accepted() -> None:
    assert read_curve(value(tensor(9, (6, 1), int64_val=[1, 2, 3, 4, 1, 0]))).tolist() == [[1], [2], [3], [4], [1], [0]]


def test_pr_curve_nan_is_kept() -> None:
    rows = read_curve(value(make_tensor(np.full((6, 3), np.nan))))
    assert np.isnan(rows).all()


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (tensor(FLOAT, (5, 2), float_val=[1.0] * 10), "a tensor of shape 5x2 instead of a PR curve"),
        (tensor(FLOAT, (2, 6), float_val=[1.0] * 12), "a tensor of shape 2x6 instead of a PR curve"),
        (tensor(FLOAT, (6,), float_val=[1.0] * 6), r"a tensor of shape \[6\] instead of a PR curve"),
        (
            tensor(FLOAT, (6, 2, 1), float_val=[1.0] * 12),
            "a tensor of shape 6x2x1 instead of a PR curve",
        ),
        (tensor(FLOAT, (), float_val=[1.0]), "a single number instead of a PR curve, which has 6 rows"),
        (tensor(FLOAT, (6, 0)), "a PR curve without thresholds"),
        (tensor(STRING, (6, 1), string_val=[b"a"] * 6), "a tensor without real numbers instead of"),
        (tensor(8, (6, 1), scomplex_val=[1.0] * 12), "a tensor without real numbers instead of"),
        (tensor(FLOAT, (6, MAX_THRESHOLDS + 1), float_val=[1.0]), "of 1,048,577 thresholds is too large to show"),
    ],
)
def test_pr_curve_other_tensors_are_refused_with_a_message(made: Any, why: str) -> None:
    with pytest.raises(TensorError, match=why):
        read_curve(value(made))


def test_pr_curve_tensor_with_a_wrong_size_is_refused() -> None:
    with pytest.raises(TensorError, match="holds only 2 values"):
        read_curve(value(tensor(FLOAT, (6, 2), tensor_content=np.zeros(2, "<f4").tobytes())))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"simple_value": 0.5}, "a single number instead of a PR curve"),
        ({"histo": {"num": 1}}, "a histogram instead of a PR curve"),
        ({}, "an empty value instead of a PR curve"),
    ],
)
def test_pr_curve_values_of_other_kinds_are_refused_by_name(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(TensorError, match=why):
        read_curve(get_message_class("SummaryValue")(tag="pr", **fields))
