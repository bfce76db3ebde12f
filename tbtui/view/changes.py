"""What keys change in any pane of charts: each a function of the choices as they are when it is applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.settings.settings import MOST_COLUMNS, NO_STEPS, OUTLIERS, ROW_ORDERS, SCALES, WHOLE, all_charts, following
from tbtui.settings.zoom import focus_moved
from tbtui.view.view import drawn_runs, passing_runs, solo_runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tbtui.charts.axis import Scale
    from tbtui.settings.settings import Choices, XAxis

Switch: TypeAlias = Literal["off", "solo", "baseline"]
"""What may be asked of the selected run: to be switched off, drawn alone, compared with."""


# Scales and looks


def next_y_scale(choices: Choices, key: str) -> Choices:
    """Another y scale for one chart."""
    scale = following(SCALES, choices.y_scale_of(key))
    return replace(choices, charts=choices.with_chart(key, y_scale=None if scale == choices.y_scale else scale))


def on_y_scale(choices: Choices, scale: Scale) -> Choices:
    """The choices with one y scale for every chart, also for those that had another."""
    return replace(choices, y_scale=scale, charts=all_charts(choices, y_scale=None))


def on_x_axis(choices: Choices, axis: XAxis) -> Choices:
    """The choices on another x axis: whatever was set in the units of the former one is given up."""
    charts = all_charts(choices, x_range=WHOLE)
    return replace(choices, x_axis=axis, x_range=WHOLE, charts=charts, cursor=None, mark=None, image_steps=NO_STEPS)


def next_x_scale(choices: Choices) -> Choices:
    """Another x scale for all charts."""
    return replace(choices, x_scale=following(SCALES, choices.x_scale))


def next_row_order(choices: Choices) -> Choices:
    """Another order of a table's rows."""
    return replace(choices, row_order=following(ROW_ORDERS, choices.row_order))


def next_outliers(choices: Choices) -> Choices:
    """Another rule for values far out."""
    return replace(choices, outliers=following(OUTLIERS, choices.outliers))


def superseded_switched(choices: Choices) -> Choices:
    """Draw superseded points, or no longer."""
    return replace(choices, superseded=not choices.superseded)


# Cards


def together_switched(choices: Choices) -> Choices:
    """Have a card for each run, or one for all of them."""
    return replace(choices, runs_together=not choices.runs_together)


def overview_switched(choices: Choices) -> Choices:
    """See many small cards at a glance, or fewer that are good to read."""
    return replace(choices, overview=not choices.overview)


def columns_changed(choices: Choices, shown: int, count: int, more: int) -> Choices:
    """Have so many more cards a row, or fewer.

    Args:
        choices: As they are by now.
        shown: Cards a row where none are chosen.
        count: How many cards there are; no row has more.
        more: By how many.
    """
    columns = min(choices.columns or shown, max(count, 1))
    return replace(choices, columns=max(1, min(columns + more, MOST_COLUMNS)))


def pinned_switched(choices: Choices, key: str) -> Choices:
    """Have a card stand before all others, or no longer."""
    if key in choices.pinned:
        return replace(choices, pinned=tuple(pinned for pinned in choices.pinned if pinned != key))
    return replace(choices, pinned=(*choices.pinned, key))


# Runs


def run_switched(
    choices: Choices, what: Switch, rows: Sequence[str], groups: Mapping[str, Collection[str]], known: Collection[str]
) -> Choices:
    """Switch the selected run of a table off, draw it alone, or compare others with it; the latter two also undo it.

    Where none is selected the first one is, so that it can be seen what the key is about.

    Args:
        choices: As they are by now.
        what: What is asked for.
        rows: The run, or group of runs, of each row.
        groups: The runs of each group.
        known: All runs.
    """
    row = choices.focus
    if row is None or row not in rows:
        return focus_moved(choices, rows, 1)
    if what == "baseline":
        return replace(choices, baseline=None if choices.baseline == row else row)
    runs = frozenset(groups.get(row, (row,)))
    if what == "off":
        return _neighbour_selected(_off(choices, runs, known), row, rows)
    return _alone(choices, row, runs, known)


def _off(choices: Choices, runs: frozenset[str], known: Collection[str]) -> Choices:
    hidden = choices.hidden_runs
    passing = passing_runs(known, choices)
    if solo_runs(passing, choices):  # the runs beside it stay as they are seen: off
        hidden = frozenset(known).difference(drawn_runs(passing, choices))
    return replace(choices, hidden_runs=hidden | runs, solo=None)


def _alone(choices: Choices, row: str, runs: frozenset[str], known: Collection[str]) -> Choices:
    passing = passing_runs(known, choices)
    for solo in (row, f"{row}/"):
        if frozenset(solo_runs(passing, replace(choices, solo=solo))) == runs:
            return replace(choices, solo=None if choices.solo == solo else solo)
    # Runs that only a pattern puts together are drawn alone by switching the others off.
    others = frozenset(passing) - runs
    hidden = choices.hidden_runs
    return replace(choices, solo=None, hidden_runs=hidden - others if others <= hidden else hidden | others)


def _neighbour_selected(choices: Choices, row: str, rows: Sequence[str]) -> Choices:
    """The row that takes the place of one that goes is selected, so that the same key goes on with it."""
    known = list(dict.fromkeys(rows))
    place = known.index(row)
    left = known[place + 1 :] or known[:place][-1:]
    return replace(choices, focus=left[0] if left else None)
