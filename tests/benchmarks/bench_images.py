"""What the Images tab costs: bytes read to open it, a page of thumbnails, memory while all pictures are walked through.

    python tests/benchmarks/bench_images.py [PICTURES]

Goals: reading less than 5 % of the file to open the tab; 300 ms for a page of 12 thumbnails as half blocks; memory that
does not grow with the number of pictures that were looked at. One log has a card for each picture, the other one card
with a step for each.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import psutil
from PIL import Image

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.images.pane import ImagesPane
from tests.plugins.pane_app import PaneApp, pressed

if TYPE_CHECKING:
    from tbtui.store.snapshot import StoreSnapshot

SIDE = 416
"""Pixels of noise in a square: half a megabyte as PNG."""

CARDS_A_ROW = 4


def write(path: Path, count: int, *, tags: bool) -> None:
    """A picture for each tag, or for each step of one tag."""
    noise = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    file = BytesIO()
    Image.fromarray(noise).save(file, "PNG", compress_level=0)
    data = file.getvalue()
    with EventFileWriter(str(path), wall_time=0.0) as writer:
        for number in range(count):
            writer.image(f"x/{number:05}" if tags else "x", data, SIDE, SIDE, 0 if tags else number, 1.79e9 + number)
            writer.flush()


def bytes_read() -> int:
    """By this process so far, from the disk or from the system's cache."""
    for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines():
        if line.startswith("rchar: "):
            return int(line.split()[1])
    raise OSError("this system does not tell how much a process reads")


def resident() -> float:
    """Megabytes of memory."""
    return float(psutil.Process().memory_info().rss) / 1e6


def load(directory: Path) -> StoreSnapshot:
    """What the loader makes of it."""
    return Loader(parse_sources([str(directory)])).load_all().snapshot


async def look(directory: Path, size: int, keys: str, presses: int) -> None:
    """Open the tab, walk through all of it, and print what that took."""
    began, before = time.perf_counter(), bytes_read()
    snapshot = load(directory)
    loaded = bytes_read()
    print(f"  indexed in {time.perf_counter() - began:.2f} s, {100 * (loaded - before) / size:.2f} % of the file read")
    app = PaneApp(ImagesPane(Payloads()), snapshot, columns=CARDS_A_ROW)
    async with app.run_test(size=(160, 40)) as pilot:
        began = time.perf_counter()
        await pilot.pause()
        await app.pane.idle()
        shown = len(app.grid.keys_in_sight)
        milliseconds = (time.perf_counter() - began) * 1e3
        part = 100 * (bytes_read() - loaded) / size
        print(f"  {shown} thumbnails in {milliseconds:.0f} ms, {part:.2f} % of the file read for them")
        memory = [resident()]
        walked: list[float] = []
        for press in range(presses):
            began = time.perf_counter()
            await pressed(pilot, keys)
            walked.append(time.perf_counter() - began)
            if press % max(presses // 8, 1) == 0:
                memory.append(resident())
        memory.append(resident())
    times = np.sort(walked) * 1e3
    print(f"  each {keys}: {np.median(times):.0f} ms, the slowest {times[-1]:.0f} ms, {presses} of them")
    print("  MB in memory meanwhile: " + " ".join(f"{held:.0f}" for held in memory))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    os.environ |= {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    for tags in (True, False):
        with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
            directory = Path(name)
            path = directory / "events.out.tfevents.1.bench"
            write(path, count, tags=tags)
            size = path.stat().st_size
            print(f"{count:,} pictures in {size / 1e6:,.0f} MB, {'a card' if tags else 'a step'} for each")
            keys, presses = ("pagedown", count // (3 * CARDS_A_ROW)) if tags else ("comma", count)
            asyncio.run(look(directory, size, keys, presses))


if __name__ == "__main__":
    main()
