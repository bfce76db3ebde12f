"""Details of a text, and writing texts to a file. Imports no Textual."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from tbtui.charts.numbers import format_clock, format_size
from tbtui.events.tensors import format_shape
from tbtui.export.formats import FORMATS, choose_text_format, encode_text
from tbtui.loading.payloads import Payloads
from tbtui.plugins.text.export import TEXTS, build_text_table, decode_losslessly
from tbtui.plugins.text.pane.list_model import TextKey
from tbtui.plugins.text.read import TextReadError, read_text
from tbtui.view.descriptions import describe_tag
from tbtui.view.descriptions import summarize_points as count_points
from tbtui.widgets.file_saver import FileSaver, create_file_fields, propose_name
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tbtui.export.formats import Format
    from tbtui.plugins.text.document import Texts
    from tbtui.plugins.text.pane.list_model import TextListing
    from tbtui.plugins.text.read import StoredText, TextPoint
    from tbtui.view.view import View
    from tbtui.widgets.form_fields import Field


def format_about_lines(texts: Texts, view: View, text: TextPoint) -> tuple[str, ...]:
    """Return the details of one text, which is read for them, and of its tag in the drawn runs."""
    tag = text.series.tag
    all_series = [series for _, series in view.references(tag, "text")]
    return (
        *_format_about_text(texts, text),
        "",
        *describe_tag(view, "text", tag, all_series, lambda series: (count_points(series, "text"),)),
    )


def _format_about_text(texts: Texts, text: TextPoint) -> Iterator[str]:
    series, point = text.series, text.point
    superseded = series.kept is not None and not series.kept[point]
    yield f"step {text.step} of {text.run.name}{', superseded by a restart' if superseded else ''}"
    yield f"written {format_clock(text.wall_time)} ({text.wall_time!r} seconds since 1970)"
    try:
        stored = texts.text(text)
    except TextReadError as error:
        yield f"cannot be read: {error}"
    else:
        rank = len(stored.shape)
        shape = f", shape {format_shape(stored.shape)}" if rank else ""
        yield f"tensor of strings, rank {rank}{shape}, {format_size(stored.nbytes)}"
        yield from stored.notes
    record = f"record of {format_size(int(series.lengths[point]))} at byte {int(series.offsets[point]):,}"
    files = text.run.files
    number = int(series.files[point])
    yield f"{record} of {files[number].path if number < len(files) else 'a file that is gone'}"


PLAIN: Literal["plain"] = "plain"


def write_fields(text: TextPoint) -> tuple[Field, ...]:
    """Return the fields of the form that writes a text, or several."""
    name = propose_name("text.md", text.run.name, text.series.tag, f"step{text.step}")
    which = Choice(
        "which",
        "texts",
        (("this", "this one"), ("series", "all of its tag and run"), ("tag", "all of its tag"), ("all", "all listed")),
        "this",
        "several as plain text: the oldest first, each below a line with its tag, step and time",
    )
    return create_file_fields(name, which, formats=(PLAIN, *FORMATS))


class TextWriter(FileSaver):
    """Write texts of one list to a file.

    Args:
        payloads: Reader of the event files.
        listed: The list.
        text: The selected text.
    """

    no_data_error = TextReadError
    no_data_field = "which"
    errors = "surrogateescape"

    def __init__(self, payloads: Payloads | None, listed: TextListing, text: TextPoint) -> None:
        super().__init__()
        self._payloads, self._listed, self._text = payloads or Payloads(), listed, text

    def pieces(self, entered: dict[str, Any]) -> Iterator[str]:
        """Yield texts as they are, or as tables.

        Raises:
            TextReadError: One cannot be read.
        """
        chosen = list(self._select_texts(entered["which"]))
        form = entered["format"] or _format_of(entered["path"])
        if form != PLAIN:
            tables = (build_text_table(text.series, {text.point: stored}) for text, stored in self._read_all(chosen))
            yield from encode_text(tables, form, TEXTS)
            return
        for text, stored in self._read_all(chosen):
            yield from (_format_headline(text), *_as_written(stored), "\n") if len(chosen) > 1 else _as_written(stored)

    def _read_all(self, chosen: Sequence[TextPoint]) -> Iterator[tuple[TextPoint, StoredText]]:
        for text in chosen:
            yield text, self._read(text)
            self._rows += 1

    def _read(self, text: TextPoint) -> StoredText:
        try:
            return read_text(self._payloads, text, is_full=True)
        except TextReadError as error:
            raise TextReadError(f"step {text.step} of {text.run.name}: {error}") from error

    def _select_texts(self, which: str) -> Iterator[TextPoint]:
        if which == "this":
            yield self._text
            return
        run_and_tag = self._text.run.name, self._text.series.tag
        for (run, tag), points in self._listed.points.items():
            if which == "all" or (run, tag) == run_and_tag or (which == "tag" and tag == run_and_tag[1]):
                for point in points[::-1].tolist():
                    text = self._listed.at(TextKey(run, tag, point))
                    if text is not None:
                        yield text


def _format_of(path: Path) -> Format | Literal["plain"]:
    """Return the format that a file name asks for; plain if it asks for none."""
    return choose_text_format(path) if path.suffix.lower().removeprefix(".") in FORMATS else PLAIN


def _format_headline(text: TextPoint) -> str:
    return f"=== {json.dumps([text.run.name, text.series.tag])} step {text.step} wall time {text.wall_time!r}\n"


def _as_written(stored: StoredText) -> Iterator[str]:
    """Yield a document unchanged; a table as CSV, since its cells may hold any separator."""
    if stored.document is not None:
        yield decode_losslessly(stored.document)
        return
    for row in stored.cells:
        yield ",".join(_quote_field(decode_losslessly(cell)) for cell in row) + "\n"


def _quote_field(cell: str) -> str:
    """Return a cell as a CSV field; the csv module of Python 3.10 cannot write a null character."""
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in ',"\r\n') else cell
