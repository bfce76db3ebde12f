"""Meanings of keys: a key means the same in every tab, or has no effect.

Help groups keys by the purposes of their meanings. A new dashboard chooses the keys of its actions from this table:
`B` groups, `f` fits, `x` and `X` are the x axis. `tests/app/test_key_meanings.py` compares the bindings of all tabs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

Purpose: TypeAlias = Literal["Find and choose", "Show", "Compare", "Axes and zoom", "Save and share", "Go", "tbtui"]

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
"""Headings of the help page, in order."""


@frozen
class Meaning:
    """The meaning of a key, or of keys for opposite directions."""

    keys: tuple[str, ...]
    """Names of the keys as bindings write them."""

    label: str
    purpose: Purpose


def _define(keys: str, label: str, purpose: Purpose) -> Meaning:
    return Meaning(tuple(keys.split()), label, purpose)


LETTERS = (
    _define("a", "all", "Find and choose"),
    _define("A", "overview: many small ones", "Show"),
    _define("b", "sidebar", "tbtui"),
    _define("B", "group, list or judge by", "Show"),
    _define("c", "colour", "Show"),
    _define("C", "copy the run's directory", "Save and share"),
    _define("d", "compare with this, or with another", "Compare"),
    _define("D", "colours: scale or measure", "Show"),
    _define("e", "edit this", "Show"),
    _define("E", "extremes", "Show"),
    _define("f", "fit", "Axes and zoom"),
    _define("F", "fit everything", "Axes and zoom"),
    _define("g G", "first, last", "Go"),
    _define("h l", "left, right", "Go"),
    _define("j k", "down, up", "Go"),
    _define("H L", "move the view left, right", "Go"),
    _define("J K", "move the view down, up", "Go"),
    _define("i", "about this", "Find and choose"),
    _define("I", "choose from a list", "Find and choose"),
    _define("m", "view", "Show"),
    _define("M", "merge", "Show"),
    _define("n N", "next, previous", "Find and choose"),
    _define("o", "options", "Show"),
    _define("O", "outliers", "Show"),
    _define("p", "pin", "Show"),
    _define("P", "play, pause", "Show"),
    _define("q", "close, then quit", "tbtui"),
    _define("Q", "quality: pixels or characters", "Show"),
    _define("r", "read new data", "tbtui"),
    _define("R", "separate or grouped", "Show"),
    _define("s", "solo: this alone", "Find and choose"),
    _define("S", "share one zoom or camera", "Axes and zoom"),
    _define("t", "order or figure of the table", "Show"),
    _define("T", "table or map", "Show"),
    _define("u", "superseded points", "Show"),
    _define("U", "trace to the origin", "Find and choose"),
    _define("v", "select from here on", "Axes and zoom"),
    _define("V", "direction of view", "Show"),
    _define("w", "write to a file", "Save and share"),
    _define("W", "save a layout or view", "Save and share"),
    _define("x", "x axis", "Axes and zoom"),
    _define("X", "x scale", "Axes and zoom"),
    _define("y", "copy", "Save and share"),
    _define("Y", "y scale", "Axes and zoom"),
    _define("z Z", "zoom in, out", "Axes and zoom"),
)
"""Letters, one or two in a line."""

OTHERS = (
    _define("slash", "search in what has the focus", "Find and choose"),
    _define("colon ctrl+p", "go to any run, tag or tab; find a command", "Find and choose"),
    _define("asterisk", "fold or unfold all", "Find and choose"),
    _define("percent_sign", "values or differences", "Compare"),
    _define("backspace", "undo, back", "Axes and zoom"),
    _define("comma full_stop", "cursor or step: left, right", "Go"),
    _define("left_square_bracket right_square_bracket", "step, graph, text, run: previous, next", "Find and choose"),
    _define("less_than_sign greater_than_sign", "columns, frames, links: left, right", "Show"),
    _define("plus equals_sign minus", "more, less", "Show"),
    _define("right_parenthesis left_parenthesis", "contrast", "Show"),
    _define("underscore", "hide: column, group", "Show"),
    _define("left_curly_bracket right_curly_bracket", "sidebar narrower, wider", "tbtui"),
    _define("exclamation_mark", "damaged files", "tbtui"),
    _define("question_mark f1", "help", "tbtui"),
    _define("enter", "open; the main action here", "Find and choose"),
    _define("space", "switch, select or fold this", "Find and choose"),
    _define("escape", "back", "Go"),
    _define("tab shift+tab", "runs, tags, charts", "Go"),
    _define("1 2 3 4 5 6 7 8 9 0", "open a tab", "Go"),
    _define("ctrl+left ctrl+right", "previous, next tab", "Go"),
    _define("ctrl+l", "redraw the screen", "tbtui"),
    _define("ctrl+z", "suspend", "tbtui"),
    _define("home end", "first, last", "Go"),
    _define("pageup pagedown ctrl+u ctrl+d ctrl+b ctrl+f", "page up, down", "Go"),
    _define("left right up down", "move", "Go"),
    _define("shift+left shift+right shift+up shift+down", "move the view", "Go"),
)
"""Signs, digits and keys with names."""

MEANINGS = {key: meaning for meaning in (*LETTERS, *OTHERS) for key in meaning.keys}
"""The meaning of each key, by its name in bindings."""


def find_purpose(keys: Iterable[str]) -> Purpose:
    """Return the purpose of an action.

    Args:
        keys: The keys of its binding as it is declared: a key that the user chose says nothing about the action. The
            first one with a meaning counts.
    """
    return next((MEANINGS[key].purpose for key in keys if key in MEANINGS), "Show")
