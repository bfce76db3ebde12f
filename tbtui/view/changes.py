"""Changes of the settings by keys in any pane of charts: functions of the present settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.settings.settings import (
    FULL_RANGE,
    MAX_CARD_COLUMNS,
    NO_IMAGE_STEPS,
    OUTLIERS,
    ROW_ORDERS,
    SCALES,
    next_in_cycle,
    replace_in_all_charts,
)
from tbtui.settings.zoom import move_focus
from tbtui.view.view import drawn_runs, filter_runs, solo_runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tbtui.charts.axis import Scale
    from tbtui.settings.settings import Settings, XAxis

RunSwitch: TypeAlias = Literal["off", "solo", "baseline"]
"""Action on the selected run: hide it, show it alone, use it as the baseline."""


def next_y_scale(choices: Settings, key: str) -> Settings:
    """Switch one chart to the next y scale."""
    scale = next_in_cycle(SCALES, choices.y_scale_of(key))
    return replace(choices, charts=choices.with_chart(key, y_scale=None if scale == choices.y_scale else scale))


def with_y_scale(choices: Settings, scale: Scale) -> Settings:
    """Return the settings with one y scale for every chart, including those with another."""
    return replace(choices, y_scale=scale, charts=replace_in_all_charts(choices, y_scale=None))


def with_x_axis(choices: Settings, axis: XAxis) -> Settings:
    """Return the settings with another x axis; everything set in the units of the former one is reset."""
    charts = replace_in_all_charts(choices, x_range=FULL_RANGE)
    return replace(
        choices, x_axis=axis, x_range=FULL_RANGE, charts=charts, cursor=None, mark=None, image_steps=NO_IMAGE_STEPS
    )


def next_x_scale(choices: Settings) -> Settings:
    """Switch all charts to the next x scale."""
    return replace(choices, x_scale=next_in_cycle(SCALES, choices.x_scale))


def next_row_order(choices: Settings) -> Settings:
    """Switch to the next order of table rows."""
    return replace(choices, row_order=next_in_cycle(ROW_ORDERS, choices.row_order))


def next_outliers(choices: Settings) -> Settings:
    """Switch to the next rule for outliers."""
    return replace(choices, outliers=next_in_cycle(OUTLIERS, choices.outliers))


def toggle_superseded(choices: Settings) -> Settings:
    """Show or hide superseded points."""
    return replace(choices, superseded=not choices.superseded)


def toggle_runs_together(choices: Settings) -> Settings:
    """Switch between one card for each run and one for all runs."""
    return replace(choices, runs_together=not choices.runs_together)


def toggle_overview(choices: Settings) -> Settings:
    """Switch between many small cards and fewer legible ones."""
    return replace(choices, overview=not choices.overview)


def change_columns(choices: Settings, shown: int, count: int, more: int) -> Settings:
    """Change the number of cards in a row.

    Args:
        choices: Present settings.
        shown: Cards in a row if none are set.
        count: Number of cards; no row has more.
        more: Change of the number, possibly negative.
    """
    columns = min(choices.columns or shown, max(count, 1))
    return replace(choices, columns=max(1, min(columns + more, MAX_CARD_COLUMNS)))


def toggle_pinned(choices: Settings, key: str) -> Settings:
    """Pin a card before all others, or unpin it."""
    if key in choices.pinned:
        return replace(choices, pinned=tuple(pinned for pinned in choices.pinned if pinned != key))
    return replace(choices, pinned=(*choices.pinned, key))


def switch_run(
    choices: Settings,
    what: RunSwitch,
    rows: Sequence[str],
    groups: Mapping[str, Collection[str]],
    known: Collection[str],
) -> Settings:
    """Hide the selected run of a table, show it alone, or use it as the baseline; the latter two also undo it.

    Without a selection the first row is selected, so that the user sees what the key applies to.

    Args:
        choices: Present settings.
        what: The action.
        rows: The run, or group of runs, of each row.
        groups: Runs of each group.
        known: All runs.
    """
    row = choices.focus
    if row is None or row not in rows:
        return move_focus(choices, rows, 1)
    if what == "baseline":
        return replace(choices, baseline=None if choices.baseline == row else row)
    runs = frozenset(groups.get(row, (row,)))
    if what == "off":
        return _neighbour_selected(_off(choices, runs, known), row, rows)
    return _alone(choices, row, runs, known)


def _off(choices: Settings, runs: frozenset[str], known: Collection[str]) -> Settings:
    hidden = choices.hidden_runs
    passing = filter_runs(known, choices)
    if solo_runs(passing, choices):  # the runs beside it stay as they are seen: off
        hidden = frozenset(known).difference(drawn_runs(passing, choices))
    return replace(choices, hidden_runs=hidden | runs, solo=None)


def _alone(choices: Settings, row: str, runs: frozenset[str], known: Collection[str]) -> Settings:
    passing = filter_runs(known, choices)
    for solo in (row, f"{row}/"):
        if frozenset(solo_runs(passing, replace(choices, solo=solo))) == runs:
            return replace(choices, solo=None if choices.solo == solo else solo)
    # Runs that only a pattern puts together are drawn alone by switching the others off.
    others = frozenset(passing) - runs
    hidden = choices.hidden_runs
    return replace(choices, solo=None, hidden_runs=hidden - others if others <= hidden else hidden | others)


def _neighbour_selected(choices: Settings, row: str, rows: Sequence[str]) -> Settings:
    """Select the row that replaces a hidden one, so that the same key continues with it."""
    known = list(dict.fromkeys(rows))
    place = known.index(row)
    left = known[place + 1 :] or known[:place][-1:]
    return replace(choices, focus=left[0] if left else None)
