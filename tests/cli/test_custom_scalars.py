"""Custom scalars outside the dashboard: `print`, `export`, `inspect` and Python."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.plugins.custom_scalars.layout import read_layout_text
from tests.helpers.custom_corpus import case_path
from tests.helpers.inspect_command import inspected
from tests.helpers.log_directory import LogDirectory
from tests.helpers.print_command import printed

if TYPE_CHECKING:
    from pathlib import Path


def exported(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["export", "--no-cache", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def layout_file(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "layout.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    made = LogDirectory(tmp_path / "logs")
    made.log("a", range(3), tag="loss/train")
    made.log("a", range(3), tag="loss/val")
    return made


def test_print_shows_categories_and_charts_in_order() -> None:
    shown = printed("--no-cache", "--plugin", "custom_scalars", "--max-tags", 0, case_path("torch"))
    titles = [line for line in shown.lines if line.startswith(("losses: ", "bands: "))]
    assert titles == ["losses: 4 charts", "bands: 5 charts"]
    assert "no 'acc_nowhere': lower bound alone" in shown.lines
    assert shown.lines.index("losses: 4 charts") < shown.lines.index("train and val · 2 runs · steps 0–90")


def test_print_tags_choose_charts_by_title_or_tag() -> None:
    words = ("--no-cache", "--plugin", "custom_scalars", case_path("torch"), "--tags")
    assert "all missing" in printed(*words, "all miss").lines
    by_tag = printed(*words, "^loss/val$").out
    assert "train and val · " in by_tag
    assert "acc ± std" not in by_tag


def test_print_of_other_runs_than_that_of_the_layout_is_arranged() -> None:
    shown = printed("--no-cache", "--plugin", "custom_scalars", "--runs", "^train", case_path("elsewhere"))
    assert shown.lines[0] == "shared: 2 charts"


def test_print_with_a_layout_file_arranges_logs_without_layouts(logs: LogDirectory, tmp_path: Path) -> None:
    path = layout_file(tmp_path, {"mine": {"both": ["Multiline", ["loss/.*"]]}})
    shown = printed("--no-cache", "--layout", path, logs.root)
    assert shown.lines[0] == "mine: 1 chart"
    assert shown.lines[2] == "both · 1 run · steps 0–2"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"c": 1}', "category 'c' must be an object of charts: {title: [kind, tags]}"),
        ("{", "line 1, column 2: expecting property name enclosed in double quotes"),
        (b"\xff\xfe{", "it is not UTF-8 text"),
        (None, "no such file or directory"),
    ],
)
def test_layout_file_that_cannot_be_used_ends_in_one_sentence(
    logs: LogDirectory, tmp_path: Path, content: str | bytes | None, reason: str
) -> None:
    path = tmp_path / "layout.json"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    shown = printed("--layout", path, logs.root)
    assert shown.code == 2
    assert shown.err == f"tbtui: argument --layout: {path}: {reason} (see tbtui print --help)\n"


def test_picture_has_the_charts_of_closed_categories_too(tmp_path: Path) -> None:
    drawn = printed("--no-cache", "--plugin", "custom_scalars", case_path("many"), "-o", tmp_path / "charts.svg")
    assert drawn.code == 0
    text = (tmp_path / "charts.svg").read_text(encoding="utf-8")
    assert all(f"head {number}" in text for number in range(5))


def test_export_has_a_row_for_each_point_of_each_chart(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = exported(capsys, "--plugin", "custom_scalars", case_path("torch"))
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, err) == (0, "")
    assert {(row["chart"], row["tag"]) for row in rows if row["category"] == "losses"} >= {
        ("train and val", "loss/val"),
        ("by pattern", "loss/top"),
        ("special", "acc(top1)"),
    }
    band = [row for row in rows if row["chart"] == "acc ± std" and row["run"] == "run0" and row["step"] == "90"]
    assert [(row["kind"], row["series"], row["role"], row["tag"]) for row in band] == [
        ("margin", "1", "value", "acc"),
        ("margin", "1", "lower", "acc_lower"),
        ("margin", "1", "upper", "acc_upper"),
    ]


def test_export_of_the_layout_reads_back_as_a_layout_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = exported(capsys, "--plugin", "layout", case_path("merge3"))
    assert code == 0
    assert json.loads(out) == {
        "first": {"p": ["Multiline", ["a"]]},
        "second": {"q": ["Multiline", ["a"]], "added by the third": ["Multiline", ["a"]]},
    }
    (tmp_path / "l.json").write_text(out, encoding="utf-8")
    words = ("--no-cache", "--plugin", "custom_scalars", case_path("merge3"))
    assert printed(*words, "--layout", tmp_path / "l.json").out == printed(*words).out


def test_export_names_a_layout_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = exported(capsys, "--plugin", "custom_scalars", case_path("damaged"))
    assert code == 0
    assert out.count("\n") > 1
    assert "first custom_scalars of broken: the layout at step 0 cannot be read: its bytes are no layout" in err


def test_inspect_counts_charts_and_names_without_a_match() -> None:
    _, out = inspected(case_path("edge"))
    lines = out.splitlines()
    (header,) = (line for line in lines if "no match here" in line)
    (row,) = (line for line in lines if "custom_scalars__config__" in line)
    assert header.split()[-6:] == ["charts", "no", "match", "here", "bad", "patterns"]
    assert row.split()[-3:] == ["19", "3", "3"]


def test_python_returns_layouts_by_run() -> None:
    logs = tbtui.open(case_path("torch"))
    layout = logs.layouts["run0"]
    assert [category.title for category in layout.categories] == ["losses", "bands"]
    assert layout.charts[0].tags == ("loss/train", "loss/val")
    assert read_layout_text(layout.to_json()) == layout
    logged = logs["run0"].values("custom_scalars", "custom_scalars__config__")
    assert logged[-1].layout == layout


def test_python_warns_of_a_layout_that_cannot_be_read() -> None:
    logs = tbtui.open(case_path("damaged"))
    with pytest.warns(tbtui.LeftOutWarning, match="broken: the layout at step 0 cannot be read"):
        assert set(logs.layouts) == {"whole"}


def test_inspect_says_why_a_layout_cannot_be_read() -> None:
    _, out = inspected(case_path("damaged"))
    (line,) = (line for line in out.splitlines() if line.strip().startswith("! custom_scalars__config__"))
    assert line.endswith("the layout at step 0 cannot be read: its bytes are no layout")
