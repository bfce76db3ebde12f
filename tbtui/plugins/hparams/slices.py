"""Slices: the metric against each hyperparameter, one card each; and a heat map of two of them.

Every session has a position: diverged ones in a strip at the top, those without the hyperparameter in a strip at the
right, and those without the metric are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.card import SEPARATOR, draw_card
from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink, to_heat_inks
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.frozen import frozen
from tbtui.maths.rank_anova import assign_word_levels, number_levels
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.axes import ColumnAxis
from tbtui.plugins.hparams.importance import MAX_PROFILE
from tbtui.plugins.hparams.parallel import colour_levels, make_axis
from tbtui.plugins.hparams.rows import build_hparam_key, build_metric_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.maths.rank_anova import Levels
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.view.attributes import AttributeColumn

CARD_WIDTH, CARD_HEIGHT = 36, 9
"""Least columns and rows of a card."""

MIN_WORDED_CARD = 40
"""Columns of a card from which its share is called so."""

LEFT = 7
"""Columns of the ends of the metric."""

MARK = "◈"
"""Sign of a hyperparameter that is marked for a heat map."""

MAX_LEVEL_NAME = 26
"""Terminal columns of the name of a level in the table of an opened card."""

MAX_PAIR_LEVELS, MAX_PAIR_LABEL = 6, 19
"""Levels of a hyperparameter in a heat map, and terminal columns of their names next to it."""

MIN_BOX = 5
"""Terminal columns of the box of a pair of levels, with the gap."""


@frozen
class SliceState:
    """Card and session under the cursor, and the state of the card."""

    card: int = 0
    is_opened: bool = False
    session: str = ""


def slice_names(prepared: PreparedSessions) -> tuple[str, ...]:
    """Return the hyperparameters with a card, by share."""
    hidden = prepared.rows.chosen.columns.hidden
    return tuple(name for name in prepared.rows.ordered_hparams if build_hparam_key(name) not in hidden)


def count_cards_per_row(width: int) -> int:
    """Return the number of cards in a row."""
    return max(width // CARD_WIDTH, 1)


def build_metric_axis(prepared: PreparedSessions) -> ColumnAxis | None:
    """Return the axis of the main metric; the best is at the bottom for the least, at the top for the greatest."""
    metric = prepared.rows.metric
    if metric is None:
        return None
    axis = make_axis(prepared, build_metric_key(metric.title))
    return ColumnAxis(axis.key, axis.name, axis.title, axis.column, axis.scale, "max")


def draw_slices(prepared: PreparedSessions, state: SliceState, width: int, height: int) -> Cells:
    """Draw the cards in sight in `width` x `height` cells, or the opened one with its table."""
    cells = Cells.blank(height, width)
    names, metric = slice_names(prepared), build_metric_axis(prepared)
    if metric is None or not names:
        write(cells, 0, 0, "slices need a metric and a hyperparameter that differs", Ink.DIM)
        return cells
    pair = prepared.rows.chosen.pair
    if len(pair) == 2 and all(name in prepared.table.hparams for name in pair):
        cells.put(0, 0, draw_pair(prepared, pair[0], pair[1], width, height))
        return cells
    focused_card = min(state.card, len(names) - 1)
    if state.is_opened:
        table = slice_table(prepared, names[focused_card])
        rows = max(height - len(table), CARD_HEIGHT)
        cells.put(
            0, 0, draw_slice(prepared, names[focused_card], metric, width, rows, focused=True, session=state.session)
        )
        for y, pieces in enumerate(table):
            x = 0
            for text, ink in pieces:
                x = write(cells, rows + y, x, text, ink)
        return cells
    columns = count_cards_per_row(width)
    card_width, rows = width // columns, max(height // CARD_HEIGHT, 1)
    card_height = height // min(rows, -(-len(names) // columns))
    card_height = min(max(card_height, min(CARD_HEIGHT, height)), 2 * CARD_HEIGHT)
    rows = max(height // card_height, 1)
    first = max(focused_card // columns - rows + 1, 0) * columns
    for index, name in enumerate(names[first : first + rows * columns]):
        card = draw_slice(
            prepared,
            name,
            metric,
            card_width,
            card_height,
            focused=first + index == focused_card,
            session=state.session,
        )
        cells.put(index // columns * card_height, index % columns * card_width, card)
    return cells


def draw_slice(
    prepared: PreparedSessions,
    name: str,
    metric: ColumnAxis,
    width: int,
    height: int,
    *,
    focused: bool,
    session: str = "",
) -> Cells:
    """Draw one card: dots, medians of the levels, `✗` where the metric diverged, `–` where there is no value."""
    axis = make_axis(prepared, build_hparam_key(name))
    body = Cells.blank(max(height - 2, 1), max(width - 2, 1))
    rows, columns = body.height - 2, body.width - LEFT - 3
    if rows >= 2 and columns >= 8:
        _draw_dots(body, prepared, axis, metric, rows, columns, session)
        low, high = metric.ends
        for y, text in ((1, high), (rows, low)) if low != high else (((rows + 1) // 2, low),):
            write(body, y, 0, fit(text, LEFT - 1).rjust(LEFT - 1), Ink.DIM)
        _write_values(body, axis, rows + 1, columns)
    entry = None
    if (importance := prepared.current_importance) is not None:
        entry = next((each for each in importance.hparams if each.name == name), None)
    share = labels.share_text(entry) if entry is not None and entry.has_effect else ""
    notes = [axis.scale_label]
    if share:
        notes.insert(0, f"share {share}" if width >= MIN_WORDED_CARD else share)
    note = SEPARATOR.join(filter(None, notes))
    title = f"{MARK} {axis.title}" if name in prepared.rows.chosen.pair else axis.title
    return draw_card(title, body, width, height, focused=focused, note=note)


def _write_values(body: Cells, axis: ColumnAxis, y: int, columns: int) -> None:
    """Write each value below its dots if values are at equal distances and all fit, else the least and the greatest."""
    if axis.is_even and axis.levels:
        step = columns / len(axis.levels)
        texts = [labels.format_value(value) for value, _ in axis.levels]
        if max(map(cell_width, texts)) < step:
            for index, text in enumerate(texts):
                write(body, y, LEFT + round((index + 0.5) * step - cell_width(text) / 2), text, Ink.DIM)
            return
    low, high = axis.ends
    if low == high:
        text = fit(low, columns)
        write(body, y, LEFT + (columns - cell_width(text)) // 2, text, Ink.DIM)
        return
    left, right = fit(low, columns // 2), fit(high, columns // 2)
    write(body, y, LEFT, left, Ink.DIM)
    write(body, y, LEFT + columns - cell_width(right), right, Ink.DIM)


def split_sessions(
    axis: ColumnAxis, metric: ColumnAxis, selected: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the sessions with both values, those that diverged, those without the hyperparameter, and the others.

    Each selected session is in one of them.
    """
    has_metric = metric.column.is_number
    diverged = has_metric & ~np.isfinite(metric.column.numbers)
    has_position = ~np.isnan(axis.positions)
    plain = has_metric & ~diverged & has_position
    unplaced = has_metric & ~diverged & ~has_position
    groups = plain, diverged, unplaced, ~has_metric
    parts = [np.flatnonzero(group & selected) for group in groups]
    return parts[0], parts[1], parts[2], parts[3]


def _draw_dots(
    body: Cells,
    prepared: PreparedSessions,
    axis: ColumnAxis,
    metric: ColumnAxis,
    rows: int,
    columns: int,
    session: str,
) -> None:
    selected = prepared.rows.selected
    plain, diverged, unplaced, without = split_sessions(axis, metric, selected)
    width, height = columns * DOTS_ACROSS, rows * DOTS_DOWN
    x = np.rint(np.nan_to_num(axis.positions) * (width - 1)).astype(np.intp)
    y = np.rint((1 - np.nan_to_num(metric.positions)) * (height - 1)).astype(np.intp)
    if axis.is_even and axis.levels:  # dots of one level spread sideways rather than on one line
        step = width / max(len(axis.levels), 1)
        gaps = max(len(axis.levels) - 1, 0)
        level_index = np.nan_to_num(axis.positions) * gaps if gaps else np.zeros(len(x))
        centre = np.asarray((level_index + 0.5) * step, np.float64)
        spread = (np.arange(len(x)) * 7 % 5 - 2) * min(step / 8, 3)
        x = np.clip(np.rint(centre + spread), 0, width - 1).astype(np.intp)
    dots = np.zeros((height, width), np.bool_)
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):  # one dot alone is easily missed
        dots[np.minimum(y[plain] + down, height - 1), np.minimum(x[plain] + right, width - 1)] = True
    bits = pack_braille(dots)
    has_dots = bits != 0
    area = slice(1, 1 + rows), slice(LEFT, LEFT + columns)
    body.glyphs[area][has_dots] = BRAILLE + bits[has_dots].astype(np.uint32)
    body.inks[area][has_dots] = _choose_dot_inks(prepared, metric, plain, x, y, (rows, columns))[has_dots]
    for row in diverged.tolist():
        column = columns + 1 if np.isnan(axis.positions[row]) else int(x[row]) // DOTS_ACROSS
        write(body, 0, LEFT + column, labels.DIVERGED_SIGN, Ink.BAD)
    for row in unplaced.tolist():
        write(body, 1 + int(y[row]) // DOTS_DOWN, LEFT + columns + 1, labels.MISSING_SIGN, Ink.DIM)
    if len(diverged):
        write(body, 0, 0, f"{labels.DIVERGED_SIGN} {len(diverged)}".rjust(LEFT - 1), Ink.BAD)
    if len(without):
        text = f"{labels.MISSING_SIGN} {len(without)}"
        write(body, rows + 1, 0, text.rjust(LEFT - 1), Ink.DIM)
    _draw_medians(body, axis, metric, plain, x, rows)
    cursor_row = prepared.table.row_of.get(session)
    if cursor_row is not None and cursor_row in plain:
        write(body, 1 + int(y[cursor_row]) // DOTS_DOWN, LEFT + int(x[cursor_row]) // DOTS_ACROSS, "●", Ink.ACCENT)


def _choose_dot_inks(
    prepared: PreparedSessions,
    metric: ColumnAxis,
    plain: npt.NDArray[np.intp],
    x: npt.NDArray[np.intp],
    y: npt.NDArray[np.intp],
    size: tuple[int, int],
) -> npt.NDArray[np.int16]:
    """Return the ink of each cell: plain text, or the colour of another column."""
    colour = prepared.rows.chosen.colour
    name = colour[2:]
    is_column = name in prepared.table.hparams if colour.startswith("h/") else name in prepared.rows.values
    if not colour or not is_column or colour == metric.key:
        return np.full(size, Ink.TEXT, np.int16)
    levels = colour_levels(make_axis(prepared, colour).column, len(x), best=None)[plain].astype(np.float64)
    cells = (y[plain] // DOTS_DOWN) * size[1] + x[plain] // DOTS_ACROSS
    count = size[0] * size[1]
    mean = np.bincount(cells, levels, count) / np.maximum(np.bincount(cells, minlength=count), 1)
    cell_levels = np.rint(mean).astype(np.intp).reshape(size)
    return to_heat_inks(cell_levels, np.zeros_like(cell_levels))


def group_levels(column: AttributeColumn, max_levels: int) -> Levels:
    """Return the levels of a column."""
    if column.is_numeric:
        return number_levels(np.where(column.is_number, column.rounded, np.nan), max_levels)
    return assign_word_levels(column.level_codes, max_levels)


def _draw_medians(
    body: Cells,
    axis: ColumnAxis,
    metric: ColumnAxis,
    plain: npt.NDArray[np.intp],
    x: npt.NDArray[np.intp],
    rows: int,
) -> None:
    """Draw the median of each level as a line over its values."""
    if not len(plain):
        return
    values = axis.column.part(plain)
    levels = group_levels(values, MAX_PROFILE)
    for level in range(levels.count):
        members = plain[levels.codes == level]
        if len(members):
            position = float(np.median(metric.positions[members]))
            y = 1 + min(int((1 - position) * (rows * DOTS_DOWN - 1)) // DOTS_DOWN, rows - 1)
            first, last = int(x[members].min()) // DOTS_ACROSS, int(x[members].max()) // DOTS_ACROSS
            write(body, y, LEFT + first, "━" * (last - first + 1), Ink.GOOD)


def slice_table(prepared: PreparedSessions, name: str) -> list[list[Piece]]:
    """Return the lines of the table of an opened slice: values, count, quartiles and median of each level."""
    metric = build_metric_axis(prepared)
    if metric is None:
        return []
    axis = make_axis(prepared, build_hparam_key(name))
    plain, diverged, _, _ = split_sessions(axis, metric, prepared.rows.selected)
    with_value = np.concatenate((plain, diverged))
    if not len(with_value):
        return []
    levels = group_levels(axis.column.part(with_value), MAX_PROFILE)
    lines: list[list[Piece]] = [
        [
            (f"  {shorten(axis.title, MAX_LEVEL_NAME).ljust(MAX_LEVEL_NAME)}", Ink.DIM),
            ("sessions  ✗    lower quartile    median    upper", Ink.DIM),
        ]
    ]
    for level in range(levels.count):
        members = with_value[levels.codes == level]
        if not len(members):
            continue
        values = metric.column.numbers[members]
        finite = values[np.isfinite(values)]
        level_column = axis.column.part(members)
        first = labels.format_value(level_column.value(0))
        if axis.column.is_numeric:
            first = _format_span(level_column, MAX_LEVEL_NAME) or _format_least(level_column, MAX_LEVEL_NAME) or first
        quartiles = np.quantile(finite, (0.25, 0.5, 0.75)).tolist() if len(finite) else [np.nan] * 3
        texts = "".join(
            numbers.format_number(value).rjust(column_width)
            for value, column_width in zip(quartiles, (16, 10, 9), strict=True)
        )
        diverged_count = len(values) - len(finite)
        sign = f"{labels.DIVERGED_SIGN}{diverged_count}" if diverged_count else ""
        line: list[Piece] = [
            (f"  {shorten(first, MAX_LEVEL_NAME).ljust(MAX_LEVEL_NAME)}", Ink.TEXT),
            (f"{len(members):8}", Ink.TEXT),
        ]
        lines.append([*line, (sign.rjust(4), Ink.BAD), (f" {texts}", Ink.TEXT)])
    return lines


def draw_pair(prepared: PreparedSessions, first: str, second: str, width: int, height: int) -> Cells:
    """Draw the median of the metric over two hyperparameters: the better, the brighter."""
    cells = Cells.blank(height, width)
    metric = build_metric_axis(prepared)
    if metric is None:
        return cells
    axes = [make_axis(prepared, build_hparam_key(name)) for name in (first, second)]
    selected = np.flatnonzero(prepared.rows.selected & metric.column.is_number)
    title = f"{safe(axes[0].title)} × {safe(axes[1].title)}: median of {safe(metric.title)}"
    longer = f"{title}, the brighter the better"
    write(cells, 0, 0, fit(longer if cell_width(longer) <= width else title, width), Ink.BOLD)
    if not len(selected):
        return cells
    metric_values = metric.column.numbers[selected]
    goal = metric_values if prepared.rows.best == "min" else -metric_values
    goal = np.where(np.isfinite(goal), goal, np.inf)
    down = group_levels(axes[1].column.part(selected), MAX_PAIR_LEVELS)
    names_down = _format_levels(axes[1], selected, down, MAX_PAIR_LABEL)
    left = min(max(map(cell_width, names_down), default=4), MAX_PAIR_LABEL, max(width // 3, 4)) + 1
    max_columns = min(max((width - left) // MIN_BOX, 2), MAX_PAIR_LEVELS)
    across = group_levels(axes[0].column.part(selected), max_columns)
    box_width = max((width - left) // max(across.count, 1), MIN_BOX)
    names_across = _format_levels(axes[0], selected, across, box_width - 1)
    box_height = max(min((height - 4) // max(down.count, 1), 4), 1)
    medians = np.full((down.count, across.count), np.nan)
    counts = np.zeros((down.count, across.count), np.intp)
    for y in range(down.count):
        for x in range(across.count):
            members = (down.codes == y) & (across.codes == x)
            counts[y, x] = int(members.sum())
            if counts[y, x]:
                medians[y, x] = float(np.median(goal[members]))
    order = np.unique(medians[~np.isnan(medians)])
    for y in range(down.count):
        top = 2 + (down.count - 1 - y) * box_height
        write(cells, top + box_height // 2, 0, fit(names_down[y], left - 1).rjust(left - 1), Ink.DIM)
        for x in range(across.count):
            if counts[y, x] and top + box_height <= height - 1:
                rank = float(np.searchsorted(order, medians[y, x])) / max(len(order) - 1, 1)
                _draw_box(
                    cells,
                    top,
                    left + x * box_width,
                    box_height,
                    box_width - 1,
                    rank,
                    medians[y, x],
                    int(counts[y, x]),
                    prepared,
                )
    bottom = min(2 + down.count * box_height, height - 1)
    for x, text in enumerate(names_across):
        write(cells, bottom, left + x * box_width, fit(text, box_width - 1), Ink.DIM)
    write(cells, 1, 0, fit(axes[1].title, width), Ink.DIM)
    name_across = safe(axes[0].title)
    if cell_width(name_across) < left or bottom + 1 >= height:
        write(cells, bottom, 0, fit(name_across, left - 1).rjust(left - 1), Ink.DIM)
    else:
        name_across = fit(name_across, width - left)
        middle = (across.count * box_width - cell_width(name_across)) // 2
        write(cells, bottom + 1, left + max(middle, 0), name_across, Ink.DIM)
    return cells


def _draw_box(
    cells: Cells,
    top: int,
    left: int,
    height: int,
    width: int,
    rank: float,
    median: float,
    count: int,
    prepared: PreparedSessions,
) -> None:
    level = round((1 - rank) * (HEAT_LEVELS - 14)) + 4
    over = HEAT_LEVELS - 1 if level < HEAT_LEVELS // 2 else 0
    ink = int(to_heat_inks(over, level))
    value = median if prepared.rows.best == "min" else -median
    text = labels.DIVERGED_SIGN if not np.isfinite(value) else numbers.format_brief(float(value))
    for y in range(height):
        write(cells, top + y, left, " " * width, ink)
    if cell_width(text) > width:
        text = labels.narrow_number(float(value), width)
    with_count = f"{text} ·{count}"
    write(
        cells,
        top + height // 2,
        left,
        fit(with_count if cell_width(with_count) <= width else text, width).center(width),
        ink,
    )


def _format_span(
    column: AttributeColumn, width: int, spelled: Callable[[float], str] = labels.format_value
) -> str | None:
    """Return the least and the greatest number of a level: `1e-4…3e-4`.

    Args:
        column: The values of the level.
        width: Terminal columns.
        spelled: Returns the text of a number.

    Returns:
        Empty if no value is finite; None if the text does not fit.
    """
    finite = column.numbers[np.isfinite(column.numbers)]
    if not len(finite):
        return ""
    low, high = spelled(float(finite.min())), spelled(float(finite.max()))
    text = low if low == high else f"{low}…{high}"
    return text if len(text) <= width else None


def _format_least(column: AttributeColumn, width: int) -> str:
    """Return the least number of a level in few digits; empty if no value is finite."""
    finite = column.numbers[np.isfinite(column.numbers)]
    return labels.narrow_number(float(finite.min()), width) if len(finite) else ""


def _format_levels(axis: ColumnAxis, rows: npt.NDArray[np.intp], levels: Levels, width: int) -> Sequence[str]:
    """Return the name of each level in about `width` terminal columns; longer words are cut where they are drawn.

    If the range of one level does not fit, even in two digits, all levels of numbers are named by their least one.
    """
    parts = [axis.column.part(rows[levels.codes == level]) for level in range(levels.count)]
    if not axis.column.is_numeric:
        return [_format_word(part) if len(part) else "" for part in parts]
    for spelled in (labels.format_value, _format_two_digits):
        spans = [_format_span(part, width, spelled) if len(part) else "" for part in parts]
        if None not in spans:
            break
    texts = [_format_least(part, width) for part in parts] if None in spans else spans
    return [
        text or (labels.format_value(part.value(0)) if len(part) else "")
        for text, part in zip(texts, parts, strict=True)
    ]


def _format_two_digits(value: float) -> str:
    """Return a number in two significant digits."""
    return labels.format_value(float(f"{value:.2g}"))


def _format_word(part: AttributeColumn) -> str:
    several = len(np.unique(part.level_codes)) > 1
    return "others" if several else labels.format_value(part.value(0))
