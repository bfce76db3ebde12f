"""Every command says the same of logs whose steps go back: last, least and superseded values (`docs/points.md`)."""

from __future__ import annotations

import gzip
import json
import math
from typing import TYPE_CHECKING

import pytest

import tbtui
from tbtui.events.writer import EventFileWriter
from tests.helpers.compare_command import CompareResult
from tests.helpers.histogram_logs import HistogramLogs, old
from tests.helpers.inspect_command import inspected
from tests.helpers.print_command import printed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Points = list[tuple[int, float]]

HP_METRIC: list[Points] = [
    [(0, -1.0), *((step, 0.5 + step * 0.04) for step in range(10))],
    [(0, -1.0)],
]
"""Lightning writes -1 at step 0, a curve, and -1 once more into a second file after a test."""

THREE_TRAININGS: list[Points] = [
    [(step, 1 / (step + 1)) for step in range(100)],
    [(step, 1.5 / (step + 1)) for step in range(100)],
    [(step, 2.0 / (step + 1)) for step in range(20)],
]


def write(folder: Path, files: Sequence[Points]) -> Path:
    """Write a run of several files, a day apart, with a point per second."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, points in enumerate(files):
        start = 1.7e9 + 86400 * number
        with EventFileWriter(str(folder / f"events.out.tfevents.{start:.0f}.h"), wall_time=start) as writer:
            for second, (step, value) in enumerate(points):
                writer.scalar("loss", value, step, start + second)
    return folder


@pytest.mark.parametrize(
    ("files", "last", "least", "superseded"),
    [(HP_METRIC, (9, 0.86), (0, 0.5), 2), (THREE_TRAININGS, (19, 0.1), (19, 0.1), 200)],
    ids=["hp_metric", "three trainings"],
)
def test_all_commands_count_the_same_points(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    files: list[Points],
    last: tuple[int, float],
    least: tuple[int, float],
    superseded: int,
) -> None:
    logs = write(tmp_path / "logs" / "run", files).parent
    scalars = tbtui.open(logs)["run"].scalars("loss")
    assert (int(scalars.current.steps[-1]), scalars.superseded) == (last[0], superseded)
    assert float(scalars.current.values[-1]) == pytest.approx(last[1], rel=1e-6)
    (row,) = CompareResult(capsys, logs, "--json").json["runs"]
    entry = row["tags"]["loss"]
    assert (entry["last_step"], entry["min_step"], entry["superseded"]) == (last[0], least[0], superseded)
    assert (entry["last"], entry["min"]) == (pytest.approx(last[1], rel=1e-6), pytest.approx(least[1], rel=1e-6))
    tag = json.loads(inspected("--json", logs)[1])["runs"]["run"]["tags"]["loss"]
    assert (tag["last_step"], tag["superseded"]) == (last[0], superseded)
    assert tag["last"] == pytest.approx(last[1], rel=1e-6)
    assert f"0…{last[0]}" in inspected(logs)[1]
    assert f"{superseded} superseded by other values" in printed(logs).out


def test_compare_counts_what_it_leaves_out_and_can_include_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = write(tmp_path / "logs" / "run", THREE_TRAININGS).parent
    assert CompareResult(capsys, logs).lines[-1] == "200 superseded values left out (--superseded)"
    assert "200 superseded values left out" in CompareResult(capsys, logs, "--markdown").out
    for words in (["--superseded"], ["--x-axis", "order"]):
        result = CompareResult(capsys, logs, "--json", *words)
        entry = result.json["runs"][0]["tags"]["loss"]
        assert (entry["last_step"], entry["min_step"], entry["superseded"]) == (19, 99, 0)
        assert "left out" not in CompareResult(capsys, logs, *words).out


@pytest.mark.parametrize("words", [(), ("--superseded",)])
def test_print_table_counts_superseded_points_also_where_they_are_drawn(tmp_path: Path, words: tuple[str, ...]) -> None:
    logs = write(tmp_path / "logs" / "run", THREE_TRAININGS).parent
    lines = printed(logs, "--width", "100", *words).lines
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["run"])
    assert lines[head].split()[-2:] == ["superseded", "points"]
    assert lines[head + 1].split()[-2:] == ["200", "20"]


def test_print_comparison_can_include_superseded_points(tmp_path: Path) -> None:
    logs = write(tmp_path / "logs" / "run", THREE_TRAININGS).parent
    words = "--plugin", "comparison", "--figure", "min"
    assert "200 superseded points are not compared (--superseded)" in printed(logs, *words).lines
    assert "not compared" not in printed(logs, *words, "--superseded").out
    assert " 0.01" in printed(logs, *words, "--superseded").out


def test_compare_figures_of_a_tag_differ_where_values_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "a", [[(0, 1000.0), (1, 1000.001)]])
    (row,) = [line.split() for line in CompareResult(capsys, tmp_path).lines if line.startswith("a ")]
    last, least, greatest = row[1], row[3], row[5]
    assert last == greatest != least


def test_inspect_figures_of_a_tag_differ_where_values_do(tmp_path: Path) -> None:
    write(tmp_path / "a", [[(0, 1000.0), (1, 1000.001)]])
    (row,) = [line.split() for line in inspected(tmp_path)[1].splitlines() if line.split()[:2] == ["loss", "2"]]
    assert row[3:] == ["1000", "1000.001", "1000", "1000.001"]


def test_inspect_histograms_say_what_is_known(tmp_path: Path) -> None:
    flat = old([0.94, 0.99], [0, 512], 0.955, 0.985, sum=512 * 0.97, squares=512 * (0.97**2 + 0.005**2))
    spread = old([1.0, 2.0, 3.0], [0, 3, 5], 1.0, 3.0, sum=16.0, squares=34.0)
    HistogramLogs(tmp_path).add("run", {"flat": {0: flat}, "spread": {0: spread}})
    text = " ".join(inspected(tmp_path)[1].split())
    assert "all 512 in one bucket, 0.95 to 0.99, mean 0.970 ± 0.005" in text
    assert "8 values, 1 to 3, mean 2.0 ± 0.5" in text


def test_print_distributions_count_other_values_of_a_step(tmp_path: Path) -> None:
    logs = HistogramLogs(tmp_path)
    for number in range(3):
        logs.add("run", {"h": {0: [float(number), number + 1.0, number + 2.0]}}, start=1.7e9 + number)
    printed_once = printed(tmp_path, "--plugin", "distributions")
    assert "2 more at this step (--superseded)" in printed_once.lines
    assert "h · run · step 0" in printed_once.lines
    every = printed(tmp_path, "--plugin", "distributions", "--superseded").out
    assert "step 0, 1 of 3" in every
    assert "more at this step" not in every


def test_inspect_steps_of_a_counter_that_counts_down_are_a_range(tmp_path: Path) -> None:
    write(tmp_path / "a", [[(9 - step, float(step)) for step in range(9)]])
    assert "loss 9 1…9" in " ".join(inspected(tmp_path)[1].split())


def test_reports_of_files_that_cannot_be_read_name_one_reason_if_it_is_common(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", [[(0, 1.0)]])
    (folder / "events.out.tfevents.1.h").write_bytes(gzip.compress(b"0123456789" * 20))
    (folder / "events.out.tfevents.2.h").write_bytes(b"\x1f\x8b\x08" + bytes(40))
    assert "events.out.tfevents.1.h and 1 more: cannot be read: it is compressed with gzip" in printed(tmp_path).err
    (folder / "events.out.tfevents.3.h").write_bytes(b"<!DOCTYPE html><html></html>")
    shown = printed(tmp_path).err
    assert "unpack it first; 2 more files cannot be read either (see tbtui inspect)" in shown


def test_print_counts_values_without_a_time(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "run" / "events.out.tfevents.1700000000.h"
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=1.7e9) as writer:
        for step in range(20):
            writer.scalar("loss", 1.0, step, math.nan if step % 4 == 0 else 1.7e9 + step)
    for axis in ("wall", "relative", "active"):
        assert "5 values off the x axis: no number as wall time" in printed(path.parent, "--x-axis", axis).out
    for axis in ("step", "order"):
        assert "off the x axis" not in printed(path.parent, "--x-axis", axis).out


def test_print_relative_time_of_milliseconds_is_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "run" / "events.out.tfevents.1700000000.h"
    path.parent.mkdir(parents=True)
    with EventFileWriter(str(path), wall_time=1.7e12) as writer:
        for step in range(100):
            writer.scalar("loss", 1.0, step, (1.7e9 + step) * 1000)
    for axis in ("relative", "active"):
        assert "1m30s" in printed(path.parent, "--x-axis", axis).out


def test_print_names_what_a_file_of_another_format_is(tmp_path: Path) -> None:
    folder = write(tmp_path / "logs" / "run", [[(0, 1.0), (1, 2.0)]])
    (folder / "events.out.tfevents.1.h.gz").write_bytes(gzip.compress(b"0123456789" * 20))
    shown = printed(folder.parent)
    assert shown.err.endswith(
        "events.out.tfevents.1.h.gz: cannot be read: it is compressed with gzip: unpack it first\n"
    )
    assert "damaged" not in shown.err
