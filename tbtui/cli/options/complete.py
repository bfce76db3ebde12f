"""Complete the last word of a command line from the parsers. Has no side effects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import get_parser
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Sequence

    from tbtui.cli.options.parser import OneLineParser

Paths: TypeAlias = Literal["none", "paths", "named"]
"""Files and directories that the shell adds: none; all; those after the first colon, as in NAME:PATH."""

_NAMED = re.compile(r"[^-/.~:][^/:]*:")
"""Pattern of the beginning of NAME:PATH, as `tbtui.loading.sources` reads it."""


@frozen
class Completion:
    """Completions of a word."""

    words: tuple[tuple[str, str], ...] = ()
    """Whole words, each with a short meaning or none."""

    paths: Paths = "none"

    def __str__(self) -> str:
        """Return the text for the shell scripts: a line with `paths`, then one line per word, tab, meaning."""
        return "".join([f"{self.paths}\n", *(f"{word}\t{meaning}\n" for word, meaning in self.words)])


def complete(words: Sequence[str]) -> Completion:
    """Return the completions of the last of `words`, which is incomplete.

    Args:
        words: All words after the program's name up to the cursor. Quotes may still be around them.
    """
    *before, typed = words or [""]
    if before and before[0] in COMMANDS:
        return _CursorPosition(get_parser(before[0]), before[1:]).answer(typed)
    fits = _CursorPosition(get_parser("dashboard"), before).answer(typed)
    if before or typed.startswith("-"):
        return fits
    commands = [(name, _shorten(get_parser(name).summary)) for name in COMMANDS]
    return Completion((*_filter_by_prefix(typed, commands), *fits.words), fits.paths)


class _CursorPosition:
    """Position of the cursor in a command line, from the words before it."""

    def __init__(self, parser: OneLineParser, words: Iterable[str]) -> None:
        self._parser = parser
        self._by_name = {name: action for action in parser.options for name in action.option_strings}
        self._waits: argparse.Action | None = None  # for a value
        self._only_paths = False
        self._used: list[argparse.Action] = []
        self._positionals = 0
        for word in words:
            self._pass(word)

    def _pass(self, word: str) -> None:
        if self._waits is not None:
            self._waits = None
        elif self._only_paths or not word.startswith("-") or word == "-":
            self._positionals += 1
        elif word == "--":
            self._only_paths = True
        else:
            name, is_said, _ = word.partition("=")
            if (action := self._by_name.get(name)) is not None:
                self._used.append(action)
                self._waits = None if is_said or action.nargs == 0 else action

    def answer(self, typed: str) -> Completion:
        if self._waits is not None:
            return self._values(self._waits, typed)
        if self._only_paths or not typed.startswith("-"):
            return self._at_positional(typed)
        name, is_said, value = typed.partition("=")
        if not is_said:
            return Completion(_filter_by_prefix(typed, self._options()))
        action = self._by_name.get(name)
        return Completion() if action is None or action.nargs == 0 else self._values(action, value, f"{name}=")

    def _at_positional(self, typed: str) -> Completion:
        positionals = self._parser.positionals
        open_ended = [positional for positional in positionals if positional.nargs in ("*", "+")]
        left = positionals[self._positionals :] or open_ended
        if left:
            return self._values(left[0], typed)
        return Completion(_filter_by_prefix(typed, self._options()))  # nothing but an option can come

    def _values(self, action: argparse.Action, typed: str, front: str = "") -> Completion:
        offered = self._parser.offers.get(action.dest)
        values = action.choices or (offered() if offered else ())
        words = _filter_by_prefix(typed, [(str(value), "") for value in values])
        paths: Paths = "none"
        if action.metavar in ("PATH", "FILE"):
            paths = "named" if action.metavar == "PATH" and _NAMED.match(typed) else "paths"
        return Completion(tuple((f"{front}{word}", meaning) for word, meaning in words), paths)

    def _options(self) -> list[tuple[str, str]]:
        """Return the names of options that are not given yet; long names where they exist."""
        gone = {id(action) for used in self._used for action in (used, *self._parser.find_excluding_options(used))}
        left = [action for action in self._parser.options if id(action) not in gone]
        return [(action.option_strings[-1], _shorten(self._parser.get_help_line(action))) for action in left]


def _filter_by_prefix(typed: str, words: Collection[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((word, meaning) for word, meaning in words if word.startswith(typed))


def _shorten(text: str) -> str:
    """Return the start of a text that fits next to a word in a list."""
    return re.split(r"[;:(]", text)[0].strip().rstrip(".")
