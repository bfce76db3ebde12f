"""Another scalar as the x axis: its value at the same step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tbtui.cli.main import main
from tbtui.maths.x_values import RunClock, TagValues, compute_x_values
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.shown_steps import NoValueError, list_shown_steps
from tbtui.settings.settings import Settings
from tbtui.view.changes import next_x_axis, with_x_tag
from tbtui.view.descriptions import list_x_axis_labels
from tbtui.widgets.form_fields import apply_options, create_axes_fields
from tests.helpers.log_directory import LogDirectory
from tests.helpers.print_command import printed
from tests.helpers.snapshots import references
from tests.helpers.views import run_of, series, view

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.scalars.lines import Line
    from tbtui.view.view import View


EPOCHS = series("epoch", [0.0, 0.5, 1.0], steps=[0, 10, 20])


def line_of(shown: View) -> Line:
    (line,) = ScalarData().chart(shown, "loss").lines
    return line


def test_tag_values_are_not_interpolated() -> None:
    values = TagValues(np.array([0, 10, 20]), np.array([0.0, 0.5, 1.0]), ("a", "epoch", 1))
    at = values.at(np.array([10, 5, 20, 30, -1]))
    assert np.array_equal(at, [0.5, np.nan, 1.0, np.nan, np.nan], equal_nan=True)
    empty = TagValues(np.empty(0, np.int64), np.empty(0), ("a", "epoch", 1))
    assert np.isnan(empty.at(np.array([1]))).all()
    assert np.isnan(compute_x_values("tag", np.array([1]), np.zeros(1), RunClock())).all()


def test_line_has_the_points_at_steps_of_the_tag() -> None:
    loss = series("loss", [5.0, 4.0, 3.0, 2.0], steps=[0, 5, 10, 20])
    line = line_of(view(run_of(EPOCHS, loss), x_axis="tag", x_tag="epoch", smoothing=0))
    assert line.x.tolist() == [0.0, 0.5, 1.0]
    assert line.values.tolist() == [5.0, 3.0, 2.0]
    assert line.steps is not None
    assert line.steps.tolist() == [0, 10, 20]
    assert line.off_axis == 1
    skipped = line_of(view(run_of(EPOCHS, loss), x_axis="tag", x_tag="epoch", smoothing=0, skip_steps=5))
    assert (skipped.x.tolist(), skipped.off_axis) == ([0.5, 1.0], 1)


def test_line_smoothing_counts_all_points() -> None:
    loss = series("loss", [5.0, 4.0, 3.0, 2.0], steps=[0, 5, 10, 20])
    by_tag = line_of(view(run_of(EPOCHS, loss), x_axis="tag", x_tag="epoch", smoothing=0.6))
    by_step = line_of(view(run_of(EPOCHS, loss), smoothing=0.6))
    assert by_tag.smoothed.tolist() == by_step.smoothed[[0, 2, 3]].tolist()


def test_line_leaves_out_superseded_points_and_marks_the_restart() -> None:
    steps, times = [0, 10, 20, 10, 20], [1.0, 2.0, 3.0, 4.0, 5.0]
    loss = series("loss", [5.0, 4.0, 3.0, 2.0, 1.0], steps=steps, wall_times=times)
    line = line_of(view(run_of(EPOCHS, loss), x_axis="tag", x_tag="epoch", smoothing=0))
    assert line.x.tolist() == [0.0, 0.5, 1.0]
    assert line.values.tolist() == [5.0, 2.0, 1.0]
    assert (line.restarts, line.superseded_count) == ((1,), 2)


def test_chart_without_the_tag_says_so() -> None:
    loss = series("loss", [5.0, 4.0], steps=[0, 5])
    chart = ScalarData().chart(view(run_of(loss), x_axis="tag", x_tag="epoch"), "loss")
    assert chart.empty_reason == "no value at a step of epoch"


def test_sample_steps_are_those_of_the_tag() -> None:
    pictures = references("a", "img", "images")
    steps = series("epoch", [7.0, 9.0], steps=[0, 2])
    shown = list_shown_steps(
        view(run_of(pictures, steps), x_axis="tag", x_tag="epoch"), "a", "img", "images", "picture"
    )  # type: ignore[arg-type]
    assert shown.x.tolist() == [7.0, 9.0]
    with pytest.raises(NoValueError, match="no picture is at a step of tokens"):
        list_shown_steps(view(run_of(pictures, steps), x_axis="tag", x_tag="tokens"), "a", "img", "images", "picture")  # type: ignore[arg-type]


def test_next_x_axis_has_the_tag_once_it_is_chosen() -> None:
    settings = Settings()
    axes = [settings, *(settings := next_x_axis(settings) for _ in range(5))]
    assert [each.x_axis for each in axes] == ["step", "relative", "wall", "order", "active", "step"]
    chosen = with_x_tag(Settings(cursor=3.0), "epoch")
    assert (chosen.x_axis, chosen.x_tag, chosen.cursor) == ("tag", "epoch", None)
    assert next_x_axis(chosen).x_axis == "step"
    assert next_x_axis(next_x_axis(chosen)).x_axis == "relative"
    assert with_x_tag(chosen, "").x_axis == "step"
    assert list_x_axis_labels(chosen)[0] == "x epoch"


def test_form_applied_twice_keeps_the_tag_axis() -> None:
    x_axis, x_tag = create_axes_fields(Settings())[:2]
    assert (x_axis.name, x_tag.name) == ("x_axis", "x_tag")
    entered = {"x_axis": "tag", "x_tag": "epoch"}
    once = apply_options(Settings(cursor=3.0), entered)
    assert (once.x_axis, once.x_tag, once.cursor) == ("tag", "epoch", None)
    assert apply_options(once, entered) == once
    moved = apply_options(Settings(x_axis="tag", x_tag="a", cursor=3.0), entered)
    assert (moved.x_tag, moved.cursor) == ("epoch", None)
    assert apply_options(once, {"x_axis": "wall", "x_tag": "epoch"}).x_axis == "wall"


@pytest.fixture
def logs(tmp_path: Path) -> LogDirectory:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", range(0, 100, 10), file="events.out.tfevents.1.a")
    logs.log("run", range(0, 100, 20), tag="epoch", file="events.out.tfevents.1.b")
    return logs


def test_print_x_tag_draws_over_the_tag(logs: LogDirectory) -> None:
    text = printed(logs.root, "--x-tag", "epoch", "--tags", "loss").out
    assert "x epoch" in text
    assert "5 values at steps without a value of the tag on the x axis" in text


def test_open_values_at_are_the_x_values(logs: LogDirectory) -> None:
    run = tbtui.open(str(logs.root))["run"]
    x = run.scalars("epoch").values_at(run.scalars("loss").steps)
    assert x[:3].tolist()[::2] == [0.0, 40.0]
    assert np.isnan(x[1])


def test_export_x_tag_adds_its_values_and_orders_a_wide_table(
    logs: LogDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(logs.root), "--no-cache", "--x-tag", "epoch", "--tags", "loss"]) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["run", "tag", "step", "wall_time", "value", "x"]
    assert [row[-1] for row in rows[1:4]] == ["0.0", "NaN", "40.0"]
    assert len(rows) == 11
    assert main(["export", str(logs.root), "--no-cache", "--x-tag", "epoch", "--tags", "loss", "--wide"]) == 0
    out, err = capsys.readouterr()
    assert [line.partition(",")[0] for line in out.splitlines()] == ["x", "0.0", "40.0", "80.0", "120.0", "160.0"]
    assert "5 points left out: the x axis has no value at their steps" in err
    with pytest.raises(SystemExit):
        main(["export", str(logs.root), "--x-tag", "epoch", "--x-axis", "wall"])
    with pytest.raises(SystemExit):
        main(["export", str(logs.root), "--x-tag", "epoch", "--plugin", "images"])


def test_compare_x_tag_says_where_values_are_from(logs: LogDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(logs.root), "--no-cache", "--x-tag", "epoch", "--tags", "loss"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    head = lines.index(["run", "last", "epoch", "min", "epoch", "max", "epoch"])
    assert lines[head + 1][-5:] == ["–", "0", "0", "180", "–"]
    assert main(["compare", str(logs.root), "--no-cache", "--x-tag", "epoch", "--json"]) == 0
    tags = json.loads(capsys.readouterr().out)["runs"][0]["tags"]
    assert (tags["loss"]["x"], tags["epoch"]["x"]) == (None, 160.0)
    assert main(["compare", str(logs.root), "--no-cache", "--x-tag", "tokens"]) == 2
    assert "tokens: no such scalar in these runs, for --x-tag" in capsys.readouterr().err


def test_open_tables_have_the_x_values_of_a_tag(logs: LogDirectory) -> None:
    opened = tbtui.open(str(logs.root))
    columns = opened.columns("loss", x_tag="epoch")
    expected = opened["run"].scalars("epoch").values_at(columns["step"])
    assert np.array_equal(columns["x"], expected, equal_nan=True)
    pytest.importorskip("pandas")
    wide = opened.to_pandas("loss", wide=True, x_tag="epoch")
    assert (wide.index.name, wide.index.tolist()) == ("x", [0.0, 40.0, 80.0, 120.0, 160.0])
    with pytest.raises(ValueError, match="needs x_tag"):
        opened.columns("loss", x_axis="tag")
    with pytest.raises(ValueError, match="needs x_tag"):
        opened.columns("loss", x_axis="wall", x_tag="epoch")
