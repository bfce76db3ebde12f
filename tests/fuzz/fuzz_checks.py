"""Check arbitrary bytes: one check for each way by which bytes from outside come in.

Each check takes one input and returns nothing. An AssertionError names a broken promise; every other exception should
not have left the reader. `fuzz_events.py` searches for inputs, `test_fuzz_findings.py` keeps earlier findings.
"""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from tbtui.events import decoder as decoder_module
from tbtui.events.decoder import RunDecoder
from tbtui.events.schema import get_message_class
from tbtui.events.templates import TemplateCache
from tbtui.events.values import EventTime, StaleValueError, read_stored_value, read_value
from tbtui.tfrecord.checksum import LENGTH_BYTES, compute_payload_checksum
from tbtui.tfrecord.framing import (
    FOOTER_BYTES,
    HEADER_BYTES,
    OVERHEAD_BYTES,
    RecordBlock,
    find_headers,
    frame_record,
    parse_header,
    read_frames,
)
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tbtui.tfrecord.reader_state import ReaderState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.events.block import EventBlock

MAX_RECORDS = 400
"""Records of one input, so that each check is quick."""


# Records


class FileRead:
    """Records and damage that a reader returns for a file."""

    def __init__(self) -> None:
        self.records: list[tuple[int, bytes]] = []
        """Offset and payload of each record."""

        self.skipped: list[slice] = []
        """Ranges of bytes that were reported as damaged."""

        self.truncated = False

    def read(self, reader: RecordReader, max_bytes: int) -> FileRead:
        """Read to the present end of the file."""
        while True:
            block = reader.read(max_bytes)
            self.records += [(block.offset(row), block.payload(row)) for row in range(len(block))]
            self.skipped += [slice(item.offset, item.offset + item.bytes_skipped) for item in block.damage]
            if block.at_end:
                self.truncated = block.truncated
                return self

    def result(self) -> tuple[list[tuple[int, bytes]], bool]:
        """Return what does not depend on when the bytes arrived."""
        return self.records, self.truncated

    def damaged_bytes(self, size: int) -> npt.NDArray[np.bool_]:
        """Return a flag for each byte of a file of `size` bytes: True if it was reported as damaged."""
        flags = np.zeros(size, np.bool_)
        for part in self.skipped:
            assert 0 <= part.start <= part.stop <= size
            flags[part] = True
        return flags


def check_records(data: bytes) -> None:
    """Read a file of any bytes: `data` from its third byte. The first two choose the sizes at which it is read."""
    sizes, content = data[:2], data[2:]
    with _file() as path:
        path.write_bytes(content)
        whole = FileRead().read(RecordReader(str(path)), 1 << 21)
        skipped = whole.damaged_bytes(len(content))
        max_bytes = 64 if sum(sizes) % 2 else 300
        again = FileRead().read(RecordReader(str(path)), max_bytes)
        assert again.result() == whole.result(), f"read {max_bytes} bytes at a time"
        assert (again.damaged_bytes(len(content)) == skipped).all(), f"read {max_bytes} bytes at a time"
        check_all_bytes_are_covered(content, whole)
        grown = _read_growing(path, content, sorted(size * len(content) // 255 for size in sizes))
        assert grown.result() == whole.result() or _is_ambiguous(content), "read while it grew"


def check_all_bytes_are_covered(content: bytes, read: FileRead) -> None:
    """Require that each byte is in a record, damaged, or in the incomplete end, and no valid record in damage."""
    skipped = read.damaged_bytes(len(content))
    in_records = np.zeros(len(content), np.bool_)
    for offset, payload in read.records:
        extent = slice(offset, offset + OVERHEAD_BYTES + len(payload))
        assert content[offset + HEADER_BYTES :].startswith(payload)
        assert not in_records[extent].any(), "records overlap"
        in_records[extent] = True
    assert not (in_records & skipped).any()
    others = np.flatnonzero(~(in_records | skipped))
    assert not len(others) or (read.truncated and len(others) == len(content) - others[0]), "bytes without a report"
    # A payload of eight bytes may be the header of another record. It is no event: no event has a field 0.
    lost = [
        offset
        for offset, payload in valid_records(content)
        if skipped[offset : offset + OVERHEAD_BYTES + len(payload)].all()
        and (len(payload) != LENGTH_BYTES or int.from_bytes(payload, "little") > len(content))
    ]
    assert not lost, f"valid records were skipped at {lost[:3]}"


def valid_records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield offset and payload of every record with matching checksums, wherever it begins."""
    positions, lengths = find_headers(np.frombuffer(content, np.uint8)) if len(content) > HEADER_BYTES else ([], [])
    for position, length in zip(map(int, positions), map(int, lengths), strict=True):
        end = position + HEADER_BYTES + length
        payload = content[position + HEADER_BYTES : end]
        if content[end : end + FOOTER_BYTES] == struct.pack("<I", compute_payload_checksum(payload)):
            yield position, payload


def _is_ambiguous(content: bytes) -> bool:
    """Return True if two chains of valid headers cross, one of them by a record with a wrong payload.

    A killed writer or damage does that with a probability of 2**-32 only. The right chain is undecidable, and a reader
    that follows the growing file may choose the first one.
    """
    ends = {int(p): int(p + n) + OVERHEAD_BYTES for p, n in zip(*_headers(content), strict=True)}
    valid = {offset for offset, _ in valid_records(content)}
    return any(
        first not in valid and end in ends and any(first < other < end < ends[other] for other in ends)
        for first, end in ends.items()
    )


def _headers(content: bytes) -> tuple[Sequence[int], Sequence[int]]:
    """Return the offsets of valid headers and their lengths, including those of oversized records."""
    headers = [
        (offset, length)
        for offset in range(len(content) - HEADER_BYTES + 1)
        if (length := parse_header(np.frombuffer(content[offset : offset + HEADER_BYTES], np.uint8), 0)) is not None
    ]
    return [offset for offset, _ in headers], [length for _, length in headers]


def _read_growing(path: Path, content: bytes, sizes: Sequence[int]) -> FileRead:
    """Read a file at several sizes, each time with a new reader that continues from the saved state."""
    read, state = FileRead(), ReaderState(0)
    for size in (*sizes, len(content)):
        path.write_bytes(content[:size])
        reader = RecordReader(str(path), state=state)
        try:
            read.read(reader, 1 << 21)
        except FileReplaced:
            reader, read = RecordReader(str(path)), FileRead()
            read.read(reader, 1 << 21)
        state = ReaderState.from_json(json.loads(json.dumps(reader.state.to_json())))
        assert state == reader.state
    return read


class _file:  # noqa: N801 - used as a function
    """A temporary file, in memory if possible."""

    def __enter__(self) -> Path:
        folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
        handle, name = tempfile.mkstemp(dir=folder)
        os.close(handle)
        self.path = Path(name)
        return self.path

    def __exit__(self, *_: object) -> None:
        self.path.unlink()


# Events


def check_events(data: bytes) -> None:
    """Decode valid records with any payloads: templates return what protobuf returns, in blocks of any size.

    `data` is a sequence of items: the number of repetitions, the position of a byte that counts up (so that templates
    are learned), the length of the payload (2 bytes), the payload.
    """
    payloads = list(_payloads(data))
    if not payloads:
        return
    block = block_of(payloads)
    reference, fast = (RunDecoder(TemplateCache()) for _ in range(2))
    with mock.patch.object(decoder_module, "match_templates", return_value=[]):
        expected = reference.decode(block)
    assert_same(fast.decode(block), expected)
    # The second time, batches are predicted, and templates exist.
    with mock.patch.object(decoder_module, "match_templates", return_value=[]):
        expected = reference.decode(block)
    assert_same(fast.decode(block), expected)
    _check_references(payloads, expected, block)


def _payloads(data: bytes) -> Iterator[bytes]:
    remaining = MAX_RECORDS
    while len(data) > 4 and remaining > 0:
        count, position, length = struct.unpack("<BBH", data[:4])
        payload, data = bytearray(data[4 : 4 + length]), data[4 + length :]
        for _ in range(min(1 + count % 64, remaining)):
            yield bytes(payload)
            if payload:
                payload[position % len(payload)] = (payload[position % len(payload)] + 1) & 0xFF
            remaining -= 1


def block_of(payloads: Sequence[bytes]) -> RecordBlock:
    """Return a block of valid records with these payloads."""
    data = np.frombuffer(b"".join(map(frame_record, payloads)), np.uint8)
    frames = read_frames(data)
    assert len(frames.starts) == len(payloads)
    return RecordBlock(data, frames.starts, frames.lengths, frames.starts, (), at_end=True, truncated=False)


def assert_same(block: EventBlock, expected: EventBlock) -> None:
    """Require that two blocks are equal to the last bit."""
    for name in ("new_tags", "damage", "records", "file_version", "writer", "session_starts"):
        assert getattr(block, name) == getattr(expected, name), name
    for name in ("first_wall_time", "last_wall_time"):
        assert repr(getattr(block, name)) == repr(getattr(expected, name)), name
    for kind in ("scalars", "references"):
        columns, others = getattr(block, kind), getattr(expected, kind)
        assert columns.keys() == others.keys()
        for tag, column in columns.items():
            for name in column.__slots__:
                ours, theirs = getattr(column, name), getattr(others[tag], name)
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs, err_msg=f"{tag}: {name}")


def _check_references(payloads: Sequence[bytes], events: EventBlock, block: RecordBlock) -> None:
    """Require that each reference leads to a value that is read, or refused with a message."""
    rows = {offset: row for row, offset in enumerate(block.offsets.tolist())}
    for columns in events.references.values():
        for point in range(0, len(columns.steps), 1 + len(columns.steps) // 8):
            payload = payloads[rows[int(columns.offsets[point])]]
            moment = EventTime(int(columns.steps[point]), float(columns.wall_times[point]))
            _check_value(payload, int(columns.indices[point]), moment)


# Values


def check_values(data: bytes) -> None:
    """Read bytes as one of the kinds in `_KINDS`, chosen by the first byte."""
    if data:
        _KINDS[data[0] % len(_KINDS)](data[1:])


def _check_summary_value(data: bytes) -> None:
    """Read a serialized `Summary.Value` as each plugin does, alone and many at once."""
    payload = b"\x09" + struct.pack("<d", 1.5e9) + b"\x10\x07" + _field(5, _field(1, data))
    try:
        read_stored_value(payload, 0)
    except StaleValueError:
        return
    _check_value(payload, 0, EventTime(7, 1.5e9))
    _check_lockstep(payload)


def _field(number: int, content: bytes) -> bytes:
    length, size = b"", len(content)
    while size > 0x7F:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _check_value(payload: bytes, index: int, moment: EventTime) -> None:
    from tbtui.events.histogram import HistogramError, read_histogram
    from tbtui.events.tensors import TensorError, read_strings, to_array
    from tbtui.plugins.audio.decode import SoundsError, count_sounds, read_sounds
    from tbtui.plugins.graphs.formats.graph_def import read_graph_bytes
    from tbtui.plugins.graphs.formats.salvage import GraphError
    from tbtui.plugins.images.decode import ImageError, count_in, read_pictures
    from tbtui.plugins.pr_curves.read import read_curve
    from tbtui.plugins.text.read import TextReadError, _parse_array

    value = read_stored_value(payload, index, moment)
    _or(lambda: read_graph_bytes(value), GraphError)
    if index < 0:
        return
    read_value(payload, index, moment)
    _or(lambda: to_array(value.tensor), TensorError)
    bars = _or(lambda: read_histogram(value), HistogramError, TensorError)
    if bars is not None:
        _check_bars(bars[0])
    pictures = _or(lambda: read_pictures(value), ImageError)
    sounds = _or(lambda: read_sounds(payload, index, moment), SoundsError)
    # The number of images or sounds is read from the first bytes, if they are serialized as protobuf does.
    is_plain = get_message_class("Event").FromString(payload).SerializeToString() == payload
    for values, count in (
        (pictures and pictures.encoded, count_in(payload[:4096], index)),
        (sounds, count_sounds(payload[:4096], index)),
    ):
        assert None in (values, count) or not is_plain or count == len(values), (count, values)
    curve = _or(lambda: read_curve(value), TensorError)
    assert curve is None or (curve.ndim == 2 and curve.dtype == np.float64)
    for is_full in (False, True):
        stored = _or(
            lambda is_full=is_full: _parse_array(read_strings(value, "a text"), is_full=is_full),
            TextReadError,
            TensorError,
        )
        assert stored is None or stored.document is None or isinstance(stored.document, bytes)


def _or(read: Callable[[], Any], *skipped: type[Exception]) -> Any:
    """Return what was read, or None if it was refused with one of these exceptions and a message."""
    try:
        return read()
    except skipped as error:
        if not str(error):
            raise AssertionError("refused without a reason") from error
        return None


def _check_bars(bars: Any) -> None:
    assert (np.isfinite(bars.lefts) & np.isfinite(bars.rights) & np.isfinite(bars.counts)).all()
    assert (bars.counts >= 0).all()
    assert (bars.lefts <= bars.rights).all()
    assert (bars.rights[:-1] <= bars.lefts[1:]).all()


def _check_lockstep(payload: bytes) -> None:
    """Require that many histograms decoded at once equal each decoded alone."""
    from tbtui.plugins.histograms.decode import MIN_BULK_VALUES, DecodeRequest, read_histograms

    def request(count: int) -> DecodeRequest:
        starts = np.arange(count, dtype=np.int64) * len(payload)
        columns = np.full(count, len(payload), np.int64), np.zeros(count, np.int32), np.full(count, 7, np.int64)
        data = np.frombuffer(payload * count + bytes(8), np.uint8)
        return DecodeRequest(data, starts, *columns, np.full(count, 1.5e9))

    many, single = read_histograms(request(MIN_BULK_VALUES)), read_histograms(request(1))
    assert set(many.errors.values()) == set(single.errors.values())
    assert len(many.errors) == MIN_BULK_VALUES * len(single.errors)
    for name in ("sizes", "lefts", "rights", "counts", "totals", "sums", "squares"):
        np.testing.assert_array_equal(
            getattr(many, name), np.tile(getattr(single, name), MIN_BULK_VALUES), err_msg=name
        )


def _check_graph(data: bytes) -> None:
    from tbtui.plugins.graphs.formats.documents import encode_text_proto
    from tbtui.plugins.graphs.formats.graph_def import read_graph, read_meta_graph, read_run_metadata
    from tbtui.plugins.graphs.formats.salvage import GraphError

    for read in (read_graph, read_meta_graph, read_run_metadata):
        graph = _or(lambda read=read: read(data), GraphError)
        if graph is not None:
            _check_nodes(graph)
            _or(lambda graph=graph: encode_text_proto(graph), GraphError)


def _check_nodes(graph: Any) -> None:
    for node in range(min(len(graph.names), 50)):
        graph.shapes(node)
        assert graph.parameters(node) >= 0
        graph.attributes(node)
    assert all(isinstance(note, str) for note in graph.notes)


def _check_times(data: bytes) -> None:
    from tbtui.plugins.graphs.formats.run_metadata import read_executions
    from tbtui.plugins.graphs.formats.salvage import GraphError

    _or(lambda: read_executions(data), GraphError)


def _check_model(data: bytes) -> None:
    from tbtui.plugins.graphs.formats.keras import read_keras_model
    from tbtui.plugins.graphs.formats.salvage import GraphError

    model = _or(lambda: read_keras_model(data), GraphError)
    if model is not None:
        for node in range(min(len(model.names), 50)):
            model.shapes(node)
            model.parameters(node)
            model.attributes(node)


def _check_wav(data: bytes) -> None:
    from tbtui.plugins.audio.wav import WavError, read_wav

    for head in (data, b"RIFF\xff\xff\xff\xffWAVE" + data):
        wav = _or(lambda head=head: read_wav(head), WavError)
        if wav is not None:
            assert math.isfinite(wav.seconds)
            assert np.isfinite(wav.at(slice(0, 100))).all()


def _check_picture(data: bytes) -> None:
    from tbtui.terminal_images.decode import decode
    from tbtui.terminal_images.header import PictureError, read_header

    header = _or(lambda: read_header(data), PictureError)
    if header is None or header.width * header.height > 1 << 20:
        return
    decoded = _or(lambda: decode(data, enough=(40, 40)), PictureError)
    assert decoded is None or decoded.pixels.dtype == np.uint8


def _check_text(data: bytes) -> None:
    from tbtui.plugins.text.document import make_documents
    from tbtui.plugins.text.read import StoredText

    stored = StoredText((), ((data,),), len(data))
    for raw in (False, True):
        for document in make_documents(stored, 40, raw=raw, wrap=True):
            assert document is not None


def _check_index(data: bytes) -> None:
    """Parse the body of a cache file of this version with a valid checksum; its JSON ends at the first NUL."""
    import tbtui
    from tbtui.loading.cache.format import MAGIC, VERSION, RunIndex, parse_index, unpack

    words, _, columns = data.partition(b"\0")
    words = words.replace(b"VERSION", tbtui.__version__.encode())
    words += b" " * (-len(words) % 8)
    body = words + columns
    content = struct.pack("<8sIIQ", MAGIC, VERSION, zlib.crc32(body), len(words)) + body
    unpacked = unpack(np.frombuffer(content, np.uint8))
    if unpacked is not None:
        assert isinstance(parse_index(unpacked), RunIndex | None)


def _check_saved(data: bytes) -> None:
    """Read saved settings: what is valid in them survives saving and reading."""
    from tbtui.plugins.registry import list_plugin_settings
    from tbtui.settings.persistence import SettingsFile, build_state_document, read_state

    declared = list_plugin_settings()
    with _file() as path:
        path.write_bytes(data)
        state = SettingsFile(path, declared).load()
        assert read_state(json.loads(json.dumps(build_state_document(state))), declared) == state


_KINDS = (
    _check_summary_value,
    _check_graph,
    _check_times,
    _check_model,
    _check_wav,
    _check_picture,
    _check_text,
    _check_index,
    _check_saved,
)

CHECKS: dict[str, Callable[[bytes], None]] = {
    "records": check_records,
    "events": check_events,
    "values": check_values,
}
