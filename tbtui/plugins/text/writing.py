"""Writes texts to a file, byte by byte as they were logged. Imports no Textual."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from tbtui.loading.payloads import Payloads
from tbtui.plugins.text.listed import Place
from tbtui.plugins.text.reading import TextRefused, read_text
from tbtui.widgets.file_writing import FileWriting, file_fields
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tbtui.plugins.text.listed import Listed
    from tbtui.plugins.text.reading import StoredText, TextPoint

TEXT, JSON_LINES = "text", "jsonl"

FIELDS = file_fields(
    "text.md",
    Choice(
        "which",
        "texts",
        (("this", "this one"), ("series", "all of its tag and run"), ("tag", "all of its tag"), ("all", "all listed")),
        "this",
        "several are written the oldest first, each below a line that names it",
    ),
    formats=(TEXT, JSON_LINES),
)


class Writing(FileWriting):
    """Of the texts of one list.

    Args:
        payloads: Reads files.
        listed: What there is.
        text: The one that is looked at.
    """

    nothing = TextRefused, "which"
    errors = "surrogateescape"

    def __init__(self, payloads: Payloads | None, listed: Listed, text: TextPoint) -> None:
        super().__init__()
        self._payloads, self._listed, self._text = payloads or Payloads(), listed, text

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Texts as they are, or as JSON lines.

        Raises:
            TextRefused: One cannot be read.
        """
        form = entered["format"] or _format_of(entered["path"])
        chosen = list(self._chosen(entered["which"]))
        for text in chosen:
            stored = self._read(text)
            self._rows += 1
            if form == JSON_LINES:
                yield _json_line(text, stored)
            else:
                if len(chosen) > 1:
                    yield _headline(text)
                yield from _as_written(stored)
                if len(chosen) > 1:
                    yield "\n"

    def _read(self, text: TextPoint) -> StoredText:
        try:
            return read_text(self._payloads, text, whole=True)
        except TextRefused as error:
            raise TextRefused(f"step {text.step} of {text.run.name}: {error}") from error

    def _chosen(self, which: str) -> Iterator[TextPoint]:
        if which == "this":
            yield self._text
            return
        own = self._text.run.name, self._text.series.tag
        for (run, tag), points in self._listed.points.items():
            if which == "all" or (run, tag) == own or (which == "tag" and tag == own[1]):
                for point in points[::-1].tolist():
                    text = self._listed.at(Place(run, tag, point))
                    if text is not None:
                        yield text


def _format_of(path: Path) -> str:
    return JSON_LINES if path.suffix.lower() in (".jsonl", ".json") else TEXT


def _string(data: bytes) -> str:
    """Bytes as characters that are written as the same bytes again."""
    return data.decode("utf-8", "surrogateescape")


def _headline(text: TextPoint) -> str:
    return f"=== {json.dumps([text.run.name, text.series.tag])} step {text.step} wall time {text.wall_time!r}\n"


def _as_written(stored: StoredText) -> Iterator[str]:
    """A document as it is; a table as CSV, since its cells may hold whatever could stand between them."""
    if stored.document is not None:
        yield _string(stored.document)
        return
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([_string(cell) for cell in row] for row in stored.cells)
    yield lines.getvalue()


def _json_line(text: TextPoint, stored: StoredText) -> str:
    """One object a line; a table is a list of lists. Bytes that are no UTF-8 are lone surrogates, as in Python."""
    table = [[_string(cell) for cell in row] for row in stored.cells]
    told = {"run": text.run.name, "tag": text.series.tag, "step": text.step, "wall_time": text.wall_time}
    return json.dumps({**told, "text": table if stored.document is None else _string(stored.document)}) + "\n"
