"""The protobuf messages of event files, as a table.

One line a message: `Message: field = number type; ...`. `*` before a type means repeated, `map<key, value>` a map, and
`(name)` after it the oneof that the field belongs to. Enums are int32, which are the same bytes. Nested messages have
flat names (`SummaryValue` is `Summary.Value`, `AttrList` is `AttrValue.ListValue`). Fields that tbtui does not show
are left out; parsing skips them.

The classes are built on first use, in a descriptor pool of their own, so that they do not conflict with those of
TensorFlow or another library, and they work with every protobuf from 4.25 on. They are proto2: the bytes are those of
TensorBoard's proto3, but a text that is not UTF-8 does not make the whole message invalid. Such a text is read as
`bytes`; pass texts through `text`.
"""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message


EVENTS = """
Event: wall_time = 1 double; step = 2 int64; file_version = 3 string (what); graph_def = 4 bytes (what);
    summary = 5 Summary (what); log_message = 6 LogMessage (what); session_log = 7 SessionLog (what);
    tagged_run_metadata = 8 TaggedRunMetadata (what); meta_graph_def = 9 bytes (what);
    source_metadata = 10 SourceMetadata
SourceMetadata: writer = 1 string
LogMessage: level = 1 int32; message = 2 string
SessionLog: status = 1 int32; checkpoint_path = 2 string; msg = 3 string
TaggedRunMetadata: tag = 1 string; run_metadata = 2 bytes
Summary: value = 1 *SummaryValue
SummaryValue: tag = 1 string; simple_value = 2 float (value); obsolete_old_style_histogram = 3 bytes (value);
    image = 4 SummaryImage (value); histo = 5 HistogramProto (value); audio = 6 SummaryAudio (value);
    node_name = 7 string; tensor = 8 TensorProto (value); metadata = 9 SummaryMetadata
SummaryImage: height = 1 int32; width = 2 int32; colorspace = 3 int32; encoded_image_string = 4 bytes
SummaryAudio: sample_rate = 1 float; num_channels = 2 int64; length_frames = 3 int64; encoded_audio_string = 4 bytes;
    content_type = 5 string
SummaryMetadata: plugin_data = 1 PluginData; display_name = 2 string; summary_description = 3 string;
    data_class = 4 int32
PluginData: plugin_name = 1 string; content = 2 bytes
HistogramProto: min = 1 double; max = 2 double; num = 3 double; sum = 4 double; sum_squares = 5 double;
    bucket_limit = 6 *double; bucket = 7 *double
"""
"""Events and summaries: TensorBoard `compat/proto/{event,summary,histogram}.proto`."""

TENSORS = """
TensorProto: dtype = 1 int32; tensor_shape = 2 TensorShapeProto; version_number = 3 int32; tensor_content = 4 bytes;
    float_val = 5 *float; double_val = 6 *double; int_val = 7 *int32; string_val = 8 *bytes; scomplex_val = 9 *float;
    int64_val = 10 *int64; bool_val = 11 *bool; dcomplex_val = 12 *double; half_val = 13 *int32;
    uint32_val = 16 *uint32; uint64_val = 17 *uint64; float8_val = 18 bytes
TensorShapeProto: dim = 2 *Dim; unknown_rank = 3 bool
Dim: size = 1 int64; name = 2 string
"""
"""Tensors: `compat/proto/{tensor,tensor_shape}.proto`."""

GRAPHS = """
GraphDef: node = 1 *NodeDef; library = 2 FunctionDefLibrary; version = 3 int32; versions = 4 VersionDef
VersionDef: producer = 1 int32; min_consumer = 2 int32; bad_consumers = 3 *int32
NodeDef: name = 1 string; op = 2 string; input = 3 *string; device = 4 string; attr = 5 map<string, AttrValue>
AttrValue: list = 1 AttrList (value); s = 2 bytes (value); i = 3 int64 (value); f = 4 float (value);
    b = 5 bool (value); type = 6 int32 (value); shape = 7 TensorShapeProto (value); tensor = 8 TensorProto (value);
    placeholder = 9 string (value); func = 10 NameAttrList (value)
AttrList: s = 2 *bytes; i = 3 *int64; f = 4 *float; b = 5 *bool; type = 6 *int32; shape = 7 *TensorShapeProto;
    tensor = 8 *TensorProto; func = 9 *NameAttrList
NameAttrList: name = 1 string; attr = 2 map<string, AttrValue>
FunctionDefLibrary: function = 1 *FunctionDef; gradient = 2 *GradientDef
FunctionDef: signature = 1 OpDef; node_def = 3 *NodeDef; ret = 4 map<string, string>; attr = 5 map<string, AttrValue>;
    control_ret = 6 map<string, string>; arg_attr = 7 map<uint32, ArgAttrs>
ArgAttrs: attr = 1 map<string, AttrValue>
GradientDef: function_name = 1 string; gradient_func = 2 string
OpDef: name = 1 string; input_arg = 2 *ArgDef; output_arg = 3 *ArgDef
ArgDef: name = 1 string; description = 2 string; type = 3 int32; type_attr = 4 string; number_attr = 5 string;
    type_list_attr = 6 string
MetaGraphDef: meta_info_def = 1 MetaInfoDef; graph_def = 2 GraphDef
MetaInfoDef: meta_graph_version = 1 string; tags = 4 *string; tensorflow_version = 5 string
"""
"""Graphs: `compat/proto/{graph,node_def,attr_value,function,op_def,versions,meta_graph}.proto`."""

RUN_METADATA = """
RunMetadata: step_stats = 1 StepStats; partition_graphs = 3 *GraphDef; function_graphs = 4 *FunctionGraphs
FunctionGraphs: partition_graphs = 1 *GraphDef; pre_optimization_graph = 2 GraphDef;
    post_optimization_graph = 3 GraphDef
StepStats: dev_stats = 1 *DeviceStepStats
DeviceStepStats: device = 1 string; node_stats = 2 *NodeExecStats; thread_names = 3 map<uint32, string>
NodeExecStats: node_name = 1 string; all_start_micros = 2 int64; op_start_rel_micros = 3 int64;
    op_end_rel_micros = 4 int64; all_end_rel_micros = 5 int64; memory = 6 *AllocatorMemoryUsed;
    output = 7 *NodeOutput; timeline_label = 8 string; scheduled_micros = 9 int64; thread_id = 10 uint32;
    all_start_nanos = 13 int64; op_start_rel_nanos = 14 int64; op_end_rel_nanos = 15 int64;
    all_end_rel_nanos = 16 int64; scheduled_nanos = 17 int64
AllocatorMemoryUsed: allocator_name = 1 string; total_bytes = 2 int64; peak_bytes = 3 int64; live_bytes = 4 int64;
    allocator_bytes_in_use = 5 int64
NodeOutput: slot = 1 int32; tensor_description = 3 TensorDescription
TensorDescription: dtype = 1 int32; shape = 2 TensorShapeProto
RunMetadataStats: step_stats = 1 StepStats
RunMetadataGraphs: partition_graphs = 3 *GraphDef; function_graphs = 4 *FunctionGraphs
"""
"""Run metadata, and each half of them alone: `compat/proto/{config,step_stats}.proto`."""

GRAPH_PARTS = """
MetaGraphParts: graph_def = 2 bytes
RunMetadataParts: partition_graphs = 3 *bytes; function_graphs = 4 *FunctionGraphsParts
NodeParts: attr = 5 *AttributeParts
AttributeParts: key = 1 bytes; value = 2 bytes
FunctionGraphsParts: partition_graphs = 1 *bytes; pre_optimization_graph = 2 bytes; post_optimization_graph = 3 bytes
"""
"""Containers of graphs and nodes, with the inner messages as bytes, so that each can be read alone."""

PLUGINS = """
ScalarPluginData: version = 1 int32
HistogramPluginData: version = 1 int32
TextPluginData: version = 1 int32
ImagePluginData: version = 1 int32; converted_to_tensor = 2 bool
AudioPluginData: version = 1 int32; encoding = 2 int32; converted_to_tensor = 3 bool
PrCurvePluginData: version = 1 int32; num_thresholds = 2 uint32
MeshPluginData: version = 1 int32; name = 2 string; content_type = 3 int32; json_config = 5 string; shape = 6 *int32;
    components = 7 uint32
"""
"""Contents of plugin metadata: `plugins/*/plugin_data.proto`."""

HPARAMS = """
HParamsPluginData: version = 1 int32; experiment = 2 Experiment (data);
    session_start_info = 3 SessionStartInfo (data); session_end_info = 4 SessionEndInfo (data)
SessionStartInfo: hparams = 1 map<string, Value>; model_uri = 2 string; monitor_url = 3 string; group_name = 4 string;
    start_time_secs = 5 double
SessionEndInfo: status = 1 int32; end_time_secs = 2 double
Experiment: description = 1 string; user = 2 string; time_created_secs = 3 double; hparam_infos = 4 *HParamInfo;
    metric_infos = 5 *MetricInfo; name = 6 string
HParamInfo: name = 1 string; display_name = 2 string; description = 3 string; type = 4 int32;
    domain_discrete = 5 ListValue (domain); domain_interval = 6 Interval (domain); differs = 7 bool
Interval: min_value = 1 double; max_value = 2 double
MetricInfo: name = 1 MetricName; display_name = 3 string; description = 4 string; dataset_type = 5 int32
MetricName: group = 1 string; tag = 2 string
Value: null_value = 1 int32 (kind); number_value = 2 double (kind); string_value = 3 string (kind);
    bool_value = 4 bool (kind); struct_value = 5 Struct (kind); list_value = 6 ListValue (kind)
Struct: fields = 1 *NamedValue
ListValue: values = 1 *Value
HParamsParts: session_start_info = 3 SessionStartParts
SessionStartParts: hparams = 1 *NamedValue
NamedValue: key = 1 bytes; value = 2 Value
"""
"""Hyperparameters: `plugins/hparams/{plugin_data,api}.proto`, and protobuf's own `struct.proto`.

`NamedValue` is an entry of a `map<string, Value>`: a map cannot be read if one of its names is not UTF-8.
"""

CUSTOM_SCALARS = """
Layout: version = 1 int32; category = 2 *Category
Category: title = 1 string; chart = 2 *Chart; closed = 3 bool
Chart: title = 1 string; multiline = 2 MultilineChartContent (content); margin = 3 MarginChartContent (content)
MultilineChartContent: tag = 1 *string
MarginChartContent: series = 1 *MarginSeries
MarginSeries: value = 1 string; lower = 2 string; upper = 3 string
"""
"""Layouts of custom scalars: `plugins/custom_scalar/layout.proto`."""

PROJECTOR = """
ProjectorConfig: model_checkpoint_path = 1 string; embeddings = 2 *EmbeddingInfo; model_checkpoint_dir = 3 string
EmbeddingInfo: tensor_name = 1 string; metadata_path = 2 string; bookmarks_path = 3 string; tensor_shape = 4 *uint32;
    sprite = 5 SpriteMetadata; tensor_path = 6 string
SpriteMetadata: image_path = 1 string; single_image_dim = 2 *uint32
"""
"""Projector configuration, text format on disk: `plugins/projector/projector_config.proto`."""

PROFILER = """
XSpace: planes = 1 *XPlane; errors = 2 *string; warnings = 3 *string; hostnames = 4 *string
XPlane: id = 1 int64; name = 2 string; lines = 3 *XLine; event_metadata = 4 map<int64, XEventMetadata>;
    stat_metadata = 5 map<int64, XStatMetadata>; stats = 6 *XStat
XLine: id = 1 int64; name = 2 string; timestamp_ns = 3 int64; events = 4 *XEvent; duration_ps = 9 int64;
    display_id = 10 int64; display_name = 11 string
XEvent: metadata_id = 1 int64; offset_ps = 2 int64 (data); duration_ps = 3 int64; stats = 4 *XStat;
    num_occurrences = 5 int64 (data)
XStat: metadata_id = 1 int64; double_value = 2 double (value); uint64_value = 3 uint64 (value);
    int64_value = 4 int64 (value); str_value = 5 string (value); bytes_value = 6 bytes (value);
    ref_value = 7 uint64 (value)
XEventMetadata: id = 1 int64; name = 2 string; metadata = 3 bytes; display_name = 4 string; stats = 5 *XStat;
    child_id = 6 *int64
XStatMetadata: id = 1 int64; name = 2 string; description = 3 string
"""
"""Profiles: OpenXLA `xplane.proto`."""


VALUE_KINDS = {
    None: "an empty value",
    "simple_value": "a single number",
    "image": "an image",
    "audio": "a sound",
    "histo": "a histogram",
    "obsolete_old_style_histogram": "a histogram of a form that no reader knows any more",
    "tensor": "a tensor",
}
"""Names of the kinds of values in messages to the user, by field of `SummaryValue`."""


PARSE_ERRORS = (DecodeError, ValueError, RecursionError, MemoryError)
"""Errors of `FromString` for invalid bytes, in the versions and implementations of protobuf."""

PACKAGE = "tbtui"
FILES = {
    "tensors": (TENSORS, ()),
    "events": (EVENTS, ("tensors",)),
    "graphs": (GRAPHS, ("tensors",)),
    "run_metadata": (RUN_METADATA, ("tensors", "graphs")),
    "graph_parts": (GRAPH_PARTS, ()),
    "plugins": (PLUGINS, ()),
    "hparams": (HPARAMS, ()),
    "custom_scalars": (CUSTOM_SCALARS, ()),
    "projector": (PROJECTOR, ()),
    "profiler": (PROFILER, ()),
}
"""Groups of messages that are built together, and the groups they depend on."""

_FIELD = re.compile(r"(?P<name>\w+) = (?P<number>\d+) (?P<type>\*?\w+|map<\w+, \w+>)(?: \((?P<oneof>\w+)\))?$")
_NUMBERS_AND_TEXTS = frozenset({"double", "float", "int64", "uint64", "int32", "bool", "string", "bytes", "uint32"})
_BUILD_LOCK = Lock()
"""Held while building: `cache` lets two threads compute one result at once, and each pool would lack messages."""


def decode_text(value: str | bytes) -> str:
    """Return a text field as `str`; bytes that are not UTF-8 become U+FFFD."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


@cache
def get_message_class(name: str) -> type[Any]:
    """Return the class of the message `name` in the schema, such as `Event` or `GraphDef`.

    Raises:
        KeyError: The schema has no such message.
    """
    # A slow import, not needed if the cache on disk holds all runs.
    from google.protobuf import message_factory

    with _BUILD_LOCK:
        _add_file(_map_messages()[name])
        cls: type[Message] = message_factory.GetMessageClass(_load_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))
    return cls


@cache
def _load_pool() -> DescriptorPool:
    from google.protobuf.descriptor_pool import DescriptorPool

    return DescriptorPool()


@cache
def _map_messages() -> dict[str, str]:
    """Return the group of each message, by name."""
    return {name: file for file, (table, _) in FILES.items() for name in re.findall(r"^(\w+):", table, re.MULTILINE)}


@cache
def _add_file(file: str) -> None:
    """Add the messages of a group, and the groups they depend on, to the pool."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    table, dependencies = FILES[file]
    for dependency in dependencies:
        _add_file(dependency)
    descriptor = FileDescriptorProto(
        name=f"{PACKAGE}/{file}", package=PACKAGE, syntax="proto2", dependency=[f"{PACKAGE}/{d}" for d in dependencies]
    )
    for line in table.replace("\n    ", " ").strip().splitlines():
        name, _, fields = line.partition(": ")
        _describe(descriptor.message_type.add(name=name), fields.split("; "))
    _load_pool().Add(descriptor)


def _describe(descriptor: DescriptorProto, fields: list[str]) -> None:
    oneofs: dict[str, int] = {}
    for line in fields:
        match = _FIELD.match(line)
        if match is None:
            raise ValueError(f"schema: {descriptor.name}: {line!r}")
        field = descriptor.field.add(name=match["name"], number=int(match["number"]))
        kind = match["type"]
        field.label = field.LABEL_REPEATED if kind[0] == "*" or "<" in kind else field.LABEL_OPTIONAL
        _set_type(field, _map_entry(descriptor, match["name"], kind) if "<" in kind else kind.lstrip("*"))
        if kind[0] == "*" and field.type not in {field.TYPE_MESSAGE, field.TYPE_STRING, field.TYPE_BYTES}:
            field.options.packed = True
        if oneof := match["oneof"]:
            if oneof not in oneofs:
                oneofs[oneof] = len(oneofs)
                descriptor.oneof_decl.add(name=oneof)
            field.oneof_index = oneofs[oneof]


def _set_type(field: FieldDescriptorProto, kind: str) -> None:
    if kind in _NUMBERS_AND_TEXTS:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    else:
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{PACKAGE}.{kind}"


def _map_entry(descriptor: DescriptorProto, name: str, kind: str) -> str:
    """Add the message of a map's entries, `{key = 1, value = 2}`, and return its name within the package."""
    entry = descriptor.nested_type.add(name="".join(part.title() for part in name.split("_")) + "Entry")
    entry.options.map_entry = True
    for number, part in enumerate(kind[len("map<") : -1].split(", "), 1):
        field = entry.field.add(name=("key", "value")[number - 1], number=number)
        field.label = field.LABEL_OPTIONAL
        _set_type(field, part)
    return f"{descriptor.name}.{entry.name}"
