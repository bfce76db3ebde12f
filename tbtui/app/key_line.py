"""The line at the bottom: what the pane shows, and the keys that matter where the focus is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.app.layout import WIDE_FROM
from tbtui.charts.cells import Ink
from tbtui.frozen import frozen
from tbtui.widgets.line import Line, Piece, apart, cut, pieces_width
from tbtui.widgets.pane import STATUS_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual import events
    from textual.binding import ActiveBinding, Binding
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.widget import Widget

KEY_SIGNS = {"enter": "⏎", "escape": "esc", "question_mark": "?", "slash": "/", "exclamation_mark": "!"}
KEY_SIGNS |= {"plus": "+", "minus": "-", "equals_sign": "=", "shift+tab": "⇧tab", "up": "↑", "down": "↓"}
KEY_SIGNS |= {"left": "←", "right": "→", "pageup": "pgup", "pagedown": "pgdn"}
KEY_SIGNS |= {"shift+up": "⇧↑", "shift+down": "⇧↓", "shift+left": "⇧←", "shift+right": "⇧→"}
KEY_SIGNS |= {"comma": ",", "full_stop": ".", "less_than_sign": "<", "greater_than_sign": ">"}
KEY_SIGNS |= {"left_curly_bracket": "{", "right_curly_bracket": "}"}
KEY_SIGNS |= {"left_square_bracket": "[", "right_square_bracket": "]"}
KEY_SIGNS |= {"left_parenthesis": "(", "right_parenthesis": ")"}
ALWAYS = frozenset({"toggle_sidebar", "help"})
"""Actions whose keys show in however narrow a terminal."""

GAP: Piece = ("  ", Ink.NONE)


def key_sign(binding: Binding) -> str:
    """A key as people write it: `⏎`, `esc`, `^p`."""
    return binding.key_display or KEY_SIGNS.get(binding.key) or binding.key.replace("ctrl+", "^")


@frozen
class Hint:
    """A key and what it does where the focus is."""

    sign: str
    description: str
    action: str
    node: DOMNode
    """Whose action it is."""

    back: Hint | None = None
    """The key that does the same the other way round, and shares the description: `← → cursor`."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """As the line shows it."""
        other = () if self.back is None else ((f" {self.back.sign}", Ink.ACCENT),)
        return ((self.sign, Ink.ACCENT), *other, (f" {self.description}", Ink.DIM))


def hints(
    active: Iterable[ActiveBinding], focused: Widget | None, words: Callable[[str], str | None] = lambda _: None
) -> list[Hint]:
    """The bindings to show, nearest the focus first, each action once; no key that the focused widget types.

    Args:
        active: The bindings.
        focused: What has the keys.
        words: Says what an action does now where the binding's own description does not, and so that it is to be
            shown; otherwise None.
    """
    found: dict[str, Hint] = {}
    for node, binding, enabled, _ in active:
        sign = key_sign(binding)
        typed = focused is not None and sign.isascii() and focused.check_consume_key(binding.key, _character(sign))
        description = words(binding.action) or (binding.description if binding.show else "")
        if description and enabled and not typed and binding.action not in found:
            found[binding.action] = Hint(sign, description, binding.action, node)
    return _paired(found.values())


def _paired(found: Iterable[Hint]) -> list[Hint]:
    """Two keys of one place with the same description become one hint; what is said nearer the focus is said once."""
    paired: dict[str, Hint] = {}
    for hint in found:
        nearer = paired.setdefault(hint.description, hint)
        if nearer is not hint and nearer.node is hint.node and nearer.back is None:
            paired[hint.description] = replace(nearer, back=hint)
    return list(paired.values())


def _character(sign: str) -> str | None:
    return sign if len(sign) == 1 else None


def fitted(found: Sequence[Hint], width: int) -> list[Hint]:
    """As many hints as fit, nearest the focus first; those of `ALWAYS` are among them before any other."""
    room = width + len(GAP[0])
    kept: set[str] = set()
    for hint in sorted(found, key=lambda hint: hint.action not in ALWAYS):
        needed = pieces_width((*hint.pieces, GAP))
        if needed <= room:
            room -= needed
            kept.add(hint.action)
    return [hint for hint in found if hint.action in kept]


class KeyLine(Line):
    """The line as a widget; a click on a key does what the key does."""

    def __init__(self, words: Callable[[str], str | None], *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        """Begin without keys.

        Args:
            words: Says what an action does now where the binding's own description does not; otherwise None.
            id: As every widget's.
        """
        super().__init__(id=id)
        self._words = words
        self._hints: list[Hint] = []
        self._says: tuple[Piece, ...] = ()

    def on_mount(self) -> None:
        """Keys change with the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._take_bindings)

    def _take_bindings(self, screen: Screen[object]) -> None:
        if screen is self.screen and self.app.screen is screen:
            self._hints = hints(screen.active_bindings.values(), screen.focused, self._words)
            self._lay_out()

    def say(self, pieces: Sequence[Piece]) -> None:
        """Say beside the keys what the pane shows: `smooth .60 · x step`."""
        if tuple(pieces) != self._says:
            self._says = tuple(pieces)
            self._lay_out()

    def on_resize(self) -> None:
        """Other keys fit."""
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.size.width
        wide = width >= WIDE_FROM
        says = cut(((" ", Ink.NONE), *self._says), int(width * STATUS_SHARE)) if wide else ()
        room = width - pieces_width((*says, GAP)) - 1 if wide else width - 1
        keys: list[Piece] = []
        for hint in fitted(self._hints, room):
            keys += [GAP, *hint.pieces] if keys else hint.pieces
        if wide:
            self.show(apart(says, (*keys, (" ", Ink.NONE)), width))
        else:
            self.show(((" ", Ink.NONE), *keys))

    async def on_click(self, event: events.Click) -> None:
        """Do what the key under the mouse does."""
        column = 0
        for text, _ in self.pieces:
            column += pieces_width(((text, 0),))
            if event.x < column:
                shown = (other for hint in self._hints for other in (hint, hint.back) if other is not None)
                hint = next((hint for hint in shown if text.strip() in (hint.sign, hint.description)), None)
                if hint is not None:
                    event.stop()
                    await self.app.run_action(hint.action, hint.node)
                return
