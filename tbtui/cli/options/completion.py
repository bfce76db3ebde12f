"""`tbtui completion SHELL`: print the script with which a shell completes arguments of tbtui."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.options.parser import OneLineParser, create_parser

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

SHELLS = ("bash", "zsh", "fish")

EXAMPLES = """\
examples:
  eval "$(tbtui completion bash)"       at the end of ~/.bashrc
  eval "$(tbtui completion zsh)"        at the end of ~/.zshrc
  tbtui completion fish | source        in ~/.config/fish/config.fish

Where bash-completion is installed the script may be a file of its own instead:
  ~/.local/share/bash-completion/completions/tbtui
for zsh one named _tbtui in a folder of $fpath, and for fish
  ~/.config/fish/completions/tbtui.fish
It asks the tbtui that is being typed what fits, so it is never out of date.

exit codes: 0 fine, 2 wrong arguments
"""


def command_parser() -> OneLineParser:
    """Return the parser of `tbtui completion`."""
    parser = create_parser("tbtui completion", "Completes words with the tab key in your shell.", EXAMPLES)
    parser.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help="%(choices)s: shell whose completion script is printed"
    )
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui completion`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help`.
    """
    arguments: argparse.Namespace = command_parser().parse_args(words)
    return arguments


def run(arguments: argparse.Namespace) -> int:
    """Print the script of `arguments.shell`. Return the exit code."""
    from tbtui.cli.errors import print_error
    from tbtui.cli.output import print_text
    from tbtui.export.output import OutputError

    try:
        print_text(build_completion_script(arguments.shell))
    except OutputError as error:
        return print_error(str(error))
    return 0


def build_completion_script(shell: str) -> str:
    """Return the script of bash, zsh or fish."""
    from importlib import resources

    return (resources.files("tbtui.cli.completion_scripts") / f"tbtui.{shell}").read_text("utf-8")
