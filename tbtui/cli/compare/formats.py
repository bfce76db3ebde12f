"""Convert a comparison to columns of texts, shared by plain text and Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from tbtui.charts.line_chart import BEST_SIGN
from tbtui.charts.number_columns import format_column
from tbtui.charts.numbers import format_count
from tbtui.charts.text import align_numbers, cell_width, format_run_name, safe, shorten
from tbtui.cli.inspect.json_text import plain
from tbtui.export.formats import to_json_number
from tbtui.frozen import frozen
from tbtui.plugins.comparison.columns import count_leading_metrics
from tbtui.plugins.comparison.comparison import MISSING_SIGN, format_column_values
from tbtui.plugins.hparams.table import are_alike, format_hparams
from tbtui.report.markdown import escape_markdown, format_markdown_table
from tbtui.report.tables import BETWEEN, GAP, pack_columns, pad_cell, sum_widths, wrap_list
from tbtui.view.run_names import fit_names as run_names_told_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tbtui.plugins.comparison.compared_runs import ComparedTag, Comparison, Entry
    from tbtui.plugins.comparison.comparison import Point
    from tbtui.plugins.hparams.decode import HParamValue


DELTA = "Δ"
AT = "step"


@frozen
class GridColumn:
    """One column: its title and its cells from top to bottom."""

    title: str
    """Safe for a terminal, uncut."""

    cells: tuple[str, ...]
    """Safe for a terminal, uncut; `–` marks a missing value."""

    best: tuple[bool, ...] = ()
    """True for cells with the best value; empty in a column without a best value."""

    follows: bool = False
    """Keep the column beside the one before it, which it belongs to."""

    numeric: bool = True


def build_columns(comparison: Comparison) -> list[GridColumn]:
    """Return the columns after the run names: leading metrics, differing hyperparameters, last steps, other tags.

    A single tag has all its values; each of several tags has the compared value only.
    """
    leading = count_leading_metrics([tag.best for tag in comparison.tags])
    columns = [
        _build_hparam_column(comparison, name) for name in comparison.differing if not _is_shared(comparison, name)
    ]
    ends = _build_ends(comparison)
    if len(set(ends.values())) > 1:
        texts = {run: _format_position(comparison, run, step) for run, step in ends.items()}
        columns.append(GridColumn(_format_position_title(comparison), _cells(comparison, texts)))
    by_tag = [
        _build_all_figures(comparison, tag) if len(comparison.tags) == 1 else _build_metric_columns(comparison, tag)
        for tag in comparison.tags
    ]
    return [*chain.from_iterable(by_tag[:leading]), *columns, *chain.from_iterable(by_tag[leading:])]


def _build_hparam_column(comparison: Comparison, name: str) -> GridColumn:
    values = [comparison.sessions[run].values.get(name) for run in comparison.runs]
    cells = tuple(format_hparams(values, MISSING_SIGN))
    numeric = all(value is None or isinstance(value, float) for value in values)
    return GridColumn(safe(format_run_name(name)), cells, numeric=numeric)


def _is_shared(comparison: Comparison, name: str) -> bool:
    """Return True if a hyperparameter differs between runs only by rounding errors."""
    return are_alike([comparison.sessions[run].values.get(name) for run in comparison.runs])


def _build_ends(comparison: Comparison) -> Mapping[str, int]:
    """Return the last step of each run when several tags show last values, which have no step columns.

    The last values of a run that stopped early, or has just begun, are misleading without it.
    """
    if comparison.figure != "last" or len(comparison.tags) == 1:
        return {}
    steps: dict[str, int] = {}
    for tag in comparison.tags:
        for run, entry in tag.entries.items():
            steps[run] = max(entry.compared.step, steps.get(run, entry.compared.step))
    return steps


def _build_metric_columns(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    title = safe(format_run_name(tag.tag))
    texts = _format_jointly(tag, {"": lambda entry: entry.compared})
    columns = [_values(comparison, tag, title, texts[""])]
    if comparison.figure != "last":
        columns.append(_steps(comparison, tag, lambda entry: entry.compared))
    return columns + _build_deltas(comparison, tag)


def _build_all_figures(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    figure = (tag.best or "last") if comparison.figure == "best" else comparison.figure
    points: Mapping[str, Callable[[Entry], Point | None]] = {
        "last": lambda entry: entry.points.last if entry.points else entry.compared,
        "min": lambda entry: entry.points.least if entry.points else None,
        "max": lambda entry: entry.points.greatest if entry.points else None,
    }
    texts = _format_jointly(tag, points)
    columns: list[GridColumn] = []
    for name, point in points.items():
        column = _values(comparison, tag, name, texts[name], marked=name == figure)
        columns += [column, _steps(comparison, tag, point)]
        if name == figure:
            columns += _build_deltas(comparison, tag)
    return columns


def _format_jointly(
    tag: ComparedTag, points: Mapping[str, Callable[[Entry], Point | None]]
) -> dict[str, dict[str, str]]:
    """Return texts of several numbers of a tag by run; different values have different texts, also across columns."""
    values = {
        (name, run): reading.value
        for name, point in points.items()
        for run, entry in tag.entries.items()
        if (reading := point(entry)) is not None
    }
    texts: dict[str, dict[str, str]] = {name: {} for name in points}
    for (name, run), text in zip(values, format_column_values([*values.values()]), strict=True):
        texts[name][run] = text
    return texts


def _values(
    comparison: Comparison, tag: ComparedTag, title: str, texts: Mapping[str, str], *, marked: bool = True
) -> GridColumn:
    best = tuple(run in tag.entries and tag.entries[run].is_best for run in comparison.runs) if marked else ()
    return GridColumn(title, _cells(comparison, texts), best if any(best) else ())


def _steps(comparison: Comparison, tag: ComparedTag, point: Callable[[Entry], Point | None]) -> GridColumn:
    texts = {
        run: _format_position(comparison, run, reading.step)
        for run, entry in tag.entries.items()
        if (reading := point(entry)) is not None
    }
    return GridColumn(_format_position_title(comparison), _cells(comparison, texts), follows=True)


def _format_position_title(comparison: Comparison) -> str:
    return safe(format_run_name(comparison.x_tag)) if comparison.x_tag else AT


def _format_position(comparison: Comparison, run: str, step: int) -> str:
    """Return the step of a point, or the value of the x tag there."""
    if not comparison.x_tag:
        return f"{step}"
    x = comparison.x_of(run, step)
    return MISSING_SIGN if x is None else f"{x:g}"


def _build_deltas(comparison: Comparison, tag: ComparedTag) -> list[GridColumn]:
    """Return the column of differences to the baseline, formatted as in the Compare tab; empty without a baseline."""
    if comparison.baseline is None:
        return []
    deltas = {run: entry.delta for run, entry in tag.entries.items() if entry.delta is not None}
    texts = dict(zip(deltas, format_column([*deltas.values()], with_signs=True), strict=True))
    return [GridColumn(DELTA, _cells(comparison, texts), follows=True)]


def _cells(comparison: Comparison, texts: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(texts.get(run, MISSING_SIGN) for run in comparison.runs)


def format_heading(comparison: Comparison) -> str:
    """Return the summary: `7 runs, 9 tags: best values, ★ the best of a column, Δ to adam/seed0, sorted by loss`."""
    runs, tags = len(comparison.runs), len(comparison.tags)
    subject = safe(format_run_name(comparison.tags[0].tag)) if tags == 1 else f"{tags:,} tags"
    parts = [format_count(runs, "run"), subject]
    ends = {_format_position(comparison, run, step) for run, step in _build_ends(comparison).items()}
    position_text = f" at {_format_position_title(comparison)} {ends.pop()}" if len(ends) == 1 else ""
    notes = [f"{_FIGURES[comparison.figure]} values{position_text}"]
    if any(entry.is_best for tag in comparison.tags for entry in tag.entries.values()):
        notes.append(f"{BEST_SIGN} the best of a column")
    if comparison.baseline is not None:
        notes.append(f"{DELTA} to {safe(format_run_name(comparison.baseline))}")
    if comparison.order is not None:
        way = "greatest" if comparison.order.descending else "least"
        notes.append(f"sorted by {safe(format_run_name(comparison.order.name))}, {way} first")
    return f"{', '.join(parts)}: {', '.join(notes)}"


_FIGURES = {"last": "last", "best": "best", "min": "least", "max": "greatest"}


def format_constants(comparison: Comparison) -> str:
    """Return the line of hyperparameters that are equal in all runs; empty without any."""
    texts = {safe(format_run_name(name)): format_hparams([value])[0] for name, value in comparison.constant.items()}
    for name in comparison.differing:
        if _is_shared(comparison, name):
            column = _build_hparam_column(comparison, name)
            texts[column.title] = column.cells[0]
    values = ", ".join(f"{title}={text}" for title, text in texts.items())
    return f"the same in all: {values}" if values else ""


def list_notes(comparison: Comparison) -> Sequence[str]:
    """Return notes on columns and runs that the table leaves out."""
    lines = [f"{format_count(comparison.others, 'more run')}: --limit shows more of them"] if comparison.others else []
    if count := comparison.superseded:
        lines.append(f"{format_count(count, 'superseded value')} left out (--superseded)")
    return lines


# Render a comparison as strict JSON: one object whose keys scripts rely on. Numbers read back to the same float64.


def encode_json(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield the text of the object, one run at a time.

    Args:
        comparison: The comparison, with all points.
        label: The paths as the user gave them.
    """
    order = comparison.order
    head = {
        "logdir": label,
        "figure": comparison.figure,
        "baseline": comparison.baseline,
        "sort": None if order is None else {"by": order.name, "of": order.of, "descending": order.descending},
        "left_out": comparison.others,
        "hparams": {"same": _encode_values(comparison.constant), "differ": list(comparison.differing)},
        "tags": {
            tag.tag: {"best": tag.best, "best_runs": [run for run, entry in tag.entries.items() if entry.is_best]}
            for tag in comparison.tags
        },
    }
    yield json.dumps(head, allow_nan=False)[:-1] + ', "runs": ['
    for number, run in enumerate(comparison.runs):
        session = comparison.sessions[run]
        row = {
            "run": run,
            "hparams": _encode_values(session.values),
            "hparams_from": session.source,
            "tags": {tag.tag: _encode_entry(comparison, run, tag) for tag in comparison.tags if run in tag.entries},
        }
        yield (", " if number else "") + json.dumps(row, allow_nan=False)
    yield "]}\n"


def _encode_entry(comparison: Comparison, run: str, tag: ComparedTag) -> dict[str, Any]:
    entry = tag.entries[run]
    points = entry.points
    values = {"value": to_json_number(entry.compared.value), "step": entry.compared.step}
    if comparison.x_tag:
        values["x"] = to_json_number(comparison.x_of(run, entry.compared.step))
    if points is not None:
        for name, point in (("last", points.last), ("min", points.least), ("max", points.greatest)):
            values |= _point(name, point)
    return values | {"delta": to_json_number(entry.delta), "is_best": entry.is_best, "superseded": entry.superseded}


def _point(name: str, point: Point | None) -> dict[str, Any]:
    return {
        name: None if point is None else to_json_number(point.value),
        f"{name}_step": None if point is None else point.step,
    }


def _encode_values(values: Mapping[str, HParamValue]) -> dict[str, Any]:
    return {name: plain(value) for name, value in values.items()}


# Render a comparison as a Markdown table, for reports and issues.


def format_markdown(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield the lines of a comparison: a sentence, and the table with the best value of each column in bold.

    Args:
        comparison: The comparison.
        label: The paths as the user gave them, safe for a terminal.
    """
    heading = format_heading(comparison).replace("★ the best", "bold the best")
    yield f"{escape_markdown(label)}: {escape_markdown(heading)}"
    if constant := format_constants(comparison):
        yield ""
        yield escape_markdown(constant)
    columns = build_columns(comparison)
    rows = [
        [safe(format_run_name(run)), *(column.cells[number] for column in columns)]
        for number, run in enumerate(comparison.runs)
    ]
    bold = [
        [False, *(bool(column.best) and column.best[number] for column in columns)]
        for number in range(len(comparison.runs))
    ]
    titles = ["run", *(column.title for column in columns)]
    yield ""
    is_left_aligned = [True, *(not column.numeric for column in columns)]
    yield from format_markdown_table(titles, is_left_aligned, rows, bold, is_compact=True)
    for note in list_notes(comparison):
        yield ""
        yield escape_markdown(note)


# Render a comparison as plain text: columns that fit side by side, the others in blocks below.


MAX_TITLE = 12
"""Columns of a title before it is broken at its slashes, dots and underscores."""

MAX_VALUE = 40
"""Columns of a hyperparameter value before its middle is cut."""

MIN_NAME = 12
MAX_TAGS = 40
"""Maximum number of tags with a column; the first ones have one."""

_PARTS = re.compile(r"[^/._\- ]*[/._\- ]?")


def format_text(comparison: Comparison, label: str, width: int) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        comparison: The comparison.
        label: The paths as the user gave them, safe for a terminal.
        width: Columns of the output.
    """
    tags = [tag for tag in comparison.tags if not tag.entries.keys().isdisjoint(comparison.runs)]
    left_out = len(comparison.tags) - len(tags)
    comparison = replace(comparison, tags=tuple(tags))
    yield from wrap_list(f"{label}: {format_heading(comparison)}", width, "  ")
    if constant := format_constants(comparison):
        yield from wrap_list(constant, width, "  ")
    usual = tuple(tag for tag in comparison.tags if tag.tag not in comparison.sparse)
    shown = replace(comparison, tags=usual[:MAX_TAGS])
    columns = [_SizedColumn(column) for column in build_columns(shown)]
    widest = max((cell_width(name) for name in comparison.runs), default=0)
    room = max(min(MIN_NAME, width // 3), min(widest, width // 2))
    names = run_names_told_apart(comparison.runs, max(room, len("run")))
    room = max(map(cell_width, (*names, "run")))
    note_lines = [*list_notes(comparison)]
    blocks = list(_split_blocks(columns, width - room))
    for block in blocks:
        yield ""
        yield from _format_block(names, block, room)
    if any(len(_select_rows(block)) < len(names) for block in blocks):
        note_lines.append("a run without a value in a block has no row there")
    if left_out:
        note_lines.append(f"{format_count(left_out, 'more tag')}, without a value in these runs")
    if others := len(comparison.tags) - len(shown.tags):
        note_lines.append(f"{format_count(others, 'more tag')}: --tags REGEX chooses, --markdown and --json have all")
    if note_lines:
        yield ""
        for note in note_lines:
            yield from wrap_list(note, width, "  ")


class _SizedColumn:
    """A column with its final texts and width."""

    def __init__(self, column: GridColumn) -> None:
        self.follows = column.follows
        self.numeric = column.numeric
        self.filled_rows = frozenset(number for number, cell in enumerate(column.cells) if cell != MISSING_SIGN)
        cells = [shorten(cell, MAX_VALUE) for cell in column.cells]
        texts = align_numbers(cells) if column.numeric else tuple(cells)
        if column.best:
            texts = tuple(f"{BEST_SIGN if best else ' '} {text}" for best, text in zip(column.best, texts, strict=True))
        self.texts = texts
        self.title = _break_title(column.title, max([MAX_TITLE, *map(cell_width, texts)]))
        self.width = max(map(cell_width, (*self.title, *texts)), default=0)

    def pad(self, text: str) -> str:
        return pad_cell(text, self.width, left=not self.numeric)


def _break_title(title: str, width: int) -> list[str]:
    """Return a title broken into lines; a part longer than a line is not broken."""
    if cell_width(title) <= width:
        return [title]
    lines = [""]
    for part in _PARTS.findall(title):
        if lines[-1] and cell_width(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _split_blocks(columns: Sequence[_SizedColumn], width: int) -> Iterator[list[_SizedColumn]]:
    """Yield the columns that fit side by side; a column and those that follow it are never separated."""
    groups: list[list[_SizedColumn]] = []
    for column in columns:
        if column.follows and groups:
            groups[-1].append(column)
        else:
            groups.append([column])
    widths = [sum_widths([column.width for column in group]) - GAP for group in groups]
    for part in pack_columns(widths, width):
        if part:
            yield [column for group in groups[part.start : part.stop] for column in group]


def _format_block(names: Sequence[str], block: Sequence[_SizedColumn], room: int) -> Iterator[str]:
    height = max(len(column.title) for column in block)
    for row in range(height):
        titles = [
            column.pad(column.title[title_row] if (title_row := row - height + len(column.title)) >= 0 else "")
            for column in block
        ]
        yield BETWEEN.join([("run" if row == height - 1 else "").ljust(room), *titles]).rstrip()
    for number in _select_rows(block):
        name = names[number]
        cells = [column.pad(column.texts[number]) for column in block]
        yield BETWEEN.join([pad_cell(name, room, left=True), *cells]).rstrip()


def _select_rows(block: Sequence[_SizedColumn]) -> list[int]:
    """Return the indices of the runs that have a value in a block."""
    return sorted(frozenset().union(*(column.filled_rows for column in block)))
