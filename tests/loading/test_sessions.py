"""Test which hyperparameters belong to which run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.loading.payloads import Payloads
from tbtui.plugins.hparams.session_table import NO_SESSION, RunSession, map_sessions
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.store.snapshot import Metadata, ReferenceSeries, RunSnapshot

TAG = "_hparams_/session_start_info"


def run_of(name: str, lr: float | None) -> RunSnapshot:
    if lr is None:
        return RunSnapshot(name, 1)
    data: Any = get_message_class("HParamsPluginData")()
    data.session_start_info.hparams["lr"].number_value = lr
    whole = np.zeros(1, np.int64)
    metadata = Metadata("hparams", data.SerializeToString())
    few = whole.astype(np.int32)
    return RunSnapshot(
        name, 1, {TAG: ReferenceSeries(name, TAG, metadata, 1, whole, whole * 0.0, few, whole, whole, few)}
    )


def sessions(**runs: float | None) -> dict[str, RunSession]:
    named = {name.replace("_", "/").replace("root", "."): lr for name, lr in runs.items()}
    runs = {name: run_of(name, lr) for name, lr in named.items()}
    return map_sessions(SessionTables(Payloads()).build(runs), runs)


@pytest.mark.parametrize(
    ("runs", "name", "source"),
    [
        ({"a": 0.1, "b": 0.2}, "a", "a"),
        ({"a": 0.1, "a_train": None, "a_x_y": None}, "a/train", "a"),
        ({"a": 0.1, "a_x_y": None}, "a/x/y", "a"),
        ({"root": 0.1, "a_x": None}, "a/x", "."),
        ({"a": None, "a_hp": 0.1}, "a", "a/hp"),
        ({"a": None, "a_hp": 0.1, "a_hp2": 0.1}, "a", "a/hp2"),
        ({"a": None, "a_hp": 0.1, "a_hp2": 0.2}, "a", None),
        ({"a_train": None, "a_hparams": 0.1}, "a/train", "a/hparams"),
        ({"a_train": None, "a_other": 0.1}, "a/train", None),
        ({"train": None, "hparams": 0.1}, "train", "hparams"),
        ({"other": None, "hparams": 0.1}, "other", None),
        ({"a": None, "a_x_hp": 0.1}, "a", None),
        ({"root": None, "a": 0.1, "b": 0.2}, ".", None),
        ({"root": None, "a": 0.1}, ".", None),
        ({"root": None, "hp": 0.1}, ".", "hp"),
        ({"a": 0.3, "a_hp": 0.1}, "a", "a"),
        ({"a": 0.1, "ab": None}, "ab", None),
    ],
)
def test_sessions_run_uses_the_hyperparameters_of_its_session(
    runs: dict[str, float | None], name: str, source: str | None
) -> None:
    assert sessions(**runs)[name].source == source


def test_sessions_values_equal_the_source() -> None:
    found = sessions(a=None, a_hp=0.1, b=None)
    assert dict(found["a"].values) == {"lr": 0.1}
    assert found["b"] == NO_SESSION
