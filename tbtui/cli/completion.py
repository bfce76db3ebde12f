"""`tbtui completion SHELL`: the script that makes a shell complete the words of tbtui."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from tbtui.cli.errors import complain
from tbtui.cli.output import print_text
from tbtui.export.output import OutputError

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> int:
    """Print the script of `arguments.shell`. Returns the exit code."""
    try:
        print_text(script(arguments.shell))
    except OutputError as error:
        return complain(str(error))
    return 0


def script(shell: str) -> str:
    """The script of bash, zsh or fish."""
    return (resources.files("tbtui.cli.completing") / f"tbtui.{shell}").read_text("utf-8")
