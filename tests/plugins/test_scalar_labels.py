"""Names of lines in little room stay distinct."""

from __future__ import annotations

import pytest

from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.readout import MAX_LEGEND_NAME_COLUMNS, Readout, build_legend, end_labels
from tests.helpers.views import FALLING, plain_view

SWEEP = tuple(f"{name}_lr1e-{lr}_b64/seed{seed}" for name in ("adamw", "sgd") for lr in (2, 3) for seed in (0, 3))


def readings(names: tuple[str, ...]) -> Readout:
    return Readout(ScalarData().chart(plain_view({name: {"loss": FALLING} for name in names}, smoothing=0), "loss"))


def test_labels_drop_common_parts_before_distinct_ones() -> None:
    told = end_labels(readings(SWEEP), 108, 20)
    assert sorted(told.values())[:3] == ["adamw_lr1e-2/seed0 1", "adamw_lr1e-2/seed3 1", "adamw_lr1e-3/seed0 1"]


@pytest.mark.parametrize("width", [60, 70, 90, 120])
def test_labels_are_distinct(width: int) -> None:
    made = readings(tuple(f"{name}/fold{index}" for name in SWEEP for index in range(3)))
    told = end_labels(made, width, 20).values()
    assert len(told) == len(set(told)) == 12
    assert max(len(label) for label in told) <= max(10, width // 6) + 2
    assert len({name for name, _ in build_legend(made)}) == 24
    assert max(len(name) for name, _ in build_legend(made)) <= len("● ") + MAX_LEGEND_NAME_COLUMNS
