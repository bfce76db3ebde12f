"""Make random actions of a user: one word each, so that a list of them can be printed and replayed.

key:down         a key, by the name that Textual has for it
wait             until all that was pressed is answered
idle             until all that was asked for is drawn
tab:audio        another tab, wherever the keys are
click:.50,.25    there on the screen, in parts of its width and height; also double:, right:, wheel:, back:
drag:.1,.2,.5,.2 from there to there
paste:3          one of the pasted texts
size:40x12       the terminal has another size
news:more        the loader finds something; see `NEWS`
"""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

from textual.widget import Widget

from tbtui.widgets.textual_patches.paste_guard import MAX_PASTE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

MOVES = ("down", "up", "left", "right", "enter", "enter", "escape", "tab", "space", "pageup", "pagedown", "home", "end")
OTHERS = (
    *(f"ctrl+{letter}" for letter in string.ascii_lowercase if letter not in "cq"),
    *(f"shift+{name}" for name in ("tab", "up", "down", "left", "right", "home", "end")),
    *(f"ctrl+{name}" for name in ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")),
    *(f"f{number}" for number in range(1, 13)),
    *("backspace", "delete", "insert", "alt+x", "ctrl+@", "ctrl+shift+x"),
)
PASTES = (
    "",
    "two\nlines\r\n",
    "\x1b[31mred\x1b]0;title\x07\x9b2J",
    "[bold]no[/] [markup",
    "(((((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*)*)*b",
    "\u202eright to left \u200d\ufeff\U0001f469\u200d\U0001f4bb e\u0301\u0301\u0301",
    "x" * 3000,
    "1e999",
    "-inf",
    "\ud800",
    "\0",
    "9" * 400,
    "(a|" * 20_000,
    "(" * (MAX_PASTE_CHARACTERS + 1),
)
SIZES = ((1, 1), (2, 1), (1, 50), (29, 40), (30, 8), (40, 12), (45, 45), (79, 24), (80, 24), (120, 40), (300, 100))
NEWS = ("more", "more", "more", "run", "gone", "back", "torn")
MOUSE = ("click", "click", "double", "right", "wheel", "back", "drag")


def bound_keys() -> list[str]:
    """All keys that some widget of the app offers, those of what is not imported yet left out."""
    waiting: list[type] = [Widget]
    found: set[str] = set()
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        for binding in kind.__dict__.get("BINDINGS", ()) if kind.__module__.startswith("tbtui.") else ():
            found.update(binding.key.split(","))
    return sorted(found - {"ctrl+c", "ctrl+q"})


def acts(seed: int, tab: str, count: int, bound: list[str]) -> Iterator[str]:
    """So many acts, always the same of one seed.

    Args:
        seed: Of what is random.
        tab: Where they are mostly done.
        count: How many.
        bound: Keys that do something somewhere.
    """
    choose = random.Random(f"{seed} {tab}")
    yield f"tab:{tab}"
    yield "idle"
    for _ in range(count - 2):
        yield _act(choose, tab, bound)


def _act(choose: random.Random, tab: str, bound: list[str]) -> str:
    kinds = {"bound": 40, "move": 25, "typed": 8, "other": 4, "mouse": 6, "size": 2, "paste": 1, "news": 2, "tab": 1}
    kind = choose.choices([*kinds, "wait", "idle"], [*kinds.values(), 8, 3])[0]
    made = {
        "bound": lambda: f"key:{choose.choice(bound)}",
        "move": lambda: f"key:{choose.choice(MOVES)}",
        "typed": lambda: f"key:{choose.choice(string.printable[:95])}",
        "other": lambda: f"key:{choose.choice(OTHERS)}",
        "mouse": lambda: _mouse(choose),
        "size": lambda: "size:{}x{}".format(*_size(choose)),
        "paste": lambda: f"paste:{choose.randrange(len(PASTES))}",
        "news": lambda: f"news:{choose.choice(NEWS)}",
        "tab": lambda: f"tab:{tab}",
    }
    return made[kind]() if kind in made else kind


def _mouse(choose: random.Random) -> str:
    kind = choose.choice(MOUSE)
    places = (choose.random() for _ in range(4 if kind == "drag" else 2))
    return f"{kind}:{','.join(f'{place:.2f}' for place in places)}"


def _size(choose: random.Random) -> tuple[int, int]:
    return choose.choice(SIZES) if choose.random() < 0.7 else (choose.randint(1, 300), choose.randint(1, 100))
