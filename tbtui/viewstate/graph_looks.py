"""How graphs are looked at, as it is kept between sessions: by the names of nodes, which another run may have too."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

GraphView: TypeAlias = Literal["tree", "diagram", "operations", "timeline"]
GRAPH_VIEWS: tuple[GraphView, ...] = ("tree", "diagram", "operations", "timeline")

GraphColour: TypeAlias = Literal["structure", "device", "time", "memory", "none"]
GRAPH_COLOURS: tuple[GraphColour, ...] = ("structure", "device", "time", "memory", "none")
"""In the order in which the key walks through them."""


@frozen
class GraphLook:
    """What of the graphs of one tag is looked at."""

    opened: frozenset[str] = field(default_factory=frozenset)
    """Names of the scopes and series that are open, in the tree and in the diagram."""

    inside: str = ""
    """The scope that is drawn alone; empty: the graph."""

    chosen: str = ""
    """The node under the cursor; empty: none was chosen."""

    apart: frozenset[str] = field(default_factory=frozenset)
    """Names of the series that are taken apart: their members stand in their place."""


NO_LOOKS: Mapping[str, GraphLook] = MappingProxyType({})
