"""Text in Markdown that is not to be taken for Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
"""What CommonMark, its tables and GitHub's formulas could take for something else than itself."""

_OF_A_LINE = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")
"""What would make a list or a heading of a line that begins with it."""


def escaped(text: str) -> str:
    """Safe text that stands for itself, in a cell of a table as well."""
    return _OF_A_LINE.sub(lambda found: f"{found[1]}\\{found[2]}", _MARKUP.sub(r"\\\1", text))
