"""Examples have no time limit: a machine that runs other tests too is slow at times."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
