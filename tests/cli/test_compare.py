"""Test `tbtui compare`: figures of the Compare tab and hyperparameters as text, Markdown and JSON."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.compare_command import CompareResult, log, three_runs

CORPUS = Path(__file__).parents[1] / "corpus"
HOSTILE = "evil\x1b[31m|`*_\n<b>"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return three_runs(tmp_path / "logs")


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_compare_lists_runs_with_their_hyperparameters(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = CompareResult(capsys, logs, "--tags", "^(loss|acc)$").lines
    assert lines[lines.index("the same in all: bn=true") + 1 :] == [
        "",
        "run     acc    loss    lr  opt",
        "a      0.5      2    0.5   adam",
        "b         –  ★  1.5  0.25  adam",
        "c    ★ 0.75    ✗NaN  0.25  sgd",
    ]


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ([], {"a": (2, 2), "b": (1.5, 2), "c": ("NaN", 2)}),
        (["--figure", "best"], {"a": (1, 1), "b": (1.5, 2), "c": (8, 0)}),
        (["--figure", "min"], {"a": (1, 1), "b": (1.5, 2), "c": (8, 0)}),
        (["--figure", "max"], {"a": (4, 0), "b": (4, 0), "c": (8, 0)}),
    ],
)
def test_compare_value_of_a_run_is_the_selected_figure(
    logs: Path, capsys: pytest.CaptureFixture[str], options: list[str], rows: dict[str, tuple[Any, int]]
) -> None:
    result = CompareResult(capsys, logs, "--json", *options).json
    found = {row["run"]: (row["tags"]["loss"]["value"], row["tags"]["loss"]["step"]) for row in result["runs"]}
    assert found == rows


def test_compare_json_has_every_figure_by_name(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = CompareResult(capsys, logs, "--json", "--baseline", "a", "--figure", "best").json
    assert list(result) == ["logdir", "figure", "baseline", "sort", "left_out", "hparams", "tags", "runs"]
    assert (result["logdir"], result["figure"], result["baseline"], result["sort"]) == (str(logs), "best", "a", None)
    assert result["hparams"] == {"same": {"bn": True}, "differ": ["lr", "opt"]}
    assert result["tags"]["loss"] == {"best": "min", "best_runs": ["a"]}
    assert result["tags"]["lr"] == {"best": None, "best_runs": []}
    a, b, c = result["runs"]
    assert (b["run"], b["hparams"], b["hparams_from"]) == ("b", {"bn": True, "lr": 0.25, "opt": "adam"}, "b")
    assert a["tags"]["loss"] == {
        "value": 1.0,
        "step": 1,
        "last": 2.0,
        "last_step": 2,
        "min": 1.0,
        "min_step": 1,
        "max": 4.0,
        "max_step": 0,
        "delta": None,
        "is_best": True,
        "superseded": 0,
    }
    assert (b["tags"]["loss"]["delta"], c["tags"]["loss"]["delta"]) == (0.5, 7.0)
    assert c["tags"]["loss"]["last"] == "NaN"
    assert "acc" not in b["tags"]


@pytest.mark.parametrize(
    ("options", "order"),
    [
        (["--sort", "loss"], "bac"),
        (["--sort", "loss", "--reverse"], "abc"),
        (["--sort", "loss", "--figure", "best"], "abc"),
        (["--sort", "acc"], "cab"),
        (["--sort", "opt"], "abc"),
        (["--sort", "opt", "--reverse"], "cab"),
        (["--sort", "bn"], "abc"),
        (["--sort", "loss", "--limit", "2"], "ba"),
        (["--runs", "a|c"], "ac"),
        (["--tags", "^acc$"], "ac"),
        (["--limit", "0"], "abc"),
    ],
)
def test_compare_sorts_by_the_given_order(
    logs: Path, capsys: pytest.CaptureFixture[str], options: list[str], order: str
) -> None:
    result = CompareResult(capsys, logs, "--json", *options).json
    assert "".join(row["run"] for row in result["runs"]) == order


def test_compare_default_order_is_that_of_the_run_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("run10", "run9", "run1"):
        log(tmp_path, run, loss=[1.0])
    for options in ([], ["--sort", "loss"]):
        result = CompareResult(capsys, tmp_path, "--json", *options).json
        assert [row["run"] for row in result["runs"]] == ["run1", "run9", "run10"]


def test_compare_last_values_show_differing_last_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log(tmp_path, "long", loss=[3, 2, 1], acc=[0.5])
    log(tmp_path, "short", loss=[3, 2], acc=[0.75, 0.25])
    monkeypatch.setenv("COLUMNS", "300")
    lines = CompareResult(capsys, tmp_path).lines
    assert "2 runs, 2 tags: last values, " in lines[0]
    assert [line.split() for line in lines[-3:]] == [
        ["run", "acc", "loss", "step"],
        ["long", "★", "0.5", "★", "1", "2"],
        ["short", "0.25", "2", "1"],
    ]
    lines = CompareResult(capsys, tmp_path, "--runs", "long").lines
    assert "1 run, 2 tags: last values at step 2" in lines[0]
    assert lines[-2].split() == ["run", "acc", "loss"]
    assert CompareResult(capsys, tmp_path, "--runs", "long", "--figure", "min").lines[0].endswith(": least values")


def test_compare_tag_wins_over_a_hyperparameter_of_its_name(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert CompareResult(capsys, logs, "--json", "--sort", "lr").json["sort"] == {
        "by": "lr",
        "of": "tag",
        "descending": False,
    }


def test_compare_baseline_needs_no_row(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = CompareResult(capsys, logs, "--json", "--runs", "b", "--baseline", "a").json
    assert [(row["run"], row["tags"]["loss"]["delta"]) for row in result["runs"]] == [("b", -0.5)]


def test_compare_best_of_all_counts_without_a_row(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = CompareResult(capsys, logs, "--json", "--sort", "loss", "--reverse", "--limit", "1").json
    assert (result["left_out"], result["tags"]["loss"]["best_runs"]) == (2, [])


def test_compare_differences_are_beside_the_values(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = CompareResult(capsys, logs, "--tags", "^(loss|acc)$", "--baseline", "a").lines
    assert lines[lines.index("the same in all: bn=true") + 1 :] == [
        "",
        "run     acc      Δ    loss     Δ    lr  opt",
        "a      0.5       –     2       –  0.5   adam",
        "b         –      –  ★  1.5  -0.5  0.25  adam",
        "c    ★ 0.75  +0.25    ✗NaN     –  0.25  sgd",
    ]


def test_compare_single_tag_has_all_figures(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = CompareResult(capsys, logs, "--tags", "^loss$", "--figure", "best", "--baseline", "b", "--sort", "loss")
    assert "3 runs, loss: best values" in " ".join(result.out.split())
    (title,) = [line.split() for line in result.lines if line.startswith("run")]
    assert title == ["run", "last", "step", "min", "step", "Δ", "max", "step", "lr", "opt"]
    (row,) = [line.split() for line in result.lines if line.startswith("a ")]
    assert row == ["a", "2", "2", "★", "1", "1", "-0.5", "4", "0", "0.5", "adam"]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_compare_columns_wrap_into_blocks_of_the_terminal_width(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", f"{width}")
    for run in ("first", "second"):
        log(tmp_path, run, **{f"layer{n}__weights__norm": [1.0 + n, 2.0] for n in range(12)})
    lines = CompareResult(capsys, tmp_path, "--figure", "max").lines
    assert all(len(line) <= width for line in lines[1:])
    titles = "".join(line for line in lines if not line.startswith(("first", "second")))
    assert all(f"layer{n}/" in titles for n in range(12))
    assert sum(line.startswith("first ") for line in lines) == {40: 12, 80: 4, 200: 2}[width]


def test_compare_tags_beyond_the_limit_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path, "run", **{f"tag{n:03}": [1.0] for n in range(50)})
    assert "10 more tags: --tags REGEX chooses, --markdown and --json have all" in CompareResult(capsys, tmp_path).lines
    assert len(CompareResult(capsys, tmp_path, "--json").json["tags"]) == 50
    assert "tag049" in CompareResult(capsys, tmp_path, "--markdown").out


def test_compare_rows_without_a_value_in_a_block_are_omitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log(tmp_path, "one", **{f"left{n}": [1.0] for n in range(8)})
    log(tmp_path, "two", **{f"right{n}": [1.0] for n in range(8)})
    lines = CompareResult(capsys, tmp_path).lines
    assert lines[-1] == "a run without a value in a block has no row there"
    assert sum(line.startswith(("one", "two")) for line in lines) < 4 * 2


def test_compare_hyperparameter_block_omits_runs_without_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values: list[dict[str, object]] = [{f"hyperparameter{n}": value + n for n in range(8)} for value in (0.5, 1.5)]
    log(tmp_path, "a", values[0], loss=[1.0])
    log(tmp_path, "b", values[1], loss=[2.0])
    log(tmp_path, "plain", loss=[3.0])
    lines = CompareResult(capsys, tmp_path).lines
    assert sum(line.startswith("a ") for line in lines[1:-1]) == sum(line.startswith("b ") for line in lines) > 1
    assert [line.split() for line in lines if line.startswith("plain ")][-1][1] == "3"
    assert not [line for line in lines if line.startswith("plain ") and set(line.split()[1:]) == {"–"}]
    assert lines[-1] == "a run without a value in a block has no row there"


def test_compare_tags_of_hidden_runs_have_no_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path, "a", loss=[1.0], acc=[0.5])
    log(tmp_path, "b", other=[2.0], loss=[3.0])
    lines = CompareResult(capsys, tmp_path, "--sort", "loss", "--limit", "1").lines
    assert ": 1 run, 2 tags: last values" in " ".join(map(str.strip, lines[: lines.index("")]))
    assert not [line for line in lines[lines.index("") :] if "other" in line]
    assert lines[-2:] == ["1 more run: --limit shows more of them", "1 more tag, without a value in these runs"]


def test_compare_symbols_outside_the_locale_are_spelled_out(tmp_path: Path) -> None:
    log(tmp_path, "a", loss=[1.0], acc=[0.5])
    log(tmp_path, "b", loss=[3.0])
    without = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    plain = {**without, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for command, sign in (("compare", b"* 1"), ("inspect", b"loss")):
        words = [sys.executable, "-m", "tbtui", command, "--no-cache", str(tmp_path)]
        out = subprocess.run(words, env=plain, check=True, capture_output=True).stdout
        assert out.isascii()
        assert b"?" not in out
        assert sign in out


def test_compare_markdown_is_a_table_with_escaped_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path, "a_b", {"lr": 0.5, "note": HOSTILE}, loss__train=[2, 1])
    log(tmp_path, "c", {"lr": 0.25, "note": "plain"}, loss__train=[3], acc=[1])
    text = CompareResult(capsys, tmp_path, "--markdown").out
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert table[0] == "| run | loss/train | acc | lr | note | step |"
    assert table[1] == "|:--|--:|--:|--:|:--|--:|"
    assert table[2].startswith("| a\\_b | **1** | – | 0.5 | evil·\\[31m\\|\\`\\*\\_␣\\<b\\> | 1 |")
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--json"]])
def test_compare_names_from_files_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: list[str]
) -> None:
    log(tmp_path, "r\x1b[2J", {HOSTILE: HOSTILE}, **{HOSTILE: [1.0]})
    log(tmp_path, "s", {HOSTILE: "x"}, **{HOSTILE: [2.0], "t": [1.0]})
    result = CompareResult(capsys, tmp_path, *form)
    assert result.code == 0
    assert all(char.isprintable() or char == "\n" for char in result.out)


def test_compare_corpus_runs_have_hyperparameters_and_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    result = CompareResult(capsys, CORPUS / "trainings", "--json").json
    rows = {row["run"]: row for row in result["runs"]}
    resumed, train = rows["digits/resumed"], rows["keras/run1-sgd-u16-d0.0/train"]
    assert (resumed["hparams"]["lr"], resumed["hparams_from"]) == (0.001, "digits/resumed/hparams")
    assert (train["hparams"]["optimizer"], train["hparams_from"]) == ("sgd", "keras/run1-sgd-u16-d0.0")
