"""Read-only mappings by name, suggestions for misspelled names, and name patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tbtui.api.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.api.errors import UnknownRunError, UnknownTagError


T = TypeVar("T")

MAX_LISTED_NAMES = 10
"""Names listed in a message or `repr`; the others are counted."""

MAX_SUGGESTIONS = 3
"""Names suggested for a misspelled one."""

_MIN_SIMILARITY = 0.6


class NameMapping(Mapping[str, T]):
    """Immutable mapping that computes its values on access."""

    def __init__(
        self,
        names: Iterable[str],
        value_of: Callable[[str], T],
        missing: Callable[[str], UnknownRunError | UnknownTagError],
    ) -> None:
        """Create a mapping.

        Args:
            names: Keys in order.
            value_of: Returns the value of a key.
            missing: Returns the exception for an unknown key.
        """
        self._names = dict.fromkeys(names)
        self._value_of = value_of
        self._missing = missing

    def __getitem__(self, name: str) -> T:
        if name not in self._names:
            raise self._missing(name)
        return self._value_of(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{len(self):,}: {format_names(self._names)}>" if self._names else "<none>"


def format_names(names: Iterable[Any]) -> str:
    """Return names quoted by `repr`, so that they cannot affect a terminal; at most `MAX_LISTED_NAMES` are listed."""
    quoted = [repr(name) for name in names]
    more = len(quoted) - MAX_LISTED_NAMES
    return ", ".join(quoted[:MAX_LISTED_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def format_suggestion(name: object, names: Iterable[str]) -> str:
    """Return the second half of "no such name" messages: similar names, or all names if there are few."""
    known = list(names)
    if not known:
        return "there are none"
    alike = _similar_names(name, known) if isinstance(name, str) else []
    if alike:
        return f"did you mean {' or '.join(map(repr, alike))}?"
    return f"there {'is only' if len(known) == 1 else 'are'} {format_names(known)}"


def _similar_names(name: str, known: list[str]) -> list[str]:
    from difflib import get_close_matches  # slow import, needed after a typing mistake only

    low = name.lower()
    parts = [each for each in known if low and low in each.lower()]
    return list(
        dict.fromkeys([*parts[:MAX_SUGGESTIONS], *get_close_matches(name, known, MAX_SUGGESTIONS, _MIN_SIMILARITY)])
    )[:MAX_SUGGESTIONS]


Pattern: TypeAlias = "str | re.Pattern[str] | None"
"""Regular expression of the `regex` package, searched for anywhere in a name, ignoring case; or one compiled by the
caller, used as it is; None matches everything. The rules are those of `--runs` and `--tags`.
"""


def compile_pattern(pattern: Pattern) -> Callable[[str], bool]:
    """Return a function that returns True for matching names.

    No time limit applies: the pattern comes from the calling program itself.

    Raises:
        PatternError: The pattern is not valid.
        TypeError: The pattern is neither a string nor compiled.
    """
    if pattern is None or pattern == "":
        return lambda name: True  # noqa: ARG005
    if isinstance(pattern, re.Pattern):
        own = pattern
        return lambda name: own.search(name) is not None
    if not isinstance(pattern, str):
        raise TypeError(f"a pattern is a text or a compiled regular expression, not {type(pattern).__name__}")
    import regex

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise PatternError(f"{pattern!r} cannot be searched for: {getattr(error, 'msg', None) or error}") from error
    return lambda name: compiled.search(name) is not None
