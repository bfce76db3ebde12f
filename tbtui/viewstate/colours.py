"""Which series ink a run has: given at first sight and kept, so that a run looks the same in every tab and session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import FAINT_FROM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class RunColours:
    """Sticky series inks, in order of first appearance; never taken back when a run goes, so none ever changes."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        """Start from the inks of an earlier session.

        Args:
            known: Run name to series ink.
        """
        self.inks: Mapping[str, int] = dict(known or {})
        """Run name to series ink, for every run ever seen. A new mapping replaces it when runs appear."""

        self._next = max(self.inks.values(), default=-1) + 1

    def see(self, runs: Iterable[str]) -> None:
        """Give an ink to each run that has none yet, in the order given."""
        fresh = {}
        for run in runs:
            if run not in self.inks and run not in fresh:
                # Inks from FAINT_FROM on mean something else; so many runs share the palette's colours anyway.
                fresh[run] = self._next % FAINT_FROM
                self._next += 1
        if fresh:
            self.inks = {**self.inks, **fresh}
