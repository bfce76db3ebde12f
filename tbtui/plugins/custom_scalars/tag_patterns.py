"""Match the names and patterns of multi-line charts with tags.

A name that is a tag means that tag, whatever it would match as a pattern: PyTorch's users write tags such as
`acc(top1)`, which as patterns match nothing. Everything else is a regular expression that matches the beginning of a
tag, case-sensitive, as TensorBoard's `re.match` does.

A pattern is matched once with every distinct tag. Where nothing in it can match the end of a line, all tags are one
text with a tag in each line: a search of 5,000 tags then takes 0.04 to 0.7 ms; 20 ms one by one, of which four fifths
are the timeouts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen
from tbtui.settings.filters import TOO_SLOW, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_MATCH_SECONDS = 0.2
"""Time of one pattern for all tags."""

MAX_CACHED_PATTERNS = 4096
"""Maximum number of patterns whose matches are cached."""

_BRACKETS = re.compile(r"\\.|\[[^\]]*\]|[()]")

_WITHIN_LINE = re.compile(
    r"""(?: [^\\\[\]()\n]                      # one character, or a sign such as . * + ? | ^ $
        | \( (?!\?) | \(\?: | \)               # a group
        | \\ [dwb.+*?^$|()\[\]{}/\\:_-]        # an escape that matches no end of a line
        | \[ (?!\^) [^\]\\\[\x00-\x1f]+ \]     # a set of listed characters
        )*""",
    re.VERBOSE,
)
"""Patterns that match a line of many as they match it alone."""


@frozen
class TagMatch:
    """The tags of one name or pattern."""

    pattern: str
    tags: tuple[str, ...] = ()
    """Matching tags, in the order of all tags."""

    is_name: bool = False
    """True if the pattern is itself a tag, and means that tag."""

    error: str = ""
    """Why it cannot be applied: `missing ]`; empty if it can."""


class TagPatterns:
    """Matches patterns with the tags of one set; used by one thread.

    Args:
        tags: All tags, distinct, in the order of the matches.
    """

    def __init__(self, tags: Sequence[str]) -> None:
        self.tags = tags
        self._index_of_tag = {tag: index for index, tag in enumerate(tags)}
        self._matches: OrderedDict[str, TagMatch] = OrderedDict()
        self._has_line_ends = any("\n" in tag for tag in tags)
        self._text = "" if self._has_line_ends else "\n".join(tags)
        self._starts = [0, *(end + 1 + index for index, end in enumerate(accumulate(map(len, tags))))][: len(tags)]

    def match(self, pattern: str) -> TagMatch:
        """Return the tags that a name or pattern selects."""
        matched = self._matches.get(pattern)
        if matched is None:
            matched = self._matches[pattern] = self._match(pattern)
            if len(self._matches) > MAX_CACHED_PATTERNS:
                self._matches.popitem(last=False)
        return matched

    def _match(self, pattern: str) -> TagMatch:
        if pattern in self._index_of_tag:
            return TagMatch(pattern, (pattern,), is_name=True)
        if not pattern:
            return TagMatch(pattern, error="empty")
        try:
            if self.tags and not self._has_line_ends and _is_within_line(pattern):
                lines, _ = compile_pattern(f"^(?:{pattern})", lines=True, ignore_case=False)
                if lines is not None:
                    return TagMatch(pattern, self._search_lines(lines))
            compiled, error = compile_pattern(pattern, ignore_case=False)
            if compiled is None:
                return TagMatch(pattern, error=error or "not a valid pattern")
            matches = tuple(tag for tag in self.tags if compiled.match(tag, timeout=MAX_MATCH_SECONDS))
        except (TimeoutError, RecursionError, MemoryError):
            return TagMatch(pattern, error=TOO_SLOW)
        return TagMatch(pattern, matches)

    def _search_lines(self, lines: Any) -> tuple[str, ...]:
        """Return the tags that a pattern matches from their start, by one search in the text of all tags."""
        starts = (match.start() for match in lines.finditer(self._text, timeout=MAX_MATCH_SECONDS))
        # After an empty match another one may follow at the same offset.
        return tuple(self.tags[bisect_right(self._starts, start) - 1] for start in dict.fromkeys(starts))


def _is_within_line(pattern: str) -> bool:
    """Return True if a pattern matches a line of many as it matches it alone, also between brackets."""
    if not _WITHIN_LINE.fullmatch(pattern):
        return False
    depth = 0
    for bracket in _BRACKETS.findall(pattern):
        depth += {"(": 1, ")": -1}.get(bracket, 0)
        if depth < 0:  # it would end the brackets around it
            return False
    return True
