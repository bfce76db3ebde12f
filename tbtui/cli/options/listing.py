"""The commands and what each does, as the help of the dashboard lists them."""

from __future__ import annotations

import textwrap

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.near import parser_of

WIDTH = 80
BESIDE = 28
"""Column at which it is said what a command does."""


def commands_text() -> str:
    """A paragraph with a line a command, made from the parsers' own calls and summaries."""
    calls = [("tbtui [PATH ...]", "the dashboard")]
    calls += [(parser.call, _inner(parser.summary)) for parser in map(parser_of, COMMANDS)]
    lines = [line for call, says in calls for line in _lines(call, says)]
    return "\n".join(["commands:", *lines, "  (a directory of such a name is opened as ./export)"])


def _lines(call: str, says: str) -> list[str]:
    beside = textwrap.wrap(says, WIDTH - BESIDE)
    left = f"  {call}"
    first = [left] if len(left) + 2 > BESIDE else [left.ljust(BESIDE) + beside.pop(0)]
    return first + [" " * BESIDE + line for line in beside]


def _inner(sentence: str) -> str:
    """A sentence as it stands in a list: no capital, no full stop."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")
