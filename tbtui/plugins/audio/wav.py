"""Read WAV files: the header and the samples as numbers, also when the header is damaged.

Source: Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0 (RIFF, `fmt `, `data`);
Microsoft, `WAVEFORMATEXTENSIBLE`; EBU Tech 3306 (RF64). Python's `wave` reads neither float samples nor
damaged headers.
"""

from __future__ import annotations

import math
import struct
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.audio.decode import WAV, detect_format
from tbtui.plugins.audio.headers import SoundHeader

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.audio.decode import SoundFormat

    Floats: TypeAlias = npt.NDArray[np.float32]

Kind: TypeAlias = Literal["pcm", "float"]

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
"""Values of `wFormatTag`."""

OTHER_FORMATS = {
    2: "ADPCM",
    6: "A-law",
    7: "µ-law",
    17: "IMA ADPCM",
    49: "GSM 6.10",
    80: "MPEG",
    85: "MP3",
    255: "AAC",
}

WIDTHS: dict[Kind, tuple[int, ...]] = {"pcm": (1, 2, 3, 4), "float": (4, 8)}
"""Supported sizes of a sample, in bytes."""

MAX_CHANNELS = 1024
MAX_CHUNKS = 1000
"""Chunks read in search of format and samples."""

UNKNOWN = 0xFFFFFFFF
"""Length of a chunk whose header was written before its length was known."""

_KNOWN_CHUNKS = frozenset((b"fmt ", b"data", b"LIST", b"fact", b"bext", b"PEAK", b"cue ", b"id3 ", b"ds64"))
_SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
"""Bytes after the format number in the GUID of an extensible header."""


class WavError(ValueError):
    """Bytes cannot be read as WAV; the message is one plain sentence."""


class UndrawnError(WavError):
    """The format is valid but not supported here; other programs can play it.

    Args:
        message: The reason, as one plain sentence.
        header: What the header of a WAV with compressed samples says.
    """

    def __init__(self, message: str, header: SoundHeader | None = None) -> None:
        super().__init__(message)
        self.header = header


class Rows(Protocol):
    """Samples of a file as they are stored: an array, or a reader of one."""

    def __getitem__(self, rows: slice | npt.NDArray[np.intp], /) -> npt.NDArray[Any]:
        """Return some rows; a slice has no step."""


class RowsOf(Protocol):
    """Returns the samples of a file."""

    def __call__(self, dtype: np.dtype[Any], begin: int, shape: tuple[int, ...], /) -> Rows:
        """Return the samples that begin at a byte offset."""


@frozen(eq=False)
class Wav:
    """WAV file with readable samples."""

    rate: int
    """Frames per second."""

    channels: int
    kind: Kind
    width: int
    """Size of a sample in bytes."""

    bits: int
    """Size of a sample in bits, from the header."""

    frames: int
    """Number of frames in the file; a frame is one sample of each channel."""

    notes: tuple[str, ...] = ()
    """Defects of the header, one plain sentence each."""

    _samples: Rows = field(default_factory=lambda: np.empty(0, np.uint8))
    """[frames, channels]; samples of three bytes as [frames, channels, 3]. A view of the bytes."""

    _big_endian: bool = False

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return self.frames / self.rate

    @property
    def clip_level(self) -> float:
        """Magnitude from which a sample may be clipped; infinite for 8 bits, whose steps are too coarse to tell."""
        if self.kind == "float":
            return math.nextafter(1.0, 2.0) + 1e-6
        return 1.0 - 2.0 ** (1 - self.bits) if self.bits > 8 else math.inf

    @property
    def clip_run(self) -> int:
        """Neighbouring samples at that magnitude that are clipped: a sine of full scale has up to two in a row."""
        return 1 if self.kind == "float" else 3

    @property
    def encoding(self) -> str:
        """Encoding of the samples: `16-bit PCM`, `32-bit float`."""
        return f"{self.bits}-bit {'PCM' if self.kind == 'pcm' else 'float'}"

    def at(self, rows: slice | npt.NDArray[np.intp]) -> Floats:
        """Return some frames, float32[n, channels]; full scale is -1 to 1.

        A sample that is not finite or does not fit float32 is NaN.
        """
        stored = self._samples[rows]
        if self.width == 3 and self.kind == "pcm":
            return _widen_three_bytes(stored, big_endian=self._big_endian)
        with np.errstate(over="ignore", invalid="ignore"):
            samples: Floats = stored.astype(np.float32)
        if self.kind == "float":
            samples[~np.isfinite(samples)] = np.nan
        elif self.width == 1:
            samples = (samples - np.float32(128)) / np.float32(128)
        else:
            samples *= np.float32(2.0 ** (1 - 8 * self.width))
        return samples


def _widen_three_bytes(stored: npt.NDArray[np.uint8], *, big_endian: bool) -> Floats:
    low, middle, high = np.moveaxis(stored if not big_endian else stored[..., ::-1], -1, 0).astype(np.int32)
    joined = low | middle << 8 | high << 16
    samples: Floats = (joined - ((joined & 0x800000) << 1)).astype(np.float32)
    samples /= np.float32(2**23)
    return samples


@frozen
class _Format:
    number: int
    channels: int
    rate: int
    block: int
    """Size of a frame in bytes, from the header."""

    bits: int
    bytes_per_second: int


def read_wav(data: bytes, total: int | None = None, rows: RowsOf | None = None) -> Wav:
    """Read a WAV: 8, 16, 24 or 32-bit PCM, 32 or 64-bit float, plain or extensible format, chunks in any order.

    Lengths in the header are not trusted: a truncated sound, or one written before its length was known, ends with its
    data.

    Args:
        data: Whole file, kept by reference without a copy; or its beginning.
        total: Size of the file in bytes, if `data` is only its beginning.
        rows: Returns the samples in that case.

    Raises:
        WavError: The bytes are no WAV, the format is not supported, or the header is invalid.
    """
    if (format_name := detect_format(data)) is not WAV:
        raise (WavError if format_name is None else UndrawnError)(_explain_no_wav(data, format_name))
    order = ">" if data[:4] == b"RIFX" else "<"
    total = len(data) if total is None else total
    layout, span, notes = _find_chunks(data, total, order)
    if layout is None:
        raise WavError("its header does not say how samples are stored: there is no fmt chunk")
    if span is None:
        raise WavError("it has a header, but no data chunk")
    return _build_wav(layout, span, notes, order, rows or partial(_view_rows, data))


def _explain_no_wav(data: bytes, sound_format: SoundFormat | None) -> str:
    if not data:
        return "it holds no bytes"
    if sound_format is not None:
        return f"it is {sound_format.name}, which can be played and written to a file, but not drawn"
    if data.startswith(WAV.begins):
        return "it is RIFF, but no WAV" if len(data) >= 12 else "it ends within its header"
    return "it does not begin like a WAV file"


def _view_rows(data: bytes, dtype: np.dtype[Any], begin: int, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    return np.frombuffer(data, dtype, math.prod(shape), begin).reshape(shape)


def _find_chunks(data: bytes, total: int, order: str) -> tuple[_Format | None, tuple[int, int] | None, list[str]]:
    """Return the format, the byte range [first, end) of the samples, and defects; None for what is not found."""
    layout: _Format | None = None
    span: tuple[int, int] | None = None
    notes: list[str] = []
    wide_size: int | None = None
    offset = 12
    for _ in range(MAX_CHUNKS):
        if offset + 8 > len(data) or (layout is not None and span is not None):
            break
        name, size = struct.unpack_from(order + "4sI", data, offset)
        begin, left = offset + 8, total - offset - 8
        if name == b"fmt ":
            layout = _format(data[begin : begin + min(size, left)], order)
        elif name == b"ds64" and left >= 16:
            wide_size = struct.unpack_from("<Q", data, begin + 8)[0]
        elif name == b"data":
            if size == UNKNOWN and wide_size is not None:
                size = wide_size
            span, note = _locate_data(total, begin, size)
            notes += note
            size = span[1] - span[0]
        offset = _find_next_chunk(data, begin, size)
    return layout, span, notes


def _locate_data(total: int, begin: int, size: int) -> tuple[tuple[int, int], list[str]]:
    left = total - begin
    if size == 0 and left:
        return (begin, total), ["its header says that it has no samples, but it has"]
    if size <= left:
        return (begin, begin + size), []
    if size >= UNKNOWN // 2:
        return (begin, total), ["its header was written before its length was known"]
    return (begin, total), [f"cut off: it has {left:,} of {size:,} bytes of samples"]


def _find_next_chunk(data: bytes, begin: int, size: int) -> int:
    """Return the offset of the next chunk: even by the standard, odd from some writers."""
    end = begin + size
    return end if size % 2 == 0 or data[end : end + 4] in _KNOWN_CHUNKS else end + 1


def _format(chunk: bytes, order: str) -> _Format:
    if len(chunk) < 14:
        raise WavError("its fmt chunk is cut off")
    number, channels, rate, bytes_per_second, block = struct.unpack_from(order + "HHIIH", chunk)
    bits = struct.unpack_from(order + "H", chunk, 14)[0] if len(chunk) >= 16 else 0
    if number == EXTENSIBLE:
        if len(chunk) < 40:
            raise WavError("its fmt chunk is cut off")
        if chunk[26:40] != _SUBFORMAT_TAIL:
            raise WavError("it is stored in a private format of its writer")
        number = struct.unpack_from(order + "H", chunk, 24)[0]
    return _Format(number, channels, rate, block, bits, bytes_per_second)


def _build_wav(layout: _Format, span: tuple[int, int], notes: list[str], order: str, rows: RowsOf) -> Wav:
    kinds: dict[int, Kind] = {PCM: "pcm", FLOAT: "float"}
    kind = kinds.get(layout.number)
    if kind is None:
        name = OTHER_FORMATS.get(layout.number, f"format {layout.number}")
        seconds = (span[1] - span[0]) / layout.bytes_per_second if layout.bytes_per_second else None
        raise UndrawnError(
            f"its samples are {name}, which can be played and written to a file, but not drawn",
            SoundHeader(name, layout.rate or None, layout.channels or None, seconds, is_estimate=True),
        )
    if not 1 <= layout.channels <= MAX_CHANNELS:
        raise WavError(f"its header says that it has {layout.channels:,} channels")
    if not layout.rate:
        raise WavError("its header says that its sample rate is 0 Hz")
    width, note = _sample_width(layout)
    if width not in WIDTHS[kind]:
        raise WavError(f"samples of {layout.bits or 8 * width} bits cannot be read as {_KIND_WORDS[kind]}")
    frame = width * layout.channels
    frames, spare_bytes = divmod(span[1] - span[0], frame)
    if not frames:
        raise WavError("it holds no sound: it ends after its header")
    if spare_bytes and not notes:
        notes = [*notes, "its last frame is cut off"]
    dtype = np.dtype(np.uint8 if width in (1, 3) else f"{order}{'f' if kind == 'float' else 'i'}{width}")
    shape = (frames, layout.channels, 3) if width == 3 else (frames, layout.channels)
    bits = layout.bits or 8 * width
    all_notes = (*notes, *note)
    return Wav(
        layout.rate, layout.channels, kind, width, bits, frames, all_notes, rows(dtype, span[0], shape), order == ">"
    )


_KIND_WORDS: dict[Kind, str] = {"pcm": "PCM", "float": "floats"}


def _sample_width(layout: _Format) -> tuple[int, list[str]]:
    """Return the bytes of a sample from the frame length, unless that is inconsistent; bits may be fewer."""
    of_bits = -(-layout.bits // 8)
    of_block, spare_bytes = divmod(layout.block, layout.channels)
    if not spare_bytes and of_block and (of_block == of_bits or not of_bits or (of_block > of_bits and of_block <= 4)):
        return of_block, []
    return of_bits, [f"its header says that a frame has {layout.block:,} bytes: {of_bits * layout.channels:,} are read"]
