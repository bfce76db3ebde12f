"""What the Images tab costs: bytes read to open it, pages of thumbnails, memory while all pictures are walked through.

    python tests/benchmarks/bench_images.py [PICTURES]

Goals: reading less than 5 % of the file to open the tab; 300 ms from a key to all of a page of 12 thumbnails as half
blocks on a terminal; memory that does not grow with the number of pictures that were looked at. One log has a card for
each picture, the other one card with a step for each. Pages are also turned in logs of what takes longer to decode.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import psutil
from harness import PtyApp, burst, environment, figure, product
from PIL import Image

from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.images.pane.pane import ImagesPane
from tests.helpers.pane_app import PaneApp, pressed

if TYPE_CHECKING:
    from tbtui.store.snapshot import StoreSnapshot

SIDE = 416
"""PixelCache of noise in a square: half a megabyte as PNG."""

CARDS_A_ROW = 4

PHOTOS = {
    "photos as PNG": (640, {"format": "PNG"}),
    "photos as JPEG": (1600, {"format": "JPEG", "quality": 88}),
    "photos as progressive JPEG": (1600, {"format": "JPEG", "quality": 88, "progressive": True}),
    "photos as WebP": (1600, {"format": "WEBP", "quality": 88}),
}
"""Width and format of what is half a megabyte each, too."""

PAGES = 15
"""Turned in a terminal."""


def noise() -> bytes:
    """A picture that is as long as its pixels."""
    pixels = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=0)
    return file.getvalue()


def photo(side: int, how: dict[str, Any]) -> bytes:
    """A picture as smooth, and as grainy, as those that a camera makes."""
    random = np.random.default_rng(0)
    rough = Image.fromarray(random.integers(0, 256, (side // 16, side // 16, 3), np.uint8))
    smooth = np.asarray(rough.resize((side, side), Image.Resampling.BICUBIC)).astype(np.int16)
    file = BytesIO()
    pixels = np.clip(smooth + random.integers(-4, 5, smooth.shape), 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(file, **how)
    return file.getvalue()


def write(path: Path, count: int, *, tags: bool, data: bytes) -> None:
    """A picture for each tag, or for each step of one tag."""
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
        for press in range(presses):
            await pressed(pilot, keys)
            if press % max(presses // 8, 1) == 0:
                memory.append(resident())
        memory.append(resident())
    print("  MB in memory meanwhile: " + " ".join(f"{held:.0f}" for held in memory))


def turn_pages(directory: Path, state: Path, key: str) -> None:
    """What a key takes on a terminal: until anything changes, and until all of it has."""
    command = product(str(directory), "--tab", "images", "--fresh")
    colours = {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    first, last = [], []
    with PtyApp(command, (160, 42), environment(state) | colours) as app:
        while burst(app, quiet=2, patience=30)[2]:
            pass
        for _ in range(PAGES):
            pressed_at = time.perf_counter()
            app.send(key)
            begun, ended, _ = burst(app, quiet=0.5)
            first.append((begun - pressed_at) * 1e3)
            last.append((ended - pressed_at) * 1e3)
    figure(f"  {key}, until something changes", first, "ms")
    figure(f"  {key}, until all of it is there", last, "ms", "300 at most")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    os.environ |= {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    for tags in (True, False):
        with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
            directory = Path(name) / "logs"
            directory.mkdir()
            path = directory / "events.out.tfevents.1.bench"
            write(path, count, tags=tags, data=noise())
            size = path.stat().st_size
            print(f"{count:,} pictures in {size / 1e6:,.0f} MB, {'a card' if tags else 'a step'} for each")
            keys, presses = ("pagedown", count // (3 * CARDS_A_ROW)) if tags else ("comma", count)
            turn_pages(directory, Path(name), "pagedown" if tags else ",")
            asyncio.run(look(directory, size, keys, presses))
    for kind, (side, how) in PHOTOS.items():
        with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
            directory = Path(name) / "logs"
            directory.mkdir()
            data = photo(side, how)
            write(directory / "events.out.tfevents.1.bench", 12 * (PAGES + 1), tags=True, data=data)
            print(f"{kind}, {len(data) / 1e3:.0f} kB each")
            turn_pages(directory, Path(name), "pagedown")


if __name__ == "__main__":
    main()
