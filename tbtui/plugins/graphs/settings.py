"""Settings of the Graphs tab."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen
from tbtui.settings.declaration import Setting, record_of, setting
from tbtui.settings.kinds import MappingOf, Names, OrNone, PairOf, String

if TYPE_CHECKING:
    from collections.abc import Mapping

GraphView: TypeAlias = Literal["tree", "diagram", "operations", "timeline"]

GraphColour: TypeAlias = Literal["structure", "device", "time", "memory", "none"]
GRAPH_COLOURS: tuple[GraphColour, ...] = ("structure", "device", "time", "memory", "none")


@frozen
class GraphNavigation:
    """Navigation state of the graphs of one tag. It refers to nodes by name, because another run may have them too."""

    opened: frozenset[str] = setting(frozenset(), Names())
    """Names of the expanded scopes and series, in the tree and in the diagram."""

    inside: str = setting("", String())
    """The only scope that is drawn; empty: the whole graph."""

    chosen: str = setting("", String())
    """The node under the cursor; empty: no node was chosen."""

    apart: frozenset[str] = setting(frozenset(), Names())
    """Names of the series that are split: their members are drawn instead."""


GRAPH: Setting[tuple[str, str] | None] = Setting("graph", kind=OrNone(PairOf(String())))
"""Run and tag of the graph that is shown; None: the first one."""

VIEW: Setting[GraphView] = Setting(
    "graph_view", values=("tree", "diagram", "operations", "timeline"), default="diagram"
)
"""The view with the keyboard focus; a narrow terminal shows only this view."""

COLOUR: Setting[GraphColour] = Setting("graph_colour", values=GRAPH_COLOURS, action="next_graph_colour")
"""Meaning of the colour of a box."""

HUBS_ASIDE: Setting[bool] = Setting("graph_aside", values=(False, True), default=True, action="switch_aside")
"""Move high-degree nodes out of the diagram."""

ACROSS: Setting[bool] = Setting(
    "graph_across", values=(False, True), value_labels=("down", "across"), action="switch_across"
)
"""Draw the diagram from left to right instead of top-down."""

DEVICES: Setting[frozenset[str]] = Setting("graph_devices", default=frozenset(), kind=Names())
"""Names of the devices whose executions are counted, in runs that have any of them; empty: the default of each run."""

NAVIGATION: Setting[Mapping[str, GraphNavigation]] = Setting(
    "graph_looks", default=MappingProxyType({}), kind=MappingOf(record_of(GraphNavigation))
)
"""Saved navigation of each tag."""

SORT: Setting[str] = Setting("graph_sort", default="", kind=String())
"""Column that sorts the table of operations; empty: order in the file."""

DESCENDING: Setting[bool] = Setting("graph_descending", values=(False, True))

SETTINGS = (GRAPH, VIEW, COLOUR, HUBS_ASIDE, ACROSS, DEVICES, NAVIGATION, SORT, DESCENDING)
