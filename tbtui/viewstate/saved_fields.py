"""Choices as JSON fields and back, each field by its own reader: what cannot be used is left at its default."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tbtui.viewstate.chart_choices import PLAIN_CHART, ChartChoices, ReferenceLine
from tbtui.viewstate.choices import Choices, Joint
from tbtui.viewstate.graph_looks import GRAPH_COLOURS, GRAPH_VIEWS, GraphLook
from tbtui.viewstate.options import (
    AUDIO_LOOKS,
    BESTS,
    COMPARISONS,
    FIGURES,
    HEAT_SCALES,
    HISTOGRAM_LOOKS,
    IMAGES,
    MOST_BRIGHTNESS,
    MOST_COLUMNS,
    MOST_CONTRAST,
    MOST_SMOOTHING,
    OUTLIERS,
    ROW_ORDERS,
    SCALES,
    SPREADS,
    X_AXES,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tbtui.viewstate.chart_choices import Range

MOST_NAMES = 5000
"""Names kept of each kind: hidden runs, folded groups, run colours, charts."""

MOST_LINES = 50
"""Reference lines of a chart, and joined charts."""

LONGEST_TEXT = 4096
"""Characters of a name that is kept."""

MOST_STEPS = 2**63 - 1

NOT_KEPT = frozenset({"player", "cursor", "mark", "focus", "threshold", "image_steps", "image_sights"})
"""Where the user was looking, which the next session does not begin with; and what is to be run."""


def choices_document(choices: Choices) -> dict[str, Any]:
    """The fields of `choices` as JSON values; of too many names some are left out, and those too long to be read."""
    kept = {held.name: getattr(choices, held.name) for held in fields(choices) if held.name not in NOT_KEPT}
    return {name: _plain(value) for name, value in kept.items()}


def choices_from(held: object) -> Choices:
    """Read the fields that can be used; what is missing, unknown or out of range is left at its default."""
    return Choices(**usable(held, _CHOICES))


def usable(held: object, readers: Mapping[str, Callable[[object], Any]]) -> dict[str, Any]:
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
        return sorted(filter(is_short, value))[:MOST_NAMES]
    if isinstance(value, tuple):
        return [_plain(item) for item in filter(is_short, value[:MOST_NAMES])]
    if isinstance(value, (ChartChoices, GraphLook, Joint, ReferenceLine)):
        return {held.name: _plain(getattr(value, held.name)) for held in fields(value)}
    if hasattr(value, "items"):
        return {key: _plain(item) for key, item in list(value.items())[-MOST_NAMES:] if is_short(key)}
    return value


def is_short(value: object) -> bool:
    """Whether it can be read again: one name that cannot would take all others with it."""
    return not isinstance(value, str) or len(value) <= LONGEST_TEXT


# Readers


def text(value: object) -> str:
    """A string of bounded length."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ValueError
    return value


def names(value: object) -> frozenset[str]:
    """A bounded list of strings, as a set."""
    return frozenset(_listed(value, text, MOST_NAMES))


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
    held = usable(value, {"y": _number, "name": text})
    if "y" not in held:
        raise ValueError
    return ReferenceLine(**held)


def _joint(value: object) -> Joint:
    joint = Joint(**usable(value, {"tags": lambda tags: _listed(tags, text, MOST_NAMES), "pattern": text}))
    if joint == Joint():
        raise ValueError
    return joint


def _charts(value: object) -> Mapping[str, ChartChoices]:
    if not isinstance(value, dict) or len(value) > MOST_NAMES:
        raise ValueError
    charts = {text(key): ChartChoices(**usable(held, _CHART)) for key, held in value.items()}
    return {key: chosen for key, chosen in charts.items() if chosen != PLAIN_CHART}


def _graph(value: object) -> tuple[str, str]:
    run, tag = _pair(_listed(value, text, 2))
    return run, tag


def _settings(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict) or len(value) > MOST_NAMES:
        raise ValueError
    return {text(name): text(chosen) for name, chosen in value.items()}


def _looks(value: object) -> Mapping[str, GraphLook]:
    if not isinstance(value, dict) or len(value) > MOST_NAMES:
        raise ValueError
    return {text(tag): GraphLook(**usable(held, _LOOK)) for tag, held in value.items()}


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
    "lines": lambda value: _listed(value, _line, MOST_LINES),
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
    "pinned": lambda value: _listed(value, text, MOST_NAMES),
    "joints": lambda value: _listed(value, _joint, MOST_LINES),
    "group_level": _whole(0, 64),
    "group_pattern": text,
    "spread": _one_of(SPREADS),
    "baseline": _or_none(text),
    "x_axis": _one_of(X_AXES),
    "x_scale": _one_of(SCALES),
    "x_range": _range,
    "skip_steps": _whole(0, MOST_STEPS),
    "y_scale": _one_of(SCALES),
    "outliers": _one_of(OUTLIERS),
    "charts": _charts,
    "smoothing": _up_to(MOST_SMOOTHING),
    "extremes": flag,
    "superseded": flag,
    "linked": flag,
    "columns": _whole(0, MOST_COLUMNS),
    "row_order": _one_of(ROW_ORDERS),
    "max_steps": _or_none(_whole(1, MOST_STEPS)),
    "histogram_look": _one_of(HISTOGRAM_LOOKS),
    "heat_scale": _one_of(HEAT_SCALES),
    "runs_together": flag,
    "overview": flag,
    "bucket_rows": flag,
    "images": _one_of(IMAGES),
    "image_brightness": _up_to(MOST_BRIGHTNESS),
    "image_contrast": _up_to(MOST_CONTRAST),
    "image_comparison": _one_of(COMPARISONS),
    "audio_look": _one_of(AUDIO_LOOKS),
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
    "figure": _one_of(FIGURES),
    "deltas": flag,
    "sort_tag": _or_none(text),
    "sort_descending": flag,
    "tab": text,
    "plugin_settings": _settings,
}
