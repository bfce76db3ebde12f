"""Makes the pictures of this folder by driving the real app: `python screenshots/make.py [FOLDER [NAME …]]`.

Real logs are read by the real loader, made-up ones are written first with a fixed seed, and the clock stands still, so
the same code always makes the same pictures, byte for byte.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
os.environ |= {"TZ": "UTC", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
time.tzset()

from shapes import redraw  # noqa: E402
from shots import SHOTS  # noqa: E402

from tbtui.app.app import Dashboard  # noqa: E402 - the checkout's, and after the time zone and the terminal
from tbtui.cli.main import main as command  # noqa: E402
from tbtui.widgets.pane import Pane  # noqa: E402

if TYPE_CHECKING:
    from shots import Shot
    from textual.pilot import Pilot


async def settle(pilot: Pilot[int]) -> None:
    """Wait until everything asked for is drawn."""
    for _ in range(3):
        await pilot.pause()
        for pane in pilot.app.query(Pane):
            await pane.idle()
    await pilot.pause()


async def picture(shot: Shot) -> str:
    """The SVG of one shot."""
    logs = shot.logs()
    os.chdir(logs.base)
    app = Dashboard(logs, label=logs.label, settings=shot.settings, theme=shot.theme, clock=lambda: logs.now)
    async with app.run_test(size=shot.size) as pilot:
        await settle(pilot)
        for step in shot.steps():
            await (pilot.click(offset=step) if isinstance(step[0], int) else pilot.press(*step))
            await settle(pilot)
        svg = app.export_screenshot(title="")
    return redraw(re.sub(r"terminal-\d+", "terminal", svg))


async def main(folder: Path, names: list[str]) -> None:
    """Make every picture, or those named.

    What is read when it is shown is looked for where the pictures say it is: at `logs/…`, seen from the base of
    the logs.
    """
    for shot in SHOTS:
        if not names or shot.name in names:
            path = folder / f"{shot.name}.svg"
            if shot.printed:
                os.chdir(HERE)
                command(["print", *shot.printed, "--no-cache", "-o", str(path), "--force"])
            else:
                path.write_text(await picture(shot), encoding="utf-8")
            print(path)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE, sys.argv[2:]))
