"""The page of a run: what it says about state, values, history, configuration and files."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.registry import run_details
from tbtui.run_health.conditions import RunCondition
from tbtui.run_health.summaries import summarize_run
from tbtui.view.run_page import MAX_METRICS, format_run_page
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import START

if TYPE_CHECKING:
    from pathlib import Path

QUIET = RunCondition(age=4 * 86400.0)


@pytest.fixture
def logs(tmp_path: Path) -> LoadedLogs:
    return LoadedLogs(tmp_path / "logs")


def page(logs: LoadedLogs, run: str = "run", condition: RunCondition = QUIET) -> list[str]:
    snapshot = logs.load().runs[run]
    details = run_details(snapshot, Payloads())
    return [*format_run_page(snapshot, summarize_run(snapshot), condition, "/logs/run", details)]


def section(lines: list[str], heading: str) -> list[str]:
    start = lines.index(heading) + 1
    end = next((index for index in range(start, len(lines)) if not lines[index]), len(lines))
    return [line.strip() for line in lines[start:end]]


def test_run_page_gives_name_directory_and_state(logs: LoadedLogs) -> None:
    logs.log("run", range(0, 100, 10))
    lines = page(logs)
    assert lines[:2] == ["run", "/logs/run"]
    assert "last step  90" in lines
    assert any(line.split()[:3] == ["state", "last", "write"] for line in lines)
    assert "values     10 in 1 tag" in lines


@pytest.mark.parametrize(
    ("condition", "state"),
    [
        (RunCondition(age=10.0, active=True), "live: written within the last minute"),
        (RunCondition(age=600.0, stalled=True), "stalled, last write 10m ago"),
        (RunCondition(age=7200.0, done=True), "done, last write 2h ago"),
        (RunCondition(age=-7200.0), "its clock is ahead"),
        (RunCondition(age=None), "nothing written"),
    ],
)
def test_run_page_names_the_condition(logs: LoadedLogs, condition: RunCondition, state: str) -> None:
    logs.log("run", [1])
    assert f"state      {state}" in page(logs, condition=condition)


def test_run_page_metrics_have_last_and_best_values(logs: LoadedLogs) -> None:
    path = logs.log("run", [])
    with EventFileWriter(str(path)) as writer:
        for step, (loss, accuracy) in enumerate([(3.0, 0.1), (math.nan, 0.9), (1.0, 0.5), (2.0, 0.4)]):
            writer.scalar("loss", loss, step, START + step)
            writer.scalar("acc", accuracy, step, START + step)
            writer.scalar("lr", 0.5, step, START + step)
    assert [line.split() for line in section(page(logs), "Metrics")] == [
        ["tag", "last", "best", "at", "step"],
        ["acc", "0.4", "max", "0.9", "1"],
        ["loss", "2", "min", "1", "2"],
        ["lr", "0.5"],
    ]


def test_run_page_metric_of_nan_alone_has_no_best_value(logs: LoadedLogs) -> None:
    path = logs.log("run", [])
    with EventFileWriter(str(path)) as writer:
        writer.scalar("loss", math.nan, 7, START)
    lines = page(logs)
    assert section(lines, "Metrics")[1:] == ["loss   NaN"]
    assert "trouble    NaN from step 7 in loss" in lines


def test_run_page_many_metrics_are_counted(logs: LoadedLogs) -> None:
    path = logs.log("run", [])
    with EventFileWriter(str(path)) as writer:
        for number in range(MAX_METRICS + 3):
            writer.scalar(f"tag{number:03}", 1.0, 0, START)
    assert section(page(logs), "Metrics")[-1] == "and 3 more tags"


def test_run_page_lists_restarts_and_superseded_values(logs: LoadedLogs) -> None:
    logs.log("run", range(50))
    logs.log("run", range(20, 30), start=START + 1000, file="events.out.tfevents.2.host")
    lines = page(logs)
    assert section(lines, "Restarts")[0].startswith("from step 49 back to 20, ")
    assert "values     60 in 1 tag, 30 superseded by a restart" in lines


def test_run_page_shows_configurations_but_no_prose(logs: LoadedLogs) -> None:
    path = logs.log("run", [])
    with EventFileWriter(str(path)) as writer:
        writer.text("config", '{"lr": 0.1, "layers": [1, 2]}', 0, START)
        writer.text("notes", "Trained on a Monday.", 0, START)
    lines = page(logs)
    assert section(lines, "Text config") == ['{"lr": 0.1, "layers": [1, 2]}']
    assert not any("Monday" in line for line in lines)


def test_run_page_lists_files_and_their_damage(logs: LoadedLogs) -> None:
    path = logs.log("run", range(10))
    content = bytearray(path.read_bytes())
    second = 16 + int.from_bytes(content[:8], "little")
    content[second : second + 8] = b"\xff" * 8
    path.write_bytes(content)
    files = section(page(logs), "Files")
    assert files[0] == str(path)
    assert files[1].startswith("corrupt, 10 records, ")
    assert files[2].startswith(f"at byte {second}: ")


def test_run_page_metrics_stand_below_long_tags_of_a_narrow_page(logs: LoadedLogs) -> None:
    path = logs.log("run", [])
    with EventFileWriter(str(path)) as writer:
        for step, value in enumerate([0.30201, 0.25]):
            writer.scalar("train/loss/total_weighted_cross_entropy", value, step, START + step)
            writer.scalar("acc", value * 100, step, START + step)
    snapshot = logs.load().runs["run"]
    summary = summarize_run(snapshot)
    wide, narrow = ([*format_run_page(snapshot, summary, QUIET, None, (), columns)] for columns in (100, 40))
    assert wide[wide.index("Metrics") + 1 :][:3] == [
        "  tag                                       last        best  at step",
        "  acc                                      25     max 30.201        0",
        "  train/loss/total_weighted_cross_entropy   0.25  min  0.25         1",
    ]
    assert narrow[narrow.index("Metrics") + 1 :][:6] == [
        "  tag",
        "     last        best  at step",
        "  acc",
        "    25     max 30.201        0",
        "  train/loss/total_weighted_cross_entropy",
        "     0.25  min  0.25         1",
    ]
