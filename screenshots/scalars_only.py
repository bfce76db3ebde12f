"""Copies the scalars of a log directory and nothing else: `python screenshots/scalars_only.py SOURCE TARGET`.

Records that hold images, histograms, graphs and so on are left out; all others are copied as they are, byte for byte.
A run whose scalars say no more than its hyperparameters is left out too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from tbtui.events.messages import message
from tbtui.events.tags import RunTags
from tbtui.records.reader import RecordReader
from tbtui.records.writer import frame_record

if TYPE_CHECKING:
    from collections.abc import Iterator

HPARAMS = "hparams"
"""The plugin whose runs are parts of another."""


def payloads(path: Path) -> Iterator[bytes]:
    """What the records of a file hold."""
    reader = RecordReader(str(path))
    while len(block := reader.read()):
        yield from (block.payload(row) for row in range(len(block)))


def scalars_of(paths: list[Path]) -> dict[Path, list[bytes]]:
    """The payloads to copy of each file of one run; nothing when it holds hyperparameters."""
    tags = RunTags()
    kept: dict[Path, list[bytes]] = {}
    for path in paths:
        kept[path] = []
        for payload in payloads(path):
            event = message("Event").FromString(payload)
            numbers = [tags.of_value(value) for value in event.summary.value]
            is_other = event.WhichOneof("what") in {"graph_def", "meta_graph_def", "tagged_run_metadata"}
            if not is_other and all(tags.is_scalar(number) for number in numbers):
                kept[path].append(payload)
    return {} if any(info.plugin_name == HPARAMS for info in tags.infos) else kept


def main(source: Path, target: Path) -> None:
    """Copy every run below `source`."""
    runs: dict[Path, list[Path]] = {}
    for path in sorted(source.rglob("*tfevents*")):
        runs.setdefault(path.parent, []).append(path)
    for paths in runs.values():
        for path, kept in scalars_of(paths).items():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"".join(map(frame_record, kept)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
