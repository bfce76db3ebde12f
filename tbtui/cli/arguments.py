"""`--runs` and `--tags` of the commands that print: what a pattern lets pass, or one line that says why it cannot."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from tbtui.settings.filters import RegexFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


FILTER_SECONDS = 5.0
"""How long a pattern may search over all names."""


class PatternError(ValueError):
    """A pattern that cannot be applied; its text is one plain line for the user."""


def compile_filter(pattern: str | None, names: Iterable[str]) -> Callable[[str], bool]:
    """What a pattern lets pass, after it has looked at all names.

    Args:
        pattern: A regular expression; None lets everything pass.
        names: All names that will be asked for.

    Raises:
        PatternError: It is none, or it takes too long over these names.
    """
    made = RegexFilter(pattern or "", FILTER_SECONDS)
    if error := made.check(names):
        raise PatternError(f"{pattern!r} cannot be searched for: {error}")
    return made.matches


def compile_lazy_filter(pattern: str | None) -> Callable[[str], bool]:
    """What a pattern lets pass, for who does not know all names before the first one is asked for.

    Args:
        pattern: A regular expression; None lets everything pass.

    Returns:
        A function that raises `PatternError` when the pattern takes too long over all names together.

    Raises:
        PatternError: It is none.
    """
    made = RegexFilter(pattern or "", FILTER_SECONDS)

    def passes(name: str) -> bool:
        found = made.matches(name)
        if made.error:
            raise PatternError(f"{pattern!r} cannot be searched for: {made.error}")
        return found

    passes("")
    return passes


# What words of the command line stand for; a word that stands for nothing is told why.
#
# Each function raises `argparse.ArgumentTypeError` for a word that it does not take.


MAX_JOBS = 64
"""More would only wait for the one thread that takes over what they read."""


def pattern(text: str) -> str:
    """A regular expression as the filters understand it."""
    if error := RegexFilter(text).error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}")
    return text


def weight(text: str) -> float:
    """The weight of a moving average."""
    number = _number(text)
    if not 0 <= number <= 0.999:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 0.999")
    return number


def steps(text: str) -> int:
    """How many steps a run takes."""
    return _within(text, 1, 2**63 - 1, "from 1 on")


def jobs(text: str) -> int:
    """How many processes read at once."""
    return _within(text, 0, MAX_JOBS, f"from 0 to {MAX_JOBS}")


def step(text: str) -> int:
    """One of the steps of a run."""
    return _within(text, -(2**63), 2**63 - 1)


def most(text: str) -> int:
    """How many of something at most; 0 for all."""
    return _within(text, 0, 2**31 - 1, "from 0 on")


def columns(text: str) -> int:
    """Columns of what is printed."""
    return _within(text, 20, 1000, "from 20 to 1000")


def rows(text: str) -> int:
    """Rows of a chart."""
    return _within(text, 3, 500, "from 3 to 500")


def seconds(text: str) -> float:
    """How often to look, in seconds."""
    number = _number(text)
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to a day")
    return number


def _within(text: str, least: int, greatest: int, bounds: str = "") -> int:
    """The whole number that `text` spells, from `least` to `greatest`, which is what `bounds` says."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= greatest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {bounds}".rstrip())
    return number


def _number(text: str) -> float:
    """The number that `text` spells; NaN, which is within no bounds, when it spells none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
