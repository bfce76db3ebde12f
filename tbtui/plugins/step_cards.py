"""Parts of cards and of opened values that show one step of one run: captions, the bar and table of steps, errors."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.step_slider import StepSlider, draw_step_slider, iter_slider_labels
from tbtui.charts.text import cell_width, fit, format_run_name, safe, write
from tbtui.view.chart_axes import AXIS_KINDS
from tbtui.view.run_names import fit_run_name, shorten_to_distinct
from tbtui.view.run_table import TableRow, create_column, draw_run_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.shown_steps import ShownStep, ShownSteps
    from tbtui.settings.settings import XAxis

_AXIS = Axis(0.0, 1.0)
NO_PLOT = PlotArea(0, 0, 1, 0, _AXIS, _AXIS)
"""Plot area of a card without one: the mouse points at no step, but keys move through the steps."""

CAPTION_EDGES = 7
"""Columns of a card's bottom line that are neither run nor step."""

MIN_RUN_WIDTH = 6
"""Minimum columns of the run name in that line; the step is cut first."""

MIN_TABLE_HEIGHT = 20
"""Minimum rows of an opened value with a table below it."""

TABLE_HEIGHT_DIVISOR = 5
"""The table takes at most the height of the pane divided by this number."""


def choose_table_height(rows: int, height: int) -> int:
    """Return the height of the table below an opened value; 1 if there is no room for more than its title.

    Args:
        rows: Rows of the table without its header.
        height: Rows of the pane.
    """
    return min(rows + 1, max(height // TABLE_HEIGHT_DIVISOR, 2)) if height >= MIN_TABLE_HEIGHT else 1


def draw_error(reason: str, columns: int, rows: int) -> Cells:
    """Draw the reason why there is nothing to show, wrapped."""
    return draw_lines(textwrap.wrap(safe(reason), max(columns - 2, 1)), columns, rows, Ink.WARN)


def draw_lines(lines: Sequence[str], columns: int, rows: int, ink: Ink = Ink.DIM) -> Cells:
    """Draw lines of text in place of a picture; long lines are cut."""
    cells = Cells.blank(max(rows, 0), max(columns, 0))
    for row, line in enumerate(lines[:rows], max(min(rows // 3, rows - len(lines)), 0)):
        write(cells, row, 1, fit(line, columns - 2), ink)
    return cells


def build_card_legend(
    shown: ShownStep, axis: XAxis, runs: Sequence[str], width: int, *, has_own_step: bool
) -> tuple[tuple[str, int], ...]:
    """Return the bottom line of a card as texts and inks: run, step, and values that are left out.

    Args:
        shown: The shown step.
        axis: The x axis.
        runs: Names of the drawn runs, among which the name of the run is distinct.
        width: Columns of the card.
        has_own_step: True if the card does not follow the cursor.
    """
    step = f"· {step_text(shown, axis)}{' alone' if has_own_step else ''}"
    ink = shown.steps.ink
    run = fit_run_name(shown.steps.run.name, runs, max(width - CAPTION_EDGES - cell_width(step), MIN_RUN_WIDTH))
    left_out = [(f"· {shown.left_out}", int(Ink.ACCENT))] if shown.left_out else []
    return ((f"{get_series_marker(ink)} {run}", ink), (step, int(Ink.DIM)), *left_out)


MIN_CAPTION_NAME = 4
"""Minimum columns of the name of a run in a caption; without these, two steps of one run are named by their steps."""


def draw_caption(
    cells: Cells,
    step: ShownStep,
    axis: XAxis,
    left: int,
    columns: int,
    runs: tuple[str, str],
    details: Sequence[str] = (),
) -> None:
    """Write `● run · step 312 · 128 vertices` above one of two compared values.

    Args:
        cells: The picture of both.
        step: The step of this value.
        axis: The x axis.
        left: First column.
        columns: Width.
        runs: Names of both runs; different ones differ even if they are cut.
        details: Texts after the step, the longest first: the first one that fits is written.
    """
    if columns < 1 or not cells.height:
        return
    sign, name, ink = get_series_marker(step.steps.ink), step.steps.run.name, step.steps.ink
    caption = step_text(step, axis)
    text = f" · {caption}"
    room = columns - cell_width(safe(f"{sign} {format_run_name(name)}")) - cell_width(text)
    text += next((f" · {each}" for each in details if cell_width(each) + 3 <= room), "")
    name_width = columns - cell_width(text) - cell_width(sign) - 1
    if name_width < MIN_CAPTION_NAME:
        if runs[0] == runs[1]:  # the step is the only difference
            end = write(cells, 0, left, fit(f"{sign} ", columns), ink)
            write(cells, 0, end, fit(caption, left + columns - end), Ink.DIM)
            return
        name_width = max(min(MIN_CAPTION_NAME, columns - cell_width(sign) - 1), 1)
    short_name = fit_run_name(name, tuple(dict.fromkeys(runs)), name_width)
    end = write(cells, 0, left, fit(f"{sign} {short_name}", columns), ink)
    write(cells, 0, end, fit(text, left + columns - end), Ink.DIM)


def step_text(stop: ShownStep, axis: XAxis) -> str:
    """Return `step 312`, with the time where the axis is one."""
    if axis in ("relative", "active"):
        return f"{stop.label} at {numbers.format_duration(stop.seconds)}"
    return f"{stop.label} at {numbers.format_clock(stop.wall_time)}" if axis == "wall" else stop.label


def step_bar(
    shown: ShownStep, kind: XAxis, width: int, other: ShownStep | None = None, *, has_own_step: bool = False
) -> StepSlider:
    """Draw one line that shows the stored steps and the shown one: `step 312  0 ┼──┼──●──┼ 440  3 of 4 steps`.

    Args:
        shown: The step that is seen.
        kind: The present x axis.
        width: Columns.
        other: The step that it is compared with.
        has_own_step: True if the card does not follow the cursor; the step is then marked `alone`.
    """
    compared = None if other is None else other.stop
    steps, step = shown.steps, shown.label
    labels = [
        *iter_slider_labels(
            step,
            shown.index + 1,
            len(steps),
            is_newest=shown.is_newest,
            short_step=numbers.format_step(shown.step),
            noun=steps.noun,
        )
    ]
    if has_own_step:
        labels = [*((f"{step} alone", behind) for _, behind in labels[:2]), *labels[2:]]
    return draw_step_slider(labels, steps.stops, shown.stop, compared, AXIS_KINDS[kind], width)


STEP_PRIORITY, COUNT_PRIORITY, TIME_PRIORITY, BYTES_PRIORITY, WALL_PRIORITY = 10, 6, 4, 5, 2


def step_table(
    all_steps: Sequence[ShownSteps], width: int, x: float | None, focus: str | None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return the header of the table (one row), its body, and the run of each row.

    Args:
        all_steps: Steps of each run, in the order of the run tree.
        width: Columns.
        x: Position of the cursor on the x axis; None is the newest step of each run.
        focus: The run that is selected.
    """
    names = [stored.run.name for stored in all_steps]
    short = shorten_to_distinct(names)
    rows = [
        TableRow(name, brief, stored.ink, name == focus)
        for name, brief, stored in zip(names, short, all_steps, strict=True)
    ]
    stops = [stored.nearest(x) for stored in all_steps]
    columns = [
        create_column("step", [str(stop.step) for stop in stops], STEP_PRIORITY),
        create_column("steps", [f"{len(stored):,}" for stored in all_steps], COUNT_PRIORITY),
        create_column("stored", [numbers.format_size(stop.nbytes) for stop in stops], BYTES_PRIORITY),
        create_column("time", [numbers.format_duration(stop.seconds) for stop in stops], TIME_PRIORITY),
        create_column("wall time", [numbers.format_clock(stop.wall_time) for stop in stops], WALL_PRIORITY),
    ]
    header, body = draw_run_table(rows, columns, width)
    return header, body, tuple(names)
