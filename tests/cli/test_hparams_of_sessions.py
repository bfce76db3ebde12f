"""Test that all commands and the Python API agree on a run with several sessions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.plugins.hparams.decode import Experiment, MetricInfo
from tbtui.plugins.hparams.sessions import merge_experiments
from tests.helpers.compare_command import log
from tests.helpers.print_command import printed

if TYPE_CHECKING:
    from pathlib import Path

FIRST = {"lr": 0.1, "opt": "adam", "bias": True}
LAST = {"lr": 0.3 - 0.1, "opt": "adam", "bias": True}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log(tmp_path, "run", FIRST, loss=[2.0, 1.0])
    log(tmp_path, "run", LAST, loss=[1.5, 0.5])
    return tmp_path


def output_of(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([*map(str, words), "--no-cache"]) == 0
    return capsys.readouterr().out


def test_hparams_last_session_is_used_everywhere(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tbtui.open(logs, cache=False)["run"].hparams.values == LAST
    (run,) = json.loads(output_of(capsys, "compare", "--json", logs))["runs"]
    assert run["hparams"] == LAST
    inspected = json.loads(output_of(capsys, "inspect", "--json", logs))["runs"]["run"]["hparams"]
    assert (inspected["values"], inspected["sessions"], inspected["changed"]) == (LAST, 2, ["lr"])
    rows = json.loads(output_of(capsys, "export", "--plugin", "hparams", "--format", "json", logs))
    assert {row["name"]: row["value"] for row in rows} == {"lr": repr(LAST["lr"]), "opt": "adam", "bias": "true"}
    assert [row["number"] for row in rows if row["name"] == "lr"] == [LAST["lr"]]
    columns = tbtui.open(logs, cache=False).columns(plugin="hparams")
    assert columns["value"].tolist() == [row["value"] for row in rows]


def test_hparams_earlier_sessions_are_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "the last of 2 sessions in this run; between them changed lr"
    assert words in output_of(capsys, "inspect", logs)
    shown = printed(logs, "--plugin", "hparams", "--width", 100)
    assert f"run: {words}" in shown.lines
    assert shown.lines[2].split() == ["run", "0.5", "true", "0.2", "adam"]


@pytest.mark.parametrize(
    ("rates", "texts"),
    [
        ([0.1 * 3, 0.10000000149011612, 1 / 3], ["0.3", "0.1", "0.33333"]),
        ([0.123456, 0.1234561, 2.5e-5], ["0.123456", "0.1234561", "2.5e-5"]),
        ([0.00030000000000000003, 12345678.0, 1e-30], ["0.0003", "12345678", "1e-30"]),
        ([3.4028234663852886e38, 1e300, math.nan], ["3.403e38", "1e300", "NaN"]),
    ],
)
def test_hparams_tables_show_numbers_as_they_were_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rates: list[float], texts: list[str]
) -> None:
    for run, rate in zip("abc", rates, strict=True):
        log(tmp_path, run, {"lr": rate, "wd": 0.1 * 3}, loss=[1.0])
    shown = printed(tmp_path, "--plugin", "hparams", "--width", 100)
    assert [line.split()[2] for line in shown.lines[2:5]] == texts
    assert shown.lines[5] == "the same in all: wd=0.3"
    compared = output_of(capsys, "compare", tmp_path)
    assert [line.split()[-1] for line in compared.splitlines()[-3:]] == texts
    rows = json.loads(output_of(capsys, "export", "--plugin", "hparams", "--format", "json", tmp_path))
    numbers = [row["number"] for row in rows if row["name"] == "lr"]
    assert numbers[:2] == rates[:2]


def test_hparams_that_differ_by_rounding_are_the_same_in_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run, rate in (("a", 0.3), ("b", 0.1 * 3)):
        log(tmp_path, run, {"lr": rate}, loss=[1.0])
    assert "the same in all: lr=0.3" in output_of(capsys, "compare", tmp_path)
    assert "the same in all: lr=0.3" in printed(tmp_path, "--plugin", "hparams").lines


def test_print_hparams_without_declared_metrics_lists_scalars_of_the_runs_below(tmp_path: Path) -> None:
    for trial, rate in enumerate((0.1, 0.01)):
        session = f"{trial:04}/execution0"
        log(tmp_path, session, {"lr": rate})
        for group, loss in (("train", 0.25), ("validation", 0.5)):
            log(tmp_path, f"{session}/{group}", epoch_loss=[1.0, loss + trial])
    shown = printed(tmp_path, "--plugin", "hparams", "--width", 120)
    assert [line.split() for line in shown.lines[1:4]] == [
        ["run", "validation/epoch_loss", "★", "train/epoch_loss", "lr"],
        ["0000/execution0", "0.5", "0.25", "0.1"],
        ["0001/execution0", "1.5", "1.25", "0.01"],
    ]
    assert "no metrics" not in shown.out


def test_print_hparams_session_without_metrics_says_so(tmp_path: Path) -> None:
    log(tmp_path, "run", {"lr": 0.1})
    assert printed(tmp_path, "--plugin", "hparams").lines[-1] == "no metrics"


def test_merged_experiments_declare_the_metrics_of_both() -> None:
    first = Experiment("one", metric_infos=(MetricInfo("a"), MetricInfo("b", display_name="B")))
    second = Experiment("two", metric_infos=(MetricInfo("c"), MetricInfo("b"), MetricInfo("a", "train")))
    merged = merge_experiments([None, first, second])
    assert merged is not None
    assert merged.name == "one"
    assert [(info.tag, info.group) for info in merged.metric_infos] == [("a", ""), ("b", ""), ("c", ""), ("a", "train")]
    assert merged.metric_infos[1].display_name == "B"
    assert merge_experiments([None]) is None
