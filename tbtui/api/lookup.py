"""Mappings by name that say what is there, and what was meant by a name that is not."""

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
"""Names that are told one by one."""

MAX_SUGGESTIONS = 3
"""Names that may have been meant by another one."""

_MIN_SIMILARITY = 0.6


class NameMapping(Mapping[str, T]):
    """A mapping that never changes and asks for its values only when they are wanted."""

    def __init__(
        self,
        names: Iterable[str],
        value_of: Callable[[str], T],
        missing: Callable[[str], UnknownRunError | UnknownTagError],
    ) -> None:
        """Args: names: in order; value_of: of each; missing: what is raised for any other name."""
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
    """Names in quotes, so that nothing in them does anything to a terminal; of many the first."""
    told = [repr(name) for name in names]
    more = len(told) - MAX_LISTED_NAMES
    return ", ".join(told[:MAX_LISTED_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def format_suggestion(name: object, names: Iterable[str]) -> str:
    """What is added to a sentence that says that `name` is not there: those like it, or all where they are few."""
    known = list(names)
    if not known:
        return "there are none"
    alike = _similar_names(name, known) if isinstance(name, str) else []
    if alike:
        return f"did you mean {' or '.join(map(repr, alike))}?"
    return f"there {'is only' if len(known) == 1 else 'are'} {format_names(known)}"


def _similar_names(name: str, known: list[str]) -> list[str]:
    from difflib import get_close_matches  # only who mistypes waits for it

    low = name.lower()
    parts = [each for each in known if low and low in each.lower()]
    return list(
        dict.fromkeys([*parts[:MAX_SUGGESTIONS], *get_close_matches(name, known, MAX_SUGGESTIONS, _MIN_SIMILARITY)])
    )[:MAX_SUGGESTIONS]


# Which runs and tags are meant: by the same rules as `--runs` and `--tags` of the commands.


Pattern: TypeAlias = "str | re.Pattern[str] | None"
"""A regular expression of the `regex` package, searched for anywhere in a name and in any case; or one compiled by the
program itself, searched for as it is; None: everything."""


def compile_pattern(pattern: Pattern) -> Callable[[str], bool]:
    """Whether a name is meant.

    A pattern is the program's own here, and may take the time it takes.

    Raises:
        PatternError: It is none.
        TypeError: It is neither text nor compiled.
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
