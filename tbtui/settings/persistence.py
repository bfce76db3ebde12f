"""The settings file of a log directory, in the platform's state directory: reading, writing, and when to write.

Anything unreadable or out of range is replaced by the default: a damaged file costs settings, never a start.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import FAINT_FROM
from tbtui.frozen import frozen
from tbtui.paths import state_directory
from tbtui.settings import kinds
from tbtui.settings.kinds import Flag, Integer, Names, String, read_fields, select_short_names, to_json
from tbtui.settings.settings import SETTINGS, Settings, replace_in_all_charts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tbtui.settings.declaration import Setting

VERSION = 1
MAX_FILES = 200
"""Files kept, one per log directory; the least recently used are deleted first."""

MAX_FILE_BYTES = 16 << 20
"""Bytes; a larger file is not ours."""

SAVE_DELAY_SECONDS = 2.0
"""Time from the first unsaved change to the write: one write for a burst of keys."""

MAX_SIDEBAR_COLUMNS = 1000
"""No terminal is wider."""


_PLUGIN_SETTINGS = "plugin_settings"

_FIELDS = [declared for name, declared in SETTINGS.items() if name != _PLUGIN_SETTINGS]

_KEPT = {name: declared.kind for name, declared in SETTINGS.items() if declared.is_kept and declared.kind is not None}


def build_settings_document(settings: Settings) -> dict[str, Any]:
    """Return the saved settings as JSON values; `to_json` describes omissions.

    Settings of dashboards are written if they differ from their defaults: those with a dot in their names under
    `plugin_settings`, the others, which are older, beside the fields.
    """
    chosen = {each.name: to_json(value) for each, value in settings.plugin_settings.items() if each.is_kept}
    return {
        **{name: to_json(getattr(settings, name)) for name in _KEPT},
        **{name: value for name, value in chosen.items() if "." not in name},
        _PLUGIN_SETTINGS: {name: value for name, value in chosen.items() if "." in name},
    }


def read_settings(document: object, plugin_settings: Iterable[Setting[Any]] = ()) -> Settings:
    """Read the fields that are usable; those missing, unknown or out of range have their defaults.

    Args:
        document: The JSON value.
        plugin_settings: The settings of dashboards.
    """
    settings = Settings(**read_fields(document, _KEPT))
    if not isinstance(document, dict):
        return settings
    dotted = document.get(_PLUGIN_SETTINGS)
    values = document | (dotted if isinstance(dotted, dict) else {})
    for declared in plugin_settings:
        if declared.is_kept and declared.name in values:
            with suppress(ValueError):
                settings = declared.with_value(settings, declared.read(values[declared.name]))
    return settings


class SessionOverrides:
    """Settings of the command line, which hold for one session.

    Such a setting is saved as it was before the session, unless the user changes it by hand.

    Args:
        saved: Settings of the last session.
        begun: Settings with which this session begins.
    """

    def __init__(self, saved: Settings, begun: Settings) -> None:
        self._saved = saved
        self._untouched = _find_differences(saved, begun)

    def record_change(self, before: Settings, after: Settings) -> bool:
        """Register a change by the user.

        Returns:
            True if anything changed that is kept.
        """
        changed = _find_differences(before, after)
        self._untouched -= changed
        return any(declared.is_kept for declared in changed)

    def select_kept(self, settings: Settings) -> Settings:
        """Return the settings to save."""
        keep = settings
        for declared in self._untouched:
            keep = declared.with_value(keep, declared.value(self._saved))
        if keep.x_axis != settings.x_axis:
            # Ranges set by hand are in units of an axis that the next session will not have.
            saved = self._saved
            charts = {
                key: replace(keep.chart(key), x_range=saved.chart(key).x_range) for key in (*keep.charts, *saved.charts)
            }
            keep = replace(keep, x_range=saved.x_range, charts=replace_in_all_charts(replace(keep, charts=charts)))
        return keep


def _find_differences(some: Settings, others: Settings) -> frozenset[Setting[Any]]:
    """Return the settings in which two records differ, also those of dashboards."""
    declared = {*_FIELDS, *some.plugin_settings, *others.plugin_settings}
    return frozenset(each for each in declared if each.value(some) != each.value(others))


@frozen
class SidebarState:
    """State of the sidebar."""

    open: bool = True
    folded_folders: frozenset[str] = field(default_factory=frozenset)
    """Keys of the collapsed folders of the run tree."""

    width: int | None = None
    """Columns set by the user; None: depends on the terminal."""


@frozen
class SavedState:
    """The saved state of a session."""

    settings: Settings = field(default_factory=Settings)
    sidebar: SidebarState = field(default_factory=SidebarState)
    inks: Mapping[str, int] = field(default_factory=dict)
    """Run name to series ink."""

    theme: str | None = None
    """Name of the theme; None: the default."""


class SettingsFile:
    """The settings file of one log directory, or of several that are opened together.

    Args:
        path: The file; its directory is created when it is first saved.
        plugin_settings: The settings of dashboards.
    """

    def __init__(self, path: Path, plugin_settings: Iterable[Setting[Any]] = ()) -> None:
        self.path = path
        self._plugin_settings = tuple(plugin_settings)

    @classmethod
    def of_paths(cls, paths: Iterable[str], plugin_settings: Iterable[Setting[Any]] = ()) -> SettingsFile:
        """Return the file for the paths on the command line; links to a directory have the file of that directory."""
        expanded = map(os.path.expanduser, paths)
        real = "\0".join(sorted({os.path.realpath(path) for path in expanded}))
        digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return cls(state_directory() / "choices" / f"{digest}.json", plugin_settings)

    def load(self) -> SavedState:
        """Return the state that the last session saved; the defaults if there is none that is usable."""
        try:
            file_status = self.path.stat()
            if (
                not stat.S_ISREG(file_status.st_mode) or file_status.st_size > MAX_FILE_BYTES
            ):  # reading a pipe or device may never end
                return SavedState()
            document = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return SavedState()
        return read_state(document, self._plugin_settings)

    def save(self, state: SavedState) -> None:
        """Replace the file atomically, so that a crash leaves the old one or the new one.

        Raises:
            OSError: The directory cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(build_state_document(state), file)
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        files = sorted(self.path.parent.glob("*.json"), key=_get_last_use)
        for file in files[:-MAX_FILES]:
            file.unlink(missing_ok=True)


def _get_last_use(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another session has deleted it
        return 0.0


def build_state_document(state: SavedState) -> dict[str, Any]:
    """Return the JSON document of a state; `to_json` describes omissions."""
    sidebar = state.sidebar
    return {
        "version": VERSION,
        "choices": build_settings_document(state.settings),
        "sidebar": {
            "open": sidebar.open,
            "folded_folders": select_short_names(sidebar.folded_folders),
            "width": sidebar.width,
        },
        "inks": dict(list(state.inks.items())[-kinds.MAX_NAMES :]),
        "theme": state.theme,
    }


def read_state(document: object, plugin_settings: Iterable[Setting[Any]] = ()) -> SavedState:
    """Read a document field by field; those missing, unknown or out of range have their defaults."""
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return SavedState()
    return SavedState(
        settings=read_settings(document.get("choices"), plugin_settings),
        sidebar=SidebarState(**read_fields(document.get("sidebar"), _SIDEBAR)),
        inks=_read_inks(document.get("inks")),
        **read_fields({"theme": document.get("theme")}, {"theme": String()}),
    )


_SIDEBAR = {"open": Flag(), "folded_folders": Names(), "width": Integer(1, MAX_SIDEBAR_COLUMNS)}


def _read_inks(value: object) -> Mapping[str, int]:
    if not isinstance(value, dict):
        return {}
    return {name: ink for name, ink in value.items() if type(ink) is int and 0 <= ink < FAINT_FROM}


class SettingsSaver:
    """Saves what the user chose by hand, a moment after it changes.

    Values that were given for this session alone are never saved.

    Args:
        set_timer: Calls a function after some seconds, as `MessagePump.set_timer`; the timer ends with the app.
        storage: Where settings are saved; None: nowhere.
        saved_state: What the last session saved.
        settings: The settings that this session starts with.
        theme: The theme that this session starts with.
        collect: Returns the settings, the sidebar state and the inks of the runs to save.
        report_failure: Called with the reason if saving fails; this session then saves nothing more.
    """

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], None]], object],
        storage: SettingsFile | None,
        saved_state: SavedState,
        settings: Settings,
        theme: str,
        *,
        collect: Callable[[], tuple[Settings, SidebarState, Mapping[str, int]]],
        report_failure: Callable[[str], None],
    ) -> None:
        self._set_timer = set_timer
        self._storage = storage
        self._overrides = SessionOverrides(saved_state.settings, settings)
        self._saved_theme = saved_state.theme
        self._seen_theme = theme
        self._collect = collect
        self._report_failure = report_failure
        self.timer: object | None = None
        """The pending save; None while nothing waits to be saved."""

    def change_settings(self, before: Settings, after: Settings) -> None:
        """Note that the user changed `before` into `after`; schedule a save if a saved field differs."""
        if self._overrides.record_change(before, after):
            self.schedule()

    def change_theme(self, theme: str) -> None:
        """Note the theme of the app; schedule a save if the user chose another one."""
        if theme != self._seen_theme:
            self._saved_theme = self._seen_theme = theme
            self.schedule()

    def adopt_theme(self, theme: str) -> None:
        """Note a theme that the app chose to fit the terminal; it is not saved."""
        self._seen_theme = theme

    def schedule(self) -> None:
        """Save after `SAVE_DELAY_SECONDS`, together with all changes until then."""
        if self.timer is None and self._storage is not None:
            self.timer = self._set_timer(SAVE_DELAY_SECONDS, self.save)

    def save(self) -> None:
        """Save now."""
        self.timer = None
        if self._storage is None:
            return
        settings, sidebar, inks = self._collect()
        try:
            self._storage.save(SavedState(self._overrides.select_kept(settings), sidebar, inks, self._saved_theme))
        except OSError as error:
            self._storage = None
            self._report_failure(str(error))
