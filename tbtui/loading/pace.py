"""How often files and directories are looked at."""

from __future__ import annotations

import math

from tbtui.frozen import frozen

MOST_OFTEN = 1.0
MOST_SELDOM = 10.0
"""Seconds between two looks at the files of a run that nothing tells of."""

_WALK_POLLED = 3.0
_WALK_NOTIFIED = 30.0
"""Seconds between two walks through the directories."""

_WALK_SHARE = 50
"""A walk that takes long is repeated as seldom as keeps it below 1/50 of the time."""


@frozen
class Pace:
    """The seconds to wait before looking again; infinite when nothing is looked at again."""

    reload_seconds: float | None = None
    """What the user asked for, 0 for never; None: by rule."""

    def look_after(self, quiet: float, *, notified: bool) -> float:
        """Until the files of a run are looked at again.

        A file that is written every few seconds is soon written again; one that has been quiet for long likely stays
        so. Notifications make looking unnecessary, but for those that got lost.

        Args:
            quiet: seconds since one of them was last written.
            notified: the file system tells of changes.
        """
        if self.reload_seconds is not None:
            return self.reload_seconds or math.inf
        return MOST_SELDOM if notified else min(max(quiet / 10, MOST_OFTEN), MOST_SELDOM)

    def walk_after(self, cost: float, *, notified: bool) -> float:
        """Until the directories are walked again.

        Args:
            cost: seconds that the last walk took.
            notified: the file system tells of new directories and files.
        """
        if self.reload_seconds is not None:
            return max(self.reload_seconds, cost) if self.reload_seconds else math.inf
        return max(_WALK_NOTIFIED if notified else _WALK_POLLED, cost * _WALK_SHARE)
