"""Names of runs and tags that are not valid patterns, or do not match themselves, in all commands and in Python."""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.cli.main import main
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from pathlib import Path

RUNS = ("lr=1e-3+aug[v2]", "train", "train3 (copy)")
TAGS = ("C++/time", "metrics/mAP50(B)", "metrics/mAP50-95(B)", "val/loss")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    directory = LogDirectory(tmp_path)
    for run in RUNS:
        for number, tag in enumerate(TAGS):
            directory.log(run, range(3), tag=tag, file=f"events.out.tfevents.{number}.host")
    return tmp_path


def names(command: str, logs: Path, *words: str, capsys: pytest.CaptureFixture[str]) -> tuple[set[str], set[str], str]:
    """Return the runs and tags that a command shows, and what it writes to stderr."""
    options = {"export": ["--format", "jsonl"], "compare": ["--json"], "inspect": ["--json"]}[command]
    main([command, str(logs), *options, "--no-cache", *words])
    out, err = capsys.readouterr()
    if command == "export":
        rows = [json.loads(line) for line in out.splitlines()]
        return {row["run"] for row in rows}, {row["tag"] for row in rows}, err
    runs = json.loads(out)["runs"]
    by_name = runs if isinstance(runs, dict) else {run["run"]: run for run in runs}
    tags = {tag for run in by_name.values() for tag in run["tags"]}
    return set(by_name), tags, err


@pytest.mark.parametrize("command", ["compare", "export", "inspect"])
@pytest.mark.parametrize("tag", ["C++/time", "metrics/mAP50(B)", "METRICS/map50-95(b)", "mAP50(", "^C++/time$"])
def test_tags_pasted_name_is_found_and_reported(
    command: str, tag: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, tags, err = names(command, logs, "--tags", tag, capsys=capsys)
    text = tag.strip("^$").lower()
    assert (runs, tags) == (set(RUNS), {each for each in TAGS if text in each.lower()})
    assert err.startswith(f"tbtui: --tags '{tag}' is read as plain text: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["compare", "export", "inspect"])
@pytest.mark.parametrize("run", ["lr=1e-3+aug[v2]", "train3 (copy)", "aug[v2"])
def test_runs_pasted_name_is_found_and_reported(
    command: str, run: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs, tags, err = names(command, logs, "--runs", run, capsys=capsys)
    assert (runs, tags) == ({each for each in RUNS if run in each}, set(TAGS))
    assert err.startswith(f"tbtui: --runs '{run}' is read as plain text: ")


def test_print_pasted_names_are_found_and_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", str(logs), "--tags", "metrics/mAP50(B)", "--runs", "aug[v2", "--no-cache"]) == 0
    out, err = capsys.readouterr()
    assert "metrics/mAP50(B)" in out
    assert "lr=1e-3+aug[v2]" in out
    assert err == (
        "tbtui: --runs 'aug[v2' is read as plain text: it is not a regular expression (missing ])\n"
        "tbtui: --tags 'metrics/mAP50(B)' is read as plain text: as a regular expression it matches nothing\n"
    )


def test_pasted_alternatives_are_found_one_by_one(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, tags, err = names("compare", logs, "--tags", "val/loss|metrics/mAP50(B)", capsys=capsys)
    assert tags == {"val/loss", "metrics/mAP50(B)"}
    assert "is also read as plain text, which selects 1 more name" in err


def test_valid_pattern_that_matches_is_not_reported(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert names("compare", logs, "--tags", "^(val|train)/", capsys=capsys)[1:] == ({"val/loss"}, "")


@pytest.mark.parametrize("command", ["print", "compare", "export", "inspect"])
@pytest.mark.parametrize("option", ["--runs", "--tags"])
def test_invalid_pattern_in_no_name_returns_2(
    command: str, option: str, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(logs), option, "x(y"]) == 2
    reason = "is not a regular expression (missing )), and no name contains it as plain text"
    assert capsys.readouterr() == ("", f"tbtui: {option} 'x(y' {reason}\n")


@pytest.mark.parametrize("command", ["print", "compare", "export", "inspect"])
def test_suggested_tag_can_be_pasted(command: str, logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(logs), "--tags", "metrics/mAP50(C)"]) == 1
    suggestion = re.search(r"did you mean '([^']*)'", capsys.readouterr().err)
    assert suggestion is not None
    assert suggestion[1] == r"metrics/mAP50\(B\)"
    _, tags, err = names("compare", logs, "--tags", suggestion[1], capsys=capsys)
    assert (tags, err) == ({"metrics/mAP50(B)"}, "")


def test_python_pasted_names_are_found_with_a_warning(logs: Path) -> None:
    with pytest.warns(tbtui.PlainTextWarning, match="as a regular expression it matches nothing") as caught:
        opened = tbtui.open(logs, runs="lr=1e-3+aug[v2]", cache=False)
    assert caught[0].filename == __file__
    assert list(opened) == ["lr=1e-3+aug[v2]"]
    with pytest.warns(tbtui.PlainTextWarning, match="C"):
        assert [scalars.tag for scalars in opened.scalars("C++/time")] == ["C++/time"]
    with pytest.warns(tbtui.PlainTextWarning, match="missing"):
        assert set(opened.columns("mAP50-95(")["tag"]) == {"metrics/mAP50-95(B)"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [scalars.tag for scalars in opened.scalars("^val")] == ["val/loss"]
    with pytest.raises(tbtui.PatternError, match=re.escape("'x(y' cannot be searched for: missing )")):
        opened.scalars("x(y")
