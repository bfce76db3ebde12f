"""`tbtui export --plugin all`: writes all data into one folder, one file per kind of data, and a manifest."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import tbtui
from tbtui.cli.export.document_writer import DocumentWriter
from tbtui.export.formats import encode_tables
from tbtui.export.request import ExportRequest, Rows, drop_scalars
from tbtui.export.table import SkippedValues
from tbtui.plugins.base import DocumentExport
from tbtui.plugins.registry import list_exported_names, list_exports, list_table_exports
from tbtui.plugins.scalars.export import SCALAR_COLUMNS, build_scalar_tables
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.cli.export.command import ExportedLogs
    from tbtui.cli.output import Progress
    from tbtui.export.formats import TableFormat
    from tbtui.export.output import InnerFolder, OutputFolder
    from tbtui.export.table import Table
    from tbtui.store.snapshot import RunSnapshot


def write_all(
    logs: ExportedLogs,
    folder: OutputFolder,
    form: TableFormat,
    skipped: SkippedValues,
    arguments: Namespace,
    progress: Progress,
) -> Mapping[str, int]:
    """Write everything.

    Args:
        logs: Where it comes from.
        folder: Where it goes.
        form: Of the tables.
        skipped: Counts the values that cannot be read.
        arguments: As `parse` of the command's options gives them.
        progress: Shows the progress of reading files.

    Returns:
        How many tags there are whose values cannot be written, by plugin.
    """
    with folder:
        writing = _Writing(logs, folder, form, skipped, arguments.current)
        writing.put("scalars", Rows(SCALAR_COLUMNS, writing.scalars()))
        writing.put_files(progress)
        for name, rows in writing.of_runs.items():
            writing.put(name, rows)
        # Tables about whole runs have no tags: alone they are no answer to a pattern of tags.
        if not writing.listed or (arguments.tags and not writing.has_tags):
            folder.discard()
            return {}
        folder.put("manifest.json", writing.encode_manifest(arguments.paths).encode())
    return writing.left_out


class _Writing:
    """Writes all data; each run is read once, and its small data are kept in memory until their tables are written."""

    def __init__(
        self, logs: ExportedLogs, folder: OutputFolder, form: TableFormat, skipped: SkippedValues, current: bool
    ) -> None:
        self._logs, self._folder, self._form = logs, folder, form
        self._skipped, self._current = skipped, current
        self._exported = list_exported_names()
        self._kept: dict[str, RunSnapshot] = {}
        self.of_runs: dict[str, Rows] = {}
        """Tables about whole runs, by export."""

        self.has_tags = False
        """True once a run has a tag that matches."""

        self.listed: list[dict[str, Any]] = []
        self.left_out: Counter[str] = Counter()

    def scalars(self) -> Iterator[Table]:
        """Yield the scalars of all runs, and collect meanwhile all data that are small or read later."""
        about_runs = [export for export in list_table_exports().values() if export.source == "runs"]
        collected: dict[str, list[Table]] = {export.name: [] for export in about_runs}
        for run in self._logs.runs():
            self.has_tags = self.has_tags or any(map(self._logs.tag_matches, run.series))
            for export in about_runs:
                rows = export.rows(self._request([run], self._skipped))
                collected[export.name] += rows.tables
                self.of_runs[export.name] = Rows(rows.columns, collected[export.name], rows.key_columns)
            self._count_left_out(run)
            self._kept[run.name] = drop_scalars(run)
            yield from build_scalar_tables(run, self._logs.tag_matches, current=self._current, skipped=self._skipped)
            del run

    def put(self, name: str, rows: Rows, folder: InnerFolder | None = None) -> dict[str, Any] | None:
        """Write a table with rows to a file of its own; return its entry in the manifest, or None without rows."""
        tables = (table for table in rows.tables if len(table))
        first = next(tables, None)
        if first is None:
            return None
        target = folder or self._folder
        entry: dict[str, Any] = {
            "file": f"{name}.{self._form}",
            "rows": 0,
            "columns": [*rows.key_columns, *rows.columns],
        }
        counted = self._counted(chain([first], tables), entry)
        del first, tables
        waiting = target.file(name).parent
        target.write(entry["file"], encode_tables(counted, self._form, rows.columns, rows.key_columns, folder=waiting))
        self.listed.append(entry)
        return entry

    def put_files(self, progress: Progress) -> None:
        """Write all values that are read from event files: tables, then folders of files, then documents."""
        runs = self._kept.values()
        tables = [export for export in list_table_exports().values() if export.source == "values"]
        for export in tables:
            if not export.writes_files:
                skipped = SkippedValues() if export.repeats else self._skipped
                self.put(export.name, export.rows(self._request(runs, skipped)))
        for export in tables:
            if export.writes_files:
                inner = self._folder.open_subfolder(export.name)
                request = replace(self._request(runs, self._skipped), folder=inner, on_progress=progress.show_count)
                if entry := self.put("manifest", export.rows(request), inner):
                    entry |= {"file": f"{export.name}/{entry['file']}", "files": inner.count}
        for documents in list_exports().values():
            if isinstance(documents, DocumentExport):
                inner = self._folder.open_subfolder(documents.name)
                documents_of_plugin = documents.documents(self._request(runs, self._skipped))
                writer = DocumentWriter(documents, documents_of_plugin, progress.show_count)
                writer.write_all(inner)
                if inner.count:
                    self.listed.append({"file": documents.name, "files": inner.count, documents.name: writer.written})

    def _request(self, runs: Iterable[RunSnapshot], skipped: SkippedValues) -> ExportRequest:
        return ExportRequest(runs, self._logs.tag_matches, skipped, self._current)

    def encode_manifest(self, paths: list[str]) -> str:
        """Return the manifest as JSON."""
        contents = {
            "by": f"tbtui {tbtui.__version__}",
            "logs": paths or ["."],
            "runs": list(self._kept),
            "files": self.listed,
            "tags_left_out": dict(self.left_out),
            "values_left_out": self._skipped.count,
            "superseded_left_out": self._skipped.superseded,
        }
        return json.dumps(contents, indent=2) + "\n"

    def _counted(self, tables: Iterator[Table], entry: dict[str, Any]) -> Iterator[Table]:
        for table in tables:
            entry["rows"] += len(table)
            yield table
            self._logs.count(len(table))
            del table

    def _count_left_out(self, run: RunSnapshot) -> None:
        for series in run.series.values():
            plugin = series.metadata.plugin_name
            is_left_out = not isinstance(series, ScalarSeries) and plugin not in self._exported
            if is_left_out and self._logs.tag_matches(series.tag):
                self.left_out[plugin or "no plugin"] += 1
