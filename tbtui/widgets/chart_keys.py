"""Keys of panes of charts, in lists that several dashboards share."""

from __future__ import annotations

from textual.binding import Binding, BindingType

PAN_SHARE = 0.25
"""Part of the visible axis that one key press moves a chart by."""

# The help lists the keys of a class by group, the last group of the list first; the footer lists the first one first.

_ZOOM = Binding.Group("Zoom and cursor")
_CHARTS = Binding.Group("Charts")
_TAG_CARDS = Binding.Group("Charts")
_RUN_CARDS = Binding.Group("Charts")
_RUNS = Binding.Group("Runs of a chart")
_OUTLIERS = Binding.Group("Charts")

ZOOM_KEYS: list[BindingType] = [
    Binding("z", "zoom(.5)", "zoom", id="zoom.in", tooltip="zoom in", group=_ZOOM),
    Binding("Z", "zoom(2)", "zoom out", show=False, id="zoom.out", tooltip="zoom out", group=_ZOOM),
    Binding("H,shift+left", f"pan({-PAN_SHARE})", show=False, id="zoom.left", tooltip="move left", group=_ZOOM),
    Binding("L,shift+right", f"pan({PAN_SHARE})", show=False, id="zoom.right", tooltip="move right", group=_ZOOM),
    Binding("shift+up", f"pan_y({PAN_SHARE})", show=False, id="zoom.up", tooltip="move up", group=_ZOOM),
    Binding("shift+down", f"pan_y({-PAN_SHARE})", show=False, id="zoom.down", tooltip="move down", group=_ZOOM),
    Binding("f", "fit", "whole", id="zoom.fit", tooltip="fit chart", group=_ZOOM),
    Binding("F", "fit_all", show=False, id="zoom.fit_all", tooltip="fit all charts", group=_ZOOM),
    Binding("S", "link", show=False, id="zoom.link", tooltip="link zoom of charts", group=_ZOOM),
    Binding("comma", "move_cursor(-1)", show=False, id="cursor.before", tooltip="cursor left", group=_ZOOM),
    Binding("full_stop", "move_cursor(1)", show=False, id="cursor.after", tooltip="cursor right", group=_ZOOM),
    Binding("backspace", "forget_cursor", show=False, id="cursor.forget", tooltip="no cursor", group=_ZOOM),
]

CHART_KEYS: list[BindingType] = [
    Binding("Y", "next_own_y_scale", "y scale", id="charts.y_scale", tooltip="y scale of this chart", group=_CHARTS),
    Binding("X", "next_x_scale", show=False, id="charts.x_scale", tooltip="x scale", group=_CHARTS),
    Binding(
        "u",
        "switch_superseded",
        show=False,
        id="charts.superseded",
        tooltip="points a restart overwrote",
        group=_CHARTS,
    ),
    Binding("t", "next_row_order", show=False, id="charts.row_order", tooltip="sort table", group=_CHARTS),
    Binding("y", "copy", show=False, id="charts.copy", tooltip="copy the name", group=_CHARTS),
    Binding("p", "pin", show=False, id="charts.pin", tooltip="pin to the top", group=_CHARTS),
    Binding("less_than_sign", "columns(-1)", show=False, id="charts.fewer", tooltip="columns fewer", group=_CHARTS),
    Binding("greater_than_sign", "columns(1)", show=False, id="charts.more", tooltip="columns more", group=_CHARTS),
]

TAG_CARD_KEYS: list[BindingType] = [
    Binding(
        "A",
        "switch_overview",
        "overview",
        show=False,
        id="runs.overview",
        tooltip="overview of all tags",
        group=_TAG_CARDS,
    ),
    Binding("o", "options", "options", id="runs.options", tooltip="options of all charts", group=_TAG_CARDS),
    Binding(
        "e",
        "edit_chart",
        "this chart",
        show=False,
        id="runs.chart",
        tooltip="edit axes of this chart",
        group=_TAG_CARDS,
    ),
    Binding("i", "about", "about", show=False, id="runs.about", tooltip="about this chart", group=_TAG_CARDS),
]
"""Keys of a dashboard whose cards show one tag each: they open the forms and the page of its `card_forms`."""

WRITE_KEYS: list[BindingType] = [
    Binding("w", "write", "write", show=False, id="runs.write", tooltip="write its data to a file", group=_TAG_CARDS),
]
"""Key of a dashboard whose `card_forms` has a `file_form`; listed behind `TAG_CARD_KEYS`."""

RUN_KEYS: list[BindingType] = [
    Binding("left_square_bracket", "select_run(-1)", show=False, id="line.before", tooltip="previous run", group=_RUNS),
    Binding("right_square_bracket", "select_run(1)", show=False, id="line.next", tooltip="next run", group=_RUNS),
    Binding("s", "switch('solo')", show=False, id="line.solo", tooltip="solo: show only the selected run", group=_RUNS),
    Binding(
        "d", "switch('baseline')", show=False, id="line.base", tooltip="use the selected run as baseline", group=_RUNS
    ),
    Binding("escape", "deselect_run", show=False, id="line.deselect", tooltip="no run selected", group=_RUNS),
]
"""Keys of a dashboard whose cards show a line for each run: they select a run of the focused card's legend, which `i`
then tells about."""

RUN_CARD_KEYS: list[BindingType] = [
    Binding(
        "R",
        "switch_together",
        "runs",
        show=False,
        id="runs.together",
        tooltip="runs separate or grouped",
        group=_RUN_CARDS,
    ),
    Binding("O", "next_outliers", show=False, id="runs.outliers", tooltip="outliers", group=_OUTLIERS),
]
"""Keys of a dashboard with a card for each run and tag, or one for all runs together."""
