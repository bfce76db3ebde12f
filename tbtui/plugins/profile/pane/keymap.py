"""Keys of the Profile tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from tbtui.widgets.chooser import Option

if TYPE_CHECKING:
    from tbtui.plugins.profile.pane.views import ViewName

VIEW_OPTIONS: tuple[Option[ViewName], ...] = (
    Option("s", "overview", "overview"),
    Option("o", "operators", "operators"),
    Option("e", "kernels and copies", "kernels"),
    Option("T", "timeline", "timeline"),
    Option("K", "flame graph", "flame"),
    Option("M", "memory", "memory"),
    Option("I", "input pipeline", "input"),
    Option("X", "communication, ranks", "communication"),
    Option("R", "calls of the runtime", "runtime"),
)

_VIEWS = Binding.Group("Views")
_CAPTURES = Binding.Group("Profiles and steps")

KEYMAP: list[BindingType] = [
    Binding("m", "choose_view", "view", id="profile.view", tooltip="overview, operators, timeline, …", group=_VIEWS),
    Binding(
        "d",
        "compare",
        "compare",
        show=False,
        id="profile.compare",
        tooltip="compare with another profile",
        group=_VIEWS,
    ),
    Binding("enter", "details", "details", id="profile.details", tooltip="shapes, callers, kernels"),
    Binding("t", "sort", "sort", id="profile.sort", tooltip="sort by this column"),
    Binding("B", "next_grouping", "group", show=False, id="profile.group", tooltip="group by, or stack of"),
    Binding("t", "next_weight", "host, device", show=False, id="profile.weight", tooltip="time of host or device"),
    Binding("slash", "find", "find", id="profile.find", tooltip="filter names"),
    Binding(
        "left_square_bracket",
        "step(-1)",
        show=False,
        id="profile.step_before",
        tooltip="step previous",
        group=_CAPTURES,
    ),
    Binding(
        "right_square_bracket",
        "step(1)",
        "step",
        key_display="[ ]",
        id="profile.step_after",
        tooltip="step next",
        group=_CAPTURES,
    ),
    Binding("I", "choose", "profile", id="profile.choose", tooltip="choose a profile", group=_CAPTURES),
    Binding("less_than_sign", "next(-1)", show=False, id="profile.before", tooltip="profile previous", group=_CAPTURES),
    Binding("greater_than_sign", "next(1)", show=False, id="profile.after", tooltip="profile next", group=_CAPTURES),
    Binding("i", "about", "about", show=False, id="profile.about", tooltip="about this profile", group=_CAPTURES),
    Binding("y,C", "copy_path", show=False, id="profile.copy_path", tooltip="copy the run's path", group=_CAPTURES),
    Binding("escape", "back", "back", show=False, id="profile.back", tooltip="back"),
]
