"""The console script's own answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pty_app import product

import tbtui

CHECKOUT = Path(tbtui.__file__).parents[1]


def test_a_reader_that_has_gone_is_no_reason_to_complain() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environ = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    environ.pop("PYTHONUNBUFFERED", None)
    ended = subprocess.run(
        product("inspect", "--json", str(CHECKOUT / "tests" / "corpus")),
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environ,
        timeout=60,
        check=False,
    )
    os.close(writing)
    assert ended.returncode == 1
    assert ended.stderr == b""
