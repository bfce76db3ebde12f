"""Parse the options of the dashboard, `tbtui [PATH …]`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tbtui import __version__
from tbtui.cli import arguments as values
from tbtui.cli.options.parser import OneLineParser, add_common, add_setting, create_parser
from tbtui.settings.settings import SETTINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tbtui.settings.declaration import Setting

EXAMPLES = """\
examples:
  tbtui --demo              look around without any logs
  tbtui logs/               all runs below logs/, live
  tbtui a:run1 b:run2       two runs under names of your own
  tbtui 'logs/*/seed0'      a glob, which may match more later
  tbtui logs/ --runs 'adam|sgd' --tags ^loss --x-axis relative

PATH is a directory, an event file, a glob in quotes, or NAME:PATH; without one,
the current directory.

exit codes: 0 fine, 1 a crash, 2 wrong arguments, path or terminal
"""


def _list_commands() -> str:
    from tbtui.cli.options.parser import format_commands

    return format_commands()


def _tabs() -> list[str]:
    from tbtui.plugins.registry import list_tabs

    return [plugin.name for plugin in list_tabs()]


def _list_themes() -> tuple[str, ...]:
    from tbtui.app.theme_names import list_theme_names

    return list_theme_names()


def list_option_settings(*, of_dashboards: bool = True) -> list[Setting[Any]]:
    """Return the settings that have an option: those of the app, then those of single dashboards."""
    declared = [*SETTINGS.values()]
    if of_dashboards:
        from tbtui.plugins.registry import list_plugin_settings

        declared += list_plugin_settings()
    return [each for each in declared if each.option is not None]


def command_parser(*, of_dashboards: bool = True) -> OneLineParser:
    """Return the parser of `tbtui [PATH …]`.

    Args:
        of_dashboards: Include the options of single dashboards, which takes as long as the rest: it imports the
            registry.
    """
    parser = create_parser("tbtui", "Everything a TensorBoard log directory holds, in a terminal, live.", EXAMPLES)
    parser.more = _list_commands
    parser.offers.update(tab=_tabs, theme=_list_themes)
    add_common(parser)
    shown = parser.add_argument_group("for this session (default: as the last session left it)")
    for declared in list_option_settings(of_dashboards=of_dashboards):
        add_setting(shown, declared)
    shown.add_argument("--theme", metavar="NAME", help="colours; ansi-dark and ansi-light keep the terminal's own")
    shown.add_argument("--fresh", action="store_true", help="ignore the saved settings of these logs")
    parser.add_argument(
        "--reload",
        metavar="SECONDS",
        type=values.parse_seconds,
        help="poll every SECONDS instead of watching for changes; 0 reads once",
    )
    parser.add_argument(
        "--alert",
        action="store_true",
        help="terminal bell and title alert on NaN, divergence, stall or end of a run",
    )
    parser.add_argument("--demo", action="store_true", help="show a simulated training run")
    parser.add_argument("--version", action="version", version=f"tbtui {__version__}")
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the words after `tbtui`.

    Raises:
        SystemExit: with 2 after a line on stderr, or with 0 after `--help` or `--version`.
    """
    parser = command_parser(of_dashboards=False)
    known = {word for action in parser.options for word in action.option_strings} - {"-h", "--help"}
    if any(word.startswith("-") and word.partition("=")[0] not in known for word in words):
        parser = command_parser()
    _refuse_commands(parser, words[:1], first=True)
    arguments: argparse.Namespace = parser.parse_intermixed_args(words)
    _refuse_commands(parser, arguments.paths, first=False)
    if arguments.demo and arguments.paths:
        parser.error("--demo brings its own logs: leave out either --demo or PATH")
    return arguments


def _refuse_commands(parser: OneLineParser, paths: Sequence[str], *, first: bool) -> None:
    """Exit with a suggestion if one of `paths` does not exist but looks like a command."""
    for path in paths:
        if path[:1].isalpha() and not os.path.lexists(path):
            from tbtui.cli.options.suggestions import explain_unknown_command

            if reason := explain_unknown_command(path, first=first):
                parser.error(reason)
