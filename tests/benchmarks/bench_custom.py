"""What the Custom tab costs: CPU milliseconds, the best of several.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_custom.py`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.custom_scalars.arrangement import ArrangementCache
from tbtui.plugins.custom_scalars.painter import CustomPainter
from tbtui.plugins.custom_scalars.tag_patterns import TagPatterns
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.painter import ScalarRenderer
from tests.helpers.layouts import layout_view
from tests.helpers.snapshots import run

if TYPE_CHECKING:
    from collections.abc import Callable

TAGS = [f"head_{head}/layer_{layer}/loss_{kind}" for head in range(10) for layer in range(50) for kind in range(10)]
PATTERNS = [rf"head_\d+/layer_{layer}/loss_{kind}$" for layer in range(50) for kind in range(4)]
RUNS = 30
CHARTS = 50
MANY_RUNS = 300


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the CPU milliseconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main() -> None:
    TagPatterns(TAGS).match("none.*")  # imports the regex package
    matching = best(lambda: [TagPatterns(TAGS).match(pattern) for pattern in PATTERNS[:1]])
    patterns = best(lambda: list(map(TagPatterns(TAGS).match, PATTERNS)))
    print(f"one pattern, {len(TAGS):,} tags: {matching:.2f}; {len(PATTERNS)} patterns: {patterns:.0f}")
    noise = np.random.default_rng(0).normal(size=1000)
    tags = {tag: tuple(noise + place) for place, tag in enumerate(TAGS[:200])}
    charts = {f"chart {place}": ["Multiline", [rf"head_0/layer_{place % 20}/loss_\d"]] for place in range(CHARTS)}
    runs = [run(f"r{number}", tags) for number in range(RUNS)]
    view, cache = layout_view({"all": charts}, *runs)
    listing = best(lambda: ArrangementCache().get_arrangement(view))
    data = ScalarData(cards=cache)
    keys = cache.of(view).keys[:6]

    def page() -> None:
        painter = CustomPainter(view, cache.get_arrangement(view), data, ScalarRenderer())
        for key in keys:
            painter.paint(key, 46, 12, focused=False)

    first = best(page, 1)
    print(f"{CHARTS} charts of {RUNS} runs x {len(tags)} tags listed: {listing:.1f}")
    print(f"a page of 6 charts of {10 * RUNS} lines, first: {first:.0f}; again: {best(page):.0f}")
    many = [run(f"r{number}", {"loss": tuple(noise + number)}) for number in range(MANY_RUNS)]
    view, cache = layout_view({"all": {"loss": ["Multiline", ["loss"]]}}, *many)
    data, renderer, key = ScalarData(cards=cache), ScalarRenderer(), cache.of(view).keys[0]

    def card(size: tuple[int, int], kept: ScalarRenderer | None = None) -> None:
        painter = CustomPainter(view, cache.get_arrangement(view), data, kept or renderer)
        painter.paint(key, *size, focused=True)

    first = best(lambda: card((96, 34)), 1)
    resized = best(lambda: card((96, 34), ScalarRenderer()))
    again = best(lambda: card((96, 34)))
    print(f"a card of {MANY_RUNS} runs, first: {first:.0f}; drawn anew: {resized:.0f}; again: {again:.1f}")
    print(f"size of the layout: {len(json.dumps({'all': charts})):,} characters")


if __name__ == "__main__":
    main()
