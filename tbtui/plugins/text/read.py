"""Decode the bytes of a text: invalid bytes are reported, and long texts are cut."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.charts.numbers import format_count
from tbtui.charts.text import UNKNOWN_MARK
from tbtui.events.tensors import TensorError, format_shape, read_strings
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.frozen import frozen
from tbtui.loading.payloads import format_too_large

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


LINE_END_BYTES = 4096
"""Bytes before the cut that are searched for the end of a line."""

_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as Python's surrogateescape represents them."""


@frozen
class Source:
    """A text, or the first part of one."""

    text: str
    """Lines end in newlines alone. Other control characters, and surrogates for bytes that are not UTF-8, remain."""

    notes: tuple[str, ...] = ()
    """Changes to the text, as sentences."""

    shown: int = 0
    """Bytes that were decoded."""

    nbytes: int = 0
    """Bytes of the whole text."""


def decode_text(data: bytes, max_bytes: int) -> Source:
    """Decode bytes to text.

    Null characters are left out, as TensorBoard does. (`text_plugin.py`, `plugin_util.py`.)

    Args:
        data: UTF-8, or not.
        max_bytes: Maximum number of bytes that are decoded.
    """
    shown = data if len(data) <= max_bytes else data[: _find_cut(data, max_bytes)]
    notes = []
    try:
        text = shown.decode()
    except UnicodeDecodeError:
        text = shown.decode("utf-8", "surrogateescape")
        notes.append(f"{format_count(len(_ESCAPED.findall(text)), 'byte')} that are no UTF-8 stand as {UNKNOWN_MARK}")
    if nulls := text.count("\0"):
        text = text.replace("\0", "")
        notes.append(f"{format_count(nulls, 'null character')} left out")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Source(text, tuple(notes), len(shown), len(data))


def _find_cut(data: bytes, limit: int) -> int:
    """Return the index at which a text is cut: after a line, otherwise between two characters."""
    line = data.rfind(b"\n", max(limit - LINE_END_BYTES, 0), limit)
    if line >= 0:
        return line + 1
    end = limit
    while end > max(limit - 3, 0) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


# Configurations

MAX_JSON_CHARACTERS = 1 << 18
"""Characters of a text that is parsed as JSON."""

LINES_LOOKED_AT = 200
LINE_LOOKED_AT = 500
"""Lines, and characters of a line, that decide whether a text is a configuration."""

MIN_LINES_PER_OTHER_LINE = 10
"""A configuration has at least this many lines for each line that is not part of it."""

KEY = re.compile(
    r"""[ \t{\[(]*(?:-[ ]+)?(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[\w.$@/<>\[\]()-]{1,80}(?:[ ][\w.()-]{1,40}){0,2})"""
    r"[ ]*[:=](?=[ \t,]|$)"
)
"""A name and its separator: `lr: 0.1`, `  "lr": 0.1,`, `batch_size = 64`, `- name: adam`."""

_PART_OF_A_LIST = re.compile(r"[ \t]*(?:-[ ]+\S|---|[\[\]{}(),\"'0-9]|#)")
_MARKDOWN = re.compile(r"^(?:[ ]{0,3}(?:```|~~~|>)|[ ]*\|.*\|[ ]*$)|\]\(|\*\*\S", re.MULTILINE)
"""Signs that no configuration holds."""

_TITLE = re.compile(r"#{1,6} .*\n[ ]*\n")


def reads_as_configuration(text: str) -> bool:
    """Return True for JSON, YAML and the like, whose line ends, blanks and signs Markdown would interpret.

    It is then shown as text. A text that is mistaken for one loses its emphasis, and no word.
    """
    if _is_json(text.strip()):
        return True
    lines = [line[:LINE_LOOKED_AT] for line in text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT] if line.strip()]
    if len(lines) < 2 or _TITLE.match(text.lstrip()) or _MARKDOWN.search("\n".join(lines)):
        return False
    keys = sum(KEY.match(line) is not None for line in lines)
    others = sum(KEY.match(line) is None and _PART_OF_A_LIST.match(line) is None for line in lines)
    return 4 * keys >= max(len(lines), 8) and MIN_LINES_PER_OTHER_LINE * others <= len(lines)


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "[") or len(text) > MAX_JSON_CHARACTERS:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


# Texts read again from their files: which strings a tensor holds, and which of them are shown.
#
# Source of what is shown: TensorBoard `text_plugin.py` (`text_array_to_html`). A tensor of rank 0 is a document, of
# rank
# 1 a table of one column, of rank 2 a table in rows; of a higher rank the first table is shown. PyTorch and
# tensorboardX
# write each document as a tensor of rank 1 with one element; such a one is a document here.


MAX_SHOWN_BYTES = 256 << 20
"""Maximum size of a value that is read for display; reading takes about four times as much memory."""

MAX_CELLS = 10_000
"""Maximum number of displayed cells of a table."""

MAX_COLUMNS = 200


class TextPoint(NamedTuple):
    """One text of one run."""

    run: RunSnapshot
    series: ReferenceSeries
    """Series of `run`, of the same snapshot."""

    point: int
    """Index into the series."""

    @property
    def step(self) -> int:
        """Step of the text."""
        return int(self.series.steps[self.point])

    @property
    def wall_time(self) -> float:
        """Wall time in seconds since the epoch."""
        return float(self.series.wall_times[self.point])

    @property
    def identity(self) -> Hashable:
        """Identity of the text; a text at the same offset of a rewritten file has another one."""
        series, point = self.series, self.point
        where = (series.files, series.offsets, series.lengths, series.indices)
        return (self.run.name, series.tag, self.run.reading, self.step, *(int(column[point]) for column in where))


@frozen(eq=False)
class StoredText:
    """Strings of one value."""

    shape: tuple[int, ...]
    """Shape of the tensor."""

    cells: tuple[tuple[bytes, ...], ...]
    """Displayed rows, as they were written."""

    nbytes: int
    """Size of all strings, in bytes."""

    notes: tuple[str, ...] = ()
    """Sentences that say what is left out."""

    @property
    def document(self) -> bytes | None:
        """The text of a document; None for a table."""
        return self.cells[0][0] if len(self.shape) < 2 and math.prod(self.shape) == 1 else None


class TextReadError(ValueError):
    """A value cannot be displayed; the message is one plain sentence."""

    def __init__(self, reason: str, *, is_retryable: bool = False, is_large: bool = False) -> None:
        super().__init__(reason)
        self.is_large = is_large
        """True if the value can still be read whole."""

        self.is_retryable = is_retryable
        """True if a later read may succeed."""


def read_text(payloads: Payloads, text_point: TextPoint, *, is_full: bool = False) -> StoredText:
    """Read one text from its file.

    Args:
        payloads: Reader of payloads.
        text_point: Text to read.
        is_full: Read all cells and bytes, without limits.

    Raises:
        TextReadError: The value cannot be read or is not a text.
    """
    run, series, point = text_point
    length = int(series.lengths[point])
    if length > MAX_SHOWN_BYTES and not is_full:
        raise TextReadError(format_too_large(length), is_large=True)
    block = payloads.read(run, series, [point])
    if reason := block.errors.get(point):
        raise TextReadError(reason, is_retryable=block.is_retryable)
    moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
    try:
        value = read_stored_value(block.payload(0), int(series.indices[point]), moment)
        return _parse_array(read_strings(value, "a text"), is_full=is_full)
    except (StaleValueError, TensorError) as error:
        raise TextReadError(str(error)) from error


def read_whole_text(value: Any) -> StoredText:
    """Return the whole text that a `SummaryValue` holds.

    Raises:
        TensorError: It holds something else, or its tensor cannot be read.
    """
    return _parse_array(read_strings(value, "a text"), is_full=True)


def _parse_array(array: npt.NDArray[Any], *, is_full: bool) -> StoredText:
    shape = array.shape
    if not array.size:
        return StoredText(shape, (), 0)
    nbytes = sum(map(len, array.reshape(-1).tolist()))
    notes: list[str] = []
    if array.ndim > 2 and not is_full:
        zeros = "0, " * (array.ndim - 2)
        notes.append(f"a tensor of rank {array.ndim} and shape {format_shape(shape)}: only its [{zeros}:, :] is shown")
        array = array[(0,) * (array.ndim - 2)]
    table: npt.NDArray[Any] = array.reshape(-1, 1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])
    if not is_full:
        table = _cut_table(table, notes)
    return StoredText(shape, tuple(map(tuple, table.tolist())), nbytes, tuple(notes))


def _cut_table(table: npt.NDArray[Any], notes: list[str]) -> npt.NDArray[Any]:
    """Return the displayed part of a table."""
    rows, columns = table.shape
    displayed = table[: max(MAX_CELLS // min(columns, MAX_COLUMNS), 1), :MAX_COLUMNS]
    if displayed.shape != table.shape:
        notes.append(f"{format_shape(displayed.shape)} of {format_shape((rows, columns))} cells are shown")
    return displayed


MAX_CONFIGURATION_LINES = 60
"""Lines of one configuration on the page of a run; the Text tab shows all of it."""

MAX_CONFIGURATIONS = 12
"""Texts that are tried for the page of a run, those with the first names."""


def read_configurations(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the last text of each tag that reads as a configuration: its tag and its lines."""
    tags = sorted(tag for tag in run.series if run.references(tag, "text") is not None)
    for tag in tags[:MAX_CONFIGURATIONS]:
        series = run.references(tag, "text")
        if series is None:
            continue
        try:
            document = read_text(payloads, TextPoint(run, series, len(series) - 1)).document
        except TextReadError:
            continue  # the Text tab gives the reason
        text = "" if document is None else document.decode("utf-8", "replace")
        if reads_as_configuration(text):
            lines = text.strip("\n").split("\n")
            more = len(lines) - MAX_CONFIGURATION_LINES
            left_out = [f"and {more:,} more lines (tab Text)"] if more > 0 else []
            yield f"Text {tag}", [*lines[:MAX_CONFIGURATION_LINES], *left_out]
