"""The view of parallel coordinates, and of slices with heat maps of pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.hparams import transitions
from tbtui.plugins.hparams.parallel import (
    ParallelCache,
    ParallelState,
    draw_parallel,
    find_visible_axes,
    list_axis_keys,
    make_axis,
)
from tbtui.plugins.hparams.settings import AXIS_SCALES
from tbtui.plugins.hparams.slices import SliceState, count_cards_per_row, draw_slices, slice_names
from tbtui.view.terms import select_terms
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.hparams.axes import ColumnAxis
    from tbtui.plugins.hparams.session_cache import PreparedSessions


class DrawnView(CellsView, can_focus=True):
    """Base of a view that draws all sessions at once."""

    DEFAULT_CSS = """
    DrawnView { height: 1fr; width: 1fr; }
    """

    class Moved(Message):
        """Another session, axis or card is under the cursor."""

    class Opened(Message):
        """The session under the cursor should be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.prepared: PreparedSessions | None = None

    def show_sessions(self, prepared: PreparedSessions) -> None:
        """Show prepared sessions."""
        self.prepared = prepared
        self.draw()

    def draw(self) -> None:
        """Draw in the present size; only cells that changed are painted."""
        width, height = self.size
        if self.prepared is None or not width or not height:
            return
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        self.put(0, 0, self.picture(self.prepared, width, height))

    def picture(self, prepared: PreparedSessions, width: int, height: int) -> Cells:
        """Return the cells."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Draw in the new size."""
        self.draw()
        self.post_message(self.Moved())


class ParallelView(DrawnView):
    """Shows parallel coordinates with a cursor on an axis and on a session."""

    BINDING_GROUP_TITLE = "Parallel coordinates"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "axis(-1)", show=False, id="parallel.left", tooltip="axis to the left"),
        Binding("right,l", "axis(1)", show=False, id="parallel.right", tooltip="axis to the right"),
        Binding("up,k", "session(-1)", show=False, id="parallel.up", tooltip="session above on this axis"),
        Binding("down,j", "session(1)", show=False, id="parallel.down", tooltip="session below on this axis"),
        Binding("v", "brush", "brush", id="parallel.brush", tooltip="begin or end a brush at this session"),
        Binding("f", "unbrush", "no brush", show=False, id="parallel.unbrush", tooltip="remove the brush of this axis"),
        Binding("Y", "scale", "scale", id="parallel.scale", tooltip="linear, log or rank"),
        Binding("less_than_sign", "move(-1)", show=False, id="parallel.move_left", tooltip="move the axis left"),
        Binding("greater_than_sign", "move(1)", show=False, id="parallel.move_right", tooltip="move the axis right"),
        Binding("c", "colour", "colour", id="parallel.colour", tooltip="colour by this axis"),
        Binding("enter", "open", "open", id="parallel.open", tooltip="end the brush, or open the session"),
        Binding("escape", "cancel", show=False, id="parallel.cancel", tooltip="give the brush up"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.state = ParallelState()
        self._cache = ParallelCache()

    def picture(self, prepared: PreparedSessions, width: int, height: int) -> Cells:
        return draw_parallel(prepared, self.state, width, height, self._cache)

    def show_sessions(self, prepared: PreparedSessions) -> None:
        if self.state.session not in prepared.table.row_of and prepared.rows.members:
            self.state = replace(self.state, session=prepared.rows.shown_names[0])
        super().show_sessions(prepared)

    @property
    def _keys(self) -> tuple[str, ...]:
        return () if self.prepared is None else list_axis_keys(self.prepared)

    @property
    def axis(self) -> ColumnAxis | None:
        """The axis under the cursor; None without axes."""
        keys = self._keys
        if self.prepared is None or not keys:
            return None
        return self._cache.axis(self.prepared, keys[min(self.state.axis, len(keys) - 1)])

    def title(self) -> str:
        """Return the text about the axes in sight and the unfinished brush."""
        keys = self._keys
        shown = find_visible_axes(keys, self.state.first, self.size.width)
        text = (
            f"axes {shown[0] + 1}–{shown[-2] + 1} of {len(keys)}" if len(shown) > 1 and len(shown) < len(keys) else ""
        )
        if self.state.mark and (axis := self.axis) is not None:
            text = f"brush {axis.title} from {self.state.mark}: ↑ ↓ then ⏎"
        return text

    def _change(self, state: ParallelState) -> None:
        if state != self.state:
            self.state = state
            self.draw()
            self.post_message(self.Moved())

    def action_axis(self, offset: int) -> None:
        """Move the cursor to another axis, and scroll to it."""
        keys = self._keys
        axis = max(0, min(self.state.axis + offset, len(keys) - 1))
        first = self.state.first
        while axis not in find_visible_axes(keys, first, self.size.width):
            first += 1 if axis > first else -1
        self._change(replace(self.state, axis=axis, first=min(first, axis), mark=""))

    def action_session(self, offset: int) -> None:
        """Move to the next session on this axis, from top to bottom."""
        axis, prepared = self.axis, self.prepared
        if axis is None or prepared is None:
            return
        order = _order_along_axis(axis, prepared)
        if not order:
            return
        row = prepared.table.row_of.get(self.state.session, order[0])
        index = order.index(row) + offset if row in order else 0
        row = order[max(0, min(index, len(order) - 1))]
        self._change(replace(self.state, session=prepared.table.sessions[row].name))

    def action_brush(self) -> None:
        """Begin a brush at this session, or end it: it becomes terms of the filter."""
        if self.state.mark:
            self.action_open()
        else:
            self._change(replace(self.state, mark=self.state.session))

    def action_open(self) -> None:
        """End the brush, or open the session."""
        axis, prepared = self.axis, self.prepared
        if axis is None or prepared is None:
            return
        if not self.state.mark:
            self.post_message(self.Opened())
            return
        rows = prepared.table.row_of
        terms = axis.build_range_terms(rows[self.state.mark], rows[self.state.session])
        self._change(replace(self.state, mark=""))
        if terms:
            self.post_message(Choose(transitions.set_terms(axis.name, terms)))

    def action_cancel(self) -> None:
        """Cancel the brush; without one the key belongs to the app."""
        if self.state.mark:
            self._change(replace(self.state, mark=""))
        else:
            self.screen.action_back()  # type: ignore[attr-defined]

    def action_unbrush(self) -> None:
        """Remove the terms of this axis from the filter; without any, clear the filter."""
        axis, prepared = self.axis, self.prepared
        if axis is None or prepared is None:
            return
        if select_terms(prepared.view.settings.run_filter, axis.name):
            self.post_message(Choose(transitions.set_terms(axis.name, "")))
        else:
            self.post_message(Choose(run_filter=""))

    def action_scale(self) -> None:
        """Switch the axis to the next scale."""
        axis, prepared = self.axis, self.prepared
        if axis is None or prepared is None or not axis.column.is_numeric:
            return
        scales = prepared.rows.chosen.axis_scales
        all_scales: Sequence[str] = AXIS_SCALES
        current = scales.get(axis.key, axis.present_scale)
        next_scale = all_scales[(all_scales.index(current) + 1) % len(all_scales)]
        self.post_message(Choose(transitions.choose(axis_scales={**scales, axis.key: next_scale})))

    def action_move(self, offset: int) -> None:
        """Move the axis."""
        keys = list(self._keys)
        if not keys:
            return
        index = min(self.state.axis, len(keys) - 1)
        target = max(0, min(index + offset, len(keys) - 1))
        keys.insert(target, keys.pop(index))
        self.state = replace(self.state, axis=target)
        self.post_message(Choose(transitions.choose(axes=tuple(keys))))

    def action_colour(self) -> None:
        """Colour by this axis; if it has the colour already, by the metric."""
        axis, prepared = self.axis, self.prepared
        if axis is not None and prepared is not None:
            is_colour = prepared.rows.chosen.colour == axis.key
            self.post_message(Choose(transitions.choose(colour="" if is_colour else axis.key)))


def _order_along_axis(axis: ColumnAxis, prepared: PreparedSessions) -> list[int]:
    """Return the sessions from the top of an axis to its bottom, then those with NaN, then those without a value."""
    family = axis.is_missing * 2 + axis.is_nan * 1
    order = np.lexsort((-np.nan_to_num(axis.positions), family))
    return order[prepared.rows.selected[order]].tolist()  # type: ignore[no-any-return]


class SliceView(DrawnView):
    """Shows the metric against each hyperparameter, and heat maps of pairs."""

    BINDING_GROUP_TITLE = "Slices"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "card(-1)", show=False, id="slices.left", tooltip="card to the left"),
        Binding("right,l", "card(1)", show=False, id="slices.right", tooltip="card to the right"),
        Binding("up,k", "row(-1)", show=False, id="slices.up", tooltip="card above"),
        Binding("down,j", "row(1)", show=False, id="slices.down", tooltip="card below"),
        Binding("enter", "open", "open", id="slices.open", tooltip="one card with its table"),
        Binding("space", "mark", "mark", id="slices.mark", tooltip="mark two: a heat map of both"),
        Binding("Y", "scale", "scale", show=False, id="slices.scale", tooltip="linear, log or rank"),
        Binding("c", "colour", "colour", id="slices.colour", tooltip="colour the dots by this one"),
        Binding("escape", "close", "back", show=False, id="slices.close", tooltip="back to the cards"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.state = SliceState()

    def picture(self, prepared: PreparedSessions, width: int, height: int) -> Cells:
        return draw_slices(prepared, self.state, width, height)

    @property
    def _names(self) -> tuple[str, ...]:
        return () if self.prepared is None else slice_names(self.prepared)

    @property
    def name_under_cursor(self) -> str | None:
        """The hyperparameter under the cursor; None without any."""
        names = self._names
        return names[min(self.state.card, len(names) - 1)] if names else None

    def _change(self, state: SliceState) -> None:
        if state != self.state:
            self.state = state
            self.draw()
            self.post_message(self.Moved())

    def action_card(self, offset: int) -> None:
        """Move to another card."""
        last = max(len(self._names) - 1, 0)
        self._change(replace(self.state, card=max(0, min(self.state.card + offset, last))))

    def action_row(self, offset: int) -> None:
        """Move to the card above or below."""
        self.action_card(offset * (1 if self.state.is_opened else count_cards_per_row(self.size.width)))

    def action_open(self) -> None:
        """Show one card in full size with its table."""
        self._change(replace(self.state, is_opened=not self.state.is_opened))

    def action_close(self) -> None:
        """Go back: from the heat map or the opened card to the cards; then the key belongs to the app."""
        if self.prepared is not None and len(self.prepared.rows.chosen.pair) == 2:
            self.post_message(Choose(transitions.choose(pair=())))
        elif self.state.is_opened:
            self._change(replace(self.state, is_opened=False))
        else:
            self.screen.action_back()  # type: ignore[attr-defined]

    def action_mark(self) -> None:
        """Mark the hyperparameter for a heat map; two marked ones are shown as one."""
        name, prepared = self.name_under_cursor, self.prepared
        if name is None or prepared is None:
            return
        pair = prepared.rows.chosen.pair
        if len(pair) == 2:
            pair = ()
        elif name in pair:
            pair = tuple(each for each in pair if each != name)
        else:
            pair = (*pair, name)
        self.post_message(Choose(transitions.choose(pair=pair)))

    def action_scale(self) -> None:
        """Switch the hyperparameter to the next scale."""
        name, prepared = self.name_under_cursor, self.prepared
        if name is None or prepared is None:
            return
        axis = make_axis(prepared, f"h/{name}")
        all_scales: Sequence[str] = AXIS_SCALES
        scales = prepared.rows.chosen.axis_scales
        current = scales.get(axis.key, axis.present_scale)
        next_scale = all_scales[(all_scales.index(current) + 1) % len(all_scales)]
        self.post_message(Choose(transitions.choose(axis_scales={**scales, axis.key: next_scale})))

    def action_colour(self) -> None:
        """Colour the dots by this hyperparameter; the second time not."""
        name, prepared = self.name_under_cursor, self.prepared
        if name is not None and prepared is not None:
            key = f"h/{name}"
            self.post_message(Choose(transitions.choose(colour="" if prepared.rows.chosen.colour == key else key)))
