"""`tbtui export [PATH …]`: data out, for other programs. Imports no Textual."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.cli.cache import complain_of_index, run_indexes
from tbtui.cli.complaint import complain
from tbtui.cli.inspect import NOTHING
from tbtui.cli.patterns import PatternError, matches
from tbtui.cli.progress import Progress, is_watched
from tbtui.cli.stdout import print_pieces
from tbtui.export.folder import OutputFolder, check_folder
from tbtui.export.formats import FORMATS, format_of, text_of
from tbtui.export.output import OutputError, OutputExistsError, check_output, write_file
from tbtui.export.refusals import Refusals
from tbtui.export.scalars import SCALARS, scalar_tables
from tbtui.loading.loader import Loader
from tbtui.loading.sources import SourceError, parse_sources

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import NoReturn

    from tbtui.export.formats import Format
    from tbtui.export.table import Table
    from tbtui.loading.state import LoadState
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot

STDOUT = "-"
"""What `-o` says when it means stdout."""

FILES = frozenset(("images", "audio"))
"""What is written as files into a folder, with a table of them; to stdout the table goes alone."""

GRAPHS = "graphs"
"""What is written as documents, each by itself."""

MANIFEST = "manifest"
"""What that table is called; its format is behind a dot."""

VALUES = {
    "scalars": "scalars",
    "histograms": "histograms",
    "distributions": "histograms",
    "pr_curves": "PR curves",
    "text": "texts",
    "images": "images",
    "audio": "sounds",
    GRAPHS: "graphs",
}
"""What `--plugin` may ask for, and what the values are called that it reads."""


def run(arguments: Namespace) -> int:
    """Write what is stored to a file or stdout.

    Args:
        arguments: As `parse_export` gives them.

    Returns:
        0 fine; 1 nothing matched, or nothing of it could be read; 2 wrong arguments or path, the output's too.
    """
    path = None if arguments.output in (None, STDOUT) else Path(arguments.output)
    into_folder = path is not None and _into_folder(arguments, path)
    try:
        if path is not None and into_folder:
            _check_folder(path, arguments)
        elif path is not None:
            check_output(path, force=arguments.force)
        return _export(arguments, path)
    except OutputExistsError as error:
        replaced = "writes into it, and replaces files of the same names" if into_folder else "replaces it"
        return complain(f"{error} (--force {replaced})")
    except (SourceError, PatternError, OutputError) as error:
        return complain(str(error))


def _into_folder(arguments: Namespace, path: Path) -> bool:
    """Whether files are written: of graphs into a folder that is there, or has a slash or no ending behind its name."""
    if arguments.plugin != GRAPHS:
        return arguments.plugin in FILES
    return path.is_dir() or arguments.output.endswith(os.sep) or not (path.exists() or path.suffix)


def _check_folder(path: Path, arguments: Namespace) -> None:
    """See whether a folder can be written; who names a file wants the table, which is not what would be there."""
    if arguments.plugin in FILES and path.suffix.lower().removeprefix(".") in FORMATS and not path.is_dir():
        raise OutputError(f"{path} would be a folder of files; without -o the table of them goes to stdout")
    check_folder(path, force=arguments.force)


def _export(arguments: Namespace, path: Path | None) -> int:
    # Payload checksums are compared, too: no number that a disk has changed goes on without a word.
    loaded = Loader(
        parse_sources(arguments.paths),
        reload_seconds=0,
        check_payloads=True,
        indexes=run_indexes(arguments),
        jobs=arguments.jobs,
    ).load_all()
    runs = loaded.snapshot.runs
    run_matches = matches(arguments.runs, runs)
    chosen = {name: held for name, held in runs.items() if run_matches(name)}
    tag_matches = matches(arguments.tags, {tag for held in chosen.values() for tag in held.series})
    refusals = Refusals()
    folder = OutputFolder(path, force=arguments.force) if path is not None and _into_folder(arguments, path) else None
    counted = GRAPHS if arguments.plugin == GRAPHS else "steps"
    with Progress(counted, is_alone=path is not None or not is_watched(sys.stdout)) as progress:
        if arguments.plugin == GRAPHS:
            from tbtui.cli.export_graphs import GraphWriting

            writing = GraphWriting(loaded.snapshot, run_matches, tag_matches, refusals, progress.told)
            with _ending_in_order() if path is not None else nullcontext():
                found = writing.write(arguments, path, folder)
        else:
            columns, tables = _tables(arguments, loaded.snapshot, run_matches, tag_matches, refusals, folder, progress)
            found = _write(tables, columns, arguments, path, folder)
    complain_of_index(loaded)
    _tell_damage(loaded, chosen)
    _tell_refusals(refusals, VALUES[arguments.plugin])
    if not found or refusals.count == refusals.asked > 0:
        complain(f"{' '.join(arguments.paths) or '.'}: {_nothing(arguments, runs, refusals)}")
        return NOTHING
    return 0


def _tables(
    arguments: Namespace,
    snapshot: StoreSnapshot,
    run_matches: Callable[[str], bool],
    tag_matches: Callable[[str], bool],
    refusals: Refusals,
    folder: OutputFolder | None,
    progress: Progress,
) -> tuple[Sequence[str], Iterator[Table]]:
    """Names of columns and the tables of what `--plugin` asks for; `refusals` are told while these are taken."""
    current = arguments.current
    if arguments.plugin == "scalars":
        return SCALARS, scalar_tables(snapshot, run_matches, tag_matches, current=current)
    if arguments.plugin == "pr_curves":
        from tbtui.export.pr_curves import CURVES, curve_tables

        return CURVES, curve_tables(snapshot, run_matches, tag_matches, refusals, current=current)
    if arguments.plugin in FILES:
        from tbtui.export.images import IMAGES
        from tbtui.export.media import Media
        from tbtui.export.sounds import SOUNDS

        kind = IMAGES if arguments.plugin == "images" else SOUNDS
        media = Media(kind, snapshot, run_matches, tag_matches, refusals, current, folder, progress.told)
        return media.columns, media.tables()
    if arguments.plugin == "text":
        from tbtui.export.texts import TEXTS, text_tables

        return TEXTS, text_tables(snapshot, run_matches, tag_matches, refusals, current=current)
    from tbtui.export.histograms import BUCKETS, QUANTILES, bucket_table, histogram_tables, quantile_table

    columns, table_of = (BUCKETS, bucket_table) if arguments.plugin == "histograms" else (QUANTILES, quantile_table)
    return columns, histogram_tables(snapshot, run_matches, tag_matches, table_of, refusals, current=current)


def _nothing(arguments: Namespace, runs: Mapping[str, RunSnapshot], refusals: Refusals) -> str:
    """Why there is nothing to write."""
    if not runs:
        return "no event files"
    if refusals.count:
        return "nothing that can be written"
    if arguments.runs or arguments.tags:
        return "nothing matches"
    return f"no {VALUES[arguments.plugin]}"


def _tell_damage(loaded: LoadState, chosen: Mapping[str, RunSnapshot]) -> None:
    """Name what could not be read, in few lines: `inspect` has all of it."""
    for problem in loaded.problems:
        if problem.run not in loaded.snapshot.runs:  # a directory that could not be looked into
            complain(f"{problem.path}: {problem.problem.message}")
    files = [file for held in chosen.values() for file in held.files if file.state in {"corrupt", "unreadable"}]
    if files:
        others = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        complain(f"{files[0].path}{others}: damaged, exported as far as it can be read (see tbtui inspect)")


def _tell_refusals(refusals: Refusals, values: str) -> None:
    """Name the first value that was left out; `values` is what all of them are called."""
    if first := refusals.first:
        where = f"first {first.tag} of {first.run} at step {first.step}"
        complain(f"{refusals.count:,} of {refusals.asked:,} {values} left out, {where}: {first.reason}")


def _write(
    tables: Iterator[Table],
    columns: Sequence[str],
    arguments: Namespace,
    path: Path | None,
    folder: OutputFolder | None,
) -> bool:
    """Write the tables, where there are any.

    Returns:
        Whether there was anything to write.
    """
    with nullcontext() if path is None else _ending_in_order(), folder or nullcontext():
        first = next(tables, None)
        if first is None:
            return False
        tables = chain([first], tables)
        form: Format = arguments.format or (format_of(path) if folder is None else "jsonl")
        if path is None:
            if form == "csv" and sys.stdout is not None and sys.stdout.isatty():  # JSON is plain ASCII anyway
                tables = map(_safe, tables)
            print_pieces(text_of(tables, form, columns))
        elif folder is None:
            write_file(path, text_of(tables, form, columns), force=arguments.force)
        else:
            write_file(folder.file(f"{MANIFEST}.{form}"), text_of(tables, form, columns))
            if not folder.count:
                folder.forget()
                return False
        return True


def _safe(table: Table) -> Table:
    """For a terminal and the person before it: names and texts that it does not obey."""
    from tbtui.charts.text import safe

    made_safe = np.frompyfunc(lambda value: safe(value) if isinstance(value, str) else value, 1, 1)
    columns = {
        name: made_safe(column) if column.dtype.kind == "O" else column for name, column in table.columns.items()
    }
    return replace(table, run=safe(table.run), tag=safe(table.tag), columns=columns)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let a signal that ends the process end what is under way as Ctrl-C does, so that no half file stays."""

    def leave(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    # What the parent asked to be ignored stays so (`nohup`).
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
