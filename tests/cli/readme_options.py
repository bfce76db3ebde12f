"""The README's tables of options, made from the parsers: `python -m tests.cli.readme_options` writes them anew.

It is called from the root of the project.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.cli.options import COMMANDS
from tbtui.cli.options.suggestions import parser_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from tbtui.cli.options.parser import OneLineParser

README = Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- Made from the parsers, not by hand: `python -m tests.cli.readme_options` writes it anew. -->\n"
END = "<!-- The end of what is made from the parsers. -->\n"
MARKS = re.compile(r"[|*<>]")
ALL = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.DOTALL)


def tables() -> str:
    """What stands between the marks: what all commands that read logs share, then a folded table a command."""
    parsers = [parser_of(name) for name in ("dashboard", *COMMANDS)]
    readers = [set(rows(parser)) for parser in parsers if parser.positionals and parser.positionals[0].dest == "paths"]
    shared = set.intersection(*readers)
    parts = ["Every command that reads logs:", table(row for row in rows(parsers[0]) if row in shared)]
    for parser in parsers:
        mine = rows(parser)
        own = [row for row in mine if row not in shared] if shared <= set(mine) else mine
        summary = f"<summary><code>{escape(parser.call)}</code>: {escape(inner(parser.summary))}</summary>"
        parts += [f"<details>\n{summary}", table(own), "</details>"] if own else [f"`{parser.call}`: {parser.summary}"]
    return "\n\n".join(parts) + "\n"


def rows(parser: OneLineParser) -> list[str]:
    """A row of the table for each argument of a command."""
    return [
        f"| `{spelling(action)}` | {MARKS.sub(lambda mark: chr(92) + mark[0], parser.help_of(action))} |"
        for action in (*parser.positionals, *parser.options)
    ]


def table(lines: Iterable[str]) -> str:
    return "\n".join(["| | |", "| --- | --- |", *lines])


def spelling(action: argparse.Action) -> str:
    """How it is written on the command line, as its help says."""
    if isinstance(action.metavar, str):
        value = action.metavar
    elif action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    else:
        value = action.dest.upper()
    names = ", ".join(action.option_strings)
    return " ".join(part for part in (names, "" if action.nargs == 0 else value) if part)


def inner(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def written_anew(text: str) -> str:
    """The README's text with the tables as they should be."""
    made = f"{BEGIN}\n{tables()}\n{END}"
    return ALL.sub(lambda _: made, text)


if __name__ == "__main__":
    README.write_text(written_anew(README.read_text("utf-8")), "utf-8")
