"""Test finding graphs in runs and reading them again from real event files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import GONE, Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs import read as graphs_module
from tbtui.plugins.graphs.formats.graph_def import OpGraph
from tbtui.plugins.graphs.formats.keras import LayerGraph
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.read import GraphChoice, GraphLister, GraphReader, GraphSource, list_graph_sources
from tests.helpers.graph_bytes import encoded, graph, layer, model, node, run_metadata
from tests.helpers.log_directory import FILE, START
from tests.helpers.views import view

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

OPS = graph(node("a"), node("b", "Add", "a")).SerializeToString()
MODEL = encoded(model(layer("Dense", "d", units=3)))


class Counted(Payloads):
    """Counter of file reads."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def read(self, run: RunSnapshot, series: ReferenceSeries, points: Sequence[int]) -> PayloadBlock:
        self.reads += 1
        return super().read(run, series, points)


def run_graph(data: bytes = OPS) -> Any:
    return get_message_class("Event")(graph_def=data)


def meta_graph(data: bytes = OPS) -> Any:
    meta = get_message_class("MetaGraphParts")(graph_def=data)
    return get_message_class("Event")(meta_graph_def=meta.SerializeToString())


def tagged(tag: str, data: bytes) -> Any:
    return get_message_class("Event")(
        tagged_run_metadata=get_message_class("TaggedRunMetadata")(tag=tag, run_metadata=data)
    )


def stored(tag: str, plugin: str, held: Any, content: bytes = b"1") -> Any:
    """Return an event with one value: bytes as a rank 0 tensor, a tensor, or a `SummaryValue`."""
    if isinstance(held, bytes):
        held = np.array(held, object)
    value = get_message_class("SummaryValue")(tensor=make_tensor(held)) if isinstance(held, np.ndarray) else held
    value.tag = tag
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = content
    event = get_message_class("Event")()
    event.summary.value.append(value)
    return event


def write(root: Path, *events: Any, file: str = FILE, start: float = START) -> Path:
    """Append events to the run, one second apart; a missing step is 0."""
    path = root / "run" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=start) as writer:
        for number, event in enumerate(events):
            event.wall_time = start + number
            writer.event(event)
    return path


def sources(root: Path) -> tuple[GraphSource, ...]:
    return list_graph_sources(Loader(parse_sources([str(root)]), now=lambda: START).load_all().snapshot.runs["run"])


def only(root: Path) -> GraphSource:
    (source,) = [source for source in sources(root) if not source.is_superseded]
    return source


def refusal(root: Path, *events: Any) -> str:
    write(root, *events)
    with pytest.raises(GraphError) as refused:
        GraphReader(Payloads()).read(only(root))
    return str(refused.value)


def test_graphs_best_graph_of_a_run_comes_first(tmp_path: Path) -> None:
    write(
        tmp_path,
        tagged("step2", b""),
        stored("trace", "graph_run_metadata_graph", b""),
        stored("profiled", "graph_run_metadata", b""),
        stored("text", "text", b"no graph"),
        run_graph(),
        stored("keras", "graph_keras_model", MODEL),
    )
    assert [(source.tag, source.kind, source.has_metadata) for source in sources(tmp_path)] == [
        ("keras", "layers", False),
        ("__run_graph__", "ops", False),
        ("profiled", "ops", True),
        ("trace", "ops", False),
        ("step2", "profile", True),
    ]


def test_graphs_superseded_graph_comes_after_the_newer_one(tmp_path: Path) -> None:
    write(tmp_path, run_graph(), run_graph(graph(node("new")).SerializeToString()))
    newer, earlier = sources(tmp_path)
    assert (newer.step, newer.wall_time, newer.is_superseded) == (0, START + 1, False)
    assert (earlier.step, earlier.wall_time, earlier.is_superseded) == (0, START, True)
    assert GraphReader(Payloads()).read(newer).names == ["new"]


def test_graph_list_offers_superseded_graphs_last(tmp_path: Path) -> None:
    write(tmp_path, run_graph(), run_graph(graph(node("new")).SerializeToString()))
    snapshot = Loader(parse_sources([str(tmp_path)]), now=lambda: START).load_all().snapshot
    listed = GraphLister(GraphReader(Payloads())).list(view(snapshot.runs["run"]))
    assert [source.is_superseded for source in listed.sources] == [False, True]
    assert [listed.index_of(choice) for choice in (None, GraphChoice("run", "__run_graph__"))] == [0, 0]
    assert listed.index_of(GraphChoice("run", "__run_graph__", listed.sources[1].point)) == 1


def test_graphs_steps_of_a_tag_are_separate_graphs(tmp_path: Path) -> None:
    events = [stored("t", "graph_run_metadata_graph", run_metadata(graph(node(name)))) for name in "ab"]
    events[1].step = 7
    write(tmp_path, *events)
    found = sources(tmp_path)
    assert [source.step for source in found] == [0, 7]
    assert [GraphReader(Payloads()).read(source).names for source in found] == [["a"], ["b"]]
    assert len({source.key for source in found}) == 2


def test_graphs_meta_graph_replaces_a_missing_run_graph(tmp_path: Path) -> None:
    write(tmp_path, meta_graph())
    source = only(tmp_path)
    assert (source.tag, source.kind) == ("__meta_graph__", "ops")
    assert GraphReader(Payloads()).read(source).names == ["a", "b"]
    write(tmp_path, run_graph(), start=START + 10)
    assert only(tmp_path).tag == "__run_graph__"


@pytest.mark.parametrize("held", [np.array(MODEL, object), np.array([MODEL], object)], ids=["rank 0", "rank 1"])
def test_graphs_models_are_read_as_layers(tmp_path: Path, held: Any) -> None:
    write(tmp_path, stored("keras", "graph_keras_model", held))
    found = GraphReader(Payloads()).read(only(tmp_path))
    assert isinstance(found, LayerGraph)
    assert found.names == ["net/d"]


def test_graphs_cached_graph_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, run_graph())
    payloads = Counted()
    reader = GraphReader(payloads)
    first = reader.read(only(tmp_path))
    assert isinstance(first, OpGraph)
    assert reader.read(only(tmp_path)) is first
    assert payloads.reads == 1
    assert 0 < reader.nbytes < 10_000


def test_graphs_graph_above_the_cache_limit_is_read_again(tmp_path: Path) -> None:
    write(tmp_path, run_graph())
    payloads = Counted()
    reader = GraphReader(payloads, max_bytes=10)
    assert reader.read(only(tmp_path)).names == reader.read(only(tmp_path)).names
    assert (payloads.reads, reader.nbytes) == (2, 0)


def test_graphs_refused_graph_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, run_graph(b""))
    payloads = Counted()
    reader = GraphReader(payloads)
    for _ in range(2):
        with pytest.raises(GraphError, match="the graph has no nodes"):
            reader.read(only(tmp_path))
    assert payloads.reads == 1


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (run_graph(b"no graph"), "the bytes of the graph are damaged"),
        (meta_graph(b""), "the graph has no nodes"),
        (tagged("step1", b""), "only times were written here, without their graph"),
        (stored("t", "graph_run_metadata", b""), "the run metadata hold no graph"),
        (stored("t", "graph_run_metadata", b"", b"2"), "this graph is written in a form that is not known"),
        (stored("t", "graph_keras_model", b"{"), "the model is no valid JSON: .*"),
        (
            stored("t", "graph_keras_model", np.array([b"a", b"b"], object)),
            "a tensor of 2 texts instead of a graph",
        ),
        (
            stored("t", "graph_keras_model", get_message_class("SummaryValue")()),
            "an empty value instead of a graph",
        ),
    ],
)
def test_graphs_invalid_graph_is_refused_in_a_sentence(tmp_path: Path, event: Any, why: str) -> None:
    found = refusal(tmp_path, event)
    if why.endswith(".*"):
        assert found.startswith(why[:-2])
    else:
        assert found == why


def test_graphs_value_of_another_kind_is_refused_by_tag(tmp_path: Path) -> None:
    image = stored("t", "graph_keras_model", get_message_class("SummaryValue")(image={"width": 3}))
    found = refusal(tmp_path, stored("t", "graph_keras_model", MODEL), image)
    assert found == "an image instead of a graph"


def test_graphs_oversized_graph_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs_module, "MAX_GRAPH_BYTES", 1 << 20)
    assert re.fullmatch(
        r"the graph has 2,097,1\d\d bytes, too many to show", refusal(tmp_path, run_graph(bytes(2 << 20)))
    )


def test_graphs_missing_file_is_refused_temporarily(tmp_path: Path) -> None:
    path = write(tmp_path, run_graph())
    source, content = only(tmp_path), path.read_bytes()
    reader = GraphReader(Payloads())
    path.unlink()
    with pytest.raises(GraphError, match=GONE) as refused:
        reader.read(source)
    assert refused.value.is_retryable
    path.write_bytes(content)
    assert reader.read(source).names == ["a", "b"]


def test_graphs_changed_bytes_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, run_graph())
    source = only(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"Add", b"Sub"))
    with pytest.raises(GraphError, match="checksum"):
        GraphReader(Payloads()).read(source)


def test_graphs_run_metadata_are_returned_as_written(tmp_path: Path) -> None:
    traced = run_metadata(graph(node("a")))
    write(tmp_path, run_graph(), tagged("step1", b"\x0a\x00"), stored("t", "graph_run_metadata", traced))
    reader = GraphReader(Payloads())
    ops, profiled, profile = sources(tmp_path)
    assert reader.metadata(profile) == b"\x0a\x00"
    assert reader.metadata(profiled) == traced
    assert reader.read(profiled).names == ["a"]
    with pytest.raises(GraphError, match="this graph was written without run metadata"):
        reader.metadata(ops)
    assert reader.data(ops) == OPS
