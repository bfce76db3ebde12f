"""Suggestions for an unknown word. Imported only when there is one."""

from __future__ import annotations

import difflib
import re
from importlib import import_module
from typing import TYPE_CHECKING

from tbtui.cli.options import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.cli.options.parser import OneLineParser

MIN_SIMILARITY = 0.7
"""Similarity by `difflib` from which a word is suggested."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*")


def find_closest(word: str, known: Iterable[str]) -> str | None:
    """Return the name that is most similar to a word, without regard to case and dashes; None if none is similar.

    Of several names that begin with the word it is the shortest.
    """
    bare = {name.strip("-").casefold(): name for name in known}
    typed = word.strip("-").casefold()
    prefix_matches = [name for name in bare if len(typed) > 1 and name.startswith(typed)]
    matches = sorted(prefix_matches, key=len)[:1] or difflib.get_close_matches(typed, bare, 1, MIN_SIMILARITY)
    return bare[matches[0]] if matches else None


def get_parser(name: str) -> OneLineParser:
    """Return the parser of a command, or of the dashboard."""
    parser: OneLineParser = import_module(f"tbtui.cli.options.{name}").command_parser()
    return parser


def explain_unknown_option(parser: OneLineParser, words: Sequence[str]) -> str:
    """Return one sentence about the first unknown option of `words`, or about the first word."""
    word = next((word for word in words if word.startswith("-")), words[0])
    if not word.startswith("-"):
        return f"{parser.prog} takes no {word!r}"
    option = word.partition("=")[0]
    others = [other.prog for other in map(get_parser, ("dashboard", *COMMANDS)) if option in _names(other)]
    if others:
        return f"{option} is an option of {', '.join(others)}; not of {parser.prog}"
    suggestion = find_closest(option, _names(parser))
    return f"{parser.prog} has no option {option}" + (f"; did you mean {suggestion}?" if suggestion else "")


def explain_unknown_command(word: str, *, first: bool) -> str | None:
    """Return the sentence about a word that is no path, but similar to a command; None if it is similar to none.

    Args:
        word: The word as typed.
        first: True if it was the first word, where commands are.
    """
    if not _PLAIN.fullmatch(word):
        return None
    suggestion = find_closest(word, COMMANDS)
    if suggestion is None:
        return None
    if word == suggestion and not first:
        return f"{word}: no such file or directory; as a command it comes first: tbtui {word}"
    return f"{word}: no such file or directory; did you mean tbtui {suggestion}?"


def _names(parser: OneLineParser) -> list[str]:
    return [name for action in parser.options for name in action.option_strings]
