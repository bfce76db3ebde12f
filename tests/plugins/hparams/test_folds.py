"""Test that runs which only hold a session are part of the run above, in every place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.app.app import Dashboard
from tbtui.cli.main import main
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.plugins.registry import run_folder
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import ReferenceSeries, ScalarSeries
from tests.helpers.log_directory import LogDirectory
from tests.helpers.screen_text import screen_text
from tests.helpers.session_logs import log_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

LOGS = Path(__file__).parent / "logs"


def stored(root: Path) -> StoreSnapshot:
    return Loader(parse_sources([str(root)]), reload_seconds=0).load_all().snapshot


def folded(root: Path) -> Mapping[str, RunSnapshot]:
    return run_folder().fold(stored(root)).runs


def log_trial(root: Path, run: str, child: str = "1700000000.25", **hparams: float) -> None:
    LogDirectory(root).log(run, range(5))
    log_session(root, f"{run}/{child}", hparams or {"lr": 0.1}, {"hparam/loss": [0.5]})


@pytest.mark.parametrize("child", ["1700000000.25", "hparams", "anything"])
def test_run_folder_ended_session_below_a_run_is_part_of_it(tmp_path: Path, child: str) -> None:
    log_trial(tmp_path, "t0", child)
    run = folded(tmp_path)["t0"]
    assert list(folded(tmp_path)) == ["t0"]
    assert {"loss", "hparam/loss", "_hparams_/session_start_info"} <= run.series.keys()
    assert [part.name for part in run.folded] == ["t0", f"t0/{child}"]
    assert len(run.files) == 2
    assert {series.run for series in run.series.values()} == {"t0"}


def test_run_folder_files_of_folded_series_are_those_of_the_joined_run(tmp_path: Path) -> None:
    log_trial(tmp_path, "t0")
    run = folded(tmp_path)["t0"]
    start = run.series["_hparams_/session_start_info"]
    assert isinstance(start, ReferenceSeries)
    assert "1700000000.25" in run.files[int(start.files[0])].path
    block = Payloads().read(run, start, [0])
    assert not block.errors
    assert b"lr" in block.payload(0)


def test_run_folder_curve_of_a_run_is_kept_where_both_have_a_tag(tmp_path: Path) -> None:
    LogDirectory(tmp_path).log("t0", range(5))
    log_session(tmp_path, "t0/hp", {"lr": 0.1}, {"loss": [0.5]})
    series = folded(tmp_path)["t0"].series["loss"]
    assert isinstance(series, ScalarSeries)
    assert len(series) == 5
    table = SessionTables(Payloads()).build(folded(tmp_path))
    assert table.figures.values(table.metrics[0], "last", "min").values.value(0) == 0.5


def test_run_folder_search_of_one_writer_stays_apart(tmp_path: Path) -> None:
    log_trial(tmp_path, "search", "1700000000.25", lr=0.1)
    log_session(tmp_path, "search/1700000001.5", {"lr": 0.2}, {"hparam/loss": [0.4]})
    assert list(folded(tmp_path)) == ["search", "search/1700000000.25", "search/1700000001.5"]


def test_run_folder_running_session_below_a_run_stays_apart(tmp_path: Path) -> None:
    LogDirectory(tmp_path).log("sweep", range(5))
    log_session(tmp_path, "sweep/first", {"lr": 0.1}, {"loss": [1.0]}, status="")
    assert list(folded(tmp_path)) == ["sweep", "sweep/first"]


def test_run_folder_session_beside_train_and_validation_is_the_run_above(tmp_path: Path) -> None:
    for part in ("train", "validation"):
        LogDirectory(tmp_path).log(f"t0/{part}", range(3))
    log_session(tmp_path, "t0/hparams", {"lr": 0.1})
    assert sorted(folded(tmp_path)) == ["t0", "t0/train", "t0/validation"]
    table = SessionTables(Payloads()).build(folded(tmp_path))
    assert [(each.name, each.members) for each in table.sessions] == [
        ("t0", ("t0/hparams", "t0/train", "t0/validation"))
    ]
    assert [metric.group for metric in table.metrics] == ["train", "validation"]


def test_run_folder_unfolded_run_has_its_runs_beside_it(tmp_path: Path) -> None:
    log_trial(tmp_path, "t0")
    log_trial(tmp_path, "t1")
    folder, snapshot = run_folder(), stored(tmp_path)
    assert list(folder.fold(snapshot, frozenset({"t0"})).runs) == ["t0", "t0/1700000000.25", "t1"]
    assert list(folder.fold(snapshot).runs) == ["t0", "t1"]
    assert folder.fold(snapshot) is folder.fold(snapshot)


@pytest.mark.parametrize("case", sorted(path.name for path in LOGS.iterdir()))
def test_run_folder_folding_loses_no_session_and_no_value(case: str) -> None:
    snapshot, runs = stored(LOGS / case), folded(LOGS / case)
    tables = SessionTables(Payloads())
    before, after = tables.build(snapshot.runs), SessionTables(Payloads()).build(runs)
    assert [each.members for each in before.sessions] == [each.members for each in after.sessions]
    parts = [part for run in runs.values() for part in run.folded or (run,)]
    assert sorted(part.name for part in parts) == sorted(snapshot.runs)
    for run in runs.values():
        assert run.series.keys() == {tag for part in run.folded or (run,) for tag in part.series}


@pytest.mark.parametrize("command", ["print", "compare", "inspect"])
def test_commands_list_folded_runs_once(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_trial(tmp_path, "t0", "hp")
    log_trial(tmp_path, "t1", "hp", lr=0.2)
    assert main([command, str(tmp_path), "--no-cache"]) == 0
    folded_text = capsys.readouterr().out
    assert main([command, str(tmp_path), "--no-cache", "--fold-runs", "no"]) == 0
    assert "2 runs" in folded_text
    assert "t0/hp" in capsys.readouterr().out.replace("with t0/hp", "")


def test_inspect_json_names_the_run_that_each_is_folded_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import json

    log_trial(tmp_path, "t0", "hp")
    assert main(["inspect", str(tmp_path), "--json", "--no-cache"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert {name: run["folded_into"] for name, run in runs.items()} == {"t0": None, "t0/hp": "t0"}


def exported(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[str, str, str]]:
    """Return run, tag and value of each exported point of scalars."""
    import csv

    assert main(["export", str(root), "--no-cache", *words]) == 0
    return sorted(
        (row["run"], row["tag"], row["value"]) for row in csv.DictReader(capsys.readouterr().out.splitlines())
    )


def test_export_fold_runs_names_the_run_above_and_loses_no_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_trial(tmp_path, "t0", "hp")
    LogDirectory(tmp_path).log("t1", range(5))
    log_session(tmp_path, "t1/hp", {"lr": 0.2}, {"hparam/loss": [0.5], "loss": [7.0]})
    stored_rows, folded_rows = exported(tmp_path, capsys), exported(tmp_path, capsys, "--fold-runs", "yes")
    assert {run for run, _, _ in stored_rows} == {"t0", "t0/hp", "t1", "t1/hp"}
    # The point under the tag of the curve stays that of the run that holds it.
    assert {(run, tag) for run, tag, _ in folded_rows if "hp" in run} == {("t1/hp", "loss")}
    assert sorted(row[1:] for row in folded_rows) == sorted(row[1:] for row in stored_rows)
    only_t1 = exported(tmp_path, capsys, "--fold-runs", "yes", "--runs", "^t1$")
    assert {run for run, _, _ in only_t1} == {"t1", "t1/hp"}


def test_open_fold_runs_lists_the_runs_of_the_dashboard(tmp_path: Path) -> None:
    log_trial(tmp_path, "t0", "hp")
    logs = tbtui.open(tmp_path, fold_runs="yes", cache=False)
    assert list(logs) == ["t0"]
    assert logs["t0"].hparams.values == {"lr": 0.1}
    assert logs["t0"].scalars("hparam/loss").values.tolist() == [0.5]
    log_trial(tmp_path, "t1", "hp")
    assert logs.refresh()
    assert list(logs) == ["t0", "t1"]
    assert list(tbtui.open(tmp_path, cache=False)) == ["t0", "t0/hp", "t1", "t1/hp"]


async def test_run_list_key_unfolds_a_run_and_folds_it_again(tmp_path: Path) -> None:
    log_trial(tmp_path, "t0", "hp")
    log_trial(tmp_path, "t1", "hp", lr=0.2)
    loader = Loader(parse_sources([str(tmp_path)]), reload_seconds=0)
    loader.load_all()
    app = Dashboard(loader, label="logs", settings=Settings())
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert screen_text(app).count("▸t") == 2
        await pilot.press("tab", "l")
        await pilot.pause()
        assert app.settings.unfolded_runs == {"t0"}
        assert list(app.build_state().load.snapshot.runs) == ["t0", "t0/hp", "t1"]
        assert "▾t0" in screen_text(app)
        await pilot.press("down", "h")
        await pilot.pause()
        assert app.settings.unfolded_runs == frozenset()
