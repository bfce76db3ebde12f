"""What a written graph says: nodes with names of their own, edges between them, what is embedded in what.

The rules are TensorBoard's (`tf_graph_common/graph.ts`): inputs are `name`, `name:1` or, in functions, `name:out:0`, and
`^name` where a node only waits; constants are embedded in what reads them and summaries in what they are of; a function
of the library is a scope `__function_library__<name>` with a node for each argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from tbtui.graphs.edges import Edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.written import Attribute, Shape, Written

Ints: TypeAlias = "npt.NDArray[np.int32]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"

LIBRARY = "__function_library__"
"""Before the name of a function, and the name of the section that holds them all."""

ARGUMENT = "input_arg"
"""Operation of a node that stands for an argument of a function."""

NO_NAME = "(no name)"

_INPUTS = frozenset({ARGUMENT, "_Arg", "Placeholder", "PlaceholderWithDefault", "PlaceholderV2", "InputLayer"})
_OUTPUTS = frozenset({"_Retval"})
_ENDS = "IO Node"
"""PyTorch's, of inputs as of outputs."""


@dataclass(frozen=True, slots=True)
class Body:
    """One function of the library, in the nodes of a `Graph`."""

    name: str
    """As it is called; of two functions of one name the second has ` (2)` behind it and is never called."""

    arguments: range
    """Nodes that stand for its arguments."""

    nodes: range
    """Its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes are numbers: first those as written, functions' included, then one for each argument of a function."""

    written: Written
    names: list[str]
    """One each and no two alike: ` (2)` stands behind one that was there before, `(no name)` for the empty one."""

    ops: list[str]
    kinds: list[str]
    """`op`, `input`, `output`, `layer`, or `function` for the call of one."""

    bodies: tuple[Body, ...]
    calls: dict[int, int]
    """Which of `bodies` a node calls, of nodes whose operation is the name of a function."""

    edges: Edges
    """All there are between nodes that exist, except from a node to itself."""

    flow: Edges
    """Those between nodes that are not embedded; a constant's own inputs are those of what it is embedded in."""

    host: Ints
    """In which node one is embedded, -1 if it is not; itself if nothing is there that it could be embedded in."""

    rank: Ints
    """In which order nodes are shown: as written, arguments before the nodes of their function."""

    notes: tuple[str, ...]
    """What was skipped or renamed, in plain words with counts."""

    @property
    def embedded(self) -> Flags:
        """Whether each node is set aside as a constant or a summary."""
        return self.host >= 0

    def device(self, node: int) -> str:
        """Empty where none is given."""
        return self.written.devices[node] if node < len(self.written.names) else ""

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node, as far as they were written."""
        return self.written.shapes(node) if node < len(self.written.names) else ()

    def parameters(self, node: int) -> int:
        """How many numbers a node holds that are trained."""
        return self.written.parameters(node) if node < len(self.written.names) else 0

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """As written; of an argument of a function its type."""
        raise NotImplementedError


def graph_of(written: Written) -> Graph:
    """Apply the rules to a graph; whatever it says, nothing is raised."""
    raise NotImplementedError
