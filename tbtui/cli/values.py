"""What words of the command line stand for; a word that stands for nothing is told why.

Each function raises `argparse.ArgumentTypeError` for a word that it does not take.
"""

from __future__ import annotations

import argparse
import math

MOST_JOBS = 64
"""More would only wait for the one thread that takes over what they read."""


def pattern(text: str) -> str:
    """A regular expression as the filters understand it."""
    from tbtui.viewstate.filters import RegexFilter

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
    return _within(text, 0, MOST_JOBS, f"from 0 to {MOST_JOBS}")


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
