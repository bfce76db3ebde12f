"""What is worth looking up from other work for: a run that loses its numbers or its way, stops, or is done.

Each piece of news is told once; what was so when everything had been read is no news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.app.run_words import trouble_words
from tbtui.charts.text import fit, nameable, shorten
from tbtui.frozen import frozen
from tbtui.viewstate.ages import age_word

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from textual.notifications import SeverityLevel

    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.facts import RunFacts
    from tbtui.viewstate.health import Condition, Conditions

LONGEST_NAME, LONGEST_TITLE = 40, 80
"""Columns."""

MOST_TOASTS = 3
"""Pieces of news told at once."""

SIGNS: Mapping[str, str] = {"nan": "✗", "inf": "✗", "diverges": "↗", "stalled": "‖", "silent": "‖", "done": "✓"}

SEVERITIES: Mapping[str, SeverityLevel] = {"done": "information", "silent": "warning"}
"""Of other kinds: an error."""


@frozen
class Alert:
    """One piece of news."""

    run: str
    """Not yet made safe for a terminal."""

    kind: str
    """A key of `SIGNS`."""

    says: str
    """What happened, in a few safe words."""

    @property
    def text(self) -> str:
        """`adam/seed0: NaN from step 251 in loss/train`."""
        return f"{shorten(nameable(self.run), LONGEST_NAME)}: {self.says}"


class Alerts:
    """Finds news in one outlook after the other."""

    def __init__(self) -> None:
        self._told: set[Hashable] = set()
        self._seen: Conditions | None = None
        self._judged_by: int | None = None
        self._listening = False

    def news(self, outlook: Outlook) -> list[Alert]:
        """What happened since the last outlook to runs that pass the filter and are not switched off by hand."""
        if outlook.conditions is self._seen:
            return []
        self._seen = outlook.conditions
        # Runs are not done now because somebody said only now where they end.
        tells = self._listening and outlook.choices.max_steps == self._judged_by
        self._listening, self._judged_by = outlook.state.complete, outlook.choices.max_steps
        news = [alert for alert in self._new(outlook) if tells]
        asked_for = frozenset(outlook.passing) - outlook.choices.hidden_runs
        return [alert for alert in news if alert.run in asked_for]

    def _new(self, outlook: Outlook) -> Iterator[Alert]:
        for run, facts in outlook.facts.items():
            for about, alert in _happened(run, facts, outlook.conditions.of[run]):
                if about not in self._told:
                    self._told.add(about)
                    yield alert


def _happened(run: str, facts: RunFacts, condition: Condition) -> Iterator[tuple[Hashable, Alert]]:
    """What is so with a run, each with what makes it the same news again."""
    trouble = facts.trouble
    if trouble is not None and trouble.kind != "flat":
        yield (run, trouble.kind), Alert(run, trouble.kind, trouble_words(trouble))
    if (condition.stalled or condition.silent) and condition.age is not None:
        # One that went on meanwhile and stops again is news again; what is learnt of why it stopped is none.
        kind, says = ("stalled", "stalled, ") if condition.stalled else ("silent", "over or stalled, ")
        yield (run, "stopped", facts.last_step), Alert(run, kind, f"{says}no write for {age_word(condition.age)}")
    if condition.done:
        yield (run, "done"), Alert(run, "done", f"done at step {facts.last_step:,}")


def toasts(alerts: Sequence[Alert]) -> Iterator[tuple[str, SeverityLevel]]:
    """The news as texts for this screen, each with how bad it is; of many not all."""
    for alert in alerts[:MOST_TOASTS]:
        yield alert.text, SEVERITIES.get(alert.kind, "error")
    if len(alerts) > MOST_TOASTS:
        yield f"and {len(alerts) - MOST_TOASTS} more", "information"


def title_of(alerts: Sequence[Alert]) -> str:
    """The news as a terminal's title, safe and of bounded length, the first in words: `✗ seed0: loss diverges (+2)`."""
    first, others = alerts[0], len(alerts) - 1
    more = f" (+{others})" if others else ""
    return fit(f"{SIGNS[first.kind]} {first.text}", LONGEST_TITLE - len(more)) + more


def title_sequence(title: str) -> str:
    """What sets the title of a terminal, or of a pane of tmux (OSC 0: window and icon).

    Args:
        title: From `title_of`: `charts.text.safe` has been there, so that nothing in it ends the sequence.
    """
    return f"\x1b]0;tbtui {title}\a"
