"""`tbtui export [PATH …]`: write data as tables or files for other programs. Imports no Textual."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from tbtui.charts.numbers import format_count, format_size
from tbtui.cli.arguments import NameFilters, PatternError
from tbtui.cli.errors import EXIT_NOTHING, explain_no_match, print_error
from tbtui.cli.options.export import ALL, is_folder
from tbtui.cli.options.parser import TABLE_SUFFIXES, get_option_name
from tbtui.cli.output import Progress, get_output_path, is_interactive, print_bytes, print_output_error, print_pieces
from tbtui.cli.run_loading import open_run_cache, report_cache_failure, report_damage
from tbtui.cli.run_selection import RunLister, find_attributes
from tbtui.cli.shutdown import exit_on_signals
from tbtui.export.formats import check_format, choose_table_format, encode_tables, is_text
from tbtui.export.output import OutputError, OutputFolder, check_folder, check_output, convert_errors, write_file
from tbtui.export.request import ExportRequest, RequestError, Rows
from tbtui.export.table import SkippedValues
from tbtui.loading.sequential_reader import SequentialReader
from tbtui.loading.sources import SourceError, parse_sources
from tbtui.loading.state import LoadState
from tbtui.maths.x_values import STEP_AXES
from tbtui.plugins.base import DocumentExport
from tbtui.plugins.registry import list_command_settings, list_exports
from tbtui.store.run_chains import RunJoiner, find_chains
from tbtui.store.run_folds import iter_covered_runs, list_stored_names
from tbtui.store.run_parts import split_run
from tbtui.store.snapshot import StoreSnapshot

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tbtui.export.formats import TableFormat
    from tbtui.export.table import Table
    from tbtui.loading.state import Searched
    from tbtui.store.run_parts import SplitRuns
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import RunAttributes


class ExportedLogs:
    """Reads each selected run once, in the order in which runs began, and holds one of them at a time.

    Args:
        arguments: Parsed arguments of the command.
        progress: Shows the bytes read and the rows passed to `count`.

    Raises:
        SourceError: There is no such path.
        PatternError: A pattern cannot be applied to the runs.
    """

    def __init__(self, arguments: Namespace, progress: Progress) -> None:
        self._reader = SequentialReader(
            parse_sources(arguments.paths),
            indexes=open_run_cache(arguments),
            jobs=arguments.jobs,
            on_progress=self._read,
        )
        self._progress = progress
        self._split_runs: SplitRuns = arguments.split_runs
        self._joins_runs = arguments.chain_runs != "no"
        self._folds_runs = arguments.fold_runs == "yes" and self._split_runs == "no"
        self._arguments = arguments
        self._loaded: LoadState | None = None
        self._done = self._total = self._rows = 0
        self._seen: dict[str, RunSnapshot] = {}
        """Runs that were read, without their series."""

        self._tags: dict[str, tuple[str, ...]] = dict.fromkeys(self._reader.names, ())

        self.filters = NameFilters(arguments)
        self._run_matches = self.filters.runs(self._reader.names, lambda: _read_all_attributes(arguments))
        self.tag_matches = self.filters.matches_tag
        """Return True if a tag passes the filter; raise `PatternError` if matching takes too long."""

    @property
    def is_empty(self) -> bool:
        """Return True if there is no run at all, selected or not."""
        return not self._reader.names

    @property
    def searched(self) -> Searched:
        """Return the paths that were searched for runs."""
        return self._reader.searched

    @property
    def tags(self) -> Mapping[str, Sequence[str]]:
        """Return the tags of every run; none of a run that was not read."""
        return self._tags

    def runs(self) -> Iterator[RunSnapshot]:
        """Yield the selected runs; the caller should release each one before requesting the next."""
        for run in self._parts():
            self._seen[run.name] = replace(run, series={})
            self._tags[run.name] = tuple(run.series)
            yield run
            del run

    def _parts(self) -> Iterator[RunSnapshot]:
        if self._folds_runs:
            yield from self._fold_runs()
            return
        for run in self._join_runs() if self._joins_runs else self._reader.read(self._run_matches):
            if self._split_runs == "no":
                yield run
            else:
                yield from split_run(run, self._split_runs)
            del run

    def _fold_runs(self) -> Iterator[RunSnapshot]:
        """Yield the selected runs as the dashboard lists them, including all data of folded runs.

        The contents of all runs decide which ones are folded, so that all are read first.
        """
        self._loaded = _load_all(self._arguments)
        for run in RunLister(self._arguments).list(self._loaded.snapshot).runs.values():
            if any(map(self._run_matches, (run.name, *list_stored_names(run)))):
                yield run
                yield from iter_covered_runs(run)

    def _join_runs(self) -> Iterator[RunSnapshot]:
        """Yield the selected runs with numbered ones joined; a chain is yielded after its last run is read."""
        chains = find_chains(filter(self._run_matches, self._reader.names))
        chain_of = {name: chain for chain, members in chains.items() for name in members}
        waiting: dict[str, dict[str, RunSnapshot]] = {}
        for run in self._reader.read(self._run_matches):
            chain = chain_of.get(run.name)
            if chain is None:
                yield run
                continue
            members = waiting.setdefault(chain, {})
            members[run.name] = run
            if len(members) == len(chains[chain]):
                del waiting[chain]
                yield from RunJoiner().run(chain, [members[name] for name in chains[chain]])
        for members in waiting.values():  # the others are gone, or are several runs after reading
            yield from members.values()

    def listed_runs(self) -> tuple[Mapping[str, RunSnapshot], Callable[[str], bool]]:
        """Return all runs as the dashboard lists them, and a function that is True for the selected ones."""
        self._loaded = _load_all(self._arguments)
        runs = RunLister(self._arguments).list(self._loaded.snapshot).runs
        is_selected = self.filters.runs(runs, find_attributes(self._arguments, self._loaded.snapshot))
        self._tags = {name: tuple(run.series) for name, run in runs.items()}
        self._seen = {name: replace(run, series={}) for name, run in runs.items() if is_selected(name)}
        return runs, is_selected

    def count(self, rows: int) -> None:
        """Add a number of written rows to the progress."""
        self._rows += rows
        self._show_progress()

    def check_tag_pattern(self) -> None:
        """Check that `--tags` could be applied to the tags of the runs that were read.

        Raises:
            PatternError: It could not.
        """
        self.filters.check_tags()

    def print_notes(self) -> None:
        """Print patterns that were read as plain text, and unreadable data, to stderr in a few lines."""
        state = LoadState(
            StoreSnapshot(0, self._seen),
            problems=tuple(self._reader.problems) if self._loaded is None else self._loaded.problems,
            index_failure=(self._loaded or self._reader).index_failure,
        )
        self.filters.report_plain_text()
        report_cache_failure(state)
        report_damage(state, self._seen, "exported")

    def _read(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        self._show_progress()

    def _show_progress(self) -> None:
        written = f", {self._rows:,} rows written" if self._rows else ""
        self._progress.report(f"{format_size(self._done)} of {format_size(self._total)} read{written}")


def _read_all_attributes(arguments: Namespace) -> RunAttributes | None:
    """Return the attributes of all runs. All are read first, as a later run may belong to the same session."""
    return find_attributes(arguments, _load_all(arguments).snapshot)()


def _load_all(arguments: Namespace) -> LoadState:
    from tbtui.loading.loader import Loader

    loader = Loader(
        parse_sources(arguments.paths), reload_seconds=0, indexes=open_run_cache(arguments), jobs=arguments.jobs
    )
    return loader.load_all()


# Tables as a terminal is given them.


def make_rows_safe(rows: Rows) -> Rows:
    """Return rows whose names and texts are safe for a terminal."""
    from tbtui.charts.text import safe

    names = [safe(name) for name in rows.columns]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names)]
    renamed = dict(zip(rows.columns, names, strict=True))
    return Rows(names, (_make_safe(table, renamed) for table in rows.tables), rows.key_columns)


def _make_safe(table: Table, renamed: Mapping[str, str]) -> Table:
    import numpy as np

    from tbtui.charts.text import safe
    from tbtui.export.table import Table

    made_safe = np.frompyfunc(lambda value: safe(value) if isinstance(value, str) else value, 1, 1)
    columns = {
        renamed[name]: made_safe(column) if column.dtype.kind == "O" else column
        for name, column in table.columns.items()
    }
    return Table(safe(table.run), safe(table.tag), columns)


MANIFEST = "manifest"
"""File name of the table of files in a folder, without the suffix of its format."""


def run(arguments: Namespace) -> int:
    """Write stored data to a file or to stdout.

    Args:
        arguments: Parsed arguments of the command.

    Returns:
        0 fine; 1 nothing matched, or nothing of it could be read; 2 wrong arguments or path, the output's too.
    """
    path = get_output_path(arguments.output)
    into_folder = False
    try:
        into_folder = path is not None and _writes_files(arguments, path)
        _check(arguments, path, into_folder=into_folder)
        return _export(arguments, path, into_folder=into_folder)
    except OutputError as error:
        effect = "writes into it, and replaces files of the same names"
        return print_output_error(error, effect if into_folder else "replaces it")
    except (SourceError, PatternError, RequestError) as error:
        return print_error(str(error))


def _is_document(arguments: Namespace) -> bool:
    return isinstance(list_exports().get(arguments.plugin), DocumentExport)


def _name_values(arguments: Namespace) -> str:
    """Return the plural noun of the exported values."""
    return "values" if arguments.plugin == ALL else list_exports()[arguments.plugin].noun


def _writes_files(arguments: Namespace, path: Path) -> bool:
    """Return True if files are written: graphs go into a folder that exists, or has a trailing slash or no suffix."""
    if not _is_document(arguments):
        return is_folder(arguments.plugin)
    with convert_errors(path):
        return path.is_dir() or arguments.output.endswith(os.sep) or not (path.exists() or path.suffix)


def _check(arguments: Namespace, path: Path | None, *, into_folder: bool) -> None:
    """Raise `OutputError` if the export cannot be written, before any work is done."""
    if path is None and arguments.plugin == ALL:
        raise OutputError("everything is written into a folder: name it with -o")
    if not _is_document(arguments):
        form = _format(arguments, path, into_folder=into_folder)
        check_format(form)
        if path is None and not is_text(form) and sys.stdout is not None and sys.stdout.isatty():
            raise OutputError(f"{form} is not text for a terminal: name a file with -o, or send it on")
    if path is None:
        return
    if not into_folder:
        check_output(path, force=arguments.force)
        return
    names_table = path.suffix[1:].lower() in chain.from_iterable(TABLE_SUFFIXES.values())
    with convert_errors(path):
        if arguments.plugin != ALL and is_folder(arguments.plugin) and names_table and not path.is_dir():
            raise OutputError(f"{path} would be a folder of files; without -o the table of them goes to stdout")
    check_folder(path, force=arguments.force)


def _format(arguments: Namespace, path: Path | None, *, into_folder: bool) -> TableFormat:
    """Return the given format of tables, or the default one."""
    if arguments.format is not None:
        return cast("TableFormat", arguments.format)
    if into_folder:
        return "csv" if arguments.plugin == ALL else "jsonl"
    return choose_table_format(path)


def _export(arguments: Namespace, path: Path | None, *, into_folder: bool) -> int:
    skipped = SkippedValues()
    progress_noun = _name_values(arguments) if _is_document(arguments) else "steps"
    with (
        exit_on_signals() if path is not None else nullcontext(),
        Progress(progress_noun, is_alone=path is not None or not is_interactive(sys.stdout)) as progress,
    ):
        logs = ExportedLogs(arguments, progress)
        folder = OutputFolder(path, force=arguments.force) if path is not None and into_folder else None
        form = _format(arguments, path, into_folder=into_folder)
        if arguments.plugin == ALL and folder is not None:
            from tbtui.cli.export.all import write_all

            left_out = write_all(logs, folder, form, skipped, arguments, progress)
            has_rows = folder.count > 0
        else:
            left_out = {}
            has_rows = _export_plugin(arguments, logs, path, folder, form, skipped, progress)
    logs.print_notes()
    for plugin, count in left_out.items():
        print_error(
            f"{format_count(count, 'tag')} of {plugin} left out: their values cannot be exported; "
            "the table metadata describes them"
        )
    _report_skipped(skipped, _name_values(arguments))
    _report_superseded(skipped, is_wide=arguments.wide)
    _report_notes(skipped)
    if has_rows:
        for reason in skipped.reasons:
            print_error(reason)
    else:
        logs.check_tag_pattern()
    if not has_rows or skipped.count == skipped.requested > 0:
        print_error(f"{' '.join(arguments.paths) or '.'}: {_explain_nothing(arguments, logs, skipped)}")
        return EXIT_NOTHING
    return 0


def _export_plugin(
    arguments: Namespace,
    logs: ExportedLogs,
    path: Path | None,
    folder: OutputFolder | None,
    form: TableFormat,
    skipped: SkippedValues,
    progress: Progress,
) -> bool:
    """Write one kind of data; return True if there was any."""
    # Only the step axis has one row for several points of a series.
    current = arguments.current or (arguments.wide and arguments.x_axis in (None, *STEP_AXES))
    request = ExportRequest(
        logs.runs(),
        logs.tag_matches,
        skipped,
        current,
        arguments.x_axis,
        arguments.x_tag or "",
        folder=folder,
        on_progress=progress.show_count,
        options={each.name: getattr(arguments, get_option_name(each)) for each in list_command_settings("export")}
        | {"figure": arguments.figure, "baseline": arguments.baseline},
        listed_runs=logs.listed_runs,
    )
    export = list_exports()[arguments.plugin]
    if isinstance(export, DocumentExport):
        from tbtui.cli.export.document_writer import DocumentWriter

        return DocumentWriter(export, export.documents(request), progress.show_count).write(arguments, path, folder)
    rows = export.rows(request)
    if arguments.wide:
        from tbtui.export.wide import X_COLUMNS, build_wide_table

        wide_table = build_wide_table(rows.tables, X_COLUMNS[arguments.x_axis or "step"], skipped)
        rows = Rows(wide_table.columns, wide_table.tables(), ())
    rows = Rows(rows.columns, _count_rows(rows.tables, logs), rows.key_columns)
    return _write(rows, form, path, folder, force=arguments.force)


def _count_rows(tables: Iterable[Table], logs: ExportedLogs) -> Iterator[Table]:
    """Yield tables unchanged, and add their rows to the progress."""
    for table in tables:
        yield table
        logs.count(len(table))
        del table


def _explain_nothing(arguments: Namespace, logs: ExportedLogs, skipped: SkippedValues) -> str:
    """Return the reason why there is nothing to write."""
    if skipped.count:
        return "nothing that can be written"
    if skipped.reasons:
        return f"no {_name_values(arguments)}: {'; '.join(skipped.reasons)}"
    return explain_no_match(
        arguments,
        f"no {_name_values(arguments)}",
        has_runs=not logs.is_empty,
        tags=logs.tags,
        filters=logs.filters,
        searched=logs.searched,
    )


def _report_skipped(skipped: SkippedValues, values: str) -> None:
    """Report the first value that was left out; `values` is the plural noun of the values."""
    if first := skipped.first:
        step = "" if first.step is None else f" at step {first.step}"
        where = f"first {first.tag} of {first.run}{step}"
        print_error(f"{skipped.count:,} of {skipped.requested:,} {values} left out, {where}: {first.reason}")


MAX_REPORTED_NOTES = 10


def _report_notes(skipped: SkippedValues) -> None:
    """Print problems of values that were written nevertheless to stderr."""
    if not skipped.notes:
        return
    from tbtui.charts.text import safe

    for run, tag, text in islice(skipped.notes, MAX_REPORTED_NOTES):
        print_error(safe(f"{tag} of {run}: {text}"))
    if (others := len(skipped.notes) - MAX_REPORTED_NOTES) > 0:
        print_error(f"{others:,} more; tbtui inspect lists all")


def _report_superseded(skipped: SkippedValues, *, is_wide: bool) -> None:
    """Print the number of superseded points that the export leaves out to stderr."""
    if skipped.superseded:
        option = "--wide has one row per step" if is_wide else "--current"
        print_error(f"{format_count(skipped.superseded, 'superseded point')} left out ({option})")
    if skipped.without_x:
        print_error(f"{format_count(skipped.without_x, 'point')} left out: the x axis has no value at their steps")
    if skipped.same_x:
        print_error(f"{format_count(skipped.same_x, 'point')} left out: a later one of the same column is in its row")


def _write(rows: Rows, form: TableFormat, path: Path | None, folder: OutputFolder | None, *, force: bool) -> bool:
    """Write the tables; without any, no file.

    Returns:
        Whether there was anything to write.
    """
    with folder or nullcontext():
        tables = iter(rows.tables)
        first = next(tables, None)
        if first is None:
            return False
        rows = Rows(rows.columns, chain([first], tables), rows.key_columns)
        del first, tables
        if path is None:
            _print(rows, form)
        elif folder is None:
            write_file(
                path, encode_tables(rows.tables, form, rows.columns, rows.key_columns, folder=path.parent), force=force
            )
        else:
            name = f"{MANIFEST}.{form}"
            waiting = folder.file(name).parent
            folder.write(name, encode_tables(rows.tables, form, rows.columns, rows.key_columns, folder=waiting))
            if not folder.count:
                folder.discard()
                return False
        return True


def _print(rows: Rows, form: TableFormat) -> None:
    if form == "csv" and sys.stdout is not None and sys.stdout.isatty():  # JSON is plain ASCII anyway
        rows = make_rows_safe(rows)
    pieces = encode_tables(rows.tables, form, rows.columns, rows.key_columns)
    if is_text(form):
        print_pieces(cast("Iterable[str]", pieces))
    else:
        print_bytes(cast("Iterable[bytes]", pieces))
