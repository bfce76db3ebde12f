"""Set the number of Hypothesis examples where the default takes too long or finds too little."""

from __future__ import annotations

from hypothesis import settings

USUAL = 100
"""Examples of a property in the ordinary suite; a profile with another number is a search."""


def examples(count: int) -> int:
    """Return `count` in the ordinary suite, and the number of the profile in a search."""
    of_profile = settings().max_examples
    return count if of_profile == USUAL else of_profile
