"""Run `tbtui print [PATH …]`: charts and tables as text, for `watch`, CI logs, scripts and pipes.

`command` reads logs and makes a view. The module of each kind of data (`kinds`) yields blocks of it, and `report`
renders them. Nothing here imports Textual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> int:
    """Print the matching data.

    Args:
        arguments: Result of `options.print.parse`.

    Returns:
        The exit code.
    """
    from tbtui.cli.print.command import print_logs

    return print_logs(arguments)
