"""Makes the pictures of this folder by driving the real app: `python screenshots/make.py [FOLDER]`.

The logs are those of the demo, written by its seeded simulation at a fixed moment and read by the real loader, so the
same code always makes the same pictures, byte for byte.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
os.environ["TZ"] = "UTC"
time.tzset()

from shapes import redraw  # noqa: E402

from tbtui.app.app import Dashboard  # noqa: E402 - the checkout's, and after the time zone
from tbtui.cli.demo.process import HISTORY, PERIOD  # noqa: E402
from tbtui.cli.demo.writer import DemoWriter  # noqa: E402
from tbtui.loading.loader import Loader  # noqa: E402
from tbtui.loading.sources import parse_sources  # noqa: E402
from tbtui.viewstate.choices import Choices  # noqa: E402
from tbtui.widgets.pane import Pane  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from tbtui.loading.state import LoadState

NOW = 1_790_000_000.0
"""When the pictures are taken, seconds since the epoch."""


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    theme: str = "tbtui-dark"


SHOTS = (
    Shot("scalars", (120, 40)),
    Shot("scalars-light", (120, 40), theme="tbtui-light"),
    Shot("chart", (120, 40), keys=("enter",)),
    Shot("help", (120, 40), keys=("question_mark",)),
    Shot("80x24", (80, 24)),
    Shot("80x24-light", (80, 24), theme="tbtui-light"),
    Shot("45x45", (45, 45)),
    Shot("40x12", (40, 12)),
)


class Logs:
    """The state of a loader that has read everything and goes on watching."""

    on_change: Callable[[], None]

    def __init__(self, state: LoadState) -> None:
        self.state = replace(state, watching="notified")

    def wake(self) -> None:
        """There is nothing new."""


def logs() -> Logs:
    """Write the demo's history and read it."""
    with tempfile.TemporaryDirectory() as directory:
        writer = DemoWriter(Path(directory))
        writer.write_history(HISTORY, PERIOD, NOW)
        writer.close()
        return Logs(Loader(parse_sources([directory]), reload_seconds=0).load_all())


async def settle(pilot: Pilot[int]) -> None:
    """Wait until everything asked for is drawn."""
    for _ in range(3):
        await pilot.pause()
        for pane in pilot.app.query(Pane):
            await pane.idle()
    await pilot.pause()


async def picture(source: Logs, shot: Shot) -> str:
    """The SVG of one shot."""
    app = Dashboard(source, label="logs/demo", choices=Choices(), theme=shot.theme, clock=lambda: NOW)
    async with app.run_test(size=shot.size) as pilot:
        await settle(pilot)
        for key in shot.keys:
            await pilot.press(key)
            await settle(pilot)
        svg = app.export_screenshot(title="")
    return redraw(re.sub(r"terminal-\d+", "terminal", svg))


async def main(folder: Path) -> None:
    """Make every picture."""
    source = logs()
    for shot in SHOTS:
        path = folder / f"{shot.name}.svg"
        path.write_text(await picture(source, shot), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
