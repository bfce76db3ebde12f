from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tbtui.events.block import TagInfo
from tbtui.events.compat import tag_info, tag_of, upgrade_value
from tbtui.events.decoder import RunDecoder
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import to_array
from tbtui.events.values import StaleValueError, read_value
from tests.helpers.event_bytes import block_of, double, event, field, tensor

VALUE = get_message_class("SummaryValue")
METADATA = get_message_class("SummaryMetadata")


def value(plugin: str | None = None, data_class: int = 0, content: bytes = b"", **fields: Any) -> Any:
    built = VALUE(tag="t", **fields)
    if plugin is not None:
        built.metadata.plugin_data.plugin_name = plugin
        built.metadata.plugin_data.content = content
        built.metadata.data_class = data_class
    return built


NUMBER = {"tensor": tensor(1, [], float_val=[1])}
IMAGE = {"image": get_message_class("SummaryImage")(width=2, height=3, encoded_image_string=b"png")}
AUDIO = {"audio": get_message_class("SummaryAudio")(encoded_audio_string=b"wav")}
HISTOGRAM = {"histo": get_message_class("HistogramProto")(min=0, max=1, bucket_limit=[0.5, 1], bucket=[1, 2])}


@pytest.mark.parametrize(
    ("first", "plugin", "data_class", "content"),
    [
        (value(simple_value=1), "scalars", 1, b""),
        (value(**IMAGE), "images", 3, b"\x10\x01"),
        (value(**AUDIO), "audio", 3, b"\x18\x01"),
        (value(**HISTOGRAM), "histograms", 2, b""),
        (value("", simple_value=1), "scalars", 1, b""),
        (value("mine", simple_value=1), "scalars", 1, b""),
        (value("mine", content=b"x", **IMAGE), "images", 3, b"\x10\x01"),
        (value("mine", 2, b"x", simple_value=1), "mine", 2, b"x"),
        (value("scalars", content=b"\x08\x00", **NUMBER), "scalars", 1, b"\x08\x00"),
        (value("hparams", content=b"h"), "hparams", 2, b"h"),
        (value("text", content=b"{}", **NUMBER), "text", 2, b""),
        (value("graph_keras_model", content=b"1", **NUMBER), "graph_keras_model", 3, b"1"),
        (value("pr_curves", **NUMBER), "pr_curves", 2, b""),
        (value("third_party", 1, **NUMBER), "third_party", 1, b""),
        (value("third_party", **NUMBER), "third_party", 0, b""),
        (value(**NUMBER), "", 0, b""),
        (value(), "images", 3, b""),
    ],
)
def test_compat_first_value_defines_the_tag(first: Any, plugin: str, data_class: int, content: bytes) -> None:
    assert tag_info(first) == TagInfo("t", plugin, content, data_class)


def test_compat_names_and_descriptions_are_kept() -> None:
    first = value("scalars", simple_value=1)
    first.metadata.display_name, first.metadata.summary_description = "shown", "**why**"
    info = tag_info(first)
    assert (info.display_name, info.description) == ("shown", "**why**")


def test_compat_value_without_a_tag_is_named_by_its_node() -> None:
    assert tag_of(VALUE(tag="t", node_name="n")) == "t"
    assert tag_of(VALUE(node_name="n")) == "n"
    assert tag_of(VALUE()) == ""


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (value(simple_value=0.5), np.array(0.5, "f4")),
        (value(**HISTOGRAM), np.array([[0, 0.5, 1], [0.5, 1, 2]])),
        (value(**IMAGE), np.array([b"2", b"3", b"png"], object)),
        (value(**AUDIO), np.array([[b"wav", b""]], object)),
        (value(**NUMBER), np.array(1, "f4")),
    ],
)
def test_compat_old_values_become_tensors(old: Any, expected: np.ndarray) -> None:
    new = upgrade_value(old)
    assert (new.tag, new.WhichOneof("value")) == ("t", "tensor")
    array = to_array(new.tensor)
    assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(array, expected)


def test_compat_upgrade_does_not_change_its_input() -> None:
    old = value("mine", **IMAGE)
    before = old.SerializeToString()
    assert upgrade_value(old).metadata.plugin_data.plugin_name == "mine"
    assert old.SerializeToString() == before
    assert upgrade_value(value()).WhichOneof("value") is None


class TestValueOf:
    payload = event(value(**IMAGE).SerializeToString(), value(simple_value=2).SerializeToString(), step=7)

    def test_compat_value_is_found_by_its_index(self) -> None:
        assert to_array(read_value(self.payload, 0).tensor).tolist() == [b"2", b"3", b"png"]
        assert to_array(read_value(self.payload, 1).tensor).item() == 2

    def test_compat_index_minus_one_is_the_event(self) -> None:
        assert read_value(self.payload, -1).step == 7

    @pytest.mark.parametrize(("payload", "index"), [(payload, 2), (payload, -2), (b"\xff\xff", 0), (b"", 0)])
    def test_compat_missing_value_is_reported(self, payload: bytes, index: int) -> None:
        with pytest.raises(StaleValueError, match="no longer"):
            read_value(payload, index)


def graph_event(number: int, content: bytes, step: int = 0) -> bytes:
    return double(1, 5.0) + field(2, step) + field(number, content)


def test_compat_graphs_and_run_metadata_are_values_of_the_event() -> None:
    tagged = field(1, b"step1") + field(2, b"metadata")
    block = RunDecoder().decode(block_of([graph_event(4, b"g"), graph_event(9, b"m"), graph_event(8, tagged, 3)], 100))
    assert [(info.tag, info.plugin_name) for info in block.new_tags] == [
        ("__run_graph__", "graphs"),
        ("__meta_graph__", "graphs"),
        ("step1", "graph_tagged_run_metadata"),
    ]
    counts = {tag: len(columns.offsets) for tag, columns in block.references.items()}
    assert counts == {"__run_graph__": 1, "__meta_graph__": 1, "step1": 1}
    step1 = block.references["step1"]
    assert (step1.indices.tolist(), step1.steps.tolist(), step1.wall_times.tolist()) == ([-1], [3], [5.0])
