"""Status texts of one run: the label beside its name, and the line with all details. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_step
from tbtui.charts.text import format_run_name, shorten
from tbtui.frozen import frozen
from tbtui.run_health.ages import DAY, HOUR, MINUTE, format_age, format_clock_offset, format_freshness, guess_time_unit
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.charts.styled_text import Piece
    from tbtui.run_health.anomalies import Anomaly, AnomalyKind
    from tbtui.run_health.conditions import RunCondition
    from tbtui.run_health.summaries import RunSummary
    from tbtui.store.snapshot import RunSnapshot

MAX_NAME_COLUMNS = 28
SEPARATOR: Piece = (" · ", Ink.FAINT)

NO_NUMBERS: Mapping[AnomalyKind, str] = {"nan": "NaN", "inf": "Inf"}


@frozen
class RunLabel:
    """The most important status of a run."""

    text: str
    ink: int
    brief: str = ""
    """A shorter text for narrow rows; empty if the label may be dropped there."""

    sign: str = ""
    """The status in one column; empty if the bullet of the run shows it already."""


def choose_run_label(summary: RunSummary, condition: RunCondition) -> RunLabel | None:
    """Return the most important status: trouble, then the end of the run, then its pace; None without a status."""
    trouble = summary.trouble
    if trouble is not None and trouble.step is not None:
        sign = "" if trouble.kind == "nan" else "∞"
        return RunLabel(
            f"{NO_NUMBERS[trouble.kind]} @{format_step(trouble.step)}", Ink.BAD, NO_NUMBERS[trouble.kind], sign
        )
    if condition.stalled and condition.age is not None:
        return RunLabel(f"stalled {format_age(condition.age)}", Ink.WARN, "stalled", "‖")
    if trouble is not None and trouble.kind == "diverges":
        return RunLabel("diverges", Ink.BAD, "diverges", "↗")
    text = _format_health(summary, condition)
    return RunLabel(text, Ink.DIM) if text else None


def _format_health(summary: RunSummary, condition: RunCondition) -> str:
    if condition.done:
        return "done"
    if condition.silent and condition.age is not None:
        return f"{format_age(condition.age)} ago"
    if summary.trouble is not None:
        return summary.trouble.kind
    if condition.left is not None:
        return f"eta {format_time_left(condition.left)}"
    return format_pace(summary.pace.rate) if summary.pace is not None and condition.active else ""


def format_run_line(
    run: RunSnapshot, summary: RunSummary, condition: RunCondition, runs: tuple[str, ...] = ()
) -> tuple[Piece, ...]:
    """Return all details of a run: `adam/seed0 · step 440 · live · 12/s · eta 3h`.

    A long name shows how it differs from those of `runs`.
    """
    pieces: list[Piece] = [(fit_run_name(run.name, runs, MAX_NAME_COLUMNS), Ink.TEXT)]
    for piece in _format_details(run, summary, condition):
        pieces += [SEPARATOR, piece]
    return tuple(pieces)


def _format_details(run: RunSnapshot, summary: RunSummary, condition: RunCondition) -> Iterator[Piece]:
    if run.problem is not None:
        yield run.problem, Ink.BAD
    if summary.last_step is not None:
        yield f"step {summary.last_step:,}", Ink.DIM
    if summary.trouble is not None:
        yield format_trouble(summary.trouble), Ink.DIM if summary.trouble.kind == "flat" else Ink.BAD
    if run.vanished:
        yield "gone", Ink.DIM
    elif condition.stalled and condition.age is not None:
        yield f"stalled {format_age(condition.age)}", Ink.WARN
    elif fresh := format_freshness(condition.age):
        yield fresh, Ink.DIM
    if unit := guess_time_unit(summary.last_wall_time):
        yield f"its times look like {unit}", Ink.WARN
    if condition.clock_offset is not None:
        yield format_clock_offset(condition.clock_offset), Ink.WARN
    if condition.done:
        yield "done", Ink.DIM
    if summary.pace is not None and condition.active:
        yield format_pace(summary.pace.rate), Ink.DIM
    if condition.left is not None:
        yield f"eta {format_time_left(condition.left)}", Ink.DIM


def format_trouble(trouble: Anomaly) -> str:
    """Return `NaN from step 251 in loss/train` or `loss/train diverges`."""
    tag = shorten(format_run_name(trouble.tag), MAX_NAME_COLUMNS)
    if trouble.step is not None:
        return f"{NO_NUMBERS[trouble.kind]} from step {trouble.step:,} in {tag}"
    return f"{tag} is flat" if trouble.kind == "flat" else f"{tag} diverges"


def format_pace(rate: float) -> str:
    """Return a rate (steps per second) in two digits, per second, minute, hour or day: `12/s`, `3.4/min`."""
    for seconds, unit in ((1.0, "s"), (MINUTE, "min"), (HOUR, "h")):
        if rate * seconds >= 0.95:
            return f"{_format_two_digits(rate * seconds)}/{unit}"
    return f"{_format_two_digits(rate * DAY)}/d"


def _format_two_digits(value: float) -> str:
    rounded = float(f"{value:.2g}")
    return f"{rounded:g}" if rounded < 1000 else format_step(int(min(rounded, 1e18)))


def format_time_left(seconds: float) -> str:
    """Return a duration in its largest unit: `<1m`, `42m`, `3h`, `12d`."""
    if seconds < MINUTE:
        return "<1m"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f}m"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.0f}h"
    return f"{seconds / DAY:.0f}d" if seconds < 1000 * DAY else ">999d"
