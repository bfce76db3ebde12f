"""What the maths of one tag's histograms costs: 5,000 steps of about 600 buckets, milliseconds, the best of many.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_histogram_maths.py`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.maths.histograms import Buckets, display_edges, find_value_limits, rebin, sample_evenly
from tbtui.maths.statistics import compute_moments, find_anomaly, interpolate_quantiles

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS, BUCKETS = 5000, 600
BINS = 80


def best(work: Callable[[], object], repeats: int = 15) -> float:
    """Milliseconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def report(what: str, work: Callable[[], object], wanted: str = "") -> None:
    """One line of the table."""
    print(f"{what:58} {best(work):9.2f} ms   {wanted}")


def normal(steps: int, buckets: int, *, spread: int) -> Buckets:
    """Normal values in buckets of random widths, a few more or less of them each step; one in twenty is empty."""
    random = np.random.default_rng(0)
    sizes = random.integers(buckets - spread, buckets + spread + 1, steps)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    edges = random.normal(size=starts[-1] + steps)
    places = np.repeat(np.arange(steps), sizes + 1)
    edges = edges[np.lexsort((edges, places))]
    first = np.arange(starts[-1]) + np.repeat(np.arange(steps), sizes)
    counts = random.poisson(3, starts[-1]).astype(np.float64)
    lefts, rights, middles = edges[first], edges[first + 1], (edges[first] + edges[first + 1]) / 2
    columns = (counts, counts * middles, counts * middles**2)
    return Buckets(starts, lefts, rights, counts, *(np.add.reduceat(column, starts[:-1]) for column in columns))


def main() -> None:
    """All that a pane asks of the maths."""
    for name, buckets in (("", normal(STEPS, BUCKETS, spread=40)), (", 30 buckets", normal(STEPS, 30, spread=0))):
        even, figures = np.linspace(-3.5, 3.5, BINS + 1), compute_moments(buckets)
        uneven = np.sinh(np.linspace(-5, 5, BINS + 1)) / 20
        few = np.linspace(0, STEPS - 1, 120).astype(np.int64)
        common = display_edges(buckets)
        report(f"quantiles{name}", lambda: interpolate_quantiles(buckets), "25 wanted")  # noqa: B023 - called at once
        report(f"into {BINS} equal bins{name}", lambda: rebin(buckets, even), "30 wanted")  # noqa: B023
        report(f"into {BINS} bins of a symlog axis{name}", lambda: rebin(buckets, uneven))  # noqa: B023
        report(f"into {BINS} bins, 120 of the steps{name}", lambda: rebin(buckets, even, few))  # noqa: B023
        report(f"into TensorBoard's 30 bins{name}", lambda: rebin(buckets, common))  # noqa: B023
        report(f"limits{name}", lambda: find_value_limits(buckets))  # noqa: B023
        report(f"limits of a log axis{name}", lambda: find_value_limits(buckets, "log"))  # noqa: B023
        report(f"moments{name}", lambda: compute_moments(buckets))  # noqa: B023
        report(f"unrest{name}", lambda: find_anomaly(figures))  # noqa: B023
    report("twenty steps chosen", lambda: sample_evenly(np.arange(STEPS, dtype=np.float64), 20))


if __name__ == "__main__":
    main()
