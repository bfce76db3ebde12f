"""Writes data to stdout."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from tbtui.export.output import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable


def print_pieces(pieces: Iterable[str]) -> None:
    """Write to stdout, in UTF-8 whatever the locale is: it is data.

    Raises:
        OutputError: Nobody can be given anything on stdout.
        BrokenPipeError: Who read it has gone.
    """
    if sys.stdout is None:
        raise OutputError("stdout is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="")
    try:
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still in the buffer would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise OutputError(f"stdout cannot be written: {error.strerror}") from error
