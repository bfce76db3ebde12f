"""Makes the pictures of real terminals, which show pictures in pixels: `python screenshots/terminals.py [NAME …]`.

Needs Linux with Xvfb, xdotool, ImageMagick's `import` and the terminals themselves; those that are not there are left
out. The commands of a terminal may be given in an environment variable of its name (`KITTY=/opt/kitty/bin/kitty`).
Fonts and drivers differ from machine to machine, and so do these pictures.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

HERE = Path(__file__).parent
COLUMNS, ROWS = 100, 30
START, SETTLE = 8.0, 2.0
"""Seconds until a terminal and the tab have come up, and until a key is answered on the screen, drawn by software."""

COLOURS = 128
"""Of a picture that is kept."""

_FONT = "DejaVu Sans Mono"
_XTERM = f"xterm -ti vt340 -tn xterm-256color +lc -u8 -fa '{_FONT}' -fs 10 -b 0 -geometry {COLUMNS}x{ROWS}"


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    terminal: str
    """The program that has to be there."""

    command: str
    """What starts it, without what is run in it."""

    keys: str = ""
    """As xdotool names them."""


SHOTS = (
    Shot("xterm", "xterm", f"{_XTERM} -e env COLORTERM=truecolor"),
    Shot(
        "kitty",
        "kitty",
        f"kitty --config NONE -o font_family='{_FONT}' -o font_size=10 -o remember_window_size=no"
        f" -o initial_window_width={COLUMNS}c -o initial_window_height={ROWS}c -o update_check_interval=0",
        "Return",
    ),
    Shot(
        "alacritty",
        "alacritty",
        f"alacritty -o window.dimensions.columns={COLUMNS} -o window.dimensions.lines={ROWS}"
        f" -o 'font.normal.family=\"{_FONT}\"' -o font.size=10 -e",
    ),
    Shot("tmux", "tmux", f"{_XTERM} -e tmux -L tbtui-shot -f /dev/null new-session"),
)


def take(shot: Shot, display: str, home: Path) -> None:
    """Start the terminal, press the keys, keep what is seen."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("TMUX", "SSH_TTY", "SSH_CONNECTION")},
        "DISPLAY": display,
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "COLORTERM": "truecolor",
        "LC_ALL": "C.UTF-8",
        "XDG_STATE_HOME": str(home),
        "PYTHONPATH": str(HERE.parent),
    }
    command = shlex.split(shot.command)
    if replaced := os.environ.get(shot.terminal.upper()):
        command[: command.index(shot.terminal) + 1] = shlex.split(replaced)
    product = [sys.executable, "-m", "tbtui", "--fresh", "--tab", "images", "logs/digits"]
    terminal = subprocess.Popen([*command, *product], env=environment, cwd=HERE, start_new_session=True)
    try:
        time.sleep(START)
        for key in shot.keys.split():
            subprocess.run(["xdotool", "key", key], env=environment, check=True)
            time.sleep(SETTLE)
        raw = home / "raw.png"
        subprocess.run(["import", "-window", "root", str(raw)], env=environment, check=True)
        keep(raw, HERE / f"terminal-{shot.name}.png")
    finally:
        terminal.terminate()
        terminal.wait()


def keep(raw: Path, path: Path) -> None:
    """Without what is beside the window, in few colours."""
    with Image.open(raw) as image:
        shown = image.convert("RGB")
        seen = shown.point(lambda value: 255 if value else 0).getbbox()
        shown.crop(seen).quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path)


def main(names: list[str]) -> None:
    """Make every picture, or those named."""
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
            with TemporaryDirectory() as home:
                take(shot, display, Path(home))
        finally:
            screen.terminate()
            screen.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
