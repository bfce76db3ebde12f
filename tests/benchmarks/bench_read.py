"""CPU seconds to frame and decode a run of scalar events, as several writers write them.

    python tests/benchmarks/bench_read.py [EVENTS]

For each kind of event it prints the seconds for framing, for decoding, for both by 1,000,000 values, how many times as
long protobuf alone would take to decode, and the greatest memory of the process so far. Best of three.
"""

from __future__ import annotations

import math
import resource
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events import decoder
from tbtui.events.schema import get_message_class
from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.reader import RecordReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TAGS = 50


def value(step: int, tag: int) -> float:
    return math.sin(step / 100 + tag)


def simple_value(tag: str, number: float) -> Any:
    return get_message_class("SummaryValue")(tag=tag, simple_value=number)


def tensor(tag: str, number: float) -> Any:
    built = get_message_class("SummaryValue")(tag=tag)
    built.tensor.dtype = 1
    built.tensor.tensor_shape.SetInParent()
    built.tensor.tensor_content = struct.pack("<f", number)
    return built


def with_metadata(tag: str, number: float) -> Any:
    built = get_message_class("SummaryValue")(tag=tag)
    built.tensor.dtype = 1
    built.tensor.float_val.append(number)
    built.metadata.plugin_data.plugin_name = "scalars"
    return built


def double(tag: str, number: float) -> Any:
    built = with_metadata(tag, number)
    built.tensor.dtype = 2
    built.tensor.ClearField("float_val")
    built.tensor.double_val.append(number)
    return built


def events(build: Callable[[str, float], Any], count: int, per_event: int) -> Iterator[bytes]:
    """Serialized events of `count` values in all; the first value of each tag names the plugin."""
    event_class = get_message_class("Event")
    yield event_class(wall_time=1.7e9, file_version="brain.Event:2").SerializeToString()
    for number in range(0, count, per_event):
        step = number // TAGS
        event = event_class(wall_time=1.7e9 + number / 1000, step=step)
        for tag in range(number % TAGS, number % TAGS + per_event):
            one = build(f"group_{tag % 7}/some_metric_{tag:02d}", value(step, tag))
            if step == 0:
                one.metadata.plugin_data.plugin_name = "scalars"
            event.summary.value.append(one)
        yield event.SerializeToString()


KINDS: dict[str, tuple[Callable[[str, float], Any], int]] = {
    "simple_value (PyTorch, TF1)": (simple_value, 1),
    "tensor (TF2)": (tensor, 1),
    "tensor and metadata": (with_metadata, 1),
    "double and metadata": (double, 1),
    "10 simple_values an event": (simple_value, 10),
}


def no_templates(*_: object, **__: object) -> list[object]:
    """Stands in for `match_templates`; unlike a mock it keeps no block."""
    return []


def read(path: Path) -> tuple[float, float, int]:
    """CPU seconds of framing and of decoding, and how many values were found."""
    reader, run = RecordReader(str(path)), decoder.RunDecoder()
    framing = decoding = 0.0
    values = 0
    at_end = False
    while not at_end:
        began = time.process_time()
        block = reader.read()
        framed = time.process_time()
        columns = run.decode(block).scalars.values()
        decoding += time.process_time() - framed
        framing += framed - began
        values += sum(len(column.values) for column in columns)
        at_end = block.at_end
    return framing, decoding, values


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{count:,} values over {TAGS} tags")
    print(f"{'':28}{'frame':>8}{'decode':>8}{'per 1M':>8}{'protobuf':>10}{'memory':>9}")
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as directory:
        path = Path(directory) / "events.out.tfevents.1"
        for name, (build, per_event) in KINDS.items():
            with path.open("wb") as file:
                for payload in events(build, count, per_event):
                    file.write(frame_record(payload))
            results = [read(path) for _ in range(3)]
            assert all(values == count for *_, values in results)
            framing, decoding, _ = min(results, key=lambda result: result[0] + result[1])
            with mock.patch.object(decoder, "match_templates", no_templates):
                _, alone, _ = read(path)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            per_million = (framing + decoding) / count * 1e6
            print(f"{name:28}{framing:7.3f}s{decoding:7.3f}s{per_million:7.3f}s{alone / decoding:9.1f}x{memory:6d} MB")


if __name__ == "__main__":
    main()
