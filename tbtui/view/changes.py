"""Changes of the settings by keys in any pane of charts: functions of the current settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.settings.chart_navigation import move_focus
from tbtui.settings.settings import (
    ALL_X_AXES,
    FULL_RANGE,
    MAX_CARD_COLUMNS,
    OUTLIERS,
    ROW_ORDERS,
    SCALES,
    X_AXES,
    next_in_cycle,
    replace_in_all_charts,
)
from tbtui.view.view import filter_runs, select_drawn_runs, select_solo_runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tbtui.maths.domain import Scale
    from tbtui.settings.settings import Settings, XAxis
    from tbtui.view.attributes import RunAttributes

RunSwitch: TypeAlias = Literal["off", "solo", "baseline"]
"""Action on the selected run: hide it, show it alone, use it as the baseline."""


def next_y_scale(settings: Settings, key: str) -> Settings:
    """Switch one chart to the next y scale."""
    scale = next_in_cycle(SCALES, settings.get_y_scale(key))
    return replace(settings, charts=settings.with_chart(key, y_scale=None if scale == settings.y_scale else scale))


def with_y_scale(settings: Settings, scale: Scale) -> Settings:
    """Return the settings with one y scale for every chart, including those with another."""
    return replace(settings, y_scale=scale, charts=replace_in_all_charts(settings, y_scale=None))


def with_x_axis(settings: Settings, axis: XAxis) -> Settings:
    """Return the settings with another x axis; settings in units of the former axis are reset."""
    charts = replace_in_all_charts(settings, x_range=FULL_RANGE)
    plugin_settings = {each: value for each, value in settings.plugin_settings.items() if not each.has_x_units}
    return replace(
        settings,
        x_axis=axis,
        x_range=FULL_RANGE,
        charts=charts,
        cursor=None,
        mark=None,
        plugin_settings=plugin_settings,
    )


def with_x_tag(settings: Settings, tag: str) -> Settings:
    """Return the settings with a tag as the x axis; without a tag, the x axis is the step."""
    if tag == settings.x_tag:
        return settings
    if not tag and settings.x_axis != "tag":
        return replace(settings, x_tag="")
    return replace(with_x_axis(settings, "tag" if tag else "step"), x_tag=tag)


def next_x_axis(settings: Settings) -> Settings:
    """Switch to the next x axis; the cycle contains a tag after it was selected."""
    axes = ALL_X_AXES if settings.x_tag else X_AXES
    axis = settings.x_axis if settings.x_axis in axes else axes[0]
    return with_x_axis(settings, next_in_cycle(axes, axis))


def next_x_scale(settings: Settings) -> Settings:
    """Switch all charts to the next x scale."""
    return replace(settings, x_scale=next_in_cycle(SCALES, settings.x_scale))


def next_row_order(settings: Settings) -> Settings:
    """Switch to the next order of table rows."""
    return replace(settings, row_order=next_in_cycle(ROW_ORDERS, settings.row_order))


def next_outliers(settings: Settings) -> Settings:
    """Switch to the next rule for outliers."""
    return replace(settings, outliers=next_in_cycle(OUTLIERS, settings.outliers))


def toggle_superseded(settings: Settings) -> Settings:
    """Show or hide superseded points."""
    return replace(settings, superseded=not settings.superseded)


def toggle_runs_together(settings: Settings) -> Settings:
    """Switch between one card for each run and one for all runs."""
    return replace(settings, runs_together=not settings.runs_together)


def toggle_overview(settings: Settings) -> Settings:
    """Switch between many small cards and fewer legible ones."""
    return replace(settings, overview=not settings.overview)


def change_columns(settings: Settings, shown: int, count: int, change: int) -> Settings:
    """Change the number of cards in a row.

    Args:
        settings: Current settings.
        shown: Cards in a row if the settings have no number.
        count: Number of cards, which is the maximum.
        change: Change of the number, possibly negative.
    """
    columns = min(settings.columns or shown, max(count, 1))
    return replace(settings, columns=max(1, min(columns + change, MAX_CARD_COLUMNS)))


def toggle_pinned(settings: Settings, key: str) -> Settings:
    """Pin a card before all others, or unpin it."""
    if key in settings.pinned:
        return replace(settings, pinned=tuple(pinned for pinned in settings.pinned if pinned != key))
    return replace(settings, pinned=(*settings.pinned, key))


def switch_run(
    settings: Settings,
    action: RunSwitch,
    rows: Sequence[str],
    groups: Mapping[str, Collection[str]],
    all_runs: Collection[str],
    attributes: RunAttributes | None = None,
) -> Settings:
    """Hide the selected run of a table, toggle solo for it, or toggle it as the baseline.

    Without a selection the first row is selected, so that the user sees the row to which the key applies; it becomes
    the baseline immediately, because that changes no line.

    Args:
        settings: Current settings.
        action: The action.
        rows: The run, or group of runs, of each row.
        groups: Runs of each group.
        all_runs: All runs.
        attributes: Attributes of the runs, for a filter of terms.
    """
    row = settings.focus
    if row is None or row not in rows:
        settings = move_focus(settings, rows, 1)
        return replace(settings, baseline=settings.focus) if action == "baseline" else settings
    if action == "baseline":
        return replace(settings, baseline=None if settings.baseline == row else row)
    runs = frozenset(groups.get(row, (row,)))
    if action == "off":
        return _select_neighbour(_toggle_hidden(settings, runs, all_runs, attributes), row, rows)
    return _toggle_solo(settings, row, runs, all_runs, attributes)


def _toggle_hidden(
    settings: Settings, runs: frozenset[str], all_runs: Collection[str], attributes: RunAttributes | None
) -> Settings:
    hidden = settings.hidden_runs
    passing = filter_runs(all_runs, settings, attributes)
    if select_solo_runs(passing, settings):  # the other runs are not drawn and become hidden
        hidden = frozenset(all_runs).difference(select_drawn_runs(passing, settings))
    return replace(settings, hidden_runs=hidden | runs, solo=None)


def toggle_group(settings: Settings, group: str) -> Settings:
    """Fold or unfold a group of tags."""
    return replace(settings, hidden_groups=settings.hidden_groups ^ {group})


def toggle_groups(settings: Settings, groups: frozenset[str]) -> Settings:
    """Fold these groups of tags; unfold them if all are folded."""
    hidden = settings.hidden_groups
    return replace(settings, hidden_groups=hidden - groups if groups <= hidden else hidden | groups)


def _toggle_solo(
    settings: Settings,
    row: str,
    runs: frozenset[str],
    all_runs: Collection[str],
    attributes: RunAttributes | None,
) -> Settings:
    passing = filter_runs(all_runs, settings, attributes)
    for solo in (row, f"{row}/"):
        if frozenset(select_solo_runs(passing, replace(settings, solo=solo))) == runs:
            return replace(settings, solo=None if settings.solo == solo else solo)
    # Runs that only a pattern groups have no common folder: the others are hidden.
    others = frozenset(passing) - runs
    hidden = settings.hidden_runs
    return replace(settings, solo=None, hidden_runs=hidden - others if others <= hidden else hidden | others)


def _select_neighbour(settings: Settings, row: str, rows: Sequence[str]) -> Settings:
    """Select the row after a hidden one, so that the same key can hide it next."""
    distinct_rows = list(dict.fromkeys(rows))
    index = distinct_rows.index(row)
    remaining = distinct_rows[index + 1 :] or distinct_rows[:index][-1:]
    return replace(settings, focus=remaining[0] if remaining else None)
