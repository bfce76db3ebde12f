"""What pictures cost: milliseconds from their bytes to cells or escape sequences, and bytes to the terminal.

Run it alone on a machine that does nothing else: `python tests/benchmarks/bench_graphics.py`.
"""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_charts import best, report  # noqa: E402 - found only now
from bench_heat_map import in_colours  # noqa: E402

from tbtui.terminal_images import (  # noqa: E402
    kitty,
    sixel,
)
from tbtui.terminal_images.decode import (  # noqa: E402
    Frames,
    decode,
    read_header,
    resize,
)
from tbtui.terminal_images.half_blocks import Depth, draw_half_blocks  # noqa: E402
from tbtui.terminal_images.kitty import (  # noqa: E402
    KittyImageCache,
    list_image_ids,
)
from tbtui.widgets.cells_view import find_changed_spans  # noqa: E402

if TYPE_CHECKING:
    from tbtui.charts.cells import Cells

COLUMNS, ROWS = 60, 20
CELL = 10, 20
DEPTHS: tuple[Depth, ...] = ("true", "256", "16", "none")


def photo(height: int, width: int, noise: float = 12.0) -> np.ndarray:
    """Smooth colours with as much noise as a camera makes."""
    y, x = np.mgrid[0 : 1 : 1j * height, 0 : 1 : 1j * width]
    smooth = np.stack((255 * x, 255 * y, 127 + 120 * np.sin(9 * x * y)), axis=2)
    noisy = smooth + np.random.default_rng(0).normal(0, noise, (height, width, 1))
    return np.clip(noisy, 0, 255).astype(np.uint8)


def figure(height: int, width: int) -> np.ndarray:
    """Lines on white, as `add_figure` logs them."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    columns = np.arange(width // 10, width * 9 // 10)
    for line in range(4):
        rows = (height * (0.5 + 0.35 * np.sin(columns / width * 14 + line))).astype(int)
        for thick in range(2):
            pixels[rows + thick, columns] = [30 + 60 * line, 120, 200 - 40 * line]
    return pixels


def encoded(pixels: np.ndarray, kind: str, **options: object) -> bytes:
    """By Pillow."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()


def cells_of(data: bytes, columns: int, rows: int, depth: Depth = "true") -> Cells:
    """From bytes to cells."""
    decoded = decode(data, enough=(columns, 2 * rows))
    return draw_half_blocks(decoded.crop((0, 0, *decoded.header.size), columns, 2 * rows), depth)


def half_block_pictures() -> None:
    """One in a large box, and a page of thumbnails."""
    data = encoded(photo(512, 512), "PNG")
    name = f"512x512 PNG of {len(data) / 1e6:.2f} MB into {COLUMNS}x{ROWS} cells"
    report(f"{name}: header", best(lambda: read_header(data), 200))
    report("  decoded", best(lambda: decode(data), 30))
    report("  and as half blocks", best(lambda: cells_of(data, COLUMNS, ROWS), 30), "10 wanted")
    whole = decode(data).pixels
    report("  a part of it, four times as large", best(lambda: resize(whole, (100, 100, 228, 228), 60, 40), 100))
    small = resize(whole, (0, 0, 512, 512), COLUMNS, 2 * ROWS)
    for depth in DEPTHS:
        report(f"  its cells in colours: {depth}", best(lambda: draw_half_blocks(small, depth), 100))  # noqa: B023 - at once
    for kind, size in (("PNG", 512), ("JPEG", 512), ("JPEG", 4000), ("PNG", 2000), ("WEBP", 1024)):
        pictures = [encoded(photo(size, size), kind)] * 12
        work = lambda pictures=pictures: [cells_of(each, 28, 12) for each in pictures]  # noqa: E731
        report(f"12 thumbnails of {size}x{size} {kind}", best(work, 3), "300 wanted" if size == 512 else "")


def cells_to_the_terminal() -> None:
    """What the screen costs after that."""
    for name, pixels in (("photo", photo(512, 512)), ("figure", figure(480, 640))):
        whole = (0.0, 0.0, float(pixels.shape[1]), float(pixels.shape[0]))
        for columns, rows in ((COLUMNS, ROWS), (120, 36)):
            cells = draw_half_blocks(resize(pixels, whole, columns, 2 * rows))
            other = draw_half_blocks(resize(pixels[::-1], whole, columns, 2 * rows))
            report(f"{name} in {columns}x{rows} cells: styled and rendered", best(lambda: in_colours(cells), 10))  # noqa: B023
            report("  compared with another", best(lambda: list(find_changed_spans(cells, other)), 50))  # noqa: B023
            print(f"  {len(in_colours(cells).encode()):,} bytes")


def escape_sequences() -> None:
    """The same pictures in pixels."""
    width, height = COLUMNS * CELL[0], ROWS * CELL[1]
    for name, pixels in (("photo", photo(height, width)), ("figure", figure(height, width))):
        for palette in (False, True):
            image = kitty.encode(pixels, palette=palette)
            sent = KittyImageCache(list_image_ids(1)).put("", image, COLUMNS, ROWS)
            what = f"{name} of {width}x{height} pixels for kitty{', 256 colours' if palette else ''}"
            report(what, best(lambda: kitty.encode(pixels, palette=palette), 5))  # noqa: B023
            print(f"  {len(sent):,} bytes")
        for colours in (256, 64):
            drawn = sixel.encode(pixels, colours)  # type: ignore[arg-type]
            report(f"{name} as sixels of {colours} colours", best(lambda: sixel.encode(pixels, colours), 3))  # type: ignore[arg-type]  # noqa: B023
            print(f"  {len(drawn):,} bytes")


def animations() -> None:
    """Frames in order."""
    pictures = [Image.fromarray(np.roll(photo(256, 256), 8 * shift, axis=1)) for shift in range(30)]
    file = io.BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=100)

    def play() -> None:
        frames = Frames(file.getvalue())
        for index in range(len(frames)):
            draw_half_blocks(resize(frames.at(index, enough=(60, 40)).pixels, (0, 0, 64, 64), 60, 40))

    report("a frame of a 256x256 GIF as half blocks", best(play, 3) / 30)


def start() -> None:
    """What opening the first picture imports."""
    before = "import numpy, textual.app, tbtui.charts.cells, time; began = time.perf_counter()"
    code = before + "; {}; print(time.perf_counter() - began)"
    for what, line in (
        (
            "header, decoding and half blocks",
            "import tbtui.terminal_images.half_blocks, tbtui.terminal_images.decode, PIL.PngImagePlugin",
        ),
        ("what the terminal can show", "import tbtui.terminal_images.capabilities"),
        ("kitty", "import tbtui.terminal_images.kitty, PIL.PngImagePlugin"),
        ("sixels", "import tbtui.terminal_images.sixel"),
    ):
        times = []
        for _ in range(5):
            done = subprocess.run([sys.executable, "-c", code.format(line)], check=True, capture_output=True, text=True)
            times.append(float(done.stdout))
        report(f"imports of {what}", min(times) * 1000)


if __name__ == "__main__":
    began = time.perf_counter()
    half_block_pictures()
    cells_to_the_terminal()
    escape_sequences()
    animations()
    start()
    print(f"in {time.perf_counter() - began:.0f} s")
