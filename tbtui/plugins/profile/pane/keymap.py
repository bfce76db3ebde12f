"""Keys of the Profile tab."""

from __future__ import annotations

from textual.binding import Binding, BindingType

_VIEWS = Binding.Group("Views")
_CAPTURES = Binding.Group("Profiles and steps")

KEYMAP: list[BindingType] = [
    Binding("s", "show_overview", "overview", id="profile.overview", tooltip="overview", group=_VIEWS),
    Binding("o", "show_operators", "operators", id="profile.operators", tooltip="operators", group=_VIEWS),
    Binding("e", "show_kernels", "kernels", id="profile.kernels", tooltip="kernels and copies", group=_VIEWS),
    Binding("T", "show_timeline", "timeline", id="profile.timeline", tooltip="timeline", group=_VIEWS),
    Binding("K", "show_flame", "flame", id="profile.flame", tooltip="flame graph", group=_VIEWS),
    Binding("M", "show_memory", show=False, id="profile.memory", tooltip="memory", group=_VIEWS),
    Binding("X", "show_communication", show=False, id="profile.ranks", tooltip="communication, ranks", group=_VIEWS),
    Binding(
        "d",
        "compare",
        "compare",
        show=False,
        id="profile.compare",
        tooltip="compare with another profile",
        group=_VIEWS,
    ),
    Binding("I", "show_input", show=False, id="profile.input", tooltip="input pipeline", group=_VIEWS),
    Binding("R", "show_runtime", show=False, id="profile.runtime", tooltip="calls of the runtime", group=_VIEWS),
    Binding("enter", "details", "details", id="profile.details", tooltip="shapes, callers, kernels"),
    Binding("t", "sort", "sort", id="profile.sort", tooltip="sort by this column"),
    Binding("B", "next_grouping", "group", show=False, id="profile.group", tooltip="group by, or stack of"),
    Binding("m", "next_weight", "host, device", show=False, id="profile.weight", tooltip="time of host or device"),
    Binding("f,ctrl+f", "find", "find", id="profile.find", tooltip="filter names"),
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
    Binding("c", "choose", "profile", id="profile.choose", tooltip="choose a profile", group=_CAPTURES),
    Binding("less_than_sign", "next(-1)", show=False, id="profile.before", tooltip="profile previous", group=_CAPTURES),
    Binding("greater_than_sign", "next(1)", show=False, id="profile.after", tooltip="profile next", group=_CAPTURES),
    Binding("i", "about", "about", show=False, id="profile.about", tooltip="about this profile", group=_CAPTURES),
    Binding("C", "copy_path", show=False, id="profile.copy_path", tooltip="copy the run's path", group=_CAPTURES),
    Binding("escape", "back", "back", show=False, id="profile.back", tooltip="back"),
]
