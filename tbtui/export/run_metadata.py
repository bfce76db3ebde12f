"""Run metadata as tables: what one execution of one operation took is a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.events.graph_errors import GraphError
from tbtui.events.run_metadata import read_executions
from tbtui.export.table import Table, objects
from tbtui.loading.graphs import GraphReader, graph_sources
from tbtui.loading.payloads import Payloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from tbtui.events.run_metadata import Executions
    from tbtui.export.refusals import Refusals
    from tbtui.loading.graphs import GraphSource
    from tbtui.store.snapshot import RunSnapshot

RUN_METADATA = ("step", "wall_time", "device", "name", "label", "thread", "start_ns", "duration_ns", "memory")
"""Columns of every table of run metadata: `start_ns` in nanoseconds since the epoch, `memory` in bytes."""


def run_metadata_tables(
    runs: Iterable[RunSnapshot], tag_matches: Callable[[str], bool], refusals: Refusals
) -> Iterator[Table]:
    """All run metadata of some runs that tell of executions, but for those that a restart superseded.

    Args:
        runs: Those that are wanted.
        tag_matches: Whether the tag is wanted.
        refusals: Told of all that cannot be read.
    """
    reader = GraphReader(Payloads(), most_bytes=0)
    for run in runs:
        for source in graph_sources(run):
            if source.has_metadata and tag_matches(source.tag):
                yield from _table(source, reader, refusals)


def _table(source: GraphSource, reader: GraphReader, refusals: Refusals) -> Iterator[Table]:
    try:
        found = read_executions(reader.metadata(source))
    except GraphError as error:
        refusals.add(source.series, {source.point: str(error)}, asked=1)
        return
    refusals.add(source.series, {}, asked=1)
    if len(found):
        yield Table(source.run.name, source.tag, _columns(source, found))


def _columns(source: GraphSource, found: Executions) -> dict[str, npt.NDArray[Any]]:
    count = len(found)
    columns = (
        np.full(count, source.step, np.int64),
        np.full(count, source.wall_time, np.float64),
        objects([found.devices[number] for number in found.device.tolist()]),
        objects(found.names),
        objects(found.labels),
        found.threads,
        found.starts,
        found.durations,
        found.memory,
    )
    return dict(zip(RUN_METADATA, columns, strict=True))
