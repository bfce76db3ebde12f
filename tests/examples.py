"""How many examples a property is tried on where the usual number would take too long, or tell too little."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""Examples of a property in the ordinary suite; another number stands for a search, which tries as many as it says."""


def examples(count: int) -> int:
    """So many in the ordinary suite, and in a search as many as of all others."""
    asked = settings().max_examples
    return count if asked == USUAL else asked
