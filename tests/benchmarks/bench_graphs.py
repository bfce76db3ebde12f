"""A graph of 50,000 nodes: milliseconds for its hierarchy, for one level, for a trace, for a search.

Made in memory, without a terminal: `python tests/benchmarks/bench_graphs.py`.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.scope_diagram import build_diagram
from tbtui.plugins.graphs.search import match_items
from tbtui.plugins.graphs.tracing import find_path_to_output, list_inputs, trace_inputs
from tbtui.settings.filters import compile_pattern
from tests.helpers.graphs import MadeGraph, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.graphs.parsed_graph import Attribute, Function, Parameter, Shape

NODES = 50_000
REPEATS = 9


class Columns:
    """A `Written` whose columns are made once, as a reader of files makes them."""

    layers = False
    notes = ()
    losses = ()

    def __init__(self, made: MadeGraph) -> None:
        """Keep what `made` would make at each question."""
        self.names: Sequence[str] = made.names
        self.ops: Sequence[str] = made.ops
        self.devices: Sequence[str] = made.devices
        self.inputs: Sequence[Sequence[str]] = made.inputs
        self.functions: Sequence[Function] = made.functions
        self.all_parameters: Sequence[Parameter] = made.all_parameters
        self._made = made

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """As made."""
        return self._made.shapes(node)

    def parameters(self, node: int) -> int:
        """As made."""
        return self._made.parameters(node)

    def attributes(self, node: int) -> tuple[Attribute, ...]:
        """As made."""
        return self._made.attributes(node)


def deep_network(count: int) -> Columns:
    """Stages of fifty blocks of two convolutions each, with variables, constants and a series of six in each block."""
    nodes = [Node("x", "Placeholder", shapes=((-1, 8, 8, 64),))]
    last = "x"
    block = 0
    while len(nodes) < count - 1:
        scope = f"model/stage_{block // 50}/block_{block}"
        for part in ("conv1", "conv2"):
            name = f"{scope}/{part}"
            nodes += [
                Node(f"{name}/w", "VariableV2", shapes=((3, 3, 64, 64),), parameters=36864),
                Node(f"{name}/w/read", "Identity", (f"{name}/w",), shapes=((3, 3, 64, 64),)),
                Node(f"{name}/Conv2D", "Conv2D", (last, f"{name}/w/read"), shapes=((-1, 8, 8, 64),)),
                Node(f"{name}/axis", "Const", (f"^{name}/w",), shapes=((),)),
                Node(
                    f"{name}/norm", "FusedBatchNorm", (f"{name}/Conv2D", f"{name}/axis"), shapes=((-1, 8, 8, 64),) * 2
                ),
                Node(f"{name}/Relu", "Relu", (f"{name}/norm:1",), shapes=((-1, 8, 8, 64),)),
            ]
            last = f"{name}/Relu"
        nodes.append(Node(f"{scope}/add", "Add", (last, f"{scope}/conv1/Relu"), shapes=((-1, 8, 8, 64),)))
        last = f"{scope}/add"
        nodes += [Node(f"{scope}/tap_{number}", "Neg", (last,)) for number in range(6)]
        block += 1
    nodes = nodes[: count - 1]
    return Columns(MadeGraph([*nodes, Node("init", "NoOp", tuple(f"^{one.name}" for one in nodes if one.parameters))]))


def flat(count: int) -> Columns:
    """As many nodes without any scope."""
    names = [f"n{number}q" for number in range(count)]
    before = ["", *names]
    return Columns(
        MadeGraph([Node(name, "Add", (before[row], names[0]), shapes=((3,),)) for row, name in enumerate(names)])
    )


def measured(what: str, limit: float, work: Callable[[], object]) -> None:
    """Print the median of some runs in milliseconds, and what it may be."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    print(f"{what:58} {statistics.median(seconds) * 1e3:8.1f} ms   at most {limit * 1e3:5.0f}")


def main() -> None:
    """Measure all."""
    written = deep_network(NODES)
    graph = build_graph(written)
    print(f"{len(written.names):,} nodes, {len(graph.edges):,} edges")
    measured("edges, embedding and names", 0.6, lambda: build_graph(written))
    measured("hierarchy of these", 0.6, lambda: Hierarchy(graph))
    measured("hierarchy and parameters", 0.6, lambda: Hierarchy(graph).parameters)
    measured("hierarchy and templates", 0.8, lambda: Hierarchy(graph).template)

    hierarchy = Hierarchy(graph)
    model = hierarchy.children(hierarchy.root)[1]
    stages = hierarchy.children(int(model)).tolist()
    blocks = hierarchy.children(stages[0]).tolist()
    hierarchy.parameters  # noqa: B018 - counted once, when a graph is opened
    measured("level: the whole graph", 0.05, lambda: build_diagram(hierarchy, hierarchy.root))
    measured(f"level: {len(stages)} stages", 0.05, lambda: build_diagram(hierarchy, int(model)))
    measured(
        f"level: {len(blocks)} blocks, all opened", 0.05, lambda: build_diagram(hierarchy, stages[0], frozenset(blocks))
    )
    everything = frozenset((int(model), *stages))
    measured(
        f"level: {len(stages)} stages, all opened", 0.3, lambda: build_diagram(hierarchy, hierarchy.root, everything)
    )
    measured("inputs of a scope", 0.05, lambda: list_inputs(hierarchy, stages[1]))
    last = max(node for node, op in enumerate(graph.ops) if op == "Add")
    measured("trace of the last block", 0.1, lambda: trace_inputs(hierarchy, last))
    measured("way from the first to the last", 0.1, lambda: find_path_to_output(hierarchy, 0))
    for pattern in ("relu", "conv1.*relu", "(conv1|conv2)/w"):
        compiled = compile_pattern(pattern)[0]
        measured(f"search for {pattern}", 0.25, lambda compiled=compiled: match_items(hierarchy, compiled))

    wide = Hierarchy(build_graph(flat(NODES)))
    measured("level: 50,000 boxes side by side", 2.0, lambda: build_diagram(wide, wide.root))


if __name__ == "__main__":
    main()
