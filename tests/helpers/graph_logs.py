"""Write graphs into event files, and open the Graphs tab on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.pane.pane import GraphsPane
from tests.helpers.graph_bytes import call, encoded, graph, layer, model, node
from tests.helpers.loaded_logs import LoadedLogs
from tests.helpers.log_directory import FILE, START
from tests.helpers.pane_app import AskedApp

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.graphs.hierarchy import Hierarchy


class Traced(NamedTuple):
    """Run metadata as TensorFlow 2 writes them of what was traced."""

    tag: str
    metadata: bytes


class GraphsApp(AskedApp):
    """The tab alone, with what it asks the app for."""

    @property
    def graphs(self) -> GraphsPane:
        return self.query_one(GraphsPane)

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Of the graph that shows; None while none does."""
        scene = self.graphs.scene
        return None if scene is None else scene.hierarchy


class GraphLogs(LoadedLogs):
    """Writes graphs into event files below a directory, and loads them."""

    def add(self, run: str, *events: Any, file: str = FILE) -> Path:
        """Append to a run: each `GraphDef` as its graph, bytes as one that is damaged, a dict as a model's JSON."""
        path = self.path(run, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with EventFileWriter(str(path), wall_time=START) as writer:
            for held in events:
                writer.event(_event(held))
        return path

    def app(self, **settings: Any) -> GraphsApp:
        """The tab that shows it."""
        return GraphsApp(GraphsPane(Payloads()), self.load(), **settings)


def _event(held: Any) -> Any:
    event = get_message_class("Event")(wall_time=START + 1)
    if isinstance(held, dict):
        event.summary.value.append(_value("keras", "graph_keras_model", encoded(held)))
    elif isinstance(held, Traced):
        event.summary.value.append(_value(held.tag, "graph_run_metadata_graph", held.metadata))
    elif isinstance(held, tuple):
        tag, metadata = held
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = metadata
    else:
        event.graph_def = held if isinstance(held, bytes) else held.SerializeToString()
    return event


def _value(tag: str, plugin: str, data: bytes) -> Any:
    value = get_message_class("SummaryValue")(tag=tag)
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = b"1"
    value.tensor.dtype = 7
    value.tensor.string_val.append(data)
    return value


def torch_model() -> Any:
    """A sequential model as PyTorch writes it: one scope with a scope for each module, an input and an output."""
    shape = ((4, 8),)
    before, nodes = "input/input.1", [node("input/input.1", "IO Node", shapes=shape)]
    for number, module in enumerate(("Linear", "ReLU", "Linear")):
        scope = f"Net/{module}[{number}]"
        sources = [before]
        if module == "Linear":
            nodes.append(node(f"{scope}/weight", "prim::GetAttr", shapes=((8, 8),)))
            sources.append(f"{scope}/weight")
        before = f"{scope}/out.{number}"
        nodes.append(node(before, f"aten::{module.lower()}", *sources, shapes=shape))
    return graph(*nodes, node("output/output.1", "IO Node", before, shapes=shape))


def numbered_model() -> Any:
    """Six convolutions one behind the other, `net/conv_1` to `net/conv_6`, between an input and an output."""
    nodes, before = [node("x", "Placeholder")], "x"
    for number in range(1, 7):
        nodes.append(node(f"net/conv_{number}", "Conv2D", before))
        before = f"net/conv_{number}"
    return graph(*nodes, node("y", "Identity", before))


def keras_model() -> dict[str, Any]:
    """A block with a way around, as a functional model of Keras has it."""
    return model(
        layer("InputLayer", "image", calls=[], batch_shape=[None, 8, 8, 4]),
        layer("Conv2D", "conv", calls=[call(("image",))], filters=4, kernel_size=[3, 3], padding="same"),
        layer("Add", "add", calls=[call(("conv",), ("image",))]),
        layer("Dense", "out", calls=[call(("add",))], units=2),
        class_name="Functional",
        name="block",
    )


def many_ops(count: int) -> Any:
    """Nodes one behind the other, ten in each scope, of three types, some on devices."""
    nodes, before = [], ()
    for number in range(count):
        name = f"block{number // 10}/op_{number}"
        device = f"/device:GPU:{number % 2}" if number % 3 else ""
        kind = ("MatMul", "Add", "Relu")[number % 3]
        nodes.append(node(name, kind, *before, device=device, shapes=((number + 1, 2),)))
        before = (name,)
    return graph(*nodes)
