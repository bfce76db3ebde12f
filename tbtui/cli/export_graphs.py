"""`tbtui export --plugin graphs`: each graph as a document by itself, in a file, a folder or on stdout."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from tbtui.cli.stdout import print_pieces
from tbtui.events.graph_errors import GraphError
from tbtui.export.file_names import FileNames
from tbtui.export.folder import OutputFolder
from tbtui.export.graphs import ENDINGS, chosen_graphs, graph_document, graph_format, graph_text
from tbtui.export.output import OutputError, write_file
from tbtui.loading.graphs import GraphReader
from tbtui.loading.payloads import Payloads

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tbtui.cli.progress import Progress
    from tbtui.export.graphs import GraphFormat
    from tbtui.export.refusals import Refusals
    from tbtui.loading.graphs import GraphSource
    from tbtui.store.snapshot import StoreSnapshot

MOST_NAMED = 3
"""Graphs that are named where there are too many for one file."""


def names_folder(output: str, path: Path) -> bool:
    """Whether `-o` asks for a folder of graphs: one that is there, ends in a slash, or has no ending of a file."""
    return path.is_dir() or output.endswith(os.sep) or not (path.exists() or path.suffix)


def write_graphs(
    arguments: Namespace,
    path: Path | None,
    snapshot: StoreSnapshot,
    run_matches: Callable[[str], bool],
    tag_matches: Callable[[str], bool],
    refusals: Refusals,
    progress: Progress,
) -> bool:
    """Write the graphs that are wanted.

    Returns:
        Whether there was anything to write.

    Raises:
        OutputError: They cannot be written there; the text of the error is one plain sentence.
    """
    sources = list(chosen_graphs(snapshot, run_matches, tag_matches))
    reader = GraphReader(Payloads(), most_bytes=0)
    form: GraphFormat = arguments.format or graph_format(path)
    if path is not None and names_folder(arguments.output, path):
        with OutputFolder(path, force=arguments.force) as folder:
            _fill(folder, sources, form, reader, refusals, progress)
            return folder.count > 0
    if len(sources) > 1:
        raise OutputError(_too_many(sources))
    pieces = next(_texts(sources, form, reader, refusals), None)
    if pieces is None:
        return False
    if path is None:
        print_pieces(_for_person(pieces) if sys.stdout is not None and sys.stdout.isatty() else pieces)
    else:
        write_file(path, pieces, force=arguments.force)
    return True


def _fill(
    folder: OutputFolder,
    sources: Sequence[GraphSource],
    form: GraphFormat,
    reader: GraphReader,
    refusals: Refusals,
    progress: Progress,
) -> None:
    """Put each graph into a file that has its run and tag in its name."""
    names = FileNames()
    stems = [names.stem(source.run.name, source.tag) for source in sources]
    for number, (source, stem) in enumerate(zip(sources, stems, strict=True), start=1):
        for pieces in _texts([source], form, reader, refusals):
            folder.put(stem + ENDINGS[form][0], "".join(pieces).encode())
        progress.told(number, len(sources))


def _texts(
    sources: Iterable[GraphSource], form: GraphFormat, reader: GraphReader, refusals: Refusals
) -> Iterator[Iterable[str]]:
    """Each graph in a format; those that cannot be read are refused."""
    for source in sources:
        reasons = {}
        try:
            yield graph_text(graph_document(reader, source), form, reader)
        except GraphError as error:
            reasons[source.point] = str(error)
        refusals.add(source.series, reasons, asked=1)


def _too_many(sources: Sequence[GraphSource]) -> str:
    named = ", ".join(f"{source.tag} of {source.run.name}" for source in sources[:MOST_NAMED])
    more = ", …" if len(sources) > MOST_NAMED else ""
    return f"{len(sources):,} graphs match ({named}{more}): choose one with --runs and --tags, or name a folder with -o"


def _for_person(pieces: Iterable[str]) -> Iterator[str]:
    """For a terminal: lines that it does not obey."""
    from tbtui.charts.text import safe

    for piece in pieces:
        yield "\n".join(map(safe, piece.split("\n")))
