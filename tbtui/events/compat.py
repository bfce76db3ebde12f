"""Upgrade values of old formats: the plugin of a tag, and each value as a tensor.

Source: TensorBoard `data_compat.py` and `dataclass_compat.py` (Python loader), `data_compat.rs` (fast loader). If the
two differ, this module follows the one that keeps more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tbtui.events.block import TagInfo
from tbtui.events.schema import decode_text, get_message_class
from tbtui.events.tensors import make_tensor

SCALAR, TENSOR, BLOB_SEQUENCE = 1, 2, 3
"""`SummaryMetadata.data_class`."""

RUN_GRAPH_TAG, META_GRAPH_TAG = "__run_graph__", "__meta_graph__"

_CONVERTED_IMAGE = b"\x10\x01"
"""`ImagePluginData {converted_to_tensor: true}`."""
_CONVERTED_AUDIO = b"\x18\x01"
"""`AudioPluginData {converted_to_tensor: true}`."""

_OLD_KINDS = {
    "simple_value": ("scalars", SCALAR, b""),
    "histo": ("histograms", TENSOR, b""),
    "image": ("images", BLOB_SEQUENCE, _CONVERTED_IMAGE),
    "audio": ("audio", BLOB_SEQUENCE, _CONVERTED_AUDIO),
}
"""Plugin name, data class and plugin metadata of each old kind; they override the plugin name of the writer."""

_DATA_CLASSES = {
    "scalars": SCALAR,
    **dict.fromkeys(("histograms", "text", "hparams", "pr_curves", "mesh", "custom_scalars"), TENSOR),
    **dict.fromkeys(
        ("images", "audio", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model"), BLOB_SEQUENCE
    ),
}


def tag_of(value: Any) -> str:
    """Return the tag of a `SummaryValue`; very old writers give the name of the graph's node instead.

    Bytes that are not UTF-8 become escapes, so that tags which differ in them remain different.
    """
    tag: str | bytes = value.tag or value.node_name
    return tag if isinstance(tag, str) else tag.decode("utf-8", "backslashreplace")


def tag_info(value: Any) -> TagInfo:
    """Return the metadata of a tag from its first `SummaryValue`."""
    metadata = value.metadata
    plugin_name, content = decode_text(metadata.plugin_data.plugin_name), bytes(metadata.plugin_data.content)
    data_class = int(metadata.data_class)
    if data_class == 0:
        kind = value.WhichOneof("value")
        old = _OLD_KINDS.get(kind or "")
        if old is not None:
            plugin_name, data_class, content = old
        elif kind is None and not plugin_name and not content:
            # PyTorch's `add_video` writes a tag and nothing else if moviepy cannot encode (version 2 and later): the
            # value is shown among the images, with the reason, instead of nowhere (pytorch issue 147317).
            plugin_name, data_class = "images", BLOB_SEQUENCE
        else:
            data_class = _DATA_CLASSES.get(plugin_name, 0)
            # A JSON form, older than the protobuf one; it holds no information.
            content = b"" if content == b"{}" else content
    return TagInfo(
        tag_of(value),
        plugin_name,
        content,
        data_class,
        decode_text(metadata.display_name),
        decode_text(metadata.summary_description),
    )


def list_graph_infos(event: Any) -> tuple[TagInfo, ...]:
    """Return one `TagInfo` for each value outside of a summary: graphs and tagged run metadata."""
    what = event.WhichOneof("what")
    if what == "graph_def":
        return (TagInfo(RUN_GRAPH_TAG, "graphs", b"", BLOB_SEQUENCE),)
    if what == "meta_graph_def":
        return (TagInfo(META_GRAPH_TAG, "graphs", b"", BLOB_SEQUENCE),)
    if what == "tagged_run_metadata":
        return (TagInfo(decode_text(event.tagged_run_metadata.tag), "graph_tagged_run_metadata", b"", BLOB_SEQUENCE),)
    return ()


def upgrade_value(value: Any) -> Any:
    """Return a `SummaryValue` of the same tag and metadata whose value is a tensor in the newest form.

    A simple value becomes a tensor of rank 0, a histogram rows of left, right and count, an image the vector of width,
    height and encoded image, audio one row of encoded audio and label. An empty value stays empty.
    """
    kind = value.WhichOneof("value")
    if kind == "tensor" or kind is None or kind not in _OLD_KINDS:
        return value
    result = get_message_class("SummaryValue")()
    result.CopyFrom(value)
    result.tensor.CopyFrom(make_tensor(_to_object_array(kind, getattr(value, kind))))
    return result


def _to_object_array(kind: str, old: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if kind == "simple_value":
        return np.array(old, np.float32)
    if kind == "histo":
        from tbtui.events.histogram import read_histogram_rows

        return read_histogram_rows(old)
    if kind == "image":
        return np.array([b"%d" % old.width, b"%d" % old.height, old.encoded_image_string], object)
    return np.array([[old.encoded_audio_string, b""]], object)
