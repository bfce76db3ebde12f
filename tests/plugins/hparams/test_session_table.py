"""Test the table of sessions on logs of every writer, against what TensorBoard's backend answers where it is right."""

from __future__ import annotations

import json
import math
import os
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.hparams.export import build_attribute_cells
from tbtui.plugins.hparams.sources import FILE, LOGGED, NAME, TEXT
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.settings.settings import Settings
from tbtui.view.attributes import AttributeColumn

if TYPE_CHECKING:
    from tbtui.plugins.hparams.session_table import SessionTable

HERE = Path(__file__).parent
LOGS = HERE / "logs"
EXPECTED: dict[str, Any] = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
"""Answers of TensorBoard 2.21 by case: sessions with the hyperparameters of their group, their metrics and status."""

WRONG = {
    "resumed": "it shows the hyperparameters of the first session, and the status of the first end",
    "big_step": "a step above 2^31 is an error of the whole table",
    "root_session": "the metrics of a session in the log directory itself are not found",
}
"""Cases in which TensorBoard's answer is wrong, and why."""


@cache
def table_of(case: str) -> SessionTable:
    runs = Loader(parse_sources([str(LOGS / case)]), reload_seconds=0).load_all().snapshot.runs
    return SessionTables(Payloads()).build(runs)


def values_of(table: SessionTable, run: str) -> dict[str, Any]:
    row = table.row_of[run]
    return {name: hparam.column.value(row) for name, hparam in table.hparams.items() if hparam.column.present[row]}


def metrics_of(table: SessionTable, run: str, figure: Any = "last") -> dict[str, tuple[Any, int | None]]:
    row = table.row_of[run]
    found = {}
    for metric in table.metrics:
        values = table.figures.values(metric, figure, metric.direction(Settings()))
        if values.values.present[row]:
            path = "/".join(filter(None, (metric.group, metric.tag)))
            found[path] = (values.values.value(row), values.steps[row])
    return found


def plain(value: Any) -> Any:
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value, value)


def same(a: Any, b: Any) -> bool:
    return bool(a == b) or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


@pytest.mark.parametrize("case", [case for case in EXPECTED if case not in WRONG])
def test_session_table_has_what_tensorboard_answers(case: str) -> None:
    table, groups = table_of(case), set()
    for run, expected in EXPECTED[case]["sessions"].items():
        assert run in table.row_of
        values, metrics = values_of(table, run), metrics_of(table, run)
        if expected["group"] not in groups:  # those of a group are those of its first session
            groups.add(expected["group"])
            for name, value in expected["hparams"].items():
                assert same(values[name], value), (run, name)
        for path, (value, step) in expected["metrics"].items():
            if path == "hp_metric":
                continue  # Lightning's placeholder
            assert same(metrics[path][0], plain(value)), (run, path)
            assert metrics[path][1] == step, (run, path)
        status = table.sessions[table.row_of[run]].logged_status or "unknown"
        assert status == expected["status"]


@pytest.mark.parametrize("case", sorted(path.name for path in LOGS.iterdir()))
def test_session_table_no_session_of_any_writer_is_absent(case: str) -> None:
    runs = Loader(parse_sources([str(LOGS / case)]), reload_seconds=0).load_all().snapshot.runs
    table = table_of(case)
    for name, run in runs.items():
        if any(series.tag == "_hparams_/session_start_info" for series in run.series.values()):
            assert name in table.row_of


def test_session_table_resumed_run_has_the_values_of_its_last_session() -> None:
    table = table_of("resumed")
    assert values_of(table, "r") == {"lr": 0.05, "seed": 1.0}
    assert (table.sessions[0].sessions, table.sessions[0].changed) == (2, ("lr",))


def test_session_table_root_session_has_its_metrics_and_those_below() -> None:
    assert metrics_of(table_of("root_session"), ".") == {"loss": (2.0, 1), "train/loss": (1.5, 1)}


def test_session_table_steps_may_be_large() -> None:
    assert metrics_of(table_of("big_step"), "r") == {"loss": (1.0, 3_000_000_000)}


def test_session_table_metrics_of_all_experiments_are_columns() -> None:
    table = table_of("torch_trials")
    assert [metric.title for metric in table.shown_metrics] == ["hparam/loss", "hparam/acc", "hparam/extra"]
    assert "late" in table.hparams
    titles = {metric.tag: metric.count for metric in table_of("two_experiments").metrics}
    assert titles == {"dev_tp_sim": 1, "dev_loss_sim": 1, "dev_tp_nil": 1, "dev_loss_nil": 1}


def test_session_table_run_of_hparams_is_folded_into_its_parent() -> None:
    table = table_of("torch_trials")
    assert [session.name for session in table.sessions] == ["trial0", "trial1", "trial2", "trial3"]
    assert table.sessions[0].members == ("trial0", "trial0/hp")
    curve = table.metrics[0].curves[0]
    assert curve is not None
    assert (curve.run, curve.tag, len(curve)) == ("trial0", "loss", 10)
    assert metrics_of(table, "trial0", "min")["hparam/loss"][0] <= metrics_of(table, "trial0")["hparam/loss"][0]


def test_session_table_trials_of_one_writer_stay_apart() -> None:
    assert len(table_of("torch_one_writer").sessions) == 3


def test_session_table_metric_logged_at_step_0_hides_no_curve() -> None:
    table = table_of("torch_same_run_no_step")
    assert metrics_of(table, "r0") == {"val/loss": (0.5, 0)}
    curve = table.metrics[0].curves[0]
    assert curve is not None
    assert curve.current.steps.tolist() == list(range(10))
    assert metrics_of(table, "r0", "max")["val/loss"] == (pytest.approx(1.3), 0)


def test_session_table_placeholder_of_lightning_is_no_metric() -> None:
    table = table_of("lightning")
    assert [metric.title for metric in table.metrics] == ["epoch", "val_loss"]


def test_session_table_children_belong_by_path_not_by_prefix() -> None:
    table = table_of("no_experiment")
    assert table.sessions[table.row_of["exp/a"]].members == ("exp/a", "exp/a/eval")
    assert metrics_of(table, "exp/ab") == {}
    assert metrics_of(table_of("nested"), "outer/inner")["eval/m"] == (3.0, 0)


def test_session_table_keeps_nan_and_infinite_hyperparameters() -> None:
    values = values_of(table_of("no_experiment"), "exp/a")
    assert math.isnan(values["nan"])
    assert values["inf"] == math.inf
    assert values["list"] == '[1.0, "b"]'


def test_session_table_trainer_arguments_are_read_from_their_text() -> None:
    table = table_of("hf_trainer")
    assert values_of(table, "run0")["learning_rate"] == 5e-5
    assert set(table.hparams["learning_rate"].sources.tolist()) == {1}
    assert table.sessions[0].origins == ("args/text_summary",)
    assert "learning_rate" in table.varying


def test_session_table_yaml_file_is_read_where_no_session_was_logged(tmp_path: Path) -> None:
    from tests.helpers.log_directory import LogDirectory

    logs = LogDirectory(tmp_path)
    for run, rate in (("a", "1e-3"), ("b", "1e-4")):
        logs.log(run, range(3))
        (tmp_path / run / "hparams.yaml").write_text(f"lr: {rate}\nmodel:\n  width: 64\nobj: !!python/x\n  y: 1\n")
    runs = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs
    table = SessionTables(Payloads()).build(runs)
    assert values_of(table, "a") == {"lr": 1e-3, "model/width": 64.0}
    assert table.sessions[0].problems == ("hparams.yaml: 1 of its lines were not understood, first obj: !!python/x",)
    assert [FILE, LOGGED, NAME, TEXT].index(FILE) == 0


def test_session_table_run_names_are_a_source_on_request(tmp_path: Path) -> None:
    from tests.helpers.log_directory import LogDirectory

    logs = LogDirectory(tmp_path)
    for run in ("adam_lr=0.1/seed0", "sgd_lr=0.01/seed1"):
        logs.log(run, range(3))
    runs = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs
    tables = SessionTables(Payloads())
    assert len(tables.build(runs)) == 0
    assert values_of(tables.build(runs, ""), "adam_lr=0.1/seed0") == {"adam_lr": 0.1, "seed": 0.0}
    table = tables.build(runs, r"(?P<opt>[a-z]+)_lr=(?P<lr>[^/]*)")
    assert values_of(table, "sgd_lr=0.01/seed1") == {"opt": "sgd", "lr": 0.01}


def test_session_table_unchanged_runs_are_not_read_again() -> None:
    runs = Loader(parse_sources([str(LOGS / "tf_groups")]), reload_seconds=0).load_all().snapshot.runs
    tables = SessionTables(Payloads())
    assert tables.build(runs) is tables.build(dict(runs))


def test_session_table_groups_are_logged_or_equal_but_for_seeds() -> None:
    table = table_of("tf_groups")
    assert table.groups(()).tolist() == [0, 0, 0, 1, 2]
    assert table_of("group_edge").groups(()).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("last_write", "later", "status"),
    [(10.0, 60, "running"), (10.0, 0, "done"), (600.0, 60, "done")],
    ids=["goes on after success", "success is the end", "long ago"],
)
def test_session_table_status_follows_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_write: float, later: int, status: str
) -> None:
    from tests.helpers.log_directory import FILE, START, LogDirectory
    from tests.helpers.session_logs import log_session

    log_session(tmp_path, "r", {"lr": 0.1}, {"loss": [1.0]})  # as Lightning: success is logged at once
    if later:
        LogDirectory(tmp_path).log("r", [later])
    path = tmp_path / "r" / FILE
    os.utime(path, (START, START))
    monkeypatch.setattr(time, "time", lambda: START + last_write)
    runs = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs
    assert SessionTables(Payloads()).build(runs).statuses.values() == [status]


def test_session_table_session_that_cannot_be_read_has_a_row_and_the_reason(tmp_path: Path) -> None:
    from tests.screens.logs_of_all import write_bad_sessions

    write_bad_sessions(tmp_path)
    runs = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all().snapshot.runs
    table = SessionTables(Payloads()).build(runs)
    session = table.sessions[table.row_of["unreadable"]]
    assert len(session.problems) == 1
    assert session.problems[0].startswith("_hparams_/session_start_info: ")
    assert metrics_of(table, "unreadable") == {"loss": (1.0, 1)}


def test_hparams_of_one_display_name_are_called_by_their_names() -> None:
    table = table_of("odd_names")
    assert [hparam.info.display_name for name in ("same", "same2") if (hparam := table.hparams[name]).info] == [
        "same title",
        "same title",
    ]
    titles = [hparam.title for hparam in table.hparams.values()]
    assert {"same", "same2"} <= set(titles)
    assert len(set(titles)) == len(titles)


def test_export_numbers_of_sessions_stay_numbers_where_some_are_missing() -> None:
    column = AttributeColumn.of_values([0.1, None, 3.0])
    cells = build_attribute_cells(column)
    assert cells.dtype == np.float64
    assert cells.tolist() == [0.1, None, 3.0]
    assert build_attribute_cells(AttributeColumn.of_values(["adam", None, 3.0])).tolist() == ["adam", None, 3.0]
