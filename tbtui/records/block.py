"""A block of records, as the reader hands it to the decoder."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.records.checksum import payload_checksums, pieces_checksum

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tbtui.records.damage import Damage

HEADER_BYTES = 12
"""Length (8 bytes, little-endian) and its masked checksum (4 bytes). TensorBoard `tf_record.rs`."""
FOOTER_BYTES = 4
"""Masked checksum of the payload."""
OVERHEAD_BYTES = HEADER_BYTES + FOOTER_BYTES
_PIECE_BYTES = 1 << 18


@frozen(eq=False)
class RecordBlock:
    """Complete records in the order of the file; damaged places may lie between them."""

    data: npt.NDArray[np.uint8]
    """The bytes read."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of each record's payload, in the order of the file; 0 if only an outline was read."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each payload."""

    offsets: npt.NDArray[np.int64]
    """Byte offset in the file of each payload."""

    damage: tuple[Damage, ...]
    """Damage found since the previous block."""

    at_end: bool
    """The file holds nothing more for now."""

    truncated: bool
    """The file ends with an incomplete record."""

    outlines: Mapping[int, bytes] = field(default_factory=dict)
    """Outlines of the payloads that were not read as a whole, by record."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def end(self) -> int:
        """Byte offset in the file just behind the last record; the block must not be empty."""
        return int(self.offsets[-1] + self.lengths[-1]) + FOOTER_BYTES

    def payload(self, index: int) -> bytes:
        """Return the payload of record `index`, or its outline."""
        if index in self.outlines:
            return self.outlines[index]
        start = int(self.starts[index])
        return self.data[start : start + int(self.lengths[index])].tobytes()

    def offset(self, index: int) -> int:
        """Return the byte offset in the file of the header of record `index`."""
        return int(self.offsets[index]) - HEADER_BYTES

    def verify(self, index: int) -> bool:
        """Return True if the payload of record `index`, which was read as a whole, matches its checksum."""
        start = int(self.starts[index])
        end = start + int(self.lengths[index])
        stored = int.from_bytes(self.data[end : end + FOOTER_BYTES].tobytes(), "little")
        # A long payload is never copied as a whole.
        pieces = (self.data[at : min(at + _PIECE_BYTES, end)].tobytes() for at in range(start, end, _PIECE_BYTES))
        return stored == pieces_checksum(pieces)

    def mismatches(self, rows: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the given records, or all, whose payloads were read and do not match their checksums.

        Several times faster than `verify` for each.
        """
        rows = np.arange(len(self)) if rows is None else rows
        if self.outlines:
            is_read = np.ones(len(self), np.bool_)
            is_read[list(self.outlines)] = False
            rows = rows[is_read[rows]]
        return rows[mismatches(self.data, self.starts[rows], self.lengths[rows])]


def mismatches(
    data: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the indices of the payloads in `data` that do not match the checksums behind them."""
    ends = starts + lengths
    stored = data[ends[:, None] + np.arange(FOOTER_BYTES)].view("<u4")[:, 0]
    view = data.data
    payloads = (view[start:end].tobytes() for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return np.flatnonzero(stored != payload_checksums(payloads))
