"""Decode experiments and sessions from the metadata of the three reserved tags of hyperparameters.

Source: TensorBoard `plugins/hparams/metadata.py` (tags), `plugin_data.proto`, `api.proto` (messages); the writers are
`plugins/hparams/summary.py` and `summary_v2.py`, PyTorch and tensorboardX `summary.py` `hparams`. All data are in
the metadata of a value; its tensor is empty or missing. TensorBoard refuses messages of a version other than 0; tbtui
reads every message that protobuf can parse.
"""

from __future__ import annotations

import json
from dataclasses import field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.events.schema import PARSE_ERRORS, decode_text, get_message_class
from tbtui.frozen import frozen
from tbtui.plugins.hparams.start_layouts import StartLayouts

if TYPE_CHECKING:
    from tbtui.plugins.hparams.start_layouts import StartLayout

PLUGIN = "hparams"
EXPERIMENT_TAG = "_hparams_/experiment"
SESSION_START_TAG = "_hparams_/session_start_info"
SESSION_END_TAG = "_hparams_/session_end_info"

HParamValue: TypeAlias = bool | float | str
"""Value of a hyperparameter. Integers are floats: `google.protobuf.Value` has no other numbers."""

UNKNOWN, SUCCESS, FAILURE, RUNNING = "unknown", "success", "failure", "running"

_TYPES = {0: "", 1: "string", 2: "bool", 3: "float64"}
_STATUSES = {0: UNKNOWN, 1: SUCCESS, 2: FAILURE, 3: RUNNING}
_DATASETS = {0: "", 1: "training", 2: "validation"}
_NOTHING: MappingProxyType[str, HParamValue] = MappingProxyType({})


class HParamsError(ValueError):
    """The content holds no hyperparameters; the message is one plain sentence."""


@frozen
class Interval:
    """Range of numbers."""

    min_value: float
    max_value: float


@frozen
class HParamInfo:
    """Declaration of one hyperparameter."""

    name: str
    display_name: str = ""
    description: str = ""
    type: str = ""
    """`string`, `bool`, `float64`; empty if not declared."""

    domain: tuple[HParamValue, ...] | Interval | None = None
    """The values it may have; None if not declared."""

    differs: bool = False
    """True if its values differ, as far as the writer knew."""


@frozen
class MetricInfo:
    """Declaration of one metric."""

    tag: str
    group: str = ""
    """Path below the session's run: the metric is the scalar `tag` of the run `session/group`."""

    display_name: str = ""
    description: str = ""
    dataset_type: str = ""
    """`training`, `validation`; empty if not declared."""


@frozen
class Experiment:
    """Declared hyperparameters and metrics."""

    name: str = ""
    description: str = ""
    user: str = ""
    time_created_secs: float | None = None
    """Seconds since the epoch; None if not declared."""

    hparam_infos: tuple[HParamInfo, ...] = ()
    metric_infos: tuple[MetricInfo, ...] = ()


@frozen
class SessionStartInfo:
    """Start of a session, with its hyperparameters."""

    hparams: MappingProxyType[str, HParamValue] = field(default_factory=lambda: _NOTHING)
    """Values in the order of names: a message keeps no order."""

    model_uri: str = ""
    monitor_url: str = ""
    group_name: str = ""
    """Sessions of one group repeat each other; empty: a group of its own."""

    start_time_secs: float | None = None
    """Seconds since the epoch; None if not declared."""


@frozen
class SessionEndInfo:
    """End of a session."""

    status: str = UNKNOWN
    """`unknown`, `success`, `failure` or `running`."""

    end_time_secs: float | None = None
    """Seconds since the epoch; None if not declared."""


HParamsData: TypeAlias = "Experiment | SessionStartInfo | SessionEndInfo"


@lru_cache(1 << 13)
def read_hparams(content: bytes) -> HParamsData:
    """Decode a serialized `HParamsPluginData`; every part of a program that needs one gets the same object.

    Args:
        content: The content of a value's plugin metadata.

    Raises:
        HParamsError: The content is not such a message, or the message is empty.
    """
    if (match := _layouts.find(content)) is not None:
        return _copy_start(*match)
    try:
        data = get_message_class("HParamsPluginData").FromString(content)
        kind = data.WhichOneof("data")
        if kind == "experiment":
            return _decode_experiment(data.experiment)
        if kind == "session_start_info":
            start = _decode_start(data.session_start_info, get_message_class("HParamsParts").FromString(content))
            _layouts.learn(content, start)
            return start
        if kind == "session_end_info":
            return _decode_end(data.session_end_info)
    except PARSE_ERRORS as error:
        raise HParamsError("the metadata is not a message about hyperparameters") from error
    raise HParamsError("the metadata says nothing about hyperparameters")


_layouts: StartLayouts[SessionStartInfo] = StartLayouts()


def _copy_start(layout: StartLayout[SessionStartInfo], numbers: tuple[float, ...]) -> SessionStartInfo:
    """Return the start that equals a known one but for its numbers."""
    template, time_index = layout.start, layout.time_index
    started = template.start_time_secs
    if time_index is not None:
        started = numbers[time_index] or None
        numbers = numbers[:time_index] + numbers[time_index + 1 :]
    hparams = template.hparams.copy()
    hparams.update(zip(layout.names, numbers, strict=True))
    return SessionStartInfo(
        MappingProxyType(hparams), template.model_uri, template.monitor_url, template.group_name, started
    )


def _decode_experiment(message: Any) -> Experiment:
    return Experiment(
        decode_text(message.name),
        decode_text(message.description),
        decode_text(message.user),
        message.time_created_secs or None,
        tuple(_decode_hparam_info(info) for info in message.hparam_infos),
        tuple(_decode_metric_info(info) for info in message.metric_infos),
    )


def _decode_hparam_info(info: Any) -> HParamInfo:
    kind = info.WhichOneof("domain")
    domain: tuple[HParamValue, ...] | Interval | None = None
    if kind == "domain_discrete":
        values = (_decode_value(value) for value in info.domain_discrete.values)
        domain = tuple(value for value in values if value is not None)
    elif kind == "domain_interval":
        domain = Interval(info.domain_interval.min_value, info.domain_interval.max_value)
    return HParamInfo(
        decode_text(info.name),
        decode_text(info.display_name),
        decode_text(info.description),
        _TYPES.get(info.type, ""),
        domain,
        bool(info.differs),
    )


def _decode_metric_info(info: Any) -> MetricInfo:
    return MetricInfo(
        decode_text(info.name.tag),
        decode_text(info.name.group),
        decode_text(info.display_name),
        decode_text(info.description),
        _DATASETS.get(info.dataset_type, ""),
    )


def _decode_start(info: Any, parts: Any) -> SessionStartInfo:
    named = {_decode_name(entry.key): _decode_value(entry.value) for entry in parts.session_start_info.hparams}
    hparams = {name: value for name, value in named.items() if value is not None}
    return SessionStartInfo(
        MappingProxyType(dict(sorted(hparams.items()))),
        decode_text(info.model_uri),
        decode_text(info.monitor_url),
        decode_text(info.group_name),
        info.start_time_secs or None,
    )


@lru_cache(maxsize=1 << 14)
def _decode_name(key: bytes) -> str:
    """Return a name; all sessions of a search have the same ones."""
    return decode_text(key)


def _decode_end(info: Any) -> SessionEndInfo:
    return SessionEndInfo(_STATUSES.get(info.status, UNKNOWN), info.end_time_secs or None)


def _decode_value(value: Any) -> HParamValue | None:
    """Return a `google.protobuf.Value`; None if it is null or not set; lists and structures as JSON."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        return float(value.number_value)
    if kind == "string_value":
        return decode_text(value.string_value)
    if kind == "bool_value":
        return bool(value.bool_value)
    return json.dumps(_to_json(value), ensure_ascii=False) if kind in {"list_value", "struct_value"} else None


def _to_json(value: Any) -> Any:
    """Return the JSON equivalent."""
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [_to_json(part) for part in value.list_value.values]
    if kind == "struct_value":
        fields = {decode_text(entry.key): _to_json(entry.value) for entry in value.struct_value.fields}
        return {name: fields[name] for name in sorted(fields)}
    return _decode_value(value)
