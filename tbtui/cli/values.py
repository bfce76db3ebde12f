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
    number = _whole_number(text)
    if not 1 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return number


def jobs(text: str) -> int:
    """How many processes read at once."""
    number = _whole_number(text)
    if not 0 <= number <= MOST_JOBS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {MOST_JOBS}")
    return number


def step(text: str) -> int:
    """One of the steps of a run."""
    number = _whole_number(text, wrong=2**63)
    if not -(2**63) <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return number


def most(text: str) -> int:
    """How many of something at most; 0 for all."""
    number = _whole_number(text)
    if not 0 <= number < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return number


def columns(text: str) -> int:
    """Columns of what is printed."""
    number = _whole_number(text)
    if not 20 <= number <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 20 to 1000")
    return number


def rows(text: str) -> int:
    """Rows of a chart."""
    number = _whole_number(text)
    if not 3 <= number <= 500:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 3 to 500")
    return number


def seconds(text: str) -> float:
    """How often to look, in seconds."""
    number = _number(text)
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to a day")
    return number


def _whole_number(text: str, wrong: int = -1) -> int:
    """The whole number that `text` spells; `wrong`, which is within no bounds, when it spells none."""
    try:
        return int(text)
    except ValueError:
        return wrong


def _number(text: str) -> float:
    """The number that `text` spells; NaN, which is within no bounds, when it spells none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
