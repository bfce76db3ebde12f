"""What opening a tag of histograms costs: milliseconds to read and decode all of its steps, the best of several.

    python tests/benchmarks/bench_histograms.py [STEPS]

The file is a real one, in the system's cache, with scalars between the histograms.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.plugins.histograms.read import load_histograms

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.events.decoder import RunDecoder
from tbtui.events.schema import get_message_class
from tbtui.events.tensors import make_tensor
from tbtui.loading.payloads import Payloads
from tbtui.loading.run_reader import RunReader
from tbtui.store.snapshot import ReferenceSeries
from tbtui.store.staging import StagedRun
from tbtui.tfrecord.framing import frame_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.store.snapshot import RunSnapshot

TAG = "layer1/weights"
SCALARS = 3
"""Between two histograms."""


def pytorch(step: int, generator: np.random.Generator) -> Any:
    """600 buckets by PyTorch's rule, with its empty one in front, each with values in it."""
    value = get_message_class("SummaryValue")(tag=TAG)
    positive = 1e-12 * 1.1 ** np.arange(300)
    limits = np.concatenate([-positive[::-1], positive]) * (1 + step / 1e5)
    counts = generator.integers(1, 1000, len(limits)).astype(np.float64)
    counts[0] = 0
    middles = np.concatenate([limits[:1], (limits[1:] + limits[:-1]) / 2])
    value.histo.min, value.histo.max, value.histo.num = limits[0] * 0.99, limits[-1] * 0.99, counts.sum()
    value.histo.sum, value.histo.sum_squares = counts @ middles, counts @ middles**2
    value.histo.bucket_limit.extend(limits.tolist())
    value.histo.bucket.extend(counts.tolist())
    return value


def tensorflow(step: int, generator: np.random.Generator) -> Any:
    """30 rows of left edge, right edge and count, as TensorFlow 2 writes them."""
    value = get_message_class("SummaryValue")(tag=TAG)
    edges = np.linspace(-1 - step / 1e4, 1, 31)
    rows = np.column_stack([edges[:-1], edges[1:], generator.integers(0, 1000, 30)])
    value.tensor.CopyFrom(make_tensor(rows))
    if step == 0:
        value.metadata.plugin_data.plugin_name = "histograms"
    return value


def write(path: Path, build: Callable[[int, np.random.Generator], Any], steps: int) -> None:
    """An event file with one histogram a step and some scalars behind each."""
    generator = np.random.default_rng(0)
    with path.open("wb") as file:
        for step in range(steps):
            event = get_message_class("Event")(wall_time=1.79e9 + step, step=step)
            event.summary.value.append(build(step, generator))
            file.write(frame_record(event.SerializeToString()))
            for number in range(SCALARS):
                event = get_message_class("Event")(wall_time=1.79e9 + step, step=step)
                event.summary.value.add(tag=f"loss/{number}", simple_value=step / 7)
                file.write(frame_record(event.SerializeToString()))


def index(path: Path) -> RunSnapshot:
    """The run as the loader would have it."""
    reading = RunReader((str(path),), StagedRun("run", itertools.count(1)), RunDecoder(), Path.stat)
    while reading.pending:
        reading.read(1 << 20)
    run = reading.snapshot()
    assert run is not None
    return run


def measure(what: str, path: Path, repeats: int) -> None:
    """Print what the steps of the tag cost, all of them and the newest one alone."""
    run = index(path)
    series = run.series[TAG]
    assert isinstance(series, ReferenceSeries)
    times = []
    for _ in range(repeats):
        payloads = Payloads()
        began = time.perf_counter()
        histograms = load_histograms(payloads, run, series)
        times.append(time.perf_counter() - began)
    assert not histograms.errors
    assert not np.isnan(histograms.totals).any()
    size, buckets = int(series.lengths.sum()) / 1e6, len(histograms.counts)
    print(f"{what:34}{len(series):7,} steps {buckets:10,} buckets {size:6.1f} MB in the file", end=" ")
    print(
        f"{histograms.nbytes / 1e6:6.1f} MB in memory {min(times) * 1e3:8.2f} ms  (median {np.median(times) * 1e3:.2f})"
    )


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as directory:
        for what, build in (("PyTorch, goal 80 ms", pytorch), ("TensorFlow 2", tensorflow)):
            path = Path(directory) / f"events.out.tfevents.1.{build.__name__}"
            write(path, build, steps)
            measure(what, path, 9)


if __name__ == "__main__":
    main()
