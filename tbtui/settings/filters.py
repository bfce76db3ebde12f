"""Patterns for run names and tags: regular expressions that cannot hang the app, and pasted names.

A name such as `metrics/mAP50(B)` or `lr=1e-3+aug[v2]` is a regular expression that does not match itself. So a pattern
selects the names that its expression matches, and those that contain the pattern as plain text.
"""

from __future__ import annotations

import math
import re
import time
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


# The size of a compiled regular expression: `((a{999}){999}){999}` would take all memory there is.

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


def has_term_signs(text: str) -> bool:
    """Return True if a filter of runs may consist of terms over their attributes, `lr>=1e-4`."""
    return any(sign in text for sign in "<>=~?")


def estimate_compiled_size(pattern: str) -> int:
    """Return the maximum number of parts that the `regex` package compiles a pattern to, of some 300 bytes each.

    The package writes out what is repeated as often as it is required, group within group; optional repeats are one
    part. The number is estimated from the brackets alone; if these are unclear, the estimate is too large.
    """
    size = None if _OTHER_RULES.search(pattern) else _estimate_by_brackets(pattern)
    if size is not None:
        return size
    return len(pattern) * math.prod(max(int(times), 1) for times in _TIMES.findall(pattern))


def _estimate_by_brackets(pattern: str) -> int | None:
    """Return the sum over the groups of their parts times their repeats; None if brackets do not match."""
    sizes = [0]  # of each open group; the whole pattern is the first
    last = 0
    for token in _TOKEN.findall(pattern):
        if token == "(":  # noqa: S105 - no password
            sizes.append(1)
        elif token == ")":  # noqa: S105
            last = sizes.pop()
            if not sizes:
                return None
            sizes[-1] += last
        elif times := _TIMES.match(token):
            added = last * (max(int(times[1]), 1) - 1)
            sizes[-1] += added
            last += added
        else:
            last = 1
            sizes[-1] += 1
    return sizes[0] if len(sizes) == 1 else None


Groups: TypeAlias = "tuple[str, ...]"
"""Text matched by each group in parentheses of a pattern; empty for a group that took no part."""

MAX_PATTERN_CHARS = 1000
"""A longer pattern is a mistake with the clipboard, and compiling it could take long."""

MAX_PATTERN_PARTS = 20_000
"""Maximum number of parts of a compiled pattern: some 6 MB, compiled in a few hundredths of a second."""

MAX_SEARCH_SECONDS = 0.1
"""CPU seconds of one pattern for all names together, beyond `FREE_SECONDS_PER_NAME` for each name."""

FREE_SECONDS_PER_NAME = 10e-6
"""A pattern that backtracks little needs a fifth of that per name, so that many names alone make none too slow."""

TOO_SLOW = "too slow"

_PLAIN_WORDS = {
    "unterminated character set": "missing ]",
    "unbalanced parenthesis": "missing (",
    "bad escape (end of pattern)": "ends in a \\",
    "repeat count too big": "number too large",
    "bad character range": "range backwards",
}
"""Shorter and plainer than the words of the `regex` package."""


_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]()|]")
"""Characters that do not stand for themselves in a regular expression."""


def escape(text: str) -> str:
    """Return a regular expression that matches a text; only special characters are escaped, to keep it legible."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def has_special_characters(pattern: str) -> bool:
    """Return True if a pattern may match texts other than itself."""
    return _SPECIAL.search(pattern) is not None


def make_pattern(name: str) -> str:
    """Return a pattern that matches a name: the name itself if it is such an expression, otherwise escaped."""
    compiled, _ = compile_pattern(name)
    return name if compiled is not None and compiled.fullmatch(name, timeout=1.0) else escape(name)


def compile_pattern(
    pattern: str, *, plain: bool = False, lines: bool = False, ignore_case: bool = True
) -> tuple[Any, str | None]:
    """Compile a pattern with the `regex` package.

    Args:
        pattern: A regular expression; the package's are a superset of the standard library's.
        plain: The pattern is not a regular expression but plain text.
        lines: `^` and `$` match at the ends of lines.
        ignore_case: Capitals and small letters match each other.

    Returns:
        The compiled pattern and None; or None and the reason why it cannot be compiled, in plain words.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        return None, "too long"
    if not plain and estimate_compiled_size(pattern) > MAX_PATTERN_PARTS:
        return None, "repeats too much"
    # Imported here because most sessions start without a filter and this package costs start-up time.
    import regex

    flags = (regex.IGNORECASE if ignore_case else 0) | (regex.MULTILINE if lines else 0)
    try:
        return regex.compile(regex.escape(pattern) if plain else pattern, flags), None
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
        words = str(getattr(error, "msg", None) or "not a valid pattern")
        return None, _PLAIN_WORDS.get(words, words)


def _compile_plain_text(pattern: str, *, is_valid: bool) -> Any:
    """Compile the plain text of a pattern, and of its alternatives: pasted names joined by `|`, or between `^` and `$`.

    Returns:
        The compiled pattern; None if it has no special character, so that its plain text is its expression.
    """
    if not has_special_characters(pattern) or len(pattern) > MAX_PATTERN_CHARS:
        return None
    import regex

    texts = [pattern]
    parts = pattern.split("|")
    if is_valid and len(parts) > 1 and all(compile_pattern(part)[0] is not None for part in parts):
        texts += filter(None, parts)  # no part is cut out of a group or a set: each is valid by itself
    expressions = [escape(text) for text in texts]
    for text in texts:
        name = text.removeprefix("^").removesuffix("$")
        if name and name != text:
            start, end = "^" if text[0] == "^" else "", "$" if text[-1] == "$" else ""
            expressions.append(f"{start}{escape(name)}{end}")
    return regex.compile("|".join(expressions), regex.IGNORECASE)


class NameFilter:
    """One pattern, case-insensitive and unanchored, with its cached answers.

    A name passes if the regular expression matches it, or if it contains the pattern as plain text. A pattern that is
    not a valid expression and that no name contains, or that takes too long, hides nothing; `error` is the reason.
    """

    def __init__(self, pattern: str, seconds: float = MAX_SEARCH_SECONDS) -> None:
        """Compile `pattern`; the empty one matches everything.

        Args:
            pattern: A regular expression of the `regex` package, which is a superset of the standard library's.
            seconds: Time limit over all searches of this filter together, beyond `FREE_SECONDS_PER_NAME` for each name.
        """
        self.pattern = pattern
        self.syntax_error: str | None = None
        """Reason why the pattern is not a regular expression; None if it is one."""

        self.plain_names: set[str] = set()
        """Names searched so far that pass only because they contain the pattern as plain text."""

        self.has_expression_match = False
        """True if the regular expression matched a name."""

        self._seconds_left = seconds
        self._answers: dict[str, Groups | None] = {}
        self._compiled: Any = None
        self.is_too_slow = False
        """True if the search was given up."""

        if pattern:
            self._compiled, self.syntax_error = compile_pattern(pattern)

    @property
    def error(self) -> str | None:
        """Reason why the pattern is not applied, in a few plain words; None if it is."""
        if self.is_too_slow:
            return TOO_SLOW
        return None if self.plain_names else self.syntax_error

    @cached_property
    def _plain_text(self) -> Any:
        return _compile_plain_text(self.pattern, is_valid=self._compiled is not None)

    def matches(self, name: str) -> bool:
        """Return True if `name` passes; always once `error` is set."""
        return not self.pattern or self.words(name) is not None or self.error is not None

    def words(self, name: str) -> Groups | None:
        """Return the text of the pattern's groups in `name`; None if it does not match or `error` is set.

        Plain text has no groups.
        """
        if self.is_too_slow or not self.pattern:
            return None
        try:
            words = self._answers[name]
        except KeyError:
            words = self._answers[name] = self._search(name)
        return words

    def _search(self, name: str) -> Groups | None:
        # Time of this thread alone: what others take from a busy machine is not the pattern's fault.
        started = time.thread_time()
        try:
            match = self._compiled and self._compiled.search(name, timeout=max(self._seconds_left, 1e-3))
        except (TimeoutError, RecursionError, MemoryError):
            self._give_up()
            return None
        self._seconds_left -= max(time.thread_time() - started - FREE_SECONDS_PER_NAME, 0.0)
        if self._seconds_left <= 0:
            self._give_up()
            return None
        if match is not None:
            self.has_expression_match = True
            return tuple(word or "" for word in match.groups())
        if self._plain_text is None or self._plain_text.search(name) is None:
            return None
        self.plain_names.add(name)
        return ()

    def _give_up(self) -> None:
        """Stop searching: a filter that cannot search every name hides and groups nothing."""
        self.is_too_slow = True
        self._answers.clear()

    def check(self, names: Iterable[str]) -> str | None:
        """Search all `names` now.

        Returns:
            `error`: None when the filter can be applied to these names.
        """
        for name in names:
            if self.is_too_slow or not self.pattern:
                break
            self.words(name)
        return self.error

    def are_plain(self, names: Collection[str]) -> bool:
        """Return True if one of `names`, all searched before, passes as plain text alone."""
        return bool(self.plain_names) and any(name in self.plain_names for name in names)

    def explain_plain_text(self, option: str = "") -> str:
        """Return a sentence with the reason why the pattern is used as plain text; empty if it is not.

        Args:
            option: Option or argument of the pattern, such as `--tags`.
        """
        if not self.plain_names:
            return ""
        pattern = f"{option} {quote(self.pattern)}".strip()
        if self.syntax_error is not None:
            return f"{pattern} is read as plain text: it is not a regular expression ({self.syntax_error})"
        if self.has_expression_match:
            count = len(self.plain_names)
            return f"{pattern} is also read as plain text, which selects {count} more name{'s' * (count > 1)}"
        return f"{pattern} is read as plain text: as a regular expression it matches nothing"


def quote(text: str) -> str:
    """Return a text in single quotes, so that it can be pasted into a shell."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


@lru_cache(maxsize=16)
def get_filter(pattern: str, seconds: float = MAX_SEARCH_SECONDS) -> NameFilter:
    """Return the filter of a pattern, shared so that each name is searched once."""
    return NameFilter(pattern, seconds)
