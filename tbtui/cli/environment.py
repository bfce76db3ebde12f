"""Whether this is a place where the dashboard can be drawn; found out before anything is written to the terminal."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

PLAIN_TEXT = "for plain text use: tbtui print"


def obstacle(
    environ: Mapping[str, str], stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None
) -> str | None:
    """What stands in the way of drawing here.

    Args:
        environ: The process's environment.
        stdin: The stream that keys come from; None when it is closed. The others likewise.
        stdout: Where a person who redirects output expects it to come out.
        stderr: Where Textual draws.

    Returns:
        One sentence that points to the plain-text command, or None when nothing stands in the way.
    """
    reason = _stream_obstacle(stdin, stdout, stderr) or _terminal_obstacle(environ) or _encoding_obstacle(stderr)
    return f"{reason}; {PLAIN_TEXT}" if reason else None


def _stream_obstacle(stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> str | None:
    for name, stream in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
        if stream is None or stream.closed or not stream.isatty():
            return f"{name} is not a terminal, so the dashboard cannot be drawn"
    return None


def _terminal_obstacle(environ: Mapping[str, str]) -> str | None:
    terminal = environ.get("TERM", "")
    if not terminal:
        return "TERM is not set, so nothing is known of this terminal"
    if terminal in ("dumb", "unknown"):
        return f"TERM is {terminal}: this terminal cannot draw a dashboard"
    return None


def _encoding_obstacle(stderr: TextIO | None) -> str | None:
    encoding = stderr.encoding if stderr is not None else "ascii"
    if codecs.lookup(encoding).name == "utf-8":
        return None
    return f"the terminal's encoding is {encoding}, not UTF-8 (LC_ALL, LANG and PYTHONIOENCODING decide it)"
