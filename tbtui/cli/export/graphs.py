"""`tbtui export --plugin graphs`: each graph as a document by itself, in a file, a folder or on stdout."""

from __future__ import annotations

import sys
from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.charts.text import safe
from tbtui.cli.errors import complain
from tbtui.cli.output import print_pieces
from tbtui.export.output import FileNames, OutputError, write_file
from tbtui.frozen import frozen
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.read import GraphReader
from tbtui.plugins.graphs.table import ENDINGS, graph_document, graph_format, graph_text

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tbtui.export.media import FileSink
    from tbtui.export.output import OutputFolder
    from tbtui.export.table import SkippedValues
    from tbtui.plugins.graphs.read import GraphSource
    from tbtui.plugins.graphs.table import GraphDocument, GraphFormat

MOST_NAMED = 3
"""Graphs that are named where there are too many for one file."""


@frozen
class GraphWriting:
    """Writes graphs.

    Args:
        sources: The graphs, as of `chosen_graphs`.
        refusals: Told of every graph that cannot be read.
        told: Called with the graphs that are done, and with how many there are in all.
    """

    sources: Sequence[GraphSource]
    refusals: SkippedValues
    told: Callable[[int, int], None]
    _reader: GraphReader = field(default_factory=lambda: GraphReader(Payloads(), most_bytes=0))
    _in_part: list[GraphDocument] = field(default_factory=list)
    """Graphs of which not everything can be read."""

    written: list[dict[str, str | int]] = field(default_factory=list)
    """Which graph each file of a folder holds, in JSON's terms: names of files do not tell runs and tags."""

    def write(self, arguments: Namespace, path: Path | None, folder: OutputFolder | None) -> bool:
        """Write them in the format that is asked for.

        Args:
            arguments: As `options.export.parse` gives them.
            path: The file, or the folder; None: stdout.
            folder: Where each goes into a file of its own; None: there may be no more than one.

        What could not be read of them is told on stderr.

        Returns:
            Whether there was anything to write.

        Raises:
            OutputError: They cannot be written there; the text of the error is one plain sentence.
        """
        found = self._write(arguments, path, folder)
        self.tell_parts()
        return found

    def write_all(self, folder: FileSink) -> None:
        """Put all of them into a folder in the format that is taken where none is asked for; tells as `write` does."""
        self.fill(folder, graph_format(None))
        self.tell_parts()

    def tell_parts(self) -> None:
        """Say which graphs are not whole."""
        if self._in_part:
            complain(_in_part(self._in_part))

    def _write(self, arguments: Namespace, path: Path | None, folder: OutputFolder | None) -> bool:
        form: GraphFormat = arguments.format or graph_format(path)
        if folder is not None:
            with folder:
                self.fill(folder, form)
                return folder.count > 0
        if len(self.sources) > 1:
            raise OutputError(_too_many(self.sources))
        pieces = self._text(self.sources[0], form) if self.sources else None
        if pieces is None:
            return False
        if path is None:
            print_pieces(_for_person(pieces) if sys.stdout is not None and sys.stdout.isatty() else pieces)
        else:
            write_file(path, pieces, force=arguments.force)
        return True

    def fill(self, folder: FileSink, form: GraphFormat) -> None:
        """Put each graph into a file that has its run and tag in its name."""
        names = FileNames()
        for done, source in enumerate(self.sources, start=1):
            stem = names.stem(source.run.name, source.tag)
            pieces = self._text(source, form)
            if pieces is not None:
                name = stem + ENDINGS[form][0]
                folder.put(name, "".join(pieces).encode())
                self.written.append({"file": name, "run": source.run.name, "tag": source.tag, "step": source.step})
            self.told(done, len(self.sources))

    def _text(self, source: GraphSource, form: GraphFormat) -> Iterator[str] | None:
        """A graph in a format; None where it is refused."""
        try:
            document = graph_document(self._reader, source)
            pieces = graph_text(document, form, self._reader)
        except GraphError as error:
            self.refusals.add(source.series, {source.point: str(error)}, asked=1)
            return None
        self.refusals.add(source.series, {}, asked=1)
        if document.losses:
            self._in_part.append(document)
        return pieces


def _too_many(sources: Sequence[GraphSource]) -> str:
    named = ", ".join(safe(f"{source.tag} of {source.run.name}") for source in sources[:MOST_NAMED])
    more = ", …" if len(sources) > MOST_NAMED else ""
    return f"{len(sources):,} graphs match ({named}{more}): choose one with --runs and --tags, or name a folder with -o"


def _in_part(documents: Sequence[GraphDocument]) -> str:
    first = documents[0]
    where = f"{first.source.tag} of {first.source.run.name}: {'; '.join(first.losses)}"
    if len(documents) == 1:
        return f"not all of {where}"
    return f"{len(documents):,} graphs are not whole, first {where}"


def _for_person(pieces: Iterable[str]) -> Iterator[str]:
    """For a terminal: lines that it does not obey."""
    for piece in pieces:
        yield "\n".join(map(safe, piece.split("\n")))
