"""Regular expressions over run names and tags that cannot hang the app and never raise while it runs."""

from __future__ import annotations

import math
import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable


# How large a regular expression gets when it is compiled: `((a{999}){999}){999}` would take all memory there is.


_TOKEN = re.compile(
    r"""\\.                                                  # an escaped character
    | \[ \^? \]? (?: \[:[^\]\n]*:\] | \\. | [^\]\\] )* \]    # a set of characters
    | \{ \s* [0-9]+ [\s,0-9]* \}                             # how often
    | .""",
    re.DOTALL | re.VERBOSE,
)
_TIMES = re.compile(r"\{\s*([0-9]+)")

_OTHER_RULES = re.compile(r"\(\?(?:\#|[a-zA-Z0-9-]*[Vx])")
"""Comments, sets within sets: brackets in these need not be brackets."""


def compiled_size(pattern: str) -> int:
    """Parts that the `regex` package makes of a pattern at most, each of which takes some 300 bytes.

    It writes out what is repeated as often as it is required, group within group; what may be there beyond that is
    one part. Their number is estimated from the brackets alone; if these are unclear, the estimate is too large.
    """
    exact = None if _OTHER_RULES.search(pattern) else _by_brackets(pattern)
    if exact is not None:
        return exact
    return len(pattern) * math.prod(max(int(least), 1) for least in _TIMES.findall(pattern))


def _by_brackets(pattern: str) -> int | None:
    """The parts of each group times how often it is there; None where brackets do not match."""
    open_groups = [0]  # parts of each so far; the whole pattern is the first
    last = 0
    for token in _TOKEN.findall(pattern):
        if token == "(":  # noqa: S105 - no password
            open_groups.append(1)
        elif token == ")":  # noqa: S105
            last = open_groups.pop()
            if not open_groups:
                return None
            open_groups[-1] += last
        elif times := _TIMES.match(token):
            more = last * (max(int(times[1]), 1) - 1)
            open_groups[-1] += more
            last += more
        else:
            last = 1
            open_groups[-1] += 1
    return open_groups[0] if len(open_groups) == 1 else None


Groups: TypeAlias = "tuple[str, ...]"
"""Text matched by each group in parentheses of a pattern; empty for a group that took no part."""

MAX_PATTERN_CHARS = 1000
"""Characters; a longer pattern is a slip of the clipboard, and compiling it could take long."""

MAX_PATTERN_PARTS = 20_000
"""Maximum number of parts of a compiled pattern: some 6 MB, compiled in a few hundredths of a second."""

MAX_SEARCH_SECONDS = 0.1
"""CPU seconds of one pattern for all names together, beyond `FREE_SECONDS_PER_NAME` for each name."""

FREE_SECONDS_PER_NAME = 10e-6
"""A pattern that backtracks little needs a fifth of that for a name, so that none is too slow for many names alone."""

TOO_SLOW = "too slow"

_PLAIN_WORDS = {
    "unterminated character set": "missing ]",
    "unbalanced parenthesis": "missing (",
    "bad escape (end of pattern)": "ends in a \\",
    "repeat count too big": "number too large",
    "bad character range": "range backwards",
}
"""Shorter and plainer than the words of the `regex` package."""


def compile_pattern(pattern: str, *, plain: bool = False, lines: bool = False) -> tuple[Any, str | None]:
    """A pattern of the `regex` package, case-insensitive, ready to search; or None and why it is none, in plain words.

    Args:
        pattern: A regular expression; the package's are a superset of the standard library's.
        plain: Whether it is no regular expression but stands for itself.
        lines: Whether `^` and `$` match at the ends of lines.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        return None, "too long"
    if not plain and compiled_size(pattern) > MAX_PATTERN_PARTS:
        return None, "repeats too much"
    # Imported here because most sessions start without a filter and this package costs start-up time.
    import regex

    flags = regex.IGNORECASE | (regex.MULTILINE if lines else 0)
    try:
        return regex.compile(regex.escape(pattern) if plain else pattern, flags), None
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        words = str(getattr(error, "msg", None) or "not a valid pattern")
        return None, _PLAIN_WORDS.get(words, words)


class RegexFilter:
    """One pattern, case-insensitive and unanchored, and what it has answered so far.

    An invalid pattern, or one that takes too long, hides nothing and says so in `error`: who asks first (`check`) can
    keep the filter it had before.
    """

    def __init__(self, pattern: str, seconds: float = MAX_SEARCH_SECONDS) -> None:
        """Compile `pattern`; the empty one matches everything.

        Args:
            pattern: A regular expression of the `regex` package, which is a superset of the standard library's.
            seconds: Time limit over all searches of this filter together, beyond `FREE_SECONDS_PER_NAME` for each name.
        """
        self.pattern = pattern
        self.error: str | None = None
        """Why the pattern is not applied, in a few plain words; None when it is."""

        self._left = seconds
        self._answers: dict[str, Groups | None] = {}
        self._compiled: Any = None
        if pattern:
            self._compiled, self.error = compile_pattern(pattern)

    def matches(self, name: str) -> bool:
        """Return True if `name` passes; always once `error` is set."""
        compiled = self._compiled  # taken once: another thread that asks too may give up meanwhile
        return compiled is None or self._answer(compiled, name) is not None or self._compiled is None

    def words(self, name: str) -> Groups | None:
        """Return the text of the pattern's groups in `name`; None if it does not match or `error` is set."""
        compiled = self._compiled
        return None if compiled is None else self._answer(compiled, name)

    def _answer(self, compiled: Any, name: str) -> Groups | None:
        try:
            words = self._answers[name]
        except KeyError:
            words = self._answers[name] = self._search(compiled, name)
        return None if self._compiled is None else words

    def _search(self, compiled: Any, name: str) -> Groups | None:
        # Time of this thread alone: what others take from a busy machine is not the pattern's fault.
        started = time.thread_time()
        try:
            found = compiled.search(name, timeout=max(self._left, 1e-3))
        except (TimeoutError, RecursionError, MemoryError):
            self._give_up()
            return None
        self._left -= max(time.thread_time() - started - FREE_SECONDS_PER_NAME, 0.0)
        if self._left <= 0:
            self._give_up()
        return None if found is None else tuple(word or "" for word in found.groups())

    def _give_up(self) -> None:
        """Nothing is hidden, and nothing grouped, by a filter that could not look at every name."""
        self.error = TOO_SLOW
        self._compiled = None
        self._answers.clear()

    def check(self, names: Iterable[str]) -> str | None:
        """Search all `names` now.

        Returns:
            `error`: None when the filter can be applied to these names.
        """
        for name in names:
            if self._compiled is None:
                break
            self.matches(name)
        return self.error


@lru_cache(maxsize=16)
def cached_filter(pattern: str) -> RegexFilter:
    """The filter of a pattern, shared so that its answers are found only once."""
    return RegexFilter(pattern)
