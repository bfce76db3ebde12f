"""TensorBoard's front end with listeners in it, and the server behind it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where the front end hands out its own functions and what its charts hold. Nothing that it does changes, and each
# pattern must be found just once.
LISTENERS = (
    # The smoothing and the extent of a chart's data: functions that are called where they are defined.
    (
        r"(function\(\w,\w\)\{return \w+\(this,null,function\*\(\)\{Number\.isFinite.{,500}?\}\)\})(\(\w,\w\)\))",
        r"(__heard.smooth=\1)\2",
    ),
    (
        r"(function\((?:\w,){4}\w\)\{let \w=null,\w=null,\w=\[\];for.{,600}?\})(\(this\.seriesData,this\.series)",
        r"(__heard.extents=\1)\2",
    ),
    # A chart that has its extent and is about to make its limits of it.
    (r"this\.viewBox=\{x:this\.xScale\.niceDomain\((\w)\.x", r"__heard.drawn(this,\1),\g<0>"),
    # A chart that the mouse is over.
    (r"this\.cursoredData=this\.isCursorInside\?", r"__heard.hovered(this),\g<0>"),
)


def installed() -> str:
    """The script of the installed TensorBoard."""
    with zipfile.ZipFile(str(files("tensorboard") / "webfiles.zip")) as archive:
        return archive.read("index.js").decode()


def front_end() -> str:
    """That script, listened to."""
    script = installed()
    for pattern, replacement in LISTENERS:
        script, count = re.subn(pattern, replacement, script)
        if count != 1:
            raise SystemExit(f"{count} places in the front end match {pattern}: not the version this was written for")
    return (Path(__file__).parent / "listeners.js").read_text(encoding="utf-8") + script


@contextmanager
def serve(directory: str) -> Iterator[str]:
    """TensorBoard on a free port; yields its address. Its sample of points is larger than any series."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", directory, "--port", "0"]
    command += ["--load_fast=false", "--samples_per_plugin", "scalars=100000"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TZ": "UTC"})
    try:
        assert server.stderr is not None
        yield next(found[0] for found in (re.search(r"http://\S+", line) for line in server.stderr) if found)
    finally:
        server.terminate()
        server.wait()
