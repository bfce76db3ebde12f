"""Rows of the run list and the tag list, and the legend that replaces them in narrow terminals."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING

from tbtui.app.run_status import choose_run_label
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BASELINE_MARKER
from tbtui.charts.numbers import format_step
from tbtui.charts.series_colours import MARKERS, get_series_marker
from tbtui.charts.styled_text import Row, pieces_width
from tbtui.charts.text import ELLIPSIS, cell_width, format_run_name, safe, shorten
from tbtui.view.attributes import format_attribute
from tbtui.view.run_names import MAX_RELATED_NAMES, fit_names
from tbtui.view.run_tree import choose_run_state, list_run_nodes, list_run_rows
from tbtui.view.tag_tree import list_tag_rows
from tbtui.widgets.grid_viewport import LazyRows, fit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.app.state import AppState
    from tbtui.charts.styled_text import Piece
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.run_tree import RunNode, RunRow, RunState
    from tbtui.view.tag_tree import TagRow, TagTree
    from tbtui.widgets.pane import OutlineRow

HALVES = "◐⬖◧◭"
"""Markers of runs that are being written, one for each of `MARKERS`."""

CROSS, WARNING = "✗", "⚠"
FOLDED, UNFOLDED = "▸ ", "▾ "
MAX_INDENTED_DEPTH = 6
"""Deeper levels are not indented further, because the names need the columns."""

MIN_HEAD_COLUMNS = 6
"""Columns of an attribute with shorter values, so that its name can be read."""

BASELINE = "baseline"
"""Text at the right of the baseline, if its name leaves room."""

PREFIX_COLUMNS = 3
"""Columns of the marker of a run that is in no folder."""

MAX_ATTRIBUTE_COLUMNS = 10
"""Columns of the value of an attribute."""

MIN_NAME_COLUMNS = 10
"""A name is cut to these columns before the text of serious trouble is shortened."""

STEP_COLUMNS = 5
"""Columns of a step such as `12.5k`, which every name leaves room for."""

MAX_LEGEND_COLUMNS = 12
"""Columns of a name in the legend."""

MAX_LEGEND_NAMES = 100
"""Runs considered for the legend: no terminal can show more, and there may be thousands."""


def choose_bullet(state: RunState, ink: int) -> Piece:
    """Return the marker of a run's state, in the run's colour unless it is hidden or unreadable."""
    if state == "hidden":
        return get_series_marker(ink, hollow=True), Ink.FAINT
    if state == "unreadable":
        return CROSS, Ink.BAD
    if state == "nan":
        return CROSS, ink
    return HALVES[MARKERS.index(get_series_marker(ink))] if state == "writing" else get_series_marker(ink), ink


class RunTexts:
    """The texts at the right of runs in the list, cached while their inputs are equal.

    The labels of a folder are cut together, so that the first one needs the texts of all. Of a thousand runs few change
    at a time.
    """

    def __init__(self) -> None:
        self._cache: dict[str, tuple[tuple[object, ...], tuple[Piece, ...], int]] = {}
        self._siblings: tuple[Sequence[RunNode], Sequence[Sequence[int]]] = ((), ())

    def right(
        self,
        row: RunRow,
        state: AppState,
        available_width: int,
        name_width: int,
        columns: Sequence[tuple[str, int]],
        *,
        has_step: bool,
    ) -> tuple[tuple[Piece, ...], int]:
        """Return the texts at the right end of a row, and their columns. Arguments: as in `_build_right_pieces`."""
        run = row.node.run
        if run is None:
            pieces = _build_right_pieces(row, state, available_width, name_width, columns, has_step=has_step)
            return pieces, pieces_width(pieces)
        inputs: tuple[object, ...] = (
            state.summaries[run],
            state.conditions.of[run],
            state.load.snapshot.runs[run].vanished,
            row.state == "hidden",
            run == state.settings.baseline,
            available_width,
            name_width,
            has_step,
            *((columns, state.view.attributes, state.settings.colour_by, state.view.inks[run]) if columns else ()),
        )
        cached = self._cache.get(run)
        if cached is None or cached[0] != inputs:
            pieces = _build_right_pieces(row, state, available_width, name_width, columns, has_step=has_step)
            if run == state.settings.baseline and not columns:
                named: tuple[Piece, ...] = ((f"{BASELINE}  " if pieces else BASELINE, Ink.ACCENT), *pieces)
                if name_width + 1 + pieces_width(named) > available_width and [ink for _, ink in pieces] == [Ink.DIM]:
                    named = named[:1]  # in place of the step
                pieces = named if name_width + 1 + pieces_width(named) <= available_width else pieces
            cached = self._cache[run] = inputs, pieces, pieces_width(pieces)
        return cached[1], cached[2]

    def siblings(self, nodes: Sequence[RunNode]) -> Sequence[Sequence[int]]:
        """Return for each line the indices of the lines below the same folder."""
        if self._siblings[0] is not nodes:
            self._siblings = nodes, _group_siblings(nodes)
        return self._siblings[1]


class RunListRows(LazyRows):
    """The rows of the run list: those below one folder are made when one of them is first shown.

    Args:
        state: The app state.
        folded: Keys of the folded folders.
        width: Columns of a row; wider rows show more of a run.
        texts: Texts of earlier rows.
    """

    def __init__(self, state: AppState, folded: frozenset[str], width: int, texts: RunTexts) -> None:
        self._nodes = list_run_nodes(state.passing, folded)
        super().__init__(tuple(node.key for node in self._nodes), self._row)
        self._state, self._folded, self._width, self._texts = state, folded, width, texts
        self._rows: dict[int, Row] = {}
        self._siblings_of: dict[int, _FittedRuns] = {}

    def tree_row(self, index: int) -> RunRow:
        """Return a line of the run tree as data."""
        return self._iterate_tree_rows((index,))[0]

    def _iterate_tree_rows(self, indices: Sequence[int]) -> tuple[RunRow, ...]:
        state = self._state
        nodes = [self._nodes[index] for index in indices]
        runs, conditions = state.load.snapshot.runs, state.conditions.of
        return list_run_rows(nodes, runs, state.summaries, conditions, state.shown, self._folded)

    def _row(self, index: int) -> Row:
        """Return a row to draw."""
        if index not in self._rows:
            fitted = self._fit_labels(index)
            self._rows[index] = fitted.row(index, self.tree_row(index))
        return self._rows[index]

    def _fit_labels(self, index: int) -> _FittedRuns:
        """Return the labels of the rows below the folder of a row."""
        if index not in self._siblings_of:
            siblings = self._texts.siblings(self._nodes)[index]
            rows = self._iterate_tree_rows(siblings)
            columns = measure_attributes(self._state, self._nodes, self._width)
            fitted = _FittedRuns(siblings, rows, self._state, self._width, columns, self._texts)
            self._siblings_of.update(dict.fromkeys(siblings, fitted))
        return self._siblings_of[index]


def measure_attributes(state: AppState, nodes: Sequence[RunNode], width: int) -> tuple[tuple[str, int], ...]:
    """Return the attributes whose values the run list shows at the right, each with the columns of its values.

    Values of an attribute are aligned, so all rows show the same attributes: as many as leave columns for the names.
    """
    settings, attributes = state.settings, state.view.attributes
    names = dict.fromkeys(filter(None, (settings.colour_by, *settings.run_columns)))
    if not names or attributes is None:
        return ()
    widths = [(name, _measure_attribute(attributes, name)) for name in names if attributes.find(name) is not None]
    longest = max((cell_width(node.label) for node in nodes), default=0)
    available_width = width - PREFIX_COLUMNS - min(longest, MIN_NAME_COLUMNS) - 1
    while len(widths) > 1 and sum(each + 1 for _, each in widths) > available_width:
        del widths[-1]
    return tuple(widths)


@lru_cache(maxsize=8)
def _measure_attribute(attributes: RunAttributes, name: str) -> int:
    column = attributes.find(name)
    texts = map(format_attribute, () if column is None else column.values())
    min_width = min(cell_width(safe(name)), MIN_HEAD_COLUMNS)
    return min(max([min_width, *map(cell_width, texts)]), MAX_ATTRIBUTE_COLUMNS)


def format_attribute_head(columns: Sequence[tuple[str, int]], left_out: int = 0) -> str:
    """Return the names of the attributes, each above the right end of its values.

    Args:
        columns: Attributes and the columns of their values.
        left_out: Number of chosen attributes that do not fit.
    """
    names = (shorten(name, max(width, 1)) for name, width in columns)
    padded = (" " * (width - cell_width(name)) + name for name, (_, width) in zip(names, columns, strict=True))
    return (f"⋯{left_out} " if left_out else "") + " ".join(padded).lstrip()


def _group_siblings(nodes: Sequence[RunNode]) -> Sequence[Sequence[int]]:
    """Return for each line the indices of the lines below the same folder."""
    groups: list[list[int]] = []
    open_groups: list[list[int]] = []
    for index, node in enumerate(nodes):
        del open_groups[node.depth + 1 :]
        if node.depth == len(open_groups):
            open_groups.append([])
        open_groups[node.depth].append(index)
        groups.append(open_groups[-1])
    return groups


class _FittedRuns:
    """Labels and right ends of the rows below one folder; labels stay distinct.

    The common part that all labels omit does not depend on the texts at the right: a long text shortens only the label
    of its own row.
    """

    def __init__(
        self,
        indices: Sequence[int],
        siblings: Sequence[RunRow],
        state: AppState,
        width: int,
        columns: Sequence[tuple[str, int]],
        texts: RunTexts,
    ) -> None:
        labels = tuple(row.node.label for row in siblings)
        available_width = width - pieces_width(_build_prefix(siblings[0], state)) - 1
        usual_width = max(available_width - STEP_COLUMNS, 0)
        names = fit_names(labels, usual_width)
        has_step = True
        # Steps are shown elsewhere too; names may take their columns.
        if not columns and len(labels) <= MAX_RELATED_NAMES and _count_cut(names):
            wider_names = fit_names(labels, available_width)
            if _should_drop_steps(_count_cut(names), _count_cut(wider_names), len(names)):
                has_step, usual_width, names = False, available_width, wider_names
        rights = [
            texts.right(row, state, available_width, cell_width(name), columns, has_step=has_step)
            for row, name in zip(siblings, names, strict=True)
        ]
        remaining_widths = [max(available_width - width, 0) for _, width in rights]
        # The number of digits of a step must not make a name differ from its neighbours.
        shared_width = max(usual_width, min(remaining_widths))
        name_widths = tuple(min(shared_width, remaining) for remaining in remaining_widths)
        fitted = fit_names(labels, usual_width, name_widths)
        self._state = state
        self._parts = {index: (name, right) for index, name, (right, _) in zip(indices, fitted, rights, strict=True)}

    def row(self, index: int, row: RunRow) -> Row:
        """Return a row to draw."""
        name, right = self._parts[index]
        node = row.node
        prefix, ink = _build_prefix(row, self._state), _choose_label_ink(row, self._state)
        return Row(node.key, prefix, name, ink, _measure_shared_prefix(name, node), right)


def _count_cut(names: Sequence[str]) -> int:
    return sum(1 for name in names if ELLIPSIS in name)


def _should_drop_steps(cut_beside_steps: int, cut_alone: int, count: int) -> bool:
    """Return True if names fit without the steps, or if most are cut beside them and at most half as many are alone."""
    return not cut_alone or (2 * cut_beside_steps > count and 2 * cut_alone <= cut_beside_steps)


def _measure_shared_prefix(name: str, node: RunNode) -> int:
    """Return the number of leading characters of a shown label that its neighbours share."""
    visible_count = sum(takewhile(bool, map(eq, name, safe(node.label))))
    # After a cut the rest can begin like the part left out: `20_a` remains of `2026-20_a`.
    return (
        min(node.common, visible_count)
        if visible_count >= node.common or name[visible_count : visible_count + 1] == ELLIPSIS
        else 0
    )


def _build_prefix(row: RunRow, state: AppState) -> tuple[Piece, ...]:
    """Return the indented marker of a folder or a run; that of the baseline is in front of the marker."""
    indent = " " * (1 + 2 * min(row.node.depth, MAX_INDENTED_DEPTH)), Ink.NONE
    if row.node.run is None:
        return indent, (FOLDED if row.folded else UNFOLDED, Ink.DIM)
    if row.node.run == state.settings.baseline:
        indent = indent[0][:-1] + BASELINE_MARKER, Ink.ACCENT
    sign, ink = choose_bullet(row.state, state.view.inks[row.node.run])
    fold_sign = _choose_fold_sign(row.node.run, state)
    return (indent, (f"{sign} ", ink)) if fold_sign is None else (indent, (sign, ink), (fold_sign, Ink.FAINT))


def _choose_fold_sign(run: str, state: AppState) -> str | None:
    """Return the sign of a run that has runs of hyperparameters; None for others."""
    if state.load.snapshot.runs[run].folded:
        return FOLDED[:1]
    return UNFOLDED[:1] if run in state.settings.unfolded_runs else None


def _choose_label_ink(row: RunRow, state: AppState) -> int:
    vanished = row.node.run is not None and state.load.snapshot.runs[row.node.run].vanished
    return Ink.DIM if row.state == "hidden" or vanished else Ink.TEXT


def _build_right_pieces(
    row: RunRow,
    state: AppState,
    available_width: int,
    name_width: int,
    columns: Sequence[tuple[str, int]],
    *,
    has_step: bool = True,
) -> tuple[Piece, ...]:
    """Return the texts at the right end: the last step of a run, and its status if it fits or is serious.

    Args:
        row: The run or the folder.
        state: The app state.
        available_width: Columns for the name and these texts.
        name_width: Columns of the name.
        columns: Attributes to show in place of the last step, and the columns of their values.
        has_step: Show the last step; if False, only where it does not shorten the name.
    """
    if row.node.run is None:
        count = len(row.node.runs)
        return ((f"{count}" if row.switch == "on" else f"{row.drawn_count}/{count}", Ink.DIM),)
    run = state.load.snapshot.runs[row.node.path]
    summary = state.summaries[run.name]
    if run.vanished:
        return (("gone", Ink.DIM),)
    last: tuple[Piece, ...] = () if summary.last_step is None else ((format_step(summary.last_step), Ink.DIM),)
    if not has_step and name_width + pieces_width(last) > available_width:
        last = ()
    last = _build_attribute_pieces(run.name, state, columns) or last
    label = None if row.state == "hidden" else choose_run_label(summary, state.conditions.of[run.name])
    if label is None:
        return last
    label_and_step = ((f"{label.text}  ", label.ink), *last)
    if name_width + pieces_width(label_and_step) <= available_width:
        return label_and_step
    if not label.brief:
        return last
    alone, brief = ((label.text, label.ink),), ((label.brief, label.ink),)
    if label.ink == Ink.BAD:
        return alone if min(name_width, MIN_NAME_COLUMNS) + pieces_width(alone) <= available_width else brief
    # Names must stay distinct, so a stall gets at most its one-character sign.
    fitting = (pieces for pieces in (alone, brief) if name_width + pieces_width(pieces) <= available_width)
    return next(fitting, ((label.sign, label.ink),))


def _build_attribute_pieces(run: str, state: AppState, columns: Sequence[tuple[str, int]]) -> tuple[Piece, ...]:
    """Return the values of the attributes that the run list shows in place of the last step."""
    attributes = state.view.attributes
    row = None if attributes is None else attributes.row_of_run.get(run)
    if attributes is None or row is None:
        return ()
    pieces: list[Piece] = []
    for name, width in columns:
        column = attributes.find(name)
        if column is not None:
            ink = state.view.inks[run] if name == state.settings.colour_by else int(Ink.DIM)
            text = shorten(format_attribute(column.value(row)), width)
            before = " " * (width - cell_width(text) + bool(pieces))
            pieces += [(before, Ink.NONE)] * bool(before) + [(text, ink)]
    return tuple(pieces)


@lru_cache(maxsize=4)
def build_tag_rows(tags: frozenset[str], folded: frozenset[str], width: int) -> tuple[LazyRows, TagTree]:
    """Return the rows of the tag list, as drawn and as data; labels within one group stay distinct.

    Args:
        tags: The tags that pass the filter.
        folded: The folded groups.
        width: Columns of a row.
    """
    tree = list_tag_rows(tags, folded)
    return LazyRows(tree.keys, _FittedTags(tree, width).row), tree


class _FittedTags:
    """Fits the rows of a group of tags when one of them is first shown, as a log may have ten thousand tags."""

    def __init__(self, tree: TagTree, width: int) -> None:
        self._tree, self._width = tree, width
        self._rows: dict[int, Row] = {}
        self._fit: dict[int, bool] = {}
        """For each group, by its first row: True if all rows fit."""

    def row(self, index: int) -> Row:
        """Return a row to draw."""
        if index not in self._rows:
            siblings = self._tree.list_siblings(index)
            if self._all_fit(siblings):
                self._rows[index] = _build_tag_row(self._tree[index])
            else:
                rows = [_build_tag_row(self._tree[each]) for each in siblings]
                self._rows.update(zip(siblings, _fit_marked(rows, self._width), strict=True))
        return self._rows[index]

    def _all_fit(self, siblings: Sequence[int]) -> bool:
        """Return True if no row of a group is too long: the rows then do not depend on each other."""
        if siblings[0] not in self._fit:
            last = _build_tag_row(self._tree[siblings[-1]])
            count = (f"{len(self._tree)}", Ink.DIM)  # no group has more
            other_columns = pieces_width((*last.prefix, (FOLDED, Ink.DIM), count)) + 1
            labels = map(self._tree.label_of, siblings)
            self._fit[siblings[0]] = self._width - other_columns >= max(
                cell_width(safe(format_run_name(each))) for each in labels
            )
        return self._fit[siblings[0]]


@lru_cache(maxsize=4)
def build_outline_rows(rows: tuple[OutlineRow, ...], width: int) -> tuple[Row, ...]:
    """Return the rows of an outline as drawn; labels within one group stay distinct.

    Args:
        rows: Groups, each before its items.
        width: Columns of a row.
    """
    outline: list[Row] = []
    members: list[Row] = []
    for row in (*rows, None):
        if row is not None and not row.is_group:
            problem: tuple[Piece, ...] = ((WARNING, Ink.WARN),) if row.has_problem else ()
            members.append(Row(row.key, (("   ", Ink.NONE),), format_run_name(row.label), right=problem))
            continue
        outline += _fit_marked(members, width)
        members = []
        if row is not None:
            sign = f"{' '}{FOLDED if row.folded else UNFOLDED}"
            outline.append(
                Row(row.key, ((sign, Ink.DIM),), format_run_name(row.label), right=((f"{row.count}", Ink.DIM),))
            )
    return tuple(outline)


def _fit_marked(rows: Sequence[Row], width: int) -> Sequence[Row]:
    """Return the rows of one group; a shortened name shows that it is, since the cards show the full one."""
    return fit_rows(rows, width, marks_cuts=True)


def _build_tag_row(row: TagRow) -> Row:
    indent = (" " * (1 + 2 * row.depth), Ink.NONE)
    if row.tag is not None:
        return Row(row.key, (indent,), format_run_name(row.label))
    mark = (FOLDED if row.folded else UNFOLDED, Ink.DIM)
    return Row(row.key, (indent, mark), format_run_name(row.label), right=((f"{row.count}", Ink.DIM),))


# Legend


def shorten_names(names: Sequence[str]) -> list[str]:
    """Return the shortest distinct names: as many trailing parts between `/` as needed."""
    parts = [name.split("/") for name in names]
    part_counts = [1] * len(names)
    while True:
        short = ["/".join(part[-count:]) for part, count in zip(parts, part_counts, strict=True)]
        occurrences = Counter(short)
        ambiguous = [i for i, name in enumerate(short) if occurrences[name] > 1 and part_counts[i] < len(parts[i])]
        if not ambiguous:
            return short
        for index in ambiguous:
            part_counts[index] += 1


def build_legend(state: AppState, width: int) -> tuple[Piece, ...]:
    """Return the legend: as many of the drawn runs as fit, and the number of the others, `● s0 ● s1 ‖ ✗ div ⋯2`.

    Args:
        state: The app state.
        width: Terminal columns.
    """
    view = state.view
    # In the order of their inks: runs that received the last colours come last.
    runs = sorted(view.runs, key=lambda run: view.inks[run.name])[:MAX_LEGEND_NAMES]
    names: Sequence[str] = shorten_names([format_run_name(run.name) for run in runs])
    if any(cell_width(safe(name)) > MAX_LEGEND_COLUMNS for name in names):
        names = fit_names(tuple(run.name for run in runs), MAX_LEGEND_COLUMNS)
    pieces: list[Piece] = []
    for index, (run, name) in enumerate(zip(runs, names, strict=True)):
        summary, condition = state.summaries[run.name], state.conditions.of[run.name]
        sign = choose_bullet(choose_run_state(run, summary, condition, shown=True), view.inks[run.name])
        entry: list[Piece] = [(" ", Ink.NONE), sign, (f" {shorten(name, MAX_LEGEND_COLUMNS)}", Ink.TEXT)]
        label = None if run.vanished else choose_run_label(summary, condition)
        if label is not None and label.sign:
            entry.append((f" {label.sign}", label.ink))
        left = len(view.runs) - index - 1
        if pieces_width((*pieces, *entry, *_count_others(left))) > width:
            return (*pieces, *_count_others(left + 1))
        pieces += entry
    return tuple(pieces)


def _count_others(count: int) -> tuple[Piece, ...]:
    return ((f" ⋯{count}", Ink.DIM),) if count else ()
