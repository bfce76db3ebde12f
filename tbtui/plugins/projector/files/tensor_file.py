"""Read files of tensors: tab-separated text, as PyTorch and tensorboardX write it, and raw float32.

TensorBoard takes any file that is valid UTF-8 for text, so that raw zeros fail there. Here a file is raw if its size
fits the shape in the configuration, or if a NUL byte is near its start.

Speed on 25 MB of text, 2 cores: `float` in Python 45 MB/s, `numpy.loadtxt` 72, msgspec on blocks whose tabs and line
ends were turned into commas 183. JSON has no NaN and no infinity: such a block is read by numpy.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.tfrecord.file import OpenFile

    Matrix: TypeAlias = npt.NDArray[np.float32]

BLOCK_BYTES = 4 << 20
HEAD_BYTES = 4096
MAX_TENSOR_BYTES = 2 << 30
"""Bytes of float32 in memory that one tensor may take; further rows are left out, and the pane says so."""

VALUE_BYTES = 4


class TensorFileError(Exception):
    """The tensor cannot be read; the text is the reason."""


@frozen(eq=False)
class Tensor:
    """A matrix of points, with the problems of its file."""

    values: Matrix
    """float32[n, d]."""

    problems: tuple[str, ...] = ()
    is_complete: bool = True
    """False for an evenly spaced part of the rows, shown while all rows are being read."""


def read_tensor(path: str, shape: Sequence[int] = ()) -> Iterator[Tensor]:
    """Yield an evenly spaced part of a large text file first, then the complete file.

    Args:
        path: The file.
        shape: Number of points and of dimensions in the configuration, if any.

    Raises:
        TensorFileError: The file holds no matrix.
        OSError: It cannot be read.
    """
    with open_file(path) as file:
        if not file.size:
            raise TensorFileError("the file of the tensor is empty")
        if _is_raw(file, shape):
            yield _read_raw(file, shape)
        else:
            yield from _read_text(file)


def _is_raw(file: OpenFile, shape: Sequence[int]) -> bool:
    if len(shape) == 2 and VALUE_BYTES * shape[0] * shape[1] == file.size:
        return True
    return bool((file.read(0, HEAD_BYTES) == 0).any())


def _read_raw(file: OpenFile, shape: Sequence[int]) -> Tensor:
    if len(shape) != 2 or min(shape) < 1:
        raise TensorFileError(
            f"the tensor is raw bytes, but its configuration has no tensor_shape [N, D]: {list(shape)}"
        )
    points, dimensions = shape
    stored = file.size // (VALUE_BYTES * dimensions)
    problems = []
    if file.size != VALUE_BYTES * points * dimensions:
        problems.append(
            f"the file has {file.size:,} bytes, tensor_shape {points} x {dimensions} needs "
            f"{VALUE_BYTES * points * dimensions:,}: {min(points, stored):,} points are shown"
        )
    count = min(points, stored)
    if not count:
        raise TensorFileError(f"the file has {file.size:,} bytes, less than one point of {dimensions} dimensions")
    limit = MAX_TENSOR_BYTES // (VALUE_BYTES * dimensions)
    if count > limit:
        problems.append(f"the first {limit:,} of {count:,} points are shown: more do not fit in memory")
        count = limit
    data = file.read(0, VALUE_BYTES * count * dimensions)
    values = data.view("<f4").astype(np.float32, copy=False).reshape(count, dimensions)
    return Tensor(values, tuple(problems))


SAMPLE_EVERY = 10
"""One block in ten of a large text file is read for the first picture."""

MIN_SAMPLED_BYTES = 10 * BLOCK_BYTES


def _read_text(file: OpenFile) -> Iterator[Tensor]:
    if file.size > MIN_SAMPLED_BYTES:
        sample = _TextReader()
        for offset in range(0, file.size, SAMPLE_EVERY * BLOCK_BYTES):
            block = file.read(offset, BLOCK_BYTES).tobytes()
            begin = block.find(b"\n") + 1 if offset else 0
            sample.add(block[begin : block.rfind(b"\n") + 1])
        if sample.blocks:
            yield sample.build_tensor(is_complete=False)
    reader = _TextReader()
    rest = b""
    for offset in range(0, file.size, BLOCK_BYTES):
        block = rest + file.read(offset, BLOCK_BYTES).tobytes()
        end = block.rfind(b"\n") + 1
        rest = block[end:]
        reader.add(block[:end])
        if reader.nbytes > MAX_TENSOR_BYTES:
            reader.is_cut = True
            rest = b""
            break
    reader.add(rest)
    yield reader.build_tensor()


def _read_rows_with_msgspec(text: bytes) -> Matrix | None:
    """Return tab-separated rows of equal length; None if msgspec cannot read them.

    Commas replace tabs and line ends, so that the text is a JSON array.
    """
    from msgspec import DecodeError, json

    dimensions = text.count(b"\t", 0, text.find(b"\n") if b"\n" in text else len(text)) + 1
    rows = text.count(b"\n") + 1
    if text.count(b"\t") != (dimensions - 1) * rows or b"\n\n" in text:
        return None
    try:
        numbers = json.decode(b"[" + text.replace(b"\t", b",").replace(b"\n", b",") + b"]", type=list[float])
    except DecodeError:
        return None
    # Rows of different lengths may have the right number of cells in total.
    lines = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(lines == ord("\n"))
    tabs = np.add.reduceat(lines == ord("\t"), np.concatenate([[0], ends])) if rows > 1 else np.array([dimensions - 1])
    if not bool((tabs == dimensions - 1).all()):
        return None
    return np.array(numbers, np.float32).reshape(rows, dimensions)


class _TextReader:
    """Reads rows of text into blocks of numbers; the rows of a block have equal length."""

    def __init__(self) -> None:
        self.blocks: list[Matrix] = []
        self.nbytes = 0
        self.is_cut = False
        self._bad_numbers = 0

    def add(self, text: bytes) -> None:
        """Read whole lines."""
        text = text.strip(b"\r\n") if b"\r" not in text else text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not text.strip():
            return
        try:
            block = _read_rows_with_msgspec(text)
            if block is None:
                block = np.loadtxt(io.BytesIO(text), np.float32, delimiter="\t", ndmin=2, comments=None)
        except ValueError:
            for part in self._read_lines(text):
                self._append(part)
        else:
            self._append(block)

    def _append(self, block: Matrix) -> None:
        self.blocks.append(block)
        self.nbytes += block.nbytes

    def _read_lines(self, text: bytes) -> Iterator[Matrix]:
        """Yield blocks of rows of equal length from text that numpy refuses; other texts than numbers become NaN."""
        rows: list[list[float]] = []
        for line in text.split(b"\n"):
            if not line.strip():
                continue
            row = [self._parse_number(cell) for cell in line.split(b"\t")]
            if rows and len(row) != len(rows[-1]):
                yield np.array(rows, np.float32)
                rows = []
            rows.append(row)
        if rows:
            yield np.array(rows, np.float32)

    def _parse_number(self, cell: bytes) -> float:
        try:
            return float(cell)
        except ValueError:
            self._bad_numbers += 1
            return np.nan

    def build_tensor(self, *, is_complete: bool = True) -> Tensor:
        """Return the rows of the most frequent length.

        Raises:
            TensorFileError: There are none, or they hold no numbers.
        """
        counts: dict[int, int] = {}
        for block in self.blocks:
            counts[block.shape[1]] = counts.get(block.shape[1], 0) + len(block)
        if not counts:
            raise TensorFileError("the file of the tensor holds blank lines only")
        total = sum(counts.values())
        width = max(counts, key=lambda length: (counts[length], length))
        problems = []
        if self._bad_numbers == sum(block.size for block in self.blocks):
            raise TensorFileError("the file of the tensor holds text, no numbers")
        if counts[width] < total:
            other = total - counts[width]
            problems.append(
                f"{other:,} of {total:,} rows are left out: they do not have {width} values as the others have, "
                "so that metadata may belong to other points"
            )
        if self._bad_numbers:
            problems.append(f"{self._bad_numbers:,} values are not numbers")
        if self.is_cut:
            problems.append(f"the first {counts[width]:,} points are shown: more do not fit in memory")
        values = np.concatenate([block for block in self.blocks if block.shape[1] == width])
        return Tensor(values, tuple(problems), is_complete=is_complete)
