"""How large a regular expression gets when it is compiled: `((a{999}){999}){999}` would take all memory there is."""

from __future__ import annotations

import math
import re

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
    one part. How many there are is told from the brackets alone, and where these are not clear rather too large.
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
