"""What the layout of a diagram costs, and drawing what a window shows of it: milliseconds, the best of several.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_diagrams.py`.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.graphs.diagram import Box, Diagram, Link, Window
from tbtui.plugins.graphs.diagram_layout import FULL, NAMES, TINY
from tbtui.plugins.graphs.diagram_painter import draw_diagram
from tbtui.plugins.graphs.layout.layout import lay_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def best(work: Callable[[], object], repeats: int) -> float:
    """Milliseconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def diagram(count: int, pairs: Iterable[tuple[int, int]]) -> Diagram:
    """Boxes with two lines each, and links with labels."""
    boxes = tuple(Box(index, (f"operation_{index}", "Conv2D", "1,234 parameters")) for index in range(count))
    return Diagram(boxes, tuple(Link(source, target, "32×64×56×56") for source, target in pairs))


def residual(count: int) -> Diagram:
    """A chain in which every fourth box also gets what came four boxes before."""
    chain = [(index, index + 1) for index in range(count - 1)]
    return diagram(count, chain + [(index, index + 4) for index in range(0, count - 4, 4)])


def branching(count: int, links: int, reach: int) -> Diagram:
    """Every box leads to some of those that are written soon after it; the same ones each time."""
    draw = random.Random(0)
    ends = [(index, index + draw.randint(1, reach)) for index in range(count) for _ in range(links)]
    return diagram(count, [(source, target) for source, target in ends if target < count])


def tangle(count: int) -> Diagram:
    """Any box to any other, around as well as on."""
    draw = random.Random(0)
    ends = [(draw.randrange(count), draw.randrange(count)) for _ in range(2 * count)]
    return diagram(count, [(source, target) for source, target in ends if source != target])


def fan(count: int) -> Diagram:
    """One box to all others, and all others to the last."""
    middle = range(1, count - 1)
    return diagram(count, [*((0, index) for index in middle), *((index, count - 1) for index in middle)])


def report(what: str, drawn: Diagram, wanted: float) -> None:
    """One line of the table."""
    repeats = 5 if len(drawn.boxes) < 1000 else 2
    laying = best(lambda: lay_out(drawn, FULL, breadth=118), repeats)
    drawing = 0.0
    for zoom in (FULL, NAMES, TINY):
        layout = lay_out(drawn, zoom, breadth=118)
        for part in (0, 2, 3):
            window = Window(max(layout.width // 2 - 60, 0), layout.height * part // 4, 120, 40)
            draw_diagram(layout, window)
            drawing = max(drawing, best(lambda layout=layout, window=window: draw_diagram(layout, window), 20))  # type: ignore[misc]
    size = f"{layout.width:,}×{layout.height:,}"
    print(f"{what:44} {laying:8.1f} ms ({wanted:g} wanted)  {drawing:6.2f} ms (3 wanted)  {size} {layout.notes or ''}")


def main() -> None:
    """All of them."""
    print(f"{'':44} {'layout':>11} {'a window of 120x40, the worst of nine':>58}")
    for count, wanted in ((200, 100), (3000, 1000)):
        report(f"{count:,} boxes in a chain with skips", residual(count), wanted)
        report(f"{count:,} boxes that branch", branching(count, 2, 12), wanted)
        report(f"{count:,} boxes that branch far", branching(count, 2, 200), wanted)
        report(f"{count:,} boxes joined anyhow", tangle(count), wanted)
        report(f"{count:,} boxes in a fan", fan(count), wanted)
        report(f"{count:,} boxes that nothing joins", diagram(count, []), wanted)


if __name__ == "__main__":
    main()
