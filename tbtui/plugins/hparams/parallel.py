"""Parallel coordinates: one line for each session over the axes of its hyperparameters and the metric, in dots.

Lines are straight: eased curves turn into loops in narrow terminals. No session is left out: NaN is at `✗` and
a missing value at `–`, both below each axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink, to_heat_inks
from tbtui.charts.text import cell_width, safe, shorten, write
from tbtui.frozen import frozen
from tbtui.maths.rank_anova import compute_mid_ranks
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.axes import ColumnAxis
from tbtui.plugins.hparams.importance import BEST_PART, MIN_BEST
from tbtui.plugins.hparams.rows import HPARAM, METRIC, build_hparam_key, build_metric_key
from tbtui.view.terms import select_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.view.attributes import AttributeColumn

MIN_AXIS_WIDTH = 13
"""Terminal columns from one axis to the next."""

MAX_LAST_TITLE, MIN_GAP = 20, 10
"""Maximum columns of the title of the last axis, the metric, and minimum columns that it leaves between the axes."""

HEAD_ROWS, FOOT_ROWS = 2, 3
"""Rows of titles and upper ends above the lines; of lower ends, `✗` and `–` below them."""

BRUSH_SIGN = "▲"
MIN_LEVEL = 12
"""Heat level of the dimmest bright line."""


@frozen
class ParallelState:
    """Choices of the keys: axis, session, brush."""

    axis: int = 0
    session: str = ""
    first: int = 0
    """First axis in sight."""

    mark: str = ""
    """Session at which a brush begins; empty: none is being made."""


def make_axis(prepared: PreparedSessions, key: str) -> ColumnAxis:
    """Return the axis of a column over all sessions."""
    chosen = prepared.rows.chosen
    scale = chosen.axis_scales.get(key)
    if key.startswith(METRIC):
        title = key[len(METRIC) :]
        metric = prepared.table.metric(title)
        best = None if metric is None else metric.direction(prepared.view.settings)
        if metric is not None and metric is prepared.rows.metric:
            best = prepared.rows.best
        return ColumnAxis(key, title, title, prepared.rows.values[title].values, scale, best)  # type: ignore[arg-type]
    hparam = prepared.table.hparams[key[len(HPARAM) :]]
    return ColumnAxis(key, hparam.name, hparam.title, hparam.column, scale)  # type: ignore[arg-type]


class ParallelCache:
    """Cache of axes and faint lines, which a brush does not change. Used by one thread."""

    def __init__(self) -> None:
        self._axes: dict[str, ColumnAxis] = {}
        self._lines: tuple[tuple[object, ...], npt.NDArray[np.float64], npt.NDArray[np.bool_]] | None = None

    def axis(self, prepared: PreparedSessions, key: str) -> ColumnAxis:
        """Return the axis of a column; the same object as long as its inputs are the same."""
        axis, cached = make_axis(prepared, key), self._axes.get(key)
        if cached is None or cached.column is not axis.column or cached.position_inputs != axis.position_inputs:
            cached = self._axes[key] = axis
        return cached

    def lines(
        self, axes: Sequence[ColumnAxis], dots: npt.NDArray[np.intp], rows: int, size: tuple[int, int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return the dot row of each session on each axis, and the dots of the lines of all sessions."""
        key = (*axes, dots.tobytes(), rows, size)
        if self._lines is None or len(self._lines[0]) != len(key) or any(map(_differ, self._lines[0], key)):
            y = compute_axis_dots(axes, rows)
            self._lines = key, y, compute_line_dots(y, dots, size)[0]
        return self._lines[1:]


def _differ(first: object, second: object) -> bool:
    return first is not second and first != second


def list_axis_keys(prepared: PreparedSessions) -> tuple[str, ...]:
    """Return the keys of the axes: those that the user moved, then hyperparameters by share, then the metric."""
    shown = prepared.rows
    usual = [
        build_hparam_key(name)
        for name in shown.ordered_hparams
        if build_hparam_key(name) not in shown.chosen.columns.hidden
    ]
    if shown.metric is not None:
        usual.append(build_metric_key(shown.metric.title))
    moved = [key for key in shown.chosen.axes if key in usual]
    return tuple(dict.fromkeys([*moved, *usual]))


def find_visible_axes(keys: Sequence[str], first: int, width: int) -> tuple[int, ...]:
    """Return the indices of the axes in sight from `first` on; the last one of all is always in sight."""
    if not keys:
        return ()
    max_axes = max(width // MIN_AXIS_WIDTH + 1, 2)
    last = len(keys) - 1
    shown = list(range(first, min(first + max_axes, len(keys))))
    if last not in shown:
        shown[-1] = last
    return tuple(shown)


def find_bright_sessions(prepared: PreparedSessions) -> tuple[npt.NDArray[np.bool_], str]:
    """Return the sessions that are bright, bool[n], and their description: the selected ones, else the best tenth."""
    shown = prepared.rows
    selected, count = shown.selected, int(shown.selected.sum())
    if count < len(selected):
        return selected, f"{count:,} of {len(selected):,} sessions"
    main = None if shown.metric is None else shown.values[shown.metric.title].values
    if main is None:
        return selected, f"{count:,} sessions"
    numbers = main.numbers if shown.best == "min" else -main.numbers
    finite = np.flatnonzero(np.isfinite(numbers))
    best = finite[np.argsort(numbers[finite], kind="stable")][: max(MIN_BEST, int(count * BEST_PART))]
    bright = np.zeros(len(selected), np.bool_)
    bright[best] = True
    return bright, f"the best {len(best):,} of {count:,} sessions"


def colour_levels(column: AttributeColumn | None, count: int, *, best: str | None) -> npt.NDArray[np.intp]:
    """Return the heat level of each row: by rank of a column, the best brightest; missing values are dim."""
    if column is None:
        return np.full(count, HEAT_LEVELS - 1, np.intp)
    numbers = column.numbers if column.is_numeric else column.level_codes.astype(np.float64)
    ranks = compute_mid_ranks(numbers) / max(count - 1, 1)
    ranks = 1 - ranks if best == "min" else ranks
    levels = MIN_LEVEL + np.rint(ranks * (HEAT_LEVELS - 1 - MIN_LEVEL)).astype(np.intp)
    return np.where(column.is_number & np.isnan(column.numbers), MIN_LEVEL, levels)


def draw_parallel(
    prepared: PreparedSessions, state: ParallelState, width: int, height: int, cache: ParallelCache | None = None
) -> Cells:
    """Draw the lines of all sessions in `width` x `height` cells.

    Args:
        prepared: The sessions.
        state: Axis, session and brush that the user selected.
        width: Columns of cells.
        height: Rows of cells.
        cache: Axes and lines of former pictures; None: all are computed.
    """
    cache = cache or ParallelCache()
    cells = Cells.blank(height, width)
    keys = list_axis_keys(prepared)
    axis_indices = find_visible_axes(keys, state.first, width)
    if len(axis_indices) < 2 or height < HEAD_ROWS + FOOT_ROWS + 2:
        write(cells, 0, 0, "parallel coordinates need two columns and seven rows", Ink.DIM)
        return cells
    axes = [cache.axis(prepared, keys[index]) for index in axis_indices]
    rows = height - HEAD_ROWS - FOOT_ROWS
    available_width = max(min(width - (len(axes) - 1) * MIN_GAP, MAX_LAST_TITLE), MIN_AXIS_WIDTH)
    margin = min(max(map(cell_width, (_format_axis_title(axes[-1]), *axes[-1].ends))), available_width)
    columns = np.linspace(0, width - margin, len(axes)).round().astype(int)
    bright, _ = find_bright_sessions(prepared)
    canvas = Cells.blank(rows + FOOT_ROWS, width)
    dots = columns * DOTS_ACROSS
    size = (rows + FOOT_ROWS) * DOTS_DOWN, width * DOTS_ACROSS
    _draw_axis_lines(canvas, columns, rows)
    y, lit = cache.lines(axes, dots, rows, size)
    _draw_dots(canvas, lit, np.full(canvas.inks.shape, Ink.FAINT, np.int16))
    if bright.any():
        colour = prepared.rows.chosen.colour or (keys[-1] if keys else "")
        axis = cache.axis(prepared, colour) if colour in keys else axes[-1]
        levels = colour_levels(axis.column, len(bright), best=axis.best)
        lit, totals = compute_line_dots(y[bright], dots, size, levels[bright].astype(np.float64))
        _draw_dots(canvas, lit, to_heat_inks(totals, np.zeros_like(totals)))
    row = prepared.table.row_of.get(state.session)
    if row is not None:
        lit, _ = compute_line_dots(y[[row]], dots, size)
        _draw_dots(canvas, lit, np.full(canvas.inks.shape, Ink.ACCENT, np.int16))
    cells.put(HEAD_ROWS, 0, canvas)
    _write_texts(cells, prepared, axes, columns, rows, state.axis, axis_indices)
    return cells


def compute_axis_dots(axes: Sequence[ColumnAxis], rows: int) -> npt.NDArray[np.float64]:
    """Return the dot row of each session on each axis, float64[n, k]; every session has one."""
    bottom = rows * DOTS_DOWN - 1
    dot_rows = []
    for axis in axes:
        dots = (1 - axis.positions) * bottom
        dots = np.where(axis.is_missing, (rows + 2) * DOTS_DOWN + 1.5, dots)
        dot_rows.append(np.where(np.isnan(dots), (rows + 1) * DOTS_DOWN + 1.5, dots))
    return np.stack(dot_rows, axis=1)


def compute_line_dots(
    y: npt.NDArray[np.float64],
    columns: npt.NDArray[np.intp],
    size: tuple[int, int],
    values: npt.NDArray[np.float64] | None = None,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """Return the dots of straight lines from axis to axis.

    Args:
        y: Dot row of each line on each axis, float64[n, k].
        columns: Dot column of each axis, int[k].
        size: Rows and columns of dots.
        values: Value of each line, whose mean in each cell is returned; None: zeros are.

    Returns:
        Lit dots bool[size], and the mean of the values of the lines in each cell.
    """
    height, width = size
    counts = np.zeros(height * width, np.int64)
    cell_shape = height // DOTS_DOWN, width // DOTS_ACROSS
    totals = np.zeros(cell_shape[0] * cell_shape[1])
    for a in range(len(columns) - 1):
        steps = max(int(columns[a + 1] - columns[a]) * 2, 1)  # twice the columns: steep lines have fewer gaps
        shares = np.arange(steps + 1, dtype=np.float32) / steps
        x = np.rint(columns[a] + shares * (columns[a + 1] - columns[a])).astype(np.intp)
        rows = y[:, a, None].astype(np.float32) * (1 - shares) + y[:, a + 1, None].astype(np.float32) * shares
        down = np.minimum(rows.astype(np.int32), height - 1)
        pixels = (down * width + x).reshape(-1)
        counts += np.bincount(pixels, minlength=height * width)
        if values is not None:
            cells = ((down // DOTS_DOWN) * cell_shape[1] + x // DOTS_ACROSS).reshape(-1)
            totals += np.bincount(cells, np.repeat(values, steps + 1), len(totals))
    dots = counts.reshape(size)
    weights = dots.reshape(cell_shape[0], DOTS_DOWN, cell_shape[1], DOTS_ACROSS).sum(axis=(1, 3))
    mean = np.rint(totals.reshape(cell_shape) / np.maximum(weights, 1)).astype(np.intp)
    return dots > 0, mean


def _draw_axis_lines(canvas: Cells, columns: npt.NDArray[np.intp], rows: int) -> None:
    for column in columns.tolist():
        canvas.glyphs[:rows, column] = ord("│")
        canvas.inks[:rows, column] = Ink.FAINT


def _draw_dots(canvas: Cells, lit: npt.NDArray[np.bool_], inks: npt.NDArray[np.int16]) -> None:
    bits = pack_braille(lit)
    has_dots = bits != 0
    canvas.glyphs[has_dots] = BRAILLE + bits[has_dots].astype(np.uint32)
    canvas.inks[has_dots] = inks[has_dots]


def _write_texts(
    cells: Cells,
    prepared: PreparedSessions,
    axes: Sequence[ColumnAxis],
    columns: npt.NDArray[np.intp],
    rows: int,
    focus: int,
    axis_indices: Sequence[int],
) -> None:
    """Write titles and ends; the numbers of NaN and missing values below."""
    text, below = prepared.view.settings.run_filter, HEAD_ROWS + rows
    titles: list[tuple[str, int]] = []
    tops: list[tuple[str, int]] = []
    bottoms: list[tuple[str, int]] = []
    nans: list[tuple[str, int]] = []
    gaps: list[tuple[str, int]] = []
    for axis, index in zip(axes, axis_indices, strict=True):
        title = _format_axis_title(axis)
        low, high = axis.ends
        if low == high:
            low = ""  # a single value, at half the height
        is_brushed = bool(select_terms(text, axis.name))
        titles.append((title, Ink.ACCENT if index == focus else Ink.BOLD))
        tops.append((high, Ink.DIM))
        bottoms.append((f"{BRUSH_SIGN} {low}" if is_brushed else low, Ink.ACCENT if is_brushed else Ink.DIM))
        nans.append((_count_text(labels.DIVERGED_SIGN, axis.is_nan), Ink.BAD))
        gaps.append((_count_text(labels.MISSING_SIGN, axis.is_missing), Ink.DIM))
    for y, line in ((0, titles), (1, tops), (below, bottoms), (below + 1, nans), (below + 2, gaps)):
        _write_line(cells, y, columns.tolist(), line)


def _format_axis_title(axis: ColumnAxis) -> str:
    title = safe(" ".join(filter(None, (axis.title, axis.scale_label))))
    return title if axis.best is None else f"{labels.BEST_SIGNS[axis.best]} {title}"


def _count_text(sign: str, rows: npt.NDArray[np.bool_]) -> str:
    count = int(rows.sum())
    return f"{sign} {count}" if count else ""


def _write_line(cells: Cells, y: int, columns: Sequence[int], texts: Sequence[tuple[str, int]]) -> None:
    """Write a text at each axis; none reaches the next one."""
    for (text, ink), column, end in zip(
        texts, columns, [*(each - 1 for each in columns[1:]), cells.width], strict=True
    ):
        write(cells, y, column, shorten(text, max(end - column, 1)), ink)
