"""Keys along one focus chain: what a focused widget hides of its pane, the screen and the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tbtui.app.app import Dashboard
from tbtui.app.keymap import parse_action_name
from tbtui.app.main_screen import MainScreen
from tbtui.app.run_list import RunList
from tbtui.app.tag_list import TagList
from tbtui.plugins.registry import list_tabs
from tbtui.widgets.card_grid import CardGrid
from tbtui.widgets.charts_pane import ChartsPane
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.pane import Pane
from tbtui.widgets.row_list import RowList
from tests.generate_reference import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.base import Plugin

OF_THE_PLACE = frozenset({"enter", "space", "escape", "slash", "backspace"})
"""Keys that do what the focused place is for; the place around it has them again once that is left."""

NARROWER = frozenset(
    {
        ("next_own_y_scale", "next_y_scale"),  # of the opened chart, not of all
        ("say_scale", "next_y_scale"),
        ("scale", "next_y_scale"),
        ("component", "next_y_scale"),
        ("component", "next_x_scale"),
        ("join", "merge"),  # what is selected, not by a pattern
        ("threshold", "pan"),  # a curve has thresholds along its axis
        ("fit_or_actual", "fit"),
        ("about_run", "about"),  # of the selected row of an opened chart
        ("frame", "columns"),  # an opened picture has no columns beside it
        ("play", "play_steps"),
        ("brightness", "smooth"),
        ("turn", "pan"),  # an opened mesh is turned
        ("orbit", "pan"),
        ("axes_form", "next_x_axis"),
        ("say_no_axis", "next_x_axis"),
        ("count", "smooth"),  # neighbours
        ("colour", "colour_runs"),  # a plot has axes where the table has columns
        ("move", "move_column"),
    }
)
"""Pairs of an inner and an outer action of one key: the inner one does the same for less, or what fits the place."""


def keys_of(node_class: type) -> Iterator[tuple[str, Binding]]:
    merged = node_class._merged_bindings  # type: ignore[attr-defined]
    for key, bindings in merged.key_to_bindings.items():
        for binding in bindings:
            if not binding.system:
                yield key, binding


def conflicts(chain: Sequence[type]) -> list[str]:
    """Return the keys of outer classes that an inner class hides, unless it does less of the same."""
    first: dict[str, tuple[type, str]] = {}
    found = []
    unused = {name for node_class in chain if issubclass(node_class, Pane) for name in node_class.UNUSED}
    for node_class in chain:
        for key, binding in keys_of(node_class):
            action = parse_action_name(binding)
            inner_class, inner = first.setdefault(key, (node_class, action))
            if inner_class is node_class or key in OF_THE_PLACE or inner == action or action in unused:
                continue
            if (inner, action) not in NARROWER:
                found.append(f"{key}: {inner} of {inner_class.__name__} hides {action} of {node_class.__name__}")
    return found


def widgets_of(plugin: Plugin) -> Iterator[type]:
    """Yield the classes of widgets that can have the focus inside the pane of a dashboard."""
    assert plugin.load_pane is not None
    pane = plugin.load_pane()
    place = next(place for place in places() if pane in place.classes)
    shared: tuple[type, ...] = (CardGrid, pane.VIEW) if issubclass(pane, ChartsPane) else (DataGrid, RowList)
    for node_class in dict.fromkeys((*place.classes, *shared)):
        if issubclass(node_class, Widget) and not issubclass(node_class, (Pane, Screen, Input)):
            yield node_class


@pytest.mark.parametrize("plugin", list_tabs(), ids=lambda plugin: plugin.name)
def test_widgets_of_a_tab_hide_no_key_with_another_effect(plugin: Plugin) -> None:
    assert plugin.load_pane is not None
    pane = plugin.load_pane()
    wrong = [line for widget in widgets_of(plugin) for line in conflicts((widget, pane, MainScreen, Dashboard))]
    assert wrong == []


@pytest.mark.parametrize("widget", [RunList, TagList])
def test_lists_of_the_sidebar_hide_no_key_with_another_effect(widget: type) -> None:
    assert conflicts((widget, MainScreen, Dashboard)) == []


def test_a_hidden_key_is_found_along_the_chain() -> None:
    class Inner(Widget):
        BINDINGS = [Binding("r", "rotate", "rotate")]  # noqa: RUF012

    assert conflicts((Inner, MainScreen, Dashboard)) == ["r: rotate of Inner hides reload of Dashboard"]
