"""How a command says that it cannot do what it was asked: one plain line, exit code 2."""

from __future__ import annotations

import sys

WRONG_ARGUMENTS = 2
"""Exit code for arguments or paths that cannot be used."""


def complain(message: str) -> int:
    """Write `message` as one line on stderr.

    Args:
        message: One sentence. It may quote arguments and paths, so it is stripped of whatever a terminal would obey.

    Returns:
        The exit code to end with.
    """
    from tbtui.charts.text import safe  # rich comes with it: only a command that fails pays for it

    print(f"tbtui: {safe(message)}", file=sys.stderr)
    return WRONG_ARGUMENTS
