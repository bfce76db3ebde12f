"""Return first inputs from real writers, in the form that each check of `fuzz_checks` takes."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz_checks import valid_records

from tbtui.events.schema import PARSE_ERRORS, get_message_class

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS = Path(__file__).parents[1] / "corpus"
MAX_SEED_BYTES = 4000
"""Longer seeds are mutated slowly, and mostly where it does not matter."""

_GRAPH, _TIMES, _MODEL, _WAV, _PICTURE, _TEXT, _INDEX, _SAVED = range(1, 9)
"""Indices of `fuzz_checks._KINDS`; 0 is the value of a summary."""


def seeds(name: str, corpus: Path = CORPUS) -> Iterator[bytes]:
    """Yield the distinct inputs of the check `name`."""
    seeds_of = {"records": _records, "events": _events, "values": _values}[name]
    seen: set[bytes] = set()
    for path in sorted(path for path in corpus.rglob("*tfevents*") if path.is_file()):
        for seed in seeds_of(path.read_bytes()):
            if seed not in seen:
                seen.add(seed)
                yield seed
    if name == "values":
        yield from _documents()


def _records(content: bytes) -> Iterator[bytes]:
    yield b"\x40\xa0" + content[: MAX_SEED_BYTES // 6]


def _events(content: bytes) -> Iterator[bytes]:
    payloads = [payload for _, payload in valid_records(content) if len(payload) < MAX_SEED_BYTES]
    for first in range(0, min(len(payloads), 60), 12):
        chained = b"".join(
            struct.pack("<BBH", 20, 13, len(payload)) + payload for payload in payloads[first : first + 4]
        )
        yield chained[:MAX_SEED_BYTES]


def _values(content: bytes) -> Iterator[bytes]:
    for _, payload in valid_records(content):
        try:
            event = get_message_class("Event").FromString(payload)
        except PARSE_ERRORS:
            continue
        for value in event.summary.value:
            yield b"\0" + value.SerializeToString()[:MAX_SEED_BYTES]
            yield from _parts(value)
        if event.graph_def:
            yield bytes([_GRAPH]) + event.graph_def[:MAX_SEED_BYTES]
        if event.tagged_run_metadata.run_metadata:
            yield bytes([_TIMES]) + event.tagged_run_metadata.run_metadata[:MAX_SEED_BYTES]


def _parts(value: object) -> Iterator[bytes]:
    """Yield the texts, images, sounds and models inside a value."""
    plugin = value.metadata.plugin_data.plugin_name
    kind = {"graph_keras_model": _MODEL, "audio": _WAV, "images": _PICTURE, "text": _TEXT}.get(plugin)
    strings = [*value.tensor.string_val, value.image.encoded_image_string, value.audio.encoded_audio_string]
    for string in strings:
        content_kind = kind or (_PICTURE if string[:4] == b"\x89PNG" else _WAV if string[:4] == b"RIFF" else None)
        if content_kind is not None and string:
            yield bytes([content_kind]) + bytes(string[:MAX_SEED_BYTES])


def _documents() -> Iterator[bytes]:
    from tbtui.plugins.registry import list_plugin_settings
    from tbtui.settings.persistence import SavedState, build_state_document
    from tbtui.settings.settings import Settings

    settings = Settings()
    for declared in list_plugin_settings():
        settings = declared.next(settings) if declared.values else settings
    yield bytes([_SAVED]) + json.dumps(build_state_document(SavedState(settings))).encode()
    yield (
        bytes([_TEXT])
        + b"# A\n\n| a | b |\n|--|:-:|\n| `x` | *y* |\n\n1. one\n   > two\n\n```\n\x1b[31m\n```\n<b>&amp;</b>"
    )
    names = ("steps", "wall_times", "values"), ("files", "steps", "wall_times", "offsets", "lengths", "indices")
    dtypes = {"wall_times": "<f8", "values": "<f8", "files": "<i4", "indices": "<i4"}
    columns = [["contents", "|u1", 0]]
    for kind, columns_of_kind in zip(("scalars", "references"), names, strict=True):
        columns += [[f"{kind} tags", "<i8", 0], [f"{kind} points", "<i8", 0]]
        columns += [[f"{kind} {name}", dtypes.get(name, "<i8"), 0] for name in columns_of_kind]
    tag = dict.fromkeys(("tag", "plugin_name", "display_name", "description"), "a") | {"data_class": 1, "content": 0}
    head = {"by": "VERSION", "whole": False, "verified_files": [0], "files": [], "tags": [tag]}
    yield bytes([_INDEX]) + json.dumps({"head": head, "columns": columns}).encode()
