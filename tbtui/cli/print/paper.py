"""What is printed on: how wide it is, which colours and characters it has; and lines in the form that it takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.cli.spelling import is_unicode, spelled
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TextIO

    from tbtui.cli.print.sheet import Piece

    Depth = Literal["true", "256", "16", "none"]

Form: TypeAlias = Literal["text", "ansi", "markdown"]

PLAIN_SIZE = 80, 24
"""Columns and rows where there is no terminal and the environment says nothing."""

CHART_HEIGHT = 16
"""Rows of a chart with its x axis where there is no terminal."""

HEIGHTS = 12, 28
"""Where there is one it has half of its rows, but so many at least and at most."""

DUMB = ("dumb", "unknown")
"""Names of terminals that have no colours."""


@frozen
class Paper:
    """See the module."""

    form: Form
    width: int
    height: int | None = None
    """Rows of the terminal that all is to fit in; None: there is no end to it."""

    chart_height: int = CHART_HEIGHT
    """Rows of a chart with its x axis, where nobody says."""

    depth: Depth = "none"
    """Its colours; there are none but in the form `ansi`."""

    dark: bool = True
    """Whether its ground is dark, as far as anybody says."""

    encoding: str = "utf-8"

    @property
    def is_coloured(self) -> bool:
        """Whether lines may be told apart by their colours."""
        return self.depth != "none"

    @property
    def has_dots(self) -> bool:
        """Whether it has braille."""
        return is_unicode(self.encoding)

    def line(self, pieces: Iterable[Piece]) -> str:
        """Pieces as one line, without its end."""
        if self.is_coloured:
            from tbtui.cli.print.colouring import coloured

            return coloured(pieces, self)
        return self.spelled("".join(piece.text for piece in pieces).rstrip())

    def spelled(self, text: str) -> str:
        """Safe text in the characters that there are."""
        return spelled(text, self.encoding)


def terminal_size(out: TextIO | None, environ: Mapping[str, str]) -> tuple[int, int]:
    """Columns and rows: COLUMNS and LINES before those of the terminal that `out` is, before `PLAIN_SIZE`."""
    try:
        found = os.get_terminal_size(out.fileno()) if out is not None and out.isatty() else PLAIN_SIZE
    except (OSError, ValueError):
        found = PLAIN_SIZE
    said = (environ.get(name, "") for name in ("COLUMNS", "LINES"))
    columns, rows = (
        int(word) if word.isdecimal() and int(word) > 0 else size or plain
        for word, size, plain in zip(said, found, PLAIN_SIZE, strict=True)
    )
    return columns, rows


def may_colour(wanted: str, out: TextIO | None, environ: Mapping[str, str], form: Form | None = None) -> bool:
    """Whether colours are allowed.

    Args:
        wanted: `auto`, `always` or `never`.
        out: Where the lines go.
        environ: Of the process; `NO_COLOR` forbids colours (https://no-color.org), unless `always` says otherwise.
        form: The form that was asked for: `ansi` asks for colours, on a terminal or not.
    """
    if wanted != "auto":
        return wanted == "always"
    if environ.get("NO_COLOR"):
        return False
    if form == "ansi":
        return True
    return out is not None and out.isatty() and environ.get("TERM", DUMB[0]) not in DUMB


def colours_of(environ: Mapping[str, str]) -> Depth:
    """How many colours a terminal has, by what it says of itself."""
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "true"
    return "256" if "256color" in environ.get("TERM", "") else "16"


def is_dark(environ: Mapping[str, str]) -> bool:
    """Whether the ground is dark: `COLORFGBG` ends in its number among the sixteen colours where a terminal sets it."""
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return ground not in ("7", "15")


def paper_for(
    form: Form | None,
    *,
    color: str,
    width: int | None,
    out: TextIO | None,
    environ: Mapping[str, str],
    fits: bool = False,
) -> Paper:
    """What is printed on.

    Args:
        form: As asked for; None: in colours where these are allowed, else plain text.
        color: `auto`, `always` or `never`.
        width: Columns; None: those there are.
        out: Where it goes; None: into a file, in UTF-8.
        environ: Of the process.
        fits: Whether all is to fit into the rows of the terminal, where there is one.
    """
    columns, rows = terminal_size(out, environ)
    on_terminal = out is not None and out.isatty()
    coloured = form in (None, "ansi") and may_colour(color, out, environ, form)
    if form != "markdown":
        form = "ansi" if coloured else "text"
    return Paper(
        form,
        width or columns,
        rows if fits and on_terminal else None,
        min(max(rows // 2, HEIGHTS[0]), HEIGHTS[1]) if on_terminal else CHART_HEIGHT,
        colours_of(environ) if coloured else "none",
        is_dark(environ),
        "utf-8" if out is None else (out.encoding or "ascii"),
    )


def joined(lines: Sequence[str]) -> str:
    """Lines with their ends."""
    return "".join(f"{line}\n" for line in lines)
