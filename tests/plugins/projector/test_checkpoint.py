"""Read tensors of TensorFlow checkpoints without TensorFlow."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.plugins.projector.files.checkpoint import (
    Checkpoint,
    Slice,
    encode_slice_key,
    parse_checkpoint_step,
    read_state,
)
from tbtui.plugins.projector.files.checkpoint_table import MAGIC, CheckpointError, unpack_snappy
from tbtui.tfrecord.checksum import compute_payload_checksum
from tests.helpers.projector_logs import expected

if TYPE_CHECKING:
    from pathlib import Path


def test_checkpoint_tensors_equal_those_of_tensorflow_bit_by_bit(corpus: Path) -> None:
    compared = 0
    for name, tensors in expected(corpus)["checkpoints"]["files"].items():
        checkpoint = Checkpoint(str(corpus / name))
        assert set(checkpoint.entries) == set(tensors)
        for tensor, facts in tensors.items():
            values = checkpoint.read(tensor)
            assert list(values.shape) == facts["shape"]
            assert checkpoint.entries[tensor].type_name == facts["dtype"]
            if "crc" in facts:
                assert zlib.crc32(np.ascontiguousarray(values).tobytes()) == facts["crc"], tensor
            else:
                assert all(isinstance(text, bytes) for text in values.ravel())
            compared += 1
    assert compared == 59


def test_checkpoint_texts_are_read(corpus: Path) -> None:
    words = Checkpoint(str(corpus / "tf/tf2_dtypes/ckpt-10")).read("words/.ATTRIBUTES/VARIABLE_VALUE")
    assert words.shape == (2, 2)
    assert words[0, 0] == b"a"


def test_checkpoint_slots_of_optimisers_are_recognised(corpus: Path) -> None:
    entries = Checkpoint(str(corpus / "tf/tf2_dtypes/ckpt-10")).entries
    slots = {name for name, entry in entries.items() if entry.is_slot}
    assert slots == {name for name in entries if "optimizer/_variables" in name or "_trainable_variables" in name}


@pytest.fixture
def copied(corpus: Path, tmp_path: Path) -> Path:
    for file in (corpus / "tf/tf2_tutorial").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path / "embedding.ckpt-1"


NAME = "embedding/.ATTRIBUTES/VARIABLE_VALUE"


def test_checkpoint_index_with_any_flipped_bit_is_refused_or_equal(copied: Path) -> None:
    index = copied.with_name("embedding.ckpt-1.index")
    whole = index.read_bytes()
    values = Checkpoint(str(copied)).read(NAME)
    refused = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        index.write_bytes(damaged)
        try:
            found = Checkpoint(str(copied)).read(NAME)
        except (CheckpointError, OSError):
            refused += 1
        else:
            assert np.array_equal(found, values)
    assert refused > 200


def test_checkpoint_cut_short_names_the_missing_bytes(copied: Path) -> None:
    shard = copied.with_name("embedding.ckpt-1.data-00000-of-00001")
    shard.write_bytes(shard.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=r"cut short: .* has 1,000 bytes"):
        Checkpoint(str(copied)).read(NAME)


def test_checkpoint_values_that_do_not_match_are_refused(copied: Path) -> None:
    shard = copied.with_name("embedding.ckpt-1.data-00000-of-00001")
    damaged = bytearray(shard.read_bytes())
    damaged[Checkpoint(str(copied)).entries[NAME].offset + 9] ^= 1
    shard.write_bytes(damaged)
    with pytest.raises(CheckpointError, match="does not match its checksum"):
        Checkpoint(str(copied)).read(NAME)


def test_checkpoint_without_its_footer_is_not_a_table(copied: Path) -> None:
    index = copied.with_name("embedding.ckpt-1.index")
    index.write_bytes(index.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="not a LevelDB table"):
        Checkpoint(str(copied))


def test_checkpoint_with_a_snappy_block_is_read(tmp_path: Path, corpus: Path) -> None:
    index = (corpus / "tf/tf2_tutorial/embedding.ckpt-1.index").read_bytes()
    prefix = tmp_path / "packed"
    prefix.with_name("packed.index").write_bytes(packed_table(index))
    found, plain = Checkpoint(str(prefix)).entries, Checkpoint(str(corpus / "tf/tf2_tutorial/embedding.ckpt-1")).entries
    assert found == plain


def packed_table(table: bytes) -> bytes:
    """Return a table whose only data block is compressed with Snappy, as literals."""
    footer = table[-48:]
    numbers = list(varints(footer[:40], 4))
    index = table[numbers[2] : numbers[2] + numbers[3]]
    key_size = index[1]
    offset, size = varints(index[3 + key_size :], 2)
    packed = snappy_literal(table[offset : offset + size])
    block = packed + b"\x01"
    block += struct.pack("<I", compute_payload_checksum(block))
    handle = varint(0) + varint(len(packed))
    entry = bytes([0, key_size, len(handle)]) + index[3 : 3 + key_size] + handle
    root = entry + struct.pack("<II", 0, 1)
    end = root + b"\x00"
    end += struct.pack("<I", compute_payload_checksum(end))
    places = varint(0) + varint(0) + varint(len(block)) + varint(len(root))
    return block + end + places.ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def varints(data: bytes, count: int) -> list[int]:
    found, at = [], 0
    for _ in range(count):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        found.append(value)
    return found


def snappy_literal(data: bytes) -> bytes:
    return varint(len(data)) + bytes([61 << 2]) + struct.pack("<H", len(data) - 1) + data


def test_snappy_copies_may_overlap() -> None:
    assert unpack_snappy(varint(9) + bytes([0 << 2]) + b"a" + bytes([(8 - 4) << 2 | 1, 1])) == b"a" * 9
    assert unpack_snappy(varint(7) + bytes([2 << 2]) + b"abc" + bytes([(4 - 1) << 2 | 2, 3, 0])) == b"abcabca"


def test_snappy_copy_before_the_start_is_refused() -> None:
    with pytest.raises(CheckpointError, match="before its start"):
        unpack_snappy(varint(9) + bytes([0 << 2]) + b"a" + bytes([(8 - 4) << 2 | 1, 2]))


def test_slice_keys_are_those_of_ordered_code() -> None:
    key = encode_slice_key("embed0", [Slice(22, 21), Slice(0, 8)])
    assert key == b"\0embed0\0\1" + bytes([0x01, 0x02, 0x96, 0x95, 0x80, 0x88])
    assert encode_slice_key("a\0\xff", [])[:9] == b"\0a\0\xff\xc3\xbf\0\1\0"
    assert encode_slice_key("x", [Slice(64, -1)])[-3:] == bytes([0xC0, 64, 0x7F])
    assert encode_slice_key("x", [Slice(20_001, 0)])[-4:] == bytes([0xE0, 0x4E, 0x21, 0x80])


def test_state_lists_saves_in_order(corpus: Path, tmp_path: Path) -> None:
    state = read_state(str(corpus / "tf/tf2_dtypes"))
    assert state is not None
    assert state.paths == ("ckpt-10", "ckpt-20")
    assert [parse_checkpoint_step(path) for path in state.paths] == [10, 20]
    assert read_state(str(tmp_path)) is None
