"""The footer: the status of the focused part, and the keys that work there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.app.layout import MIN_WIDE_COLUMNS
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import GAP, Piece, cut_pieces, pieces_width, spread_pieces
from tbtui.frozen import frozen
from tbtui.widgets.line import Line
from tbtui.widgets.pane import STATUS_SHARE
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual import events
    from textual.binding import ActiveBinding, Binding
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.timer import Timer
    from textual.widget import Widget

EVERYWHERE = "Everywhere"
"""Group title of the keys that work at any focus."""

KEY_SIGNS = {
    "enter": "⏎",
    "escape": "esc",
    "shift+tab": "⇧tab",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "ctrl+left": "^←",
    "ctrl+right": "^→",
    "shift+up": "⇧↑",
    "shift+down": "⇧↓",
    "shift+left": "⇧←",
    "shift+right": "⇧→",
    "question_mark": "?",
    "slash": "/",
    "exclamation_mark": "!",
    "asterisk": "*",
    "percent_sign": "%",
    "underscore": "_",
    "colon": ":",
    "comma": ",",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}
"""Textual's names of keys, and how the footer and the help write them."""

ALWAYS_SHOWN_ACTIONS = frozenset({"toggle_sidebar", "help"})
"""Actions whose keys are shown in any terminal, however narrow."""


FIRST_KEYS = {"?": "all keys", "⏎": "", "/": "", "tab": "runs and tags", "q": "quit"}
"""Keys that the footer shows at a first start, and their descriptions; empty: the description of the open tab."""

INTRODUCTION_SECONDS = 60.0
"""Time for which a first start shows `FIRST_KEYS`; to open anything, such as the help, ends it."""


def format_key(binding: Binding) -> str:
    """Return the symbol of a key: `⏎`, `esc`, `^p`."""
    return binding.key_display or KEY_SIGNS.get(binding.key) or binding.key.replace("ctrl+", "^")


@frozen
class Hint:
    """A key and what it does at the present focus."""

    sign: str
    description: str
    action: str
    node: DOMNode
    """The node that owns the action."""

    back: Hint | None = None
    """The key of the opposite direction, which shares the description: `← → cursor`."""

    def pieces(self, words: int = Ink.DIM) -> tuple[Piece, ...]:
        """Return the hint as the footer shows it, with its description in the ink `words`."""
        other = () if self.back is None else ((f" {self.back.sign}", Ink.ACCENT),)
        return ((self.sign, Ink.ACCENT), *other, (f" {self.description}", words))


def list_active_hints(
    active: Iterable[ActiveBinding], focused: Widget | None, label: Callable[[str], str | None] = lambda _: None
) -> list[Hint]:
    """Return the bindings to show, nearest to the focus first, each action once.

    Keys that the focused widget takes as text are left out.

    Args:
        active: The bindings.
        focused: The widget with the focus.
        label: Returns the present label of an action; None: the description of the binding, if it is for the footer.
    """
    shown_hints: dict[str, Hint] = {}
    for node, binding, enabled, _ in active:
        sign = format_key(binding)
        typed = focused is not None and sign.isascii() and focused.check_consume_key(binding.key, _get_character(sign))
        description = label(binding.action) or (binding.description if binding.show else "")
        if description and enabled and not typed and binding.action not in shown_hints:
            shown_hints[binding.action] = Hint(sign, description, binding.action, node)
    return _pair_opposite_keys(shown_hints.values())


def _pair_opposite_keys(hints: Iterable[Hint]) -> list[Hint]:
    """Merge two keys of one node with equal descriptions; of different nodes keep the one nearer to the focus."""
    paired: dict[str, Hint] = {}
    for hint in hints:
        nearer = paired.setdefault(hint.description, hint)
        if nearer is not hint and nearer.node is hint.node and nearer.back is None:
            paired[hint.description] = replace(nearer, back=hint)
    return list(paired.values())


def _get_character(sign: str) -> str | None:
    return sign if len(sign) == 1 else None


def select_fitting_hints(hints: Sequence[Hint], width: int) -> list[Hint]:
    """Return the hints that fit, nearest to the focus first; `ALWAYS_SHOWN_ACTIONS` are chosen before all others."""
    free_columns = width + len(GAP[0])
    chosen: set[str] = set()
    for hint in sorted(hints, key=lambda hint: hint.action not in ALWAYS_SHOWN_ACTIONS):
        needed = pieces_width((*hint.pieces(), GAP))
        if needed <= free_columns:
            free_columns -= needed
            chosen.add(hint.action)
    return [hint for hint in hints if hint.action in chosen]


def select_first_hints(hints: Iterable[Hint]) -> list[Hint]:
    """Return the keys that a first start shows, with full words."""
    by_sign = {hint.sign: hint for hint in hints}
    keys = ((by_sign[sign], words) for sign, words in FIRST_KEYS.items() if sign in by_sign)
    return [replace(hint, description=words or hint.description, back=None) for hint, words in keys]


class Footer(Line):
    """The footer as a widget. A click on a key runs its action.

    Args:
        label: Returns the present label of an action; None: the binding's description.
        id: The widget's id.
    """

    def __init__(self, label: Callable[[str], str | None], *, id: str | None = None) -> None:  # noqa: A002 - Textual's
        super().__init__(id=id)
        self._label = label
        self._hints: list[Hint] = []
        self._shown: list[Hint] = []
        self._status: tuple[Piece, ...] = ()
        self._introduction: Timer | None = None
        """Runs while the keys of a first start are shown."""

    def introduce(self) -> None:
        """Show the keys that matter instead of those of the place, until something is opened or a setting changes."""
        self._introduction = start_timer(self, INTRODUCTION_SECONDS, self.end_introduction)
        self._arrange()

    def end_introduction(self) -> None:
        """Show the keys of the place."""
        if self._introduction is not None:
            self._introduction.stop()
            self._introduction = None
            self._arrange()

    def on_mount(self) -> None:
        """Follow the active bindings, which change with the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._on_bindings_changed)

    def _on_bindings_changed(self, screen: Screen[object]) -> None:
        if screen is self.screen and self.app.screen is screen:
            self._hints = list_active_hints(screen.active_bindings.values(), screen.focused, self._label)
            self._arrange()

    def show_status(self, pieces: Sequence[Piece]) -> None:
        """Show a status beside the keys, such as `smooth .60 · x step`; a change of it ends the introduction."""
        if tuple(pieces) != self._status:
            if any(text for text, _ in self._status):
                self.end_introduction()
            self._status = tuple(pieces)
            self._arrange()

    def on_resize(self) -> None:
        """Show the keys that fit."""
        self._arrange()

    def _arrange(self) -> None:
        width = self.size.width
        is_wide = width >= MIN_WIDE_COLUMNS and self._introduction is None
        status = cut_pieces(((" ", Ink.NONE), *self._status), int(width * STATUS_SHARE)) if is_wide else ()
        free_columns = width - pieces_width((*status, GAP)) - 1 if is_wide else width - 1
        offered, words = self._hints, Ink.DIM
        if self._introduction is not None:
            offered, words = select_first_hints(self._hints), Ink.BOLD
        self._shown = select_fitting_hints(offered, free_columns)
        keys: list[Piece] = []
        for hint in self._shown:
            keys += [GAP, *hint.pieces(words)] if keys else hint.pieces(words)
        if is_wide:
            self.show(spread_pieces(status, (*keys, (" ", Ink.NONE)), width))
        else:
            self.show(((" ", Ink.NONE), *keys))

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the key under the mouse."""
        column = 0
        for text, _ in self.pieces:
            column += pieces_width(((text, 0),))
            if event.x < column:
                shown = (other for hint in self._shown for other in (hint, hint.back) if other is not None)
                hint = next((hint for hint in shown if text.strip() in (hint.sign, hint.description)), None)
                if hint is not None:
                    event.stop()
                    await self.app.run_action(hint.action, hint.node)
                return
