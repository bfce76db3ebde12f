"""Copies scalars, and some other data, of a log directory: `python screenshots/excerpt.py SOURCE TARGET [TAGS EVERY]…`.

Records of scalars are copied as they are, byte for byte. Of other tags that match the regular expression TAGS every so
many records are copied: the fourth, the eighth and so on for 4. The first pair that matches decides. Histograms lose
empty buckets but one of those that follow each other: PyTorch writes hundreds of them, and no picture or quantile is
another without. Records of other kinds stay as they are. All else is left out, and so are runs whose scalars say no
more than their hyperparameters.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from tbtui.events.decoder import TagRegistry
from tbtui.events.schema import get_message_class
from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from collections.abc import Iterator

HPARAMS = "hparams"
"""The plugin whose runs are parts of another."""

Wanted: TypeAlias = "tuple[tuple[re.Pattern[str], int], ...]"
"""Patterns of tags; of each, every n-th record is copied."""


class Others:
    """Selects the records without scalars that are copied from a run."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._seen: Counter[str] = Counter()

    def take(self, event: Any) -> bool:
        """Return True if an event holds a value that is copied."""
        if len(event.summary.value) != 1:
            return False
        tag = event.summary.value[0].tag
        self._seen[tag] += 1
        every = next((every for tags, every in self._wanted if tags.search(tag)), 0)
        return every > 0 and self._seen[tag] % every == 0


def joined(histogram: Any) -> Any:
    """Replace successive empty buckets of a `HistogramProto` with one, and return the histogram."""
    counts = list(histogram.bucket)
    kept = [at for at in range(len(counts)) if counts[at : at + 2] != [0, 0]]
    limits = [histogram.bucket_limit[at] for at in kept]
    counts = [counts[at] for at in kept]
    del histogram.bucket_limit[:], histogram.bucket[:]
    histogram.bucket_limit.extend(limits)
    histogram.bucket.extend(counts)
    return histogram


def copied(event: Any, payload: bytes) -> bytes:
    """Return the bytes to write for an event that was read from `payload`."""
    if event.summary.value[0].WhichOneof("value") != "histo":
        return payload
    joined(event.summary.value[0].histo)
    changed: bytes = event.SerializeToString()
    return changed


def payloads(path: Path) -> Iterator[bytes]:
    """Yield the payloads of a file."""
    reader = RecordReader(str(path))
    while len(block := reader.read()):
        yield from (block.payload(row) for row in range(len(block)))


def excerpt(paths: list[Path], others: Others) -> dict[Path, list[bytes]]:
    """The payloads to write for each file of one run; nothing when it holds hyperparameters."""
    tags = TagRegistry()
    kept: dict[Path, list[bytes]] = {}
    for path in paths:
        kept[path] = []
        for payload in payloads(path):
            event = get_message_class("Event").FromString(payload)
            numbers = [tags.of_value(value) for value in event.summary.value]
            is_other = event.WhichOneof("what") in {"graph_def", "meta_graph_def", "tagged_run_metadata"}
            if not is_other and all(tags.is_scalar(number) for number in numbers):
                kept[path].append(payload)
            elif others.take(event):
                kept[path].append(copied(event, payload))
    return {} if any(info.plugin_name == HPARAMS for info in tags.infos) else kept


def main(source: Path, target: Path, wanted: Wanted) -> None:
    """Copy every run below `source`."""
    runs: dict[Path, list[Path]] = {}
    for path in sorted(source.rglob("*tfevents*")):
        runs.setdefault(path.parent, []).append(path)
    for paths in runs.values():
        for path, kept in excerpt(paths, Others(wanted)).items():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"".join(map(frame_record, kept)))


if __name__ == "__main__":
    pairs = zip(sys.argv[3::2], sys.argv[4::2], strict=True)
    main(Path(sys.argv[1]), Path(sys.argv[2]), tuple((re.compile(tags), int(every)) for tags, every in pairs))
