"""Test `tbtui export` of metadata, wide tables, Parquet, and of everything into a folder."""

from __future__ import annotations

import csv
import io
import json
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tbtui
from tbtui.charts.numbers import format_size
from tbtui.cli.main import main
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.tfrecord.framing import frame_record
from tests.helpers.log_directory import FILE, NO_FILES, START, LogDirectory
from tests.helpers.pty_app import PtyApp, product

if TYPE_CHECKING:
    from collections.abc import Mapping

CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    made = LogDirectory(tmp_path / "logs")
    made.log("train", range(3))
    made.log("train", range(1, 4), file="events.out.tfevents.2.host", start=START + 10)
    made.log("eval", range(2), start=START + 1)
    return made


def export(*words: object) -> int:
    return main(["export", *map(str, words)])


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def refused(*words: object) -> None:
    with pytest.raises(SystemExit) as ended:
        export(*words)
    assert ended.value.code == 2


def test_export_wide_has_a_row_per_step_without_superseded_points(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs.root, "--wide") == 0
    assert capsys.readouterr() == (
        "step,train/loss,eval/loss\n0,0.0,0.0\n1,2.0,2.0\n2,4.0,\n3,6.0,\n",
        "tbtui: 2 superseded points left out (--wide has one row per step)\n",
    )
    assert export(logs.root, "--wide", "--runs", "eval", "--format", "jsonl") == 0
    assert capsys.readouterr().out.splitlines()[1] == '{"step": 1, "eval/loss": 2.0}'


def test_export_current_counts_what_it_leaves_out(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root, "--current") == 0
    assert capsys.readouterr().err == "tbtui: 2 superseded points left out (--current)\n"
    assert export(logs.root) == 0
    assert capsys.readouterr().err == ""
    assert export(logs.root, "--current", "--runs", "eval") == 0
    assert capsys.readouterr().err == ""


def test_export_all_current_counts_what_it_leaves_out_in_the_manifest(logs: LogDirectory, tmp_path: Path) -> None:
    assert export(logs.root, "--plugin", "all", "--current", "-o", tmp_path / "out") == 0
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["superseded_left_out"] == 2


@pytest.mark.parametrize(
    ("axis", "column", "x"),
    [
        ("step", None, None),
        ("wall", None, None),
        ("relative", "relative", ["0.0", "1.0", "2.0", "11.0", "12.0", "13.0"]),
        ("active", "active", ["0.0", "1.0", "2.0", "11.0", "12.0", "13.0"]),
        ("order", "order", ["1", "2", "3", "4", "5", "6"]),
    ],
)
def test_export_x_axis_adds_a_column(
    logs: LogDirectory, tmp_path: Path, axis: str, column: str | None, x: list[str] | None
) -> None:
    out = tmp_path / "out.csv"
    assert export(logs.root, "--x-axis", axis, "--runs", "train", "-o", out) == 0
    rows = read(out)
    assert list(rows[0]) == ["run", "tag", "step", "wall_time", "value", *([column] if column else [])]
    if column is not None:
        assert [row[column] for row in rows] == x
        assert export(logs.root, "--x-axis", axis, "--runs", "train", "--current", "-o", out, "--force") == 0
        assert [row[column] for row in read(out)] == [x[0], *x[3:]]  # type: ignore[index]


def test_export_relative_time_counts_from_the_start_of_the_run(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", [0, 60], tag="train")
    logs.log("run", [60, 90], tag="eval", file="events.out.tfevents.2.host")
    assert export(logs.root, "--x-axis", "relative", "-o", tmp_path / "out.csv") == 0
    assert [(row["tag"], row["relative"]) for row in read(tmp_path / "out.csv")] == [
        ("train", "0.0"),
        ("train", "60.0"),
        ("eval", "60.0"),
        ("eval", "90.0"),
    ]


def test_export_wide_x_axis_has_a_row_per_x_value_and_all_points(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs.root, "--wide", "--x-axis", "order") == 0
    assert capsys.readouterr() == (
        "order,train/loss,eval/loss\n1,0.0,0.0\n2,2.0,2.0\n3,4.0,\n4,2.0,\n5,4.0,\n6,6.0,\n",
        "",
    )
    assert export(logs.root, "--wide", "--x-axis", "wall", "--runs", "eval") == 0
    assert capsys.readouterr().out == f"wall_time,eval/loss\n{START + 1},0.0\n{START + 2},2.0\n"


def test_export_wide_x_axis_counts_points_of_one_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EventFileWriter(str(tmp_path / FILE), wall_time=START) as writer:
        for step, seconds in enumerate((0, 1, 1, 2)):
            writer.scalar("loss", float(step), step, START + seconds)
    assert export(tmp_path, "--wide", "--x-axis", "relative") == 0
    assert capsys.readouterr() == (
        "relative,./loss\n0.0,0.0\n1.0,2.0\n2.0,3.0\n",
        "tbtui: 1 point left out: a later one of the same column is in its row\n",
    )


def test_export_x_axis_is_for_scalars_only(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    refused(logs.root, "--x-axis", "order", "--plugin", "metadata")
    assert capsys.readouterr().err == "tbtui: --x-axis is for scalars, not for metadata (see tbtui export --help)\n"


def test_python_tables_have_the_x_axes_of_export(logs: LogDirectory) -> None:
    opened = tbtui.open(logs.root, runs="train", cache=False)
    columns = opened.columns(x_axis="order")
    assert list(columns) == ["run", "tag", "step", "wall_time", "value", "order"]
    assert columns["order"].tolist() == [1, 2, 3, 4, 5, 6]
    loss = opened["train"].scalars("loss")
    assert loss.x_values("relative").tolist() == [0, 1, 2, 11, 12, 13]
    assert loss.x_values("step").tolist() == loss.steps.tolist()
    assert loss.x_values("wall").tolist() == loss.wall_times.tolist()
    assert (loss.superseded, loss.current.x_values("order").tolist()) == (2, [1, 2, 3, 4])
    assert pickle.loads(pickle.dumps(loss)).x_values("active").tolist() == loss.x_values("active").tolist()
    with pytest.raises(ValueError, match="unknown x axis 'time'; choose from step, relative, wall, order, active"):
        loss.x_values("time")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only scalars have an x axis, not metadata"):
        opened.columns(plugin="metadata", x_axis="order")


def test_export_wide_is_for_scalars_only(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    refused(logs.root, "--wide", "--plugin", "metadata")
    assert (
        capsys.readouterr().err
        == "tbtui: --wide is for scalars, comparison and hparams, not for metadata (see tbtui export --help)\n"
    )


def test_export_wide_escapes_names_on_a_terminal(tmp_path: Path) -> None:
    LogDirectory(tmp_path / "logs").log("run", [1], tag="evil\x1b]0;title\x07\x1b[2J")
    with PtyApp(product("export", "--wide", str(tmp_path / "logs"))) as app:
        assert app.wait() == 0
        assert b"\x1b" not in app.raw
        assert b"run/evil" in app.raw


def test_export_metadata_has_every_tag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EventFileWriter(str(tmp_path / FILE)) as writer:
        writer.text("note", "hello", 7, START)
        writer.scalar("loss", 1.0, 3, START)
    assert export(tmp_path, "--plugin", "metadata", "--format", "json") == 0
    note, loss = json.loads(capsys.readouterr().out)
    assert (note["run"], note["tag"], note["plugin"], note["points"], note["superseded"]) == (".", "note", "text", 1, 0)
    assert (loss["tag"], loss["first_step"], loss["last_step"], loss["first_wall_time"]) == ("loss", 3, 3, START)
    assert loss["plugin"] == "scalars"


def described(tag: str, number: float, content: bytes) -> bytes:
    event = get_message_class("Event")(wall_time=START, step=1)
    value = event.summary.value.add(tag=tag)
    value.tensor.dtype = 1
    value.tensor.float_val.append(number)
    value.metadata.display_name, value.metadata.summary_description = "Loss, really", "*Falls*, we hope"
    value.metadata.plugin_data.plugin_name, value.metadata.plugin_data.content = "scalars", content
    return frame_record(event.SerializeToString())


@pytest.mark.parametrize(("content", "decoded"), [(b"\x08\x02", '{"version": 2}'), (b"\xff", ""), (b"", "")])
def test_export_metadata_has_the_description_of_a_tag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, decoded: str
) -> None:
    (tmp_path / FILE).write_bytes(described("loss", 1.0, content))
    assert export(tmp_path, "--plugin", "metadata") == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["display_name"], row["description"]) == ("Loss, really", "*Falls*, we hope")
    assert row["decoded"] == decoded
    assert row["data_class"] == "scalar"


def test_export_files_has_every_file_and_its_damage(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    path = logs.path("eval")
    whole = path.read_bytes()
    path.write_bytes(whole + b"\xff" * 40)
    assert export(logs.root, "--plugin", "files") == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["run"], row["records"]) for row in rows] == [("train", "4"), ("train", "4"), ("eval", "3")]
    assert (rows[-1]["file"], rows[-1]["bytes"], rows[-1]["state"]) == (str(path), str(len(whole) + 40), "corrupt")
    assert json.loads(rows[-1]["problems"])[0]["offset"] == len(whole)
    assert rows[0]["problems"] == ""
    assert "damaged" in err


def test_export_hyperparameters_of_the_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert export(CORPUS, "--plugin", "hparams") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["run", "name", "value", "number", "source", "session", "group"]
    for row in rows:
        assert row["number"] == "" or float(row["value"]) == float(row["number"])
    assert any(row["number"] for row in rows)
    assert any(row["value"] in ("true", "false") and not row["number"] for row in rows) or len(rows) > 3


def test_export_logs_without_hyperparameters_return_1(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    for plugin, words in (("hparams", "hyperparameters"), ("run_metadata", "run metadata")):
        assert export(logs.root, "--plugin", plugin) == 1
        assert capsys.readouterr() == ("", f"tbtui: {logs.root}: no {words}\n")


def listed(folder: Path) -> Mapping[str, Any]:
    reported: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    assert reported["by"].startswith("tbtui ")
    return {entry["file"]: entry for entry in reported["files"]} | {"": reported}


def test_export_all_fills_a_folder_with_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert export(CORPUS, "--plugin", "all", "-o", folder) == 0
    entries = listed(folder)
    tables = {
        *("scalars.csv", "histograms.csv", "distributions.csv", "pr_curves.csv", "text.csv", "run_metadata.csv"),
        *("hparams.csv", "sessions.csv", "metadata.csv", "files.csv"),
        *("steps.csv", "operators.csv", "kernels.csv", "events.csv"),
    }
    assert tables <= set(entries)
    assert {"images", "audio", "graphs"} <= {path.name for path in folder.iterdir()}
    assert {path.name for path in folder.iterdir()} == {
        *(name.partition("/")[0] for name in entries if name),
        "manifest.json",
    }
    for name in (name for name in entries if name.endswith(".csv") and "/" not in name):
        rows = read(folder / name)
        assert len(rows) == entries[name]["rows"]
        assert list(rows[0]) == entries[name]["columns"]
    for kind in ("images", "audio"):
        rows = read(folder / kind / "manifest.csv")
        assert all((folder / kind / row["file"]).stat().st_size == int(row["bytes"]) for row in rows if row["file"])
        assert entries[f"{kind}/manifest.csv"]["files"] == len(list((folder / kind).iterdir())) - 1
    graphs = entries["graphs"]["graphs"]
    assert {graph["file"] for graph in graphs} == {path.name for path in (folder / "graphs").iterdir()}
    assert entries["graphs"]["files"] == len(graphs)
    assert {graph["run"] for graph in graphs} <= set(entries[""]["runs"])
    assert {row["plugin"] for row in read(folder / "metadata.csv")} > {"scalars", "images", "mesh"}
    assert entries[""]["tags_left_out"]["tensor"] > 0
    assert "of tensor left out" in capsys.readouterr().err


def test_export_all_equals_each_kind_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(CORPUS, "--plugin", "all", "--current", "--tags", "loss|acc", "-o", tmp_path / "out") == 0
    for name in ("scalars", "metadata"):
        assert export(CORPUS, "--plugin", name, "--current", "--tags", "loss|acc", "-o", tmp_path / f"{name}.csv") == 0
        assert (tmp_path / "out" / f"{name}.csv").read_bytes() == (tmp_path / f"{name}.csv").read_bytes()
    capsys.readouterr()


def test_export_all_needs_an_empty_folder(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(logs.root, "--plugin", "all") == 2
    assert capsys.readouterr().err == "tbtui: everything is written into a folder: name it with -o\n"
    folder = logs.root.parent / "out"
    folder.mkdir()
    (folder / "mine").write_text("dear")
    assert export(logs.root, "--plugin", "all", "-o", folder) == 2
    assert "exists already and is not empty" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert export(logs.root, "--plugin", "all", "-o", folder, "--force", "--format", "jsonl") == 0
    names = {"mine", "scalars.jsonl", "metadata.jsonl", "files.jsonl", "manifest.json"}
    assert {path.name for path in folder.iterdir()} == names


def test_export_all_of_empty_logs_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    assert export(tmp_path / "logs", "--plugin", "all", "-o", tmp_path / "out") == 1
    assert capsys.readouterr() == ("", f"tbtui: {tmp_path / 'logs'}: {NO_FILES}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


def test_export_all_without_a_matching_tag_leaves_nothing(
    logs: LogDirectory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(logs.root, "--plugin", "all", "--tags", "los$", "-o", tmp_path / "out") == 1
    assert capsys.readouterr().err.startswith(
        f"tbtui: {logs.root}: nothing matches --tags 'los$': did you mean 'loss'?"
    )
    assert not (tmp_path / "out").exists()


def test_export_all_linked_subfolder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "images").symlink_to(tmp_path / "elsewhere")
    assert export(CORPUS, "--plugin", "all", "--force", "-o", folder) == 2
    assert f"{folder / 'images'} cannot be written: it is not a folder" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["images"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_export_parquet_without_pyarrow_returns_2(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = logs.root.parent / "x.parquet"
    for words in (("-o", path), ("--format", "parquet"), ("--plugin", "all", "--format", "parquet", "-o", path.parent)):
        assert export(logs.root, *words) == 2
        assert capsys.readouterr() == ("", "tbtui: parquet needs pyarrow: pip install 'tbtui[parquet]'\n")
    assert not path.exists()


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather"])
def test_export_kind_format_follows_the_extension(logs: LogDirectory, name: str) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import ipc, parquet

    path = logs.root.parent / name
    assert export(logs.root, "-o", path) == 0
    found = parquet.read_table(path) if name == "x.parquet" else ipc.open_file(path.read_bytes()).read_all()
    assert found.column("value").to_pylist() == [0.0, 2.0, 4.0, 2.0, 4.0, 6.0, 0.0, 2.0]
    assert sorted(path.name for path in logs.root.parent.iterdir()) == ["logs", name]


def test_export_binary_is_written_to_a_pipe_but_not_a_terminal(
    logs: LogDirectory, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    pytest.importorskip("pyarrow")
    assert export(logs.root, "--format", "parquet") == 0
    assert capfdbinary.readouterr().out.startswith(b"PAR1")
    with PtyApp(product("export", "--format", "parquet", str(logs.root))) as app:
        assert app.wait() == 2
        assert app.raw.strip() == b"tbtui: parquet is not text for a terminal: name a file with -o, or send it on"


def test_export_progress_is_shown_while_reading_and_writing(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reported: list[str] = []
    monkeypatch.setattr("tbtui.cli.output.Progress.report", lambda _self, words: reported.append(words))
    assert export(logs.root) == 0
    total = format_size(sum(path.stat().st_size for path in logs.root.rglob("events.*")))
    assert reported[-1] == f"{total} of {total} read, 8 rows written"
    assert any(words.endswith(" read") for words in reported)
    capsys.readouterr()


def test_export_slow_pattern_on_tags_leaves_no_file(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tbtui.cli.arguments.FILTER_SECONDS", 0.05)
    logs.log("last", [1], tag="a" * 60, start=START + 100)
    path = logs.root.parent / "x.csv"
    assert export(logs.root, "--tags", "(a|a)*(a|aa)+(aa|a)*b|loss", "-o", path) == 2
    assert "too slow" in capsys.readouterr().err
    assert [left.name for left in logs.root.parent.iterdir()] == ["logs"]
