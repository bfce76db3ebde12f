"""Read-only mappings by name, suggestions for misspelled names, and name patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tbtui.api.errors import PatternError, PlainTextWarning, warn_caller
from tbtui.settings.filters import NameFilter, make_pattern, quote

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
            missing: Returns the exception that an unknown key raises.
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


def format_names(names: Iterable[Any], quoted: Callable[[Any], str] = repr) -> str:
    """Return names quoted by `repr`, so that they cannot affect a terminal; at most `MAX_LISTED_NAMES` are listed."""
    texts = [quoted(name) for name in names]
    more = len(texts) - MAX_LISTED_NAMES
    return ", ".join(texts[:MAX_LISTED_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def format_suggestion(name: object, names: Iterable[str], quoted: Callable[[Any], str] = repr) -> str:
    """Return the end of a "no such name" message: similar names, or all names if there are few."""
    candidates = list(names)
    if not candidates:
        return "there are none"
    similar = _find_similar_names(name, candidates) if isinstance(name, str) else []
    if similar:
        return f"did you mean {' or '.join(map(quoted, similar))}?"
    return f"there {'is only' if len(candidates) == 1 else 'are'} {format_names(candidates, quoted)}"


def format_pattern_suggestion(pattern: str, names: Iterable[str]) -> str:
    """Return the end of a "nothing matches" message: patterns that match similar names, ready to be pasted."""
    return format_suggestion(pattern, names, lambda name: quote(make_pattern(name)))


def _find_similar_names(name: str, candidates: list[str]) -> list[str]:
    from difflib import get_close_matches  # slow import, needed after a misspelling only

    lowered = name.lower()
    containing = [each for each in candidates if lowered and lowered in each.lower()]
    return list(
        dict.fromkeys(
            [*containing[:MAX_SUGGESTIONS], *get_close_matches(name, candidates, MAX_SUGGESTIONS, _MIN_SIMILARITY)]
        )
    )[:MAX_SUGGESTIONS]


Pattern: TypeAlias = "str | re.Pattern[str] | None"
"""Pattern for names, with the rules of `--runs` and `--tags`.

A string is a regular expression of the `regex` package, searched for anywhere in a name, ignoring case, or plain text
that a name contains. An expression compiled by the caller is used as it is. None matches everything.
"""


NO_LIMIT_SECONDS = 1e6
"""Time limit of a search with a pattern that comes from the calling program itself."""


class PatternMatcher:
    """Match names against a pattern of the Python API; called with a name, it returns True if the name matches.

    Raises:
        TypeError: The pattern is neither a string nor compiled.
    """

    def __init__(self, pattern: Pattern) -> None:
        if not (pattern is None or isinstance(pattern, str | re.Pattern)):
            raise TypeError(f"a pattern is a text or a compiled regular expression, not {type(pattern).__name__}")
        self._compiled = pattern if isinstance(pattern, re.Pattern) else None
        self._filter = NameFilter(pattern if isinstance(pattern, str) else "", NO_LIMIT_SECONDS)

    def __call__(self, name: str) -> bool:
        if self._compiled is not None:
            return self._compiled.search(name) is not None
        return not self._filter.pattern or self._filter.words(name) is not None

    def check(self) -> None:
        """Raise or warn if the pattern was not used as a regular expression; to be called after the last name.

        Raises:
            PatternError: The pattern is not a regular expression, and no name contains it as plain text.
        """
        if error := self._filter.error:
            raise PatternError(f"{self._filter.pattern!r} cannot be searched for: {error}")
        if note := self._filter.explain_plain_text():
            warn_caller(note, PlainTextWarning)
