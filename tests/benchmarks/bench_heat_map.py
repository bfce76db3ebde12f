"""What a heat map of 5,000 steps costs: milliseconds at 120x40, and bytes to a terminal at 100x30.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_heat_map.py`.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual.color import Color

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_charts import HEIGHT, WIDTH, best, report  # noqa: E402 - found only now

from tbtui.app.themes import THEMES  # noqa: E402
from tbtui.charts.axis import Axis  # noqa: E402
from tbtui.charts.cells import Ink  # noqa: E402
from tbtui.charts.heat_map import HeatMap, HeatPicture, draw_heat_map, lay_out_heat_map  # noqa: E402
from tbtui.charts.histogram_bars import (  # noqa: E402
    HistogramBars,
    draw_histogram_bars,
)
from tbtui.widgets.ink_styles import InkStyles, render_cells  # noqa: E402

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.heat_levels import ColourSpacing
    from tbtui.charts.heat_map import HeatLayout

VALUES = Axis(-1.2, 1.2)
COUNT = 10_000
KINDS = ("weights", "gradients")


def steps_axis(steps: int) -> Axis:
    """Of as many steps."""
    return Axis(0, steps - 1, kind="step")


def shares(kind: str, layout: HeatLayout, steps: int) -> npt.NDArray[np.float64]:
    """Weights that spread step by step, or gradients of which every step has its own spread."""
    random = np.random.default_rng(0)
    spread = 0.1 + 0.3 * (np.arange(steps) / steps if kind == "weights" else random.random(steps))
    values = random.normal(0, 1, COUNT)
    drawn = (each * (values if kind == "weights" else random.normal(0, 1, COUNT)) for each in spread)
    return np.array([np.histogram(row, layout.bin_edges)[0] / COUNT for row in drawn])


def picture(kind: str, spacing: ColourSpacing, steps: int, width: int, height: int) -> HeatPicture:
    """A whole picture."""
    layout = lay_out_heat_map(steps_axis(steps), VALUES, width, height)
    return draw_heat_map(HeatMap(np.arange(float(steps)), shares(kind, layout, steps), spacing), layout)


def ink_styles() -> InkStyles:
    """The styles of a theme that nothing was drawn in yet."""
    theme = THEMES[0]
    names = {Ink.ACCENT: theme.accent, Ink.GOOD: theme.success, Ink.WARN: theme.warning, Ink.BAD: theme.error}
    roles = {ink: Color.parse(str(name)) for ink, name in names.items()}
    foreground, background = Color.parse(str(theme.foreground)), Color.parse(str(theme.background))
    return InkStyles(foreground, background, roles, dark=True, ansi=False)


STYLES = ink_styles()
"""The dashboard keeps them as long as its theme."""


def in_colours(cells: Cells, styles: InkStyles = STYLES) -> str:
    """What a terminal gets for all rows, but for the moves of its cursor."""
    theme = THEMES[0]
    foreground, background = Color.parse(str(theme.foreground)), Color.parse(str(theme.background))
    base = Style(color=foreground.rich_color, bgcolor=background.rich_color)
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    assert console._color_system is ColorSystem.TRUECOLOR
    return "".join(render_cells(cells, y, styles, base).render(console) for y in range(cells.height))


def drawing() -> None:
    """A redraw when data came, and what moving the cursor takes."""
    for steps, width, height in ((5000, WIDTH, HEIGHT), (20, WIDTH, HEIGHT), (5000, 38, 10), (5000, 300, 80)):
        layout = lay_out_heat_map(steps_axis(steps), VALUES, width, height)
        heat_map = HeatMap(np.arange(float(steps)), shares("gradients", layout, steps), "log")
        drawn = draw_heat_map(heat_map, layout)
        name = f"{steps:,} steps at {width}x{height}"
        wanted = "10 wanted" if (steps, width) == (5000, WIDTH) else ""
        report(f"heat map of {name}", best(lambda: draw_heat_map(heat_map, layout), 50), wanted)  # noqa: B023 - at once
        report("  its cursor moved", best(lambda: drawn.at(steps / 3, steps / 2), 100), "well below 1")  # noqa: B023
        report("  in colours", best(lambda: in_colours(drawn.at()), 20))  # noqa: B023
        report("  in colours, for the first time in a theme", best(lambda: in_colours(drawn.at(), ink_styles()), 20))  # noqa: B023
    bars = HistogramBars(heat_map.shares[7], heat_map.shares[99])
    report("bars of two steps beside the last", best(lambda: draw_histogram_bars(bars, layout, 40), 100))


def bytes_sent() -> None:
    """What a slow line has to carry for a repaint."""
    for kind in KINDS:
        for steps in (100, 5000):
            sizes = [
                len(in_colours(picture(kind, spacing, steps, 100, 30).at()).encode()) for spacing in ("linear", "log")
            ]  # type: ignore[arg-type]
            print(f"{steps:,} steps of {kind} at 100x30: {sizes[0]:,} bytes, {sizes[1]:,} with a log scale")


if __name__ == "__main__":
    drawing()
    bytes_sent()
