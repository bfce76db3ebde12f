"""Copies scalars, and some histograms, of a log directory: `python screenshots/excerpt.py SOURCE TARGET [TAGS EVERY]`.

Records of scalars are copied as they are, byte for byte. Of tags of histograms that match the regular expression TAGS
every so many are copied, the last one among them, with empty buckets that follow each other made into one: PyTorch
writes hundreds of them, and no picture or quantile is another without. All other records are left out, and runs whose
scalars say no more than their hyperparameters.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tbtui.events.messages import message
from tbtui.events.tags import RunTags
from tbtui.records.reader import RecordReader
from tbtui.records.writer import frame_record

if TYPE_CHECKING:
    from collections.abc import Iterator

HPARAMS = "hparams"
"""The plugin whose runs are parts of another."""

NOTHING = re.compile("(?!)")


class Histograms:
    """Which histograms of a run are copied."""

    def __init__(self, tags: re.Pattern[str], every: int) -> None:
        self._tags = tags
        self._every = every
        self._seen: Counter[str] = Counter()

    def take(self, event: Any) -> bool:
        """Whether an event holds one histogram that is wanted."""
        values = event.summary.value
        if len(values) != 1 or values[0].WhichOneof("value") != "histo" or not self._tags.search(values[0].tag):
            return False
        self._seen[values[0].tag] += 1
        return self._seen[values[0].tag] % self._every == 0


def joined(histogram: Any) -> Any:
    """A `HistogramProto` with one empty bucket where several follow each other."""
    counts = list(histogram.bucket)
    kept = [at for at in range(len(counts)) if counts[at : at + 2] != [0, 0]]
    limits = [histogram.bucket_limit[at] for at in kept]
    counts = [counts[at] for at in kept]
    del histogram.bucket_limit[:], histogram.bucket[:]
    histogram.bucket_limit.extend(limits)
    histogram.bucket.extend(counts)
    return histogram


def payloads(path: Path) -> Iterator[bytes]:
    """What the records of a file hold."""
    reader = RecordReader(str(path))
    while len(block := reader.read()):
        yield from (block.payload(row) for row in range(len(block)))


def excerpt(paths: list[Path], histograms: Histograms) -> dict[Path, list[bytes]]:
    """The payloads to write for each file of one run; nothing when it holds hyperparameters."""
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
            elif histograms.take(event):
                joined(event.summary.value[0].histo)
                kept[path].append(event.SerializeToString())
    return {} if any(info.plugin_name == HPARAMS for info in tags.infos) else kept


def main(source: Path, target: Path, tags: re.Pattern[str] = NOTHING, every: int = 1) -> None:
    """Copy every run below `source`."""
    runs: dict[Path, list[Path]] = {}
    for path in sorted(source.rglob("*tfevents*")):
        runs.setdefault(path.parent, []).append(path)
    for paths in runs.values():
        for path, kept in excerpt(paths, Histograms(tags, every)).items():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(b"".join(map(frame_record, kept)))


if __name__ == "__main__":
    chosen = (re.compile(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 3 else ()
    main(Path(sys.argv[1]), Path(sys.argv[2]), *chosen)
