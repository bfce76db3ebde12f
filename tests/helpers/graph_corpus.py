"""Parse the graphs of the corpus."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources
from tests.helpers.hierarchy_text import hierarchy

if TYPE_CHECKING:
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.read import GraphSource

WRITERS = Path(__file__).parents[1] / "corpus" / "writers"


def source_in(folder: str, tag: str) -> GraphSource:
    """Where the graph of a tag lies, in the run that a folder is."""
    loaded = Loader(parse_sources([str(WRITERS / folder)]), reload_seconds=0).load_all()
    (source,) = [source for source in list_graph_sources(loaded.snapshot.runs["."]) if source.tag == tag]
    return source


def bytes_in(folder: str, tag: str) -> bytes:
    """What was written under a tag."""
    return GraphReader(Payloads()).data(source_in(folder, tag))


@cache
def graph_in(folder: str, tag: str) -> Hierarchy:
    """The graph of a tag; it never changes."""
    return hierarchy(GraphReader(Payloads()).read(source_in(folder, tag)))
