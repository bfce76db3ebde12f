"""`tbtui help [COMMAND]`: what `--help` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.suggestions import parser_of

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> int:
    """Print the help of `arguments.command`, or of tbtui without one. Returns the exit code."""
    parser_of(arguments.command or "dashboard").print_help()
    return 0
