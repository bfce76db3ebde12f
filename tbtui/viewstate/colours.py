"""Which series ink a run has: given at first sight and kept, so that a run looks the same in every tab and session."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tbtui.charts.cells import FAINT_FROM
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tbtui.store.snapshot import RunSnapshot


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
        """Run name to series ink, for every run that ever held something. Another mapping when there are more."""

    def see(self, runs: Iterable[RunSnapshot]) -> None:
        """Give an ink to each of the runs that has none yet and holds something.

        Those that draw a line come first, then those of single points (hyperparameter trials that PyTorch logs as runs
        of their own); among equals the order given decides. A run that was found but not read yet has to wait: nobody
        knows what it is.

        Args:
            runs: All runs there are now.
        """
        present = tuple(runs)
        fresh = [run for run in present if run.series and run.name not in self.inks]
        if not fresh:
            return
        worn = {self.inks[run.name] for run in present if run.name in self.inks}
        free = (ink for ink in count() if ink not in worn)
        fresh.sort(key=lambda run: not _draws_a_line(run))
        # Inks from FAINT_FROM on mean something else; so many runs share the palette's colours anyway.
        self.inks = {**self.inks, **{run.name: ink % FAINT_FROM for run, ink in zip(fresh, free, strict=False)}}


def _draws_a_line(run: RunSnapshot) -> bool:
    return any(isinstance(series, ScalarSeries) and len(series) > 1 for series in run.series.values())
