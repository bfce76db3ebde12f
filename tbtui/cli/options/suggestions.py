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
"""Share of letters, by `difflib`, from which on a word is worth asking about."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*")


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is most like `word`, whatever its case and its dashes; None when none is like it.

    One that begins with it is: of several the shortest, which leaves least to be added.
    """
    bare = {name.strip("-").casefold(): name for name in known}
    typed = word.strip("-").casefold()
    whole = [name for name in bare if len(typed) > 1 and name.startswith(typed)]
    found = sorted(whole, key=len)[:1] or difflib.get_close_matches(typed, bare, 1, MIN_SIMILARITY)
    return bare[found[0]] if found else None


def parser_of(name: str) -> OneLineParser:
    """The parser of a command, or of the dashboard."""
    parser: OneLineParser = import_module(f"tbtui.cli.options.{name}").command_parser()
    return parser


def unknown_option_reason(parser: OneLineParser, words: Sequence[str]) -> str:
    """Why `words` are none that `parser` understands: one sentence about the first option of them, or the first."""
    word = next((word for word in words if word.startswith("-")), words[0])
    if not word.startswith("-"):
        return f"{parser.prog} takes no {word!r}"
    option = word.partition("=")[0]
    others = [other.prog for other in map(parser_of, ("dashboard", *COMMANDS)) if option in _names(other)]
    if others:
        return f"{option} is an option of {', '.join(others)}; not of {parser.prog}"
    meant = closest(option, _names(parser))
    return f"{parser.prog} has no option {option}" + (f"; did you mean {meant}?" if meant else "")


def unknown_command_reason(word: str, *, first: bool) -> str | None:
    """Why a word that is neither a path nor, where it stands, a command may have been meant as a command.

    Args:
        word: As it was typed.
        first: Whether it was the first one, as commands are.

    Returns:
        One sentence; None when it is like no command.
    """
    if not _PLAIN.fullmatch(word):
        return None
    meant = closest(word, COMMANDS)
    if meant is None:
        return None
    if word == meant and not first:
        return f"{word}: no such file or directory; as a command it comes first: tbtui {word}"
    return f"{word}: no such file or directory; did you mean tbtui {meant}?"


def _names(parser: OneLineParser) -> list[str]:
    return [name for action in parser.options for name in action.option_strings]
