"""Write the documents of a dashboard, such as graphs: each to a file of its own, or one to a file or to stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tbtui.charts.text import safe
from tbtui.cli.errors import print_error
from tbtui.cli.options.parser import format_of_name
from tbtui.cli.output import print_pieces
from tbtui.export.output import FileNames, OutputError, write_file

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tbtui.export.media import FileSink
    from tbtui.export.output import OutputFolder
    from tbtui.export.request import Document
    from tbtui.plugins.base import DocumentExport

MAX_NAMED = 3
"""Documents named in the error about too many for one file."""


class DocumentWriter:
    """Writes documents, and reports on stderr those that are incomplete.

    Args:
        export: Kind of the documents.
        documents: The documents.
        progress: Called with the number of written documents and the number of all.
    """

    def __init__(
        self, export: DocumentExport, documents: Sequence[Document], progress: Callable[[int, int], None]
    ) -> None:
        self._values, self._formats = export.noun, export.formats
        self._documents, self._progress = documents, progress
        self._incomplete: list[tuple[Document, tuple[str, ...]]] = []
        self.written: list[dict[str, str | int]] = []
        """Run, tag and step of each file of a folder, as JSON values: file names do not contain them exactly."""

    def write(self, arguments: Namespace, path: Path | None, folder: OutputFolder | None) -> bool:
        """Write the documents in the selected format.

        Args:
            arguments: Parsed by `options.export.parse`.
            path: The file, or the folder; None: stdout.
            folder: Receives a file for each document; None: there may be only one document.

        Returns:
            True if there was anything to write.

        Raises:
            OutputError: They cannot be written there.
        """
        has_documents = self._write(arguments, path, folder)
        self._report_incomplete()
        return has_documents

    def write_all(self, folder: FileSink) -> None:
        """Write all documents into a folder, in the default format."""
        self._fill(folder, next(iter(self._formats)))
        self._report_incomplete()

    def _write(self, arguments: Namespace, path: Path | None, folder: OutputFolder | None) -> bool:
        name = None if path is None else path.name
        form: str = arguments.format or format_of_name(name, self._formats) or next(iter(self._formats))
        if folder is not None:
            with folder:
                self._fill(folder, form)
                return folder.count > 0
        documents = [document for document in self._documents if not document.is_superseded] or self._documents
        if len(documents) > 1:
            raise OutputError(self._create_limit_error(documents))
        pieces = self._text(documents[0], form) if documents else None
        if pieces is None:
            return False
        if path is None:
            print_pieces(_make_safe(pieces) if sys.stdout is not None and sys.stdout.isatty() else pieces)
        else:
            write_file(path, pieces, force=arguments.force)
        return True

    def _fill(self, folder: FileSink, form: str) -> None:
        names = FileNames()
        for done, document in enumerate(self._documents, start=1):
            stem = names.stem(document.run, document.tag)
            pieces = self._text(document, form)
            if pieces is not None:
                name = f"{stem}.{self._formats[form][0]}"
                folder.put(name, "".join(pieces).encode())
                entry: dict[str, str | int] = {
                    "file": name,
                    "run": document.run,
                    "tag": document.tag,
                    "step": document.step,
                }
                if document.is_superseded:
                    entry["superseded"] = True
                self.written.append(entry)
            self._progress(done, len(self._documents))

    def _text(self, document: Document, form: str) -> Iterator[str] | None:
        text = document.text(form)
        if text is None:
            return None
        if text.losses:
            self._incomplete.append((document, text.losses))
        return text.pieces

    def _create_limit_error(self, documents: Sequence[Document]) -> str:
        named = ", ".join(safe(f"{document.tag} of {document.run}") for document in documents[:MAX_NAMED])
        more = ", …" if len(documents) > MAX_NAMED else ""
        return (
            f"{len(documents):,} {self._values} match ({named}{more}): "
            "choose one with --runs and --tags, or name a folder with -o"
        )

    def _report_incomplete(self) -> None:
        if not self._incomplete:
            return
        document, losses = self._incomplete[0]
        where = f"{document.tag} of {document.run}: {'; '.join(losses)}"
        if len(self._incomplete) == 1:
            print_error(f"not all of {where}")
        else:
            print_error(f"{len(self._incomplete):,} {self._values} are not whole, first {where}")


def _make_safe(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces for a terminal, without control characters."""
    for piece in pieces:
        yield "\n".join(map(safe, piece.split("\n")))
