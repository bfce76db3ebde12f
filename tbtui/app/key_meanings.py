"""Meanings of keys, the same in every tab: one meaning for a letter, with the actions that carry it out.

Help groups keys by the purposes below. A setting of a dashboard declares the meaning of its key itself
(`Setting.meaning`); a binding with another action has its action in the line of its key here.
`tests/app/test_key_meanings.py` compares the bindings of all tabs with this table.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tbtui.frozen import frozen
from tbtui.plugins.registry import plugin_settings

Purpose: TypeAlias = Literal["Find and choose", "Show", "Compare", "Axes and zoom", "Save and share", "Go", "tbtui"]

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
"""Headings of the help page, in order."""


@frozen
class Meaning:
    """The meaning of a key, or of a pair of keys for two directions."""

    keys: tuple[str, ...]
    words: str
    purpose: Purpose
    actions: frozenset[str]
    """Actions that carry it out, as `meaning_name` writes them."""


def _meaning(keys: str, words: str, purpose: Purpose, actions: str) -> Meaning:
    return Meaning(tuple(keys.split()), words, purpose, frozenset(actions.split()))


LETTERS = (
    _meaning("a", "all", "Find and choose", "switch_all show_all_runs show_all leave"),
    _meaning("A", "overview: many small ones", "Show", "switch_overview switch_variables"),
    _meaning("b", "sidebar", "tbtui", "toggle_sidebar"),
    _meaning(
        "B",
        "group, list or judge by",
        "Show",
        "attributes judge switch_step_rows switch_bucket_rows next_list next_grouping",
    ),
    _meaning("c", "colour", "Show", "colour colour_runs next_graph_colour"),
    _meaning("C", "copy the run's directory", "Save and share", "copy_path"),
    _meaning(
        "d",
        "compare with this, or with another",
        "Compare",
        "baseline switch.baseline set_baseline next_comparison compare",
    ),
    _meaning("D", "colours: scale or measure", "Show", "next_heat_scale next_devices density"),
    _meaning("e", "edit this", "Show", "edit_chart goal columns_form"),
    _meaning("E", "extremes", "Show", "switch_extremes"),
    _meaning("f", "fit", "Axes and zoom", "fit unbrush fit_or_actual fit_view switch_wrap whole"),
    _meaning("F", "fit everything", "Axes and zoom", "fit_all fit whole"),
    _meaning("g G", "first, last", "Go", "move_to scroll_table go_to_end scroll_to whole"),
    _meaning(
        "h l",
        "left, right",
        "Go",
        "fold move cursor axis card go column step scroll_columns orbit sibling event move_column",
    ),
    _meaning(
        "j k",
        "down, up",
        "Go",
        "move move_row select session row scroll go lane scroll_rows orbit child parent line",
    ),
    _meaning("H L", "move the view left, right", "Go", "pan pan_columns orbit turn move_columns_page"),
    _meaning("J K", "move the view down, up", "Go", "pan_rows turn"),
    _meaning("i", "about this", "Find and choose", "about about_run"),
    _meaning("I", "choose from a list", "Find and choose", "choose_graph choose_source choose"),
    _meaning(
        "m",
        "view",
        "Show",
        "next_view next_images next_audio_look next_histogram_look choose_view switch_raw next_layout",
    ),
    _meaning("M", "merge", "Show", "join merge"),
    _meaning("n N", "next, previous", "Find and choose", "turn go next_match match"),
    _meaning("o", "options", "Show", "options layout_form"),
    _meaning("O", "outliers", "Show", "next_outliers switch_aside"),
    _meaning("p", "pin", "Show", "pin pin_column"),
    _meaning("P", "play, pause", "Show", "play_steps play pause"),
    _meaning("q", "close, then quit", "tbtui", "close quit"),
    _meaning("Q", "quality: pixels or characters", "Show", "pixels"),
    _meaning("r", "read new data", "tbtui", "reload"),
    _meaning("R", "separate or grouped", "Show", "toggle_groups switch_together regroup beside"),
    _meaning("s", "solo: this alone", "Find and choose", "solo switch.solo alone enter isolate"),
    _meaning("S", "share one zoom or camera", "Axes and zoom", "link"),
    _meaning(
        "t", "order or figure of the table", "Show", "next_row_order next_figure next_profile metric sort next_weight"
    ),
    _meaning("T", "table or map", "Show", "switch_table"),
    _meaning("u", "superseded points", "Show", "switch_superseded"),
    _meaning("U", "trace to the origin", "Find and choose", "next_trace follow"),
    _meaning("v", "select from here on", "Axes and zoom", "stretch brush rectangle mark"),
    _meaning("V", "direction of view", "Show", "switch_across side switch_3d"),
    _meaning("w", "write to a file", "Save and share", "write"),
    _meaning("W", "save a layout or view", "Save and share", "write_layout views"),
    _meaning("x", "x axis", "Axes and zoom", "next_x_axis axes_form say_no_axis"),
    _meaning("X", "x scale", "Axes and zoom", "next_x_scale say_scale component"),
    _meaning("y", "copy", "Save and share", "copy copy_path copy_labels"),
    _meaning("Y", "y scale", "Axes and zoom", "next_y_scale next_own_y_scale scale say_scale component"),
    _meaning("z Z", "zoom in, out", "Axes and zoom", "zoom"),
)
"""One line a letter, or a pair of letters."""

OTHERS = (
    _meaning("slash", "search in what has the focus", "Find and choose", "edit_filter edit_terms find"),
    _meaning("colon ctrl+p", "go to any run, tag or tab; find a command", "Find and choose", "command_palette"),
    _meaning("asterisk", "fold or unfold all", "Find and choose", "fold_all"),
    _meaning("percent_sign", "values or differences", "Compare", "switch_deltas toggle_deltas"),
    _meaning("backspace", "undo, back", "Axes and zoom", "forget_cursor take_back return restart zoom_out"),
    _meaning("comma full_stop", "cursor or step: left, right", "Go", "move_cursor event"),
    _meaning(
        "left_square_bracket right_square_bracket",
        "step, graph, text, run: previous, next",
        "Find and choose",
        "own_step step select_run",
    ),
    _meaning(
        "less_than_sign greater_than_sign",
        "columns, frames, links: left, right",
        "Show",
        "columns move_column move frame follow next",
    ),
    _meaning("plus equals_sign minus", "more, less", "Show", "smooth brightness count"),
    _meaning("right_parenthesis left_parenthesis", "contrast", "Show", "contrast"),
    _meaning("underscore", "hide: column, group", "Show", "hide_column fold"),
    _meaning("left_curly_bracket right_curly_bracket", "sidebar narrower, wider", "tbtui", "widen_sidebar"),
    _meaning("exclamation_mark", "damaged files", "tbtui", "show_damage"),
    _meaning("question_mark f1", "help", "tbtui", "help"),
    _meaning(
        "enter",
        "open; the main action here",
        "Find and choose",
        "switch reveal open zoom_stretch sort enter follow show_full_value neighbours details",
    ),
    _meaning(
        "space",
        "switch, select or fold this",
        "Find and choose",
        "switch switch.off fold mark hide_run hide fold_category open select",
    ),
    _meaning("escape", "back", "Go", "back restore unmark deselect_run cancel close"),
    _meaning("tab shift+tab", "runs, tags, charts", "Go", "next_area"),
    _meaning("1 2 3 4 5 6 7 8 9 0", "open a tab", "Go", "open_tab"),
    _meaning("ctrl+left ctrl+right", "previous, next tab", "Go", "next_tab"),
    _meaning("ctrl+l", "redraw the screen", "tbtui", "redraw"),
    _meaning("ctrl+z", "suspend", "tbtui", "suspend_process"),
    _meaning("home end", "first, last", "Go", "move_to go_to_end scroll_to whole cursor_end"),
    _meaning(
        "pageup pagedown ctrl+u ctrl+d ctrl+b ctrl+f",
        "page up, down",
        "Go",
        "move_page page_table pan_rows pan turn scroll_page page",
    ),
    _meaning(
        "left right up down",
        "move",
        "Go",
        "fold move cursor axis card go column step scroll_columns orbit sibling event move_column move_row select "
        "session row scroll lane scroll_rows child parent line",
    ),
    _meaning(
        "shift+left shift+right shift+up shift+down",
        "move the view",
        "Go",
        "pan pan_y pan_columns pan_rows threshold turn move_columns_page",
    ),
)

MEANINGS = {key: meaning for meaning in (*LETTERS, *OTHERS) for key in meaning.keys}
"""The meaning of each key, by its name in bindings."""


WITH_ARGUMENT = frozenset({"switch", "next_setting"})
"""Actions that count as another action for each argument."""


def meaning_name(action: str) -> str:
    """Return an action as `Meaning.actions` writes it.

    `switch('solo')` is `switch.solo`, `zoom(2)` is `zoom`, and `next_setting` is the name of its setting.
    """
    name, _, rest = action.partition("(")
    name, argument = name.rpartition(".")[2], rest.strip(")'\"")
    if name not in WITH_ARGUMENT or not argument:
        return name
    return argument if name == "next_setting" else f"{name}.{argument}"


def find_meanings(action: str) -> tuple[Meaning, ...]:
    """Return the meanings of an action: several if it has several keys, none if it is unknown.

    Args:
        action: The action, with its arguments.
    """
    name = meaning_name(action)
    words = next((setting.meaning for setting in plugin_settings() if setting.name == name), "")
    return tuple(each for each in (*LETTERS, *OTHERS) if (each.words == words if words else name in each.actions))


def purpose_of(key: str, action: str) -> Purpose:
    """Return the purpose of an action; for a key that the user chose, the purpose under its default key.

    Args:
        key: One of the keys of the binding.
        action: The action, with its arguments.
    """
    meanings = sorted(find_meanings(action), key=lambda meaning: key not in meaning.keys)
    return meanings[0].purpose if meanings else "Show"
