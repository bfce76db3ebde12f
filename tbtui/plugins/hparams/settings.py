"""Settings of the HParams dashboard. Names of columns are `h/NAME` and `m/TITLE`."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen
from tbtui.settings.column_choice import CHOICE_KIND, NO_CHOICE, ColumnChoice
from tbtui.settings.declaration import Option, Setting, record_of, setting
from tbtui.settings.kinds import CheckedString, Flag, MappingOf, OneOf, OrNone, String, TupleOf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.settings.settings import Settings

CONFIG_TAGS = (
    "args/text_summary",
    "args",
    "model_config/text_summary",
    "model_config",
    "config/text_summary",
    "config",
)
"""Tags of texts that are a JSON object of settings, in order of precedence (transformers: `args`, `model_config`)."""

SessionView: TypeAlias = Literal["matters", "table", "parallel", "slices"]
SESSION_VIEWS: tuple[SessionView, ...] = ("matters", "table", "parallel", "slices")

Figure: TypeAlias = Literal["last", "best", "min", "max", "end", "at"]
FIGURES: tuple[Figure, ...] = ("last", "best", "min", "max", "end", "at")

AxisScale: TypeAlias = Literal["linear", "log", "rank"]
AXIS_SCALES: tuple[AxisScale, ...] = ("linear", "log", "rank")
NO_AXIS_SCALES: Mapping[str, str] = MappingProxyType({})


@frozen
class SessionSettings:
    """Choices of the user for the dashboard, in addition to the data and the selected runs."""

    view: SessionView = setting("matters", OneOf(SESSION_VIEWS))
    metric: str = setting("", String())
    """Title of the metric that sessions are judged by; empty: the first one of the validation data."""

    figure: Figure = setting("last", OneOf(FIGURES))
    """Point of each curve that is its value."""

    at: str = setting("", String())
    """Title of the metric whose best step counts for the figure `at`; empty: the main metric."""

    sort: str = setting("", String())
    """Column that sorts the table; empty: the main metric, the best first."""

    descending: bool = setting(False, Flag())
    grouped: bool = setting(False, Flag())
    """One row for all sessions that differ in their seeds alone."""

    seeds: tuple[str, ...] | None = setting(None, OrNone(TupleOf(String())))
    """Hyperparameters that repeat a training; None: by their names."""

    columns: ColumnChoice = setting(NO_CHOICE, CHOICE_KIND)

    baseline: str = setting("", String())
    """Session that others are compared with; empty: none."""

    deltas: bool = setting(False, Flag())
    """Show metrics as differences from the baseline."""

    axis_scales: Mapping[str, str] = setting(NO_AXIS_SCALES, MappingOf(OneOf(AXIS_SCALES)))
    """Scales of axes by column; others are chosen by the data."""

    axes: tuple[str, ...] = setting((), TupleOf(String()))
    """Parallel axes that the user moved, in their order; empty: by share."""

    colour: str = setting("", String())
    """Column that colours lines and dots; empty: the main metric."""

    pair: tuple[str, ...] = setting((), TupleOf(String(), 2))
    """Hyperparameters that are marked for a heat map of both."""


SESSIONS: Setting[SessionSettings] = Setting(
    "hparams.sessions", default=SessionSettings(), kind=record_of(SessionSettings)
)

AUTOMATIC = "auto"


def check_name_pattern(text: str) -> None:
    """Check an expression over run names.

    Raises:
        ValueError: It is no regular expression, or has no named group.
    """
    from tbtui.settings.filters import compile_pattern

    if text == AUTOMATIC:
        return
    compiled, error = compile_pattern(text)
    if compiled is None:
        raise ValueError(f"no regular expression: {error}")
    if not compiled.groupindex:
        raise ValueError("it has no named group: (?P<lr>…)")


RUN_NAMES: Setting[str | None] = Setting(
    "run_names",
    kind=OrNone(CheckedString(check_name_pattern)),
    option=Option(
        "hyperparameters in run names: a regular expression with named groups, (?P<lr>[^_/]+), or auto for pieces such "
        "as lr=1e-3 and seed0",
        "REGEX",
        commands=("print", "export"),
        selects_runs=True,
    ),
)
"""Regular expression with named groups that are hyperparameters in run names, or `auto` for pieces `key=value` and
`key<number>`; None: names are not searched."""


def name_pattern(settings: Settings) -> str | None:
    """Return the pattern of names as `sources.name_values` takes it."""
    chosen = RUN_NAMES.value(settings)
    return "" if chosen == AUTOMATIC else chosen


SETTINGS = (SESSIONS, RUN_NAMES)
