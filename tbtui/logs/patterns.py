"""Which runs and tags are meant: by the same rules as `--runs` and `--tags` of the commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from tbtui.logs.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Callable

Pattern: TypeAlias = "str | re.Pattern[str] | None"
"""A regular expression of the `regex` package, searched for anywhere in a name and in any case; or one compiled by the
program itself, searched for as it is; None: everything."""


def matcher(pattern: Pattern) -> Callable[[str], bool]:
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
