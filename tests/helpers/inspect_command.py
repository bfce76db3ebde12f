"""Run `tbtui inspect` in the process of the test, without a cache, on a stream that is not a terminal."""

from __future__ import annotations

import contextlib
import io
import os
from unittest import mock

from tbtui.cli.main import main


def inspected(*words: object, width: int = 100) -> tuple[int, str]:
    """Run the command with these arguments; return its exit code and stdout."""
    out = io.StringIO()
    with mock.patch.dict(os.environ, COLUMNS=str(width)), contextlib.redirect_stdout(out):
        try:
            code = main(["inspect", "--no-cache", *map(str, words)])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, out.getvalue()
