"""Test `logs.sessions()` and the shares of hyperparameters in Python."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    rng = np.random.default_rng(0)
    for number in range(30):
        rate = float(f"{10 ** rng.uniform(-4, -1):.3g}")
        loss = (math.log10(rate) + 2) ** 2 + 0.1
        hparams = {"lr": rate, "opt": ["adam", "sgd"][number % 2], "seed": float(number)}
        log_session(folder, f"t{number:02}", hparams, {"val/loss": [9.0, loss], "acc": [0.0, 1 / loss]})
    log_session(folder, "failed", {"lr": 0.1, "opt": "sgd"}, {}, status="failure")
    return folder


def test_sessions_have_hparams_and_metrics_as_arrays(logs: Path) -> None:
    sessions = tbtui.open(logs, cache=False).sessions()
    assert (len(sessions), sessions.metric) == (31, "val/loss")
    assert sessions.names[0] == "failed"
    assert sessions.hparams["lr"].dtype == np.float64
    assert np.isnan(sessions.hparams["seed"][0])
    assert sessions.hparams["opt"].tolist()[:2] == ["sgd", "adam"]
    assert set(sessions.metrics) == {"val/loss", "acc"}
    assert (sessions[0].status, dict(sessions[0].metrics)) == ("failed", {})
    assert sessions[-1].hparams["seed"] == 29
    assert [session.name for session in sessions[1:3]] == ["t00", "t01"]
    assert repr(sessions) == "<31 sessions judged by val/loss>"


def test_sessions_figure_selects_the_point_of_each_curve(logs: Path) -> None:
    opened = tbtui.open(logs, cache=False)
    assert np.nanmax(opened.sessions(figure="max").metrics["val/loss"]) == 9
    least = opened.sessions(figure="best").metrics["val/loss"]
    assert np.nanmax(least) < 9


def test_sessions_importance_names_what_matters(logs: Path) -> None:
    importance = tbtui.open(logs, cache=False).sessions().importance()
    assert importance.hparams[0].name == "lr"
    assert importance.hparams[0].is_significant
    assert {entry.name for entry in importance.hparams} == {"lr", "opt"}
    with pytest.raises(ValueError, match=r"there is no metric .los.; there are"):
        tbtui.open(logs, cache=False).sessions().importance("los")


def test_sessions_of_export_and_pandas_are_those_of_python(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(logs), "--plugin", "hparams", "--wide", "--no-cache"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    sessions = tbtui.open(logs, cache=False).sessions()
    assert [row["run"] for row in rows] == list(sessions.names)
    assert [row["lr"] for row in rows] == [repr(rate) for rate in sessions.hparams["lr"].tolist()]
    assert rows[0]["val/loss"] == ""
    pytest.importorskip("pandas")
    frame = sessions.to_pandas()
    assert frame["lr"].dtype == np.float64
    assert frame["val/loss"].isna().sum() == 1


def test_importance_export_of_a_small_search_says_why_there_are_no_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        log_session(tmp_path, f"t{number}", {"lr": 0.1 * number}, {"loss": [number]})
    assert main(["export", str(tmp_path), "--plugin", "importance", "--no-cache"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"tbtui: {tmp_path}: no shares of hyperparameters: shares need 12 sessions with a value of loss: 3 have one\n"
    )


def test_importance_export_has_one_row_per_hyperparameter(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(logs), "--plugin", "importance", "--no-cache"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["name"] for row in rows] == ["lr", "opt"]
    assert {row["metric"] for row in rows} == {"val/loss"}
    assert float(rows[0]["share"]) > 0.5
    assert main(["export", str(logs), "--plugin", "importance", "--tags", "acc", "--no-cache"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["metric"] for row in rows} == {"acc"}
