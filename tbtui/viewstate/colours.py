"""Which series ink a run has: given at first sight and kept, so that a run looks the same in every tab and session."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tbtui.charts.cells import FAINT_FROM

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


class RunColours:
    """Sticky series inks: a run keeps its ink for ever, also while it is away.

    A new run gets the first ink that no run beside it wears, so that the palette's plain colours go to what is on the
    screen, not to runs that were deleted weeks ago.
    """

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        """Start from the inks of an earlier session.

        Args:
            known: Run name to series ink.
        """
        self.inks: Mapping[str, int] = dict(known or {})
        """Run name to series ink, for every run ever seen. A new mapping replaces it when runs appear."""

    def see(self, runs: Iterable[str]) -> None:
        """Give an ink to each of the runs that has none yet.

        Runs inside another run come last: mostly they are single points (the hyperparameter trials that PyTorch logs as
        runs of their own), and lines need the colours more. What a run holds does not count: it is not known until the
        run is read, and which is read first differs from start to start.

        Args:
            runs: Names of all runs there are now; among equals their order decides.
        """
        present = dict.fromkeys(runs)
        fresh = [name for name in present if name not in self.inks]
        if not fresh:
            return
        worn = {self.inks[name] for name in present if name in self.inks}
        free = (ink for ink in count() if ink not in worn)
        fresh.sort(key=lambda name: _is_inside(name, present))
        # Inks from FAINT_FROM on mean something else; so many runs share the palette's colours anyway.
        self.inks = {**self.inks, **{name: ink % FAINT_FROM for name, ink in zip(fresh, free, strict=False)}}

    def wear(self, runs: Iterable[str], ink: int) -> None:
        """Give runs an ink of the user's choice; others that wear it keep it too."""
        self.inks = {**self.inks, **dict.fromkeys(runs, ink % FAINT_FROM)}


def _is_inside(name: str, runs: Container[str]) -> bool:
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in runs:
            return True
    return False
