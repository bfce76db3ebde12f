"""Which bytes of an event or of a value are a graph, a model or run metadata.

Source: TensorBoard `plugins/graph/{graphs_plugin,metadata,keras_util}.py`, TensorFlow `event.proto`.
"""

from __future__ import annotations

from typing import Any

from tbtui.events.graph_errors import GraphError
from tbtui.events.kinds import KINDS

KNOWN_CONTENT = b"1"
"""What a plugin's metadata say of graphs in values: the version of their form. No other one was ever written."""


def graph_bytes(value: Any, content: bytes = KNOWN_CONTENT) -> bytes:
    """The serialized graph, model or run metadata that an `Event` is or a `SummaryValue` holds.

    Args:
        value: An `Event` with a graph, a meta graph or tagged run metadata, or a `SummaryValue`.
        content: What the tag's metadata say; of an event nothing.

    Raises:
        GraphError: There are none.
    """
    if value.DESCRIPTOR.name == "Event":
        return _event_bytes(value)
    if content != KNOWN_CONTENT:
        raise GraphError("this graph is written in a form that is not known")
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise GraphError(f"{KINDS[kind]} stands here in place of a graph")
    strings = value.tensor.string_val
    if len(strings) != 1:
        raise GraphError(f"a tensor of {len(strings):,} texts stands here in place of a graph")
    return bytes(strings[0])


def _event_bytes(event: Any) -> bytes:
    what = event.WhichOneof("what")
    if what == "tagged_run_metadata":
        return bytes(event.tagged_run_metadata.run_metadata)
    if what in {"graph_def", "meta_graph_def"}:
        return bytes(getattr(event, what))
    raise GraphError("the file no longer holds a graph here")
