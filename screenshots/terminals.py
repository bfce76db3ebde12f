"""Makes the pictures of real terminals, which show pictures in pixels: `python screenshots/terminals.py [NAME …]`.

With `--tabs FOLDER` it leaves there what every tab looks like in them at four sizes, for whoever changes a tab to see.

Needs Linux with Xvfb, xdotool, ImageMagick's `import` and the terminals themselves; those that are not there are left
out. The commands of a terminal may be given in an environment variable of its name (`KITTY=/opt/kitty/bin/kitty`).
Fonts and drivers differ from machine to machine, and so do these pictures.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HERE = Path(__file__).parent
SIZE = 100, 30
SIZES = (120, 40), (80, 24), (45, 45), (40, 12)
"""Columns and rows: of the pictures that are kept here, and those at which all tabs are walked through."""

TABS = 9
START, SETTLE = 8.0, 2.0
"""Seconds until a terminal and the tab have come up, and until a key is answered on the screen, drawn by software."""

COLOURS = 128
"""Number of colours of a picture in the repository."""

_FONT = "DejaVu Sans Mono"
_XTERM = f"xterm -ti vt340 -tn xterm-256color +lc -u8 -fa '{_FONT}' -fs 10 -b 0 -geometry {{columns}}x{{rows}}"


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    terminal: str
    """The program that must be installed."""

    command: str
    """Command that starts the terminal with `{columns}` and `{rows}`, without the program to run in it."""

    keys: str = ""
    """Keys by the names of xdotool, separated by blanks."""

    end: str = ""
    """Command that ends processes which outlive the window."""


SHOTS = (
    Shot("xterm", "xterm", f"{_XTERM} -e env COLORTERM=truecolor"),
    Shot(
        "kitty",
        "kitty",
        f"kitty --config NONE -o font_family='{_FONT}' -o font_size=10 -o remember_window_size=no"
        " -o initial_window_width={columns}c -o initial_window_height={rows}c -o update_check_interval=0",
        "Return",
    ),
    Shot(
        "alacritty",
        "alacritty",
        "alacritty -o window.dimensions.columns={columns} -o window.dimensions.lines={rows}"
        f" -o 'font.normal.family=\"{_FONT}\"' -o font.size=10 -e",
    ),
    Shot(
        "tmux",
        "tmux",
        f"{_XTERM} -e tmux -L tbtui-shot -f /dev/null new-session",
        end="tmux -L tbtui-shot kill-server",
    ),
)


def take(shot: Shot, display: str) -> None:
    """Start the terminal, press the keys, keep what is seen."""
    with running(shot, SIZE, display, "--tab", "images", "logs/digits") as environment:
        for key in shot.keys.split():
            press(key, environment)
        keep(environment, HERE / f"terminal-{shot.name}.png")


def walk(shot: Shot, display: str, folder: Path) -> None:
    """Save a picture of each tab at each size."""
    for columns, rows in SIZES:
        with running(shot, (columns, rows), display, "logs") as environment:
            for tab in range(1, TABS + 1):
                press(str(tab), environment)
                keep(environment, folder / f"{shot.name}-{columns}x{rows}-{tab}.png")


@contextmanager
def running(shot: Shot, size: tuple[int, int], display: str, *words: str) -> Iterator[Mapping[str, str]]:
    """The terminal with the app in it, and the environment of whoever talks to it."""
    with TemporaryDirectory() as home:
        environment = {
            **{name: value for name, value in os.environ.items() if name not in ("TMUX", "SSH_TTY", "SSH_CONNECTION")},
            "DISPLAY": display,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "COLORTERM": "truecolor",
            "LC_ALL": "C.UTF-8",
            "XDG_STATE_HOME": home,
            "PYTHONPATH": str(HERE.parent),
        }
        command = shlex.split(shot.command.format(columns=size[0], rows=size[1]))
        if replaced := os.environ.get(shot.terminal.upper()):
            command[: command.index(shot.terminal) + 1] = shlex.split(replaced)
        product = [sys.executable, "-m", "tbtui", "--fresh", *words]
        terminal = subprocess.Popen([*command, *product], env=environment, cwd=HERE, start_new_session=True)
        try:
            time.sleep(START)
            # Without a window manager the keys go where the pointer is.
            subprocess.run(["xdotool", "mousemove", "5", "5"], env=environment, check=True)
            yield environment
        finally:
            terminal.terminate()
            terminal.wait()
            if shot.end:
                subprocess.run(shlex.split(shot.end), env=environment, check=False)


def press(key: str, environment: Mapping[str, str]) -> None:
    """Press a key, and wait until it is answered."""
    subprocess.run(["xdotool", "key", key], env=environment, check=True)
    time.sleep(SETTLE)


def keep(environment: Mapping[str, str], path: Path) -> None:
    """Save a picture of the window alone, in few colours."""
    raw = Path(environment["XDG_STATE_HOME"], "raw.png")
    subprocess.run(["import", "-window", "root", str(raw)], env=environment, check=True)
    with Image.open(raw) as image:
        shown = image.convert("RGB")
        seen = shown.point(lambda value: 255 if value else 0).getbbox()
        shown.crop(seen).quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path, flush=True)


def main(names: Sequence[str], folder: Path | None) -> None:
    """Make every picture, or those of the terminals that are named; of all tabs where there is a folder for them."""
    for number, shot in enumerate(SHOTS):
        if names and shot.name not in names:
            continue
        if not shutil.which(shot.terminal) and shot.terminal.upper() not in os.environ:
            print(f"{shot.name}: there is no {shot.terminal} here")
            continue
        display = f":{70 + number}"
        screen = subprocess.Popen(
            ["Xvfb", display, "-screen", "0", "1200x800x24"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            time.sleep(1)
            if folder is None:
                take(shot, display)
            else:
                walk(shot, display, folder)
        finally:
            screen.terminate()
            screen.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(shot.name for shot in SHOTS))
    parser.add_argument("--tabs", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if unknown := {*given.names} - {shot.name for shot in SHOTS}:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    if given.tabs is not None:
        given.tabs.mkdir(parents=True, exist_ok=True)
    main(given.names, given.tabs)
