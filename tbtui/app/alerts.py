"""Alerts about runs: NaN or Inf, divergence, a stall, the end of training.

Each event is reported once. Events that the initial load finds are not reported. Imported with the option `--alert`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.app.run_status import format_trouble
from tbtui.charts.text import fit
from tbtui.frozen import frozen
from tbtui.run_health.ages import format_age
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from textual.app import App
    from textual.driver import Driver
    from textual.notifications import SeverityLevel

    from tbtui.app.state import AppState
    from tbtui.run_health.conditions import RunCondition, RunConditions
    from tbtui.run_health.summaries import RunSummary

MAX_NAME_COLUMNS, MAX_TITLE_COLUMNS = 40, 80

MAX_TOASTS = 3
"""Alerts shown at once; the rest are counted."""

SIGNS: Mapping[str, str] = {"nan": "✗", "inf": "✗", "diverges": "↗", "stalled": "‖", "silent": "‖", "done": "✓"}

SEVERITIES: Mapping[str, SeverityLevel] = {"done": "information", "silent": "warning"}
"""Severity by kind; a kind that is missing is an error."""


@frozen
class Alert:
    """One event of one run."""

    run: str
    """Name of the run, not yet safe for a terminal."""

    kind: str
    """A key of `SIGNS`."""

    message: str
    """The event in a few words, safe for a terminal."""

    runs: tuple[str, ...] = ()
    """Names of all runs, from which a long name must differ."""

    @property
    def text(self) -> str:
        """The alert with the name of its run: `adam/seed0: NaN from step 251 in loss/train`."""
        return f"{fit_run_name(self.run, self.runs, MAX_NAME_COLUMNS)}: {self.message}"


def send_alerts(alerts: Sequence[Alert], app: App[int], driver: Driver | None) -> None:
    """Ring, set the title of the terminal, which is visible from other windows, and show toasts."""
    app.bell()
    if driver is not None:
        driver.write(encode_title(format_title(alerts)))
    for text, severity in format_toasts(alerts):
        app.notify(text, severity=severity)


class AlertDetector:
    """Detects new events by comparing each app state with all earlier ones."""

    def __init__(self) -> None:
        self._reported: set[Hashable] = set()
        self._conditions: RunConditions | None = None
        self._max_steps: int | None = None
        self._is_initial_load_over = False

    def detect(self, state: AppState) -> list[Alert]:
        """Return the new events of runs that pass the filter and are not switched off by hand."""
        if state.conditions is self._conditions:
            return []
        self._conditions = state.conditions
        # A change of `max_steps` alone ends no run.
        is_reporting = self._is_initial_load_over and state.settings.max_steps == self._max_steps
        self._is_initial_load_over, self._max_steps = state.load.complete, state.settings.max_steps
        alerts = [alert for alert in self._find_new_alerts(state) if is_reporting]
        visible_runs = frozenset(state.passing) - state.settings.hidden_runs
        return [replace(alert, runs=state.passing) for alert in alerts if alert.run in visible_runs]

    def _find_new_alerts(self, state: AppState) -> Iterator[Alert]:
        for run, summary in state.summaries.items():
            for identity, alert in _find_events(run, summary, state.conditions.of[run]):
                if identity not in self._reported:
                    self._reported.add(identity)
                    yield alert


def _find_events(run: str, summary: RunSummary, condition: RunCondition) -> Iterator[tuple[Hashable, Alert]]:
    """Yield the present events of a run, each with an identity that stays equal while the event lasts."""
    trouble = summary.trouble
    if trouble is not None and trouble.kind != "flat":
        yield (run, trouble.kind), Alert(run, trouble.kind, format_trouble(trouble))
    if (condition.stalled or condition.silent) and condition.age is not None:
        # A run that continued and stops again is a new event. Silent becoming stalled is the same event.
        kind, prefix = ("stalled", "stalled, ") if condition.stalled else ("silent", "over or stalled, ")
        yield (run, "stopped", summary.last_step), Alert(run, kind, f"{prefix}no write for {format_age(condition.age)}")
    if condition.done:
        yield (run, "done"), Alert(run, "done", f"done at step {summary.last_step:,}")


def format_toasts(alerts: Sequence[Alert]) -> Iterator[tuple[str, SeverityLevel]]:
    """Yield the texts of at most `MAX_TOASTS` alerts, each with its severity, and a count of the rest."""
    for alert in alerts[:MAX_TOASTS]:
        yield alert.text, SEVERITIES.get(alert.kind, "error")
    if len(alerts) > MAX_TOASTS:
        yield f"and {len(alerts) - MAX_TOASTS} more", "information"


def format_title(alerts: Sequence[Alert]) -> str:
    """Return the first alert and a count as a safe title, `✗ seed0: loss diverges (+2)`."""
    first, others = alerts[0], len(alerts) - 1
    more = f" (+{others})" if others else ""
    return fit(f"{SIGNS[first.kind]} {first.text}", MAX_TITLE_COLUMNS - len(more)) + more


def encode_title(title: str) -> str:
    """Return the escape sequence that sets the title of a terminal, or of a tmux pane (OSC 0: window and icon).

    Args:
        title: From `format_title`. `charts.text.safe` has removed every character that could end the sequence.
    """
    return f"\x1b]0;tbtui {title}\a"
