"""Short texts of `tbtui inspect` about a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.app.run_status import NO_NUMBERS, pace_text
from tbtui.charts import numbers
from tbtui.charts.numbers import counted
from tbtui.viewstate.ages import is_known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.cli.inspect.report import RunReport
    from tbtui.viewstate.history import Gap, Restart

STATES = {
    "empty": "nothing has been written",
    "writing": "being written",
    "active": "active: its next write may still come",
    "stalled": "stalled: it stopped short of where others went",
    "quiet": "quiet: it stopped, and nothing tells whether that was its end",
    "done": "done: its session ended in success",
    "failed": "failed: its session ended in failure",
    "over": "over",
    "unknown": "nobody knows when it was written: its clock is ahead",
}
"""Meaning of each state."""


def age_of(age: float | None) -> str:
    """Return `4s ago`; empty if nothing was written."""
    if age is None:
        return ""
    return f"{numbers.age(age)} ago" if is_known(age) else "clock ahead"


def pace_of(report: RunReport) -> str:
    """Return the steps per second, or per minute, hour or day if they take longer."""
    return "" if report.facts.pace is None else pace_text(report.facts.pace.rate)


def remarks_of(report: RunReport) -> Iterator[str]:
    """Yield one word or phrase for each irregularity of a run."""
    states = {file.state for file in report.run.files}
    if states & {"corrupt", "unreadable"}:
        yield "damaged"
    if report.run.problem is not None:
        yield "cannot be read"
    trouble = report.facts.trouble
    if trouble is not None:
        step = trouble.step
        yield trouble.kind if step is None else f"{NO_NUMBERS[trouble.kind]} from step {numbers.step(step)}"
    if count := report.history.restart_count:
        yield counted(count, "restart")
    if count := report.history.gap_count:
        yield counted(count, "gap")


def restart_words(restart: Restart) -> str:
    """Return `at step 500 from 900 (3 tags, 2026-11-20 18:23:05)`."""
    when = numbers.clock(restart.wall_time)
    return f"at step {restart.to_step:,} from {restart.from_step:,} ({counted(restart.tags, 'tag')}, {when})"


def gap_words(gap: Gap) -> str:
    """Return `silent for 2h5m between steps 900 and 910 (from 2026-11-20 18:23:05)`, `no steps between 500 and 900`."""
    steps = f"{gap.after_step:,} and {gap.before_step:,}"
    if gap.kind == "steps":
        return f"no steps between {steps}"
    since = numbers.clock(gap.after_wall_time)
    return f"silent for {numbers.duration(gap.seconds)} between steps {steps} (from {since})"
