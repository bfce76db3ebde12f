"""The forms of the Scalars tab: what is chosen as fields, what was entered as changes. Imports no Textual."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tbtui.plugins.scalars.cards import joined_cards
from tbtui.viewstate.choices import (
    MOST_COLUMNS,
    MOST_SMOOTHING,
    OUTLIERS,
    ROW_ORDERS,
    SCALES,
    SPREADS,
    X_AXES,
    Joint,
    on_x_axis,
    on_y_scale,
)
from tbtui.viewstate.entries import (
    NUMBER,
    X_ENTRIES,
    check_range,
    optional,
    read_lines,
    read_pattern,
    read_smoothing,
    read_whole,
    shown_lines,
    shown_number,
)
from tbtui.viewstate.looking import with_x_range
from tbtui.viewstate.saved_fields import MOST_STEPS
from tbtui.widgets.form_fields import Choice, RefusedError, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.charts.axis import Scale
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.entries import Entry
    from tbtui.widgets.form_fields import Field

MOST_LEVELS = 64
"""Directory levels that runs are averaged by."""

ROWS = ("run tree", "lowest first", "highest first", "nearest first")
"""`ROW_ORDERS` in words."""


def _plain(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Options that are called what they are."""
    return tuple((word, word) for word in words)


def _yes_no(name: str, label: str, current: bool, hint: str) -> Choice:
    return Choice(name, label, ((False, "no"), (True, "yes")), current, hint)


# Of all charts


def options_fields(choices: Choices, runs: Sequence[str]) -> tuple[Field, ...]:
    """Everything that can be set for all charts; the fields have the names of those of `Choices`.

    Args:
        choices: What is chosen.
        runs: Names of all runs, which a pattern must be able to search.
    """
    return (*_drawing_fields(choices), *_table_fields(choices), *_run_fields(choices, runs))


def _drawing_fields(choices: Choices) -> tuple[Field, ...]:
    smoothing = shown_number(choices.smoothing)
    return (
        Text("smoothing", "smoothing", smoothing, read_smoothing, f"0 is off, {MOST_SMOOTHING:g} the most"),
        Choice("x_axis", "x axis", _plain(X_AXES), choices.x_axis, "step, time since a run's first point, time of day"),
        Choice("x_scale", "x scale", _plain(SCALES), choices.x_scale, "of steps and relative time"),
        Choice("y_scale", "y scale", _plain(SCALES), choices.y_scale, "of all charts"),
        Choice(
            "outliers",
            "outliers",
            _plain(OUTLIERS),
            choices.outliers,
            "auto: values far out may leave the axis only where they would flatten the rest",
        ),
        Text(
            "skip_steps",
            "skip steps below",
            str(choices.skip_steps),
            lambda text: read_whole(text, 0, MOST_STEPS),
            "points before this step are not drawn and do not count for the axes",
        ),
        _yes_no("extremes", "mark extremes", choices.extremes, "least and greatest value of each line, best of all"),
        _yes_no("superseded", "superseded", choices.superseded, "draw the points that a restart superseded"),
        _yes_no("linked", "zoom together", choices.linked, "zooming one chart zooms all along x"),
    )


def _table_fields(choices: Choices) -> tuple[Field, ...]:
    columns = ((0, "auto"), *((count, str(count)) for count in range(1, MOST_COLUMNS + 1)))
    rows = tuple(zip(ROW_ORDERS, ROWS, strict=True))
    return (
        Choice("columns", "cards a row", columns, choices.columns, "auto: as many as stay readable"),
        _yes_no("empty_cards", "empty cards", choices.empty_cards, "also tags that no run shown holds have a card"),
        Choice(
            "row_order",
            "order of rows",
            rows,
            choices.row_order,
            "in an opened chart's table, by what the cursor reads",
        ),
    )


def _run_fields(choices: Choices, runs: Sequence[str]) -> tuple[Field, ...]:
    final = optional(_whole_entry(1), "not known")
    return (
        Text(
            "group_level",
            "average by level",
            str(choices.group_level),
            lambda text: read_whole(text, 0, MOST_LEVELS),
            "runs that share so many leading directories become one line; 0: each run is a line",
        ),
        Text(
            "group_pattern",
            "average by regex",
            choices.group_pattern,
            lambda text: read_pattern(text, runs),
            "runs for which its groups say the same become one line: (.*)/seed; it goes before the level",
        ),
        Choice(
            "spread",
            "band",
            tuple(zip(SPREADS, ("±std", "min–max"), strict=True)),
            choices.spread,
            "around an average: a standard deviation to each side, or the least and greatest run",
        ),
        Text("max_steps", "final step", final.shown(choices.max_steps), final.read, final.hint),
    )


def _whole_entry(least: int) -> Entry:
    return replace(
        NUMBER, read=lambda text: read_whole(text, least, MOST_STEPS), shown=str, hint="where runs end: 100k"
    )


def with_options(choices: Choices, entered: dict[str, Any]) -> Choices:
    """The choices with everything that was entered for all charts."""
    fields = dict(entered)
    x_axis, y_scale = fields.pop("x_axis"), fields.pop("y_scale")
    if x_axis != choices.x_axis:
        choices = on_x_axis(choices, x_axis)
    if y_scale != choices.y_scale:
        choices = on_y_scale(choices, y_scale)
    return replace(choices, **fields)


# Of one chart


def chart_fields(choices: Choices, key: str) -> tuple[Field, ...]:
    """What can be set for the chart of card `key` alone."""
    own = choices.chart(key)
    x = optional(X_ENTRIES[choices.x_axis], "as the data has it")
    y = optional(NUMBER, "as the data has it")
    x_from, x_to = choices.x_range_of(key)
    scales = ((None, f"as all ({choices.y_scale})"), *_plain(SCALES))
    bests = ((None, "by its name"), ("min", "least"), ("max", "greatest"))
    together = "of all charts, which are zoomed together; " if choices.linked else ""
    return (
        Choice("y_scale", "y scale", scales, own.y_scale, "of this chart"),
        Text("x_from", "x from", x.shown(x_from), x.read, together + x.hint),
        Text("x_to", "x to", x.shown(x_to), x.read, together + x.hint),
        Text("y_from", "y from", y.shown(own.y_range[0]), y.read, y.hint),
        Text("y_to", "y to", y.shown(own.y_range[1]), y.read, y.hint),
        Text("lines", "reference lines", shown_lines(own.lines), read_lines, "such as 0.5 goal, 1e-3"),
        Choice("best", "best value", bests, own.best, "which one is marked as best"),
    )


def check_chart(choices: Choices, entered: dict[str, Any]) -> dict[str, Any]:
    """What was entered for one chart, once its ranges can be axes.

    Raises:
        RefusedError: They cannot.
    """
    x_scale: Scale = "linear" if choices.x_axis == "wall" else choices.x_scale
    _check_ends(entered, "x_from", "x_to", x_scale)
    _check_ends(entered, "y_from", "y_to", entered["y_scale"] or choices.y_scale)
    return entered


def _check_ends(entered: dict[str, Any], low: str, high: str, scale: Scale) -> None:
    try:
        check_range((entered[low], entered[high]), scale)
    except ValueError as error:
        raise RefusedError(low, str(error)) from None


def with_chart(choices: Choices, key: str, entered: dict[str, Any]) -> Choices:
    """The choices with everything that was entered for the chart of card `key`."""
    x_range = entered["x_from"], entered["x_to"]
    if x_range != choices.x_range_of(key):
        choices = with_x_range(choices, key, x_range)
    y_range = entered["y_from"], entered["y_to"]
    own = {name: entered[name] for name in ("y_scale", "lines", "best")}
    return replace(choices, charts=choices.with_chart(key, y_range=y_range, **own))


# Joined charts


def join_fields(tags: Sequence[str]) -> tuple[Field, ...]:
    """What joins charts where none are marked.

    Args:
        tags: Those there are.
    """
    hint = "tags for which its groups say the same share a chart: (?:train|val)/(.*) joins every metric's two halves"
    return (Text("pattern", "join tags by regex", "", lambda text: read_pattern(text, tags), hint),)


def check_join(tags: Iterable[str], entered: dict[str, Any]) -> str:
    """The pattern that was entered, once it joins anything.

    Raises:
        RefusedError: It does not.
    """
    pattern: str = entered["pattern"]
    if not pattern or not joined_cards(Joint(pattern=pattern), sorted(tags)):
        raise RefusedError("pattern", "joins no two tags" if pattern else "what joins them?")
    return pattern
