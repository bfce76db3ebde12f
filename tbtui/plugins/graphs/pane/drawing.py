"""Keys that change the drawing: zoom, colours, direction, order of the table, and the run whose costs are shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.costs import cycle_device_names, name_default_devices
from tbtui.plugins.graphs.item_columns import NAME, title_at
from tbtui.plugins.graphs.pane import session as session_transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.settings import ACROSS, DEVICES
from tbtui.plugins.graphs.transitions import cycle_colour, cycle_measure, sort_by
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.pane.pane import GraphsPane


class DrawingController:
    """Applies the keys that alter the drawing. Used on the UI thread.

    Args:
        pane: The pane whose views are drawn.
    """

    def __init__(self, pane: GraphsPane) -> None:
        self._pane = pane

    def zoom(self, steps: int) -> None:
        """Zoom into the diagram or the timeline by a number of steps; out if it is negative."""
        pane = self._pane
        if pane.parts.timeline.display:
            pane.parts.timeline.zoom(2.0**steps)
        elif pane.diagram.laid_out is not None:
            pane.session = session_transitions.step_zoom(pane.session, pane.diagram.laid_out.zoom, steps)
            pane.refresh_views()

    def reset_zoom(self) -> None:
        """Show the diagram at its initial zoom, or all of the timeline."""
        pane = self._pane
        if pane.parts.timeline.display:
            pane.parts.timeline.reset_zoom()
        else:
            pane.session = replace(pane.session, zoom=None)
            pane.diagram.reset_zoom()
            pane.refresh_views()

    def cycle_colour(self) -> None:
        """Colour boxes by another property, or executions by time or memory."""
        pane = self._pane
        if pane.parts.timeline.display and pane.parts.timeline.timeline is not None:
            pane.post_message(Choose(cycle_measure))
        elif pane.scene is not None and not pane.parts.diagram.display:
            pane.toast(strings.COLOURS_ELSEWHERE)
        else:
            pane.post_message(Choose(partial(cycle_colour, pane.diagram.colours)))

    def step_column(self, columns: int) -> None:
        """Go to another column of the table."""
        pane = self._pane
        titles = (NAME, *(column.title for column in self._columns()))
        pane.session = session_transitions.step_column(pane.session, titles, columns)
        pane.refresh_views()

    def sort_at(self, x: int) -> None:
        """Sort the table by the column at a column of the terminal."""
        column = title_at(self._columns(), x, self._pane.parts.table_width)
        self._pane.session = replace(self._pane.session, column=column)
        self.sort(column)

    def sort(self, column: str) -> None:
        """Sort the table by a column."""
        self._pane.post_message(Choose(partial(sort_by, column)))

    def _columns(self) -> tuple[Column, ...]:
        scene = self._pane.scene
        return () if scene is None else self._pane.table.columns(scene)

    def switch_direction(self) -> None:
        """Draw the diagram from left to right, or downwards."""
        if self._pane.parts.diagram.display:
            self._pane.post_message(Choose(ACROSS.next))
        else:
            self._pane.toast(strings.DIRECTION_ELSEWHERE)

    def show_next_costs(self) -> None:
        """Show the costs of another run of the graph."""
        loader = self._pane.loader
        if len(loader.timed_runs) < 2:
            self._pane.toast(strings.ONE_PROFILE if loader.timed_runs else strings.NO_TIMES[0])
        else:
            loader.read_next_costs(DEVICES.value(self._pane.settings))

    def cycle_devices(self) -> None:
        """Count executions on other devices."""
        pane, costs = self._pane, self._pane.loader.costs
        if costs is None or not costs.devices:
            pane.toast(strings.NO_TIMES[0])
        elif len(costs.devices) == 1:
            pane.toast(f"all timed operations ran on {costs.devices[0].short}")
        else:
            names = cycle_device_names(costs.devices)
            chosen = frozenset[str]() if names == name_default_devices(costs.devices) else names
            pane.post_message(Choose(partial(DEVICES.with_value, value=chosen)))
            shorts = ", ".join(device.short for device in costs.devices if device.name in names)
            pane.toast(f"times of operations on {shorts}")
