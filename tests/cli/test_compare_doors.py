"""The comparison has the same numbers in `tbtui compare`, `tbtui export`, Python and the file that the tab writes."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tests.helpers.compare_command import CompareResult, log, three_runs
from tests.helpers.log_directory import START, LogDirectory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_runs(tmp_path / "logs")


def export(logs: Path, *words: str) -> int:
    return main(["export", "--no-cache", str(logs), "--plugin", "comparison", *words])


def exported(capsys: pytest.CaptureFixture[str], logs: Path, *words: str) -> list[dict[str, str]]:
    assert export(logs, *words) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def number(text: str) -> float | None:
    return float(text) if text else None


def alike(value: Any, text: str) -> bool:
    """Return True if a number of JSON, where NaN is a text, is that of a CSV field."""
    own, other = (None if value is None else float(value)), number(text)
    return own == other or (own is not None and other is not None and math.isnan(own) and math.isnan(other))


@pytest.mark.parametrize("figure", ["last", "best", "min", "max"])
def test_export_comparison_has_the_numbers_of_the_command(
    logs: Path, capsys: pytest.CaptureFixture[str], figure: str
) -> None:
    words = ("--figure", figure, "--baseline", "a")
    rows = exported(capsys, logs, *words)
    result = CompareResult(capsys, logs, "--json", *words).json
    cells = [(row["run"], tag, cell) for row in result["runs"] for tag, cell in row["tags"].items()]
    assert [(row["run"], row["tag"]) for row in rows] == [(run, tag) for run, tag, _ in cells]
    for row, (_, tag, cell) in zip(rows, cells, strict=True):
        for name in ("value", "step", "delta", "last", "last_step", "min", "min_step", "max", "max_step", "superseded"):
            assert alike(cell[name], row[name]), (row, name)
        assert row["is_best"] == str(cell["is_best"]).lower()
        assert row["best"] == (result["tags"][tag]["best"] or "")


def test_export_comparison_wide_has_one_row_per_run_in_the_order_of_the_tab(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs, "--wide", "--figure", "best") == 0
    assert capsys.readouterr().out.splitlines() == [
        "run,acc,loss,lr,opt,lr (2),bn",
        "a,0.5,1.0,0.5,adam,,true",
        "b,,1.5,0.25,adam,2.0,true",
        "c,0.75,8.0,0.25,sgd,,true",
    ]


def test_export_comparison_folds_runs_of_hyperparameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path, "run", loss=[2, 1])
    log(tmp_path, "run/1700000000.0", {"lr": 0.5})
    log(tmp_path, "other", {"lr": 0.25}, loss=[3, 2])
    assert export(tmp_path, "--wide") == 0
    assert capsys.readouterr().out.splitlines() == ["run,loss,lr", "other,2.0,0.25", "run,1.0,0.5"]
    assert export(tmp_path, "--wide", "--runs", "^run$") == 0
    assert capsys.readouterr().out.splitlines() == ["run,loss,lr", "run,1.0,0.5"]
    assert tbtui.open(tmp_path, cache=False).compare().hparams["lr"].tolist() == [0.25, 0.5]
    assert len(tbtui.open(tmp_path, cache=False, fold_runs="yes").compare(runs="^run$")) == 1


def test_export_comparison_baseline_may_be_a_run_without_a_row(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = exported(capsys, logs, "--runs", "b", "--tags", "loss", "--baseline", "a")
    assert [(row["run"], row["delta"]) for row in rows] == [("b", "-0.5")]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--baseline", "aa"), 2, "aa: no run of that name to compare with; did you mean 'a'?"),
        (("--runs", "nosuch"), 1, "nothing matches --runs 'nosuch'"),
        (("--tags", "nosuch"), 1, "nothing matches --tags 'nosuch'"),
    ],
)
def test_export_comparison_names_what_does_not_exist(
    logs: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, message: str
) -> None:
    assert export(logs, *words) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--figure", "--baseline"])
def test_export_refuses_options_of_the_comparison_elsewhere(
    logs: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    with pytest.raises(SystemExit):
        main(["export", str(logs), option, "best"])
    assert f"{option} is for comparison, not for scalars" in capsys.readouterr().err


def test_export_comparison_reports_superseded_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", range(3))
    logs.log("run", range(1, 4), file="events.out.tfevents.2.host", start=START + 10)
    assert export(logs.root) == 0
    assert capsys.readouterr().err == "tbtui: 2 superseded values left out\n"


@pytest.mark.parametrize("figure", ["last", "best", "min", "max"])
def test_compare_in_python_has_the_numbers_of_the_command(
    logs: Path, capsys: pytest.CaptureFixture[str], figure: Any
) -> None:
    compared = tbtui.open(logs, cache=False).compare(figure=figure, baseline="a", sort="loss")
    result = CompareResult(capsys, logs, "--json", "--figure", figure, "--baseline", "a", "--sort", "loss").json
    assert compared.runs == tuple(row["run"] for row in result["runs"])
    assert compared.tags == tuple(result["tags"])
    assert {tag: list(runs) for tag, runs in compared.best_runs.items()} == {
        tag: each["best_runs"] for tag, each in result["tags"].items()
    }
    for index, row in enumerate(result["runs"]):
        for tag in compared.tags:
            cell = row["tags"].get(tag, {"value": None, "step": None, "delta": None})
            for name, columns in (("value", compared.values), ("step", compared.steps), ("delta", compared.deltas)):
                expected = math.nan if cell[name] is None else float(cell[name])
                np.testing.assert_equal(columns[tag][index], expected)
    assert list(compared.hparams) == result["hparams"]["differ"]
    assert dict(compared.same_hparams) == result["hparams"]["same"]


def test_compare_in_python_selects_runs_and_tags(logs: Path) -> None:
    opened = tbtui.open(logs, cache=False)
    assert repr(opened.compare("loss", "a|b")) == "<last values of 2 runs, 1 tag>"
    assert opened.compare(runs="lr>=0.5").runs == ("a",)
    assert opened.compare("^loss$", sort="opt", reverse=True).runs == ("c", "a", "b")
    assert opened.compare(baseline="a", runs="b", tags="loss").deltas["loss"].tolist() == [-0.5]


def test_compare_in_python_refuses_unknown_names(logs: Path) -> None:
    opened = tbtui.open(logs, cache=False)
    with pytest.raises(ValueError, match="unknown figure 'mean'; choose from last, best, min, max"):
        opened.compare(figure="mean")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nosuch: no run of that name"):
        opened.compare(baseline="nosuch")


def test_compare_in_python_as_data_frame_is_the_wide_export(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    frame = tbtui.open(logs, cache=False).compare(figure="best").to_pandas()
    assert export(logs, "--wide", "--figure", "best") == 0
    (titles, *rows) = csv.reader(io.StringIO(capsys.readouterr().out))
    assert list(frame.columns) == titles
    assert frame["run"].tolist() == [row[0] for row in rows]
    assert frame["loss"].tolist() == [float(row[titles.index("loss")]) for row in rows]
    assert frame["opt"].tolist() == ["adam", "adam", "sgd"]
