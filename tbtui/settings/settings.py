"""What the user has chosen for one chart alone, as one frozen value."""

from __future__ import annotations

import math
import sys
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.charts.axis import Scale
    from tbtui.maths.axes import Scale as ScalesScale
    from tbtui.maths.domain import Limits
    from tbtui.terminal_images.capabilities import Wanted


Range: TypeAlias = "tuple[float | None, float | None]"
"""Ends of an axis set by hand, in data units (steps, seconds, values); None leaves that end to the data."""

FULL_RANGE: Range = (None, None)
"""Both ends as the data has them."""


@frozen
class ReferenceLine:
    """A horizontal line drawn into a chart by hand."""

    y: float
    name: str = ""


@frozen
class ChartSettings:
    """What was chosen for one chart alone. The default chooses nothing."""

    y_scale: Scale | None = None
    """None: as all charts have it."""

    x_range: Range = FULL_RANGE
    y_range: Range = FULL_RANGE
    lines: tuple[ReferenceLine, ...] = ()
    best: Best | None = None
    """Whether the least or the greatest value is the best one; None: told from the tag's name."""

    across_range: Range = FULL_RANGE
    """What is seen across where neither axis has steps or times, as of PR curves; `y_range` is what is seen down."""


DEFAULT_CHART = ChartSettings()


# How graphs are looked at, as it is kept between sessions: by the names of nodes, which another run may have too.


GraphView: TypeAlias = Literal["tree", "diagram", "operations", "timeline"]
GRAPH_VIEWS: tuple[GraphView, ...] = ("tree", "diagram", "operations", "timeline")

GraphColour: TypeAlias = Literal["structure", "device", "time", "memory", "none"]
GRAPH_COLOURS: tuple[GraphColour, ...] = ("structure", "device", "time", "memory", "none")
"""In the order in which the key walks through them."""


@frozen
class GraphNavigation:
    """What of the graphs of one tag is looked at."""

    opened: frozenset[str] = field(default_factory=frozenset)
    """Names of the scopes and series that are open, in the tree and in the diagram."""

    inside: str = ""
    """The scope that is drawn alone; empty: the graph."""

    chosen: str = ""
    """The node under the cursor; empty: none was chosen."""

    apart: frozenset[str] = field(default_factory=frozenset)
    """Names of the series that are taken apart: their members stand in their place."""


NO_GRAPH_NAVIGATION: Mapping[str, GraphNavigation] = MappingProxyType({})


# What the user has chosen, as one frozen value: every pane reads it, none changes it in place.


NO_CHART_SETTINGS: Mapping[str, ChartSettings] = MappingProxyType({})
NO_PLUGIN_SETTINGS: Mapping[str, str] = MappingProxyType({})
NO_IMAGE_STEPS: Mapping[str, float] = MappingProxyType({})
NO_VIEWPORTS: Mapping[str, ImageViewport] = MappingProxyType({})


@frozen
class ImageViewport:
    """The part of a large picture that is looked at."""

    scale: float
    """Columns of the screen a pixel of the picture takes, greater than 0."""

    x: float
    """What is in the middle, as a part of the picture's width; 0 is the left edge and 1 the right."""

    y: float
    """Likewise of its height, from the top."""


@frozen
class TagMerge:
    """Several tags in one chart: those picked by hand, or those that a regular expression matches.

    Where the pattern has groups in parentheses, tags for which all groups say the same share a chart: one pattern
    joins the training and the validation half of every metric.
    """

    tags: tuple[str, ...] = ()
    pattern: str = ""


@frozen
class Settings:
    """Everything that decides what is shown, beside the data. A change makes a new value (`dataclasses.replace`)."""

    # Which runs and tags

    run_filter: str = ""
    """Applied regular expression over run names, case-insensitive, unanchored; empty: all."""

    tag_filter: str = ""
    """Applied regular expression over tags, likewise."""

    hidden_runs: frozenset[str] = field(default_factory=frozenset)
    """Runs switched off by hand."""

    solo: str | None = None
    """When set, only this run (or, where it ends in `/`, the runs in this folder) is drawn, whatever is hidden."""

    hidden_groups: frozenset[str] = field(default_factory=frozenset)
    """Tag groups (text before the first `/`) that are folded away."""

    empty_cards: bool = False
    """Whether tags that no drawn run holds have a card all the same."""

    pinned: tuple[str, ...] = ()
    """Keys of the cards that stand before all others, in the order of pinning."""

    joints: tuple[TagMerge, ...] = ()
    """Charts of several tags; those tags have no cards of their own."""

    group_level: int = 0
    """Runs that share so many leading directories are averaged into one line; 0: each run is a line."""

    group_pattern: str = ""
    """Runs for which the groups of this regular expression say the same are averaged; it goes before `group_level`."""

    spread: Spread = "std"
    """What the band around an average shows: a standard deviation to each side, or the least and greatest run."""

    baseline: str | None = None
    """The run that others are compared with."""

    # How it is drawn

    x_axis: XAxis = "step"
    x_scale: Scale = "linear"
    """On steps and relative time; wall time is always linear."""

    x_range: Range = FULL_RANGE
    """Of every chart that has none of its own, on the present x axis."""

    skip_steps: int = 0
    """Points at steps below this are not drawn and do not count for the axes."""

    y_scale: Scale = "linear"
    outliers: Outliers = "auto"
    """Whether extreme values may fall outside the y axis: only where they would flatten the rest, always by
    TensorBoard's rule, or never."""

    charts: Mapping[str, ChartSettings] = field(default_factory=lambda: NO_CHART_SETTINGS)
    """Card key to what was chosen for that chart alone; never changed in place."""

    smoothing: float = 0.6
    """Weight of TensorBoard's debiased moving average, 0 to 0.999; 0 is off."""

    extremes: bool = False
    """Whether each line's least and greatest value are marked, and the best of all."""

    superseded: bool = False
    """Whether points that a restart superseded are drawn too."""

    linked: bool = False
    """Whether zooming one chart zooms all along x."""

    columns: int = 0
    """Cards a row; 0: as many as stay readable."""

    row_order: RowOrder = "runs"
    """Order of the rows of an opened chart's table, and of legends."""

    max_steps: int | None = None
    """The step at which runs end, where the user said it: gives an estimated end."""

    # Histograms and distributions

    histogram_look: HistogramStyle = "heat"
    """Histograms as colours over steps and values, as ridges one before the other, or as curves over one baseline."""

    heat_scale: HeatScale = "log"
    """How colours grow with the part of a step's values that lies in a place."""

    runs_together: bool = False
    """Whether a card shows a tag of all drawn runs, as outlines over one another; otherwise each run has its own."""

    overview: bool = False
    """Whether small cards show all layers of a model at a glance, in the order in which they were written."""

    bucket_rows: bool = False
    """Whether the table of an opened histogram has a row a bucket instead of a row a run."""

    # Images

    images: Wanted = "auto"
    """In which way pictures are shown, where the terminal can; `off` shows what is known of them alone."""

    image_brightness: float = 1.0
    """What all pictures are multiplied by, 0 to 2, behind the contrast."""

    image_contrast: float = 1.0
    """How far apart light and dark are, 0 to 5."""

    image_comparison: ImageComparison = "off"
    """Whether an opened picture stands beside another one, or the difference of both is shown."""

    # Audio

    audio_look: AudioStyle = "waveform"
    """What a card shows of a sound, and what of an opened one has more room."""

    step_rows: bool = False
    """Whether the table of an opened sound has a row a step instead of a row a run."""

    # Text

    text_raw: bool = False
    """Whether texts are shown as they were written instead of as the Markdown they are."""

    text_wrap: bool = True
    """Whether lines that stand as they were written are broken where they are too long."""

    # Graphs

    graph: tuple[str, str] | None = None
    """Run and tag of the graph that is shown; None: the first there is."""

    graph_view: GraphView = "diagram"
    """Which view has the keys; in a narrow terminal no other one shows."""

    graph_colour: GraphColour = "structure"
    """What boxes are coloured by."""

    graph_aside: bool = True
    """Whether nodes that nearly everything is joined to are set aside from the diagram."""

    graph_across: bool = False
    """Whether the diagram leads from left to right instead of down."""

    graph_devices: frozenset[str] = field(default_factory=frozenset)
    """Names of the devices whose times are counted, where a run has any of them; empty: as usual."""

    graph_looks: Mapping[str, GraphNavigation] = field(default_factory=lambda: NO_GRAPH_NAVIGATION)
    """Tag to what is looked at of its graphs; never changed in place."""

    graph_sort: str = ""
    """The column by which the table of operations is sorted; empty: as they were written."""

    graph_descending: bool = False

    # The comparison table

    figure: Statistic = "last"
    """What its cells say of a run's tag."""

    deltas: bool = True
    """Whether they say how far that is from the baseline's, where there is a baseline."""

    sort_tag: str | None = None
    """The column it is sorted by; None: runs in the order of the run tree."""

    sort_descending: bool = False

    tab: str = ""
    """Name of the plugin whose tab is open; empty: the first that has data."""

    # Of this session alone: all else is kept between sessions, from here on nothing is

    player: str = ""
    """Command that plays a sound; empty: one that is installed. What is run never comes from a file."""

    # Where the user is looking now

    cursor: float | None = None
    """x of the cursor that all charts share, on the present x axis."""

    mark: float | None = None
    """x of the other end of the stretch selected from the cursor."""

    focus: str | None = None
    """The run drawn on top of all others."""

    # Images

    image_steps: Mapping[str, float] = field(default_factory=lambda: NO_IMAGE_STEPS)
    """Card key to the place on the present x axis of the step it shows by itself, not following the cursor; likewise
    not kept, and never changed in place."""

    image_sights: Mapping[str, ImageViewport] = field(default_factory=lambda: NO_VIEWPORTS)
    """Card key to what of its picture is looked at, likewise; without one all of it is."""

    # PR curves

    threshold: float | None = None
    """At which all curves are read, 0 to 1; None: each where its F1 is best. Not kept between sessions either."""

    # Settings of single dashboards

    plugin_settings: Mapping[str, str] = field(default_factory=lambda: NO_PLUGIN_SETTINGS)
    """Name of a `Setting` to its chosen value; never changed in place. Read it with `Setting.value`."""

    def chart(self, key: str) -> ChartSettings:
        """What was chosen for the chart of card `key` alone."""
        return self.charts.get(key, DEFAULT_CHART)

    def y_scale_of(self, key: str) -> Scale:
        """The y scale of the chart of card `key`."""
        return self.chart(key).y_scale or self.y_scale

    def x_range_of(self, key: str) -> Range:
        """The x range set by hand for the chart of card `key`, its own before that of all."""
        own = self.chart(key).x_range
        return own if own != FULL_RANGE else self.x_range

    def with_chart(self, key: str, **changes: object) -> Mapping[str, ChartSettings]:
        """`charts` with fields of one chart replaced; a chart for which nothing is chosen any more is left out."""
        chosen = replace(self.chart(key), **changes)  # type: ignore[arg-type]
        others = {known: held for known, held in self.charts.items() if known != key}
        return others if chosen == DEFAULT_CHART else {**others, key: chosen}


def replace_in_all_charts(choices: Settings, **changes: object) -> Mapping[str, ChartSettings]:
    """`charts` with fields of every chart replaced; those for which nothing is chosen any more are left out."""
    charts = {key: replace(held, **changes) for key, held in choices.charts.items()}  # type: ignore[arg-type]
    return {key: held for key, held in charts.items() if held != DEFAULT_CHART}


# Between what the user can choose: the names of all ways to draw, and the limits of what is a number.


Value = TypeVar("Value")

XAxis: TypeAlias = Literal["step", "relative", "wall"]
X_AXES: tuple[XAxis, ...] = ("step", "relative", "wall")
"""In the order in which the key walks through them; likewise the tuples below."""

SCALES: tuple[Scale, ...] = ("linear", "log", "symlog")

Outliers: TypeAlias = Literal["auto", "ignore", "keep"]
OUTLIERS: tuple[Outliers, ...] = ("auto", "ignore", "keep")

RowOrder: TypeAlias = Literal["runs", "ascending", "descending", "nearest"]
ROW_ORDERS: tuple[RowOrder, ...] = ("runs", "ascending", "descending", "nearest")

Spread: TypeAlias = Literal["std", "minmax"]
SPREADS: tuple[Spread, ...] = ("std", "minmax")

Best: TypeAlias = Literal["min", "max"]
BESTS: tuple[Best, ...] = ("min", "max")

Statistic: TypeAlias = Literal["last", "best", "min", "max"]
STATISTICS: tuple[Statistic, ...] = ("last", "best", "min", "max")

HistogramStyle: TypeAlias = Literal["heat", "ridges", "overlay"]
HISTOGRAM_STYLES: tuple[HistogramStyle, ...] = ("heat", "ridges", "overlay")

HeatScale: TypeAlias = Literal["log", "linear"]
HEAT_SCALES: tuple[HeatScale, ...] = ("log", "linear")

ImageComparison: TypeAlias = Literal["off", "beside", "difference"]
IMAGE_COMPARISONS: tuple[ImageComparison, ...] = ("off", "beside", "difference")

IMAGE_MODES: tuple[Wanted, ...] = ("auto", "kitty", "sixel", "half", "off")

MAX_BRIGHTNESS, MAX_CONTRAST = 2.0, 5.0
"""TensorBoard's upper ends; 0 is the lower one of both, 1 shows a picture as it is."""

AudioStyle: TypeAlias = Literal["waveform", "spectrogram"]
AUDIO_STYLES: tuple[AudioStyle, ...] = ("waveform", "spectrogram")

MAX_SMOOTHING = 0.999
"""TensorBoard's upper end; with 1 no line would ever leave its first value."""

SMOOTHING_STEPS = (*(step / 20 for step in range(20)), 0.99, MAX_SMOOTHING)
"""The weights that the keys walk through: steps of .05, and finer near the end, where each counts for more."""

MAX_CARD_COLUMNS = 8
"""Cards a row at most."""


def next_in_cycle(values: Sequence[Value], value: Value) -> Value:
    """The value that follows in a cycle."""
    return values[(values.index(value) + 1) % len(values)]


def next_smoothing(weight: float, steps: int) -> float:
    """The weight `steps` further up (or down, where negative) from the one nearest to `weight`."""
    nearest = min(range(len(SMOOTHING_STEPS)), key=lambda index: abs(SMOOTHING_STEPS[index] - weight))
    return SMOOTHING_STEPS[max(0, min(nearest + steps, len(SMOOTHING_STEPS) - 1))]


# Ranges set by hand, as far as an axis can have them.


def usable_range(chosen: Range, scale: ScalesScale, origin: int = 0) -> Range:
    """The ends of a range that an axis can have, counted from its origin; WHOLE where they are out of order."""
    low, high = (end if _is_possible(end, scale) else None for end in (_counted(end, origin) for end in chosen))
    return FULL_RANGE if low is not None and high is not None and low >= high else (low, high)


def _counted(end: float | None, origin: int) -> float | None:
    return None if end is None else float(end - origin)


def _is_possible(end: float | None, scale: ScalesScale) -> bool:
    return end is not None and math.isfinite(end) and (scale != "log" or end > 0)


def apply_range(limits: Limits, chosen: Range, scale: ScalesScale) -> Limits:
    """Limits with the ends that were set by hand; where the data ends before the one, the other lies as far beyond."""
    low, high = (end if hand is None else hand for end, hand in zip(limits, chosen, strict=True))
    if low >= high and chosen[1] is None:
        high = _beyond(low, limits, scale, 1)
    elif low >= high:
        low = _beyond(high, limits, scale, -1)
    return (low, high) if -math.inf < low < high < math.inf else limits


def _beyond(end: float, limits: Limits, scale: ScalesScale, side: int) -> float:
    """A value on one side of an end, as far away as the limits are apart."""
    if scale == "log":
        return min(max(end * (limits[1] / limits[0]) ** side, sys.float_info.min), sys.float_info.max)
    value = end + side * (limits[1] - limits[0])
    value = min(max(value, -sys.float_info.max), sys.float_info.max)
    return value if value != end else math.nextafter(end, side * math.inf)
