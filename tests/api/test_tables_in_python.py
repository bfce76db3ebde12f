"""Test tables of all runs, equal to `tbtui export`, as columns and as pandas data frames."""

from __future__ import annotations

import builtins
import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.plugins.registry import GENERAL_EXPORTS, PLUGINS, list_table_exports
from tests.helpers.log_directory import START
from tests.helpers.value_logs import ValueLogs, pictures, plain

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture
def logs(tmp_path: Path) -> ValueLogs:
    made = ValueLogs(tmp_path / "logs")
    made.log("train", [0, 1, 2])
    made.log("train", [1, 2], start=START + 10)
    made.log("train", [0], tag="acc")
    made.log("eval", range(2), start=START - 100)
    return made


TABLES = [name for name in list_table_exports() if name != "importance"]
"""All but the one that needs more sessions than the corpus has (`test_sessions_in_python`)."""

PROFILE_TABLES = frozenset({"steps", "operators", "kernels", "events"})


def corpus_of(plugin: str) -> Path:
    """Return the directory of the corpus that holds rows of a table."""
    if plugin in PROFILE_TABLES:
        return CORPUS / "profile" / "public"
    return CORPUS / "projector" / "bytes" if plugin in {"projector", "vectors"} else CORPUS / "writers"


@pytest.mark.filterwarnings("ignore:.*an empty value:tbtui.LeftOutWarning")
@pytest.mark.parametrize(("plugin", "current"), [*((plugin, False) for plugin in TABLES), ("scalars", True)])
def test_table_columns_equal_the_export(plugin: str, current: bool, capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", str(corpus_of(plugin)), "--plugin", plugin, "--format", "csv", *["--current"] * current])
    lines = [*csv.reader(io.StringIO(capsys.readouterr().out))]
    if not lines:  # the corpus has no values of it
        assert plugin not in tables_with_values()
        return
    header, *rows = lines
    columns = tbtui.open(corpus_of(plugin)).columns(plugin=plugin, current=current)
    assert list(columns) == header
    assert len(rows) == len(columns["run"])
    assert rows or plugin not in tables_with_values()
    for number, column in enumerate(columns.values()):
        assert [row[number] for row in rows] == [spelled(value) for value in column.tolist()]


def tables_with_values() -> set[str]:
    """Return the tables that are not empty: their dashboards read plugin names of the corpus."""
    logged = {plugin for run in tbtui.open(CORPUS / "writers").values() for plugin in run.tags.values()}
    found = {export.name for plugin in PLUGINS if plugin.reads & logged for export in plugin.exports}
    return found | {export.name for export in GENERAL_EXPORTS}


def spelled(value: Any) -> str:
    words = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "None": "", "True": "true", "False": "false"}
    text = value if isinstance(value, str) else repr(value)
    return text.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else words.get(text, text)


def test_table_patterns_select_runs_and_tags(logs: ValueLogs) -> None:
    opened = tbtui.open(logs.root)
    assert set(opened.columns(tags="LOSS")["tag"]) == {"loss"}
    assert set(opened.columns(runs="^tr")["run"]) == {"train"}
    assert opened.columns("acc", "eval")["step"].tolist() == []
    assert [(each.run, each.tag) for each in opened.scalars()] == [
        ("eval", "loss"),
        ("train", "loss"),
        ("train", "acc"),
    ]
    assert [(each.run, each.tag) for each in opened.scalars("acc")] == [("train", "acc")]
    assert [len(each) for each in opened.scalars()[:2]] == [2, 5]


def test_table_reads_only_selected_runs(logs: ValueLogs) -> None:
    opened = tbtui.open(logs.root)
    opened.columns(runs="eval")
    assert "'train': not read yet" in repr(opened)


def test_table_unknown_kind_raises(logs: ValueLogs) -> None:
    with pytest.raises(ValueError, match="no table of 'levels'; choose from scalars, custom_scalars, histograms"):
        tbtui.open(logs.root).columns(plugin="levels")


def test_table_omitted_values_are_reported(logs: ValueLogs) -> None:
    logs.add("train", "h", "histograms", np.array([[0.0, 1.0, 3.0]]), np.array([[0.0, np.nan, 3.0]]))
    opened = tbtui.open(logs.root)
    with pytest.warns(
        tbtui.LeftOutWarning, match="1 of 2 values are left out; the first, 'h' of 'train' at step 1"
    ) as warned:
        columns = opened.columns(plugin="histograms")
    assert columns["count"].tolist() == [3.0]
    assert warned[0].filename == __file__


def test_table_without_pandas_raises_one_sentence(logs: ValueLogs, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *more: Any, **others: Any) -> Any:
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
        return imported(name, *more, **others)

    monkeypatch.setattr(builtins, "__import__", refuse)
    opened = tbtui.open(logs.root)
    logs.add("train", "x", "images", pictures(plain(1)))
    calls = (opened.to_pandas, opened["train"].to_pandas, opened["train"].scalars("loss").to_pandas)
    for call in (*calls, opened["train"].images("x").to_pandas):
        with pytest.raises(ImportError) as refused:
            call()
        assert (
            str(refused.value)
            == "pandas is not installed, which to_pandas needs: pip install pandas (or tbtui[pandas])"
        )


def test_table_long_as_pandas(logs: ValueLogs, capsys: pytest.CaptureFixture[str]) -> None:
    pandas = pytest.importorskip("pandas")
    opened = tbtui.open(logs.root)
    frame = opened.to_pandas()
    assert list(frame.columns) == ["run", "tag", "step", "wall_time", "value"]
    main(["export", str(logs.root)])
    pandas.testing.assert_frame_equal(frame, pandas.read_csv(io.StringIO(capsys.readouterr().out)))
    assert len(opened.to_pandas(current=True)) == 6
    assert set(opened.to_pandas("acc").tag) == {"acc"}
    assert list(opened["train"].to_pandas("loss").run) == ["train"] * 5
    frame.loc[0, "value"] = 7  # owned by the caller
    assert opened["eval"].scalars("loss").values[0] == 0
    assert len(opened.to_pandas("nothing")) == 0


def test_table_pandas_warning_points_to_the_caller(logs: ValueLogs) -> None:
    pytest.importorskip("pandas")
    logs.add("train", "h", "histograms", np.array([[0.0, 1.0, 3.0]]), np.array([[0.0, np.nan, 3.0]]))
    opened = tbtui.open(logs.root)
    call = (lambda: opened.to_pandas(plugin="histograms"), lambda: opened["train"].histograms("h").to_pandas())
    for each in call:
        with pytest.warns(tbtui.LeftOutWarning) as warned:
            each()
        assert warned[0].filename == __file__


def test_table_wide_as_pandas(logs: ValueLogs) -> None:
    pytest.importorskip("pandas")
    opened = tbtui.open(logs.root)
    wide = opened.to_pandas(wide=True)
    assert list(wide.columns) == [("eval", "loss"), ("train", "loss"), ("train", "acc")]
    assert wide.index.tolist() == [0, 1, 2]
    assert wide[("train", "loss")].tolist() == [0.0, 2.0, 4.0]
    assert np.isnan(wide[("eval", "loss")][2])
    assert len(opened.to_pandas("nothing", wide=True)) == 0
    with pytest.raises(ValueError, match="only scalars have a wide table"):
        opened.to_pandas(plugin="images", wide=True)


@pytest.mark.filterwarnings("ignore:.*an empty value:tbtui.LeftOutWarning")
@pytest.mark.parametrize("plugin", TABLES)
def test_table_every_plugin_as_pandas(plugin: str) -> None:
    pytest.importorskip("pandas")
    opened = tbtui.open(corpus_of(plugin))
    frame, columns = opened.to_pandas(plugin=plugin), opened.columns(plugin=plugin)
    assert list(frame.columns) == list(columns)
    assert len(frame) == len(columns["run"])


@pytest.mark.filterwarnings("ignore:.*an empty value:tbtui.LeftOutWarning")
def test_table_numbers_with_gaps_have_a_numeric_dtype() -> None:
    pytest.importorskip("pandas")
    opened = tbtui.open(CORPUS / "writers")
    hparams = opened.to_pandas(plugin="hparams")
    assert list(hparams.columns) == ["run", "name", "value", "number", "source", "session", "group"]
    assert hparams.number.dtype == np.float64
    assert hparams.number.isna().any()
    assert opened.to_pandas(plugin="images").width.dtype.kind in "if"
    assert opened.to_pandas(plugin="files").records.dtype == np.int64


def test_table_of_one_series_as_pandas(logs: ValueLogs) -> None:
    pytest.importorskip("pandas")
    logs.add("train", "h", "histograms", np.array([[0.0, 1.0, 3.0], [1.0, 2.0, 4.0]]))
    logs.add("train", "x", "images", pictures(plain(1)))
    run = tbtui.open(logs.root)["train"]
    loss = run.scalars("loss")
    assert list(loss.to_pandas().columns) == ["step", "wall_time", "value"]
    assert loss.to_pandas(smoothing=0.5).smoothed.tolist() == loss.smoothed(0.5).tolist()
    assert len(loss.current.to_pandas()) == 3
    assert run.histograms("h").to_pandas()["count"].tolist() == [3.0, 4.0]
    assert run.histograms("h").to_pandas(distributions=True)["count"].tolist() == [7.0]
    assert run.images("x").to_pandas()[["width", "height", "format"]].values.tolist() == [[4, 3, "PNG"]]
