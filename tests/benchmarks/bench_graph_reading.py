"""What it costs to read graphs from their bytes: milliseconds, the best of several.

    python tests/benchmarks/bench_graph_reading.py [FILE]

Goals: 500 ms for 50,000 nodes, 200 ms for the 4 MB trace of a `tf.function`. FILE is an event file: each of its graphs
is read, too; without one, a graph like such a trace is made: 700 graphs of functions, most of a few nodes.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events.schema import get_message_class
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.formats.documents import encode_text_proto
from tbtui.plugins.graphs.formats.graph_def import read_graph, read_run_metadata
from tbtui.plugins.graphs.formats.keras import read_keras_model
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources
from tests.helpers.graph_bytes import dense_model, node

if TYPE_CHECKING:
    from collections.abc import Callable

NODES = 50_000


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Milliseconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def report(what: str, work: Callable[[], object], wanted: str = "", repeats: int = 5) -> None:
    """One line of the table."""
    print(f"{what:58} {best(work, repeats):9.1f} ms   {wanted}")


def network(count: int) -> Any:
    """A `GraphDef` of layers that follow one another, five nodes each, as TensorFlow writes them."""
    layers = [f"model/block_{number // 10}/dense_{number}" for number in range(count // 5)]
    nodes = []
    for before, name in zip(["model/input", *layers], layers, strict=False):
        nodes += [
            node(f"{name}/kernel", "VarHandleOp", shape=(64, 64), dtype=1, device="/job:localhost/device:GPU:0"),
            node(f"{name}/MatMul/ReadVariableOp", "ReadVariableOp", f"{name}/kernel", shapes=((64, 64),)),
            node(f"{name}/MatMul", "MatMul", before, f"{name}/MatMul/ReadVariableOp", shapes=((-1, 64),), T=1),
            node(f"{name}/Relu", "Relu", f"{name}/MatMul", shapes=((-1, 64),), T=1),
            node(name, "Identity", f"{name}/Relu", "^model/init", shapes=((-1, 64),), T=1),
        ]
    return get_message_class("GraphDef")(node=nodes)


def trace(graphs: int, functions: int) -> bytes:
    """`RunMetadata` of as many graphs of four nodes, ten of which have a library."""
    metadata = get_message_class("RunMetadata")()
    body = network(60 * 5).node
    for number in range(graphs):
        held = metadata.function_graphs.add()
        for graph in (held.partition_graphs.add(), held.pre_optimization_graph, held.post_optimization_graph):
            graph.node.extend(network(5).node)
        for function in range(functions if number % (graphs // 10) == 0 else 0):
            made = held.pre_optimization_graph.library.function.add(node_def=body)
            made.signature.name = f"__inference_{number}_{function}"
    return metadata.SerializeToString()


def main() -> None:
    """All that is done with the bytes."""
    data = network(NODES).SerializeToString()
    report(f"{NODES:,} nodes in {len(data) / 1e6:.1f} MB", lambda: read_graph(data), "500 wanted")
    graph = read_graph(data)
    report("the shapes of all of them", lambda: [graph.shapes(row) for row in range(NODES)])
    report("their parameters", lambda: sum(map(read_graph(data).parameters, range(NODES))))
    report("the attributes of 1,000", lambda: [graph.attributes(row) for row in range(1000)])
    report("their text", lambda: encode_text_proto(graph), repeats=1)
    broken = data[:-1]
    report("what is left of them without the last byte", lambda: read_graph(broken))
    traced = trace(700, 5)
    report(f"700 function graphs in {len(traced) / 1e6:.1f} MB", lambda: read_run_metadata(traced), "200 wanted")
    model = dense_model(2000)
    report("a Keras model of 2,000 layers", lambda: read_keras_model(model).notes)
    for path in sys.argv[1:]:
        for run in Loader(parse_sources([path])).load_all().snapshot.runs.values():
            for source in list_graph_sources(run):
                if source.kind != "profile":
                    report(f"{run.name} {source.tag}"[-58:], lambda: GraphReader(Payloads()).read(source))  # noqa: B023


if __name__ == "__main__":
    main()
