"""What a page of pictures costs in each way: bytes to the terminal, and milliseconds until the last of them.

    python tests/benchmarks/bench_ways.py [LOGS]

Without logs of yours: photos and figures of 640x480 pixels, half of each. The terminal is a model that answers as one
of each kind does, and reads as fast as it can; its cells are 10x20 pixels. Pages are those that a key brings.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from bench_graphics import encoded, figure, photo  # noqa: E402 - found only now
from harness import environment, product  # noqa: E402

from tbtui.events.writer import EventFileWriter  # noqa: E402
from tests.helpers.pixel_terminal import ALACRITTY, KITTY, XTERM, PixelTerminal  # noqa: E402

SIZES = ((120, 40), (200, 50))
PICTURES = 64
QUIET = 0.5
"""Seconds without output after which all has come."""

NEAR, FAR = {"SSH_TTY": None, "SSH_CONNECTION": None, "TMUX": None}, {"SSH_TTY": "/dev/pts/9", "TMUX": None}
WAYS = (
    ("half blocks", ALACRITTY, NEAR),
    ("sixels", XTERM, NEAR),
    ("sixels over SSH", XTERM, FAR),
    ("kitty", KITTY, NEAR),
    ("kitty over SSH", KITTY, FAR),
)


def write(directory: Path) -> None:
    """A tag for each picture."""
    with EventFileWriter(str(directory / "events.out.tfevents.1.bench"), wall_time=0.0) as writer:
        for number in range(PICTURES):
            pixels, kind = (figure(480, 640), "PNG") if number % 2 else (photo(480, 640, 4.0), "JPEG")
            writer.image(
                f"x/{number:02}", encoded(pixels[:, ::-1] if number % 4 > 1 else pixels, kind), 640, 480, 0, 1.79e9
            )


def come(app: PixelTerminal) -> tuple[int, float]:
    """Bytes that are written until nothing more comes, and the seconds from now to the last of them."""
    began = last = time.perf_counter()
    count = 0
    while read := app.pump(QUIET):
        count, last = count + read, time.perf_counter()
    return count, last - began


def page(app: PixelTerminal, key: str) -> tuple[int, float]:
    """What a key costs."""
    app.send(key)
    return come(app)


def measure(logs: Path, home: Path) -> None:
    """Every way in every size."""
    for size in SIZES:
        for name, answers, env in WAYS:
            command = product("--fresh", "--tab", "images", str(logs))
            with PixelTerminal(command, answers, size=size, env={**environment(home), **env}) as app:
                app.until("step 0")
                come(app)
                pages = [page(app, "pagedown") for _ in range(4)]
                back, opened = page(app, "pageup"), page(app, "enter")
                app.send("q")
                app.wait()
            count, seconds = (median(each[at] for each in pages) for at in (0, 1))
            print(
                f"{size[0]}x{size[1]} {name:<16} a page {count / 1e3:5.0f} kB, {seconds * 1e3:4.0f} ms; "
                f"back to one {back[0] / 1e3:5.0f} kB, {back[1] * 1e3:4.0f} ms; "
                f"opened {opened[0] / 1e3:5.0f} kB, {opened[1] * 1e3:4.0f} ms",
                flush=True,
            )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tbtui-bench-") as name:
        home = Path(name)
        logs = Path(sys.argv[1]) if len(sys.argv) > 1 else home / "logs"
        if not logs.exists():
            logs.mkdir()
            write(logs)
        measure(logs, home)


if __name__ == "__main__":
    main()
