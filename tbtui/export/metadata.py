"""Tables of tags and of event files: one row per tag of a run, or per file."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.events.schema import PARSE_ERRORS, get_message_class
from tbtui.export.table import Table, build_object_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tbtui.store.snapshot import EventFile, RunSnapshot, Series

METADATA_COLUMNS = (
    "plugin",
    "data_class",
    "display_name",
    "description",
    "points",
    "superseded",
    "first_step",
    "last_step",
    "first_wall_time",
    "last_wall_time",
    "content",
    "decoded",
)
"""Columns of tables of tags. `points` includes superseded ones. Steps and wall times are those of the first and last
stored point. `content` is the plugin's message in base64; `decoded` is the message as JSON if its type is known."""

FILE_COLUMNS = ("file", "bytes", "records", "writer", "first_wall_time", "last_wall_time", "state", "problems")
"""Columns of tables of files, which have no tag; `problems` is a JSON list."""

_DATA_CLASSES = {1: "scalar", 2: "tensor", 3: "blob sequence"}

_MESSAGES = {
    "scalars": "ScalarPluginData",
    "histograms": "HistogramPluginData",
    "text": "TextPluginData",
    "images": "ImagePluginData",
    "audio": "AudioPluginData",
    "pr_curves": "PrCurvePluginData",
    "mesh": "MeshPluginData",
    "hparams": "HParamsPluginData",
}
"""Message type of the content by plugin."""


def iter_metadata_tables(run: RunSnapshot, tag_matches: Callable[[str], bool]) -> Iterator[Table]:
    """Yield one row for each matching tag of a run, including tags without points."""
    for series in run.series.values():
        if tag_matches(series.tag):
            yield Table(run.name, series.tag, _to_columns(METADATA_COLUMNS, [_describe_tag(series)]))


def build_files_table(run: RunSnapshot) -> Table:
    """Return the table of the event files of a run."""
    return Table(run.name, "", _to_columns(FILE_COLUMNS, list(map(_describe_file, run.files))))


def decode_content(plugin: str, content: bytes) -> str | None:
    """Return a plugin's message as JSON; None if its type is unknown or it is invalid."""
    name = _MESSAGES.get(plugin)
    if name is None or not content:
        return None
    from google.protobuf.json_format import Error, MessageToDict

    try:
        fields = MessageToDict(get_message_class(name).FromString(content), preserving_proto_field_name=True)
        return json.dumps(fields, default=_to_text)
    except (*PARSE_ERRORS, Error, TypeError, KeyError):
        return None


def _to_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _describe_tag(series: Series) -> dict[str, Any]:
    metadata, count = series.metadata, len(series)
    series = replace(series)  # a copy, because a series caches computed columns
    return {
        "plugin": metadata.plugin_name,
        "data_class": _DATA_CLASSES.get(metadata.data_class),
        "display_name": metadata.display_name,
        "description": metadata.description,
        "points": count,
        "superseded": series.superseded,
        "first_step": int(series.steps[0]) if count else None,
        "last_step": int(series.steps[-1]) if count else None,
        "first_wall_time": float(series.wall_times[0]) if count else None,
        "last_wall_time": float(series.wall_times[-1]) if count else None,
        "content": b64encode(metadata.content).decode("ascii"),
        "decoded": decode_content(metadata.plugin_name, metadata.content),
    }


def _describe_file(file: EventFile) -> dict[str, Any]:
    problems = [
        {
            "kind": problem.kind,
            "offset": problem.offset,
            "bytes_skipped": problem.bytes_skipped,
            "message": problem.message,
        }
        for problem in file.problems
    ]
    return {
        "file": file.path,
        "bytes": file.bytes,
        "records": file.records,
        "writer": file.writer,
        "first_wall_time": file.first_wall_time,
        "last_wall_time": file.last_wall_time,
        "state": file.state,
        "problems": json.dumps(problems) if problems else None,
    }


def _to_columns(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: build_object_column([row[name] for row in rows]) for name in names}
