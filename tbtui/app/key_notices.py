"""Notices about keys, each shown once: to new users, and to users of an older version whose keys have moved.

Imported at each start: the modules that name keys are imported when a moved key is pressed.
"""

from __future__ import annotations

from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MOVED = "moved"
"""First line of the file of a user who knows older keys."""

MOVED_KEYS = "Keys mean the same in all tabs now. One that has moved says so when you press it. ? shows all keys."
"""Notice for users of an older version."""

# Tabs that had the older keys; a newer tab has none to name.
_CARDS = ("scalars", "custom_scalars", "histograms", "distributions", "pr_curves")
_SAMPLES = ("images", "audio", "mesh")

MOVED_FROM: Mapping[str, Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        **{
            tab: {
                "y": ("y scale", "charts.y_scale", "Y"),
                "c": ("no cursor", "cursor.forget", "backspace"),
                **({"m": ("min, max, best", "", "E")} if tab in ("scalars", "custom_scalars") else {}),
            }
            for tab in _CARDS
        },
        **{tab: {"c": ("compare", "", "d")} for tab in _SAMPLES if tab != "audio"},
        "audio": {"c": ("no cursor", "cursor.forget", "backspace")},
        "comparison": {"v": ("values or differences", "comparison.deltas", "percent_sign")},
        "hparams": {
            "v": ("values or differences", "hparams.deltas", "percent_sign"),
            "M": ("judge by this metric", "hparams.metric", "B"),
            "B": ("colour runs by this column", "hparams.colour", "c"),
        },
        "graphs": {
            "d": ("the diagram", "graphs.view", "m"),
            "o": ("the table", "graphs.view", "m"),
            "T": ("the times", "graphs.view", "m"),
            "c": ("choose a graph", "graphs.choose", "I"),
            "P": ("times of another run", "graphs.profile", "t"),
            "full_stop": ("show only this scope", "graphs.enter", "s"),
            "comma": ("parent scope", "graphs.leave", "a"),
            "u": ("expand or collapse series", "graphs.regroup", "R"),
            "f": ("find", "graphs.find", "slash"),
            "t": ("trace", "graphs.trace", "U"),
            "p": ("path to an output", "graphs.trace", "U"),
            "v": ("direction", "graphs.across", "V"),
        },
        "profile": {
            "s": ("the overview", "profile.view", "m"),
            "o": ("operators", "profile.view", "m"),
            "e": ("kernels", "profile.view", "m"),
            "T": ("the timeline", "profile.view", "m"),
            "K": ("the flame graph", "profile.view", "m"),
            "M": ("memory", "profile.view", "m"),
            "X": ("communication", "profile.view", "m"),
            "R": ("calls of the runtime", "profile.view", "m"),
            "f": ("find", "profile.find", "slash"),
            "c": ("choose a profile", "profile.choose", "I"),
            "E": ("zoom to this event", "timeline.fit", "f"),
        },
        "projector": {
            "f": ("find", "projector.find", "slash"),
            "full_stop": ("only these points", "projector.isolate", "s"),
            "comma": ("all points", "projector.show_all", "a"),
            "M": ("next list", "projector.list", "B"),
            "a": ("axes of labels", "projector.axes", "x"),
            "O": ("2D or 3D", "projector.3d", "V"),
            "R": ("lay out anew", "projector.restart", "backspace"),
            "p": ("drawn as", "projector.pixels", "Q"),
            "s": ("choose an embedding", "projector.choose", "I"),
            "B": ("two maps", "projector.beside", "R"),
            "S": ("saved views", "projector.views", "W"),
            "V": ("all variables", "projector.variables", "A"),
        },
        "text": {
            "f": ("find", "text.find", "slash"),
            "W": ("wrap lines", "text.wrap", "f"),
        },
    }
)
"""By tab and old key: what it did, and id and key of the binding that does it now; the id is empty if tabs differ."""


class MovedKeys:
    """Keys that have moved, each announced once.

    Args:
        path: The file with the announced keys.
        announced: Keys that were announced, each after its tab: `graphs f`.
        keymap: Keys that the user has changed, by the id of their binding.
    """

    def __init__(self, path: Path, announced: frozenset[str], keymap: Mapping[str, str]) -> None:
        self._path, self._announced, self._keymap = path, announced, keymap
        self._is_saved = True

    def announce(self, tab: str, key: str) -> str:
        """Return a notice that names the new key, the first time that a key is pressed in a tab; empty otherwise."""
        moved_key = MOVED_FROM.get(tab, {}).get(key)
        name = f"{tab} {key}"
        if moved_key is None or name in self._announced:
            return ""
        self._announced, self._is_saved = self._announced | {name}, False
        from textual.binding import Binding

        from tbtui.app.key_meanings import MEANINGS
        from tbtui.app.keymap import format_keys

        label, binding_id, default_key = moved_key
        old, new = (format_keys(Binding(each, ""))[0] for each in (key, self._keymap.get(binding_id, default_key)))
        return f"{label}: {new} now ({old}: {MEANINGS[key].label})" if key in MEANINGS else f"{label}: {new} now"

    def save(self) -> None:
        """Save the announced keys."""
        if not self._is_saved:
            with suppress(OSError):
                self._path.write_text("\n".join((MOVED, *sorted(self._announced), "")), "utf-8")
            self._is_saved = True


@frozen
class Introduction:
    """Notices about keys at a start of the dashboard."""

    is_first: bool = False
    """True: the footer shows the keys that matter, in full words."""

    notice: str = ""
    moved: MovedKeys | None = None
    """Announces the new key of each moved key that is pressed; None: the user knows them all."""


def introduce_keys(directory: Path, keymap: Mapping[str, str]) -> Introduction:
    """Return the notices of this start, and record that they were shown; none at the second start of a new user.

    Args:
        directory: The directory of settings.
        keymap: Keys that the user has changed, by the id of their binding.
    """
    path = directory / "keys_told"
    try:
        lines = path.read_text("utf-8").split("\n") if path.exists() else None
    except (OSError, ValueError):
        return Introduction()
    if lines is not None:
        if not lines[0].startswith(MOVED):
            return Introduction()
        return Introduction(moved=MovedKeys(path, frozenset(filter(None, lines[1:])), keymap))
    has_older_settings = (directory / "choices").exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{MOVED}\n" if has_older_settings else "all\n", "utf-8")
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        return Introduction()  # without a record, the notice would be shown at every start
    if has_older_settings:
        return Introduction(notice=MOVED_KEYS, moved=MovedKeys(path, frozenset(), keymap))
    return Introduction(is_first=True)
