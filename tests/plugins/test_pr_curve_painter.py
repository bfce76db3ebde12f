"""Cards and opened charts of precision-recall curves, against numbers computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.cells import FAINT_FROM, Ink
from tbtui.charts.line_chart import BEST_SIGN, NAN_SIGN
from tbtui.loading.payloads import Payloads
from tbtui.plugins.pr_curves.chart import CurveChartCache
from tbtui.plugins.pr_curves.painter import MAX_MARKED_CURVES, CurveRenderer, CurveSource, OpenedCurves
from tbtui.settings.settings import ChartSettings
from tbtui.view.card_painter import Painter
from tests.helpers.curve_logs import NAN, PERFECT, POOR, log_runs, view_in
from tests.helpers.curve_snapshots import curve, log_curves
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import START
from tests.helpers.views import picture

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.charts.cells import Cells
    from tbtui.plugins.pr_curves.chart import Chart
    from tbtui.view.view import View

CAT = "pr/cat"


def painter_in(root: Path, **settings: Any) -> Painter[Chart]:
    return painter_of(view_in(root, **settings))


def painter_of(view: View) -> Painter[Chart]:
    data = CurveChartCache(Payloads())
    return Painter(CurveSource(data, CurveRenderer(), view), data.cards(view))


def card(root: Path, key: str = CAT, width: int = 44, height: int = 14, **settings: Any) -> str:
    return picture(painter_in(root, **settings).paint(key, width, height, focused=False).cells)


def opened(root: Path, key: str = CAT, width: int = 110, height: int = 30, **settings: Any) -> OpenedCurves:
    return opened_by(painter_in(root, **settings), key, width, height)


def opened_by(painter: Painter[Chart], key: str, width: int, height: int) -> OpenedCurves:
    shown = painter.open(key, width, height)
    assert isinstance(shown, OpenedCurves)
    return shown


def table(chart: OpenedCurves) -> list[list[str]]:
    return [words(line) for line in picture(chart.rows).splitlines()]


def words(text: str) -> list[str]:
    """What stands apart in a row."""
    return text.split()


def places(cells: Cells, sign: str) -> list[tuple[int, int]]:
    """Row and column of each cell that shows a sign."""
    found: list[tuple[int, int]] = list(zip(*(each.tolist() for each in np.nonzero(cells.glyphs == ord(sign)))))  # noqa: B905
    return found


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    log_runs(tmp_path)
    return tmp_path


def test_card_shows_curves_best_points_and_areas_of_all_runs(logs: Path) -> None:
    assert card(logs) == (
        "╭ pr/cat ─────── steps 20–40 · AUC 0.812–1 ╮\n"
        "│1.0 ┤                  ⠈⠒⢄⡀              ★│\n"
        "│    │                     ⠈⠑⠤⣀           ⢸│\n"
        "│    │                         ⠑⠢★        ⢸│\n"
        "│    │                           ⢸        ⢸│\n"
        "│    │                           ⢸        ⢸│\n"
        "│0.5 ┤                           ⠸⠤⠤⠤⠤⠤⠤⠤⠤⠼│\n"
        "│    │                                     │\n"
        "│    │                                     │\n"
        "│    │                                     │\n"
        "│    │                                     │\n"
        "│0.0 ┤ ↑ precision  → recall  ★ best F1    │\n"
        "│    0.0    0.2    0.4     0.6    0.8   1.0│\n"
        "╰ ● a ● b ─────────────────────────────────╯"
    )


def test_curves_have_the_colours_of_their_runs(logs: Path) -> None:
    cells = painter_in(logs).paint(CAT, 44, 14, focused=False).cells
    inks = view_in(logs).inks
    (_, star_of_a), (row_of_b, star_of_b), _legend = places(cells, BEST_SIGN)
    assert cells.inks[1, star_of_a] == inks["a"]
    assert cells.inks[row_of_b, star_of_b] == inks["b"]
    assert cells.inks[row_of_b + 1, star_of_b] == inks["b"]


def test_card_of_one_run_omits_its_name(logs: Path) -> None:
    shown = card(logs, hidden_runs=frozenset({"b"}))
    assert "step 20 · AUC 1 ╮" in shown
    assert "●" not in shown


@pytest.mark.parametrize(("width", "beside"), [(44, "steps 20–40 · AUC 0.812–1 ╮"), (33, "AUC 0.812–1 ╮"), (18, "╮")])
def test_card_narrow_title_has_fewer_details(logs: Path, width: int, beside: str) -> None:
    top = card(logs, width=width).splitlines()[0]
    assert top.removeprefix("╭ pr/cat ").lstrip("─").lstrip() == beside.lstrip()


def test_opened_chart_reads_each_run_at_its_best_f1(logs: Path) -> None:
    chart = opened(logs)
    lines = picture(chart.picture).splitlines()
    told = "steps 20–40, the newest · ★ at each best F1 · precision over recall"
    assert lines[0].split("  ")[0:2] == ["‹ pr/cat", told]
    assert words(picture(chart.header)) == (
        words("run step threshold precision recall F1 TP FP TN FN AUC (AP) best F1 @ threshold")
    )
    assert table(chart) == [
        words("● a 20 0.25 1 1 1 2 0 2 0 1 1 @ 0.25 ★"),
        words("● b 40 0.5 0.75 0.75 0.75 3 1 3 1 0.8125 0.75 @ 0.5 ★"),
    ]
    assert len(places(chart.picture, BEST_SIGN)) == 2 + 2  # and one in the title, one beside the names of the axes


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (70, "run threshold precision recall F1 TP FP TN FN AUC (AP)"),
        (60, "run step threshold precision recall F1 AUC (AP)"),
        (36, "run precision recall AUC (AP)"),
        (30, "run step F1 AUC (AP)"),
    ],
)
def test_opened_narrow_table_drops_paired_columns_together(logs: Path, width: int, titles: str) -> None:
    assert words(picture(opened(logs, width=width).header)) == words(titles)


def test_threshold_marks_every_curve_and_fills_every_row(logs: Path) -> None:
    chart = opened(logs, threshold=0.75)
    assert "  threshold 0.75 · steps 20–40, the newest " in picture(chart.picture).splitlines()[0]
    assert [row[:11] for row in table(chart)] == [
        words("● a 20 0.75 1 1 1 2 0 2 0"),
        words("● b 40 0.75 1 0.5 0.6667 2 0 4 2"),
    ]
    assert chart.plot is not None
    top = chart.plot.row(1.0)
    expected = sorted((top, chart.plot.column(recall)) for recall in (0.5, 1.0))
    assert sorted(place for place in places(chart.picture, "●") if place[0] == top) == expected


def test_threshold_past_the_end_shows_counts_and_no_marker(logs: Path) -> None:
    chart = opened(logs, threshold=1.0)
    assert [row[3:11] for row in table(chart)] == [words("1 – 0 – 0 0 2 2"), words("1 – 0 – 0 0 4 4")]
    body = chart.picture.glyphs[1:-1]
    assert ord("●") not in body


def test_cursor_selects_another_step(logs: Path) -> None:
    chart = opened(logs, cursor=10.0)
    assert "step 0–10" not in picture(chart.picture)
    assert "steps 0–10 · ★" in picture(chart.picture).splitlines()[0]
    assert [row[2] for row in table(chart)] == ["10", "0"]
    assert "the newest" not in picture(chart.picture)


def test_baseline_areas_are_compared(logs: Path) -> None:
    chart = opened(logs, baseline="b", width=140)
    assert "Δ AUC" in picture(chart.header)
    assert [row[12] for row in table(chart)] == ["+0.1875", "Δ0"]
    assert [row[12] for row in table(opened(logs, baseline="gone", width=140))] == ["–", "–"]


def test_second_step_is_faint_with_its_area(logs: Path) -> None:
    chart = opened(logs, cursor=20.0, mark=0.0, width=140)
    assert "step 20 beside 0 · " in picture(chart.picture).splitlines()[0]
    assert "Δ AUC @ step" in picture(chart.header)
    assert [row[12:15] for row in table(chart)] == [["+0.5", "@", "0"], ["±0", "@", "0"]]
    faint = FAINT_FROM + view_in(logs).inks["a"]
    assert faint in opened(logs, cursor=20.0, mark=10.0).picture.inks
    assert faint not in opened(logs, cursor=20.0).picture.inks


def test_slider_shows_all_steps_and_the_chosen_one(logs: Path) -> None:
    def slider(**settings: Any) -> str:
        return picture(opened(logs, width=60, height=20, **settings).picture).splitlines()[-1]

    assert slider() == "steps 20–40  0 ┼────┼────┼────────● 40  4 of 4 steps, newest"
    assert slider(cursor=10.0) == "steps 0–10  0 ┼──────●──────┼─────────────┼ 40  2 of 4 steps"
    assert slider(cursor=20.0, mark=0.0) == "step 20  0 ○───────┼───────●──────────────┼ 40  3 of 4 steps"
    assert slider(x_axis="relative") == "steps 20–40  0s ┼────────┼───────● 20s  3 of 3 steps, newest"
    chart = opened(logs)
    assert chart.slider is not None
    assert chart.slider.top == chart.picture.height - 1


def test_runs_sort_by_area(logs: Path) -> None:
    assert [row[1] for row in table(opened(logs, row_order="ascending"))] == ["b", "a"]
    assert opened(logs, row_order="ascending").runs == ("b", "a")
    assert [row[1] for row in table(opened(logs, row_order="descending"))] == ["a", "b"]
    assert "AUC (AP) ▼" in picture(opened(logs, row_order="descending").header)


def test_focused_run_is_on_top_and_first(logs: Path) -> None:
    same = dict.fromkeys((0, 20), POOR)
    log_curves(logs, "c", {CAT: same})
    for focus in ("b", "c"):
        chart = opened(logs, cursor=20.0, focus=focus)
        row, column = places(chart.picture, BEST_SIGN)[-2]  # the last one is beside the names of the axes
        assert chart.picture.inks[row, column] == view_in(logs).inks[focus]
        assert picture(chart.rows).splitlines()[" abc".index(focus) - 1].startswith(f"●▸{focus}")
    assert opened(logs).default_threshold == 0.25
    assert opened(logs, focus="b").default_threshold == 0.5
    assert opened(logs, focus="b").plot.zoom_centre == (0.75, 0.75)  # type: ignore[union-attr]
    assert opened(logs, focus="b", threshold=0.75).plot.zoom_centre == (0.5, 1.0)  # type: ignore[union-attr]


def test_crowd_highlights_and_marks_only_the_focused_curve(tmp_path: Path) -> None:
    names = [f"run{number:02}" for number in range(MAX_MARKED_CURVES + 1)]
    for name in names:
        log_curves(tmp_path, name, {CAT: {0: PERFECT if name == "run00" else curve()}})
    body = opened(tmp_path, threshold=0.5, height=12).picture
    assert ord("●") not in body.glyphs[1:]
    assert ord(BEST_SIGN) not in body.glyphs[1:]
    chart = opened(tmp_path, threshold=0.5, focus="run03", height=12)
    assert len(places(chart.picture, "●")) == 1
    assert (chart.picture.inks >= FAINT_FROM).any()


def test_nan_is_a_marked_and_reported_gap(logs: Path) -> None:
    torn = curve()
    torn[4, 1] = np.nan
    log_curves(logs, "c", {"torn": {0: torn}, "nan": {0: NAN}})
    shown = card(logs, "torn")
    assert "─ ✗ step 0 · AUC 0.812 ╮" in shown  # the lost point has gained no recall
    assert shown.count(NAN_SIGN) == 2
    chart = opened(logs, "torn")
    assert "✗ no number at 1 of 4 thresholds" in picture(chart.picture).splitlines()[0]
    assert "no point of the curve is a number" in card(logs, "nan")
    assert table(opened(logs, "nan", threshold=0.5))[0][3:] == words("0.5 NaN NaN NaN NaN NaN NaN NaN – –")


def test_tensor_of_another_shape_is_refused_on_its_card(logs: Path) -> None:
    log_curves(logs, "c", {CAT: {0: np.ones((5, 127))}, "alone": {0: 3.0}})
    shown = card(logs, "alone", width=60)
    assert "╭ alone ─" in shown
    assert "a single number instead of a PR curve" in shown
    painter = painter_in(logs)
    both = painter.paint(CAT, 60, 14, focused=False).cells
    assert "✗ steps 0–40 · AUC 0.812–1 ╮" in picture(both)
    assert both.inks[0, 40] == Ink.WARN
    chart = painter.open(CAT, 160, 30)
    assert "✗ c: a tensor of shape 5x127 instead of a PR curve" in picture(chart.picture).splitlines()[0]
    assert table(chart)[2] == words("● c 0 – – – – – – – – – –")


def test_curve_without_positives_has_no_area_and_no_best(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {CAT: {0: curve((0, 0, 0), (0.9, 0.5, 0.1), 5)}})
    assert "AUC – ╮" in card(tmp_path)
    assert BEST_SIGN not in card(tmp_path)
    assert table(opened(tmp_path))[0][2:] == ["0", *"–" * 10]
    assert table(opened(tmp_path, threshold=0.5))[0][2:] == words("0 0.5 0 0 0 0 2 1 0 – –")


def test_weighted_counts_are_shown_in_full(tmp_path: Path) -> None:
    weights = (0.5,) * 8
    log_curves(tmp_path, "a", {CAT: {0: curve(weights=weights)}})
    assert table(opened(tmp_path, threshold=0.5))[0][3:11] == words("0.5 0.75 0.75 0.75 1.5 0.5 1.5 0.5")


def test_runs_with_other_thresholds_are_read_at_the_nearest(tmp_path: Path) -> None:
    log_curves(tmp_path, "a", {CAT: {0: curve()}})
    log_curves(tmp_path, "b", {CAT: {0: curve(thresholds=11)}})
    chart = opened(tmp_path, threshold=0.3)
    assert [row[3] for row in table(chart)] == ["0.25", "0.3"]
    assert chart.thresholds.tolist() == pytest.approx([0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9])


def test_without_a_table_the_headline_reads_the_first_run(logs: Path) -> None:
    lines = picture(opened(logs, width=90, height=10, threshold=0.75, focus="b").picture).splitlines()
    assert lines[0].startswith(
        "‹ pr/cat  threshold 0.75 · P 1 R 0.500 F1 0.667 · AUC 0.812–1 · steps 20–40, the newest"
    )
    lines = picture(opened(logs, width=90, height=10).picture).splitlines()
    assert lines[0].startswith("‹ pr/cat  AUC 0.812–1 · steps 20–40, the newest · ★ at 0.25 · P 1 R 1 F1 1")
    assert len(lines) == 10


def test_ranges_set_by_hand_are_shown(logs: Path) -> None:
    own = {CAT: ChartSettings(across_range=(0.5, 1.0), y_range=(0.25, None))}
    headline = picture(opened(logs, charts=own, width=140).picture).splitlines()[0]
    assert "recall 0.5–1 · precision from 0.25" in headline


def test_click_selects_the_nearest_curve_and_threshold(logs: Path) -> None:
    painter = painter_in(logs)
    source = painter.source
    assert isinstance(source, CurveSource)
    chart = painter.open(CAT, 110, 30)
    assert chart.plot is not None

    def at(recall: float, precision: float) -> tuple[int, int]:
        assert chart.plot is not None
        column, row = chart.plot.column(recall), chart.plot.row(precision)
        assert column is not None
        assert row is not None
        return column, row

    for (recall, precision), run, threshold in (
        ((0.5, 1.0), "b", 0.75),
        ((0.58, 0.92), "b", 0.75),
        ((0.73, 0.73), "b", 0.5),
        ((0.77, 0.5), "b", 0.25),
        ((1.0, 0.9), "a", 0.25),
        ((1.0, 0.6), "a", 0.0),
    ):
        assert painter.pick(chart, *at(recall, precision)) == run
        assert source.find_threshold(chart, *at(recall, precision)) == threshold
    assert painter.pick(chart, *at(0.2, 0.2)) is None
    assert source.find_threshold(chart, *at(0.2, 0.2)) is None


def test_fingerprints_differ_only_after_a_change(logs: Path) -> None:
    held = LoadedLogs(logs)  # by one loader: in how many turns a file is read counts into a revision

    def look_at(**settings: Any) -> Any:
        return painter_of(held.view(**settings)).paint_key(CAT)

    look = look_at()
    assert look_at() == look
    assert look_at(smoothing=0.9, y_scale="log", x_range=(0.0, 9.0)) == look
    for settings in (
        {"cursor": 10.0},
        {"threshold": 0.5},
        {"focus": "a"},
        {"baseline": "a"},
        {"row_order": "ascending"},
        {"skip_steps": 5},
        {"superseded": True},
        {"hidden_runs": frozenset({"a"})},
        {"charts": {CAT: ChartSettings(across_range=(0.5, 1.0))}},
    ):
        assert look_at(**settings) != look
    log_curves(logs, "a", {CAT: {30: PERFECT}}, start=START + 100)
    assert look_at() != look


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 3), (10, 4), (24, 8), (300, 70)])
def test_any_size_is_drawn(logs: Path, width: int, height: int) -> None:
    painter = painter_in(logs, threshold=0.5)
    cells = painter.paint(CAT, width, height, focused=True).cells
    assert cells.glyphs.shape == (height, width)
    chart = painter.open(CAT, width, height)
    assert chart.picture.width == width
    assert chart.picture.height <= height


def test_names_from_files_are_escaped(tmp_path: Path) -> None:
    log_curves(tmp_path, "a\x1b[31m", {"pr\x07\n": {0: curve()}}, display_name="na\x1bme")
    painter = painter_in(tmp_path)
    for cells in (painter.paint("pr\x07\n", 60, 14, focused=True).cells, painter.open("pr\x07\n", 90, 20).rows):
        assert not np.isin(cells.glyphs, (0x1B, 0x07, 0x0A)).any()


def test_opened_dense_curve_key_moves_are_visible(tmp_path: Path) -> None:
    scores = np.linspace(0, 1, 400)
    log_curves(tmp_path, "a", {CAT: {0: curve(np.arange(400) % 3 > 0, scores, 5000)}})
    found = opened(tmp_path, width=100, height=30)
    assert isinstance(found, OpenedCurves)
    assert len(found.thresholds) == 5000
    moves = found.visible_thresholds
    assert (moves[0], moves[-1]) == (found.thresholds[0], found.thresholds[-1])
    assert len(moves) < 600
    assert float(np.diff(moves).max()) <= 0.0101
    assert set(moves) <= set(found.thresholds)


def test_crowd_is_a_bundle_with_named_best_worst_newest_and_selected(tmp_path: Path) -> None:
    for index in range(MAX_LINES_IN_COLOUR + 1):
        rows = {3: PERFECT, 7: POOR}.get(index, curve())
        log_curves(tmp_path, f"r{index:02}", {CAT: {0: rows}}, start=START + (index if index < 20 else 0))
    shown = painter_in(tmp_path, focus="r05").paint(CAT, 90, 20, focused=True).cells
    assert shown.get_row_text(19).startswith("╰ selected r05 best r03 worst r07 newest r19 ─")
    inks = set(shown.inks[1:-1, 7:-1].ravel().tolist())
    assert not inks & {1, 2, 4, 6}  # of runs in the bundle
    chart = opened(tmp_path, focus="r05")
    assert [row[:3] for row in table(chart)[:5]] == [
        ["●▸r05", "selected", "0"],
        ["●", "r03", "best"],
        ["●", "r07", "worst"],
        ["◆", "r19", "newest"],
        ["●", "r00", "0"],
    ]
