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


def _meaning(keys: str, label: str, purpose: Purpose) -> Meaning:
    return Meaning(tuple(keys.split()), label, purpose)


LETTERS = (
    _meaning("a", "all", "Find and choose"),
    _meaning("A", "overview: many small ones", "Show"),
    _meaning("b", "sidebar", "tbtui"),
    _meaning("B", "group, list or judge by", "Show"),
    _meaning("c", "colour", "Show"),
    _meaning("C", "copy the run's directory", "Save and share"),
    _meaning("d", "compare with this, or with another", "Compare"),
    _meaning("D", "colours: scale or measure", "Show"),
    _meaning("e", "edit this", "Show"),
    _meaning("E", "extremes", "Show"),
    _meaning("f", "fit", "Axes and zoom"),
    _meaning("F", "fit everything", "Axes and zoom"),
    _meaning("g G", "first, last", "Go"),
    _meaning("h l", "left, right", "Go"),
    _meaning("j k", "down, up", "Go"),
    _meaning("H L", "move the view left, right", "Go"),
    _meaning("J K", "move the view down, up", "Go"),
    _meaning("i", "about this", "Find and choose"),
    _meaning("I", "choose from a list", "Find and choose"),
    _meaning("m", "view", "Show"),
    _meaning("M", "merge", "Show"),
    _meaning("n N", "next, previous", "Find and choose"),
    _meaning("o", "options", "Show"),
    _meaning("O", "outliers", "Show"),
    _meaning("p", "pin", "Show"),
    _meaning("P", "play, pause", "Show"),
    _meaning("q", "close, then quit", "tbtui"),
    _meaning("Q", "quality: pixels or characters", "Show"),
    _meaning("r", "read new data", "tbtui"),
    _meaning("R", "separate or grouped", "Show"),
    _meaning("s", "solo: this alone", "Find and choose"),
    _meaning("S", "share one zoom or camera", "Axes and zoom"),
    _meaning("t", "order or figure of the table", "Show"),
    _meaning("T", "table or map", "Show"),
    _meaning("u", "superseded points", "Show"),
    _meaning("U", "trace to the origin", "Find and choose"),
    _meaning("v", "select from here on", "Axes and zoom"),
    _meaning("V", "direction of view", "Show"),
    _meaning("w", "write to a file", "Save and share"),
    _meaning("W", "save a layout or view", "Save and share"),
    _meaning("x", "x axis", "Axes and zoom"),
    _meaning("X", "x scale", "Axes and zoom"),
    _meaning("y", "copy", "Save and share"),
    _meaning("Y", "y scale", "Axes and zoom"),
    _meaning("z Z", "zoom in, out", "Axes and zoom"),
)
"""Letters, one or two in a line."""

OTHERS = (
    _meaning("slash", "search in what has the focus", "Find and choose"),
    _meaning("colon ctrl+p", "go to any run, tag or tab; find a command", "Find and choose"),
    _meaning("asterisk", "fold or unfold all", "Find and choose"),
    _meaning("percent_sign", "values or differences", "Compare"),
    _meaning("backspace", "undo, back", "Axes and zoom"),
    _meaning("comma full_stop", "cursor or step: left, right", "Go"),
    _meaning("left_square_bracket right_square_bracket", "step, graph, text, run: previous, next", "Find and choose"),
    _meaning("less_than_sign greater_than_sign", "columns, frames, links: left, right", "Show"),
    _meaning("plus equals_sign minus", "more, less", "Show"),
    _meaning("right_parenthesis left_parenthesis", "contrast", "Show"),
    _meaning("underscore", "hide: column, group", "Show"),
    _meaning("left_curly_bracket right_curly_bracket", "sidebar narrower, wider", "tbtui"),
    _meaning("exclamation_mark", "damaged files", "tbtui"),
    _meaning("question_mark f1", "help", "tbtui"),
    _meaning("enter", "open; the main action here", "Find and choose"),
    _meaning("space", "switch, select or fold this", "Find and choose"),
    _meaning("escape", "back", "Go"),
    _meaning("tab shift+tab", "runs, tags, charts", "Go"),
    _meaning("1 2 3 4 5 6 7 8 9 0", "open a tab", "Go"),
    _meaning("ctrl+left ctrl+right", "previous, next tab", "Go"),
    _meaning("ctrl+l", "redraw the screen", "tbtui"),
    _meaning("ctrl+z", "suspend", "tbtui"),
    _meaning("home end", "first, last", "Go"),
    _meaning("pageup pagedown ctrl+u ctrl+d ctrl+b ctrl+f", "page up, down", "Go"),
    _meaning("left right up down", "move", "Go"),
    _meaning("shift+left shift+right shift+up shift+down", "move the view", "Go"),
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
