"""Set how the graph is drawn: zoom, colours, direction, order of the table, and the run whose costs are shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.pane import session as transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.rows import NAME, title_at
from tbtui.plugins.graphs.profile import default_device_names, next_devices
from tbtui.plugins.graphs.settings import ACROSS, DEVICES
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.pane.rows import Column


class DrawingController:
    """Applies the keys that alter the drawing. Used on the UI thread.

    Args:
        pane: The pane whose views are drawn.
    """

    def __init__(self, pane: GraphsPane) -> None:
        self._pane = pane

    def zoom(self, steps: int) -> None:
        """Show more of each box or execution (-1), or more boxes or a longer time (1)."""
        pane = self._pane
        if pane.parts.timeline.display:
            pane.parts.timeline.zoom(0.5 if steps < 0 else 2.0)
        elif pane.diagram.drawn is not None:
            pane.session = transitions.step_zoom(pane.session, pane.diagram.drawn.zoom, steps)
            pane.fit()

    def fit(self) -> None:
        """Show the diagram at the zoom that it begins with, or the whole time of the timeline."""
        pane = self._pane
        if pane.parts.timeline.display:
            pane.parts.timeline.action_whole()
        else:
            pane.session = replace(pane.session, zoom=None)
            pane.diagram.fit()
            pane.fit()

    def next_colour(self) -> None:
        """Colour boxes by another property, or executions by time or memory."""
        pane = self._pane
        if pane.parts.timeline.display and pane.parts.timeline.run is not None:
            pane.post_message(Choose(transitions.next_measure))
        elif pane.scene is not None and not pane.parts.diagram.display:
            pane.tell(strings.COLOURS_ELSEWHERE)
        else:
            pane.post_message(Choose(partial(transitions.next_colour, pane.diagram.colours)))

    def step_column(self, columns: int) -> None:
        """Go to another column of the table."""
        pane = self._pane
        known = (NAME, *(column.title for column in self._columns()))
        pane.session = transitions.step_column(pane.session, known, columns)
        pane.fit()

    def sort_at(self, x: int) -> None:
        """Sort the table by the column at a column of the terminal."""
        column = title_at(self._columns(), x, self._pane.parts.table_width)
        self._pane.session = transitions.select_column(self._pane.session, column)
        self.sort(column)

    def sort(self, column: str) -> None:
        """Sort the table by a column."""
        self._pane.post_message(Choose(partial(transitions.sort_by, column)))

    def _columns(self) -> tuple[Column, ...]:
        scene = self._pane.scene
        return () if scene is None else self._pane.table.columns(scene)

    def switch_direction(self) -> None:
        """Draw the diagram from left to right, or downwards."""
        if self._pane.parts.diagram.display:
            self._pane.post_message(Choose(ACROSS.next))
        else:
            self._pane.tell(strings.DIRECTION_ELSEWHERE)

    def next_profile(self) -> None:
        """Show the costs of another run of the graph."""
        loader = self._pane.loader
        if len(loader.profiles) < 2:
            self._pane.tell(strings.ONE_PROFILE if loader.profiles else strings.NO_TIMES[0])
        else:
            loader.next_profile(DEVICES.value(self._pane.settings))

    def next_devices(self) -> None:
        """Count executions on other devices."""
        pane, times = self._pane, self._pane.loader.times
        if times is None or not times.devices:
            pane.tell(strings.NO_TIMES[0])
        elif len(times.devices) == 1:
            pane.tell(f"all timed operations ran on {times.devices[0].short}")
        else:
            devices = next_devices(times)
            chosen = frozenset[str]() if devices == default_device_names(times) else devices
            pane.post_message(Choose(partial(DEVICES.with_value, value=chosen)))
            named = ", ".join(row.short for row in times.devices if row.name in devices)
            pane.tell(f"times of operations on {named}")
