"""How soon zoom and pan are answered: 24 cards in sight of 5,000 tags, 20 runs of 50 points in each.

What arrives at the terminal is kept with the moment of its arrival, and drawn afterwards: the picture of a card is
there with the last bytes of an answer that change a cell of it.
"""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyte
from harness import PtyApp, environment, figure, product, temporary
from wide_logs import write_wide

from tests.helpers.pty_app import NOT_FOR_PYTE, UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Iterable

TAGS = tuple(f"group{number // 50:02d}/tag{number:04d}" for number in range(5000))
RUNS, STEPS = 20, 50
CARDS, SIZE = 24, (240, 72)
ANSWERS = 40
KEYS = {"shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D"}
QUIET = 0.4
"""Seconds without output after which an answer is whole."""

CORNER = re.compile("╭[^╭╮]*╮")


@dataclass
class Terminal:
    """A model of the screen that is fed later what came when."""

    screen: pyte.Screen = field(default_factory=lambda: pyte.Screen(*SIZE))
    waiting: bytes = b""

    def __post_init__(self) -> None:
        self._stream = pyte.ByteStream(self.screen)

    def feed(self, data: bytes) -> None:
        """Draw; a sequence that has not come to its end waits."""
        data = self.waiting + data
        unfinished = UNFINISHED.search(data)
        whole = data[: unfinished.start()] if unfinished else data
        self.waiting = data[len(whole) :]
        self._stream.feed(NOT_FOR_PYTE.sub(b"", whole))

    def cards(self) -> list[tuple[int, int, int, int]]:
        """Top, left, bottom and right of each card in sight."""
        rows = self.screen.display
        found = []
        for top, row in enumerate(rows):
            for match in CORNER.finditer(row):
                left, right = match.span()
                bottom = next(y for y in range(top + 1, len(rows)) if rows[y][left] == "╰")
                found.append((top, left, bottom, right))
        return found

    def pictures(self, cards: Iterable[tuple[int, int, int, int]]) -> list[tuple[str, ...]]:
        """What stands within each card."""
        rows = self.screen.display
        return [tuple(row[left:right] for row in rows[top + 1 : bottom]) for top, left, bottom, right in cards]


def answer(app: PtyApp, key: str) -> list[tuple[float, bytes]]:
    """Press a key; what arrives until it is quiet, with milliseconds since the key."""
    arrived = []
    seen, pressed = len(app.raw), time.perf_counter()
    app.send(KEYS.get(key, key))
    while app.pump(QUIET if arrived else 5):
        arrived.append((1000 * (time.perf_counter() - pressed), bytes(app.raw[seen:])))
        seen = len(app.raw)
    return arrived


def measure(app: PtyApp, terminal: Terminal, keys: Iterable[str], moments: random.Random) -> list[list[float]]:
    """Milliseconds, for each key, until each card's new picture stood there; of cards that changed at all."""
    taken = []
    for key in keys:
        time.sleep(0.2 * moments.random())
        cards = terminal.cards()
        pictures, changed = terminal.pictures(cards), {}
        for moment, data in answer(app, key):
            terminal.feed(data)
            now = terminal.pictures(cards)
            changed |= {index: moment for index, picture in enumerate(now) if picture != pictures[index]}
            pictures = now
        taken.append([changed[index] for index in sorted(changed)])
    return taken


def walk(count: int) -> list[str]:
    """Zoom in twice, go there and back, out again: no key is without an effect."""
    around = ("z", "z", "shift+right", "shift+left", "shift+left", "shift+right", "Z", "Z")
    return [around[number % len(around)] for number in range(count)]


def main() -> None:
    """Load, then zoom one card, then all together."""
    moments = random.Random(1)
    with temporary() as directory:
        write_wide(directory / "logs", RUNS, TAGS, STEPS)
        words = product(str(directory / "logs"), "--fresh")
        with PtyApp(words, size=SIZE, env=environment(directory)) as app:
            app.until(f"{RUNS} runs .*(live|last write)", 600)
            while app.pump(2):
                pass
            terminal = Terminal()
            terminal.feed(bytes(app.raw))
            while (sight := len(terminal.cards())) < CARDS:
                for _, data in answer(app, ">"):
                    terminal.feed(data)
            print(f"{RUNS} runs x {len(TAGS)} tags x {STEPS} points, {sight} cards in sight at {SIZE[0]}x{SIZE[1]}")
            alone = measure(app, terminal, walk(ANSWERS), moments)
            for _, data in answer(app, "S"):
                terminal.feed(data)
            together = measure(app, terminal, walk(ANSWERS), moments)
            app.send("q")
            app.wait()
    figure("one card zoomed: its new picture", [each[0] for each in alone if each], "ms", "33 at most")
    figure("all zoomed together: the focused card's", [each[0] for each in together if each], "ms", "33 at most")
    figure("all zoomed together: every card's", [max(each) for each in together if each], "ms")
    figure("cards that changed together", [len(each) for each in together], "cards")


if __name__ == "__main__":
    main()
