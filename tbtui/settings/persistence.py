"""Choices given for one session, on the command line: what of them is kept for the next one."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import tempfile
from dataclasses import field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbtui.charts.cells import FAINT_FROM
from tbtui.frozen import frozen
from tbtui.paths import state_directory
from tbtui.settings.settings import (
    AUDIO_STYLES,
    BESTS,
    DEFAULT_CHART,
    GRAPH_COLOURS,
    GRAPH_VIEWS,
    HEAT_SCALES,
    HISTOGRAM_STYLES,
    IMAGE_COMPARISONS,
    IMAGE_MODES,
    MAX_BRIGHTNESS,
    MAX_CONTRAST,
    MAX_SMOOTHING,
    OUTLIERS,
    ROW_ORDERS,
    SCALES,
    SPREADS,
    STATISTICS,
    X_AXES,
    ChartSettings,
    GraphNavigation,
    ReferenceLine,
    Settings,
    TagMerge,
    replace_in_all_charts,
)
from tbtui.settings.settings import MAX_CARD_COLUMNS as OPTIONS_MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.settings.settings import Range


# Choices as JSON fields and back, each field by its own reader: what cannot be used is left at its default.


MAX_NAMES = 5000
"""Names kept of each kind: hidden runs, folded groups, run colours, charts."""

MAX_LINES = 50
"""Reference lines of a chart, and joined charts."""

MAX_TEXT_CHARS = 4096
"""Characters of a name that is kept."""

MAX_STEP = 2**63 - 1

SESSION_FIELDS = frozenset({"player", "cursor", "mark", "focus", "threshold", "image_steps", "image_sights"})
"""Where the user was looking, which the next session does not begin with; and what is to be run."""


def settings_document(choices: Settings) -> dict[str, Any]:
    """The fields of `choices` as JSON values; of too many names some are left out, and those too long to be read."""
    kept = {held.name: getattr(choices, held.name) for held in fields(choices) if held.name not in SESSION_FIELDS}
    return {name: _plain(value) for name, value in kept.items()}


def read_settings(held: object) -> Settings:
    """Read the fields that can be used; what is missing, unknown or out of range is left at its default."""
    return Settings(**read_fields(held, _CHOICES))


def read_fields(held: object, readers: Mapping[str, Callable[[object], Any]]) -> dict[str, Any]:
    """The fields of `held` that can be used. A reader raises ValueError for a value that cannot."""
    if not isinstance(held, dict):
        return {}
    read = {name: _read(held[name], reader) for name, reader in readers.items() if name in held}
    return {name: value for name, value in read.items() if value is not _UNUSABLE}


_UNUSABLE = object()


def _read(value: object, reader: Callable[[object], Any]) -> Any:
    try:
        return reader(value)
    except ValueError:
        return _UNUSABLE


def _plain(value: Any) -> Any:
    """A field as JSON knows it."""
    if isinstance(value, frozenset):
        return sorted(filter(is_short, value))[:MAX_NAMES]
    if isinstance(value, tuple):
        return [_plain(item) for item in filter(is_short, value[:MAX_NAMES])]
    if isinstance(value, (ChartSettings, GraphNavigation, TagMerge, ReferenceLine)):
        return {held.name: _plain(getattr(value, held.name)) for held in fields(value)}
    if hasattr(value, "items"):
        return {key: _plain(item) for key, item in list(value.items())[-MAX_NAMES:] if is_short(key)}
    return value


def is_short(value: object) -> bool:
    """Whether it can be read again: one name that cannot would take all others with it."""
    return not isinstance(value, str) or len(value) <= MAX_TEXT_CHARS


# Readers


def text(value: object) -> str:
    """A string of bounded length."""
    if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
        raise ValueError
    return value


def names(value: object) -> frozenset[str]:
    """A bounded list of strings, as a set."""
    return frozenset(_listed(value, text, MAX_NAMES))


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError
    return value


def _listed(value: object, reader: Callable[[object], Any], most: int) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError
    return tuple(map(reader, value))


def _or_none(reader: Callable[[object], Any]) -> Callable[[object], Any]:
    return lambda value: None if value is None else reader(value)


def _one_of(known: Sequence[str]) -> Callable[[object], str]:
    def reader(value: object) -> str:
        if value not in known:
            raise ValueError
        return str(value)

    return reader


def _whole(least: int, most: int) -> Callable[[object], int]:
    def reader(value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError
        return value

    return reader


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= sys.float_info.max:
        raise ValueError
    return float(value)


def _up_to(most: float) -> Callable[[object], float]:
    def reader(value: object) -> float:
        number = _number(value)
        if not 0 <= number <= most:
            raise ValueError
        return number

    return reader


def _range(value: object) -> Range:
    low, high = _pair(_listed(value, _or_none(_number), 2))
    if low is not None and high is not None and low >= high:
        raise ValueError
    return low, high


def _pair(values: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(values) != 2:
        raise ValueError
    return values[0], values[1]


def _line(value: object) -> ReferenceLine:
    held = read_fields(value, {"y": _number, "name": text})
    if "y" not in held:
        raise ValueError
    return ReferenceLine(**held)


def _joint(value: object) -> TagMerge:
    joint = TagMerge(**read_fields(value, {"tags": lambda tags: _listed(tags, text, MAX_NAMES), "pattern": text}))
    if joint == TagMerge():
        raise ValueError
    return joint


def _charts(value: object) -> Mapping[str, ChartSettings]:
    if not isinstance(value, dict) or len(value) > MAX_NAMES:
        raise ValueError
    charts = {text(key): ChartSettings(**read_fields(held, _CHART)) for key, held in value.items()}
    return {key: chosen for key, chosen in charts.items() if chosen != DEFAULT_CHART}


def _graph(value: object) -> tuple[str, str]:
    run, tag = _pair(_listed(value, text, 2))
    return run, tag


def _settings(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict) or len(value) > MAX_NAMES:
        raise ValueError
    return {text(name): text(chosen) for name, chosen in value.items()}


def _looks(value: object) -> Mapping[str, GraphNavigation]:
    if not isinstance(value, dict) or len(value) > MAX_NAMES:
        raise ValueError
    return {text(tag): GraphNavigation(**read_fields(held, _LOOK)) for tag, held in value.items()}


_LOOK: Mapping[str, Callable[[object], Any]] = {
    "opened": names,
    "inside": text,
    "chosen": text,
    "apart": names,
}

_CHART: Mapping[str, Callable[[object], Any]] = {
    "y_scale": _or_none(_one_of(SCALES)),
    "x_range": _range,
    "y_range": _range,
    "lines": lambda value: _listed(value, _line, MAX_LINES),
    "best": _or_none(_one_of(BESTS)),
    "across_range": _range,
}

_CHOICES: Mapping[str, Callable[[object], Any]] = {
    "run_filter": text,
    "tag_filter": text,
    "hidden_runs": names,
    "solo": _or_none(text),
    "hidden_groups": names,
    "empty_cards": flag,
    "pinned": lambda value: _listed(value, text, MAX_NAMES),
    "joints": lambda value: _listed(value, _joint, MAX_LINES),
    "group_level": _whole(0, 64),
    "group_pattern": text,
    "spread": _one_of(SPREADS),
    "baseline": _or_none(text),
    "x_axis": _one_of(X_AXES),
    "x_scale": _one_of(SCALES),
    "x_range": _range,
    "skip_steps": _whole(0, MAX_STEP),
    "y_scale": _one_of(SCALES),
    "outliers": _one_of(OUTLIERS),
    "charts": _charts,
    "smoothing": _up_to(MAX_SMOOTHING),
    "extremes": flag,
    "superseded": flag,
    "linked": flag,
    "columns": _whole(0, OPTIONS_MOST_COLUMNS),
    "row_order": _one_of(ROW_ORDERS),
    "max_steps": _or_none(_whole(1, MAX_STEP)),
    "histogram_look": _one_of(HISTOGRAM_STYLES),
    "heat_scale": _one_of(HEAT_SCALES),
    "runs_together": flag,
    "overview": flag,
    "bucket_rows": flag,
    "images": _one_of(IMAGE_MODES),
    "image_brightness": _up_to(MAX_BRIGHTNESS),
    "image_contrast": _up_to(MAX_CONTRAST),
    "image_comparison": _one_of(IMAGE_COMPARISONS),
    "audio_look": _one_of(AUDIO_STYLES),
    "step_rows": flag,
    "text_raw": flag,
    "text_wrap": flag,
    "graph": _or_none(_graph),
    "graph_view": _one_of(GRAPH_VIEWS),
    "graph_colour": _one_of(GRAPH_COLOURS),
    "graph_aside": flag,
    "graph_across": flag,
    "graph_devices": names,
    "graph_looks": _looks,
    "graph_sort": text,
    "graph_descending": flag,
    "figure": _one_of(STATISTICS),
    "deltas": flag,
    "sort_tag": _or_none(text),
    "sort_descending": flag,
    "tab": text,
    "plugin_settings": _settings,
}


class SessionOverrides:
    """Fields that begin a session otherwise than they were kept.

    They go back to what was kept when they were not touched; from the first change by hand on, they are kept as chosen.

    Args:
        kept: What the last session left.
        begun: What this one began with.
    """

    def __init__(self, kept: Settings, begun: Settings) -> None:
        self._kept = kept
        self._untouched = _different(kept, begun)

    def changed(self, before: Settings, after: Settings) -> bool:
        """The user has made `after` of `before`.

        Returns:
            Whether anything changed that is kept.
        """
        changed = _different(before, after)
        self._untouched -= changed
        return bool(changed - SESSION_FIELDS)

    def to_keep(self, choices: Settings) -> Settings:
        """What of the present choices is kept."""
        keep = replace(choices, **{name: getattr(self._kept, name) for name in self._untouched})
        if keep.x_axis != choices.x_axis:
            # Ranges set by hand are in the units of an axis that the next session will not have.
            kept = self._kept
            charts = {
                key: replace(keep.chart(key), x_range=kept.chart(key).x_range) for key in (*keep.charts, *kept.charts)
            }
            keep = replace(keep, x_range=kept.x_range, charts=replace_in_all_charts(replace(keep, charts=charts)))
        return keep


def _different(some: Settings, others: Settings) -> frozenset[str]:
    """Names of the fields in which they differ."""
    return frozenset(held.name for held in fields(some) if getattr(some, held.name) != getattr(others, held.name))


# What the user chose for a log directory, kept between sessions in the platform's state directory.
#
# Anything unreadable or out of range is dropped and replaced by the default: a damaged file costs choices, never a
# start.


VERSION = 1
MAX_FILES = 200
"""Files kept, one a log directory; the longest unused go first."""

MAX_FILE_BYTES = 16 << 20
"""Bytes; a larger file is not ours."""

MAX_SIDEBAR_COLUMNS = 1000
"""No terminal is wider."""


@frozen
class SidebarState:
    """How the sidebar was left."""

    open: bool = True
    folded_folders: frozenset[str] = field(default_factory=frozenset)
    """Keys of the folders of the run tree whose runs are not listed."""

    width: int | None = None
    """Columns that the user wants for it; None: what suits the terminal."""


@frozen
class SavedState:
    """All that is kept of a session."""

    choices: Settings = field(default_factory=Settings)
    sidebar: SidebarState = field(default_factory=SidebarState)
    inks: Mapping[str, int] = field(default_factory=dict)
    """Run name to series ink."""

    theme: str | None = None
    """Name of the theme that the user chose; None: the default."""


class SettingsFile:
    """The file of one log directory (or of several that are opened together)."""

    def __init__(self, path: Path) -> None:
        """Nothing is read or written yet.

        Args:
            path: The file; its directory is made when first saved.
        """
        self.path = path

    @classmethod
    def of_paths(cls, paths: Iterable[str]) -> SettingsFile:
        """The file for the paths the user gave; the same directory by another way is the same file."""
        real = "\0".join(sorted({os.path.realpath(path) for path in paths}))
        digest = hashlib.sha256(real.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return cls(state_directory() / "choices" / f"{digest}.json")

    def load(self) -> SavedState:
        """What the last session left; the defaults where there is nothing that can be used."""
        try:
            there = self.path.stat()
            if not stat.S_ISREG(there.st_mode) or there.st_size > MAX_FILE_BYTES:  # what is no file may never end
                return SavedState()
            document = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return SavedState()
        return read_state(document)

    def save(self, kept: SavedState) -> None:
        """Replace the file in one move, so that a crash leaves the old one or the new one.

        Raises:
            OSError: When the directory cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(state_document(kept), file)
            Path(name).replace(self.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        files = sorted(self.path.parent.glob("*.json"), key=_used)
        for file in files[:-MAX_FILES]:
            file.unlink(missing_ok=True)


def _used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another session dropped it meanwhile
        return 0.0


def state_document(kept: SavedState) -> dict[str, Any]:
    """The JSON document of `kept`; where there are too many names some are left out."""
    sidebar = kept.sidebar
    return {
        "version": VERSION,
        "choices": settings_document(kept.choices),
        "sidebar": {
            "open": sidebar.open,
            "folded_folders": sorted(filter(is_short, sidebar.folded_folders))[:MAX_NAMES],
            "width": sidebar.width,
        },
        "inks": dict(list(kept.inks.items())[-MAX_NAMES:]),
        "theme": kept.theme,
    }


def read_state(document: object) -> SavedState:
    """Read a document field by field; what is missing, unknown or out of range is left at its default."""
    if not isinstance(document, dict) or document.get("version") != VERSION:
        return SavedState()
    return SavedState(
        choices=read_settings(document.get("choices")),
        sidebar=SidebarState(**read_fields(document.get("sidebar"), _SIDEBAR)),
        inks=_inks(document.get("inks")),
        **read_fields({"theme": document.get("theme")}, {"theme": text}),
    )


def _columns(value: object) -> int:
    if type(value) is not int or not 0 < value <= MAX_SIDEBAR_COLUMNS:
        raise ValueError
    return value


_SIDEBAR: Mapping[str, Callable[[object], Any]] = {"open": flag, "folded_folders": names, "width": _columns}


def _inks(held: object) -> Mapping[str, int]:
    if not isinstance(held, dict):
        return {}
    return {name: ink for name, ink in held.items() if type(ink) is int and 0 <= ink < FAINT_FROM}
