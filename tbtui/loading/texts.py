"""Texts read again from their files: which strings a tensor holds, and which of them are shown.

Source of what is shown: TensorBoard `text_plugin.py` (`text_array_to_html`). A tensor of rank 0 is a document, of rank
1 a table of one column, of rank 2 a table in rows; of a higher rank the first table is shown. PyTorch and tensorboardX
write each document as a tensor of rank 1 with one element; such a one is a document here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from tbtui.events.dtypes import DTYPES, STRING
from tbtui.events.tensors import TensorError, lengths_of, spelled, to_array
from tbtui.events.values import Moment, ValueGone, stored_value
from tbtui.frozen import frozen
from tbtui.loading.payload_block import too_large

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy.typing as npt

    from tbtui.loading.payload_block import PayloadBlock
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

LARGEST = 256 << 20
"""Bytes of a value that is read to be shown: reading takes some four times as many in memory."""

MOST_CELLS = 10_000
"""Cells of a table that are shown."""

MOST_COLUMNS = 200

MOST_CLAIMED = MOST_CELLS
"""Cells that a tensor may have without storing each: a shape is only a claim."""


class TextPoint(NamedTuple):
    """Which text of which run is meant."""

    run: RunSnapshot
    series: ReferenceSeries
    """Of the run, of the same snapshot."""

    point: int
    """Index into the series."""

    @property
    def step(self) -> int:
        """At which it was written."""
        return int(self.series.steps[self.point])

    @property
    def wall_time(self) -> float:
        """When, in seconds since the epoch."""
        return float(self.series.wall_times[self.point])

    @property
    def place(self) -> Hashable:
        """What tells it from any other text, also from one that takes its place in the file."""
        series, point = self.series, self.point
        where = (series.files, series.offsets, series.lengths, series.indices)
        return (self.run.name, series.tag, self.run.reading, self.step, *(int(column[point]) for column in where))


@frozen(eq=False)
class StoredText:
    """The strings of one value."""

    shape: tuple[int, ...]
    """Of the tensor."""

    cells: tuple[tuple[bytes, ...], ...]
    """Rows of those that are shown, as they were written."""

    nbytes: int
    """Of all strings."""

    notes: tuple[str, ...] = ()
    """What of it is left out, in plain words."""

    @property
    def document(self) -> bytes | None:
        """The only text, where it is no table."""
        return self.cells[0][0] if len(self.shape) < 2 and math.prod(self.shape) == 1 else None


class TextRefused(ValueError):  # noqa: N818 - what it says is no mistake of ours
    """A value that cannot be shown; the message is one plain sentence."""

    def __init__(self, reason: str, *, may_pass: bool = False, is_large: bool = False) -> None:
        super().__init__(reason)
        self.is_large = is_large
        """It can be read as a whole all the same."""

        self.may_pass = may_pass
        """Nothing is known to be wrong with it: perhaps it can be read later."""


def read_text(payloads: Payloads, wanted: TextPoint, *, whole: bool = False) -> StoredText:
    """Read one text from its file.

    Args:
        payloads: Reads files.
        wanted: Which.
        whole: Whether all of it is wanted, however much that is: all cells, all bytes.

    Raises:
        TextRefused: It cannot be read, or is none.
    """
    run, series, point = wanted
    length = int(series.lengths[point])
    if length > LARGEST and not whole:
        raise TextRefused(too_large(length), is_large=True)
    block = payloads.read(run, series, [point])
    if reason := block.refused.get(point):
        raise TextRefused(reason, may_pass=block.may_pass)
    return _text_of(block.payload(0), series, point, whole=whole)


def texts_in(block: PayloadBlock, series: ReferenceSeries) -> dict[int, StoredText | str]:
    """The whole texts of payloads by the points that they are of, or why they are none, in one plain sentence each."""
    points = enumerate(block.points.tolist())
    return {point: _text_or_reason(block.payload(place), series, point) for place, point in points}


def _text_or_reason(payload: bytes, series: ReferenceSeries, point: int) -> StoredText | str:
    try:
        return _text_of(payload, series, point, whole=True)
    except TextRefused as error:
        return str(error)


def _text_of(payload: bytes, series: ReferenceSeries, point: int, *, whole: bool) -> StoredText:
    moment = Moment(int(series.steps[point]), float(series.wall_times[point]))
    try:
        value = stored_value(payload, int(series.indices[point]), moment)
        return _stored(_strings(value), whole=whole)
    except (ValueGone, TensorError) as error:
        raise TextRefused(str(error)) from error


def _strings(value: Any) -> npt.NDArray[Any]:
    """The strings of a `Summary.Value` as an object array of bytes."""
    kind = value.WhichOneof("value")
    if kind != "tensor":
        raise TextRefused(f"the value is no tensor of strings but a {kind}" if kind else "the value holds nothing")
    tensor = value.tensor
    lengths = lengths_of(tensor)
    claimed = math.prod(max(length, 0) for length in lengths)
    if claimed > max(MOST_CLAIMED, len(tensor.string_val)):
        stored = f"that stores {len(tensor.string_val):,} texts"
        raise TextRefused(f"a tensor of shape {spelled(lengths)} {stored} is too large to show")
    number = tensor.dtype % 100
    if number != STRING:
        name = DTYPES[number].name if number in DTYPES else f"number {tensor.dtype}"
        raise TextRefused(f"the value is a tensor of type {name}, not of strings")
    return to_array(tensor)


def _stored(array: npt.NDArray[Any], *, whole: bool) -> StoredText:
    shape = array.shape
    if not array.size:
        return StoredText(shape, (), 0)
    nbytes = sum(map(len, array.reshape(-1).tolist()))
    notes: list[str] = []
    if array.ndim > 2 and not whole:
        zeros = "0, " * (array.ndim - 2)
        notes.append(f"a tensor of rank {array.ndim} and shape {spelled(shape)}: only its [{zeros}:, :] is shown")
        array = array[(0,) * (array.ndim - 2)]
    table: npt.NDArray[Any] = array.reshape(-1, 1) if array.ndim < 2 else array.reshape(-1, array.shape[-1])
    if not whole:
        table = _in_part(table, notes)
    return StoredText(shape, tuple(map(tuple, table.tolist())), nbytes, tuple(notes))


def _in_part(table: npt.NDArray[Any], notes: list[str]) -> npt.NDArray[Any]:
    """As much of a table as is shown."""
    rows, columns = table.shape
    part = table[: max(MOST_CELLS // min(columns, MOST_COLUMNS), 1), :MOST_COLUMNS]
    if part.shape != table.shape:
        notes.append(f"{spelled(part.shape)} of {spelled((rows, columns))} cells are shown")
    return part
