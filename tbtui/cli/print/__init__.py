"""`tbtui print [PATH …]`: charts and tables as text, for `watch`, CI logs, scripts and whoever has no terminal.

The way of a print: `command` reads logs and makes a view; a module for each kind of data (`kinds`) tells what of it is
to be seen as blocks (`sheet`); `paper` knows the width, the colours and the characters that there are, and `writing`
makes lines of blocks. Charts of lines are drawn by plotext (`plot`). Nothing here imports Textual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> int:
    """Print what matches.

    Args:
        arguments: As `options.print.parse` gives them.

    Returns:
        The exit code.
    """
    from tbtui.cli.print.command import print_logs

    return print_logs(arguments)
