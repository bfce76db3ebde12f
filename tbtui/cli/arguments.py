"""Values of options: filters of runs and tags, and the types that argparse converts words to.

Each type function raises `argparse.ArgumentTypeError` for a word that it does not accept.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from tbtui.settings.filters import RegexFilter
from tbtui.settings.kinds import MAX_STEP, Integer, Number, OrNone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tbtui.settings.kinds import Kind


FILTER_SECONDS = 5.0
"""Maximum search time of a pattern over all names."""


class PatternError(ValueError):
    """Raised for a pattern that cannot be applied; the message is one plain line."""


def compile_filter(pattern: str | None, names: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that is True for names that match a pattern, after it has searched all names.

    Args:
        pattern: A regular expression; None lets everything pass.
        names: All names that the function will be called with.

    Raises:
        PatternError: The pattern is invalid, or takes too long on these names.
    """
    regex_filter = RegexFilter(pattern or "", FILTER_SECONDS)
    if error := regex_filter.check(names):
        raise PatternError(f"{pattern!r} cannot be searched for: {error}")
    return regex_filter.matches


def compile_lazy_filter(pattern: str | None) -> Callable[[str], bool]:
    """Return a function that is True for names that match a pattern, if the names are not known in advance.

    Args:
        pattern: A regular expression; None lets everything pass.

    Returns:
        A function that raises `PatternError` when the pattern takes too long over all names together.

    Raises:
        PatternError: The pattern is invalid.
    """
    regex_filter = RegexFilter(pattern or "", FILTER_SECONDS)

    def passes(name: str) -> bool:
        found = regex_filter.matches(name)
        if regex_filter.error:
            raise PatternError(f"{pattern!r} cannot be searched for: {regex_filter.error}")
        return found

    passes("")
    return passes


MAX_JOBS = 64
"""More processes would only wait for the thread that merges their results."""


def pattern(text: str) -> str:
    """Return a regular expression of the filters."""
    if error := RegexFilter(text).error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}")
    return text


def type_of(kind: Kind | None) -> Callable[[str], Any]:
    """Return the function that converts the value of an option to a kind of setting."""
    if isinstance(kind, OrNone):
        return type_of(kind.kind)
    if isinstance(kind, Number):
        return lambda text: _number_within(text, kind.min, kind.max)
    if isinstance(kind, Integer):
        bounds = f"from {kind.min} on" if kind.max == MAX_STEP else f"from {kind.min} to {kind.max}"
        return lambda text: _within(text, kind.min, kind.max, bounds)
    return str


def _number_within(text: str, least: float, greatest: float) -> float:
    number = _number(text)
    if not least <= number <= greatest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least:g} to {greatest:g}")
    return number


def jobs(text: str) -> int:
    """Return the number of reader processes."""
    return _within(text, 0, MAX_JOBS, f"from 0 to {MAX_JOBS}")


def step(text: str) -> int:
    """Return a step."""
    return _within(text, -(2**63), 2**63 - 1)


def most(text: str) -> int:
    """Return a maximum; 0 means all."""
    return _within(text, 0, 2**31 - 1, "from 0 on")


def columns(text: str) -> int:
    """Return the columns of printed text."""
    return _within(text, 20, 1000, "from 20 to 1000")


def rows(text: str) -> int:
    """Return the rows of a chart."""
    return _within(text, 3, 500, "from 3 to 500")


def seconds(text: str) -> float:
    """Return an interval in seconds."""
    number = _number(text)
    if not 0 <= number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to a day")
    return number


def _within(text: str, least: int, greatest: int, bounds: str = "") -> int:
    """Return the whole number of `text`; `bounds` describes `least` and `greatest` in the error."""
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if not least <= number <= greatest:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {bounds}".rstrip())
    return number


def _number(text: str) -> float:
    """Return the number of `text`; NaN, which is within no bounds, if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
