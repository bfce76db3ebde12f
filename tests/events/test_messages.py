from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tbtui.events.schema import decode_text, get_message_class

SCHEMA = Path(__file__).parent / "schema.txt"
TYPES = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 12: "bytes", 13: "uint32"
}  # fmt: skip


def kind_of(field: object) -> str:
    descriptor = field.message_type
    if descriptor is None:
        return TYPES[field.type]
    if descriptor.GetOptions().map_entry:
        return ",".join(kind_of(descriptor.fields_by_name[name]) for name in ("key", "value"))
    return descriptor.name


def test_message_every_field_of_the_schema_is_built() -> None:
    lines = [line for line in SCHEMA.read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) > 250
    for line in lines:
        name, field_name, number, kind, label, oneof = (*line.split("|"), "", "")[:6]
        field = get_message_class(name).DESCRIPTOR.fields_by_name[field_name]
        assert field.number == int(number)
        assert kind_of(field) == kind.replace("google.protobuf.", "")
        assert (field.containing_oneof.name if field.containing_oneof else "") == oneof
        default = get_message_class(name)()
        assert hasattr(getattr(default, field_name), "__len__") or not label


def test_message_known_event_bytes_are_read() -> None:
    event = get_message_class("Event").FromString(
        b"\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x10\x05\x2a\x0a\x0a\x08\x0a\x01a\x15\x00\x00\x00\x3f"
    )
    assert (event.wall_time, event.step, event.WhichOneof("what")) == (1.0, 5, "summary")
    assert (event.summary.value[0].tag, event.summary.value[0].simple_value) == ("a", 0.5)


def test_message_repeated_numbers_are_written_packed_and_read_as_both() -> None:
    tensor = get_message_class("TensorProto")(float_val=[1, 2])
    assert tensor.SerializeToString() == b"\x2a\x08\x00\x00\x80\x3f\x00\x00\x00\x40"
    unpacked = get_message_class("TensorProto").FromString(b"\x2d\x00\x00\x80\x3f\x2d\x00\x00\x00\x40")
    assert list(unpacked.float_val) == [1.0, 2.0]


def test_message_hyperparameter_maps_and_values() -> None:
    start = get_message_class("SessionStartInfo")()
    start.hparams["lr"].number_value = 0.1
    start.hparams["layers"].list_value.values.add(number_value=3)
    read = get_message_class("SessionStartInfo").FromString(start.SerializeToString())
    assert read.hparams["lr"].WhichOneof("kind") == "number_value"
    assert read.hparams["layers"].list_value.values[0].number_value == 3


def test_message_unknown_fields_are_skipped() -> None:
    assert get_message_class("SourceMetadata").FromString(b"\xfa\x07\x03new\x0a\x02me").writer == "me"


def test_message_invalid_utf8_text_keeps_the_message() -> None:
    value = get_message_class("SummaryValue").FromString(b"\x0a\x03a\xff\xfe\x15\x00\x00\x00\x3f")
    assert decode_text(value.tag) == "a��"
    assert value.simple_value == 0.5


def test_message_unknown_name_raises_key_error() -> None:
    with pytest.raises(KeyError):
        get_message_class("NoSuchMessage")


def test_message_class_is_built_once() -> None:
    assert get_message_class("Event") is get_message_class("Event")


def test_message_concurrent_builds_share_one_pool() -> None:
    code = (
        "import threading\n"
        "from google.protobuf import descriptor_pool\n"
        "from tbtui.events.schema import get_message_class\n"
        "real, made, both = descriptor_pool.DescriptorPool, [], threading.Barrier(2)\n"
        "def slow():\n"
        "    made.append(None)\n"
        "    try:\n"
        "        both.wait(0.3)\n"
        "    except threading.BrokenBarrierError:\n"
        "        pass\n"
        "    return real()\n"
        "descriptor_pool.DescriptorPool = slow\n"
        "names = 'Event', 'HParamsPluginData'\n"
        "threads = [threading.Thread(target=get_message_class, args=(name,)) for name in names]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "assert len(made) == 1\n"
        "for name in ('Event', 'SummaryValue', 'HParamsParts'): get_message_class(name)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
