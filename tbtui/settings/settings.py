"""The settings of the app: one frozen record that, with the data, determines what is shown.

Each field of `Settings` is a declaration (see `declaration`): its name, type, default, label, hint and option are
written down here and nowhere else. `SETTINGS` lists them. A change makes a new record (`dataclasses.replace`); every
pane reads the record, and none changes it in place.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from tbtui.charts.glyphs import GLYPH_SETTINGS
from tbtui.frozen import frozen
from tbtui.settings.declaration import Option, collect_settings, record_of, setting
from tbtui.settings.kinds import (
    MAX_LINES,
    MAX_STEP,
    Flag,
    Integer,
    MappingOf,
    Names,
    Number,
    OneOf,
    OrNone,
    RangeOfNumbers,
    Record,
    String,
    TupleOf,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.charts.glyphs import GlyphSetting
    from tbtui.maths.domain import Limits, Scale
    from tbtui.maths.x_values import XAxis as MathsXAxis
    from tbtui.settings.declaration import Setting
    from tbtui.store.run_chains import ChainRuns as StoreChainRuns
    from tbtui.store.run_folds import FoldRuns as StoreFoldRuns
    from tbtui.store.run_parts import SplitRuns as StoreSplitRuns
    from tbtui.terminal_images.capabilities import ImageSetting

Value = TypeVar("Value")

# Values of the settings that are one of a few words, in the order in which a key selects them

XAxis: TypeAlias = "MathsXAxis"
SplitRuns: TypeAlias = "StoreSplitRuns"
ChainRuns: TypeAlias = "StoreChainRuns"
CHAINS: tuple[ChainRuns, ...] = ("no", "numbered")
SPLITS: tuple[SplitRuns, ...] = ("no", "restarts", "files")

FoldRuns: TypeAlias = "StoreFoldRuns"
FOLDS: tuple[FoldRuns, ...] = ("yes", "no")
X_AXES: tuple[XAxis, ...] = ("step", "relative", "wall", "order", "active")
ALL_X_AXES: tuple[XAxis, ...] = (*X_AXES, "tag")
"""`tag` needs the setting `x_tag`."""

SCALES: tuple[Scale, ...] = ("linear", "log", "symlog")

Outliers: TypeAlias = Literal["auto", "ignore", "keep"]
OUTLIERS: tuple[Outliers, ...] = ("auto", "ignore", "keep")

RowOrder: TypeAlias = Literal["runs", "ascending", "descending", "nearest"]
ROW_ORDERS: tuple[RowOrder, ...] = ("runs", "ascending", "descending", "nearest")

Spread: TypeAlias = Literal["std", "minmax"]
SPREADS: tuple[Spread, ...] = ("std", "minmax")

AverageEnd: TypeAlias = Literal["longest", "shortest"]
AVERAGE_ENDS: tuple[AverageEnd, ...] = ("longest", "shortest")

Best: TypeAlias = Literal["min", "max"]
BESTS: tuple[Best, ...] = ("min", "max")

IMAGE_MODES: tuple[ImageSetting, ...] = ("auto", "kitty", "sixel", "half", "off")

# Bounds

MAX_SMOOTHING = 0.999
"""TensorBoard's upper bound; with 1 a line would never leave its first value."""

SMOOTHING_STEPS = (*(step / 20 for step in range(20)), 0.99, MAX_SMOOTHING)
"""The weights that the keys select: steps of .05, and smaller ones near the end, where each counts for more."""

MAX_CARD_COLUMNS = 8
"""Cards in a row."""

MAX_ATTRIBUTES = 20
"""Attributes of runs that are shown at once, or that group runs."""

MAX_GROUP_LEVEL = 64
"""Folder depth by which runs are averaged."""

Range: TypeAlias = "tuple[float | None, float | None]"
"""Ends of an axis set by hand, in data units (steps, seconds, values); None leaves that end to the data."""

FULL_RANGE: Range = (None, None)


# Settings of one chart, one graph or one image


@frozen(eq=False)
class RunGroups:
    """Groups of runs by their attributes."""

    labels: Mapping[str, str]
    """Name of the group of each run that has one."""


@frozen
class ReferenceLine:
    """A horizontal line that the user adds to a chart."""

    y: float
    name: str = ""


@frozen
class ChartSettings:
    """Settings of a single chart."""

    y_scale: Scale | None = setting(None, OrNone(OneOf(SCALES)))
    """None: the scale of all charts."""

    x_range: Range = setting(FULL_RANGE, RangeOfNumbers())
    y_range: Range = setting(FULL_RANGE, RangeOfNumbers())
    lines: tuple[ReferenceLine, ...] = setting(
        (), TupleOf(Record(ReferenceLine, {"y": Number(), "name": String()}, required="y"), MAX_LINES)
    )
    best: Best | None = setting(None, OrNone(OneOf(BESTS)))
    """The best value is the smallest or the greatest one; None: guessed from the tag's name."""

    across_range: Range = setting(FULL_RANGE, RangeOfNumbers())
    """Visible range of the horizontal axis where neither axis has steps or times, as of PR curves."""


DEFAULT_CHART = ChartSettings()


@frozen
class TagMerge:
    """Tags that share charts: those selected by hand, or those that a regular expression matches.

    If the pattern has groups in parentheses, tags with equal captures share a chart: one pattern merges the training
    and the validation tag of every metric.
    """

    tags: tuple[str, ...] = setting((), TupleOf(String()))
    pattern: str = setting("", String())


NO_CHART_SETTINGS: Mapping[str, ChartSettings] = MappingProxyType({})
NO_PLUGIN_SETTINGS: Mapping[Setting[Any], Any] = MappingProxyType({})


@frozen
class Settings:
    """Everything besides the data that determines what is shown. Mappings are never changed in place."""

    tab: str = setting("", String(), option=Option("the dashboard to open, such as scalars", "NAME"))
    """Name of the plugin whose tab is open; empty: the first that has data."""

    # Runs and tags

    run_filter: str = setting("", String())
    """Regular expression over run names, case-insensitive, unanchored; empty: all."""

    tag_filter: str = setting("", String())
    """Regular expression over tags, case-insensitive, unanchored; empty: all."""

    hidden_runs: frozenset[str] = setting(frozenset(), Names())
    """Runs that the user switched off."""

    solo: str | None = setting(None, OrNone(String()))
    """The only run that is drawn, even if it is hidden. A name that ends in `/` is a folder of runs."""

    hidden_groups: frozenset[str] = setting(frozenset(), Names())
    """Collapsed tag groups (text before the first `/`)."""

    empty_cards: bool = setting(False, Flag(), label="empty cards", hint="keep cards of tags that no visible run has")
    pinned: tuple[str, ...] = setting((), TupleOf(String()))
    """Keys of the cards that precede all others, in the order in which they were pinned."""

    joints: tuple[TagMerge, ...] = setting((), TupleOf(record_of(TagMerge, refuses_default=True), MAX_LINES))
    """Charts of several tags; those tags have no cards of their own."""

    group_level: int = setting(
        0,
        Integer(0, MAX_GROUP_LEVEL),
        label="average by depth",
        hint="runs whose first N path components match are averaged; 0 = off",
    )
    group_pattern: str = setting(
        "",
        String(),
        label="average by regex",
        hint="runs with equal capture groups are averaged, e.g. (.*)/seed; overrides the depth",
    )
    group_by: tuple[str, ...] = setting((), TupleOf(String(), MAX_ATTRIBUTES))
    """Hyperparameters or other attributes; runs with equal values are averaged, before all other groups."""

    colour_by: str = setting("", String())
    """Hyperparameter or other attribute that decides the colours of runs; empty: each run has its own colour."""

    run_columns: tuple[str, ...] = setting((), TupleOf(String(), MAX_ATTRIBUTES))
    """Hyperparameters or other attributes in the run list and in the comparison."""

    run_groups: RunGroups | None = setting(None, is_kept=False)
    """Groups by `group_by`; made of the attributes of the runs for each view."""

    spread: Spread = setting(
        "std",
        OneOf(SPREADS),
        label="band",
        value_labels=("±std", "min–max"),
        hint="shaded band around an average: ±1 standard deviation, or min–max",
    )
    average_end: AverageEnd = setting(
        "longest",
        OneOf(AVERAGE_ENDS),
        label="mean until",
        value_labels=("longest run", "shortest run"),
        hint="where an average ends; ×2 marks a mean of fewer runs, ~ one with interpolated values",
    )
    baseline: str | None = setting(None, OrNone(String()))
    """The run that others are compared with."""

    # Charts

    smoothing: float = setting(
        0.6,
        Number(0, MAX_SMOOTHING),
        label="smoothing",
        hint=f"0 = off, {MAX_SMOOTHING:g} = strongest",
        option=Option(f"weight of the moving average, 0 to {MAX_SMOOTHING:g}", "WEIGHT"),
    )
    """Weight of TensorBoard's debiased moving average."""

    x_axis: XAxis = setting(
        "step",
        OneOf(ALL_X_AXES),
        label="x axis",
        hint="step, time since the start, time of day, n-th value, time without pauses, or a tag",
        option=Option("unit of the x axis"),
    )
    x_tag: str = setting(
        "",
        String(),
        label="x axis tag",
        hint="for the x axis tag: x is its value at the same step, such as epoch; not interpolated",
        option=Option("scalar tag as x axis: its value at the same step, such as epoch", "TAG"),
    )
    """Tag of the x axis `tag`."""

    x_scale: Scale = setting("linear", OneOf(SCALES), label="x scale", hint="of steps and relative time")
    """Scale of steps and relative time; wall time is always linear."""

    x_range: Range = setting(FULL_RANGE, RangeOfNumbers())
    """Range of every chart without one of its own, on the present x axis."""

    skip_steps: int = setting(
        0,
        Integer(0, MAX_STEP),
        label="skip steps below",
        hint="hide points before this step",
    )
    y_scale: Scale = setting("linear", OneOf(SCALES), label="y scale", hint="of all charts")
    outliers: Outliers = setting(
        "auto",
        OneOf(OUTLIERS),
        label="outliers",
        hint="auto: clip outliers only when they flatten the rest; ignore: always clip; keep: never",
    )
    """Rule for clipping extreme values: if they would flatten the rest, always by TensorBoard's rule, never."""

    charts: Mapping[str, ChartSettings] = setting(
        NO_CHART_SETTINGS, MappingOf(record_of(ChartSettings), keeps_defaults=False)
    )
    """Settings of single charts by card key."""

    extremes: bool = setting(False, Flag(), label="mark extremes", hint="mark min, max and best points")
    superseded: bool = setting(False, Flag(), label="superseded", hint="show points overwritten by a restart")
    split_runs: SplitRuns = setting(
        "no",
        OneOf(SPLITS),
        label="split runs",
        hint="a line for each restart of a run, or for each of its files",
        option=Option("split runs at their restarts, or by file, into lines of their own"),
    )
    fold_runs: FoldRuns = setting(
        "yes",
        OneOf(FOLDS),
        label="fold runs",
        hint="runs that only hold hyperparameters belong to the run above",
        option=Option("runs that only hold the hyperparameters of the run above are part of it, or runs of their own"),
    )
    unfolded_runs: frozenset[str] = setting(frozenset(), Names())
    """Runs whose runs of hyperparameters are listed beside them."""

    chain_runs: ChainRuns = setting(
        "no",
        OneOf(CHAINS),
        label="join runs",
        hint="PPO_1, PPO_2 or version_0, version_1 as one run; not seeds, folds, ranks",
        option=Option("join runs that differ in a number at their end, such as PPO_1 and PPO_2, into one"),
    )
    linked: bool = setting(False, Flag(), label="zoom together", hint="zooming one chart zooms all along x")
    columns: int = setting(0, Integer(0, MAX_CARD_COLUMNS), label="columns", hint="auto: as many as stay readable")
    """Cards in a row; 0: as many as stay readable."""

    row_order: RowOrder = setting(
        "runs",
        OneOf(ROW_ORDERS),
        label="sort table",
        value_labels=("run tree", "lowest first", "highest first", "nearest first"),
        hint="row order of the table below an opened chart",
    )
    """Order of the table of an opened chart, and of legends."""

    max_steps: int | None = setting(
        None,
        OrNone(Integer(1, MAX_STEP)),
        label="final step",
        hint="total steps, for the estimated end, e.g. 100k; empty = unknown",
        option=Option("total training steps, for the estimated end", "N"),
    )

    # Cards of several dashboards

    runs_together: bool = setting(
        False,
        Flag(),
        label="runs",
        value_labels=("apart", "together"),
        hint="one card per run, or one for all runs",
    )
    overview: bool = setting(False, Flag(), label="overview", hint="small cards of all layers, in the order of writing")
    # Images

    images: ImageSetting = setting(
        "auto",
        OneOf(IMAGE_MODES),
        label="drawn as",
        hint="auto: real pixels if the terminal supports it",
        option=Option("how images are drawn: as pixels if the terminal supports it, as half blocks, or not at all"),
    )
    """Drawing method of images; `off` shows only their facts."""

    # The terminal

    glyphs: GlyphSetting = setting(
        "auto",
        OneOf(GLYPH_SETTINGS),
        label="glyphs",
        hint="auto: braille, unless the terminal is known to lack it",
        option=Option("glyphs of charts and frames, for fonts without braille, or with ASCII alone"),
    )
    """Glyphs that the font of the terminal has."""

    plugin_settings: Mapping[Setting[Any], Any] = setting(NO_PLUGIN_SETTINGS, is_kept=False)
    """Values of the settings that dashboards declare. Read them with `Setting.value`; defaults are left out."""

    # Of this session alone

    cursor: float | None = setting(None, OrNone(Number()), is_kept=False)
    """x of the cursor that all charts share, on the present x axis."""

    mark: float | None = setting(None, OrNone(Number()), is_kept=False)
    """x of the other end of the selected range, which begins at the cursor."""

    focus: str | None = setting(None, OrNone(String()), is_kept=False)
    """The run that is drawn on top of all others."""

    def chart(self, key: str) -> ChartSettings:
        """Return the settings of the chart of card `key`."""
        return self.charts.get(key, DEFAULT_CHART)

    def get_y_scale(self, key: str) -> Scale:
        """Return the y scale of the chart of card `key`."""
        return self.chart(key).y_scale or self.y_scale

    def get_x_range(self, key: str) -> Range:
        """Return the x range of the chart of card `key`: its own, otherwise that of all charts."""
        own = self.chart(key).x_range
        return own if own != FULL_RANGE else self.x_range

    def with_chart(self, key: str, **changes: object) -> Mapping[str, ChartSettings]:
        """Return `charts` with fields of one chart replaced; charts with default settings are left out."""
        chosen = replace(self.chart(key), **changes)  # type: ignore[arg-type]
        others = {known: chart for known, chart in self.charts.items() if known != key}
        return others if chosen == DEFAULT_CHART else {**others, key: chosen}


SETTINGS: Mapping[str, Setting[Any]] = collect_settings(Settings)
"""The declared settings by name, in the order of the options of the command line."""


def replace_in_all_charts(settings: Settings, **changes: object) -> Mapping[str, ChartSettings]:
    """Return `charts` with fields of every chart replaced; charts with default settings are left out."""
    charts = {key: replace(chart, **changes) for key, chart in settings.charts.items()}  # type: ignore[arg-type]
    return {key: chart for key, chart in charts.items() if chart != DEFAULT_CHART}


def next_in_cycle(values: Sequence[Value], value: Value) -> Value:
    """Return the next value of a cycle."""
    return values[(values.index(value) + 1) % len(values)]


def next_smoothing(weight: float, steps: int) -> float:
    """Return the weight `steps` above the one nearest to `weight`, or below if negative."""
    nearest = min(range(len(SMOOTHING_STEPS)), key=lambda index: abs(SMOOTHING_STEPS[index] - weight))
    return SMOOTHING_STEPS[max(0, min(nearest + steps, len(SMOOTHING_STEPS) - 1))]


# Ranges


def convert_range(chosen: Range, scale: Scale, origin: int = 0) -> Range:
    """Return the ends of a range that an axis can have, relative to its origin; FULL_RANGE if out of order."""
    low, high = (None if end is None else float(end - origin) for end in chosen)
    low, high = (end if _is_possible(end, scale) else None for end in (low, high))
    return FULL_RANGE if low is not None and high is not None and low >= high else (low, high)


def _is_possible(end: float | None, scale: Scale) -> bool:
    return end is not None and math.isfinite(end) and (scale != "log" or end > 0)


def apply_range(limits: Limits, chosen: Range, scale: Scale) -> Limits:
    """Return limits with the ends that were set by hand.

    If the data ends before the only end that was set, the other end is placed beyond it at the distance of the limits.
    """
    low, high = (end if hand is None else hand for end, hand in zip(limits, chosen, strict=True))
    if low >= high and chosen[1] is None:
        high = _extend_beyond(low, limits, scale, 1)
    elif low >= high:
        low = _extend_beyond(high, limits, scale, -1)
    return (low, high) if -math.inf < low < high < math.inf else limits


def _extend_beyond(end: float, limits: Limits, scale: Scale, side: int) -> float:
    """Return a value beyond one end, at the distance between the limits."""
    if scale == "log":
        return min(max(end * (limits[1] / limits[0]) ** side, sys.float_info.min), sys.float_info.max)
    value = end + side * (limits[1] - limits[0])
    value = min(max(value, -sys.float_info.max), sys.float_info.max)
    return value if value != end else math.nextafter(end, side * math.inf)
