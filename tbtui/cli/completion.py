"""`tbtui completion SHELL`: the script that makes a shell complete the words of tbtui."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from tbtui.cli.errors import print_error
from tbtui.cli.output import print_text
from tbtui.export.output import OutputError

if TYPE_CHECKING:
    from argparse import Namespace


def run(arguments: Namespace) -> int:
    """Print the script of `arguments.shell`. Returns the exit code."""
    try:
        print_text(completion_script(arguments.shell))
    except OutputError as error:
        return print_error(str(error))
    return 0


def completion_script(shell: str) -> str:
    """The script of bash, zsh or fish."""
    return (resources.files("tbtui.cli.completing") / f"tbtui.{shell}").read_text("utf-8")
