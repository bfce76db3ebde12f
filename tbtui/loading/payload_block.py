"""Values that are not kept in memory, read again from the files of their run."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.records.again import SPARE_BYTES, cut, read_again
from tbtui.records.source import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

BLOCK_BYTES = 4 << 20
"""What is read at once: it stays in the processor's cache until it is decoded."""

GONE = "the file is gone"
UNREADABLE = "the file cannot be read"


@frozen(eq=False)
class PayloadBlock:
    """Payloads of some points of one series."""

    points: npt.NDArray[np.int64]
    """Indices into the series, in the order they were asked for."""

    data: npt.NDArray[np.uint8]
    """The bytes read; the last eight of them belong to no payload."""

    starts: npt.NDArray[np.int64]
    """Offset in `data` of the payload (the serialized `Event`) of each point."""

    lengths: npt.NDArray[np.int64]
    """Bytes of each."""

    refused: Mapping[int, str] = field(default_factory=dict)
    """The points that were asked for and have no payload, and why: one plain sentence each."""

    may_pass: bool = False
    """They could not be read now, and perhaps can be later: nothing is known to be wrong with them."""

    def __len__(self) -> int:
        return len(self.points)

    def payload(self, place: int) -> bytes:
        """The payload of `points[place]`."""
        start = int(self.starts[place])
        return self.data[start : start + int(self.lengths[place])].tobytes()


def read_payloads(
    run: RunSnapshot,
    series: ReferenceSeries,
    points: npt.NDArray[np.int64],
    most_bytes: int = BLOCK_BYTES,
    largest: int | None = None,
) -> Iterator[PayloadBlock]:
    """Read the payloads of points, each compared with its checksum. A file is open only while its payloads are read.

    Args:
        run: the run that holds the series, of the same snapshot.
        series: where the values lie.
        points: indices into the series.
        most_bytes: what is read at once; more only when a single record is longer.
        largest: bytes of a payload from which on it is refused, not less than `most_bytes`; a file may claim gigabytes
            that take no place on the disk. None: never.

    Yields:
        Blocks in the order of `points`; what cannot be read is `refused` there.
    """
    files = series.files[points]
    for stretch in np.split(points, np.flatnonzero(files[1:] != files[:-1]) + 1):
        if len(stretch):
            yield from _of_one_file(run, series, stretch, most_bytes, largest)


def too_large(length: int) -> str:
    """Why a value of so many bytes is not read to be shown."""
    return f"it has {length:,} bytes, too many to show"


def joined(blocks: Sequence[PayloadBlock]) -> PayloadBlock:
    """One block with the payloads of several, in their order."""
    if len(blocks) == 1:
        return blocks[0]
    sizes = [len(block.data) for block in blocks]
    starts = [block.starts + sum(sizes[:number]) for number, block in enumerate(blocks)]
    return PayloadBlock(
        np.concatenate([np.empty(0, np.int64), *(block.points for block in blocks)]),
        np.concatenate([np.empty(0, np.uint8), *(block.data for block in blocks)]),
        np.concatenate([np.empty(0, np.int64), *starts]),
        np.concatenate([np.empty(0, np.int64), *(block.lengths for block in blocks)]),
        {point: reason for block in blocks for point, reason in block.refused.items()},
        any(block.may_pass for block in blocks),
    )


def _of_one_file(
    run: RunSnapshot,
    series: ReferenceSeries,
    points: npt.NDArray[np.int64],
    most_bytes: int,
    largest: int | None,
) -> Iterator[PayloadBlock]:
    offsets, lengths = series.offsets[points], series.lengths[points]
    done = 0
    try:
        with open_file(run.files[int(series.files[points[0]])].path) as file:
            for piece in cut(offsets, lengths, most_bytes):
                length = int(lengths[piece.start])
                if largest is not None and length > largest:  # alone in its piece
                    yield _nothing(points[piece], too_large(length), may_pass=False)
                    done = piece.stop
                    continue
                records = read_again(file, offsets[piece], lengths[piece])
                refused = {int(points[piece][row]): reason for row, reason in records.refused.items()}
                kept = np.delete(np.arange(len(records.starts)), list(records.refused))
                done = piece.stop
                yield PayloadBlock(
                    points[piece][kept], records.data, records.starts[kept], records.lengths[kept], refused
                )
    except (FileNotFoundError, NotADirectoryError):
        yield _nothing(points[done:], GONE)
    except OSError as error:
        yield _nothing(points[done:], f"{UNREADABLE}: {(error.strerror or str(error)).lower()}")


def _nothing(points: npt.NDArray[np.int64], reason: str, *, may_pass: bool = True) -> PayloadBlock:
    none = np.empty(0, np.int64)
    refused = dict.fromkeys(points.tolist(), reason)
    return PayloadBlock(none, np.zeros(SPARE_BYTES, np.uint8), none, none, refused, may_pass)
