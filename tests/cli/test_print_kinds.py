"""Test `tbtui print --plugin` for every kind of data, and the default kind."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.cells import Ink
from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.plugins.hparams.decode import SESSION_START_TAG
from tbtui.plugins.registry import list_text_plugins
from tbtui.report.blocks import number_pieces
from tests.helpers.audio_logs import AudioLogs
from tests.helpers.curve_logs import log_runs
from tests.helpers.curve_snapshots import log_curves
from tests.helpers.histogram_logs import NORMAL, HistogramLogs, old
from tests.helpers.image_logs import GREEN, RED, ImageLogs, plain
from tests.helpers.log_directory import FILE, START
from tests.helpers.print_command import Stream, log_values, printed
from tests.helpers.sounds import sine, wav
from tests.helpers.text_logs import TextLogs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


# Default kind


def test_print_without_scalars_uses_the_available_kind(tmp_path: Path) -> None:
    TextLogs(tmp_path).add("run", {"notes": {0: "# Hello"}})
    shown = printed(tmp_path)
    assert shown.lines == ["notes · run · step 0", "# Hello"]


def test_print_mentions_other_kinds(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1, 2])
    TextLogs(tmp_path).add("run", {"notes": {0: "# Hello"}}, file="events.out.tfevents.2.host")
    assert printed(tmp_path).lines[-2:] == ["", "also here: text (1 tag) (--plugin NAME)"]
    assert "also here" not in printed(tmp_path, "--plugin", "scalars").out


def test_print_suggests_tags_of_the_requested_kind(tmp_path: Path) -> None:
    log_values(tmp_path, "run", [1, 2])
    TextLogs(tmp_path).add("run", {"notes": {0: "# Hello"}}, file="events.out.tfevents.2.host")
    options = "--tags", "nothing"
    assert "there is only 'notes'\n" in printed(tmp_path, "--plugin", "text", *options).err
    assert "there is only 'loss'\n" in printed(tmp_path, "--plugin", "scalars", *options).err
    assert "there are 'loss', 'notes'" in printed(tmp_path, *options).err


@pytest.mark.parametrize(("form", "heading"), [("text", "␣ · run · step 0"), ("markdown", "### ␣ · run · step 0")])
def test_print_tag_with_an_empty_name_is_visible(tmp_path: Path, form: str, heading: str) -> None:
    TextLogs(tmp_path).add("run", {"": {0: "words"}})
    assert printed(tmp_path, "--plugin", "text", "--format", form).lines[0] == heading


# Comparison


def test_print_few_tags_of_many_runs_are_columns(tmp_path: Path) -> None:
    for run, (loss, acc) in {"a": (3, 0.5), "b": (1, 0.75), "c": (2, 0.25)}.items():
        log_values(tmp_path, run, [9, loss])
        log_values(tmp_path, run, [0, acc], tag="acc")
    assert (
        printed(tmp_path, "--plugin", "comparison").out
        == """\
comparison · last values, ★ the best of a tag
run     acc  loss
a      0.5      3
b    ★ 0.75   ★ 1
c      0.25     2
"""
    )


def test_print_many_tags_of_few_runs_are_rows(tmp_path: Path) -> None:
    for tag, values in {"acc": [1, 0], "loss": [3, 4], "lr": [5, 6]}.items():
        log_values(tmp_path, "a", values, tag=tag)
        log_values(tmp_path, "b", [2, 2], tag=tag)
    shown = printed(tmp_path, "--plugin", "comparison", "--figure", "best")
    assert shown.lines[0].startswith("comparison · best values, last ones where best is unknown")
    assert [line.split() for line in shown.lines[1:]] == [
        ["tag", "a", "b"],
        ["acc", "1", "★", "2"],
        ["loss", "3", "★", "2"],
        ["lr", "6", "2"],
    ]


def test_print_wide_table_continues_below(tmp_path: Path) -> None:
    for tag in range(12):
        for run in range(12):
            log_values(tmp_path, f"run{run}", [run + tag / 10], tag=f"tag{tag}")
    shown = printed(tmp_path, "--plugin", "comparison", "--width", 50)
    headers = [line for line in shown.lines if line.startswith("run ")]
    assert len(headers) > 1
    assert [word for line in headers for word in line.split()[1:]] == [f"tag{tag}" for tag in range(12)]
    assert max(map(len, shown.lines)) <= 50


# Hyperparameters


def log_session(root: Path, run: str, hparams: Mapping[str, bool | float | str]) -> None:
    """Append the start of a session."""
    data = get_message_class("HParamsPluginData")()
    for name, value in hparams.items():
        kind = "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
        setattr(data.session_start_info.hparams[name], f"{kind}_value", value)
    event: Any = get_message_class("Event")(wall_time=START)
    value = event.summary.value.add(tag=SESSION_START_TAG)
    value.metadata.plugin_data.plugin_name = "hparams"
    value.metadata.plugin_data.content = data.SerializeToString()
    (root / run).mkdir(parents=True)
    with EventFileWriter(str(root / run / FILE), wall_time=START) as writer:
        writer.event(event)


def test_print_hparams_that_differ_are_columns_and_others_listed_once(tmp_path: Path) -> None:
    for run, rate in (("a", 0.1), ("b", 0.01)):
        log_session(tmp_path, run, {"lr": rate, "layers": 2.0, "bias": True})
        log_values(tmp_path, run, [4, rate * 10], file="events.out.tfevents.2.host")
    shown = printed(tmp_path, "--plugin", "hparams")
    assert shown.lines[0] == "hparams · 2 sessions, last values of metrics"
    assert [line.split() for line in shown.lines[1:4]] == [
        ["run", "loss", "★", "lr"],
        ["b", "0.1", "0.01"],
        ["a", "1", "0.1"],
    ]
    assert shown.lines[4] == "the same in all: bias=true, layers=2"


def test_print_hparams_close_values_and_other_types_differ(tmp_path: Path) -> None:
    log_session(tmp_path, "a", {"lr": 0.1, "bias": True})
    log_session(tmp_path, "b", {"lr": 0.100000000001, "bias": "true"})
    shown = printed(tmp_path, "--plugin", "hparams")
    assert "the same in all" not in shown.out
    assert shown.lines[3].split() == ["b", "true", "0.100000000001"]
    assert shown.lines[4] == "no metrics"


def test_print_hparams_tag_pattern_selects_the_metrics(tmp_path: Path) -> None:
    log_session(tmp_path, "a", {"lr": 0.1})
    for tag in ("loss", "acc"):
        log_values(tmp_path, "a", [0.5], tag=tag, file="events.out.tfevents.2.host")
    titles = printed(tmp_path, "--plugin", "hparams", "--tags", "^loss$").lines[1]
    assert titles.split() == ["run", "loss", "lr"]
    shown = printed(tmp_path, "--plugin", "hparams", "--tags", "los$")
    assert (shown.lines[1].split(), shown.lines[-1]) == (["run", "lr"], "no metric matches --tags")
    assert printed(tmp_path, "--tags", "los$").err.startswith(f"tbtui: {tmp_path}: nothing matches --tags 'los$'")


def test_print_hparams_non_finite_metric_is_red(tmp_path: Path) -> None:
    log_session(tmp_path, "a", {"lr": 0.1})
    log_values(tmp_path, "a", [float("nan")], file="events.out.tfevents.2.host")
    assert [(piece.text, piece.ink) for piece in number_pieces([0.5, None, math.nan])] == [
        ("0.5", Ink.TEXT),
        ("–", Ink.FAINT),
        ("NaN", Ink.BAD),
    ]
    shown = printed(tmp_path, "--plugin", "hparams", "--color", "always")
    assert "\x1b[31m NaN\x1b[0m" in shown.lines[2]


# Histograms and distributions


@pytest.fixture
def histograms(tmp_path: Path) -> Path:
    HistogramLogs(tmp_path).add("run", {"weights": {0: NORMAL, 10: NORMAL * 2}})
    return tmp_path


def test_print_histogram_has_bars_with_counts(tmp_path: Path) -> None:
    buckets = np.array([[0.0, 1.0, 1.0], [1.0, 2.0, 4.0], [2.0, 3.0, 0.0], [3.0, 4.0, 2.0]])
    HistogramLogs(tmp_path).add("run", {"weights": {7: buckets}})
    shown = printed(tmp_path, "--plugin", "histograms", "--width", 40, "--height", 5)
    assert shown.lines[:5] == [
        "weights · run · step 7 · 7 values",
        "0 │████████▊ 1",
        "1 │███████████████████████████████████ 4",
        "2 │",
        "3 │█████████████████▌ 2",
    ]
    assert shown.lines[5].startswith("min 0, 25% ")
    plain_text = printed(tmp_path, "--plugin", "histograms", "--width", 40, "--height", 5, out=Stream("ascii"))
    assert plain_text.lines[1:3] == ["0 |######### 1", "1 |################################### 4"]


def test_print_histogram_rounds_counts_of_split_buckets(tmp_path: Path) -> None:
    buckets = np.array([[0.0, 3.0, 150.0], [3.0, 6.0, 145.0], [6.0, 9.0, 205.0]])
    HistogramLogs(tmp_path).add("run", {"weights": {0: buckets}})
    shown = printed(tmp_path, "--plugin", "histograms", "--height", 16)
    assert [line.split()[-1] for line in shown.lines[1:16]] == ["30"] * 5 + ["29"] * 5 + ["41"] * 5


def test_print_histogram_marks_fractional_counts(tmp_path: Path) -> None:
    HistogramLogs(tmp_path).add("run", {"weights": {0: np.array([[0.0, 2.0, 1.0], [2.0, 3.0, 1.0]])}})
    shown = printed(tmp_path, "--plugin", "histograms", "--height", 5)
    counts = [line.split()[-1] for line in shown.lines[1:5]]
    assert counts == ["~0.375", "~0.375", "~0.5", "~0.75"]
    assert "median ~2" in shown.lines[5]
    assert shown.lines[6].startswith("~: estimated")


def test_print_histogram_of_one_bucket_is_one_bar(tmp_path: Path) -> None:
    values = np.random.default_rng(2).normal(0.97, 0.005, 512).clip(0.951, 0.989)
    value = old([0.9, 1.1], [0, 512], 0.951, 0.989, sum=values.sum(), squares=(values**2).sum())
    HistogramLogs(tmp_path).add("run", {"gamma": {0: value}})
    shown = printed(tmp_path, "--plugin", "histograms", "--width", 100)
    assert shown.lines[0] == "gamma · run · step 0 · 512 values"
    assert shown.lines[1].startswith("0.951 to 0.989 │")
    assert shown.lines[1].endswith(" 512")
    text = " ".join(shown.lines[2:])
    assert "all 512 in one bucket, 0.95 to 0.99" in text
    assert "mean 0.970 ± 0.005" in text
    assert "median" not in text


def test_print_distribution_of_one_bucket_has_no_inner_quantiles(tmp_path: Path) -> None:
    value = old([0.9, 1.1], [0, 4], 0.95, 0.99, sum=4 * 0.97, squares=4 * (0.97**2 + 0.005**2))
    HistogramLogs(tmp_path).add("run", {"gamma": {0: value}})
    shown = printed(tmp_path, "--plugin", "distributions", "--width", 80)
    assert any(line.split() == ["M", "median", "–"] for line in shown.lines)
    assert any(line.split() == [".", "max", "0.99"] for line in shown.lines)
    assert "step 0: all 4 in one bucket, 0.95 to 0.99: mean 0.970 ± 0.005" in shown.lines


def test_print_histogram_of_a_narrow_range_has_different_labels(tmp_path: Path) -> None:
    edges = 1e8 + np.arange(9.0)
    rows = np.column_stack([edges[:-1], edges[1:], np.ones(8)])
    HistogramLogs(tmp_path).add("run", {"weights": {0: rows}})
    shown = printed(tmp_path, "--plugin", "histograms", "--height", 9, "--width", 120)
    assert [line.split()[0] for line in shown.lines[1:9]] == ["100M", *(f"+{index}" for index in range(1, 8))]
    figures = dict(figure.rsplit(" ", 1) for figure in shown.lines[9].split(", mean")[0].split(", "))
    assert len(set(figures.values())) == 5


def test_print_histogram_of_no_and_of_equal_values_says_so(tmp_path: Path) -> None:
    HistogramLogs(tmp_path).add("run", {"empty": {0: np.zeros((0, 3))}, "equal": {0: np.array([[2.5, 2.5, 7.0]])}})
    shown = printed(tmp_path, "--plugin", "histograms")
    assert "no values in this histogram" in shown.lines
    assert "all 7 values are 2.5; 1 step in all" in shown.lines


def test_print_histogram_shows_the_nearest_step(histograms: Path) -> None:
    def step(*words: object) -> str:
        return printed(histograms, "--plugin", "histograms", *words).lines[0].split(" · ")[2]

    assert [step(), step("--step", 0), step("--step", 4), step("--step", 6), step("--step", -5)] == [
        "step 10",
        "step 0",
        "step 0, the nearest to 4",
        "step 10, the nearest to 6",
        "step 0, the nearest to -5",
    ]


@pytest.mark.parametrize("words", [["--plugin", "scalars"], ["--plugin", "comparison"], ["--plugin", "hparams"], []])
def test_print_step_of_a_kind_without_steps_is_refused(tmp_path: Path, words: list[str]) -> None:
    log_values(tmp_path, "run", [3, 2, 1])
    shown = printed(tmp_path, "--step", 1, *words)
    assert (shown.code, shown.out) == (2, "")
    *others, last = [plugin.name for plugin in list_text_plugins().values() if plugin.text and plugin.text.takes_step]
    kinds = f"{', '.join(others)} and {last}"
    assert f"--step is for {kinds} (--plugin), not for {words[-1] if words else 'scalars'}" in shown.err


@pytest.mark.parametrize("words", [["--plugin", "scalars"], []])
def test_print_figure_is_for_compare_only(tmp_path: Path, words: list[str]) -> None:
    log_values(tmp_path, "run", [3, 1, 2])
    shown = printed(tmp_path, "--figure", "best", *words)
    assert (shown.code, shown.out) == (2, "")
    assert "--figure is for --plugin comparison or hparams, not for scalars" in shown.err
    assert printed(tmp_path, "--plugin", "comparison", "--figure", "best").lines[-1].split()[-1] == "1"
    assert printed(tmp_path, "--plugin", "comparison").lines[-1].split()[-1] == "2"


def test_print_distribution_has_quantiles_over_steps(histograms: Path) -> None:
    shown = printed(histograms, "--plugin", "distributions", "--width", 60, "--height", 12)
    assert shown.lines[0] == "weights · run · steps 0–10"
    chart = "\n".join(shown.lines[1:13])
    assert {"M", "-", "."} <= set(chart)
    assert shown.lines[13].split() == ["quantile", "step", "0", "step", "10"]
    assert shown.lines[14].split()[:3] == [".", "max", "3"]
    assert any(line.startswith("M median") for line in shown.lines)


# PR curves


def test_print_pr_curves_of_all_runs_share_a_chart_with_areas(tmp_path: Path) -> None:
    log_runs(tmp_path)
    shown = printed(tmp_path, "--plugin", "pr_curves", "--tags", "cat", "--step", 20, "--width", 60)
    assert shown.lines[0] == "pr/cat · 2 runs · precision up, recall across"
    header, first, second = (line.split() for line in shown.lines[-3:])
    assert header[:3] == ["run", "step", "area"]
    assert first[:4] == ["A", "a", "20", "1"]
    assert second[:4] == ["B", "b", "20", "0.5"]
    assert "nearest" not in shown.out
    shown = printed(tmp_path, "--plugin", "pr_curves", "--tags", "cat", "--step", 21)
    assert shown.lines[-1] == "where nothing is at step 21 the nearest is shown"


def test_print_invalid_pr_curve_is_reported(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {"pr": {0: np.zeros((2, 2))}})
    shown = printed(tmp_path, "--plugin", "pr_curves")
    assert shown.code == 0
    assert shown.lines[-1].startswith("a: ")


# Texts


def test_print_texts_are_unchanged_and_escaped(tmp_path: Path) -> None:
    words = "one\ttab\n\x1b[31mred\n" + "long " * 30
    TextLogs(tmp_path).add("run", {"notes": {3: words}})
    shown = printed(tmp_path, "--plugin", "text", "--width", 60)
    assert shown.lines[:3] == ["notes · run · step 3", "one tab", "·[31mred"]
    assert shown.lines[3:] == [" ".join(["long"] * 12), " ".join(["long"] * 12), " ".join(["long"] * 6)]
    fenced = printed(tmp_path, "--plugin", "text", "--format", "markdown")
    assert fenced.lines[:3] == ["### notes · run · step 3", "", "```text"]


def test_print_text_tables_are_tables(tmp_path: Path) -> None:
    TextLogs(tmp_path).add("run", {"table": {0: [["name", "value"], ["lr", "0.1"], ["训练", "x"]]}})
    assert printed(tmp_path, "--plugin", "text").lines[1:] == ["name  value", "lr    0.1", "训练  x"]


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_print_text_table_cells_are_cut_separately(tmp_path: Path, columns: int) -> None:
    words = [[f"model/encoder/layer{row}/{'x' * 20}{column}" for column in range(columns)] for row in range(3)]
    TextLogs(tmp_path).add("run", {"table": {0: words}})
    shown = printed(tmp_path, "--plugin", "text", "--width", 24)
    assert max(map(len, shown.lines)) <= 24
    assert all(line[0] == "m" and "…" in line for line in shown.lines[1:] if line.strip())


def test_print_long_text_is_cut_with_a_note(tmp_path: Path) -> None:
    TextLogs(tmp_path).add("run", {"notes": {0: "line\n" * 5000}})
    shown = printed(tmp_path, "--plugin", "text")
    assert len(shown.lines) == 102
    assert shown.lines[-1].startswith("25,000 bytes in all: the rest is left out")


# Images and audio


def test_print_images_are_listed_and_drawn_with_colours(tmp_path: Path) -> None:
    ImageLogs(tmp_path).add("run", {"faces": {0: plain(RED), 5: [plain(GREEN), b"no picture"]}})
    shown = printed(tmp_path, "--plugin", "images")
    assert shown.lines[0] == "faces · run · step 5 (2 steps in all)"
    assert re.fullmatch(r"1 of 2: 8 x 8 PNG, [0-9]+ bytes", shown.lines[1])
    assert shown.lines[2].startswith("2 of 2: of no known format, 10 bytes; ")
    words = ("--plugin", "images", "--step", 0, "--height", 4, "--color", "always")
    drawn = printed(tmp_path, *words, COLORTERM="truecolor")
    assert drawn.lines[1:5] == ["\x1b[38;2;255;0;0;48;2;255;0;0m" + " " * 8 + "\x1b[0m"] * 4
    few = printed(tmp_path, *words)
    assert few.lines[1:5] == ["\x1b[38;5;196;48;5;196m" + " " * 8 + "\x1b[0m"] * 4


def test_print_audio_is_listed(tmp_path: Path) -> None:
    AudioLogs(tmp_path).add("run", {"tone": {4: [(wav(sine(440)), "a tone")]}})
    shown = printed(tmp_path, "--plugin", "audio")
    assert shown.lines[0] == "tone · 1 run"
    assert shown.lines[1].split() == ["run", "step", "lasts", "rate", "channels", "format", "bytes", "label"]
    row = shown.lines[2].split()
    assert row[:2] == ["run", "4"]
    assert row[-2:] == ["a", "tone"]
    assert "Hz" in row
    assert "nearest" not in printed(tmp_path, "--plugin", "audio", "--step", 4).out
    shown = printed(tmp_path, "--plugin", "audio", "--step", 7)
    assert shown.lines[-1] == "where nothing is at step 7 the nearest is shown"


def test_print_histogram_with_wrong_checksum_is_skipped_and_reported(tmp_path: Path) -> None:
    HistogramLogs(tmp_path).add("run", {"weights": {0: NORMAL, 1: NORMAL}})
    file = tmp_path / "run" / FILE
    data = bytearray(file.read_bytes())
    data[-40:-10] = b"\xff" * 30
    file.write_bytes(bytes(data))
    shown = printed(tmp_path, "--plugin", "histograms")
    assert shown.lines[0].startswith("weights · run · step 0")
    assert "damaged, shown as far as it can be read" in shown.err


# Width


@pytest.mark.parametrize("width", [20, 27, 45, 80])
@pytest.mark.parametrize("kind", ["comparison", "hparams", "scalars"])
def test_print_lines_fit_the_width(tmp_path: Path, kind: str, width: int) -> None:
    for number in range(3):
        run, file = f"optimizer_adam/batch_{number}/seed_0", "events.out.tfevents.2.host"
        log_session(tmp_path, run, {"learning_rate_of_the_generator": number, "what": f"a long text of {number} words"})
        log_values(tmp_path, run, [1e-7 * number, 123456.7], tag="evaluation/very/long/name/of/a/metric", file=file)
        log_values(tmp_path, run, [number, 2.5 * number], tag="loss", file=file)
    shown = printed(tmp_path, "--plugin", kind, "--width", width)
    assert shown.code == 0
    assert max(map(len, shown.lines)) <= width


def test_print_name_length_is_limited_to_save_tables(tmp_path: Path) -> None:
    for tag in ("a", "b"):
        for run in ("the/first/long/run", "another/long/run"):
            log_values(tmp_path, run, [0.125], tag=tag * 9, file=f"events.out.tfevents.{tag}")
    assert printed(tmp_path, "--plugin", "comparison", "--width", 30).lines == [
        "comparison · last values, ★",
        "the best of a tag",
        "run                 aaaaaaaaa",
        "another/long/run        0.125",
        "the/first/long/run      0.125",
        "",
        "run                 bbbbbbbbb",
        "another/long/run        0.125",
        "the/first/long/run      0.125",
    ]
