"""`--runs` and `--tags` of the commands that print: what a pattern lets pass, or one line that says why it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.viewstate.filters import RegexFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FILTER_SECONDS = 5.0
"""How long a pattern may search over all names."""


class PatternError(ValueError):
    """A pattern that cannot be applied; its text is one plain line for the user."""


def matches(pattern: str | None, names: Iterable[str]) -> Callable[[str], bool]:
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


def matches_as_asked(pattern: str | None) -> Callable[[str], bool]:
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
