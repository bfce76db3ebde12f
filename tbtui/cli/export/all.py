"""`tbtui export --plugin all`: everything into one folder, each kind of data by itself, and a list of what is there."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

import tbtui
from tbtui.cli.export.graphs import GraphWriting
from tbtui.export.graphs import chosen_graphs
from tbtui.export.hparams import HPARAMS, hparams_table
from tbtui.export.kinds import IN_FILES, MEDIA, Rows, rows_of, without_scalars
from tbtui.export.metadata import FILES, METADATA, files_table, metadata_tables
from tbtui.export.refusals import Refusals
from tbtui.export.scalars import SCALARS, scalar_tables
from tbtui.export.table import LEADS
from tbtui.export.table_formats import pieces_of
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping

    from tbtui.cli.export.logs import ExportedLogs
    from tbtui.cli.progress import Progress
    from tbtui.export.folder import InnerFolder, OutputFolder
    from tbtui.export.table import Table
    from tbtui.export.table_formats import TableFormat
    from tbtui.store.snapshot import RunSnapshot

RUN = LEADS[:1]

WRITTEN = frozenset(
    (
        *("scalars", "histograms", "pr_curves", "text", "images", "audio", "hparams"),
        *("graphs", "graph_keras_model", "graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"),
    )
)
"""Plugins of whose values all are written here, by the names that they have in event files."""


def write_all(
    logs: ExportedLogs,
    folder: OutputFolder,
    form: TableFormat,
    refusals: Refusals,
    arguments: Namespace,
    progress: Progress,
) -> Mapping[str, int]:
    """Write everything.

    Args:
        logs: Where it comes from.
        folder: Where it goes.
        form: Of the tables.
        refusals: Told of all that cannot be read.
        arguments: As `parse` of the command's options gives them.
        progress: Told of the steps of what lies in files.

    Returns:
        How many tags there are whose values cannot be written, by plugin.
    """
    with folder:
        writing = _Writing(logs, folder, form, refusals, arguments.current)
        writing.put("scalars", Rows(SCALARS, writing.scalars()))
        writing.put_files(progress)
        writing.put("hparams", Rows(HPARAMS, writing.hparams, RUN))
        writing.put("metadata", Rows(METADATA, writing.metadata))
        writing.put("files", Rows(FILES, writing.files, RUN))
        # What is of runs has no tags, but alone it is nothing that a pattern of tags has found.
        if not writing.listed or (arguments.tags and not writing.metadata):
            folder.forget()
            return {}
        folder.put("manifest.json", writing.manifest(arguments.paths).encode())
    return writing.left_out


class _Writing:
    """Everything on its way out: each run is read once, and what is small of it is held until it is its turn."""

    def __init__(
        self, logs: ExportedLogs, folder: OutputFolder, form: TableFormat, refusals: Refusals, current: bool
    ) -> None:
        self._logs, self._folder, self._form = logs, folder, form
        self._refusals, self._current = refusals, current
        self._kept: dict[str, RunSnapshot] = {}
        self.metadata: list[Table] = []
        self.files: list[Table] = []
        self.hparams: list[Table] = []
        self.listed: list[dict[str, Any]] = []
        self.left_out: Counter[str] = Counter()

    def scalars(self) -> Iterator[Table]:
        """The scalars of all runs; when they have gone through, the rest is known, too."""
        for run in self._logs.runs():
            self.metadata += metadata_tables(run, self._logs.tag_matches)
            self.hparams.append(hparams_table(run, self._refusals))
            self.files.append(files_table(run))
            self._count_left_out(run)
            self._kept[run.name] = without_scalars(run)
            yield from scalar_tables(run, self._logs.tag_matches, current=self._current)
            del run

    def put(self, name: str, rows: Rows, folder: InnerFolder | None = None) -> dict[str, Any] | None:
        """Write a table into a file of its own, where it has any rows; returns what is listed of it."""
        tables = (table for table in rows.tables if len(table))
        first = next(tables, None)
        if first is None:
            return None
        target = folder or self._folder
        said: dict[str, Any] = {"file": f"{name}.{self._form}", "rows": 0, "columns": [*rows.leads, *rows.columns]}
        counted = self._counted(chain([first], tables), said)
        del first, tables
        waiting = target.file(name).parent
        target.write(said["file"], pieces_of(counted, self._form, rows.columns, rows.leads, folder=waiting))
        self.listed.append(said)
        return said

    def put_files(self, progress: Progress) -> None:
        """Write all that is read from files again."""
        runs, matches = self._kept.values(), self._logs.tag_matches
        for name in IN_FILES:
            if name not in MEDIA:
                # The histograms are read twice, and told once.
                refusals = Refusals() if name == "distributions" else self._refusals
                self.put(name, rows_of(name, runs, matches, refusals, current=self._current))
        for name in MEDIA:
            inner = self._folder.below(name)
            rows = rows_of(name, runs, matches, self._refusals, current=self._current, folder=inner, told=progress.told)
            if said := self.put("manifest", rows, inner):
                said |= {"file": f"{name}/{said['file']}", "files": inner.count}
        inner = self._folder.below("graphs")
        graphs = GraphWriting(list(chosen_graphs(runs, matches)), self._refusals, progress.told)
        graphs.write_all(inner)
        if inner.count:
            self.listed.append({"file": "graphs", "files": inner.count, "graphs": graphs.written})

    def manifest(self, paths: list[str]) -> str:
        """What is there, as JSON."""
        said = {
            "by": f"tbtui {tbtui.__version__}",
            "logs": paths or ["."],
            "runs": list(self._kept),
            "files": self.listed,
            "tags_left_out": dict(self.left_out),
            "values_left_out": self._refusals.count,
        }
        return json.dumps(said, indent=2) + "\n"

    def _counted(self, tables: Iterator[Table], said: dict[str, Any]) -> Iterator[Table]:
        for table in tables:
            said["rows"] += len(table)
            yield table
            self._logs.count(len(table))
            del table

    def _count_left_out(self, run: RunSnapshot) -> None:
        for series in run.series.values():
            plugin = series.metadata.plugin_name
            is_left_out = not isinstance(series, ScalarSeries) and plugin not in WRITTEN
            if is_left_out and self._logs.tag_matches(series.tag):
                self.left_out[plugin or "no plugin"] += 1
